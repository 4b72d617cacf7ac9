/* Groups as sets with an order (MPI-3.1 section 6.3), and a communicator of one of them. */
/* explore: ranks=5 verdict=race-free */
#include <assert.h>
#include <mpi.h>

static void require_ranks(MPI_Group group, MPI_Group world, int count, const int expected[]) {
    int size, rank[5], in_world[5];
    MPI_Group_size(group, &size);
    assert(size == count);
    for (int i = 0; i < count; i++)
        rank[i] = i;
    MPI_Group_translate_ranks(group, count, rank, world, in_world);
    for (int i = 0; i < count; i++)
        assert(in_world[i] == expected[i]);
}

int main(int argc, char **argv) {
    int rank, own, result, sum, translated[2];
    MPI_Group world, low, odd, made, even, swapped;
    MPI_Comm communicator;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, (int[][3]){{2, 0, -1}}, &low);
    require_ranks(low, world, 3, (int[]){2, 1, 0});
    MPI_Group_range_excl(world, 1, (int[][3]){{0, 4, 2}}, &odd);
    require_ranks(odd, world, 2, (int[]){1, 3});
    MPI_Group_excl(world, 2, (int[]){1, 3}, &even);
    require_ranks(even, world, 3, (int[]){0, 2, 4});

    MPI_Group_union(low, odd, &made);
    require_ranks(made, world, 4, (int[]){2, 1, 0, 3});
    MPI_Group_free(&made);
    MPI_Group_difference(low, odd, &made);
    require_ranks(made, world, 2, (int[]){2, 0});
    MPI_Group_free(&made);
    MPI_Group_intersection(even, low, &made);
    require_ranks(made, world, 2, (int[]){0, 2});
    MPI_Group_free(&made);
    MPI_Group_incl(world, 3, (int[]){0, 1, 2}, &made);
    MPI_Group_compare(made, low, &result);
    assert(result == MPI_SIMILAR);
    MPI_Group_incl(world, 3, (int[]){1, 0, 2}, &swapped);
    MPI_Group_compare(made, swapped, &result);
    assert(result == MPI_SIMILAR);
    MPI_Group_free(&swapped);
    MPI_Group_translate_ranks(made, 2, (int[]){MPI_PROC_NULL, 2}, low, translated);
    assert(translated[0] == MPI_PROC_NULL && translated[1] == 0);
    MPI_Group_translate_ranks(even, 2, (int[]){2, 1}, odd, translated);
    assert(translated[0] == MPI_UNDEFINED && translated[1] == MPI_UNDEFINED);
    MPI_Group_compare(made, made, &result);
    assert(result == MPI_IDENT);
    MPI_Group_compare(odd, low, &result);
    assert(result == MPI_UNEQUAL);

    MPI_Comm_create(MPI_COMM_WORLD, low, &communicator);
    assert((communicator == MPI_COMM_NULL) == (rank > 2));
    if (communicator != MPI_COMM_NULL) {
        MPI_Group_rank(low, &own);
        assert(own == 2 - rank);
        MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, communicator);
        assert(sum == (rank == 2 ? 2 : 3));
        MPI_Comm_free(&communicator);
    }
    MPI_Group_free(&made);
    MPI_Group_free(&even);
    MPI_Group_free(&odd);
    MPI_Group_free(&low);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
