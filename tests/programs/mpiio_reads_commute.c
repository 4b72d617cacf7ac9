/* Rank 0 writes numbers into a file while another rank has it open for itself, so that contents are kept by agents, and then everybody
 * reads all of them, each by a call of its own. Reads commute: the graph has the sum of what each rank does, not the product. In "written"
 * rank 1 writes one of them meanwhile, which others may read or not. */
/* explore: ranks=4 verdict=race-free states=400 args=read */
/* explore: ranks=3 verdict=found class=race-output args=written */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 3 };

int main(int argc, char **argv) {
    int rank, sum = 0, first = 7;
    MPI_File file, own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_SELF, "reads_commute.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &own);
    MPI_File_open(MPI_COMM_WORLD, "reads_commute.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (rank == 0)
        for (int i = 0; i < NUMBERS; i++)
            MPI_File_write_at(file, (MPI_Offset)(i * (int)sizeof first), &first, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    if (argc > 1 && strcmp(argv[1], "written") == 0 && rank == 1) {
        int number = 100;
        MPI_File_write_at(file, 0, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < NUMBERS; i++) {
        int number = 0;
        MPI_File_read_at(file, (MPI_Offset)(i * (int)sizeof number), &number, 1, MPI_INT, MPI_STATUS_IGNORE);
        sum += number;
    }
    printf("rank %d: %d\n", rank, sum);
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_close(&own);
    if (rank == 0)
        MPI_File_delete("reads_commute.tmp", MPI_INFO_NULL);
    MPI_Finalize();
    return 0;
}
