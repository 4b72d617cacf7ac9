/* In an all-to-all with counts of its own for each pair nobody need wait for who has nothing for it. Rank 0 enters only after a
 * message of rank 1, which sends it after the all-to-all; between rank 1 and rank 2 there is a block each way, between them and
 * rank 0 there is none, so rank 1 may leave, as it does with MPICH. A deadlock only if all wait for all.
 *
 *   one       rank 0 has a block for rank 1: a deadlock always
 *   surprise  rank 0 has a block for rank 1, which expects none (and there is no message): they do not agree
 *   gather    the same as without argument, with the root of a gather in the place of rank 1
 *   scatter   the same with a leaf of a scatter, whose root is rank 0
 *   reduce    the same with a reduce-scatter whose result has no share for rank 1: what it gives others it need not wait for
 *   between   the same where ranks 1 and 2 share what the other group, rank 0, brings; between_one: rank 1 has a share, too */
/* explore: ranks=3 verdict=race-free buffering=infinite */
/* explore: ranks=3 verdict=found class=deadlock buffering=none */
/* explore: ranks=3 verdict=found class=deadlock args=one buffering=infinite */
/* explore: ranks=3 verdict=found class=collective-mismatch args=surprise buffering=infinite */
/* explore: ranks=3 verdict=found class=collective-mismatch args=surprise buffering=none */
/* explore: ranks=3 verdict=race-free args=gather buffering=infinite */
/* explore: ranks=3 verdict=found class=deadlock args=gather buffering=none */
/* explore: ranks=3 verdict=race-free args=scatter buffering=infinite */
/* explore: ranks=3 verdict=race-free args=reduce buffering=infinite */
/* explore: ranks=3 verdict=found class=deadlock args=reduce buffering=none */
/* explore: ranks=3 verdict=race-free args=between buffering=infinite mpiexec=no */
/* explore: ranks=3 verdict=found class=deadlock args=between buffering=none */
/* explore: ranks=3 verdict=found class=deadlock args=between_one buffering=infinite */
#include <assert.h>
#include <mpi.h>
#include <string.h>

static const char *what = "";
static int is(const char *name) { return strcmp(what, name) == 0; }

static int rank;

/* How many numbers `from` has for `to`. */
static int amount(int from, int to) {
    if (from == 0 && to == 1)
        return is("one") || is("surprise");
    return from != 0 && to != 0;
}

static void everybody(void) {
    int given[3] = {10 * rank, 10 * rank + 1, 10 * rank + 2}, taken[3] = {-1, -1, -1}, send[3], receive[3], places[3];
    for (int i = 0; i < 3; i++) {
        send[i] = amount(rank, i);
        receive[i] = rank == 1 && i == 0 && is("surprise") ? 0 : amount(i, rank);
        places[i] = i;
    }
    MPI_Alltoallv(given, send, places, MPI_INT, taken, receive, places, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        assert(taken[i] == (receive[i] ? 10 * i + rank : -1));
}

static void rooted(void) {
    const int counts[] = {0, 1, 1}, nothing_for_1[] = {1, 0, 1}, places[] = {0, 1, 2};
    int taken[3], given[3] = {0, 1, 2};
    if (is("gather"))
        MPI_Gatherv(given, counts[rank], MPI_INT, taken, counts, places, MPI_INT, 1, MPI_COMM_WORLD);
    else
        MPI_Scatterv(given, nothing_for_1, places, MPI_INT, taken, nothing_for_1[rank], MPI_INT, 0, MPI_COMM_WORLD);
}

static void reduced(void) {
    const int counts[] = {1, 0, 2};
    int given[3] = {rank, 1, 10 * rank}, taken[2] = {-1, -1};
    MPI_Reduce_scatter(given, taken, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(taken[0] == (rank == 0 ? 3 : rank == 1 ? -1 : 3) && taken[1] == (rank == 2 ? 30 : -1));
}

static MPI_Comm connect(void) {
    MPI_Comm group, both;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank == 0, 0, &both);
    MPI_Comm_free(&group);
    return both;
}

static void reduced_between(MPI_Comm both) {
    const int mine[] = {2}, theirs[] = {is("between_one"), 2 - is("between_one")};
    int given[2] = {rank, 10 * rank + 1}, taken[2] = {-1, -1};
    MPI_Reduce_scatter(given, taken, rank == 0 ? mine : theirs, MPI_INT, MPI_SUM, both);
    assert(rank == 0 ? taken[0] == 3 && taken[1] == 32 : rank == 1 || taken[0] == is("between_one"));
    MPI_Comm_free(&both);
}

int main(int argc, char **argv) {
    int value = 0;
    MPI_Comm both = MPI_COMM_NULL;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strstr(what, "between"))
        both = connect();
    if (rank == 0 && !is("surprise"))
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is("gather") || is("scatter"))
        rooted();
    else if (is("reduce"))
        reduced();
    else if (strstr(what, "between"))
        reduced_between(both);
    else
        everybody();
    if (rank == 1 && !is("surprise"))
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
