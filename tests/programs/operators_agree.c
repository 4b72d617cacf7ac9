/* A program's own operators are told apart by their functions and by whether they commute, whatever their handles are: rank 0 makes its
 * two in another order than the others. "functions" and "commuting": rank 1 reduces with another one. "elements": rank 1 brings one
 * element of two ints, the others two elements. The reductions before are right. */
/* explore: ranks=3 verdict=race-free */
/* explore: ranks=3 verdict=found class=collective-mismatch says=operators args=functions */
/* explore: ranks=3 verdict=found class=collective-mismatch says=operators args=commuting */
/* explore: ranks=3 verdict=found class=collective-mismatch says=operators args=scattered */
/* explore: ranks=3 verdict=found class=type-mismatch args=elements */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void add(void *in, void *in_out, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)in_out)[i] += ((int *)in)[i];
}

static void larger(void *in, void *in_out, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)in_out)[i] = ((int *)in)[i] > ((int *)in_out)[i] ? ((int *)in)[i] : ((int *)in_out)[i];
}

static MPI_Op sum, most, ordered_sum;

static void reduce_pairs(int rank) {
    MPI_Datatype pair;
    int numbers[] = {rank, rank}, result[2];
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    if (rank == 1)
        MPI_Allreduce(numbers, result, 1, pair, sum, MPI_COMM_WORLD);
    else
        MPI_Allreduce(numbers, result, 2, MPI_INT, sum, MPI_COMM_WORLD);
    MPI_Type_free(&pair);
}

static void make_all(int rank) {
    if (rank == 0)
        MPI_Op_create(larger, 1, &most);
    MPI_Op_create(add, 1, &sum);
    if (rank != 0)
        MPI_Op_create(larger, 1, &most);
    MPI_Op_create(add, 0, &ordered_sum);
}

static void reduce_rightly(int rank, int ranks) {
    int total, largest;
    MPI_Allreduce(&rank, &total, 1, MPI_INT, sum, MPI_COMM_WORLD);
    MPI_Allreduce(&rank, &largest, 1, MPI_INT, most, MPI_COMM_WORLD);
    assert(total == ranks * (ranks - 1) / 2 && largest == ranks - 1);
    MPI_Scan(&rank, &total, 1, MPI_INT, ordered_sum, MPI_COMM_WORLD);
    assert(total == rank * (rank + 1) / 2);
}

static void reduce_wrongly(const char *mistake, int rank) {
    int result, shares[] = {1, 1, 1}, numbers[] = {1, 2, 3};
    if (strcmp(mistake, "functions") == 0)
        MPI_Reduce(&rank, &result, 1, MPI_INT, rank == 1 ? most : sum, 0, MPI_COMM_WORLD);
    if (strcmp(mistake, "commuting") == 0)
        MPI_Allreduce(&rank, &result, 1, MPI_INT, rank == 1 ? ordered_sum : sum, MPI_COMM_WORLD);
    if (strcmp(mistake, "elements") == 0)
        reduce_pairs(rank);
    if (strcmp(mistake, "scattered") == 0)
        MPI_Reduce_scatter(numbers, &result, shares, MPI_INT, rank == 1 ? MPI_SUM : sum, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    make_all(rank);
    reduce_rightly(rank, ranks);
    if (argc > 1)
        reduce_wrongly(argv[1], rank);
    MPI_Op_free(&sum);
    MPI_Op_free(&most);
    MPI_Op_free(&ordered_sum);
    MPI_Finalize();
    return 0;
}
