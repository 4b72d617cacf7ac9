/* Rank 1 frees, or reallocates, memory that malloc has not given, or gives back what it has given back already, in the way that its
 * argument says: libc ends such a program in every run. The last block of the heap is no exception. */
/* explore: ranks=2 verdict=found class=crash args=stack says=free(): */
/* explore: ranks=2 verdict=found class=crash args=static says=free(): */
/* explore: ranks=2 verdict=found class=crash args=literal says=free(): */
/* explore: ranks=2 verdict=found class=crash args=inside says=free(): */
/* explore: ranks=2 verdict=found class=crash args=resized says=realloc(): */
/* explore: ranks=2 verdict=found class=crash args=twice says=free(): */
/* explore: ranks=2 verdict=found class=crash args=large_twice says=free(): */
/* explore: ranks=2 verdict=found class=crash args=resized_late says=realloc(): */
/* explore: ranks=2 verdict=race-free args=none */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char of_static_storage[64];

/* The compiler is not to know. */
static char *hidden(char *volatile address) { return address; }

/* Of all blocks it is the last. */
static char *large_block(void) {
    char *block = hidden(malloc(10u << 20));
    if (!block)
        MPI_Abort(MPI_COMM_WORLD, 1);
    block[0] = 1;
    return block;
}

int main(int argc, char **argv) {
    int rank;
    char on_the_stack[64] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    const char *way = rank == 1 && argc > 1 ? argv[1] : "none";
    char *block = hidden(malloc(100));
    if (!strcmp(way, "stack"))
        free(hidden(on_the_stack));
    if (!strcmp(way, "static"))
        free(hidden(of_static_storage));
    if (!strcmp(way, "literal"))
        free(hidden("literal"));
    if (!strcmp(way, "inside"))
        free(hidden(block + 16));
    if (!strcmp(way, "resized"))
        printf("%d\n", realloc(hidden(on_the_stack), 128) != NULL);
    if (!strcmp(way, "twice")) {
        free(hidden(block));
        free(hidden(block));
    }
    if (!strcmp(way, "large_twice")) {
        char *large = large_block();
        free(hidden(large));
        free(hidden(large));
    }
    if (!strcmp(way, "resized_late")) {
        char *large = large_block();
        free(hidden(large));
        printf("%d\n", realloc(hidden(large), 128) != NULL);
    }
    free(hidden(block));
    MPI_Finalize();
    return 0;
}
