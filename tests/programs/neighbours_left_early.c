/* A neighbourhood collective on the graph 1 -> 0, 2 -> 0: ranks 1 and 2 take nothing and may leave before rank 0 enters, rank 0
 * needs both. Rank 1 sends after it: as in reduce_left_early its message can be rank 0's first if it leaves early, not if
 * all wait for all. Argument "back": the graph is 0 -> 1, 0 -> 2. Then rank 1 needs rank 0, which enters only after its first
 * receive, and that can only be rank 2's message: no race. */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=found class=race-output buffering=infinite */
/* explore: ranks=3 verdict=found class=race-output|deadlock */
/* explore: ranks=3 verdict=race-free args=back buffering=none */
/* explore: ranks=3 verdict=race-free args=back buffering=infinite */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, first, second, value[2] = {0, 0};
    const int leaves[] = {1, 2}, centre[] = {0};
    (void)argv;
    int back = argc > 1;
    MPI_Comm star;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int inwards = rank == 0 ? 2 : 0, outwards = rank == 0 ? 0 : 1;
    if (back)
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, outwards, centre, MPI_UNWEIGHTED, inwards, leaves, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &star);
    else
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, inwards, leaves, MPI_UNWEIGHTED, outwards, centre, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &star);
    if (rank == 0)
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, value, 1, MPI_INT, star);
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("first from %d, second from %d\n", first, second);
    }
    MPI_Comm_free(&star);
    MPI_Finalize();
    return 0;
}
