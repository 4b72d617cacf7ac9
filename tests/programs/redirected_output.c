/* Output goes where the program sends it: into a file that it has made its stdout, and nowhere once stdout is closed. */
/* explore: ranks=2 verdict=race-free mpiexec=no */
/* explore: ranks=3 verdict=found class=race-output args=arrival says=log.txt */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What is printed goes to "log.txt", then to the real stdout again. */
static void duplicated(void) {
    char text[40] = "";
    int kept = dup(1), file = open("log.txt", O_RDWR | O_CREAT | O_TRUNC, 0644);
    assert(dup2(file, 1) == 1);
    printf("into the file\n");
    fflush(stdout);
    assert(dup2(kept, 1) == 1 && close(kept) == 0);
    assert(pread(file, text, sizeof text, 0) == 14 && !strcmp(text, "into the file\n") && close(file) == 0);
    printf("to stdout\n");
}

static void reopened(int ranks, int in_order) {
    int value;
    assert(freopen("log.txt", "w", stdout));
    for (int i = 1; i < ranks; i++) {
        MPI_Recv(&value, 1, MPI_INT, in_order ? i : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d\n", value);
    }
    fflush(stdout);
}

static void closed(void) {
    assert(close(1) == 0);
    assert(write(1, "x", 1) == -1 && errno == EBADF);
    /* The lowest free descriptor is 1: the file is the new stdout. */
    assert(open("other.txt", O_WRONLY | O_CREAT, 0644) == 1 && write(1, "x", 1) == 1);
    fclose(stdout);
    assert(printf("nothing") < 0 || fflush(stdout) < 0);
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0) {
        duplicated();
        reopened(ranks, argc == 1);
        closed();
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
