/* A rank that has ended will never enter a collective: the report names it, and which nonblocking collective the wait of the others is
 * for. */
/* explore: ranks=3 verdict=found class=deadlock args=barrier says=ended */
/* explore: ranks=3 verdict=found class=deadlock args=ibarrier says=MPI_Ibarrier */
/* explore: ranks=3 verdict=race-free args=all */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "all";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && strcmp(what, "all")) {
        MPI_Finalize();
        return 0;
    }
    if (strcmp(what, "barrier") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
