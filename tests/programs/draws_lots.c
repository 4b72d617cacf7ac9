/* Rank 1 asks the processor for a random number (the one source of chance that nobody can stand between). What becomes of it is what the
 * argument says. */
/* explore: ranks=2 verdict=found class=nondeterministic-rank args=variable says="stamp.low" */
/* explore: ranks=2 verdict=found class=nondeterministic-rank args=message says=data */
/* explore: ranks=2 verdict=found class=nondeterministic-rank args=output says=stdout */
/* explore: ranks=2 verdict=found class=nondeterministic-rank args=message checkpoint=criu says=data */
/* explore: ranks=2 verdict=race-free args=none */
#include <immintrin.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static volatile struct {
    int use;
    unsigned low;
} stamp;

/* Nothing to do with the order of messages: RDRAND. */
__attribute__((target("rdrnd"))) static unsigned draw(void) {
    unsigned number;
    while (!_rdrand32_step(&number))
        continue;
    return number;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *use = argc > 1 ? argv[1] : "none";
    if (rank == 1) {
        unsigned number = strcmp(use, "none") ? draw() : 0;
        if (!strcmp(use, "variable"))
            stamp.low = number;
        if (!strcmp(use, "output"))
            printf("%u\n", number);
        MPI_Send(&number, !strcmp(use, "message") ? 1 : 0, MPI_UNSIGNED, 0, 0, MPI_COMM_WORLD);
        number = 0;
    } else {
        unsigned number;
        MPI_Recv(&number, 1, MPI_UNSIGNED, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
