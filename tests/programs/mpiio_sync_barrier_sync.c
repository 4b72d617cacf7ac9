/* explore: ranks=2 verdict=race-free */
/* As mpiio_no_sync, with MPI_File_sync on both sides of the barrier: the read gets what was written. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "sync_barrier.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    if (rank == 0)
        MPI_File_write_at(file, 0, &(int){7}, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    if (rank == 1) {
        MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        printf("%d\n", value);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
