/* One-sided communication is not supported yet and must be refused by name. */
/* explore: ranks=2 verdict=cannot-run says=MPI_Win_create */
#include <mpi.h>

int main(int argc, char **argv) {
    int memory = 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
