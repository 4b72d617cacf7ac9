/* Rank 0 remembers, as its argument says, who came first. By default that is nobody's business, as nothing of it is written out;
 * with --race-on state variables and heap blocks that hold it at MPI_Finalize are a race, local variables and what has been forgotten
 * or freed by then are not. */
/* explore: ranks=3 verdict=race-free args=static */
/* explore: ranks=3 verdict=found class=race-state args=static race-on=state says="first_source" */
/* explore: ranks=3 verdict=found class=race-state args=thread race-on=state says="per_thread" */
/* explore: ranks=3 verdict=found class=race-state args=member race-on=state says="record.order[1]" */
/* explore: ranks=3 verdict=found class=race-state args=heap race-on=state says=remember */
/* explore: ranks=3 verdict=found class=race-state args=block race-on=state says=allocated */
/* explore: ranks=3 verdict=found class=race-output args=output race-on=state */
/* explore: ranks=3 verdict=race-free args=forgotten race-on=state */
/* explore: ranks=3 verdict=race-free args=freed race-on=state */
/* explore: ranks=3 verdict=race-free args=local race-on=state */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int first_source;
static _Thread_local volatile int per_thread;
static volatile struct { int sum, order[3]; } record;

__attribute__((noinline)) static int *remember(int source) {
    int *block = malloc(3 * sizeof *block);
    block[0] = block[2] = 0;
    block[1] = source;
    return block;
}

static void note(const char *where, int source) {
    if (!strcmp(where, "static") || !strcmp(where, "forgotten"))
        first_source = source;
    if (!strcmp(where, "thread"))
        per_thread = source;
    if (!strcmp(where, "member"))
        record.order[1] = source;
    if (!strcmp(where, "heap"))
        remember(source);
    if (!strcmp(where, "block") && source == 2)
        remember(0);
    if (!strcmp(where, "freed"))
        free(remember(source));
    if (!strcmp(where, "output"))
        printf("%d\n", source);
}

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Status status;
    volatile int first = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *where = argc > 1 ? argv[1] : "local";
    if (rank == 0) {
        for (int i = 0; i < 2; i++) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            record.sum += value;
            if (i == 0) {
                first = status.MPI_SOURCE;
                note(where, first);
            }
        }
        if (!strcmp(where, "forgotten"))
            first_source = 0;
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return first == 7;
}
