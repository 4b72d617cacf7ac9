/* A token goes round until the sum of what ranks have sent and received is zero. It starts each round with the sum of the last one,
 * which was not zero as a message had not been received, and never will be: there is no end to what happens, and as rounds are
 * counted no state comes back. explore says where, and what changes; not so if it is given up after 100 rounds, as then a rank
 * has ended in some ordering. */
/* explore: ranks=2 verdict=undecided states=300 says=ended checkpoint=pages */
/* explore: ranks=2 verdict=undecided states=300 says=token.round checkpoint=pages */
/* explore: ranks=3 verdict=undecided states=300 note=no proof=state-graph args=gives_up checkpoint=pages */
/* explore: ranks=2 verdict=race-free args=resets */
#include <limits.h>
#include <mpi.h>
#include <string.h>

enum { WORK, TOKEN, STOP };

static struct { int sum, round; } token;

static void lead(int resets, int rounds) {
    const int sent = 1;
    do {
        token.sum = (resets ? 0 : token.sum) + sent;
        token.round++;
        MPI_Send(&token, 2, MPI_INT, 1, TOKEN, MPI_COMM_WORLD);
        MPI_Recv(&token, 2, MPI_INT, MPI_ANY_SOURCE, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (token.round == 1)
            MPI_Send(NULL, 0, MPI_INT, 1, WORK, MPI_COMM_WORLD);
    } while (token.sum != 0 && token.round < rounds);
    MPI_Send(NULL, 0, MPI_INT, 1, STOP, MPI_COMM_WORLD);
}

static void follow(int works) {
    int received = 0, stopped = 0;
    while (!stopped || received < works) {
        MPI_Status status;
        MPI_Recv(&token, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        received += status.MPI_TAG == WORK;
        stopped += status.MPI_TAG == STOP;
        token.sum -= received;
        if (status.MPI_TAG == TOKEN)
            MPI_Send(&token, 2, MPI_INT, 0, TOKEN, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        lead(argc > 1 && strcmp(argv[1], "resets") == 0, argc > 1 && strcmp(argv[1], "gives_up") == 0 ? 100 : INT_MAX);
    else if (rank == 1)
        follow(ranks - 1);
    else
        MPI_Send(NULL, 0, MPI_INT, 1, WORK, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
