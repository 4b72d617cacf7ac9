/* A message of 3 shorts is no whole number of ints: MPI_Get_count says MPI_UNDEFINED, and who takes that for a count is told so. */
/* explore: ranks=2 verdict=found class=invalid-argument says=MPI_UNDEFINED */
/* explore: ranks=2 verdict=race-free args=asks */
#include <mpi.h>

static void receive(int asks) {
    MPI_Status status;
    short part[3];
    int count;
    MPI_Probe(0, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, asks ? MPI_SHORT : MPI_INT, &count);
    MPI_Recv(part, count, asks ? MPI_SHORT : MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
}

int main(int argc, char **argv) {
    int rank;
    const short part[3] = {1, 2, 3};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(part, 3, MPI_SHORT, 1, 0, MPI_COMM_WORLD);
    else
        receive(argc > 1);
    MPI_Finalize();
    return 0;
}
