/* What must not be done with a persistent collective (MPI-4.0 section 6.13). It is started twice, freed or cancelled while it is active,
 * or never freed; "order": the ranks make two in different orders; "alone": one rank makes none; "not_started": one rank does not start
 * its own; "beside": it is no nonblocking one; "changed": what is sent is changed while it is active. "right" does none of these,
 * "many" makes and frees several on a communicator that goes before they do, and "root_first" is over for the root before others start. */
/* explore: ranks=2 verdict=race-free args=right */
/* explore: ranks=3 verdict=race-free args=many */
/* explore: ranks=2 verdict=race-free args=root_first buffering=infinite mpiexec=no */
/* explore: ranks=2 verdict=found class=deadlock args=root_first */
/* explore: ranks=2 verdict=found class=invalid-argument args=started_twice */
/* explore: ranks=2 verdict=found class=invalid-argument args=freed_active */
/* explore: ranks=2 verdict=found class=invalid-argument args=cancelled */
/* explore: ranks=2 verdict=found class=handle-leak args=not_freed */
/* explore: ranks=2 verdict=found class=request-leak args=not_completed */
/* explore: ranks=2 verdict=found class=collective-mismatch args=order */
/* explore: ranks=2 verdict=found class=deadlock args=alone */
/* explore: ranks=2 verdict=found class=deadlock args=not_started */
/* explore: ranks=2 verdict=found class=collective-mismatch args=beside */
/* explore: ranks=2 verdict=found class=buffer-in-use args=changed */
#include <assert.h>
#include <mpi.h>
#include <string.h>

static int rank;
static const char *mode = "right";
static int is(const char *wanted) { return strcmp(mode, wanted) == 0; }

static MPI_Request sum_init(int *number, int *sum, MPI_Comm communicator) {
    MPI_Request request;
    MPI_Allreduce_init(number, sum, 1, MPI_INT, MPI_SUM, communicator, MPI_INFO_NULL, &request);
    return request;
}

static void many(void) {
    int number = rank + 1, sum[2];
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int round = 0; round < 3; round++) {
        MPI_Request request[2] = {sum_init(&number, &sum[0], copy), sum_init(&number, &sum[1], copy)};
        if (round == 2)
            MPI_Comm_free(&copy);
        MPI_Start(&request[rank % 2]);
        MPI_Start(&request[1 - rank % 2]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        assert(sum[0] == 6 && sum[1] == 6);
        MPI_Request_free(&request[0]);
        MPI_Request_free(&request[1]);
    }
}

static void order(void) {
    int number = 1, sum;
    MPI_Request request[2];
    if (rank == 0)
        request[0] = sum_init(&number, &sum, MPI_COMM_WORLD);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
    if (rank == 1)
        request[0] = sum_init(&number, &sum, MPI_COMM_WORLD);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

static void beside(void) {
    MPI_Request request;
    if (rank == 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
    } else {
        MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The root of a broadcast need not wait for those who get its data, and may. */
static void root_first(void) {
    int number = rank;
    MPI_Request request;
    MPI_Bcast_init(&number, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 1)
        MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Request_free(&request);
}

static void one(void) {
    int number = rank, sum;
    MPI_Request request;
    if (is("alone") && rank == 1)
        return;
    request = sum_init(&number, &sum, MPI_COMM_WORLD);
    if (!is("not_started") || rank == 0)
        MPI_Start(&request);
    if (is("started_twice"))
        MPI_Start(&request);
    if (is("freed_active"))
        MPI_Request_free(&request);
    if (is("cancelled"))
        MPI_Cancel(&request);
    if (is("changed"))
        number = 7;
    if (!is("not_completed"))
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!is("not_freed") && !is("not_completed"))
        MPI_Request_free(&request);
}

int main(int argc, char **argv) {
    mode = argc > 1 ? argv[1] : mode;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (is("many"))
        many();
    else if (is("order"))
        order();
    else if (is("beside"))
        beside();
    else if (is("root_first"))
        root_first();
    else
        one();
    MPI_Finalize();
    return 0;
}
