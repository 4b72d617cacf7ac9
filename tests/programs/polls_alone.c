/* What looking at each rank alone can prove of ranks that look again and again whether something has come, and what it cannot: of that it
 * says undecided. The number of states would be beyond any time if all ranks were looked at together: each of 16 has two neighbours
 * whose messages come in either order, in each of 10 rounds, which they may be in while others are still in the one before. */
/* explore: ranks=16 verdict=race-free proof=decomposition args=iprobe checkpoint=pages */
/* explore: ranks=16 verdict=race-free proof=decomposition args=mprobe checkpoint=pages */
/* explore: ranks=16 verdict=race-free proof=decomposition args=improbe checkpoint=pages */
/* explore: ranks=16 verdict=race-free proof=decomposition args=test checkpoint=pages */
/* explore: ranks=16 verdict=race-free proof=decomposition args=testall checkpoint=pages */
/* explore: ranks=16 verdict=race-free proof=decomposition args=testany checkpoint=pages */
/* explore: ranks=16 verdict=race-free proof=decomposition args=testsome checkpoint=pages */
/* explore: ranks=4 verdict=undecided proof=decomposition args=late says=once */
/* explore: ranks=3 verdict=race-free proof=state-graph args=late */
/* explore: ranks=3 verdict=undecided proof=decomposition args=wrong_type says=receives */
/* explore: ranks=3 verdict=found class=type-mismatch args=wrong_type mpiexec=no */
/* explore: ranks=3 verdict=undecided proof=decomposition args=counts says=depends */
/* explore: ranks=3 verdict=found class=race-output args=counts */
/* explore: ranks=3 verdict=undecided proof=decomposition args=only_first says=come */
/* explore: ranks=3 verdict=found class=livelock args=only_first mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 10, LENGTH = 4 };

static int rank, ranks;

/* A message of this round from whichever neighbour, of as many values as it has. */
static void receive_probed(const char *way, int round, double slot[2][LENGTH]) {
    int there = 0, count, matched = strstr(way, "mprobe") != NULL, polls = way[0] == 'i';
    MPI_Status status;
    MPI_Message message;
    if (matched && !polls)
        MPI_Mprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &message, &status);
    while (matched && polls && !there)
        MPI_Improbe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &there, &message, &status);
    while (!matched && !there)
        MPI_Iprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &there, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    double *into = slot[status.MPI_SOURCE == (rank + 1) % ranks];
    if (matched)
        MPI_Mrecv(into, count, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    else
        MPI_Recv(into, count, MPI_DOUBLE, status.MPI_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receive_tested(const char *way, int round, double slot[2][LENGTH]) {
    int all = strcmp(way, "testall") == 0;
    MPI_Request request[2];
    MPI_Irecv(slot[0], LENGTH, MPI_DOUBLE, (rank + ranks - 1) % ranks, round, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(slot[1], LENGTH, MPI_DOUBLE, (rank + 1) % ranks, round, MPI_COMM_WORLD, &request[1]);
    for (int done = 0, now, which[2]; done < 2; done += all && now ? 2 : now) {
        if (strcmp(way, "test") == 0)
            MPI_Test(&request[done], &now, MPI_STATUS_IGNORE);
        else if (strcmp(way, "testany") == 0)
            MPI_Testany(2, request, which, &now, MPI_STATUS_IGNORE);
        else if (strcmp(way, "testsome") == 0)
            MPI_Testsome(2, request, &now, which, MPI_STATUSES_IGNORE);
        else
            MPI_Testall(2, request, &now, MPI_STATUSES_IGNORE);
    }
}

/* Each tells its neighbours a value, some with more detail than others, and takes the mean of theirs. */
static void neighbours(const char *way) {
    double mine = rank;
    for (int round = 0; round < ROUNDS; round++) {
        double out[LENGTH] = {mine, 1, 2, 3}, slot[2][LENGTH] = {{0}};
        MPI_Request sent[2];
        for (int side = 0; side < 2; side++)
            MPI_Isend(out, 2 + rank % 3, MPI_DOUBLE, (rank + (side ? 1 : ranks - 1)) % ranks, round, MPI_COMM_WORLD,
                      &sent[side]);
        if (strncmp(way, "test", 4) == 0)
            receive_tested(way, round, slot);
        else
            for (int i = 0; i < 2; i++)
                receive_probed(way, round, slot);
        MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
        mine = (slot[0][0] + slot[1][0]) / 2;
    }
    printf("%g\n", mine);
}

/* Finds all messages before it receives the first: the others wait that long. */
static void late(void) {
    int value, sum = 0;
    MPI_Message message[16];
    for (int i = 1; rank == 0 && i < ranks; i++)
        MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message[i], MPI_STATUS_IGNORE);
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Mrecv(&value, 1, MPI_INT, &message[i], MPI_STATUS_IGNORE);
        sum += value;
    }
    if (rank > 0)
        MPI_Ssend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    printf("%d\n", sum);
}

static void wrong_type(void) {
    float value;
    MPI_Message message;
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&value, 1, MPI_FLOAT, &message, MPI_STATUS_IGNORE);
    }
}

/* Whether the first look is in vain shows in the end. */
static void counts(void) {
    int there = 0, missed = 0, value;
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        missed |= !there;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("%d\n", missed);
}

/* Whoever comes first, the other one is taken to be rank 2. */
static void only_first(void) {
    int there = 0, value;
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank > 0)
        return;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (!there)
        MPI_Iprobe(2, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "iprobe";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(way, "late") == 0)
        late();
    else if (strcmp(way, "wrong_type") == 0)
        wrong_type();
    else if (strcmp(way, "counts") == 0)
        counts();
    else if (strcmp(way, "only_first") == 0)
        only_first();
    else
        neighbours(way);
    MPI_Finalize();
    return 0;
}
