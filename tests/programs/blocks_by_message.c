/* A collector that allocates memory for each message that it receives, and keeps it. Where a block lies that was allocated as low as
 * there is room tells how many came before its message, so that a graph has a state for each order of those received so far: of 8
 * ranks Σ 7!/(7-k)! = 13,700 for k = 0 … 7. Where a hash of the message says where it lies, only which ones were received shows: 2^7 =
 * 128, three times as many if there is one more state for each message (between a probe and its receive), and some more where two
 * messages are for the same place. After `few-states` the one that comes to fewer states is used:
 *
 *     list       a sorted list, an element for each message
 *     rows       a row for each sender, as long as the message, which is probed first
 *     tagged     the same; the tag says which row, and the probe is for any
 *     equal      a sorted list of messages with equal content: which of them came first shows besides: 7 * 2^6 + 1
 *     after      a sorted list; the sender is answered first, so that the block is allocated after a send
 *     grown      a list of all that came, in an array that grows with each: the order is in it. Σ 6!/(6-k)! = 1957 states of 7 ranks
 *     results    a farm of 3 workers and 9 tasks, whose master probes for a result, and keeps it in a block. Who brought it, and which
 *                came earlier, does not show: with g tasks given there is a state for each two that are still being done beside the
 *                last one given, fewer than 9 * 36, and as many for each call in between
 *     records    a farm of 3 workers and 12 tasks, whose master has a record of what each of them is doing, made when its last result
 *                came. As low as there is room the records lie in a few places; where hashes of the last results say, the places
 *                tell which these were, for each of the workers
 *     reversed   a sorted list; the output tells whether the ranks came in descending order, which is one of 720 orders
 *     churn      blocks of all sizes, aligned ones and such that grow and shrink, hundreds for each message: all keep what they hold
 */
/* explore: ranks=8 verdict=race-free proof=state-graph few-states=64 states=1000 args=list checkpoint=pages */
/* explore: ranks=8 verdict=race-free proof=state-graph few-states=64 states=1000 args=rows checkpoint=pages */
/* explore: ranks=8 verdict=race-free proof=state-graph few-states=64 states=1000 args=tagged checkpoint=pages */
/* explore: ranks=8 verdict=race-free proof=state-graph few-states=300 states=3000 args=equal checkpoint=pages */
/* explore: ranks=8 verdict=race-free proof=state-graph few-states=64 states=2000 args=after checkpoint=pages */
/* explore: ranks=7 verdict=race-free proof=state-graph few-states=64 args=grown checkpoint=pages */
/* explore: ranks=4 verdict=race-free proof=state-graph few-states=300 states=2000 args=results checkpoint=pages mpiexec=no */
/* explore: ranks=4 verdict=race-free proof=state-graph few-states=64 states=16000 args=records checkpoint=pages mpiexec=no */
/* explore: ranks=7 verdict=found class=race-output few-states=8 args=reversed */
/* explore: ranks=4 verdict=race-free few-states=4 args=churn */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASK = 1, ANSWER, STOP };

static const char *what;
static int rank, ranks;

static int is(const char *name) { return strcmp(what, name) == 0; }

struct element {
    int source;
    double value;
    struct element *next;
};

static void insert(struct element **head, int source, double value) {
    while (*head && (*head)->source < source)
        head = &(*head)->next;
    struct element *made = malloc(sizeof *made);
    *made = (struct element){source, value, *head};
    *head = made;
}

static void collect_list(void) {
    struct element *head = NULL;
    int descends = 1, last = ranks;
    for (int i = 1; i < ranks; i++) {
        double value;
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
        if (is("after"))
            MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
        if (is("reversed"))
            descends &= status.MPI_SOURCE < last, last = status.MPI_SOURCE;
        insert(&head, status.MPI_SOURCE, value);
    }
    double sum = 0;
    while (head) {
        struct element *first = head;
        sum += first->value;
        head = first->next;
        free(first);
    }
    printf("%g%s\n", sum, is("reversed") && descends ? ", from the last one to the first" : "");
}

static void collect_rows(void) {
    double **row = calloc((size_t)ranks, sizeof *row), sum = 0;
    for (int i = 1; i < ranks; i++) {
        MPI_Status status;
        int count;
        MPI_Probe(MPI_ANY_SOURCE, is("tagged") ? MPI_ANY_TAG : ASK, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        double *made = malloc((size_t)count * sizeof *made);
        row[is("tagged") ? status.MPI_TAG : status.MPI_SOURCE] = made;
        MPI_Recv(made, count, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 1; i < ranks; i++) {
        sum += row[i][0];
        free(row[i]);
    }
    free(row);
    printf("%g\n", sum);
}

static void collect_grown(void) {
    double *all = NULL, sum = 0;
    for (int i = 1; i < ranks; i++) {
        double value;
        MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        all = realloc(all, (size_t)i * sizeof *all);
        all[i - 1] = value;
    }
    for (int i = 1; i < ranks; i++)
        sum += all[i - 1];
    free(all);
    printf("%g\n", sum);
}

/* The first result is noted in a block that stays. */
static void farm(void) {
    enum { TASKS = 12 };
    struct element **doing = calloc((size_t)ranks, sizeof *doing), *note = NULL;
    int next = 0, sum = 0;
    for (int worker = 1; worker < ranks; worker++)
        MPI_Send(&next, 1, MPI_INT, worker, ASK, MPI_COMM_WORLD), next++;
    for (int i = 0; i < TASKS; i++) {
        int result;
        MPI_Status status;
        MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, ANSWER, MPI_COMM_WORLD, &status);
        sum += result;
        if (note == NULL) {
            note = malloc(sizeof *note);
            *note = (struct element){0, 1, NULL};
        }
        struct element *made = malloc(sizeof *made);
        free(doing[status.MPI_SOURCE]);
        doing[status.MPI_SOURCE] = made;
        *made = (struct element){status.MPI_SOURCE, next, NULL};
        MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, next < TASKS ? ASK : STOP, MPI_COMM_WORLD);
        next += next < TASKS;
    }
    for (int worker = 1; worker < ranks; worker++)
        free(doing[worker]);
    free(doing);
    free(note);
    printf("%d\n", sum);
}

static void keep_results(void) {
    enum { TASKS = 9 };
    int *result[TASKS] = {NULL}, next = 0, sum = 0;
    for (int worker = 1; worker < ranks; worker++, next++)
        MPI_Send(&next, 1, MPI_INT, worker, ASK, MPI_COMM_WORLD);
    for (int i = 0; i < TASKS; i++) {
        int count;
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, ANSWER, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        int *made = malloc((size_t)count * sizeof *made);
        MPI_Recv(made, count, MPI_INT, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int task = 0; task < TASKS; task++)
            if (*made == task * task)
                result[task] = made;
        MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, next < TASKS ? ASK : STOP, MPI_COMM_WORLD);
        next += next < TASKS;
    }
    for (int task = 0; task < TASKS; task++) {
        sum += *result[task];
        free(result[task]);
    }
    printf("%d\n", sum);
}

static void work(void) {
    for (;;) {
        int task;
        MPI_Status status;
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return;
        task *= task;
        MPI_Send(&task, 1, MPI_INT, 0, ANSWER, MPI_COMM_WORLD);
    }
}

/* What a block holds says which one it is. */
enum { BLOCKS = 1000 };
static struct {
    unsigned char *at;
    size_t size;
} block[BLOCKS];

static void write_block(int i, size_t from) {
    for (size_t k = from; k < block[i].size; k++)
        block[i].at[k] = (unsigned char)(i + 3 * k);
}

static void check_block(int i, size_t size) {
    for (size_t k = 0; k < size; k++)
        if (block[i].at[k] != (unsigned char)(i + 3 * k))
            abort();
}

/* Of one size there are more than 256, for which there is room where hashes say. */
static size_t size_of(int i) { return i % 7 == 0 ? (size_t)i * 37 : i % 3 == 0 ? 20 : (size_t)(i % 50) * 8 + 1; }

static void resize_block(int i, size_t size) {
    const size_t old = block[i].size;
    block[i].at = realloc(block[i].at, size);
    block[i].size = size;
    check_block(i, old < size ? old : size);
    write_block(i, old < size ? old : size);
}

static void make_block(int i) {
    block[i].size = size_of(i) + 1;
    if (i % 11 == 0) {
        void *made;
        const size_t align = (size_t)32 << i % 6;
        if (posix_memalign(&made, align, block[i].size) || (size_t)made % align != 0)
            abort();
        block[i].at = made;
    } else {
        block[i].at = i % 5 == 0 ? calloc(block[i].size, 1) : malloc(block[i].size);
    }
    for (size_t k = 0; i % 5 == 0 && i % 11 != 0 && k < block[i].size; k++)
        if (block[i].at[k] != 0)
            abort();
    write_block(i, 0);
}

static void churn(void) {
    for (int message = 1; message < ranks; message++) {
        double value;
        MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < BLOCKS; i++) {
            if (block[i].at && (i + message) % 3 == 0) {
                check_block(i, block[i].size);
                free(block[i].at);
                block[i].at = NULL;
            } else if (block[i].at && (i + message) % 3 == 1) {
                resize_block(i, i % 2 ? block[i].size * 3 : block[i].size / 2 + 1);
            } else if (!block[i].at) {
                make_block(i);
            }
        }
    }
    for (int i = 0; i < BLOCKS; i++) {
        if (block[i].at)
            check_block(i, block[i].size);
        free(block[i].at);
    }
}

static void send(void) {
    double value[16] = {is("equal") ? 1 : rank};
    const int many = is("rows") || is("tagged");
    MPI_Send(value, many ? rank : 1, MPI_DOUBLE, 0, is("tagged") ? rank : ASK, MPI_COMM_WORLD);
    if (is("after"))
        MPI_Recv(NULL, 0, MPI_INT, 0, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    what = argv[1];
    if (rank > 0)
        is("records") || is("results") ? work() : send();
    else if (is("rows") || is("tagged"))
        collect_rows();
    else if (is("grown"))
        collect_grown();
    else if (is("records"))
        farm();
    else if (is("results"))
        keep_results();
    else if (is("churn"))
        churn();
    else
        collect_list();
    MPI_Finalize();
    return 0;
}
