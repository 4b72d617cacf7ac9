/* What goes wrong with intercommunicators. Ranks 0 and 2 are one group, 1 and 3 the other.
 *
 *   leaders   rank 0 names rank 3 as the leader of the other group, which is rank 1: both leaders wait for the other
 *   high      ranks 0 and 2 differ in the order that they want
 *   root      ranks 1 and 3 name different roots of a broadcast from the other group
 *   call      one group begins another collective than the other
 *   one       rank 1 enters a broadcast of rank 0 only after a message of rank 3, which sends it after the broadcast: rank 3
 *             needs nobody but rank 0 to leave it, but it may have to wait for all
 *   scan      there is no scan over an intercommunicator
 *   fine      none of these */
/* explore: ranks=4 verdict=race-free args=fine */
/* explore: ranks=4 verdict=found class=deadlock args=leaders */
/* explore: ranks=4 verdict=found class=collective-mismatch args=high */
/* explore: ranks=4 verdict=found class=collective-mismatch args=root */
/* explore: ranks=4 verdict=found class=collective-mismatch args=call */
/* explore: ranks=4 verdict=found class=deadlock args=one buffering=none */
/* explore: ranks=4 verdict=race-free args=one buffering=infinite */
/* explore: ranks=4 verdict=found class=invalid-argument args=scan */
#include <mpi.h>
#include <string.h>

static const char *what = "";
static int is(const char *name) { return strcmp(what, name) == 0; }

int main(int argc, char **argv) {
    int rank, value = 1, sum;
    MPI_Comm half, bridge, all;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int odd = rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, odd, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is("leaders") && rank == 0 ? 3 : !odd, 5, &bridge);
    MPI_Intercomm_merge(bridge, is("high") && rank == 2 ? 1 : odd, &all);
    if (is("one") && rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is("call") && odd)
        MPI_Barrier(bridge);
    else
        MPI_Bcast(&value, 1, MPI_INT, odd ? (is("root") && rank == 3 ? 1 : 0) : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, bridge);
    if (is("one") && rank == 3)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (is("scan"))
        MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, bridge);
    MPI_Comm_free(&all);
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
