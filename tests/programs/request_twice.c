/* A list of requests must not have one of them twice: when the first is complete the second names none. MPI_REQUEST_NULL may be there
 * as often as one likes. */
/* explore: ranks=2 verdict=found class=invalid-argument args=twice says=twice */
/* explore: ranks=2 verdict=race-free args=null */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, number = 0;
    MPI_Request request[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Isend(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[1]);
    else
        MPI_Irecv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[1]);
    if (argc > 1 && strcmp(argv[1], "twice") == 0)
        request[2] = request[1];
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
