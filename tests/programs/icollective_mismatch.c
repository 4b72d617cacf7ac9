/* Nonblocking collectives on which the members do not agree. They are matched in the order in which they are begun, with each
 * other only: "order" begins two in different orders on rank 1, "blocking" calls the blocking form of one on rank 1, "root",
 * "count" and "operator" differ in that argument. "fine" is the same program without a difference: the order of the waits does
 * not matter. */
/* explore: ranks=2 verdict=race-free args=fine */
/* explore: ranks=2 verdict=found class=collective-mismatch args=order */
/* explore: ranks=2 verdict=found class=collective-mismatch args=blocking */
/* explore: ranks=3 verdict=found class=collective-mismatch args=root */
/* explore: ranks=2 verdict=found class=collective-mismatch args=count buffering=infinite */
/* explore: ranks=2 verdict=found class=collective-mismatch args=operator buffering=none */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, value[2] = {1, 2}, sum;
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Request barrier, reduction, broadcast;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int differs = rank == 1;
    if (differs && strcmp(what, "order") == 0) {
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &reduction);
        MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    } else {
        if (differs && strcmp(what, "blocking") == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            barrier = MPI_REQUEST_NULL;
        } else {
            MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        }
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, differs && strcmp(what, "operator") == 0 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD,
                       &reduction);
    }
    MPI_Ibcast(value, differs && strcmp(what, "count") == 0 ? 2 : 1, MPI_INT, differs && strcmp(what, "root") == 0 ? 1 : 0,
               MPI_COMM_WORLD, &broadcast);
    MPI_Request in_one_order[] = {broadcast, barrier, reduction};
    MPI_Wait(&in_one_order[rank % 3], MPI_STATUS_IGNORE);
    MPI_Waitall(3, in_one_order, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
