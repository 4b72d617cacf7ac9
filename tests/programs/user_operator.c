/* A user-defined operator that does not commute, on a derived type: composition of affine maps x -> a x + b. Reductions must
 * apply it in rank order. Also MPI_MINLOC on a pair type. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=4 verdict=race-free buffering=infinite */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

struct map {
    long factor, offset;
};

/* first, then second */
static struct map compose(struct map first, struct map second) {
    return (struct map){second.factor * first.factor, second.factor * first.offset + second.offset};
}

static void compose_all(void *in, void *in_out, int *count, MPI_Datatype *type) {
    struct map *first = in, *second = in_out;
    (void)type;
    for (int i = 0; i < *count; i++)
        second[i] = compose(first[i], second[i]);
}

static struct map map_of(int rank) { return (struct map){rank + 2, 3 * rank + 1}; }

static struct map composed_through(int last) {
    struct map map = map_of(0);
    for (int i = 1; i <= last; i++)
        map = compose(map, map_of(i));
    return map;
}

static int same(struct map left, struct map right) { return left.factor == right.factor && left.offset == right.offset; }

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Datatype type;
    MPI_Op operator;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Type_contiguous(2, MPI_LONG, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose_all, 0, &operator);

    struct map mine = map_of(rank), result = {0, 0};
    MPI_Reduce(&mine, &result, 1, type, operator, ranks - 1, MPI_COMM_WORLD);
    assert(rank != ranks - 1 || same(result, composed_through(ranks - 1)));
    MPI_Allreduce(&mine, &result, 1, type, operator, MPI_COMM_WORLD);
    assert(same(result, composed_through(ranks - 1)));
    MPI_Scan(&mine, &result, 1, type, operator, MPI_COMM_WORLD);
    assert(same(result, composed_through(rank)));

    struct {
        double value;
        int rank;
    } nearest = {(rank - 2) * (rank - 2) + 0.5, rank};
    MPI_Allreduce(MPI_IN_PLACE, &nearest, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    assert(nearest.rank == 2);

    MPI_Op_free(&operator);
    MPI_Type_free(&type);
    if (rank == 0)
        printf("%ld x + %ld\n", composed_through(ranks - 1).factor, composed_through(ranks - 1).offset);
    MPI_Finalize();
    return 0;
}
