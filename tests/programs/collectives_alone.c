/* What looking at each rank alone can prove of nonblocking collectives, and what it cannot: of that it says undecided. In "sparse" nobody
 * knows whom it will hear from; ranks know that they have heard all when those whose messages have been received have begun a barrier
 * and it is over (Hoefler, Siebert, Lumsdaine 2010). */
/* explore: ranks=16 verdict=race-free proof=decomposition args=sparse checkpoint=pages */
/* explore: ranks=4 verdict=race-free proof=decomposition args=sparse */
/* explore: ranks=4 verdict=undecided proof=decomposition args=sparse_standard says=before */
/* explore: ranks=4 verdict=found class=unreceived-message|race-output|deadlock args=sparse_standard mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=decomposition args=several */
/* explore: ranks=4 verdict=race-free proof=decomposition args=tested */
/* explore: ranks=3 verdict=race-free proof=decomposition args=during */
/* explore: ranks=3 verdict=race-free proof=decomposition args=blocking */
/* explore: ranks=3 verdict=race-free proof=decomposition args=to_last */
/* explore: ranks=3 verdict=undecided proof=decomposition args=root says=depends */
/* explore: ranks=3 verdict=found class=race-output args=root */
/* explore: ranks=4 verdict=undecided proof=decomposition args=either says=order */
/* explore: ranks=4 verdict=found class=race-output args=either */
/* explore: ranks=3 verdict=undecided proof=decomposition args=mismatch says=different */
/* explore: ranks=3 verdict=found class=collective-mismatch args=mismatch mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, ranks;

/* Each sends to two others. Standard sends may be complete long before anybody receives them. */
static void exchange_sparse(int synchronous) {
    int sum = 0;
    for (int round = 0; round < 2; round++) {
        MPI_Request sent[2], barrier = MPI_REQUEST_NULL;
        int waits = 0, over = 0, all_sent, there, value;
        for (int i = 0; i < 2; i++) {
            int to = (rank + 1 + i) % ranks;
            if (synchronous)
                MPI_Issend(&rank, 1, MPI_INT, to, round, MPI_COMM_WORLD, &sent[i]);
            else
                MPI_Isend(&rank, 1, MPI_INT, to, round, MPI_COMM_WORLD, &sent[i]);
        }
        while (!over) {
            MPI_Status status;
            MPI_Iprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &there, &status);
            if (there) {
                MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum += value;
            }
            if (waits) {
                MPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
            } else if (MPI_Testall(2, sent, &all_sent, MPI_STATUSES_IGNORE), all_sent) {
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
                waits = 1;
            }
        }
    }
    printf("%d\n", sum);
}

static void sparse(void) { exchange_sparse(1); }
static void sparse_standard(void) { exchange_sparse(0); }

/* Several under way at a time on one communicator, and heard of in any order. */
static void begin_several(MPI_Request *request, int *result) {
    static int one;
    one = rank + 1;
    MPI_Iallreduce(&one, &result[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[0]);
    result[1] = rank == 1 ? 77 : 0;
    MPI_Ibcast(&result[1], 1, MPI_INT, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Iscan(&one, &result[2], 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD, &request[2]);
}

static void several(void) {
    MPI_Request request[3];
    int result[3], which, sum = 0;
    begin_several(request, result);
    for (int i = 0; i < 3; i++) {
        MPI_Waitany(3, request, &which, MPI_STATUS_IGNORE);
        sum += result[which] << 8 * which;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%x\n", (unsigned)sum);
}

static void tested(void) {
    MPI_Request request[3];
    int result[3], done = 0;
    begin_several(request, result);
    while (!done)
        MPI_Testall(3, request, &done, MPI_STATUSES_IGNORE);
    printf("%d %d %d\n", result[0], result[1], result[2]);
}

/* A rank has a receive open while it is in the barrier, after which rank 0 sends the message for it. */
static void send_behind(int blocking, int to) {
    int value = rank;
    MPI_Request receive, barrier;
    if (rank == to)
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &receive);
    if (blocking) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        if (rank == to)
            MPI_Wait(&receive, MPI_STATUS_IGNORE);
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    if (rank == to && blocking)
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
}

static void during(void) { send_behind(0, 1); }
static void blocking(void) { send_behind(1, 1); }
static void to_last(void) { send_behind(1, ranks - 1); }

static void go_back_and_forth(int other, int times) {
    for (int i = 0; i < times; i++) {
        if (rank < other)
            MPI_Send(&i, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
        MPI_Recv(&(int){0}, 1, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank > other)
            MPI_Send(&i, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
    }
}

/* Rank 0 sends to rank 1 when either of two barriers is over. Rank 1 enters its own when it has received something, which is rank 3's
 * message, or rank 0's if the other barrier was the one, which takes longer as a rule. */
static void either(void) {
    int first, second, index;
    MPI_Comm with_first, with_second;
    MPI_Request barrier[2];
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &with_first);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 0 ? 0 : MPI_UNDEFINED, rank, &with_second);
    if (rank == 0) {
        MPI_Ibarrier(with_first, &barrier[0]);
        MPI_Ibarrier(with_second, &barrier[1]);
        MPI_Waitany(2, barrier, &index, MPI_STATUS_IGNORE);
        index = 0; /* which it was makes no difference */
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Waitall(2, barrier, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ibarrier(with_first, &barrier[0]);
        MPI_Wait(&barrier[0], MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %d\n", first, second);
    } else if (rank == 2) {
        go_back_and_forth(3, 5);
        MPI_Ibarrier(with_second, &barrier[1]);
        MPI_Wait(&barrier[1], MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        go_back_and_forth(2, 5);
    }
    if (rank < 2)
        MPI_Comm_free(&with_first);
    if (rank % 2 == 0)
        MPI_Comm_free(&with_second);
}

/* The root need not wait for the others: what it sends behind the broadcast may come before what rank 2 sends in front of it. */
static void root(void) {
    int value = 5, first, second;
    MPI_Request request, sent = MPI_REQUEST_NULL;
    if (rank == 2)
        MPI_Isend(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &sent);
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank != 1)
        return;
    MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d %d\n", first, second);
}

static void mismatch(void) {
    int value = rank, sum;
    MPI_Request request;
    if (rank == 1)
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
    else
        MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = {{"sparse", sparse},   {"sparse_standard", sparse_standard},
                 {"several", several}, {"tested", tested},
                 {"during", during},   {"blocking", blocking},
                 {"to_last", to_last}, {"either", either},
                 {"root", root},       {"mismatch", mismatch}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            kinds[i].run();
    MPI_Finalize();
    return 0;
}
