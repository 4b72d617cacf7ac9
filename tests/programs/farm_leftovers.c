/* A master with a pending receive for each of three workers: it takes whichever result comes, says what is to be done next, and
 * receives into the same place. There what the worker's last result was is left until the next one comes. Nobody can tell, and once a
 * search has many states ranks forget it. Then the master has one state for each way in which the three may be at work: when g of 11
 * tasks are given, one of them has got the last, and the others are at two of the g - 1 before, which makes 3 (g - 1) (g - 2), and
 * 990 in all for g from 3 to 11; near the end there are some more, when first one and then two have nothing to do. As each worker's
 * last result is one of those that he may have brought, there would be ten times as many.
 *
 *     any         by MPI_Waitany
 *     persistent  ... and persistent requests
 *     some        by MPI_Waitsome, which may report several, so that there are orders of them, too
 *     tests       by MPI_Testany: what it told of last is forgotten, too, when it is called again
 *     static      the results are in static memory
 *     heap        ... in a block, beside which the master counts
 *     asked       it asks how long the message was, whether another one has come, and who it is, while receives are pending
 *
 * What is wrong with the others shows only after the third worker has brought the result of the last task while the second one was
 * still at work: that is far from the reference, and when the search comes to it, ranks forget. What was really there must count
 * then, not what ranks make of it.
 *
 *     looks       the master looks whether the result of task 7 is left where the second worker's next result is going to be
 *     moves       ... by a function of the C library, which copies it
 *     tells       ... and writes it to a file descriptor, which is empty memory to the program otherwise
 *     packs       ... by MPI_Pack
 *     called      ... in a function that an MPI function calls
 *     stores      it stores there
 *     shorter     results of late tasks have one number less, and the one that is left counts: that is allowed, and a race
 *     cancelled   at last one more receive is cancelled, and what is left counts: the same
 *     freed       ... its request is freed, for which no message comes
 *     unfinished  ... it is still pending in MPI_Finalize */
/* explore: ranks=4 verdict=race-free proof=state-graph states=3000 args=any checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=state-graph states=3000 args=persistent checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=state-graph states=2200 args=some checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=state-graph states=3000 args=tests checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=state-graph states=3000 args=static checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=state-graph states=3000 args=heap checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=state-graph states=6000 args=asked checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=found class=buffer-in-use proof=state-graph args=looks checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=found class=buffer-in-use proof=state-graph args=moves checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=found class=buffer-in-use proof=state-graph args=tells checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=found class=buffer-in-use proof=state-graph args=packs checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=found class=buffer-in-use proof=state-graph args=called checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=found class=buffer-in-use proof=state-graph args=stores checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=found class=race-output proof=state-graph args=shorter checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=found class=race-output proof=state-graph args=cancelled checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=found class=request-leak proof=state-graph args=freed checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=found class=request-leak proof=state-graph args=unfinished checkpoint=pages mpiexec=no */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS = 3, TASKS = 11, WORK = 1, STOP = 2, SEEN = 7, SECOND = 1 };

/* What a worker brings: the task, and what came of it. */
struct result {
    int task, value;
};

static const char *what;
static struct result kept[WORKERS];
static MPI_Request request[WORKERS];
static struct result *result;
static int *counted, out[TASKS], tasks = TASKS, given, active, odd, far;

static int is(const char *name) { return strcmp(what, name) == 0; }

static int value_of(int task) { return task * task + 1; }

static void work(void) {
    int task;
    MPI_Status status;
    for (;;) {
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return;
        struct result mine = {task, value_of(task)};
        MPI_Send(&mine, is("shorter") && task > SEEN ? 1 : 2, MPI_INT, 0, WORK, MPI_COMM_WORLD);
    }
}

static void receive(int worker) {
    if (is("persistent"))
        MPI_Start(&request[worker]);
    else
        MPI_Irecv(&result[worker], 2, MPI_INT, worker + 1, WORK, MPI_COMM_WORLD, &request[worker]);
}

static void give(int worker) {
    if (given < tasks) {
        receive(worker);
        MPI_Send(&given, 1, MPI_INT, worker + 1, WORK, MPI_COMM_WORLD);
        given++;
        active++;
    } else {
        MPI_Send(&given, 1, MPI_INT, worker + 1, STOP, MPI_COMM_WORLD);
    }
}

static int look(void *extra, MPI_Status *status) {
    (void)extra;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    odd += result[SECOND].task == SEEN;
    return MPI_SUCCESS;
}

static int no_more(void *extra) {
    (void)extra;
    return MPI_SUCCESS;
}

static int never(void *extra, int complete) {
    (void)extra;
    return complete;
}

static void look_in_callback(void) {
    MPI_Request own;
    MPI_Grequest_start(look, no_more, never, NULL, &own);
    MPI_Grequest_complete(own);
    MPI_Wait(&own, MPI_STATUS_IGNORE);
}

static void look_packed(void) {
    int packed[2] = {0}, position = 0;
    MPI_Pack(&result[SECOND].task, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
    odd += packed[0] == SEEN;
}

/* It is far from the reference; the second worker's next result is pending, and another one's has come. */
static void make_mistake(int worker) {
    struct result copy;
    if (!far || worker == SECOND || request[SECOND] == MPI_REQUEST_NULL)
        return;
    if (is("looks")) {
        odd += result[SECOND].task == SEEN;
    } else if (is("moves")) {
        memcpy(&copy, &result[SECOND], sizeof copy);
        odd += copy.task == SEEN;
    } else if (is("tells")) {
        if (write(STDOUT_FILENO, &result[SECOND], sizeof copy) < 0)
            odd++;
    } else if (is("packs")) {
        look_packed();
    } else if (is("called")) {
        look_in_callback();
    } else if (is("stores")) {
        result[SECOND].value = 5;
    }
}

static void take(int worker, MPI_Status *status) {
    int count = 2;
    active--;
    if (is("asked")) {
        int flag, number;
        MPI_Get_count(status, MPI_INT, &count);
        MPI_Comm_rank(MPI_COMM_WORLD, &number);
        MPI_Iprobe(MPI_ANY_SOURCE, STOP, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        odd += number + flag;
    }
    odd += count != 2;
    if (is("shorter"))
        odd += far && worker == SECOND && result[worker].value == value_of(SEEN);
    else
        out[result[worker].task] = result[worker].value;
    *counted += 1;
    far |= worker > SECOND && result[worker].task == TASKS - 1 && request[SECOND] != MPI_REQUEST_NULL;
    give(worker);
    make_mistake(worker);
}

static int wait_for_any(MPI_Status *status) {
    int worker, flag;
    if (!is("tests"))
        MPI_Waitany(WORKERS, request, &worker, status);
    else
        do
            MPI_Testany(WORKERS, request, &worker, &flag, status);
        while (!flag);
    return worker;
}

static void take_some(void) {
    int taken, worker[WORKERS];
    MPI_Status status[WORKERS];
    MPI_Waitsome(WORKERS, request, &taken, worker, status);
    for (int i = 0; i < taken; i++)
        take(worker[i], &status[i]);
}

/* The second worker's last result, and a receive for which nothing comes. */
static void end_with_receive(void) {
    if (is("cancelled")) {
        MPI_Cancel(&request[SECOND]);
        MPI_Wait(&request[SECOND], MPI_STATUS_IGNORE);
    } else if (is("freed")) {
        MPI_Request_free(&request[SECOND]);
    }
    if (!is("unfinished"))
        odd += result[SECOND].task == TASKS - 2;
}

static int waits_in_vain(void) { return far && (is("cancelled") || is("freed") || is("unfinished")); }

static void lead(void) {
    struct result here[WORKERS];
    MPI_Status status;
    int *block = calloc(2 * WORKERS + 1, sizeof *block);
    counted = block;
    result = is("static") ? kept : is("heap") ? (struct result *)(block + 1) : here;
    for (int worker = 0; worker < WORKERS; worker++) {
        request[worker] = MPI_REQUEST_NULL;
        if (is("persistent"))
            MPI_Recv_init(&result[worker], 2, MPI_INT, worker + 1, WORK, MPI_COMM_WORLD, &request[worker]);
        give(worker);
    }
    while (active > 0) {
        if (is("some"))
            take_some();
        else
            take(wait_for_any(&status), &status);
    }
    if (waits_in_vain())
        receive(SECOND);
    MPI_Barrier(MPI_COMM_WORLD);
    if (waits_in_vain())
        end_with_receive();
    for (int worker = 0; worker < WORKERS && is("persistent"); worker++)
        MPI_Request_free(&request[worker]);
    for (int i = 0; i < TASKS; i++)
        printf("%d ", out[i]);
    printf("%d %d\n", *counted, odd);
    free(block);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    what = argc > 1 ? argv[1] : "any";
    tasks = is("some") ? 8 : TASKS;
    if (rank == 0) {
        lead();
    } else {
        work();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
