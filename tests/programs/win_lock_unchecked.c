/* MPI_MODE_NOCHECK for MPI_Win_lock says that nobody holds, or asks for, a lock that excludes this one while this process has it (MPI-3.1
 * section 11.5.5): the lock need not be taken then. That must be so in every ordering; each adds one by a get and a put.
 *
 *     exclusive    both ranks lock the window of rank 0 exclusively in this way; checked: only one of them in this way
 *     all          rank 0 has it by MPI_Win_lock_all in this way, rank 1 exclusively
 *     beside       ... checked, and puts another number, which is all that it does
 *     shared       the window is shared
 *     alone        only rank 1 locks; in_turn: rank 0 when a barrier says that rank 1 has released it
 *     readers      both have it by MPI_Win_lock_all in this way, and get
 *     own          each locks its own window
 *
 * MPICH 4.0 itself crashes in some of them. */
/* explore: ranks=2 verdict=found class=rma-epoch says=MPI_MODE_NOCHECK args=exclusive */
/* explore: ranks=2 verdict=found class=rma-epoch says=MPI_MODE_NOCHECK args=checked */
/* explore: ranks=2 verdict=found class=rma-epoch says=MPI_MODE_NOCHECK args=all */
/* explore: ranks=2 verdict=found class=rma-epoch says=MPI_MODE_NOCHECK args=beside */
/* explore: ranks=2 verdict=found class=rma-epoch says=MPI_MODE_NOCHECK args=shared */
/* explore: ranks=2 verdict=race-free mpiexec=no args=alone */
/* explore: ranks=2 verdict=race-free mpiexec=no args=in_turn */
/* explore: ranks=2 verdict=race-free args=readers */
/* explore: ranks=2 verdict=race-free mpiexec=no args=own */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *what;
static int rank, numbers[2], *memory = numbers;
static MPI_Win window;

static int is(const char *name) { return strcmp(what, name) == 0; }

static void make_window(void) {
    if (is("shared"))
        MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    else
        MPI_Win_create(numbers, sizeof numbers, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}

static int get(int target) {
    int number;
    MPI_Get(&number, 1, MPI_INT, target, 0, 1, MPI_INT, window);
    MPI_Win_flush(target, window);
    return number;
}

static void add(int target, int assertion) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, assertion, window);
    int next = get(target) + 1;
    MPI_Put(&next, 1, MPI_INT, target, 0, 1, MPI_INT, window);
    MPI_Win_unlock(target, window);
}

static void get_by_lock_all(void) {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    get(0);
    MPI_Win_unlock_all(window);
}

static void put_beside(void) {
    const int number = 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&number, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
}

static void lock(void) {
    if (is("readers") || ((is("all") || is("beside")) && rank == 0))
        get_by_lock_all();
    else if (is("beside"))
        put_beside();
    else if (is("own"))
        add(rank, MPI_MODE_NOCHECK);
    else if (rank == 1 || !(is("alone") || is("in_turn")))
        add(0, is("checked") && rank == 0 ? 0 : MPI_MODE_NOCHECK);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && is("in_turn"))
        add(0, MPI_MODE_NOCHECK);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    what = argc > 1 ? argv[1] : "exclusive";
    make_window();
    lock();
    MPI_Win_free(&window);
    printf("%d\n", numbers[0]);
    MPI_Finalize();
    return 0;
}
