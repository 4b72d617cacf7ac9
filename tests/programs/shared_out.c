/* Rank 0 gives each of the others a number, in the order in which they ask; then all reduce what they were given. What comes of that
 * is the same whoever was given which, if the numbers are integers and it does not depend on who is who.
 *
 *     sum, block, request   MPI_Allreduce, MPI_Reduce_scatter_block and MPI_Iallreduce of integers: the same in every order
 *     greatest              MPI_MAX of floating-point numbers: likewise
 *     rounded               a sum of floating-point numbers: the smaller ones are lost beside 1e20, unless -1e20 came first
 *     own                   a difference, by an operator of the program's own
 *     scan                  MPI_Scan: a rank adds up what those before it were given
 *     gather                who was given which */
/* explore: ranks=4 verdict=race-free args=sum */
/* explore: ranks=4 verdict=race-free args=block */
/* explore: ranks=4 verdict=race-free args=request */
/* explore: ranks=4 verdict=race-free args=greatest */
/* explore: ranks=4 verdict=found class=race-output args=rounded */
/* explore: ranks=4 verdict=found class=race-output args=own */
/* explore: ranks=4 verdict=found class=race-output args=scan */
/* explore: ranks=4 verdict=found class=race-output args=gather */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { RANKS = 4 };

static const double numbers[RANKS] = {3, 1e20, -1e20, 5};
static const char *what;

static int is(const char *word) { return strcmp(what, word) == 0; }

static void subtract(void *in, void *inout, int *length, MPI_Datatype *type) {
    (void)length, (void)type;
    *(int *)inout = *(int *)in - *(int *)inout;
}

static int share_out(int rank) {
    int given = 0, none = 0;
    MPI_Status status;
    for (int i = 1; rank == 0 && i < RANKS; i++) {
        MPI_Recv(&none, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Send(&i, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
    }
    if (rank > 0)
        MPI_Sendrecv(&none, 1, MPI_INT, 0, 0, &given, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return given;
}

static int reduce_integers(int given) {
    int result = 0, all[RANKS];
    const int four[RANKS] = {given, 2 * given, given, given};
    MPI_Op difference;
    MPI_Request request;
    if (is("sum"))
        MPI_Allreduce(&given, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (is("block"))
        MPI_Reduce_scatter_block(four, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (is("scan"))
        MPI_Scan(&given, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (is("request")) {
        MPI_Iallreduce(&given, &result, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (is("own")) {
        MPI_Op_create(subtract, 1, &difference);
        MPI_Allreduce(&given, &result, 1, MPI_INT, difference, MPI_COMM_WORLD);
        MPI_Op_free(&difference);
    }
    if (is("gather")) {
        MPI_Allgather(&given, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
        result = all[1];
    }
    return result;
}

int main(int argc, char **argv) {
    int rank;
    double result = 0;
    MPI_Init(&argc, &argv);
    what = argv[1];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int given = share_out(rank);
    if (is("rounded") || is("greatest"))
        MPI_Allreduce(&numbers[given], &result, 1, MPI_DOUBLE, is("rounded") ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
    else
        result = reduce_integers(given);
    printf("%g\n", result);
    MPI_Finalize();
    return 0;
}
