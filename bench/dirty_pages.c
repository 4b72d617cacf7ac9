/* Two ranks of MEGABYTES each play ping-pong; each of ROUNDS rounds changes PAGES pages, spread over all of the memory's first
 * SPAN megabytes. */
#include <mpi.h>
#include <stdlib.h>

enum { PAGE = 4096, PAGES_A_MEGABYTE = 256 };

static void fill(char *memory, long pages) {
    for (long i = 0; i < pages; i++)
        *(long *)(memory + i * PAGE) = i + 1;
}

static void change(char *memory, long pages, long changed, long value) {
    long stride = pages / changed;
    for (long i = 0; i < changed; i++)
        *(long *)(memory + i * stride * PAGE + 8) = value;
}

int main(int argc, char **argv) {
    int rank, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 5)
        MPI_Abort(MPI_COMM_WORLD, 1);
    long pages = atol(argv[1]) * PAGES_A_MEGABYTE, changed = atol(argv[2]), span = atol(argv[3]) * PAGES_A_MEGABYTE;
    char *memory = malloc((size_t)pages * PAGE);
    fill(memory, pages);
    for (long round = 0; round < atol(argv[4]); round++) {
        if (rank == 0) {
            change(memory, span, changed, round);
            MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            change(memory, span, changed, round);
            MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
