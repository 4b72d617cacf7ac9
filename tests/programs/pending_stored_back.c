/* What is received into must not be stored to before that is complete, also if it is left as it is (MPI-3.1 3.7.2): what is stored back
 * may undo what has come meanwhile. No other content of the buffer shows that; it is found in pages that have nothing but the buffer. */
/* explore: ranks=2 verdict=found class=buffer-in-use args=irecv says=(pending_stored_back.c:24) */
/* explore: ranks=2 verdict=found class=buffer-in-use args=second says=MPI_Irecv */
/* explore: ranks=2 verdict=found class=buffer-in-use args=iallreduce says=MPI_Iallreduce */
/* explore: ranks=2 verdict=race-free args=irecv_beside */
/* explore: ranks=2 verdict=race-free args=irecv_completed */
/* explore: ranks=2 verdict=race-free args=second_completed */
/* explore: ranks=2 verdict=race-free args=iallreduce_beside */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 4096, HALF = MANY / 2 };
static const char *what;
static double *field;
static volatile double one = 1;

static int has(const char *part) { return strstr(what, part) != NULL; }

static void scale(int from, int to) {
    for (int i = from; i < to; i++)
        field[i] *= one;
}

int main(int argc, char **argv) {
    int rank, index;
    double *given = calloc(HALF, sizeof *given);
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    what = argv[1];
    field = calloc(MANY, sizeof *field);
    if (has("iallreduce")) {
        MPI_Iallreduce(given, field, HALF, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request[0]);
    } else if (rank == 1) {
        MPI_Send(given, HALF, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        MPI_Send(given, HALF, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(field, HALF, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request[0]);
    }
    if (rank == 0 && has("second")) {
        MPI_Irecv(field + HALF, HALF, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
        scale(index * HALF, (index + 1) * HALF);
    }
    if (has("completed"))
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    if (rank == 0 && has("beside"))
        scale(HALF, MANY);
    else if (rank == 0)
        scale(0, MANY);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    if (rank == 0 && !has("second") && !has("iallreduce"))
        MPI_Recv(given, HALF, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(field);
    free(given);
    MPI_Finalize();
    return 0;
}
