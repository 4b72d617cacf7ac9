/* Rank 0 writes 300 bytes in two pieces, and how long the first one is depends on who it has heard from first. What it writes is the same
 * in the end, in however many pieces, so that is no race; the argument "other" has one byte depend on it as well. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=found class=race-output args=other */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 300 };

static int hear(void) {
    MPI_Status status;
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    return status.MPI_SOURCE;
}

static void put(const char *text, size_t bytes) {
    if (write(STDOUT_FILENO, text, bytes) != (ssize_t)bytes)
        abort();
}

int main(int argc, char **argv) {
    int rank;
    char text[BYTES];
    for (int i = 0; i < BYTES; i++)
        text[i] = (char)('!' + i * i % 90);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0) {
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        const int first = hear();
        const size_t piece = first == 1 ? 73 : 201;
        text[100] = (char)(text[100] + (argc > 1 && first == 1));
        put(text, piece);
        hear();
        put(text + piece, BYTES - piece);
    }
    MPI_Finalize();
    return 0;
}
