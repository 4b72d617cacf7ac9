/* Six workers report to rank 0, which crashes if they do so in exactly the order 3, 1, 4, 6, 2, 5: one order in 720. */
/* By default the lowest rank left is next: so 3, 4 and 6 are differences, and then 1, 2 and 5 are none. */
/* explore: ranks=7 verdict=found class=crash differences=3 */
/* explore: ranks=7 verdict=found class=crash buffering=none differences=3 */
/* explore: ranks=7 verdict=found class=crash buffering=none failing=1/720 */
#include <mpi.h>
#include <stdbool.h>

int main(int argc, char **argv) {
    static const int fatal[6] = {3, 1, 4, 6, 2, 5};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        bool same = true;
        for (int i = 0; i < 6; i++) {
            int worker;
            MPI_Recv(&worker, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            same = same && worker == fatal[i];
        }
        if (same)
            *(volatile int *)8 = 1;
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
