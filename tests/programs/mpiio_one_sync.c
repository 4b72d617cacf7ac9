/* explore: ranks=2 verdict=found class=race-output mpiexec=no */
/* explore: ranks=3 verdict=found class=race-output mpiexec=no says=(mpiio_one_sync.c:20), */
/* One MPI_File_sync is not enough: the standard calls the elimination of "the apparently superfluous second sync" an error (MPI-3.1
 * section 13.6.10), as the reader may still get what was there when it synchronised. Its twin is mpiio_sync_barrier_sync.
 * The report names the read, and not the process that is the file's home. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "one_sync.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (rank == 0)
        MPI_File_write_at(file, 0, &(int){7}, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        printf("%d\n", value);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
