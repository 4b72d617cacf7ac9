/* Starts a thread: a rank must be a pure function of its messages, so this is refused. */
/* explore: ranks=2 verdict=cannot-run checkpoint=pages */
#include <mpi.h>
#include <pthread.h>

static void *nothing(void *argument) { return argument; }

int main(int argc, char **argv) {
    pthread_t thread;
    MPI_Init(&argc, &argv);
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
