/* What is fetched under a shared lock, the owner must not store to at the same time (MPI-3.1 11.7), in whatever way it is fetched
 * and although nobody looks at it: by a request that is waited for at once, or by an accumulate with MPI_NO_OP. A barrier after it is
 * complete, or another place, makes it right. What only fetches is over when its result is there, so completing it locally is
 * enough; for what changes the window it is not. */
/* explore: ranks=2 verdict=found class=rma-conflict args=get */
/* explore: ranks=2 verdict=found class=rma-conflict args=request */
/* explore: ranks=2 verdict=found class=rma-conflict args=no_op */
/* explore: ranks=2 verdict=found class=rma-conflict args=no_op_request */
/* explore: ranks=2 verdict=race-free args=get_barrier */
/* explore: ranks=2 verdict=race-free args=request_barrier */
/* explore: ranks=2 verdict=race-free args=no_op_barrier */
/* explore: ranks=2 verdict=race-free args=no_op_request_barrier */
/* explore: ranks=2 verdict=race-free args=request_elsewhere */
/* explore: ranks=2 verdict=race-free args=get_local_barrier */
/* explore: ranks=2 verdict=race-free args=no_op_local_barrier */
/* explore: ranks=2 verdict=found class=rma-conflict args=get_local */
/* explore: ranks=2 verdict=found class=rma-conflict args=sum_local_barrier */
#include <mpi.h>
#include <string.h>

static void fetch(const char *what, MPI_Win window) {
    int two = 2, fetched;
    MPI_Request request = MPI_REQUEST_NULL;
    if (strncmp(what, "get", 3) == 0)
        MPI_Get(&fetched, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    else if (strncmp(what, "request", 7) == 0)
        MPI_Rget(&fetched, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
    else if (strncmp(what, "no_op_request", 13) == 0)
        MPI_Rget_accumulate(NULL, 0, MPI_INT, &fetched, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_NO_OP, window, &request);
    else
        MPI_Get_accumulate(&two, 1, MPI_INT, &fetched, 1, MPI_INT, 1, 0, 1, MPI_INT,
                           strncmp(what, "sum", 3) == 0 ? MPI_SUM : MPI_NO_OP, window);
    if (request != MPI_REQUEST_NULL)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    else if (strstr(what, "local") != NULL)
        MPI_Win_flush_local(1, window);
    else
        MPI_Win_flush(1, window);
}

int main(int argc, char **argv) {
    int rank, *memory;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 0)
        fetch(what, window);
    if (strstr(what, "barrier") != NULL)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        memory[strstr(what, "elsewhere") != NULL] = 1;
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
