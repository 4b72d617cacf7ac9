/* Each of the others sends a number of messages to rank 0, which works for so many microseconds after each: steps that take
 * that long, and as many as there are sets of messages. Arguments: messages each, microseconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* A turn of it takes about a nanosecond, on any machine: no clock is looked at, as that would be another one in each run. */
static unsigned work(unsigned microseconds, unsigned value) {
    for (unsigned turn = 0; turn < microseconds * 1000; turn++)
        value = value * 1664525u + 1013904223u;
    return value;
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int each = argc > 1 ? atoi(argv[1]) : 1;
    const unsigned microseconds = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    if (rank == 0) {
        unsigned sum = 0;
        for (int i = 0; i < each * (size - 1); i++) {
            int message;
            MPI_Recv(&message, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += work(microseconds, (unsigned)message);
        }
        printf("%u\n", sum);
    } else {
        for (int i = 0; i < each; i++) {
            const int message = rank * each + i;
            MPI_Send(&message, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
