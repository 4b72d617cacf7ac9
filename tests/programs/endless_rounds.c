/* A token goes round until the sum of what ranks have sent and received is zero. It starts each round with the sum of the last one,
 * which was not zero as a message had not been received, and never will be: there is no end to what happens, and as rounds are counted no
 * state comes back. explore says where, and what changes. */
/* explore: ranks=2 verdict=undecided states=300 says=ended checkpoint=pages */
/* explore: ranks=2 verdict=undecided states=300 says=token.round checkpoint=pages */
/* explore: ranks=2 verdict=race-free args=resets */
#include <mpi.h>
#include <string.h>

enum { WORK, TOKEN, STOP };

static struct { int sum, round; } token;

static void lead(int resets) {
    const int sent = 1;
    do {
        token.sum = (resets ? 0 : token.sum) + sent;
        token.round++;
        MPI_Send(&token, 2, MPI_INT, 1, TOKEN, MPI_COMM_WORLD);
        MPI_Recv(&token, 2, MPI_INT, MPI_ANY_SOURCE, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (token.round == 1)
            MPI_Send(NULL, 0, MPI_INT, 1, WORK, MPI_COMM_WORLD);
    } while (token.sum != 0);
    MPI_Send(NULL, 0, MPI_INT, 1, STOP, MPI_COMM_WORLD);
}

static void follow(void) {
    MPI_Status status;
    int received = 0;
    do {
        MPI_Recv(&token, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        received += status.MPI_TAG == WORK;
        token.sum -= received;
        if (status.MPI_TAG == TOKEN)
            MPI_Send(&token, 2, MPI_INT, 0, TOKEN, MPI_COMM_WORLD);
    } while (status.MPI_TAG != STOP);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        lead(argc > 1 && strcmp(argv[1], "resets") == 0);
    else
        follow();
    MPI_Finalize();
    return 0;
}
