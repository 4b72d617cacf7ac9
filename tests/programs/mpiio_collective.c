/* Opening, synchronising and collective accesses are collective: all members of the group must call the same, and wait for each
 * other. "together" is right. */
/* explore: ranks=2 verdict=race-free args=together mpiexec=no */
/* explore: ranks=2 verdict=found class=deadlock args=alone mpiexec=no */
/* explore: ranks=2 verdict=found class=collective-mismatch args=other mpiexec=no */
/* explore: ranks=2 verdict=found class=collective-mismatch args=mode mpiexec=no */
/* explore: ranks=2 verdict=found class=collective-mismatch args=size mpiexec=no */
#include <mpi.h>
#include <string.h>

static const char *mode = "together";
static int is(const char *wanted) { return strcmp(mode, wanted) == 0; }

int main(int argc, char **argv) {
    int rank, number = 1;
    MPI_File file;
    mode = argc > 1 ? argv[1] : mode;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int access = MPI_MODE_CREATE | (is("mode") && rank == 0 ? MPI_MODE_WRONLY : MPI_MODE_RDWR);
    MPI_File_open(MPI_COMM_WORLD, "collective.out", access, MPI_INFO_NULL, &file);
    if (is("alone") && rank == 0)
        MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is("other") && rank == 0)
        MPI_File_sync(file);
    else
        MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof number, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_size(file, is("size") && rank == 0 ? 4 : 8);
    if (is("alone") && rank == 1)
        MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
