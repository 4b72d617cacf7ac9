/* What was in the buffer of a pending receive may be forgotten while the rank waits for something else. If it then waits for the buffer to
 * change, or not to be 0, which is a mistake, it may do so for ever as that is forgotten, though it would not by what was there. It is
 * told what the mistake is, and not that the rank does not come back. One that would not in any case is told so. */
/* explore: ranks=2 verdict=found class=buffer-in-use few-states=1 step-time=1s args=nonzero checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=runaway few-states=1 step-time=1s args=forever checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=race-free few-states=1 args=never checkpoint=pages mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int is(const char *what, const char *name) { return strcmp(what, name) == 0; }

int main(int argc, char **argv) {
    int rank, first = 0, number = 7;
    volatile int always = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        while (is(argv[1], "nonzero") && *(volatile int *)&number == 0)
            continue;
        while (is(argv[1], "forever") && always)
            continue;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        printf("%d %d\n", first, number);
    } else {
        MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return argc < 2;
}
