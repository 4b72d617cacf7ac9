/* explore: ranks=8 verdict=race-free mpiexec=no */
/* Each rank writes its own block of one file, and reads its neighbour's after it was synchronised: nothing conflicts, so nothing
 * depends on any order. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, block[4], other[4];
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 4; i++)
        block[i] = 10 * rank + i;
    MPI_File_open(MPI_COMM_WORLD, "own_blocks.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, (MPI_Offset)(rank * sizeof block), block, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at(file, (MPI_Offset)(rank * sizeof block + 2 * sizeof(int)), block + 2, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    int next = (rank + 1) % size;
    MPI_File_read_at(file, (MPI_Offset)(next * sizeof other), other, 4, MPI_INT, MPI_STATUS_IGNORE);
    printf("%d %d\n", other[0], other[3]);
    MPI_File_close(&file);
    MPI_Finalize();
    return other[0] == 10 * next && other[3] == 10 * next + 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
