/* Each collective in its forms for large counts, blocking, nonblocking and persistent, and those of neighbours in all their persistent
 * forms: all bring what the plain form does, which other programs check. "mixed": one form of a procedure matches the other. "root":
 * the persistent one with different roots is a mistake when it is made, also if nobody starts it. */
/* explore: ranks=3 verdict=race-free args=all mpiexec=no */
/* explore: ranks=3 verdict=race-free args=all buffering=none mpiexec=no */
/* explore: ranks=3 verdict=race-free args=mixed */
/* explore: ranks=2 verdict=found class=collective-mismatch args=root */
#include <assert.h>
#include <mpi.h>
#include <string.h>

enum { SIZE = 3 };

static int rank, given[SIZE], taken[SIZE], plain[SIZE];
static MPI_Comm world, line;
static const int ones[SIZE] = {1, 1, 1}, places[SIZE] = {0, 1, 2}, bytes[SIZE] = {0, 4, 8};
static const MPI_Count large_ones[SIZE] = {1, 1, 1};
static const MPI_Aint large_places[SIZE] = {0, 1, 2}, large_bytes[SIZE] = {0, 4, 8};
static const MPI_Datatype types[SIZE] = {MPI_INT, MPI_INT, MPI_INT};

static void clear(void) { memset(taken, 0, sizeof taken); }
static void require_as_plain(void) { assert(memcmp(taken, plain, sizeof taken) == 0); }

static void complete(MPI_Request *request) {
    MPI_Wait(request, MPI_STATUS_IGNORE);
    require_as_plain();
    clear();
}

static void start_twice(MPI_Request *request) {
    for (int i = 0; i < 2; i++) {
        clear();
        MPI_Start(request);
        complete(request);
    }
    MPI_Request_free(request);
}

#define FORMS(name, nonblocking, SMALL, LARGE)                    \
    do {                                                          \
        MPI_Request request;                                      \
        clear();                                                  \
        MPI_##name(LIST SMALL);                                   \
        memcpy(plain, taken, sizeof taken);                       \
        clear();                                                  \
        MPI_##name##_c(LIST LARGE);                               \
        require_as_plain();                                       \
        clear();                                                  \
        MPI_##nonblocking##_c(LIST LARGE, &request);              \
        complete(&request);                                       \
        MPI_##name##_init_c(LIST LARGE, MPI_INFO_NULL, &request); \
        start_twice(&request);                                    \
        MPI_##name##_init(LIST SMALL, MPI_INFO_NULL, &request);   \
        start_twice(&request);                                    \
    } while (0)
#define LIST(...) __VA_ARGS__
#define ALIKE(name, nonblocking, ARGUMENTS) FORMS(name, nonblocking, ARGUMENTS, ARGUMENTS)

static void moving(void) {
    ALIKE(Bcast, Ibcast, (rank == 1 ? given : taken, SIZE, MPI_INT, 1, world));
    ALIKE(Gather, Igather, (given, 1, MPI_INT, taken, 1, MPI_INT, 2, world));
    FORMS(Gatherv, Igatherv, (given, 1, MPI_INT, taken, ones, places, MPI_INT, 0, world),
          (given, 1, MPI_INT, taken, large_ones, large_places, MPI_INT, 0, world));
    ALIKE(Scatter, Iscatter, (given, 1, MPI_INT, taken, 1, MPI_INT, 1, world));
    FORMS(Scatterv, Iscatterv, (given, ones, places, MPI_INT, taken, 1, MPI_INT, 2, world),
          (given, large_ones, large_places, MPI_INT, taken, 1, MPI_INT, 2, world));
    ALIKE(Allgather, Iallgather, (given, 1, MPI_INT, taken, 1, MPI_INT, world));
    FORMS(Allgatherv, Iallgatherv, (given, 1, MPI_INT, taken, ones, places, MPI_INT, world),
          (given, 1, MPI_INT, taken, large_ones, large_places, MPI_INT, world));
    ALIKE(Alltoall, Ialltoall, (given, 1, MPI_INT, taken, 1, MPI_INT, world));
    FORMS(Alltoallv, Ialltoallv, (given, ones, places, MPI_INT, taken, ones, places, MPI_INT, world),
          (given, large_ones, large_places, MPI_INT, taken, large_ones, large_places, MPI_INT, world));
    FORMS(Alltoallw, Ialltoallw, (given, ones, bytes, types, taken, ones, bytes, types, world),
          (given, large_ones, large_bytes, types, taken, large_ones, large_bytes, types, world));
}

static void computing(void) {
    ALIKE(Reduce, Ireduce, (given, taken, SIZE, MPI_INT, MPI_SUM, 0, world));
    ALIKE(Allreduce, Iallreduce, (given, taken, SIZE, MPI_INT, MPI_SUM, world));
    ALIKE(Scan, Iscan, (given, taken, SIZE, MPI_INT, MPI_SUM, world));
    ALIKE(Exscan, Iexscan, (given, taken, SIZE, MPI_INT, MPI_SUM, world));
    FORMS(Reduce_scatter, Ireduce_scatter, (given, taken, ones, MPI_INT, MPI_SUM, world),
          (given, taken, large_ones, MPI_INT, MPI_SUM, world));
    ALIKE(Reduce_scatter_block, Ireduce_scatter_block, (given, taken, 1, MPI_INT, MPI_SUM, world));
}

static void of_neighbours(void) {
    ALIKE(Neighbor_allgather, Ineighbor_allgather, (given, 1, MPI_INT, taken, 1, MPI_INT, line));
    FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, (given, 1, MPI_INT, taken, ones, places, MPI_INT, line),
          (given, 1, MPI_INT, taken, large_ones, large_places, MPI_INT, line));
    ALIKE(Neighbor_alltoall, Ineighbor_alltoall, (given, 1, MPI_INT, taken, 1, MPI_INT, line));
    assert(plain[1] == (rank == 2 ? 0 : 10 * (rank + 1)));
    FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, (given, ones, places, MPI_INT, taken, ones, places, MPI_INT, line),
          (given, large_ones, large_places, MPI_INT, taken, large_ones, large_places, MPI_INT, line));
    FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, (given, ones, large_bytes, types, taken, ones, large_bytes, types, line),
          (given, large_ones, large_bytes, types, taken, large_ones, large_bytes, types, line));
    assert(plain[1] == (rank == 2 ? 0 : 10 * (rank + 1)));
}

static void mixed(void) {
    int number = rank == 0 ? 7 : 0, sum;
    MPI_Request request;
    if (rank == 0)
        MPI_Bcast(&number, 1, MPI_INT, 0, world);
    else
        MPI_Bcast_c(&number, 1, MPI_INT, 0, world);
    if (rank == 0)
        MPI_Iallreduce(&number, &sum, 1, MPI_INT, MPI_SUM, world, &request);
    else
        MPI_Iallreduce_c(&number, &sum, 1, MPI_INT, MPI_SUM, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    assert(number == 7 && sum == 21);
}

static void different_roots(void) {
    MPI_Request request;
    MPI_Bcast_init_c(given, 1, MPI_INT, rank, world, MPI_INFO_NULL, &request);
    MPI_Request_free(&request);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "all";
    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    for (int i = 0; i < SIZE; i++)
        given[i] = 10 * rank + i;
    if (strcmp(mode, "all") == 0) {
        MPI_Cart_create(world, 1, (int[]){SIZE}, (int[]){0}, 0, &line);
        moving();
        computing();
        of_neighbours();
        MPI_Comm_free(&line);
    } else if (strcmp(mode, "mixed") == 0) {
        mixed();
    } else {
        different_roots();
    }
    MPI_Finalize();
    return 0;
}
