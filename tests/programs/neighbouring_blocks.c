/* Buffers that follow each other directly are sent as one, as libraries for files do it with what was asked of them one by one. Right
 * by the standard for what lies within one block; different blocks never follow each other directly, whatever their size, and however
 * they were got. */
/* explore: ranks=2 verdict=race-free args=malloc */
/* explore: ranks=2 verdict=race-free args=realloc */
/* explore: ranks=2 verdict=race-free args=aligned */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 3, LARGEST = 1 << 17 };

static void *get(const char *how, size_t size) {
    if (strcmp(how, "aligned") == 0)
        return aligned_alloc(64, size);
    return strcmp(how, "realloc") == 0 ? realloc(calloc(1, 1), size) : malloc(size);
}

static void send_together(const char *how, int size) {
    char *block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        block[i] = memset(get(how, (size_t)size), i, (size_t)size);
    for (int i = 0; i < BLOCKS;) {
        int first = i;
        do
            i++;
        while (i < BLOCKS && block[i] == block[i - 1] + size);
        MPI_Send(block[first], (i - first) * size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < BLOCKS; i++)
        free(block[i]);
}

static void receive(int size) {
    char *all = malloc((size_t)size * BLOCKS);
    for (int got = 0, count; got < size * BLOCKS; got += count) {
        MPI_Status status;
        MPI_Recv(all + got, size * BLOCKS - got, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_CHAR, &count);
    }
    free(all);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int size = 16; size <= LARGEST; size *= 2)
        for (int more = 0; more <= size; more += size / 2)
            rank == 0 ? send_together(argv[1], size + more) : receive(size + more);
    MPI_Finalize();
    return 0;
}
