/* Where rank 0 stands in a file that it reads is part of its state: it reads one line for each message, whoever sent it, so the
 * lines come in the file's order. With "skip" the sender says how many lines to skip, and what is printed depends on the order. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=3 verdict=found class=race-output args=skip */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, ranks, value;
    char line[80];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != 0) {
        value = argc > 1 ? rank : 0;
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        FILE *file = tmpfile();
        setvbuf(file, NULL, _IONBF, 0); /* so that the position is the kernel's, not that of a buffer */
        for (int i = 0; i < 16; i++)
            fprintf(file, "line %d\n", i);
        rewind(file);
        for (int i = 1; i < ranks; i++) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int skip = 0; skip <= value; skip++)
                if (!fgets(line, sizeof line, file))
                    return 1;
            printf("%s", line);
        }
        fclose(file);
    }
    MPI_Finalize();
    return 0;
}
