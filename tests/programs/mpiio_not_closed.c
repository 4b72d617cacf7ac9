/* explore: ranks=2 verdict=found class=handle-leak says=file mpiexec=no */
/* A file must be closed before MPI_Finalize. Its twins are all other mpiio programs. */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, "not_closed.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_Finalize();
    return 0;
}
