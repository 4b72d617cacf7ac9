/* What is left of an earlier message in a receive's buffer, and in a status, while the next one is waited for. Once a search has many
 * states ranks forget it: 12 ranks that send to one have 2^11 sets of messages that may have been received, and not one state more for
 * each that may have been the last, which would be 11255 in all (1 + the sum of k * (11 over k)). What a shorter message leaves in place,
 * or a cancelled receive, is kept: `expect` ends the program where it is not, also if it is lost in all orderings alike. Which rank's
 * number is left in place is a race before_last, which shows in the order that is farthest from the reference only: when the search
 * comes to it, ranks forget. Where the number of states says nothing, 11 ranks have states enough. */
/* explore: ranks=12 verdict=race-free proof=state-graph states=9000 args=blocking checkpoint=pages mpiexec=no */
/* explore: ranks=12 verdict=race-free proof=state-graph states=9000 args=waited checkpoint=pages mpiexec=no */
/* explore: ranks=12 verdict=race-free proof=state-graph states=9000 args=probed checkpoint=pages mpiexec=no */
/* explore: ranks=12 verdict=race-free proof=state-graph states=9000 args=static checkpoint=pages mpiexec=no */
/* explore: ranks=11 verdict=race-free proof=state-graph args=shorter checkpoint=pages mpiexec=no */
/* explore: ranks=11 verdict=race-free proof=state-graph args=empty checkpoint=pages mpiexec=no */
/* explore: ranks=11 verdict=race-free proof=state-graph args=last_shorter checkpoint=pages mpiexec=no */
/* explore: ranks=11 verdict=found class=race-output proof=state-graph args=before_last checkpoint=pages mpiexec=no */
/* explore: ranks=11 verdict=race-free proof=state-graph args=cancelled checkpoint=pages mpiexec=no */
/* explore: ranks=11 verdict=race-free proof=state-graph args=replaced checkpoint=pages mpiexec=no */
/* explore: ranks=11 verdict=race-free proof=state-graph args=too_long checkpoint=pages mpiexec=no */
/* explore: ranks=11 verdict=race-free proof=state-graph args=constant checkpoint=pages mpiexec=no */
/* explore: ranks=11 verdict=race-free proof=state-graph args=sites checkpoint=pages mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, ranks, sum;

static void send(int values, int first, int to, int tag) {
    int value[2] = {first, 1};
    MPI_Send(value, values, MPI_INT, to, tag, MPI_COMM_WORLD);
}

/* What rank 0 must have in the end, and what all others must. */
static void expect(int first, int others) {
    if (sum != (rank == 0 ? first : others))
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* What all send together. */
static int all_bits(void) { return (1 << ranks) - 2; }

/* What `blocking` comes to. */
static int all_bits_and_sources(void) { return all_bits() + ranks * (ranks - 1) / 2; }

/* All others send rank 0 something that tells them apart. */
static void send_all(void) {
    if (rank > 0)
        send(1, 1 << rank, 0, 0);
}

static void blocking(void) {
    int value;
    MPI_Status status = {.MPI_ERROR = 7}; /* which stays */
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        sum += value + status.MPI_SOURCE;
    }
    if (status.MPI_ERROR != 7)
        MPI_Abort(MPI_COMM_WORLD, 1);
    send_all();
}

static void waited(void) {
    int value;
    MPI_Status status;
    MPI_Request request;
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
        MPI_Waitall(1, &request, &status);
        sum += value + status.MPI_SOURCE;
    }
    send_all();
}

static void probed(void) {
    int value;
    MPI_Status status;
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Message message;
        MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, &status);
        sum += status.MPI_SOURCE;
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        sum += value;
        value = 0;
    }
    send_all();
}

static void from_static(void) {
    static double wide[8];
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Recv(wide, 8, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += (int)wide[0];
    }
    wide[0] = 1 << rank;
    if (rank > 0)
        MPI_Send(wide, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
}

/* The second number stays as it is. */
static void shorter(void) {
    int value[2] = {0, 3};
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Recv(value, 2, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value[0] * value[1];
    }
    send_all();
    expect(3 * all_bits(), 0);
}

/* A message without content says that it is over. */
static void empty(void) {
    int value = 5;
    blocking();
    if (rank == 0)
        for (int i = 1; i < ranks; i++)
            send(0, 0, i, 1);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += value;
    expect(all_bits_and_sources() + 5, 5);
}

/* All messages but rank 1's last one, which comes behind all others, have two numbers. It leaves the second one, which counts if `any`
 * order will do, or the ranks' order was that from the last to the first. */
static void last(int any) {
    int value[2], ready = 0, falls = 1, before = 1 << ranks;
    for (int i = 1; rank == 0 && i <= ranks; i++) {
        if (i == ranks)
            send(1, 0, 1, 1);
        MPI_Recv(value, 2, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value[0] + 10000 * value[1] * (i == ranks && (any || falls));
        falls &= value[0] < before;
        before = value[0];
    }
    if (rank > 0) {
        int sent[2] = {1 << rank, 1};
        MPI_Send(sent, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (rank == 1) {
        MPI_Recv(&ready, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        send(1, 7, 0, 0);
    }
}

static void last_shorter(void) {
    last(1);
    expect(all_bits() + 7 + 10000, 0);
}

static void before_last(void) { last(0); }

/* A receive that is cancelled leaves its buffer as it was. */
static void cancelled(void) {
    int value = 9;
    MPI_Request request;
    blocking();
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += value;
    expect(all_bits_and_sources() + 9, 9);
}

/* What is sent and received in one buffer is there until it is replaced. */
static void replaced(void) {
    int value = rank;
    blocking();
    for (int i = 0; i < 2; i++)
        MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % ranks, 2, (rank + ranks - 1) % ranks, 2, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    sum += value;
    expect(all_bits_and_sources() + ranks - 2, (rank + ranks - 2) % ranks);
}

/* The buffer is said to be longer than it is; no message is. What is behind it stays. */
static void too_long(void) {
    struct {
        int value, behind[40];
    } own = {0, {1, 2, 3}};
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Recv(&own.value, 41, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += own.value + own.behind[0] + own.behind[1] + own.behind[2];
    }
    send_all();
    expect(all_bits() + 6 * (ranks - 1), 0);
}

/* Nothing is written where an empty message is received. */
static void constant(void) {
    static const int never[4] = {1, 2, 3, 4};
    blocking();
    if (rank == 0)
        MPI_Recv((void *)never, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == 1)
        send(0, 0, 0, 1);
    sum += never[3];
    expect(all_bits_and_sources() + 4, 4);
}

/* At more call sites than are known by number something is left: then ranks forget nothing. */
static void sites(void) {
    int value[20][2], i = 0;
#define RECEIVE_HERE      \
    value[i][1] = 1 << i; \
    MPI_Recv(value[i++], 2, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#define RECEIVE_IN_FIVE_PLACES RECEIVE_HERE RECEIVE_HERE RECEIVE_HERE RECEIVE_HERE RECEIVE_HERE
    if (rank == 0) {
        RECEIVE_IN_FIVE_PLACES RECEIVE_IN_FIVE_PLACES RECEIVE_IN_FIVE_PLACES RECEIVE_IN_FIVE_PLACES
    }
    for (int k = 0; rank == 1 && k < 20; k++)
        send(1, 0, 0, 1);
    blocking();
    for (int k = 0; k < i; k++)
        sum += value[k][1];
    expect(all_bits_and_sources() + (1 << 20) - 1, 0);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = {{"blocking", blocking},
                 {"waited", waited},
                 {"probed", probed},
                 {"static", from_static},
                 {"shorter", shorter},
                 {"empty", empty},
                 {"cancelled", cancelled},
                 {"last_shorter", last_shorter},
                 {"before_last", before_last},
                 {"replaced", replaced},
                 {"too_long", too_long},
                 {"constant", constant},
                 {"sites", sites}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            kinds[i].run();
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
