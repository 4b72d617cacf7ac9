/* One thread does all the receiving: the main one waits for it, and computes with what it has brought. Of rank 0, that sums up what the
 * others send from any source; "racy" weighs what came before by 3, so that of 1 and 2 it makes 5 or 7. The order in which threads
 * come makes no difference, as each waits for the other.
 *
 *     late, early  the thread is made after MPI_Init, or before it, and hands over one value after the other
 *     anew         a new one is made for each value, and ends with it
 *     both         it sends on what it has received as well, back to the sender, who compares
 *     turns        the two take turns: the main thread receives every other value itself
 *     alone        there is no other thread
 *
 * Who has had a value remembers it nowhere else than in the sum, but leaves it behind on its stack, in what is then garbage. So there are as
 * many states as if the main thread were alone. */
/* explore: ranks=3 verdict=race-free args=alone */
/* explore: ranks=3 verdict=found class=race-output args=alone-racy differences=1 */
/* explore: ranks=3 verdict=race-free args=late checkpoint=criu says=orders */
/* explore: ranks=3 verdict=found class=race-output args=late-racy checkpoint=criu differences=1 */
/* explore: ranks=3 verdict=race-free args=early checkpoint=criu says=orders */
/* explore: ranks=3 verdict=found class=race-output args=early-racy checkpoint=criu differences=1 */
/* explore: ranks=3 verdict=race-free args=anew checkpoint=criu says=orders */
/* explore: ranks=3 verdict=found class=race-output args=anew-racy checkpoint=criu differences=1 */
/* explore: ranks=3 verdict=race-free args=both checkpoint=criu says=orders */
/* explore: ranks=3 verdict=race-free args=turns checkpoint=criu says=orders */
/* explore: ranks=3 verdict=found class=race-output args=turns-racy checkpoint=criu differences=1 */
/* explore: ranks=3 verdict=cannot-run args=late says=criu checkpoint=pages */
#include <assert.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER, brought = PTHREAD_COND_INITIALIZER;
static bool wanted, there, over;
static int value; /* the last one received, until it is added */
static const char *how;

static bool starts(const char *word) { return strncmp(how, word, strlen(word)) == 0; }

static void leave_behind(void) {
    enum { DEEP = 3000, DEEPEST = 500 }; /* deeper than any call goes, whose frame might have holes */
    volatile int garbage[DEEP];
    garbage[DEEP - 1] = 0;
    for (int i = 0; i < DEEPEST; i++)
        garbage[i] = value * (garbage[DEEP - 1] + 1);
}

static void receive(void) {
    MPI_Status status = {0};
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    if (starts("both"))
        MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
    leave_behind();
}

static void *serve(void *nothing) {
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!wanted && !over)
            pthread_cond_wait(&asked, &lock);
        if (over)
            break;
        wanted = false;
        receive();
        there = true;
        pthread_cond_signal(&brought);
    }
    pthread_mutex_unlock(&lock);
    return nothing;
}

static void *serve_once(void *nothing) {
    receive();
    return nothing;
}

static void ask(void) {
    if (starts("anew")) {
        pthread_t thread;
        pthread_create(&thread, NULL, serve_once, NULL);
        pthread_join(thread, NULL);
        return;
    }
    pthread_mutex_lock(&lock);
    wanted = true;
    pthread_cond_signal(&asked);
    while (!there)
        pthread_cond_wait(&brought, &lock);
    there = false;
    pthread_mutex_unlock(&lock);
}

static void collect(int size) {
    int sum = 0;
    for (int i = 1; i < size; i++) {
        if (starts("alone") || (starts("turns") && i % 2 == 0))
            receive();
        else
            ask();
        sum = (strstr(how, "racy") ? 3 : 1) * sum + value;
        leave_behind();
        value = 0;
    }
    printf("%d\n", sum);
}

static void contribute(int rank) {
    int back = rank;
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (starts("both"))
        MPI_Recv(&back, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(back == rank);
}

static void end(pthread_t thread) {
    pthread_mutex_lock(&lock);
    over = true;
    pthread_cond_signal(&asked);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
    int rank, size, provided;
    pthread_t thread;
    assert(argc == 2);
    how = argv[1];
    const bool early = starts("early"), late = !early && !starts("anew") && !starts("alone");
    if (early)
        pthread_create(&thread, NULL, serve, NULL);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    assert(provided == MPI_THREAD_SERIALIZED);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (late)
        pthread_create(&thread, NULL, serve, NULL);
    if (rank == 0)
        collect(size);
    else
        contribute(rank);
    if (early || late)
        end(thread);
    MPI_Finalize();
    return 0;
}
