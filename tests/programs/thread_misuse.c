/* What a rank's threads may not do, even where they can be kept: compute while another one is in an MPI call ("busy"), wait with a
 * time limit ("timed"), outlive the main thread ("outlives"). "prints" is right: the line comes before the main thread is in
 * MPI, or while it is, and is the rank's own. */
/* explore: ranks=2 verdict=cannot-run args=busy says=busy checkpoint=criu */
/* explore: ranks=2 verdict=cannot-run args=timed says=limit checkpoint=criu */
/* explore: ranks=2 verdict=cannot-run args=outlives says=pthread_exit checkpoint=criu */
/* explore: ranks=2 verdict=race-free args=prints checkpoint=criu */
#include <assert.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *how;
static sem_t never;

static bool told(const char *what) { return strcmp(how, what) == 0; }

static void *work(void *argument) {
    (void)argument;
    if (told("busy"))
        for (;;)
            sched_yield();
    if (told("timed")) {
        struct timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_sec++;
        sem_timedwait(&never, &soon);
    }
    if (told("prints"))
        printf("here\n");
    sem_wait(&never);
    return NULL;
}

int main(int argc, char **argv) {
    assert(argc == 2);
    how = argv[1];
    MPI_Init(&argc, &argv);
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    if (told("outlives"))
        pthread_exit(NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
