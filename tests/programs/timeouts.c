/* Rank 0 polls for a message until a time limit. Time goes on as it polls, so the loop ends for any limit, and as time stands still
 * in the end, a loop without limit closes. Whether the message or the limit comes first is the network's choice; a correct program
 * then receives it anyway, and one that does not leaves it unreceived. */
/* explore: ranks=2 verdict=race-free time=20s args=1e-3 */
/* explore: ranks=2 verdict=race-free time=20s args=5 */
/* explore: ranks=2 verdict=race-free time=20s args=3600 mpiexec=no */
/* explore: ranks=2 verdict=race-free time=20s args=1e9 mpiexec=no */
/* explore: ranks=3 verdict=race-free time=20s args=5 */
/* explore: ranks=2 verdict=found class=unreceived-message buffering=infinite time=20s args=-5 */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, ranks, arrived = 0;
    double limit = argc > 1 ? atof(argv[1]) : 5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int source = 1; source < ranks; source++) {
        if (rank == source)
            MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank != 0)
            continue;
        double begin = MPI_Wtime();
        arrived = 0;
        while (!arrived && MPI_Wtime() < begin + fabs(limit))
            MPI_Iprobe(source, 0, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
        if (arrived || limit > 0)
            MPI_Recv(NULL, 0, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
