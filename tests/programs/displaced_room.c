/* Each rank brings two numbers, and the displacements say where in an array of eight they go, or come from. They lead behind the end of
 * that array, wherever that is in memory: into other blocks of the heap that are alive, or into other variables. */
/* explore: ranks=2 verdict=found class=invalid-argument args=gatherv_heap says=heap mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=gatherv_static says=array mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=scatterv_heap says=heap mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=allgatherv_heap says=heap mpiexec=no */
/* explore: ranks=2 verdict=found class=invalid-argument args=alltoallv_heap says=heap mpiexec=no */
/* Right are places in the array, also if the address that is given is one in front of it, or in the middle, and blocks without
 * elements that are anywhere. */
/* explore: ranks=2 verdict=race-free args=right */
/* explore: ranks=2 verdict=race-free args=from_one */
/* explore: ranks=2 verdict=race-free args=from_the_middle */
/* explore: ranks=2 verdict=race-free args=empty */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 8 };

static int before[NUMBERS], array[NUMBERS], behind[4 * NUMBERS];
static const int two[] = {2, 2}, two_and_none[] = {2, 0}, near[] = {0, 2};

static void gatherv(int *taken, const int *counts, const int *places) {
    int rank, own[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own[0] = own[1] = rank;
    MPI_Gatherv(own, counts[rank], MPI_INT, taken, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "right";
    int *blocks[4], own[2] = {1, 2};
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 4; i++) /* neighbours, all of which are alive */
        blocks[i] = calloc(NUMBERS, sizeof(int));
    int *block = blocks[1];
    const int far[] = {0, NUMBERS}, further[] = {NUMBERS + 1, 0};
    if (!strcmp(way, "gatherv_heap"))
        gatherv(block, two, far);
    if (!strcmp(way, "gatherv_static"))
        gatherv(array, two, far);
    if (!strcmp(way, "scatterv_heap"))
        MPI_Scatterv(block, two, further, MPI_INT, own, 2, MPI_INT, 0, MPI_COMM_WORLD);
    if (!strcmp(way, "allgatherv_heap"))
        MPI_Allgatherv(own, 2, MPI_INT, block, two, further, MPI_INT, MPI_COMM_WORLD);
    if (!strcmp(way, "alltoallv_heap"))
        MPI_Alltoallv(array, two, near, MPI_INT, block, two, far, MPI_INT, MPI_COMM_WORLD);
    if (!strcmp(way, "right"))
        gatherv(block, two, (const int[]){6, 0});
    if (!strcmp(way, "from_one"))
        gatherv(block - 1, two, (const int[]){1, 7});
    if (!strcmp(way, "from_the_middle"))
        gatherv(block + 4, two, (const int[]){-4, 2});
    if (!strcmp(way, "empty"))
        gatherv(block, two_and_none, (const int[]){0, 1000});
    printf("%d %d %d\n", block[0], before[0], behind[0]);
    for (int i = 0; i < 4; i++)
        free(blocks[i]);
    MPI_Finalize();
    return 0;
}
