/* Rank 0 computes with what comes from the others, in the order in which it comes. The sum of (r * 6) * 6 over r = 1, 2 is 108 in
 * either order; "racy" weighs what came before by 3, so that it is 180 or 252. By three threads that wait between one computation
 * and the next, made before or after MPI_Init, or made anew and joined each time, or by none: the verdict is the same.
 * "slow-first": of three made anew, the first has the most to do; still they end in the order in which they were made, as threads
 * of which one runs at a time do. */
/* explore: ranks=3 verdict=race-free args=none */
/* explore: ranks=3 verdict=found class=race-output args=none-racy */
/* explore: ranks=3 verdict=race-free args=late checkpoint=criu */
/* explore: ranks=3 verdict=found class=race-output args=late-racy checkpoint=criu */
/* explore: ranks=3 verdict=race-free args=early checkpoint=criu */
/* explore: ranks=3 verdict=found class=race-output args=early-racy checkpoint=criu */
/* explore: ranks=3 verdict=race-free args=anew checkpoint=criu */
/* explore: ranks=3 verdict=found class=race-output args=anew-racy checkpoint=criu */
/* explore: ranks=3 verdict=race-free args=slow-first checkpoint=criu */
/* explore: ranks=3 verdict=cannot-run args=late says=criu checkpoint=pages */
/* explore: ranks=3 verdict=cannot-run args=early says=criu checkpoint=pages */
/* explore: ranks=3 verdict=cannot-run args=late says=criu checkpoint=fork */
/* explore: ranks=3 verdict=cannot-run args=early says=criu checkpoint=replay */
#include <assert.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WORKERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int rounds, left, input; /* a negative input is the end */
static int result[WORKERS];
static pthread_t thread[WORKERS];
static __thread int own_rounds;

static int multiply(long worker, int value) { return value * ((int)worker + 1); }

static void *serve(void *argument) {
    long me = (long)argument;
    cpu_set_t all;
    memset(&all, -1, sizeof all); /* it may ask to run wherever it likes */
    assert(pthread_setaffinity_np(pthread_self(), sizeof all, &all) == 0);
    pthread_mutex_lock(&lock);
    for (int seen = 0;;) {
        while (rounds == seen)
            pthread_cond_wait(&work, &lock);
        seen = rounds;
        if (input < 0)
            break;
        assert(++own_rounds == seen);
        result[me] = multiply(me, input);
        if (--left == 0)
            pthread_cond_signal(&done);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *serve_once(void *argument) {
    result[(long)argument] = multiply((long)argument, input);
    return argument;
}

static void *serve_slowly(void *argument) {
    enum { TURNS = 10000000 };
    static int ended;
    long me = (long)argument;
    for (volatile long i = 0; i < (WORKERS - me) * TURNS; i++)
        continue;
    result[me] = ended++ % WORKERS == me ? multiply(me, input) : -1000;
    return argument;
}

static void start(void *(*function)(void *)) {
    for (long i = 0; i < WORKERS; i++)
        assert(pthread_create(&thread[i], NULL, function, (void *)i) == 0);
}

static void join(void) {
    for (int i = 0; i < WORKERS; i++)
        assert(pthread_join(thread[i], NULL) == 0);
}

static void ask_pool(int value) {
    pthread_mutex_lock(&lock);
    input = value;
    left = WORKERS;
    rounds++;
    pthread_cond_broadcast(&work);
    while (value >= 0 && left)
        pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
}

static int compute(const char *how, int value) {
    if (strncmp(how, "none", 4) == 0) {
        for (long i = 0; i < WORKERS; i++)
            result[i] = multiply(i, value);
    } else if (strncmp(how, "anew", 4) == 0 || strcmp(how, "slow-first") == 0) {
        input = value;
        start(strcmp(how, "slow-first") == 0 ? serve_slowly : serve_once);
        join();
    } else {
        ask_pool(value);
    }
    return result[0] + result[1] + result[2];
}

static void collect(const char *how, int size) {
    int sum = 0, value;
    for (int i = 1; i < size; i++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = (strstr(how, "racy") ? 3 : 1) * sum + compute(how, value);
    }
    printf("%d\n", sum);
}

int main(int argc, char **argv) {
    assert(argc == 2);
    const char *how = argv[1];
    bool early = strncmp(how, "early", 5) == 0, late = strncmp(how, "late", 4) == 0;
    int rank, size, provided;
    if (early)
        start(serve);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    assert(provided == MPI_THREAD_FUNNELED);
    if (late)
        start(serve);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        collect(how, size);
    } else {
        int value = compute(how, rank);
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (early || late) {
        ask_pool(-1);
        join();
    }
    MPI_Finalize();
    return 0;
}
