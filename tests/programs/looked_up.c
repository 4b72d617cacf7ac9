/* MPI's functions are found by name, as an interpreter does that calls functions of libraries, or a tool that asks for the next one:
 * in the library that has them, among all, or behind the program. They are explored like those that are linked. The argument: where
 * they are looked up, and after a comma "tells" if rank 0 tells in which order it was told. */
/* explore: ranks=3 args=library verdict=race-free */
/* explore: ranks=3 args=library,tells verdict=found class=race-output */
/* explore: ranks=3 args=all verdict=race-free */
/* explore: ranks=3 args=all,tells verdict=found class=race-output */
/* explore: ranks=3 args=next verdict=race-free */
/* explore: ranks=3 args=next,tells verdict=found class=race-output */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *where;

static void *find(const char *name) {
    void *function = dlsym(where, name);
    if (function == NULL) {
        fprintf(stderr, "%s is not found\n", name);
        exit(1);
    }
    return function;
}

static int tells;

static void run(void) {
    int (*rank_of)(MPI_Comm, int *) = (int (*)(MPI_Comm, int *))find("MPI_Comm_rank");
    int (*size_of)(MPI_Comm, int *) = (int (*)(MPI_Comm, int *))find("PMPI_Comm_size");
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm) =
        (int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm))find("MPI_Send");
    int (*receive)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) =
        (int (*)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *))find("MPI_Recv");
    int rank, size, sum = 0;
    rank_of(MPI_COMM_WORLD, &rank);
    size_of(MPI_COMM_WORLD, &size);
    for (int i = 1; rank == 0 && i < size; i++) {
        int got;
        receive(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += tells ? i * got : got;
    }
    if (rank > 0)
        send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        printf("%d\n", sum);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "library";
    where = strncmp(how, "library", 7) == 0 ? dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL)
            : strncmp(how, "next", 4) == 0  ? RTLD_NEXT
                                            : RTLD_DEFAULT;
    tells = strstr(how, ",tells") != NULL;
    int version, subversion;
    MPI_Get_version(&version, &subversion); /* so that the program is linked with MPI */
    ((int (*)(int *, char ***))find("MPI_Init"))(&argc, &argv);
    run();
    ((int (*)(void))find("MPI_Finalize"))();
    return 0;
}
