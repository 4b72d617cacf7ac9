/* Rank 0 writes what it gets into a file, as it comes: three orders of two lines at the least, and nothing on stdout differs. By
 * source the file is always the same. A second file, that each run adds to, is the same in all of them. */
/* explore: ranks=3 verdict=found class=race-output says=report.txt */
/* explore: ranks=3 verdict=race-free args=by-source mpiexec=no */
/* explore: ranks=2 verdict=race-free mpiexec=no */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, ranks, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != 0) {
        value = rank * rank;
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        FILE *report = fopen("report.txt", "w"), *log = fopen("log.txt", "a");
        fprintf(log, "a run\n");
        fclose(log);
        fprintf(report, "squares\n");
        for (int i = 1; i < ranks; i++) {
            MPI_Recv(&value, 1, MPI_INT, argc > 1 ? i : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            fprintf(report, "%d\n", value);
        }
        fclose(report);
        printf("done\n");
    }
    MPI_Finalize();
    return 0;
}
