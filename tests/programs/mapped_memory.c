/* Memory that a program maps by itself. Of a mapping both ends are given back, so that what is left is aligned; another one grows and
 * shrinks while messages come from anyone. What is left must keep what it holds, and nothing else may be put there: each rank checks
 * both after every message. */
/* explore: ranks=3 verdict=race-free */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, ALIGNMENT = 16 * PAGE, KEPT = 3 * PAGE, BLOCKS = 40 };

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static int filled_with(const char *memory, size_t bytes, char value) {
    for (size_t i = 0; i < bytes; i++)
        if (memory[i] != value)
            return 0;
    return 1;
}

static char *map(size_t bytes) {
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(memory != MAP_FAILED && filled_with(memory, bytes, 0), "what is mapped is not zero");
    return memory;
}

static char *map_aligned(void) {
    char *memory = map(ALIGNMENT + KEPT), *end = memory + ALIGNMENT + KEPT;
    char *aligned = memory + (ALIGNMENT - (unsigned long)memory % ALIGNMENT) % ALIGNMENT;
    if (aligned > memory)
        check(munmap(memory, (size_t)(aligned - memory)) == 0, "the beginning is not given back");
    if (aligned + KEPT < end)
        check(munmap(aligned + KEPT, (size_t)(end - aligned - KEPT)) == 0, "the end is not given back");
    memset(aligned, 'a', KEPT);
    return aligned;
}

static void fill_what_is_free(char **block) {
    for (int i = 0; i < BLOCKS; i++)
        memset(block[i] = malloc(PAGE), 'b', PAGE);
}

int main(int argc, char **argv) {
    int rank, ranks, sum = 0;
    char *block[BLOCKS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *aligned = map_aligned(), *growing = map(PAGE);
    size_t size = PAGE;
    memset(growing, 'c', size);
    fill_what_is_free(block);
    for (int i = 1; i < ranks; i++) {
        int to = (rank + i) % ranks, number;
        MPI_Request request;
        MPI_Isend(&rank, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum += number;
        growing = mremap(growing, size, size + (size_t)(number + 1) * PAGE, MREMAP_MAYMOVE);
        check(growing != MAP_FAILED && filled_with(growing, size, 'c'), "what grows loses what it holds");
        check(filled_with(growing + size, (size_t)(number + 1) * PAGE, 0), "what it grows by is not zero");
        size += (size_t)(number + 1) * PAGE;
        memset(growing, 'c', size);
        check(filled_with(aligned, KEPT, 'a'), "what is left of a mapping is overwritten");
    }
    check(mremap(growing, size, PAGE, 0) == growing && filled_with(growing, PAGE, 'c'), "what shrinks moves");
    for (int i = 0; i < BLOCKS; i++) {
        check(filled_with(block[i], PAGE, 'b'), "a block is overwritten");
        free(block[i]);
    }
    check(munmap(aligned + PAGE, PAGE) == 0 && filled_with(aligned, PAGE, 'a') && filled_with(aligned + 2 * PAGE, PAGE, 'a'),
          "a hole takes what is around it along");
    munmap(aligned, KEPT);
    munmap(growing, PAGE);
    printf("%d\n", sum);
    MPI_Finalize();
}
