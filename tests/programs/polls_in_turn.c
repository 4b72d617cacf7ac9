/* A round of three polls, of which only one may end it: the other two are asked for what never comes. Wherever on the round it is looked
 * for, there is a way out. With "never" that one never comes either. */
/* explore: ranks=2 verdict=race-free args=0 */
/* explore: ranks=2 verdict=race-free args=1 */
/* explore: ranks=2 verdict=race-free args=2 */
/* explore: ranks=2 verdict=found class=livelock args=never mpiexec=no */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, number = 0, found = 0;
    const int never = argc > 1 && strcmp(argv[1], "never") == 0, tag = argc > 1 && !never ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && !never)
        MPI_Send(&number, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    while (rank == 0 && !found)
        for (int i = 0; i < 3 && !found; i++)
            MPI_Iprobe(1, i, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Recv(&number, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
