/* Memory of a window that rank 0 frees, or leaves behind on the stack, while the window is still there. What it gave MPI_Win_create must
 * be there until MPI_Win_free returns (MPI-3.1 section 11.2.5), what it has attached should be detached first (11.2.4); without an access
 * at the same time or later it does no harm. Rank 1 writes a zero, as is there, or reads.
 *
 *   first word: how rank 1 synchronises: lock (shared), exclusive, get (by a shared lock), fence, post
 *   second:     which memory: created, attached, stack (attached, on the stack), mapped (created, of
 *               memory mapped before MPI_Init), beside (two blocks are attached, and the other is freed)
 *   third:      when it is freed: after (rank 1's access, by a barrier: right), meanwhile (nothing says in which order), before (it),
 *               detached (before the access is made to another block, having been detached: right), late (detached after that) */
/* explore: ranks=2 verdict=race-free args=lock+created+after */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=lock+created+meanwhile */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=lock+created+before */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=exclusive+created+meanwhile */
/* explore: ranks=2 verdict=race-free args=exclusive+created+after */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=get+created+meanwhile */
/* explore: ranks=2 verdict=race-free args=get+created+after */
/* explore: ranks=2 verdict=race-free args=lock+mapped+after */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=lock+mapped+before */
/* explore: ranks=2 verdict=race-free args=fence+mapped+after */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=fence+mapped+before */
/* explore: ranks=2 verdict=race-free args=lock+attached+after */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=lock+attached+meanwhile */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=lock+attached+before */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=exclusive+attached+before */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=get+attached+before */
/* explore: ranks=2 verdict=race-free args=get+attached+after */
/* explore: ranks=2 verdict=race-free args=lock+beside+before */
/* explore: ranks=2 verdict=race-free args=lock+beside+detached */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=lock+beside+late */
/* explore: ranks=2 verdict=found class=buffer-in-use says=returned args=lock+stack+before */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=fence+attached+before */
/* explore: ranks=2 verdict=race-free args=fence+attached+after */
/* explore: ranks=2 verdict=race-free args=fence+beside+before */
/* explore: ranks=2 verdict=found class=buffer-in-use says=returned args=fence+stack+before */
/* explore: ranks=2 verdict=found class=buffer-in-use says=freed args=post+attached+before */
/* explore: ranks=2 verdict=race-free args=post+attached+after */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { NUMBERS = 4, MAPPED = 4096 };

static const char *how, *which, *when;
static int rank;
static int *block[2];
static void *mapped;
static MPI_Aint place;
static MPI_Win window;

static int is(const char *word, const char *name) { return strcmp(word, name) == 0; }

static void attach(void *memory) { MPI_Win_attach(window, memory, NUMBERS * sizeof(int)); }

__attribute__((noinline)) static void attach_own(void) {
    int own[NUMBERS] = {0};
    attach(own);
    MPI_Get_address(own, &place);
}

static void make_window(void) {
    block[0] = calloc(NUMBERS, sizeof(int));
    block[1] = calloc(NUMBERS, sizeof(int));
    if (is(which, "created") || is(which, "mapped")) {
        MPI_Win_create(is(which, "mapped") ? mapped : block[0], NUMBERS * sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                       &window);
        return;
    }
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Get_address(block[0], &place);
    if (rank == 0 && is(which, "stack")) {
        attach_own();
    } else if (rank == 0) {
        attach(block[0]);
        attach(block[1]);
    }
    MPI_Bcast(&place, 1, MPI_AINT, 0, MPI_COMM_WORLD);
}

static void access_window(void) {
    static int number;
    if (is(how, "get"))
        MPI_Get(&number, 1, MPI_INT, 0, place + 8, 1, MPI_INT, window);
    else
        MPI_Put(&number, 1, MPI_INT, 0, place + 8, 1, MPI_INT, window);
    if (is(how, "lock") || is(how, "get"))
        MPI_Win_flush(0, window);
}

/* What is freed: the block accessed, unless it is the other one. */
static void lose(void) {
    const int i = is(which, "beside");
    void *const volatile attached = block[i];
    if (is(which, "stack"))
        return;
    if (is(when, "detached"))
        MPI_Win_detach(window, block[i]);
    if (is(which, "mapped"))
        munmap(mapped, MAPPED);
    free(block[i]);
    if (is(when, "late"))
        MPI_Win_detach(window, attached);
    block[i] = NULL;
}

static void by_locks(void) {
    if (rank == 1) {
        if (is(when, "before"))
            MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock(is(how, "exclusive") ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, window);
        access_window();
        MPI_Win_unlock(0, window);
        if (is(when, "after"))
            MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    if (is(when, "after"))
        MPI_Barrier(MPI_COMM_WORLD);
    lose();
    if (is(when, "before"))
        MPI_Barrier(MPI_COMM_WORLD);
}

static void by_fences(void) {
    MPI_Win_fence(0, window);
    if (rank == 1)
        access_window();
    else if (is(when, "before"))
        lose();
    MPI_Win_fence(0, window);
    if (rank == 0 && is(when, "after"))
        lose();
}

static void by_post(void) {
    MPI_Group all, other;
    MPI_Win_get_group(window, &all);
    MPI_Group_incl(all, 1, &(int){1 - rank}, &other);
    if (rank == 1) {
        MPI_Win_start(other, 0, window);
        access_window();
        MPI_Win_complete(window);
    } else {
        if (is(when, "before"))
            lose();
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
        if (is(when, "after"))
            lose();
    }
    MPI_Group_free(&all);
    MPI_Group_free(&other);
}

int main(int argc, char **argv) {
    static char words[64];
    strcpy(words, argc > 1 ? argv[1] : "fence+created+after");
    how = strtok(words, "+");
    which = strtok(NULL, "+");
    when = strtok(NULL, "+");
    mapped = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make_window();
    MPI_Barrier(MPI_COMM_WORLD);
    if (is(how, "fence"))
        by_fences();
    else if (is(how, "post"))
        by_post();
    else
        by_locks();
    MPI_Win_free(&window);
    free(block[0]);
    free(block[1]);
    MPI_Finalize();
    return 0;
}
