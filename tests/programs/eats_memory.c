/* Rank 1 allocates and touches memory without end. The machine survives, and the rank is reported as crashed: its allocator
 * runs dry and it writes through the null pointer, or it is killed. */
/* explore: ranks=2 verdict=found class=crash memory=512M step-time=20s says=allocation */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank == 1) {
        char *volatile block = malloc(1 << 20);
        memset(block, 1, 1 << 20);
    }
    MPI_Finalize();
    return 0;
}
