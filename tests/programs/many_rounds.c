/* All send to all in 30 rounds, each with a tag of its own, and receive in any order. A rank may be a round ahead of another, but not
 * take part in its choices: each of 5 ranks chooses 30 times among 4 messages, so that a round has a few thousand states at most (it is
 * remembered which message was the last), once it is known of each local state what still follows from it. If anything may follow from
 * one that has just been met, there are millions. */
/* explore: ranks=5 verdict=race-free proof=state-graph states=100000 checkpoint=pages */
#include <mpi.h>
#include <stdio.h>

enum { RANKS_MOST = 8, ROUNDS = 30 };

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    unsigned own = (unsigned)rank, came[RANKS_MOST] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request send[RANKS_MOST];
        int sends = 0;
        for (int to = 0; to < ranks; to++)
            if (to != rank)
                MPI_Isend(&own, 1, MPI_UNSIGNED, to, round, MPI_COMM_WORLD, &send[sends++]);
        for (int i = 1; i < ranks; i++) {
            unsigned value;
            MPI_Status status;
            MPI_Recv(&value, 1, MPI_UNSIGNED, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
            came[status.MPI_SOURCE] = value;
        }
        MPI_Waitall(sends, send, MPI_STATUSES_IGNORE);
        for (int from = 0; from < ranks; from++)
            own = own * 3 + came[from];
    }
    printf("%u\n", own);
    MPI_Finalize();
    return 0;
}
