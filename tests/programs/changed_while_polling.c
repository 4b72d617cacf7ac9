/* A buffer is used again while the message in it is still on its way, by a rank that then polls until its messages have gone. Real
 * MPI need not notice. Under mpiexec the rank then polls without an end, as the other one is held in a receive that is no part of
 * the witness any more (real_mpi). */
/* explore: ranks=2 args=once verdict=race-free */
/* explore: ranks=2 verdict=found class=buffer-in-use */
#include <mpi.h>

#include <stdio.h>

int main(int argc, char **argv) {
    (void)argv;
    MPI_Init(&argc, &argv);
    int rank, number[2] = {1, 2};
    MPI_Request request[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Recv(&number[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d\n", number[0] + number[1]);
    } else {
        for (int i = 0; i < 2; i++) {
            int *from = argc > 1 ? &number[i] : &number[0];
            *from = 10 + i;
            MPI_Isend(from, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[i]);
        }
        int all = 0;
        while (!all)
            MPI_Testall(2, request, &all, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
