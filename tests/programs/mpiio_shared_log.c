/* explore: ranks=3 verdict=found class=race-output */
/* A log that each rank adds a line to with the shared file pointer: its lines come in any order. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank;
    char line[32];
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(line, sizeof line, "rank %d was here\n", rank);
    MPI_File_open(MPI_COMM_WORLD, "shared_log.out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_shared(file, line, (int)strlen(line), MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
