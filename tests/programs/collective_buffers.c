/* What a program does with the buffers of a nonblocking collective before it is complete (MPI-3.1 5.12: what is sent must not be
 * changed, what is received not touched): each mistake, and beside it the nearest right program. */
/* explore: ranks=3 verdict=found class=buffer-in-use args=bcast_read */
/* explore: ranks=3 verdict=found class=buffer-in-use args=bcast_written */
/* explore: ranks=3 verdict=race-free args=bcast_read_after */
/* explore: ranks=3 verdict=found class=buffer-in-use args=bcast_root_changed */
/* explore: ranks=3 verdict=race-free args=bcast_root_read */
/* explore: ranks=3 verdict=found class=buffer-in-use args=allreduce_read */
/* explore: ranks=3 verdict=found class=buffer-in-use args=allreduce_input_changed */
/* explore: ranks=3 verdict=race-free args=allreduce_input_read */
/* explore: ranks=3 verdict=found class=buffer-in-use args=allreduce_in_place_read */
/* explore: ranks=3 verdict=race-free args=allreduce_in_place */
/* explore: ranks=3 verdict=found class=buffer-in-use args=alltoallv_element */
/* explore: ranks=3 verdict=race-free args=alltoallv_gap */
/* explore: ranks=3 verdict=found class=buffer-in-use args=alltoallv_sent_changed */
/* explore: ranks=3 verdict=race-free args=alltoallv_sent_gap */
/* explore: ranks=3 verdict=found class=buffer-in-use args=gather_read */
/* explore: ranks=3 verdict=race-free args=gather_not_root */
/* explore: ranks=3 verdict=found class=buffer-in-use args=reduce_scatter_rest_changed */
/* explore: ranks=3 verdict=race-free args=reduce_scatter_in_place */
/* explore: ranks=3 verdict=found class=buffer-in-use args=neighbours_read */
/* explore: ranks=3 verdict=found class=buffer-in-use args=neighbours_sent_changed */
/* explore: ranks=3 verdict=race-free args=neighbours */
/* explore: ranks=3 verdict=found class=buffer-in-use args=two_share_result */
/* explore: ranks=3 verdict=race-free args=two_share_input */
/* explore: ranks=3 verdict=found class=buffer-in-use args=blocking_beside_pending */
/* explore: ranks=3 verdict=race-free args=barrier */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, ranks;
static const char *what;
static MPI_Request request;
static const MPI_Comm world = MPI_COMM_WORLD;

static int is(const char *name) { return strcmp(what, name) == 0; }
static void complete(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

/* Rank 2 is the root. */
static int bcast(void) {
    int value = rank, copy = 0;
    MPI_Ibcast(&value, 1, MPI_INT, 2, world, &request);
    if ((is("bcast_read") && rank == 0) || (is("bcast_root_read") && rank == 2))
        copy = value;
    if ((is("bcast_written") && rank == 0) || (is("bcast_root_changed") && rank == 2))
        value = 5;
    complete();
    return is("bcast_read_after") ? value : copy;
}

static int allreduce(void) {
    int input = rank + 1, result = 0, copy = 0;
    int in_place = strstr(what, "in_place") != NULL;
    MPI_Iallreduce(in_place ? MPI_IN_PLACE : &input, in_place ? &input : &result, 1, MPI_INT, MPI_SUM, world, &request);
    if (is("allreduce_read"))
        copy = result;
    if (is("allreduce_input_changed"))
        input = 0;
    if (is("allreduce_input_read") || is("allreduce_in_place_read"))
        copy = input;
    complete();
    return copy + (in_place ? input : result);
}

/* Every other number is sent or received; those between are the program's. */
static int alltoallv(void) {
    int sent[6], received[6] = {0}, counts[3] = {1, 1, 1}, places[3] = {0, 2, 4}, copy = 0;
    for (int i = 0; i < 6; i++)
        sent[i] = 10 * rank + i;
    MPI_Ialltoallv(sent, counts, places, MPI_INT, received, counts, places, MPI_INT, world, &request);
    if (is("alltoallv_element"))
        copy = received[4];
    if (is("alltoallv_gap"))
        copy = ++received[3];
    if (is("alltoallv_sent_changed"))
        sent[2]++;
    if (is("alltoallv_sent_gap"))
        sent[3]++;
    complete();
    return copy + received[2] + received[4] + sent[3];
}

static int gather(void) {
    int value = rank, all[3] = {-1, -1, -1}, copy = 0;
    MPI_Igather(&value, 1, MPI_INT, all, 1, MPI_INT, 1, world, &request);
    if ((is("gather_read") && rank == 1) || (is("gather_not_root") && rank != 1))
        copy = all[2];
    complete();
    return copy + (rank == 1 ? all[2] : 0);
}

/* In place, the input is three numbers and the result the first of them. */
static int reduce_scatter(void) {
    int value[4] = {rank, rank, rank, 9};
    MPI_Ireduce_scatter_block(MPI_IN_PLACE, value, 1, MPI_INT, MPI_SUM, world, &request);
    value[is("reduce_scatter_rest_changed") ? 2 : 3]++;
    complete();
    return value[0];
}

static int neighbours(void) {
    int sent[2] = {rank, -rank}, received[2] = {0}, copy = 0;
    MPI_Comm ring;
    MPI_Cart_create(world, 1, &ranks, (int[]){1}, 0, &ring);
    MPI_Ineighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, ring, &request);
    if (is("neighbours_read"))
        copy = received[1];
    if (is("neighbours_sent_changed"))
        sent[1] = 7;
    complete();
    MPI_Comm_free(&ring);
    return copy + received[0] + received[1];
}

static int two(void) {
    int input = rank, result[2] = {0};
    MPI_Request requests[2];
    int second = is("two_share_result") ? 0 : 1;
    MPI_Iallreduce(&input, &result[0], 1, MPI_INT, MPI_SUM, world, &requests[0]);
    MPI_Iallreduce(&input, &result[second], 1, MPI_INT, MPI_MAX, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return result[0] + result[1];
}

static int blocking_beside_pending(void) {
    int value = rank, sum = 0;
    MPI_Ibcast(&value, 1, MPI_INT, 0, world, &request);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, world);
    complete();
    return sum;
}

static int barrier(void) {
    static int value = 3;
    MPI_Ibarrier(world, &request);
    int copy = value++;
    complete();
    return copy;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    what = argv[1];
    static const struct {
        const char *start;
        int (*run)(void);
    } cases[] = {{"bcast", bcast},
                 {"allreduce", allreduce},
                 {"alltoallv", alltoallv},
                 {"gather", gather},
                 {"neighbours", neighbours},
                 {"reduce_scatter", reduce_scatter},
                 {"two", two},
                 {"blocking", blocking_beside_pending},
                 {"barrier", barrier}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strncmp(what, cases[i].start, strlen(cases[i].start)) == 0)
            printf("%d\n", cases[i].run());
    MPI_Finalize();
    return 0;
}
