/* Rank 0 notes messages in a scratch file in the order of their arrival, reads it back, prints the sum and removes it: what a file
 * held that is gone at the end is no outcome. With "last" it prints the last line, which is. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=4 verdict=found class=race-output args=last */
/* explore: ranks=2 verdict=race-free args=last */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, ranks, value, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        char name[] = "/tmp/scratch_file.XXXXXX";
        FILE *notes = fdopen(mkstemp(name), "w+");
        for (int i = 1; i < ranks; i++) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            fprintf(notes, "%d\n", value);
            fflush(notes);
        }
        rewind(notes);
        while (fscanf(notes, "%d", &value) == 1)
            sum += value;
        printf("%d\n", argc > 1 ? value : sum);
        fclose(notes);
        unlink(name);
    }
    MPI_Finalize();
    return 0;
}
