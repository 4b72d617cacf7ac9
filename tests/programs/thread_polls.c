/* Rank 0 has a thread that polls for what the others send, under a lock that it lets go of between one poll and the next. The main thread
 * is told when it has begun, and waits for the lock to tell the others that they may send. Whoever waits for a lock gets it some time, so the polling ends, in every
 * order of messages: race-free, and no livelock. "racy" weighs what came before by 3, so that of 1 and 2 it makes 5 or 7. Where the others are
 * "silent" it polls for ever. */
/* explore: ranks=2 verdict=race-free args=sum checkpoint=criu says=orders */
/* explore: ranks=3 verdict=race-free args=sum checkpoint=criu says=orders */
/* explore: ranks=3 verdict=found class=race-output args=racy checkpoint=criu */
/* explore: ranks=2 verdict=found class=livelock args=silent checkpoint=criu says=orders */
#include <assert.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t begun;
static int size, sum, weight = 1;

static int poll(void) {
    int there, value;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &there, &status);
    if (!there)
        return 0;
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum = weight * sum + value;
    return 1;
}

static void *collect(void *nothing) {
    bool told = false;
    for (int received = 0; received < size - 1;) {
        pthread_mutex_lock(&lock);
        received += poll();
        if (!told)
            sem_post(&begun);
        told = true;
        pthread_mutex_unlock(&lock);
    }
    return nothing;
}

static void lead(void) {
    pthread_t thread;
    sem_init(&begun, 0, 0);
    pthread_create(&thread, NULL, collect, NULL);
    sem_wait(&begun);
    for (int i = 1; i < size; i++) {
        pthread_mutex_lock(&lock);
        MPI_Send(&i, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    printf("%d\n", sum);
}

static void follow(bool silent) {
    int value;
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!silent)
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    assert(argc == 2 && provided == MPI_THREAD_SERIALIZED);
    weight = strcmp(argv[1], "racy") == 0 ? 3 : 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        lead();
    else
        follow(strcmp(argv[1], "silent") == 0);
    MPI_Finalize();
    return 0;
}
