/* Requests in a report are numbered as the program has them in its list, null and inactive ones included: rank 0 waits for two
 * receives, which are the only active requests of a long list, and prints what comes in the order in which it is told of them.
 * Told of the second first, the ordering names place 2345 (args=some: of MPI_Waitsome, args=test: of MPI_Testany). */
/* explore: ranks=2 verdict=found class=race-output says=2345 differences=1 */
/* explore: ranks=2 verdict=found class=race-output args=some says=2345 */
/* explore: ranks=2 verdict=found class=race-output args=test says=2345 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 2346, FIRST = 1234, SECOND = PLACES - 1 };

static int next(const char *how, MPI_Request *list) {
    int place = MPI_UNDEFINED, told = 1, flag = 0;
    if (!strcmp(how, "some")) {
        int places[2] = {0, 0};
        MPI_Waitsome(PLACES, list, &told, places, MPI_STATUSES_IGNORE);
        return told == 2 ? FIRST : places[0]; /* both: what is left is null */
    }
    if (!strcmp(how, "test"))
        while (!flag)
            MPI_Testany(PLACES, list, &place, &flag, MPI_STATUS_IGNORE);
    else
        MPI_Waitany(PLACES, list, &place, MPI_STATUS_IGNORE);
    return place;
}

static void collect(const char *how) {
    static MPI_Request list[PLACES];
    int value[2];
    for (int i = 0; i < PLACES; i++)
        list[i] = MPI_REQUEST_NULL;
    MPI_Irecv(&value[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &list[FIRST]);
    MPI_Irecv(&value[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &list[SECOND]);
    printf("%s came first\n", next(how, list) == FIRST ? "the first" : "the second");
    MPI_Waitall(PLACES, list, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        collect(argc > 1 ? argv[1] : "any");
    if (rank == 1) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
