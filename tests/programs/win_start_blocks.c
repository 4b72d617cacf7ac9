/* MPI_Win_start may block until the target has posted, and it may not. Rank 0 sends after its start what rank 1 receives
 * before its post: a deadlock if start blocks, found unless every standard send is taken to be buffered. With the send
 * first there is none. */
/* explore: ranks=2 verdict=found class=deadlock says=early: */
/* explore: ranks=2 verdict=race-free buffering=infinite */
/* explore: ranks=2 verdict=race-free args=first */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv) {
    int rank, memory = 0;
    MPI_Win window;
    MPI_Group everybody, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int partner = 1 - rank, first = argc > 1;
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    MPI_Group_incl(everybody, 1, &partner, &other);
    if (rank == 0) {
        if (first)
            MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Win_start(other, 0, window);
        if (!first)
            MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Win_complete(window);
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&other);
    MPI_Group_free(&everybody);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
