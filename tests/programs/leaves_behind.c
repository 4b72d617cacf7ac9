/* Three phases, in each of which every rank sends to every other one, receives from anyone, and works with where that came from. What it
 * leaves behind in variables and registers nobody looks at any more; but it differs, by who was last, or by the order in which messages
 * came. Each rank of n has 2^(n-1) - 1 states with a choice in a phase, so that there are 3 n (2^(n-1) - 1), 558 on 6 ranks, in all three,
 * if what is left behind makes no difference, and some more by how far others have come. If it did, each phase after the first would
 * have that many for each combination of what ranks have left: 5^6, if only who was last is.
 *
 *     source    who sent a message, in a variable of its own
 *     slots     messages in the order in which they came, which are sorted before the next phase
 *     waitany   receives from all at once, which of them was complete
 *
 * Who looks at it in the end finds what is there:
 *
 *     last      rank 0 tells at the end who was last in the first phase, if all came in descending order there
 *     sent      ... or does not tell, but sends it to rank 1, which does
 *     fewer     ... or sends a message more then, which nobody receives
 *     stops     ... or waits for one that nobody sends */
/* explore: ranks=6 verdict=race-free proof=state-graph states=5000 args=source checkpoint=pages mpiexec=no */
/* explore: ranks=5 verdict=race-free proof=state-graph states=5000 args=slots checkpoint=pages mpiexec=no */
/* explore: ranks=6 verdict=race-free proof=state-graph states=5000 args=waitany checkpoint=pages mpiexec=no */
/* explore: ranks=5 verdict=found class=race-output proof=state-graph args=last checkpoint=pages mpiexec=no */
/* explore: ranks=5 verdict=found class=race-output proof=state-graph args=sent checkpoint=pages mpiexec=no */
/* explore: ranks=5 verdict=found class=unreceived-message|deadlock proof=state-graph args=fewer checkpoint=pages mpiexec=no */
/* explore: ranks=5 verdict=found class=deadlock proof=state-graph args=stops checkpoint=pages mpiexec=no */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PHASES = 3, RANKS_MOST = 8 };

static int rank, size, sum;
static bool descends;

static int from_anyone(int phase) {
    int last = size;
    bool goes_down = true;
    for (int i = 1; i < size; i++) {
        int in;
        MPI_Status status;
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, phase, MPI_COMM_WORLD, &status);
        const int who = status.MPI_SOURCE;
        sum += in * (who + 1);
        goes_down &= who < last;
        last = who;
    }
    if (phase == 0)
        descends = goes_down;
    return last;
}

static int compare(const void *one, const void *other) { return *(const int *)one - *(const int *)other; }

static void in_slots(int phase) {
    static int slot[RANKS_MOST];
    for (int i = 1; i < size; i++)
        MPI_Recv(&slot[i], 1, MPI_INT, MPI_ANY_SOURCE, phase, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    qsort(slot + 1, (size_t)size - 1, sizeof slot[0], compare);
    for (int i = 1; i < size; i++)
        sum += i * slot[i];
    memset(slot, 0, sizeof slot);
}

static void one_by_one(int phase) {
    MPI_Request request[RANKS_MOST];
    int in[RANKS_MOST];
    for (int i = 0; i < size; i++) {
        request[i] = MPI_REQUEST_NULL;
        if (i != rank)
            MPI_Irecv(&in[i], 1, MPI_INT, i, phase, MPI_COMM_WORLD, &request[i]);
    }
    for (int i = 1; i < size; i++) {
        int which;
        MPI_Waitany(size, request, &which, MPI_STATUS_IGNORE);
        sum += in[which] * (which + 1);
    }
}

static void exchange(const char *what, int phase) {
    MPI_Request request[RANKS_MOST];
    int out = rank + phase, requests = 0;
    for (int i = 0; i < size; i++)
        if (i != rank)
            MPI_Isend(&out, 1, MPI_INT, i, phase, MPI_COMM_WORLD, &request[requests++]);
    if (strcmp(what, "slots") == 0)
        in_slots(phase);
    else if (strcmp(what, "waitany") == 0)
        one_by_one(phase);
    else
        from_anyone(phase);
    MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "source";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int phase = 0; phase < PHASES; phase++)
        exchange(what, phase);
    const bool tells = rank == 0 && descends;
    if (strcmp(what, "last") == 0 && tells)
        printf("descending\n");
    if (strcmp(what, "sent") == 0 && rank == 0)
        MPI_Send(&descends, 1, MPI_C_BOOL, 1, PHASES, MPI_COMM_WORLD);
    if (strcmp(what, "sent") == 0 && rank == 1) {
        bool was_descending;
        MPI_Recv(&was_descending, 1, MPI_C_BOOL, 0, PHASES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d\n", was_descending);
    }
    if (strcmp(what, "fewer") == 0 && tells)
        MPI_Send(&rank, 1, MPI_INT, 1, PHASES, MPI_COMM_WORLD);
    if (strcmp(what, "stops") == 0 && tells)
        MPI_Recv(&rank, 1, MPI_INT, 1, PHASES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
