/* What communicator is made depends on the order of two messages that rank 2 receives; the one made in the reference ordering must leave
 * nothing behind for the other.
 *
 *   graph   0 -> 1, 0 -> 2 if rank 0 is heard first, so that rank 1 leaves a neighbourhood collective after rank 0 has entered it, and
 *           rank 0's next two messages come from 2 and 1; else 1 -> 0, 2 -> 0, with which rank 1 need not wait, and may be the first
 *   merged  a copy of an intercommunicator, where a sum is that of the other group, or the intracommunicator of both groups
 */
/* explore: ranks=3 verdict=found class=race-output buffering=infinite args=graph */
/* explore: ranks=3 verdict=race-free args=merged */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;
static const MPI_Comm world = MPI_COMM_WORLD;

/* Whom rank 2 hears first, rank 0 or rank 1. */
static int heard_first(void) {
    int heard[2] = {0, 0};
    for (int i = 0; rank == 2 && i < 2; i++)
        MPI_Recv(&heard[i], 1, MPI_INT, MPI_ANY_SOURCE, 1, world, MPI_STATUS_IGNORE);
    if (rank < 2)
        MPI_Send(&rank, 1, MPI_INT, 2, 1, world);
    MPI_Bcast(heard, 1, MPI_INT, 2, world);
    return heard[0];
}

static MPI_Comm make_star(int inwards) {
    const int leaves[] = {1, 2}, centre[] = {0}, *others = rank == 0 ? leaves : centre, degree = rank == 0 ? 2 : 1;
    const int takes = (rank == 0) == inwards;
    MPI_Comm star;
    MPI_Dist_graph_create_adjacent(world, takes ? degree : 0, others, MPI_UNWEIGHTED, takes ? 0 : degree, others,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
    return star;
}

static void run_graph(void) {
    int first, second, value[2];
    MPI_Comm star = make_star(heard_first());
    if (rank == 0)
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, world, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, world);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, value, 1, MPI_INT, star);
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, world);
    if (rank == 0) {
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, world, MPI_STATUS_IGNORE);
        printf("first from %d, second from %d\n", first, second);
    }
    MPI_Comm_free(&star);
}

static void run_merged(void) {
    int sum, one = 1, merges = heard_first();
    MPI_Comm local, groups, made;
    MPI_Comm_split(world, rank > 0, rank, &local);
    MPI_Intercomm_create(local, 0, world, rank == 0 ? 1 : 0, 0, &groups);
    if (merges)
        MPI_Intercomm_merge(groups, rank > 0, &made);
    else
        MPI_Comm_dup(groups, &made);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
    if (sum != (merges ? 3 : rank == 0 ? 2 : 1))
        MPI_Abort(world, 1);
    MPI_Comm_free(&made);
    MPI_Comm_free(&groups);
    MPI_Comm_free(&local);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    if (argc > 1 && strcmp(argv[1], "graph") == 0)
        run_graph();
    else
        run_merged();
    MPI_Finalize();
    return 0;
}
