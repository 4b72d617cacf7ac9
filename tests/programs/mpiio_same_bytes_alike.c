/* explore: ranks=2 verdict=race-free mpiexec=no */
/* As mpiio_same_bytes, but both write the same: whoever is last. */
#include <mpi.h>

int main(int argc, char **argv) {
    int answer = 42;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, "same_bytes_alike.out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 0, &answer, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
