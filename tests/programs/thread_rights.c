/* Which thread may call MPI depends on what MPI_Init_thread was asked for (MPI-3.1 section 12.4). Rank 0 makes a thread; what it does
 * is wrong whichever of the two comes first:
 *
 *     single, funneled  it calls MPI_Barrier, though only the main thread may
 *     serialized        it sends while the main thread is in the receive of that message, which cannot end before
 *     multiple          the same, which is right: but a rank that waits in two calls is not supported
 *     callback          it sends, while the main thread is in an operator of its own within MPI_Reduce_local and waits for it there:
 *                       not supported either, though right
 *     finalize          it calls MPI_Finalize, which is the main thread's to do
 *     anytime           it calls what any thread may at any time, and under MPI_THREAD_FUNNELED, while the main thread is in a receive:
 *                       race-free, and nothing that is left to say
 *     in-turn           under MPI_THREAD_MULTIPLE it calls while the main thread waits for its end: race-free */
/* explore: ranks=2 verdict=found class=call-outside-init args=single says=MPI_THREAD_SINGLE checkpoint=criu */
/* explore: ranks=2 verdict=found class=call-outside-init args=funneled says=MPI_THREAD_FUNNELED checkpoint=criu */
/* explore: ranks=2 verdict=found class=call-outside-init args=serialized says=MPI_THREAD_SERIALIZED checkpoint=criu */
/* explore: ranks=2 verdict=cannot-run args=multiple says=MPI_Recv checkpoint=criu */
/* explore: ranks=2 verdict=cannot-run args=callback says=MPI_Reduce_local checkpoint=criu */
/* explore: ranks=2 verdict=found class=call-outside-init args=finalize says=MPI_Finalize checkpoint=criu */
/* explore: ranks=2 verdict=race-free args=anytime checkpoint=criu */
/* explore: ranks=2 verdict=race-free args=in-turn checkpoint=criu says=orders */
#include <assert.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *how;
static sem_t may_send, has_sent;

static bool told(const char *what) { return strcmp(how, what) == 0; }

static int level(void) {
    if (told("single"))
        return MPI_THREAD_SINGLE;
    if (told("funneled") || told("anytime"))
        return MPI_THREAD_FUNNELED;
    return told("serialized") || told("finalize") ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE;
}

static void ask_anytime(void) {
    int initialized, finalized, is_main, granted, version, subversion;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    MPI_Is_thread_main(&is_main);
    MPI_Query_thread(&granted);
    MPI_Get_version(&version, &subversion);
    assert(initialized && !finalized && !is_main && granted == MPI_THREAD_FUNNELED && version >= 3);
    assert(MPI_Wtime() >= 0);
}

static void send(int to) {
    int value = 1;
    MPI_Send(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
}

static void *act(void *argument) {
    if (told("single") || told("funneled"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (told("serialized") || told("multiple"))
        send(0);
    if (told("in-turn"))
        send(1);
    if (told("finalize"))
        MPI_Finalize();
    if (told("anytime"))
        ask_anytime();
    if (told("callback")) {
        sem_wait(&may_send);
        send(1);
        sem_post(&has_sent);
    }
    return argument;
}

static void await_thread(void *in, void *inout, int *length, MPI_Datatype *type) {
    (void)length, (void)type;
    sem_post(&may_send);
    sem_wait(&has_sent);
    *(int *)inout += *(int *)in;
}

static void reduce(void) {
    int one = 1, sum = 0;
    MPI_Op op;
    MPI_Op_create(await_thread, 1, &op);
    MPI_Reduce_local(&one, &sum, 1, MPI_INT, op);
    MPI_Op_free(&op);
    assert(sum == 1);
}

static void receive(void) {
    int value;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(value == 1);
}

/* Whether the thread's message is for rank 0 itself or for rank 1, each receives one if there is one for it. */
static void take_part(int rank) {
    if (told("anytime") && rank == 1)
        send(0);
    if (told("callback") && rank == 0)
        reduce();
    const int receiver = told("callback") || told("in-turn") ? 1 : 0;
    if (rank == receiver && !told("single") && !told("funneled") && !told("finalize"))
        receive();
}

int main(int argc, char **argv) {
    int rank, provided;
    pthread_t thread;
    assert(argc == 2);
    how = argv[1];
    MPI_Init_thread(&argc, &argv, level(), &provided);
    assert(provided >= level());
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sem_init(&may_send, 0, 0);
    sem_init(&has_sent, 0, 0);
    if (rank == 0)
        pthread_create(&thread, NULL, act, NULL);
    if (rank == 0 && told("in-turn"))
        pthread_join(thread, NULL);
    take_part(rank);
    if (rank == 0 && !told("in-turn"))
        pthread_join(thread, NULL);
    if (rank == 1 && (told("single") || told("funneled")))
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 || !told("finalize"))
        MPI_Finalize();
    return 0;
}
