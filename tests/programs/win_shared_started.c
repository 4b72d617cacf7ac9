/* Accesses between MPI_Win_start and MPI_Win_complete to a shared window, beside loads and stores to it. Rank 0, and with "both" rank
 * 2 as well, access the segment of rank 1, between its post and its wait. MPI_Win_complete completes a put at its origin only (MPI-3.1
 * section 11.5.2): nobody may load it before rank 1 has waited and, if it is somebody else, has been heard of since. A get is over when
 * its origin's MPI_Win_complete is. What is stored before the post, and by whom rank 1 has heard of, comes before. Accumulates of two
 * origins come in any order, which shows in what is fetched, if not in the sum of it; from two places each, that is refused. */
/* explore: ranks=3 verdict=race-free args=put */
/* explore: ranks=3 verdict=race-free args=put_tested */
/* explore: ranks=3 verdict=race-free args=put_twice */
/* explore: ranks=3 verdict=race-free args=put_load_elsewhere */
/* explore: ranks=3 verdict=race-free args=put_load_after_wait */
/* explore: ranks=3 verdict=race-free args=put_store_before_post */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_load checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=same_load checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_load_after_complete checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_own_load checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_own_load_after_complete checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_target_load checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_answered checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_store checkpoint=pages */
/* explore: ranks=3 verdict=found class=rma-conflict args=put_target_store checkpoint=pages */
/* explore: ranks=3 verdict=race-free args=get_load */
/* explore: ranks=3 verdict=race-free args=get_store_after_complete */
/* explore: ranks=3 verdict=found class=rma-conflict|race-output args=get_store checkpoint=pages */
/* explore: ranks=3 verdict=race-free args=both_apart */
/* explore: ranks=3 verdict=race-free args=both_accumulate */
/* explore: ranks=3 verdict=race-free args=both_fetch_sum */
/* explore: ranks=3 verdict=race-free args=both_swap */
/* explore: ranks=3 verdict=found class=race-output args=both_fetch */
/* explore: ranks=3 verdict=cannot-run args=both_fetch_crossing mpiexec=no */
/* explore: ranks=3 verdict=found class=rma-conflict args=both_put */
/* explore: ranks=3 verdict=found class=rma-conflict args=both_mixed */
/* explore: ranks=3 verdict=found class=deadlock args=unposted */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ORIGIN, TARGET, OTHER };

static MPI_Win window;
static int *cell; /* of rank 1 */
static const char *what;
static int got, other;

static int is(const char *name) { return strcmp(what, name) == 0; }
static int begins(const char *name) { return strncmp(what, name, strlen(name)) == 0; }

static void tell(int whom) { MPI_Send(NULL, 0, MPI_INT, whom, 0, MPI_COMM_WORLD); }
static void hear(int whom) { MPI_Recv(NULL, 0, MPI_INT, whom, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static MPI_Group group_of(int first, int second) {
    int member[2] = {first, second};
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, second < 0 ? 1 : 2, member, &group);
    MPI_Group_free(&world);
    return group;
}

static void access_target(int rank) {
    int value = begins("same") ? 0 : 7 + rank, one = 1, none = 0;
    if (begins("put") || begins("same") || is("both_put"))
        MPI_Put(&value, 1, MPI_INT, TARGET, 0, 1, MPI_INT, window);
    if (is("both_apart"))
        MPI_Put(&value, 1, MPI_INT, TARGET, rank == ORIGIN ? 0 : 1, 1, MPI_INT, window);
    if (begins("get"))
        MPI_Get(&got, 1, MPI_INT, TARGET, 0, 1, MPI_INT, window);
    if (is("both_accumulate") || (is("both_mixed") && rank == ORIGIN))
        MPI_Accumulate(&value, 1, MPI_INT, TARGET, 0, 1, MPI_INT, MPI_SUM, window);
    if (is("both_mixed") && rank == OTHER)
        MPI_Accumulate(&value, 1, MPI_INT, TARGET, 0, 1, MPI_INT, MPI_PROD, window);
    if (begins("both_fetch"))
        MPI_Fetch_and_op(&one, &got, MPI_INT, TARGET, 0, MPI_SUM, window);
    if (is("both_fetch_crossing"))
        MPI_Fetch_and_op(&one, &other, MPI_INT, TARGET, 1, MPI_SUM, window);
    if (is("both_swap"))
        MPI_Compare_and_swap(&one, &none, &got, MPI_INT, TARGET, 0, window);
    MPI_Win_complete(window);
}

static void be_origin(int rank) {
    MPI_Group target = group_of(TARGET, -1);
    MPI_Win_start(target, 0, window);
    if (is("put_answered")) { /* what rank 2 loads between two messages may be loaded before the put or after it */
        int value = 7;
        MPI_Put(&value, 1, MPI_INT, TARGET, 0, 1, MPI_INT, window);
        tell(OTHER);
        hear(OTHER);
        MPI_Win_complete(window);
    } else {
        access_target(rank);
    }
    if (is("put_twice")) {
        MPI_Win_start(target, 0, window);
        access_target(rank);
    }
    if (is("put_load_after_complete"))
        tell(OTHER);
    if (is("get_store_after_complete"))
        tell(OTHER);
    if (begins("put_own_load") && rank == ORIGIN) {
        if (is("put_own_load_after_complete"))
            hear(OTHER); /* which says nothing of rank 1 */
        printf("%d\n", cell[0]);
    }
    MPI_Group_free(&target);
}

static void be_target(void) {
    int done = 0;
    if (is("unposted"))
        return;
    MPI_Group origins = group_of(ORIGIN, begins("both") ? OTHER : -1);
    if (is("put_store_before_post"))
        hear(OTHER);
    MPI_Win_post(origins, 0, window);
    if (is("put_target_load"))
        printf("%d\n", cell[0]);
    if (is("put_target_store"))
        cell[0] = 5;
    if (is("put_tested"))
        while (!done)
            MPI_Win_test(window, &done);
    else
        MPI_Win_wait(window);
    if (!begins("get"))
        printf("%d %d\n", cell[0], cell[1]);
    if (is("put_twice")) {
        cell[0] = 1;
        MPI_Win_post(origins, 0, window);
        MPI_Win_wait(window);
        printf("%d\n", cell[0]);
    }
    if (is("put_load_after_wait"))
        tell(OTHER);
    MPI_Group_free(&origins);
}

static void be_other(void) {
    if (is("put_load_after_wait"))
        hear(TARGET);
    if (is("put_load_after_complete") || is("put_answered") || is("get_store_after_complete"))
        hear(ORIGIN);
    if (is("put_load") || is("same_load") || is("put_load_after_wait") || is("put_load_after_complete") || is("put_answered") ||
        is("get_load"))
        printf("%d\n", cell[0]);
    if (is("put_load_elsewhere"))
        printf("%d\n", cell[1]);
    if (is("put_store") || is("put_store_before_post") || is("get_store") || is("get_store_after_complete"))
        cell[0] = 9;
    if (is("put_answered") || is("put_own_load_after_complete"))
        tell(ORIGIN);
    if (is("put_store_before_post"))
        tell(TARGET);
}

int main(int argc, char **argv) {
    int rank, unit, *own;
    MPI_Aint size;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "put";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    MPI_Win_shared_query(window, TARGET, &size, &unit, &cell);
    if (rank == TARGET)
        be_target();
    else if (rank == ORIGIN || begins("both"))
        be_origin(rank);
    else
        be_other();
    if (is("both_fetch"))
        printf("%d\n", got);
    int sum;
    MPI_Reduce(&got, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", sum);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
