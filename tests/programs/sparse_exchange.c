/* Dynamic sparse data exchange by nonblocking consensus (Hoefler, Siebert, Lumsdaine 2010): nobody knows who will send to it.
 * Everybody sends synchronously, polls for messages, begins a barrier once its own sends are complete, and is done when that is:
 * then all messages have been received. Each rank sends to the one after it, and rank 0 to rank 2 besides; sums do not depend on
 * the order.
 *
 * Argument "standard": the sends are standard ones, whose completion does not mean that they were received. The barrier can then
 * end with a message still under way. */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=2 verdict=found class=race-output|unreceived-message args=standard */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, ranks, sum = 0, sends = 0, in_barrier = 0, done = 0;
    (void)argv;
    MPI_Request sent[2], barrier = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int value = 1 << rank;
    for (int to = 0; to < ranks; to++) {
        if (to != (rank + 1) % ranks && !(rank == 0 && to == 2))
            continue;
        if (argc > 1)
            MPI_Isend(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &sent[sends++]);
        else
            MPI_Issend(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &sent[sends++]);
    }
    while (!done) {
        int found, got, complete;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, &status);
        if (found) {
            MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += got;
        }
        if (in_barrier) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
            continue;
        }
        MPI_Testall(sends, sent, &complete, MPI_STATUSES_IGNORE);
        if (complete) {
            MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
            in_barrier = 1;
        }
    }
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
