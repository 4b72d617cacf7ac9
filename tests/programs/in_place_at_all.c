/* Where all members give the same, MPI_IN_PLACE is for all of them or for none (MPI-3.1 5.7, 5.8, 5.9.6: "at all processes"); a prefix
 * reduction, or the root's own part, may be in place at one of them alone (5.5, 5.11). */
/* explore: ranks=2 verdict=found class=collective-mismatch says=MPI_IN_PLACE args=allgather */
/* explore: ranks=2 verdict=found class=collective-mismatch says=MPI_IN_PLACE args=allgatherv */
/* explore: ranks=2 verdict=found class=collective-mismatch says=MPI_IN_PLACE args=alltoall */
/* explore: ranks=2 verdict=found class=collective-mismatch says=MPI_IN_PLACE args=alltoallv */
/* explore: ranks=2 verdict=found class=collective-mismatch says=MPI_IN_PLACE args=allreduce */
/* explore: ranks=2 verdict=found class=collective-mismatch says=MPI_IN_PLACE args=iallreduce */
/* explore: ranks=2 verdict=race-free args=allgather_all */
/* explore: ranks=2 verdict=race-free args=allgatherv_all */
/* explore: ranks=2 verdict=race-free args=alltoall_all */
/* explore: ranks=2 verdict=race-free args=alltoallv_all */
/* explore: ranks=2 verdict=race-free args=allreduce_all */
/* explore: ranks=2 verdict=race-free args=iallreduce_all */
/* explore: ranks=2 verdict=race-free args=scan */
/* explore: ranks=2 verdict=race-free args=reduce */
/* explore: ranks=2 verdict=found class=collective-mismatch says=MPI_MAX args=operators */
/* explore: ranks=2 verdict=found class=collective-mismatch says=root args=roots */
#include <mpi.h>
#include <string.h>

static const char *what;

static int has(const char *part) { return strstr(what, part) != NULL; }

int main(int argc, char **argv) {
    const int one[2] = {1, 1}, next[2] = {0, 1};
    int rank, given[2] = {1, 2}, taken[2] = {3, 4};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    what = argv[1];
    const void *from = rank == 0 || has("_all") ? MPI_IN_PLACE : (void *)given;
    if (has("allgatherv"))
        MPI_Allgatherv(from, 1, MPI_INT, taken, one, next, MPI_INT, MPI_COMM_WORLD);
    else if (has("allgather"))
        MPI_Allgather(from, 1, MPI_INT, taken, 1, MPI_INT, MPI_COMM_WORLD);
    else if (has("alltoallv"))
        MPI_Alltoallv(from, one, next, MPI_INT, taken, one, next, MPI_INT, MPI_COMM_WORLD);
    else if (has("alltoall"))
        MPI_Alltoall(from, 1, MPI_INT, taken, 1, MPI_INT, MPI_COMM_WORLD);
    else if (has("iallreduce"))
        MPI_Iallreduce(from, taken, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
    else if (has("allreduce"))
        MPI_Allreduce(from, taken, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (has("scan"))
        MPI_Scan(from, taken, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (has("reduce"))
        MPI_Reduce(from, taken, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    else if (has("operators"))
        MPI_Allreduce(given, taken, 2, MPI_INT, rank == 0 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Reduce(given, taken, 2, MPI_INT, MPI_SUM, rank, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
