/* The v- and w-collectives once each, with a count of rank + 1 for each rank, results checked. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=infinite */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

enum { MOST = 4, ROOM = MOST * (MOST + 1) };

static int rank, ranks;
static int counts[MOST], places[MOST]; /* rank i has i + 1 numbers, after those of the lower ranks */

static void fill(int *numbers, int count, int first) {
    for (int i = 0; i < count; i++)
        numbers[i] = first + i;
}

static void check_all(const int *numbers) {
    for (int i = 0; i < ranks; i++)
        for (int j = 0; j < counts[i]; j++)
            assert(numbers[places[i] + j] == 100 * i + j);
}

static void gather_and_scatter(void) {
    int mine[MOST], all[ROOM] = {0};
    fill(mine, rank + 1, 100 * rank);
    MPI_Gatherv(mine, rank + 1, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        check_all(all);
    int back[MOST] = {0};
    MPI_Scatterv(all, counts, places, MPI_INT, back, rank + 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i <= rank; i++)
        assert(back[i] == mine[i]);
    int everything[ROOM] = {0};
    MPI_Allgatherv(mine, rank + 1, MPI_INT, everything, counts, places, MPI_INT, MPI_COMM_WORLD);
    check_all(everything);
}

/* Rank r sends i + 1 numbers to rank i, so receives r + 1 from everybody. */
static void exchange(void) {
    int out[ROOM], in[ROOM] = {0}, in_counts[MOST], in_places[MOST];
    for (int i = 0; i < ranks; i++) {
        fill(out + places[i], i + 1, 1000 * rank + 100 * i);
        in_counts[i] = rank + 1;
        in_places[i] = i * (rank + 1);
    }
    MPI_Alltoallv(out, counts, places, MPI_INT, in, in_counts, in_places, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++)
        for (int j = 0; j <= rank; j++)
            assert(in[in_places[i] + j] == 1000 * i + 100 * rank + j);

    int out_bytes[MOST], in_bytes[MOST];
    int again[ROOM] = {0};
    MPI_Datatype types[MOST];
    for (int i = 0; i < ranks; i++) {
        out_bytes[i] = places[i] * (int)sizeof(int);
        in_bytes[i] = in_places[i] * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    MPI_Alltoallw(out, counts, out_bytes, types, again, in_counts, in_bytes, types, MPI_COMM_WORLD);
    for (int i = 0; i < ranks * (rank + 1); i++)
        assert(again[i] == in[i]);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < ranks; i++) {
        counts[i] = i + 1;
        places[i] = i * (i + 1) / 2;
    }
    gather_and_scatter();
    exchange();
    if (rank == 0)
        printf("all right\n");
    MPI_Finalize();
    return 0;
}
