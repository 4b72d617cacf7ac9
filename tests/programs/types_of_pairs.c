/* Types that only two processes must agree on: those of a message received by MPI_Mrecv, and of each block of a v- or w-variant
 * (MPI-3.1 3.3.1, 5.5, 5.8). In each case rank 1 and rank 0 have equal types, made otherwise, or with "other" an int on one
 * side and a float on the other. The same of collectives in which all must have the same. */
/* explore: ranks=2 verdict=race-free args=mrecv */
/* explore: ranks=2 verdict=found class=type-mismatch says=MPI_FLOAT args=mrecv_other mpiexec=no */
/* explore: ranks=2 verdict=race-free args=imrecv */
/* explore: ranks=2 verdict=found class=type-mismatch says=MPI_FLOAT args=imrecv_other mpiexec=no */
/* explore: ranks=3 verdict=race-free args=gatherv */
/* explore: ranks=3 verdict=found class=type-mismatch says=MPI_FLOAT args=gatherv_other mpiexec=no */
/* explore: ranks=3 verdict=race-free args=scatterv */
/* explore: ranks=3 verdict=race-free args=bcast */
/* explore: ranks=3 verdict=found class=type-mismatch says=MPI_FLOAT args=bcast_other mpiexec=no */
/* explore: ranks=3 verdict=race-free args=allgather */
/* explore: ranks=3 verdict=found class=type-mismatch says=MPI_FLOAT args=allgather_other mpiexec=no */
/* explore: ranks=3 verdict=found class=type-mismatch says=MPI_FLOAT args=scatterv_other mpiexec=no */
/* explore: ranks=3 verdict=race-free args=allgatherv */
/* explore: ranks=3 verdict=found class=type-mismatch says=MPI_FLOAT args=allgatherv_other mpiexec=no */
/* explore: ranks=3 verdict=race-free args=alltoallv */
/* explore: ranks=3 verdict=found class=type-mismatch says=MPI_FLOAT args=alltoallv_other mpiexec=no */
/* explore: ranks=3 verdict=race-free args=alltoallw */
/* explore: ranks=3 verdict=found class=type-mismatch says=MPI_FLOAT args=alltoallw_other mpiexec=no */
/* explore: ranks=3 verdict=race-free args=ialltoallw */
/* explore: ranks=3 verdict=found class=type-mismatch says=MPI_FLOAT args=ialltoallw_other mpiexec=no */
#include <mpi.h>
#include <string.h>

static int rank, ranks;
static MPI_Datatype odd; /* what rank 1 uses for one block of two elements */
static int odd_count;

static void receive_message(int later) {
    int value[2] = {1, 2};
    MPI_Message message;
    MPI_Request request;
    if (rank == 1) {
        MPI_Send(value, odd_count, odd, 0, 0, MPI_COMM_WORLD);
        return;
    }
    MPI_Mprobe(1, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    if (later) {
        MPI_Imrecv(value, 2, MPI_INT, &message, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Mrecv(value, 2, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
}

static void exchange(const char *what) {
    int from[8] = {0}, to[8] = {0}, counts[3] = {2, 2, 2}, places[3] = {0, 2, 4};
    int own_count = rank == 1 ? odd_count : 2;
    MPI_Datatype own = rank == 1 ? odd : MPI_INT;
    if (strncmp(what, "gatherv", 7) == 0)
        MPI_Gatherv(from, own_count, own, to, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    if (strncmp(what, "scatterv", 8) == 0)
        MPI_Scatterv(from, counts, places, MPI_INT, to, own_count, own, 0, MPI_COMM_WORLD);
    if (strncmp(what, "bcast", 5) == 0)
        MPI_Bcast(to, own_count, own, 0, MPI_COMM_WORLD);
    if (strcmp(what, "allgather") == 0 || strcmp(what, "allgather_other") == 0)
        MPI_Allgather(from, own_count, own, to, own_count, own, MPI_COMM_WORLD);
    if (strncmp(what, "allgatherv", 10) == 0)
        MPI_Allgatherv(from, own_count, own, to, counts, places, MPI_INT, MPI_COMM_WORLD);
}

/* Only what rank 1 sends to rank 2 is odd. */
static void exchange_all(const char *what) {
    int from[8] = {0}, to[8] = {0}, own[3] = {2, 2, 2}, counts[3] = {2, 2, 2}, places[3] = {0, 2, 4}, bytes[3] = {0, 8, 16};
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT}, own_types[3] = {MPI_INT, MPI_INT, MPI_INT};
    MPI_Request request;
    if (rank == 1) {
        own[2] = odd_count;
        own_types[2] = odd;
    }
    if (strncmp(what, "alltoallv", 9) == 0 && rank == 1) { /* one type for all: three blocks of it */
        own[0] = own[1] = odd_count;
        for (int i = 0; i < 3; i++)
            places[i] = i * odd_count;
    }
    if (strncmp(what, "alltoallv", 9) == 0)
        MPI_Alltoallv(from, own, places, own_types[2], to, counts, (int[]){0, 2, 4}, MPI_INT, MPI_COMM_WORLD);
    if (strncmp(what, "alltoallw", 9) == 0)
        MPI_Alltoallw(from, own, bytes, own_types, to, counts, bytes, types, MPI_COMM_WORLD);
    if (strncmp(what, "ialltoallw", 10) == 0) {
        MPI_Ialltoallw(from, own, bytes, own_types, to, counts, bytes, types, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv) {
    MPI_Datatype two;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *what = argv[1];
    int other = strstr(what, "_other") != NULL;
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_commit(&two);
    odd = other ? MPI_FLOAT : two;
    odd_count = other ? 2 : 1;
    if (strstr(what, "mrecv"))
        receive_message(*what == 'i');
    exchange(what);
    if (strstr(what, "alltoall"))
        exchange_all(what);
    MPI_Type_free(&two);
    MPI_Finalize();
    return 0;
}
