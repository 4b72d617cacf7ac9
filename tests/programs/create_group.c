/* Communicators that not all members of the parent have part in, or that come of a question to the machine.
 *
 * MPI_Comm_create_group is collective over the group only: ranks 0 and 1 make a communicator, then 1 and 2, while rank 3 does
 * something else; two creations by the same ranks with different tags give two communicators, which do not take each other's
 * messages. MPI_Comm_split_type puts all on one node, in the order of the keys; who says MPI_UNDEFINED gets nothing.
 * Argument "crossed": ranks 0 and 1 create two in opposite order of the tags: each waits for the other. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=4 verdict=race-free buffering=infinite */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=found class=deadlock args=crossed */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

static int rank, ranks;

static MPI_Comm create(int first, int second, int tag) {
    MPI_Group world, pair;
    MPI_Comm result;
    const int members[] = {second, first}; /* in reverse */
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &pair);
    MPI_Comm_create_group(MPI_COMM_WORLD, pair, tag, &result);
    MPI_Group_free(&pair);
    MPI_Group_free(&world);
    return result;
}

static void pairs(void) {
    for (int first = 0; first < 2; first++) {
        if (rank != first && rank != first + 1)
            continue;
        MPI_Comm pair = create(first, first + 1, 7);
        int position, sum, one = 1;
        MPI_Comm_rank(pair, &position);
        assert(position == (rank == first));
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, pair);
        assert(sum == 2);
        MPI_Comm_free(&pair);
    }
}

static void twice(int crossed) {
    if (rank > 1)
        return;
    MPI_Comm one = create(0, 1, crossed && rank == 1 ? 2 : 1), two = create(0, 1, crossed && rank == 1 ? 1 : 2);
    int relation, value[2] = {-1, -1};
    MPI_Comm_compare(one, two, &relation);
    assert(relation == MPI_CONGRUENT);
    if (rank == 0) { /* rank 1 there; rank 1 of the world is rank 0 */
        MPI_Request request[2];
        value[0] = 0, value[1] = 1;
        for (int i = 0; i < 2; i++)
            MPI_Isend(&value[i], 1, MPI_INT, 0, 0, i == 0 ? one : two, &request[i]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(&value[1], 1, MPI_INT, 1, 0, two, MPI_STATUS_IGNORE);
        MPI_Recv(&value[0], 1, MPI_INT, 1, 0, one, MPI_STATUS_IGNORE);
        assert(value[0] == 0 && value[1] == 1);
    }
    MPI_Comm_free(&one);
    MPI_Comm_free(&two);
}

static void one_node(void) {
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &node);
    assert((node == MPI_COMM_NULL) == (rank == 1));
    if (node == MPI_COMM_NULL)
        return;
    int position, size;
    MPI_Comm_rank(node, &position);
    MPI_Comm_size(node, &size);
    assert(size == ranks - 1 && position == (rank == 0 ? ranks - 2 : ranks - 1 - rank));
    MPI_Comm_free(&node);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pairs();
    twice(argc > 1);
    one_node();
    MPI_Finalize();
    return 0;
}
