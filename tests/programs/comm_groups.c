/* Communicators from groups: the even ranks in reverse, by MPI_Comm_create, and again from that communicator or, with the
 * argument "group", by MPI_Comm_create_group (collective over the members only). Messages on them use their numbering. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=4 verdict=race-free args=group */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

static void exchange(MPI_Comm evens, int world_rank) {
    int rank, ranks, other;
    MPI_Comm_rank(evens, &rank);
    MPI_Comm_size(evens, &ranks);
    assert(ranks == 2 && rank == (world_rank == 0 ? 1 : 0));
    MPI_Sendrecv(&world_rank, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, evens, MPI_STATUS_IGNORE);
    assert(other == 2 - world_rank);
}

/* The same communicator again, by either call; the second is collective over the members only. */
static void create_again(MPI_Group group, MPI_Comm evens, int world_rank, int by_group) {
    MPI_Comm again;
    int result;
    if (by_group)
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &again);
    else
        MPI_Comm_create(evens, group, &again);
    MPI_Comm_compare(evens, again, &result);
    assert(result == MPI_CONGRUENT);
    exchange(again, world_rank);
    MPI_Comm_free(&again);
}

int main(int argc, char **argv) {
    int rank, backwards[2] = {2, 0}, translated;
    MPI_Group world, group;
    MPI_Comm evens;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, backwards, &group);
    MPI_Group_translate_ranks(group, 1, &(int){1}, world, &translated);
    assert(translated == 0);
    MPI_Comm_create(MPI_COMM_WORLD, group, &evens);
    assert((evens == MPI_COMM_NULL) == (rank != 0 && rank != 2));
    if (evens != MPI_COMM_NULL) {
        exchange(evens, rank);
        create_again(group, evens, rank, argc > 1);
        MPI_Comm_free(&evens);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    if (rank == 0)
        printf("all right\n");
    MPI_Finalize();
    return 0;
}
