/* The clients of two_programs; alone there are no servers to send anything to. Its memory is laid out otherwise than the server's. */
/* explore: ranks=2 verdict=race-free */
#include <assert.h>
#include <mpi.h>
#include <string.h>

static char much[100000] = {1};

int main(int argc, char **argv) {
    int rank, ranks, clients, *program, found;
    MPI_Comm own, servers;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &found);
    MPI_Comm_split(MPI_COMM_WORLD, *program, rank, &own);
    MPI_Comm_size(own, &clients);
    memset(much, rank, sizeof much);
    if (clients < ranks) {
        assert(*program == 1);
        MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 0, 1, &servers);
        for (int server = 0; server < ranks - clients; server++)
            MPI_Send(&rank, 1, MPI_INT, server, 0, servers);
        MPI_Comm_free(&servers);
    }
    MPI_Comm_free(&own);
    MPI_Finalize();
    return 0;
}
