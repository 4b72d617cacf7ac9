/* explore: ranks=4 verdict=race-free proof=decomposition args=phases */
/* explore: ranks=4 verdict=race-free proof=decomposition args=tags */
/* explore: ranks=4 verdict=undecided proof=decomposition args=one_tag says=ends */
/* explore: ranks=4 verdict=found class=race-output args=one_tag */
/* explore: ranks=4 verdict=race-free proof=decomposition args=halo */
/* explore: ranks=3 verdict=race-free proof=decomposition args=probe */
/* explore: ranks=4 verdict=race-free proof=decomposition args=any_worker */
/* explore: ranks=4 verdict=race-free proof=decomposition args=tests */
/* explore: ranks=4 verdict=race-free proof=decomposition args=overtaken */
/* explore: ranks=2 verdict=undecided proof=decomposition args=needs_buffers says=synchronous */
/* explore: ranks=2 verdict=race-free proof=decomposition args=needs_buffers buffering=infinite */
/* explore: ranks=3 verdict=undecided proof=decomposition args=small_buffer says=buffer */
/* explore: ranks=3 verdict=undecided proof=decomposition args=work says=depends */
/* explore: ranks=3 verdict=race-free proof=state-graph args=work */
/* What looking at each rank alone can prove, and what it cannot. Of the latter it says undecided, whatever the truth is. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static int receive_any(int tag) {
    int value;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

static void send(int value, int to, int tag) { MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD); }

/* Everybody sends the master a value a phase, and it prints their sum. In whatever order they come within a phase the sum is the same; that
 * none of the next phase is among them is up to `separate`: a barrier, tags of its own, or nothing. */
static void phases_with(int barrier, int tags) {
    for (int phase = 0; phase < 3; phase++) {
        int sum = 0;
        if (rank > 0)
            send(rank * 10 + phase, 0, tags ? phase : 0);
        for (int i = 1; rank == 0 && i < ranks; i++)
            sum += receive_any(tags ? phase : 0);
        if (rank == 0)
            printf("phase %d: %d\n", phase, sum);
        if (barrier)
            MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void phases(void) { phases_with(1, 0); }
static void tags(void) { phases_with(0, 1); }
static void one_tag(void) { phases_with(0, 0); }

/* Each exchanges a cell with both neighbours, and then all agree on the largest. */
static void halo(void) {
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks, mine = rank, largest;
    for (int i = 0; i < 3; i++) {
        int cell[2];
        MPI_Request request[4];
        MPI_Irecv(&cell[0], 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&cell[1], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(&mine, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(&mine, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request[3]);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        mine += cell[0] + 2 * cell[1];
        MPI_Allreduce(&mine, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    printf("%d of %d\n", mine, largest);
}

/* Messages of several lengths, probed for, and added up; the last one is the master's own. */
static void probe(void) {
    int value[8] = {rank, rank}, sum = 0;
    MPI_Request request;
    MPI_Isend(value, rank + 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; rank == 0 && i < ranks; i++) {
        MPI_Status status;
        int length, got[8] = {0};
        MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &length);
        MPI_Recv(got, length, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += length + got[0];
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("%d\n", sum);
}

/* A request to each worker, and its answer by whichever request completes first. */
static void any_worker(void) {
    if (rank > 0) {
        send(receive_any(0) * rank, 0, 1);
        return;
    }
    MPI_Request request[16];
    int answer[16], sum = 0;
    for (int i = 1; i < ranks; i++) {
        MPI_Irecv(&answer[i - 1], 1, MPI_INT, i, 1, MPI_COMM_WORLD, &request[i - 1]);
        send(7, i, 0);
    }
    for (int i = 1, at; i < ranks; i++) {
        MPI_Waitany(ranks - 1, request, &at, MPI_STATUS_IGNORE);
        sum += answer[at];
    }
    printf("%d\n", sum);
}

static void tests(void) {
    int value, done = 0;
    MPI_Request request;
    if (rank == 1)
        send(5, 0, 0);
    if (rank != 0)
        return;
    MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    while (!done)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    printf("%d\n", value);
}

/* What is sent to the master first it receives last. Meanwhile the others wait for it to receive what they send then. */
static void overtaken(void) {
    if (rank > 0) {
        MPI_Request request;
        MPI_Isend(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
        send(rank, 0, 1);
        send(rank, 0, 2);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    const int tag[] = {1, 2, 5};
    int sum = 0;
    for (int i = 0; i < 3 * (ranks - 1); i++)
        sum += receive_any(tag[i / (ranks - 1)]);
    printf("%d\n", sum);
}

static void needs_buffers(void) {
    send(rank, 1 - rank, 0);
    printf("%d\n", receive_any(0));
}

/* The second message fits only if the first has been received, as it has: its answer is there. That is not looked at. */
static void small_buffer(void) {
    static char room[MPI_BSEND_OVERHEAD + sizeof(int)];
    void *gone;
    int size;
    MPI_Buffer_attach(room, sizeof room);
    for (int i = 0; i < 2; i++) {
        if (rank == 0) {
            MPI_Bsend(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            receive_any(1);
        } else if (rank == 1) {
            send(receive_any(0), 0, 1);
        }
    }
    MPI_Buffer_detach(&gone, &size);
}

/* Who is given which piece of work depends on who answers first; that the sum does not is more than each rank alone can tell. */
static void work(void) {
    int sum = 0, given = 0, stop = -1;
    for (int i = 1; rank == 0 && i < ranks; i++)
        send(given++, i, 0);
    for (int got = 0; rank == 0 && got < 4; got++) {
        int answer;
        MPI_Status status;
        MPI_Recv(&answer, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        sum += answer;
        send(given < 4 ? given++ : stop, status.MPI_SOURCE, 0);
    }
    for (int piece = 0; rank > 0 && (piece = receive_any(0)) != stop;)
        send(piece * piece, 0, 1);
    if (rank == 0)
        printf("%d\n", sum);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = {{"phases", phases},
                 {"tags", tags},
                 {"one_tag", one_tag},
                 {"halo", halo},
                 {"probe", probe},
                 {"any_worker", any_worker},
                 {"tests", tests},
                 {"work", work},
                 {"overtaken", overtaken},
                 {"needs_buffers", needs_buffers},
                 {"small_buffer", small_buffer}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            kinds[i].run();
    MPI_Finalize();
    return 0;
}
