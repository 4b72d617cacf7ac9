/* Every rank rewrites all of its memory (the first argument: MiB) in each of its rounds (the second), and passes a number round a
 * ring: no two local states have much in common, and none is ever needed again (tests/memory_budget). */
/* explore: ranks=3 verdict=race-free */
/* With "last", rank 0 then hears from the others in any order, and prints in which. */
/* With "each", rank 0 also hears from the others in any order in each round, and what it rewrites its memory with tells whom first. So
 * states of all rounds are needed again, one after the other, and no two of the 2^rounds orders leave the same there. What is printed
 * differs in one: the last rank is always first. With "kept" that is not printed, but a variable keeps some of the memory.
 * With "draws" a rank asks the processor for a random number in round 5, which only shows when that is executed again. */
#include <immintrin.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
double left; /* not static, so that it is really there */

static int hear(int tag) {
    int from;
    MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return from;
}

/* Nothing that anybody can foresee: RDRAND. */
__attribute__((target("rdrnd"))) static unsigned draw(void) {
    unsigned number;
    while (!_rdrand32_step(&number))
        continue;
    return number;
}

/* Rank 0: who was first, and in `order` all of them. */
static int hear_all(int tag, int *order) {
    if (rank != 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
        return 0;
    }
    int first = *order = hear(tag);
    for (int i = 2; i < ranks; i++)
        *order = *order * 10 + hear(tag);
    return first;
}

int main(int argc, char **argv) {
    const char *what = argc > 3 ? argv[3] : "";
    size_t count = (argc > 1 ? strtoul(argv[1], NULL, 0) : 1) << 17;
    int rounds = argc > 2 ? atoi(argv[2]) : 8, order = 0, lasts = 0;
    const int kept = strcmp(what, "kept") == 0, draws = strcmp(what, "draws") == 0;
    const int each = kept || draws || strcmp(what, "each") == 0;
    double *memory = malloc(count * sizeof *memory);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; i < count; i++)
        memory[i] = (double)i + rank;
    for (int round = 1; round <= rounds; round++) {
        const int first = each ? hear_all(1, &order) : 0;
        const double lot = draws && round == 5 ? draw() : 0;
        lasts += first == ranks - 1;
        for (size_t i = 0; i < count; i++)
            memory[i] = memory[i] * 3 / 4 + round + (double)first / 8 + lot;
        MPI_Sendrecv_replace(&round, 1, MPI_INT, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
    if (strcmp(what, "last") == 0)
        hear_all(2, &order);
    if (each)
        order = rank == 0 && lasts == rounds;
    if (kept)
        left = memory[0];
    else
        printf("%d\n", order);
    free(memory);
    MPI_Finalize();
    return 0;
}
