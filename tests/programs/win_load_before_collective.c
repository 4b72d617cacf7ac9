/* Rank 0 loads what rank 1 puts in the same epoch, or under a lock, after both have been in a collective. If that brings something from
 * rank 0 to rank 1, the put comes after the load. If it brings rank 1 nothing, because rank 1 is the root of a broadcast, or has only
 * given rank 0 something, nothing orders the two (MPI-3.1 sections 5.1 and 11.7). Nor does a probe that finds nothing,
 * or a message to oneself.
 *
 *   first word: the epoch: fence, post, lock; word: fence, and rank 1 has a message of rank 2 before, who knows nothing of rank 0
 *   second:     the collective: bcast, ibcast, scatter, gather, igather, reduce, with its root; or probe, self */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+bcast1 */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+ibcast1 */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+scatter1 */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+gather0 */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+reduce0 */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+probe */
/* explore: ranks=3 verdict=found class=rma-conflict args=fence+self */
/* explore: ranks=3 verdict=race-free args=fence+bcast0 */
/* explore: ranks=3 verdict=race-free args=fence+ibcast0 */
/* explore: ranks=3 verdict=race-free args=fence+gather1 */
/* explore: ranks=3 verdict=race-free args=fence+igather1 */
/* explore: ranks=3 verdict=race-free args=fence+reduce1 */
/* explore: ranks=3 verdict=found class=rma-conflict args=word+bcast1 */
/* explore: ranks=3 verdict=found class=rma-conflict args=word+gather0 */
/* explore: ranks=3 verdict=found class=rma-conflict args=word+self */
/* explore: ranks=3 verdict=race-free args=word+gather1 */
/* explore: ranks=3 verdict=found class=rma-conflict args=post+bcast1 */
/* explore: ranks=3 verdict=found class=rma-conflict args=post+gather0 */
/* explore: ranks=3 verdict=race-free args=post+bcast0 */
/* explore: ranks=3 verdict=found class=rma-conflict args=lock+bcast1 */
/* explore: ranks=3 verdict=race-free args=lock+gather1 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3 };

static int rank, number, numbers[RANKS];
static MPI_Win window;
static MPI_Group other;
static const char *how, *what;

static int is(const char *word, const char *name) { return strcmp(word, name) == 0; }
static int begins(const char *name) { return strncmp(what, name, strlen(name)) == 0; }

static void probe(void) {
    int found;
    if (rank == 1)
        MPI_Iprobe(2, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

static void communicate(void) {
    const int root = atoi(&what[strlen(what) - 1]);
    MPI_Request request = MPI_REQUEST_NULL;
    if (begins("bcast"))
        MPI_Bcast(&number, 1, MPI_INT, root, MPI_COMM_WORLD);
    else if (begins("ibcast"))
        MPI_Ibcast(&number, 1, MPI_INT, root, MPI_COMM_WORLD, &request);
    else if (begins("scatter"))
        MPI_Scatter(numbers, 1, MPI_INT, &number, 1, MPI_INT, root, MPI_COMM_WORLD);
    else if (begins("gather"))
        MPI_Gather(&number, 1, MPI_INT, numbers, 1, MPI_INT, root, MPI_COMM_WORLD);
    else if (begins("igather"))
        MPI_Igather(&number, 1, MPI_INT, numbers, 1, MPI_INT, root, MPI_COMM_WORLD, &request);
    else if (begins("reduce"))
        MPI_Reduce(&number, numbers, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    else if (begins("self"))
        MPI_Sendrecv(&number, 1, MPI_INT, 0, 0, numbers, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    else
        probe();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void hear_of_another(void) {
    if (rank == 2)
        MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&number, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void begin_epoch(void) {
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &(int){1 - rank % 2}, &other);
    MPI_Group_free(&all);
    if (is(how, "fence") || is(how, "word"))
        MPI_Win_fence(0, window);
    else if (is(how, "post") && rank == 0)
        MPI_Win_post(other, 0, window);
    else if (is(how, "post") && rank == 1)
        MPI_Win_start(other, 0, window);
}

static void end_epoch(void) {
    if (is(how, "fence") || is(how, "word"))
        MPI_Win_fence(0, window);
    else if (is(how, "post") && rank == 0)
        MPI_Win_wait(window);
    else if (is(how, "post") && rank == 1)
        MPI_Win_complete(window);
    MPI_Group_free(&other);
}

static void put(void) {
    static const int seven = 7;
    if (is(how, "lock"))
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Put(&seven, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    if (is(how, "lock"))
        MPI_Win_unlock(0, window);
}

int main(int argc, char **argv) {
    char words[] = "fence+bcast1";
    int *cell, loaded = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    how = strtok(argc > 1 ? argv[1] : words, "+");
    what = strtok(NULL, "+");
    MPI_Win_allocate(sizeof *cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &window);
    *cell = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    begin_epoch();
    if (is(how, "word"))
        hear_of_another();
    if (rank == 0)
        loaded = *cell;
    communicate();
    if (rank == 1)
        put();
    end_epoch();
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d\n", loaded);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
