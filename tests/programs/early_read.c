/* A border cell is computed from a number that is still to come, and only memory tells: nothing is sent or printed before the wait. The
 * place reported is that wait, as what is read lies before it, not the first operation after which it is read. With "right" it is
 * computed after the wait. */
/* explore: ranks=2 verdict=found class=buffer-in-use says=early_read.c:25 */
/* explore: ranks=2 verdict=race-free args=right */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    int cell[3] = {0, 7, 0};
    MPI_Request request[2];
    bool right = argc > 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int own = cell[1] + rank;
    int other = 1 - rank;
    MPI_Irecv(&cell[2], 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(&own, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[1]);
    int border[1];
    if (!right)
        border[0] = cell[2] / 2;
    /* The next line is the one that is reported. */
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    if (right)
        border[0] = cell[2] / 2;
    printf("%d\n", border[0]);
    MPI_Finalize();
    return 0;
}
