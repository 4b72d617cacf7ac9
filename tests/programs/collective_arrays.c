/* The arrays that say what a nonblocking collective sends and receives must stay as they are until it is complete (MPI-3.1 5.12:
 * "arrays of counts, displacements, or datatypes"): each mistake, and beside it the nearest right program. Only arrays that matter
 * on a process are meant, so those that a process other than the root gives may change. */
/* explore: ranks=3 verdict=found class=buffer-in-use args=alltoallv_counts_changed */
/* explore: ranks=3 verdict=found class=buffer-in-use args=alltoallv_places_changed */
/* explore: ranks=3 verdict=race-free args=alltoallv_read */
/* explore: ranks=3 verdict=race-free args=alltoallv_changed_after */
/* explore: ranks=3 verdict=race-free args=alltoallv_stored_again */
/* explore: ranks=3 verdict=found class=buffer-in-use args=alltoallv_left */
/* explore: ranks=3 verdict=found class=buffer-in-use args=alltoallv_freed */
/* explore: ranks=3 verdict=found class=buffer-in-use args=alltoallv_given_back */
/* explore: ranks=3 verdict=race-free args=alltoallv_freed_after */
/* explore: ranks=3 verdict=found class=buffer-in-use args=alltoallv_received_into */
/* explore: ranks=3 verdict=race-free args=alltoallv_received_beside */
/* explore: ranks=3 verdict=race-free args=alltoallv_sent */
/* explore: ranks=3 verdict=found class=buffer-in-use args=alltoallw_types_changed */
/* explore: ranks=3 verdict=race-free args=alltoallw_type_freed */
/* explore: ranks=3 verdict=found class=buffer-in-use args=gatherv_changed_by_root */
/* explore: ranks=3 verdict=race-free args=gatherv_changed_by_leaf */
/* explore: ranks=3 verdict=found class=buffer-in-use args=scatterv_changed_by_root */
/* explore: ranks=3 verdict=race-free args=scatterv_changed_by_leaf */
/* explore: ranks=3 verdict=found class=buffer-in-use args=reduce_scatter_changed */
/* explore: ranks=3 verdict=race-free args=reduce_scatter_read */
/* explore: ranks=3 verdict=found class=buffer-in-use args=neighbours_offsets_changed */
/* explore: ranks=3 verdict=race-free args=neighbours */
/* explore: ranks=3 verdict=race-free args=blocking */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static const char *what;
static MPI_Request request;
static const MPI_Comm world = MPI_COMM_WORLD;

static int is(const char *name) { return strcmp(what, name) == 0; }
static void complete(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

static int sent[3], received[3];

static __attribute__((noinline)) void start_with_locals(void) {
    int counts[3] = {1, 1, 1}, places[3] = {0, 1, 2};
    MPI_Ialltoallv(sent, counts, places, MPI_INT, received, counts, places, MPI_INT, world, &request);
}

static int alltoallv(void) {
    int *counts = malloc(3 * sizeof *counts), places[4] = {0, 1, 2, 0}, sum = 0;
    for (int i = 0; i < 3; i++)
        counts[i] = 1;
    if (is("alltoallv_left"))
        start_with_locals();
    else
        MPI_Ialltoallv(sent, counts, places, MPI_INT, received, counts, places, MPI_INT, world, &request);
    if (is("alltoallv_counts_changed"))
        counts[1] = 0;
    if (is("alltoallv_places_changed"))
        places[0] = 2;
    if (is("alltoallv_read"))
        sum = counts[1] + places[2];
    if (is("alltoallv_stored_again"))
        counts[2] = 1;
    if (is("alltoallv_freed")) {
        free(counts);
        counts = NULL;
    }
    if (is("alltoallv_given_back")) { /* among so many other blocks is one that has the same in the same place */
        free(counts);
        for (int block = 0; block < 64; block++) {
            counts = malloc(3 * sizeof *counts);
            for (int i = 0; i < 3; i++)
                counts[i] = 1;
        }
    }
    if (is("alltoallv_received_into"))
        MPI_Sendrecv(&rank, 1, MPI_INT, rank, 0, &places[2], 1, MPI_INT, rank, 0, world, MPI_STATUS_IGNORE);
    if (is("alltoallv_received_beside"))
        MPI_Sendrecv(&rank, 1, MPI_INT, rank, 0, &places[3], 1, MPI_INT, rank, 0, world, MPI_STATUS_IGNORE);
    if (is("alltoallv_sent"))
        MPI_Sendrecv(&places[2], 1, MPI_INT, rank, 0, &sum, 1, MPI_INT, rank, 0, world, MPI_STATUS_IGNORE);
    complete();
    if (is("alltoallv_changed_after"))
        counts[0] = places[0] = 5;
    free(counts);
    return sum + received[0] + received[2];
}

/* The type itself may be freed, its handle not overwritten: MPI_Type_free is given a copy. */
static int alltoallw(void) {
    int counts[3] = {1, 1, 1}, places[3] = {0, sizeof(int), 2 * sizeof(int)};
    MPI_Datatype type, copy;
    MPI_Type_contiguous(1, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, type};
    MPI_Ialltoallw(sent, counts, places, types, received, counts, places, types, world, &request);
    copy = type;
    MPI_Type_free(is("alltoallw_types_changed") ? &types[2] : &copy);
    complete();
    return received[1];
}

/* Rank 0 is the root. */
static int rooted(void) {
    int counts[3] = {1, 1, 1}, places[3] = {2, 1, 0};
    if (strncmp(what, "gatherv", 7) == 0)
        MPI_Igatherv(&rank, 1, MPI_INT, received, counts, places, MPI_INT, 0, world, &request);
    else
        MPI_Iscatterv(sent, counts, places, MPI_INT, received, 1, MPI_INT, 0, world, &request);
    if ((strstr(what, "by_root") != NULL) == (rank == 0))
        counts[1] = 7;
    complete();
    return received[0];
}

static int reduce_scatter(void) {
    int counts[3] = {1, 1, 1}, sum = 0;
    MPI_Ireduce_scatter(sent, received, counts, MPI_INT, MPI_SUM, world, &request);
    if (is("reduce_scatter_changed"))
        counts[2]++;
    else
        sum = counts[2];
    complete();
    return sum + received[0];
}

static int neighbours(void) {
    int counts[2] = {1, 1};
    MPI_Aint offsets[2] = {0, sizeof(int)};
    const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Comm ring;
    MPI_Cart_create(world, 1, &ranks, (int[]){1}, 0, &ring);
    MPI_Ineighbor_alltoallw(sent, counts, offsets, types, received, counts, offsets, types, ring, &request);
    if (is("neighbours_offsets_changed"))
        offsets[1] = 0;
    complete();
    MPI_Comm_free(&ring);
    return received[0] + received[1];
}

/* Once it has returned, it is complete. */
static int blocking(void) {
    int counts[3] = {1, 1, 1}, places[3] = {0, 1, 2};
    MPI_Alltoallv(sent, counts, places, MPI_INT, received, counts, places, MPI_INT, world);
    counts[1] = 0;
    MPI_Barrier(world);
    return received[1];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    what = argv[1];
    for (int i = 0; i < 3; i++)
        sent[i] = 10 * rank + i;
    static const struct {
        const char *start;
        int (*run)(void);
    } cases[] = {{"alltoallv", alltoallv},           {"alltoallw", alltoallw},   {"gatherv", rooted},   {"scatterv", rooted},
                 {"reduce_scatter", reduce_scatter}, {"neighbours", neighbours}, {"blocking", blocking}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strncmp(what, cases[i].start, strlen(cases[i].start)) == 0)
            printf("%d\n", cases[i].run());
    MPI_Finalize();
    return 0;
}
