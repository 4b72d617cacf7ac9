/* Each rank adds what it has counted to one file when it ends, as a program does that is compiled with --coverage or -pg, and
 * rank 0's count depends on the order of messages. In a file that is named as a compiler's are, that is no communication and no
 * race. */
/* explore: ranks=3 verdict=race-free args=counts.gcda */
/* explore: ranks=3 verdict=race-free args=gmon.out */
/* explore: ranks=3 verdict=cannot-run args=counts says=counts */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const char *name;
static long count;

static void add_up(void) {
    long before = 0;
    FILE *file = fopen(name, "r+b");
    if (!file)
        file = fopen(name, "w+b");
    else if (fread(&before, sizeof before, 1, file) != 1)
        before = 0;
    count += before;
    rewind(file);
    fwrite(&count, sizeof count, 1, file);
    fclose(file);
}

int main(int argc, char **argv) {
    int rank, ranks;
    name = argc > 1 ? argv[1] : "counts";
    atexit(add_up);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < ranks; i++) {
        int number = rank;
        if (rank == 0)
            MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (rank == i)
            MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 0 && number == i)
            count++;
    }
    MPI_Finalize();
    return 0;
}
