/* What takes the data of an access may be longer than what gives it, as in messages (MPI-3.1 section 11.3), and keeps the rest. */
/* explore: ranks=2 verdict=race-free args=put */
/* explore: ranks=2 verdict=race-free args=put-strided */
/* explore: ranks=2 verdict=race-free args=put-locked */
/* MPICH 4.0 gets as much as the origin has room for. */
/* explore: ranks=2 verdict=race-free args=get mpiexec=no */
/* explore: ranks=2 verdict=race-free args=get-locked mpiexec=no */
/* The other way round it does not fit; and a longer one of other types is none. */
/* explore: ranks=2 verdict=found class=type-mismatch args=put-too-long mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch args=get-too-long mpiexec=no */
/* explore: ranks=2 verdict=found class=type-mismatch args=put-other-type mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 6 };

static int memory[PLACES], mine[PLACES];

/* By rank 0, at rank 1. */
static void access_window(const char *how, MPI_Datatype every_other, MPI_Win window) {
    if (!strncmp(how, "get-too", 7))
        MPI_Get(mine, 2, MPI_INT, 1, 0, 3, MPI_INT, window);
    else if (!strncmp(how, "get", 3))
        MPI_Get(mine, 5, MPI_INT, 1, 1, 3, MPI_INT, window);
    else if (!strcmp(how, "put-too-long"))
        MPI_Put(mine, 4, MPI_INT, 1, 0, 3, MPI_INT, window);
    else if (!strcmp(how, "put-other-type"))
        MPI_Put(mine, 1, MPI_FLOAT, 1, 0, 2, MPI_INT, window);
    else if (!strcmp(how, "put-strided"))
        MPI_Put(mine, 2, MPI_INT, 1, 0, 1, every_other, window);
    else
        MPI_Put(mine, 2, MPI_INT, 1, 1, 5, MPI_INT, window);
}

int main(int argc, char **argv) {
    int rank;
    const char *how = argc > 1 ? argv[1] : "put";
    MPI_Win window;
    MPI_Datatype every_other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(3, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    for (int i = 0; i < PLACES; i++) {
        memory[i] = 10 * rank + i;
        mine[i] = -1 - i;
    }
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (strstr(how, "locked")) {
        if (rank == 0) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
            access_window(how, every_other, window);
            MPI_Win_unlock(1, window);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Win_fence(0, window);
        if (rank == 0)
            access_window(how, every_other, window);
        MPI_Win_fence(0, window);
    }
    /* put: 10 -1 -2 13 14 15; strided: -1 11 -2 13 14 15; get: 11 12 13 -4 -5 -6 */
    static const int put[] = {10, -1, -2, 13, 14, 15}, strided[] = {-1, 11, -2, 13, 14, 15}, got[] = {11, 12, 13, -4, -5, -6};
    const int *expected = !strncmp(how, "get", 3) ? got : !strcmp(how, "put-strided") ? strided : put;
    if (rank == (expected != got) && memcmp(expected == got ? mine : memory, expected, sizeof memory))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&window);
    MPI_Type_free(&every_other);
    MPI_Finalize();
    return 0;
}
