/* explore: ranks=3 verdict=race-free */
/* Between its two receives, rank 0 is in one of two local states, by which sender came first. They differ in one variable of
 * each kind below, and nowhere else in the program: explain_states asks for all of them by name. The sum at the end is the same in
 * both orders. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct record {
    int count;
    double weight;
    struct {
        short low, high;
    } part[3];
};

/* Of 32 bytes. */
struct link {
    struct link *next;
    double weight; /* 0.5 or 1 */
    long unused[2];
};

enum colour { RED = 1, GREEN };

int first_source;                     /* 1 or 2 */
static volatile int table[4][3];      /* [2][1]: 10 or 20 */
static volatile struct record record; /* .weight: 1.5 or 2.5, .part[1].high: 7 or 8 */
static volatile enum colour colour;   /* RED or GREEN */
static char name[16];                 /* "sender 1" or "sender 2" */
static struct link *volatile chain;
static _Thread_local volatile int per_thread; /* 101 or 102 */

static void note(int source, int *block, int *local) {
    static volatile long calls[2]; /* [1]: 1001 or 1002 */
    first_source = source;
    table[2][1] = 10 * source;
    record.weight = source + 0.5;
    record.part[1].high = (short)(6 + source);
    colour = (enum colour)source;
    snprintf(name, sizeof name, "sender %d", source);
    per_thread = 100 + source;
    calls[1] = 1000 + source + calls[0];
    block[5] = 0x1111 * source;
    chain->weight = source / 2.0;
    *local = 40 + source;
}

/* The variables must not outlive their use in what the two states have in common at the end. */
static void forget(int *block) {
    int nothing;
    note(0, block, &nothing);
}

__attribute__((noinline)) static int collect(int *block) {
    volatile int here = 0; /* 41 or 42 */
    int value, sum = 0, source;
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    note(status.MPI_SOURCE, block, &source);
    here = source;
    sum += value;
    int *extra = status.MPI_SOURCE == 1 ? calloc(1, 700) : NULL; /* only after sender 1 */
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    here = 0;
    free(extra);
    return sum + value + here;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int *block = calloc(12, sizeof *block);
        chain = calloc(1, sizeof *chain);
        int sum = collect(block);
        forget(block);
        printf("%d\n", sum);
        free(block);
        free(chain);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
