/* A window over all ranks, of which ranks 1 and 2 give their segments of a shared window that only they have, and rank 0 memory of its
 * own. Rank 0 puts into the segment of rank 1, from which rank 2 loads, and rank 2 into the memory of rank 0. "twice" makes two such
 * windows of the same memory, one after the other; "two" both at once, through which ranks 0 and 2 must not access the same cell at
 * the same time; "freed" frees the shared window first, whose memory is then not there for rank 0 to access. */
/* explore: ranks=3 verdict=race-free args=lock */
/* explore: ranks=3 verdict=race-free args=fence */
/* explore: ranks=3 verdict=race-free args=post */
/* explore: ranks=3 verdict=race-free args=twice */
/* explore: ranks=3 verdict=race-free args=two_apart */
/* explore: ranks=3 verdict=found class=rma-conflict args=two */
/* explore: ranks=3 verdict=found class=rma-conflict args=lock_early checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence_early checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=post_early checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=own_early checkpoint=pages */
/* explore: ranks=3 verdict=found class=buffer-in-use args=freed mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_Win window[2];
static int own[2], *segment, *cell; /* of rank 1 */
static const char *what;
static int rank, got;

static int begins(const char *name) { return strncmp(what, name, strlen(name)) == 0; }
static int is_early(void) { return strstr(what, "_early") != NULL; }

static void access_others(void) {
    static int value;
    const int target = rank == 0 ? 1 : 0;
    value = 5 + rank;
    if (rank != 1) {
        MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, window[0]);
        MPI_Get(&got, 1, MPI_INT, target, 1, 1, MPI_INT, window[0]);
    }
}

static void look(void) {
    if (rank == 2)
        printf("%d\n", cell[0]);
    if (rank == 0)
        printf("%d\n", own[0]);
}

static void in_epoch_of_locks(void) {
    MPI_Win_lock_all(0, window[0]);
    access_others();
    MPI_Win_flush_all(window[0]);
    if (begins("own")) {
        if (rank == 0)
            own[0] = 9;
    } else {
        if (!is_early())
            MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0 && is_early())
            MPI_Win_sync(window[0]);
        else
            look();
    }
    MPI_Win_unlock_all(window[0]);
}

static void in_epoch_of_fences(void) {
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window[0]);
    access_others();
    if (is_early() && rank == 2)
        look();
    MPI_Win_fence(0, window[0]);
    access_others();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window[0]);
    look();
}

static void in_epoch_of_post(void) {
    MPI_Group world, others;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, &rank, &others);
    MPI_Win_post(others, 0, window[0]);
    MPI_Win_start(others, 0, window[0]);
    access_others();
    MPI_Win_complete(window[0]);
    MPI_Win_wait(window[0]);
    if (!is_early())
        MPI_Barrier(MPI_COMM_WORLD);
    look();
    MPI_Group_free(&world);
    MPI_Group_free(&others);
}

static void through_two(void) {
    MPI_Win_lock_all(0, window[0]);
    MPI_Win_lock_all(0, window[1]);
    if (rank != 1)
        MPI_Put(&rank, 1, MPI_INT, 1, rank == 2 && begins("two_apart"), 1, MPI_INT, window[rank / 2]);
    MPI_Win_unlock_all(window[0]);
    MPI_Win_unlock_all(window[1]);
}

static void make(int i) {
    int *mine = rank == 0 ? own : segment;
    MPI_Win_create(mine, 2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window[i]);
}

int main(int argc, char **argv) {
    int unit;
    MPI_Aint size;
    MPI_Comm sharers;
    MPI_Win shared = MPI_WIN_NULL;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "lock";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0 ? 0 : MPI_UNDEFINED, 0, &sharers);
    if (rank > 0) {
        MPI_Win_allocate_shared(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, sharers, &segment, &shared);
        MPI_Win_shared_query(shared, 0, &size, &unit, &cell);
    }
    make(0);
    if (begins("twice")) {
        in_epoch_of_locks();
        MPI_Win_free(&window[0]);
        make(0);
    }
    if (begins("two"))
        make(1);
    if (begins("freed") && rank > 0)
        MPI_Win_free(&shared);
    if (begins("fence"))
        in_epoch_of_fences();
    else if (begins("post"))
        in_epoch_of_post();
    else if (begins("two"))
        through_two();
    else
        in_epoch_of_locks();
    MPI_Win_free(&window[0]);
    if (begins("two"))
        MPI_Win_free(&window[1]);
    if (rank > 0) {
        if (!begins("freed"))
            MPI_Win_free(&shared);
        MPI_Comm_free(&sharers);
    }
    MPI_Finalize();
    return 0;
}
