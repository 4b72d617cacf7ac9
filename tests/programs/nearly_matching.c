/* Rank 0 sends, rank 1 receives, and what they say differs a little, so that both wait for ever: in the tag, with which the receive or a
 * probe is told, or in the communicator. A deadlock tells what differs. Otherwise nothing does. */
/* explore: ranks=2 verdict=race-free args=same */
/* explore: ranks=2 verdict=found class=deadlock args=probed_tag says=wanted */
/* explore: ranks=2 verdict=found class=deadlock args=received_tag says=wanted */
/* explore: ranks=2 verdict=found class=deadlock args=communicator says=another */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, value = 0;
    const char *how = argc > 1 ? argv[1] : "same";
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const MPI_Comm other = strcmp(how, "communicator") == 0 ? copy : MPI_COMM_WORLD;
    const int tag = strstr(how, "tag") ? 2 : 1;
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Request request;
        if (strcmp(how, "probed_tag") == 0)
            MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&value, 1, MPI_INT, 0, tag, other, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
