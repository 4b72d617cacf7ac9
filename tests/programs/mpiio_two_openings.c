/* One file opened by each rank for itself. If rank 1 opens it after rank 0 has closed it ("message"), or synchronises after rank 0 has
 * ("sync"), it sees what rank 0 wrote; else it may or may not. */
/* explore: ranks=2 verdict=race-free args=message */
/* explore: ranks=2 verdict=race-free args=sync */
/* explore: ranks=2 verdict=found class=race-output|exit-status args=nothing mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *mode = "message";
static int is(const char *wanted) { return strcmp(mode, wanted) == 0; }

int main(int argc, char **argv) {
    int rank, value = -1;
    MPI_File file;
    mode = argc > 1 ? argv[1] : mode;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && is("message"))
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_File_open(MPI_COMM_SELF, "two_openings.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (rank == 0) {
        MPI_File_write_at(file, 0, &(int){7}, 1, MPI_INT, MPI_STATUS_IGNORE);
        if (is("sync")) {
            MPI_File_sync(file);
            MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        }
        MPI_File_close(&file);
        if (is("message"))
            MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        if (is("sync")) {
            MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_File_sync(file);
        }
        MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        printf("%d\n", value);
        MPI_File_close(&file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_File_delete("two_openings.out", MPI_INFO_NULL);
    MPI_Finalize();
    return 0;
}
