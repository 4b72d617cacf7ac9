/* In atomic mode a write is seen by whatever comes after it (MPI-3.1 section 13.6.1): what a barrier puts behind it sees it, without
 * any MPI_File_sync. Without the barrier the read may come first. */
/* explore: ranks=2 verdict=race-free args=barrier */
/* explore: ranks=2 verdict=found class=race-output args=nothing mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, value = -1, start = 0;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "atomic.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_write_at_all(file, 0, &start, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_atomicity(file, 1);
    if (rank == 0)
        MPI_File_write_at(file, 0, &(int){7}, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (argc > 1 && strcmp(argv[1], "barrier") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    printf("%d\n", value);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
