/* Dynamic processes are not supported and must be refused by name. */
/* explore: ranks=2 verdict=cannot-run says=MPI_Comm_spawn */
/* explore: ranks=2 verdict=undecided proof=decomposition says=MPI_Comm_spawn */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Comm children;
    MPI_Init(&argc, &argv);
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Finalize();
    return 0;
}
