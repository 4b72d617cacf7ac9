/* Deadlocks only if rank 0's first send is buffered and rank 1's is not.
 *
 *     rank 0           rank 1              rank 2
 *     send A to 1      send B to 2         receive C or B (wildcard)
 *     send C to 2      receive A           if it was B: receive C, then D
 *                      send D to 2         if it was C: receive D, then B
 *
 * None buffered: rank 0 gets past A only when rank 1 is past B, so the wildcard takes B and all is well. All buffered: rank 1
 * gets past B and sends D whatever rank 2 takes. A buffered, B not: the wildcard may take C; then rank 2 waits for D, which
 * rank 1 sends only after B has been received. That A is buffered is the difference; C is the default then, as its sender is the lower. */
/* explore: ranks=3 verdict=found class=deadlock buffering=all differences=1 */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=race-free buffering=infinite */
#include <mpi.h>
#include <stdio.h>

enum { TAG_A, TAG_BC, TAG_D };

static int receive(int source, int tag, MPI_Status *status) {
    int value;
    MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, status);
    return value;
}

static void send(int value, int destination, int tag) { MPI_Send(&value, 1, MPI_INT, destination, tag, MPI_COMM_WORLD); }

static int collect(void) {
    MPI_Status status;
    int sum = receive(MPI_ANY_SOURCE, TAG_BC, &status);
    if (status.MPI_SOURCE == 1) {
        sum += receive(0, TAG_BC, MPI_STATUS_IGNORE);
        return sum + receive(1, TAG_D, MPI_STATUS_IGNORE);
    }
    sum += receive(1, TAG_D, MPI_STATUS_IGNORE);
    return sum + receive(1, TAG_BC, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        send(1, 1, TAG_A);
        send(10, 2, TAG_BC);
    } else if (rank == 1) {
        send(100, 2, TAG_BC);
        int a = receive(0, TAG_A, MPI_STATUS_IGNORE);
        send(a * 1000, 2, TAG_D);
    } else {
        printf("sum %d\n", collect());
    }
    MPI_Finalize();
    return 0;
}
