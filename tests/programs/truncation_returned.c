/* A message that is too long is an error of the receive, which a communicator with MPI_ERRORS_RETURN gives back (MPI-3.1 section 8.3).
 * Rank 0 takes from anyone what fits from rank 1 and not from rank 2: how many were too long is the same in every ordering, which came
 * first is not. By MPI_Recv and by MPI_Sendrecv. */
/* explore: ranks=3 verdict=race-free args=counts */
/* explore: ranks=3 verdict=found class=race-output args=shows */
/* explore: ranks=3 verdict=race-free args=exchange_counts */
/* explore: ranks=3 verdict=found class=race-output args=exchange_shows */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int receive(MPI_Comm communicator, int by_exchange) {
    int number, error, class;
    if (by_exchange)
        error = MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, &number, 1, MPI_INT, MPI_ANY_SOURCE, 0, communicator,
                             MPI_STATUS_IGNORE);
    else
        error = MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, communicator, MPI_STATUS_IGNORE);
    MPI_Error_class(error, &class);
    return class == MPI_ERR_TRUNCATE;
}

int main(int argc, char **argv) {
    int rank, numbers[2] = {1, 2}, truncated[2];
    MPI_Comm communicator;
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "counts";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
    MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            truncated[i] = receive(communicator, strncmp(what, "exchange", 8) == 0);
        if (strstr(what, "shows"))
            printf("%d %d\n", truncated[0], truncated[1]);
        else
            printf("%d\n", truncated[0] + truncated[1]);
    } else {
        MPI_Send(numbers, rank, MPI_INT, 0, 0, communicator);
    }
    MPI_Comm_free(&communicator);
    MPI_Finalize();
    return 0;
}
