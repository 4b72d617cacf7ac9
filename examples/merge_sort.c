/* The parallel merge sort of Schaeli's thesis, listing 5.9: the number of ranks is a power of two.
 *
 * It has sorted correctly in every run anybody saw. But a rank that has finished its round sends its merged half at once,
 * and the receives name no source: with four ranks, rank 1's half (8 numbers) may arrive while rank 0 still waits for rank
 * 2's quarter (4 numbers). With the argument "named" the receives name their source, and only one order is left. */
/* explore: ranks=2 verdict=race-free */
/* explore: ranks=4 verdict=found class=truncation */
/* explore: ranks=4 verdict=found class=truncation buffering=none */
/* explore: ranks=4 verdict=race-free args=named */
/* explore: ranks=8 verdict=race-free args=named */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOTAL = 16 };

static int ascending(const void *left, const void *right) {
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

static void distribute(int rank, int ranks, int *piece) {
    int share = TOTAL / ranks, all[TOTAL];
    MPI_Request sent[TOTAL];
    MPI_Status status[TOTAL];
    if (rank == 0) {
        for (int i = 0; i < TOTAL; i++)
            all[i] = i * 7 % TOTAL;
        for (int i = 0; i < ranks; i++)
            MPI_Isend(all + i * share, share, MPI_INT, i, 0, MPI_COMM_WORLD, &sent[i]);
    }
    MPI_Recv(piece, share, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Waitall(ranks, sent, status);
}

static void merge(int *mine, const int *other, int count) {
    int both[TOTAL];
    for (int i = 0, j = 0, k = 0; k < 2 * count; k++)
        both[k] = j == count || (i < count && mine[i] <= other[j]) ? mine[i++] : other[j++];
    memcpy(mine, both, sizeof *both * 2 * count);
}

int main(int argc, char **argv) {
    int rank, ranks, piece[TOTAL], received[TOTAL];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    distribute(rank, ranks, piece);
    qsort(piece, TOTAL / ranks, sizeof *piece, ascending);
    MPI_Barrier(MPI_COMM_WORLD);

    int in_loop = ranks;
    while (rank < in_loop && in_loop > 1) {
        int count = TOTAL / in_loop, half = in_loop / 2;
        if (rank >= half) {
            MPI_Ssend(piece, count, MPI_INT, rank % half, 1, MPI_COMM_WORLD);
        } else {
            int source = argc > 1 ? rank + half : MPI_ANY_SOURCE;
            MPI_Recv(received, count, MPI_INT, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            merge(piece, received, count);
        }
        in_loop = half;
    }
    if (rank == 0) {
        for (int i = 0; i < TOTAL; i++)
            printf("%d%c", piece[i], i + 1 < TOTAL ? ' ' : '\n');
    }
    MPI_Finalize();
    return 0;
}
