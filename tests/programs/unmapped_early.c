/* Memory that was mapped before MPI_Init, and of which rank 0 gives a part back after it. What is there then it must not touch: a load,
 * a store, and a receive into it are crashes, as they are without explore. The rest is memory as before, and all of it the other
 * rank's. */
/* explore: ranks=2 verdict=race-free args=kept */
/* explore: ranks=2 verdict=found class=crash args=load */
/* explore: ranks=2 verdict=found class=crash args=store */
/* explore: ranks=2 verdict=found class=crash args=receive says=MPI_Recv */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { BYTES = 1 << 14, HALF = BYTES / 2 };

static int is(int argc, char **argv, const char *name) { return argc > 1 && strcmp(argv[1], name) == 0; }

int main(int argc, char **argv) {
    int rank, number = 7;
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(memory, 3, BYTES);
    if (rank == 0) {
        munmap(memory + HALF, HALF);
        char *place = is(argc, argv, "kept") ? memory : memory + HALF;
        if (is(argc, argv, "load"))
            printf("%d\n", *(volatile char *)place);
        if (is(argc, argv, "store"))
            *(volatile char *)place = 4;
        MPI_Recv(place, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d\n", *(int *)place);
    } else {
        memcpy(memory + HALF, &number, sizeof number);
        MPI_Send(memory + HALF, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
