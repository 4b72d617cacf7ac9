/* What must not be done with the request of a nonblocking collective (MPI-3.1 section 5.12): "free" and "cancel" are errors,
 * "leak" never completes it. "fine" completes it. */
/* explore: ranks=2 verdict=race-free args=fine */
/* explore: ranks=2 verdict=found class=invalid-argument args=free */
/* explore: ranks=2 verdict=found class=invalid-argument args=cancel */
/* explore: ranks=2 verdict=found class=request-leak args=leak */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (strcmp(what, "cancel") == 0)
        MPI_Cancel(&request);
    if (strcmp(what, "free") == 0)
        MPI_Request_free(&request);
    else if (strcmp(what, "leak") != 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
