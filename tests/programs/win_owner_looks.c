/* The owner of a window looks at what others changed in it only where it matters. Rank 0 owns the window; everybody else changes it, each
 * in its own place. What rank 0 may see at which point would make a product of what the others do; if it does nothing with its window
 * before they are done, the graph has a few dozen states on five ranks.
 *
 *     later     rank 0 only reads when all are done
 *     beside    ... but uses memory beside the window all the time, in the same pages
 *     own       ... and changes its own place by puts to itself
 *     fetches   ... and reads its own place, again and again, by fetching it from itself
 *     sleeps    ... and has the kernel use memory beside it
 *     polls     ... or reads after a barrier until it sees what rank 1 has stored before that, which is at once
 *     waits     ... or reads early, in a loop until it sees that rank 1 is done, by an accumulate and MPI_Win_sync
 *
 * Whatever it does with the window early is found, by whichever instruction or function it is done:
 *
 *     equal     it compares one number with the one that rank 1 stores there: for any other it does the same
 *     timed     ... after calls of MPI that may be made at any time, and by any thread
 *     copies    it copies the window first, and compares then
 *     packs     ... by MPI_Pack
 *     unpacks   ... by MPI_Unpack
 *     computes  ... by MPI_Reduce_local, and the smaller number is the same for any but that one
 *     periodic  it makes a grid that is periodic where its numbers are not 0
 *     remains   ... takes the dimensions of a grid where they are not
 *     sends     it sends the number to rank 1
 *     stores    it stores where rank 1 puts
 *     names     it asks the kernel for a file by the name that rank 1 stores there
 *     asks      it has the kernel compare the number with the one that rank 1 stores there: for any other it says the same
 *
 * The same is so if the window is a local variable of the function that creates it, among those which that function uses all the
 * time, with what it calls (on-stack), or a dynamic one, to which it is attached in two parts (attached). */
/* explore: ranks=5 verdict=race-free states=100 args=later */
/* explore: ranks=5 verdict=race-free states=100 args=beside */
/* explore: ranks=5 verdict=race-free states=100 args=own */
/* explore: ranks=5 verdict=race-free states=100 args=fetches */
/* explore: ranks=5 verdict=race-free states=100 args=sleeps */
/* explore: ranks=3 verdict=race-free args=polls step-time=2s */
/* explore: ranks=3 verdict=race-free args=waits mpiexec=no */
/* explore: ranks=2 verdict=found class=race-output args=equal */
/* explore: ranks=2 verdict=found class=race-output args=timed */
/* explore: ranks=2 verdict=found class=race-output args=copies */
/* explore: ranks=2 verdict=found class=race-output args=names */
/* explore: ranks=2 verdict=found class=race-output args=asks */
/* explore: ranks=2 verdict=found class=race-output args=packs */
/* explore: ranks=2 verdict=found class=race-output args=unpacks */
/* explore: ranks=2 verdict=found class=race-output args=computes */
/* explore: ranks=2 verdict=found class=race-output args=periodic */
/* explore: ranks=2 verdict=found class=race-output args=remains */
/* explore: ranks=2 verdict=found class=race-output args=sends */
/* explore: ranks=2 verdict=found class=rma-conflict args=stores */
/* explore: ranks=5 verdict=race-free states=100 args=on-stack-later */
/* explore: ranks=5 verdict=race-free states=100 args=on-stack-beside */
/* explore: ranks=5 verdict=race-free states=100 args=on-stack-own */
/* explore: ranks=5 verdict=race-free states=100 args=on-stack-fetches */
/* explore: ranks=5 verdict=race-free states=100 args=on-stack-sleeps */
/* explore: ranks=3 verdict=race-free args=on-stack-polls step-time=2s */
/* explore: ranks=3 verdict=race-free args=on-stack-waits mpiexec=no */
/* explore: ranks=2 verdict=found class=race-output args=on-stack-equal */
/* explore: ranks=2 verdict=found class=race-output args=on-stack-timed */
/* explore: ranks=2 verdict=found class=race-output args=on-stack-copies */
/* explore: ranks=2 verdict=found class=race-output args=on-stack-names */
/* explore: ranks=2 verdict=found class=race-output args=on-stack-asks */
/* explore: ranks=2 verdict=found class=race-output args=on-stack-packs */
/* explore: ranks=2 verdict=found class=race-output args=on-stack-unpacks */
/* explore: ranks=2 verdict=found class=race-output args=on-stack-computes */
/* explore: ranks=2 verdict=found class=race-output args=on-stack-periodic */
/* explore: ranks=2 verdict=found class=race-output args=on-stack-remains */
/* explore: ranks=2 verdict=found class=race-output args=on-stack-sends */
/* explore: ranks=2 verdict=found class=rma-conflict args=on-stack-stores */
/* explore: ranks=5 verdict=race-free states=100 args=attached-later */
/* explore: ranks=5 verdict=race-free states=100 args=attached-beside */
/* explore: ranks=5 verdict=race-free states=100 args=attached-own */
/* explore: ranks=5 verdict=race-free states=100 args=attached-fetches */
/* explore: ranks=3 verdict=race-free args=attached-polls step-time=2s */
/* explore: ranks=3 verdict=race-free args=attached-waits mpiexec=no */
/* explore: ranks=2 verdict=found class=race-output args=attached-equal */
/* explore: ranks=2 verdict=found class=race-output args=attached-timed */
/* explore: ranks=2 verdict=found class=race-output args=attached-copies */
/* explore: ranks=2 verdict=found class=race-output args=attached-names */
/* explore: ranks=2 verdict=found class=race-output args=attached-asks */
/* explore: ranks=2 verdict=found class=race-output args=attached-packs */
/* explore: ranks=2 verdict=found class=race-output args=attached-unpacks */
/* explore: ranks=2 verdict=found class=race-output args=attached-computes */
/* explore: ranks=2 verdict=found class=race-output args=attached-periodic */
/* explore: ranks=2 verdict=found class=race-output args=attached-remains */
/* explore: ranks=2 verdict=found class=race-output args=attached-sends */
/* explore: ranks=2 verdict=found class=rma-conflict args=attached-stores */
#include <errno.h>
#include <linux/futex.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NUMBERS = 16, STORED = -42, DIRECTORY = '/' };

static struct memory { int before[NUMBERS], number[NUMBERS], behind[NUMBERS]; } * memory;
static int rank, size;
static MPI_Win window;
static const char *what;
static int is_attached;
static MPI_Aint numbers; /* in rank 0's memory */

static int is(const char *name) { return strcmp(what, name) == 0; }

/* Of one of the numbers, as accesses have it. */
static MPI_Aint place(int at) { return is_attached ? MPI_Aint_add(numbers, at * (int)sizeof(int)) : at; }

static void put(int value, int at) {
    MPI_Put(&value, 1, MPI_INT, 0, place(at), 1, MPI_INT, window);
    MPI_Win_flush(0, window);
}

static void fetch(int at) {
    int fetched;
    MPI_Fetch_and_op(NULL, &fetched, MPI_INT, 0, place(at), MPI_NO_OP, window);
    MPI_Win_flush(0, window);
}

/* Atomically, so that rank 0 may look for it. */
static void store(int value, int at) {
    MPI_Accumulate(&value, 1, MPI_INT, 0, place(at), 1, MPI_INT, MPI_REPLACE, window);
    MPI_Win_flush(0, window);
}

static void store_something(void) {
    if (is("names"))
        store(DIRECTORY, 0);
    else
        store(is("periodic") || is("remains") ? 0 : STORED, rank);
}

static void change(void) {
    if (is("later") || is("sleeps") || is("beside") || is("own") || is("fetches"))
        for (int i = 0; i < 2; i++)
            put(10 * rank + i, rank);
    else if (is("stores"))
        put(STORED, 1);
    else
        store_something();
}

static int wait_for_rank_1(void) {
    volatile int *number = memory->number;
    while (number[1] != STORED)
        MPI_Win_sync(window);
    return number[1];
}

/* Numbers that are 1 are 0 when rank 1 has been there: that is all that a grid is made of. */
static int look_by_grid(void) {
    const int sizes[2] = {1, 1}, no[2] = {0, 0};
    int kept, size_of[2], is_periodic[2], at[2];
    MPI_Comm grid, part;
    MPI_Cart_create(MPI_COMM_SELF, 2, sizes, is("periodic") ? memory->number : no, 0, &grid);
    MPI_Cart_get(grid, 2, size_of, is_periodic, at);
    MPI_Cart_sub(grid, is("remains") ? memory->number : sizes, &part);
    MPI_Cartdim_get(part, &kept);
    MPI_Comm_free(&part);
    MPI_Comm_free(&grid);
    return is("periodic") ? is_periodic[1] : kept;
}

/* Nothing is left of the copy. */
static int look_at_copy(void) {
    int *copy = calloc(NUMBERS, sizeof *copy), position = 0;
    const int bytes = NUMBERS * sizeof *copy;
    if (is("copies"))
        memcpy(copy, memory->number, sizeof memory->number);
    if (is("packs"))
        MPI_Pack(memory->number, NUMBERS, MPI_INT, copy, bytes, &position, MPI_COMM_WORLD);
    if (is("unpacks"))
        MPI_Unpack(memory->number, bytes, &position, copy, NUMBERS, MPI_INT, MPI_COMM_WORLD);
    if (is("computes")) {
        copy[1] = -1;
        MPI_Reduce_local(memory->number, copy, NUMBERS, MPI_INT, MPI_MIN);
    }
    const int seen = copy[1];
    free(copy);
    return seen == STORED;
}

static int sleep_for(const int *time) { return nanosleep((const struct timespec *)time, NULL); }

/* It would wait as long as that is there, but for no time at all. */
static int kernel_finds(const int *number, int value) {
    const struct timespec at_once = {0};
    const long result = syscall(SYS_futex, number, FUTEX_WAIT_PRIVATE, value, &at_once, NULL, 0);
    const int found = result < 0 && errno == ETIMEDOUT;
    errno = 0;
    return found;
}

static void call_at_any_time(void) {
    int level;
    MPI_Wtime();
    MPI_Query_thread(&level);
}

/* What rank 0 does meanwhile; it gives what it has found out. */
static int look(void) {
    if (is("beside"))
        for (int i = 0; i < NUMBERS; i++)
            memory->behind[i] = ++memory->before[i];
    if (is("own"))
        put(7, 0);
    for (int i = 0; i < 3 && is("fetches"); i++)
        fetch(0);
    if (is("sleeps"))
        sleep_for(memory->behind);
    if (is("waits"))
        return wait_for_rank_1();
    if (is("timed"))
        call_at_any_time();
    if (is("equal") || is("timed"))
        return memory->number[1] == STORED;
    if (is("names"))
        return access((char *)memory->number, F_OK);
    if (is("asks"))
        return kernel_finds(&memory->number[1], STORED);
    if (is("stores"))
        memory->number[1] = 1;
    if (is("periodic") || is("remains"))
        return look_by_grid();
    return look_at_copy();
}

static void attach(void) {
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < NUMBERS && rank == 0; i += NUMBERS / 2)
        MPI_Win_attach(window, &memory->number[i], NUMBERS / 2 * sizeof(int));
    MPI_Get_address(memory->number, &numbers);
    MPI_Bcast(&numbers, 1, MPI_AINT, 0, MPI_COMM_WORLD);
}

static void detach(void) {
    for (int i = 0; i < NUMBERS; i += NUMBERS / 2)
        MPI_Win_detach(window, &memory->number[i]);
}

static void create(void) {
    const MPI_Aint size_here = rank == 0 ? sizeof memory->number : 0;
    if (is_attached)
        attach();
    else
        MPI_Win_create(memory->number, size_here, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}

/* What each rank put last is there, also where the window ends before anybody looks. */
static void check_last(void) {
    for (int i = 1; i < size && is("later"); i++) {
        if (memory->number[i] != 10 * i + 1)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void run(struct memory *at) {
    int found = 0, told = 0;
    memory = at;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    create();
    if (is("periodic") || is("remains"))
        memory->number[0] = memory->number[1] = 1;
    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0)
        change();
    else
        found = look();
    if (rank == 0 && is("sends"))
        MPI_Send(&memory->number[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1 && is("sends"))
        MPI_Recv(&told, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(window);
    for (volatile int *stored = &memory->number[1]; rank == 0 && is("polls") && *stored != STORED;)
        continue;
    if (is_attached && rank == 0)
        detach();
    if (rank == 0)
        check_last();
    printf("rank %d: %d %d, %d %d %d\n", rank, found, told, is("stores") ? 0 : memory->number[0], memory->behind[3],
           is("waits") ? 0 : memory->number[size - 1]);
    MPI_Win_free(&window);
}

int main(int argc, char **argv) {
    static struct memory apart;
    struct memory on_stack = {0};
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "later";
    const int is_on_stack = strncmp(what, "on-stack-", 9) == 0;
    is_attached = strncmp(what, "attached-", 9) == 0;
    what += is_on_stack || is_attached ? 9 : 0;
    run(is_on_stack ? &on_stack : &apart);
    MPI_Finalize();
    return 0;
}
