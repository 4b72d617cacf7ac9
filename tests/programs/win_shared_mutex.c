/* A mutex in a shared window, for processes to share, is refused; one for this process alone is nobody's business. */
/* explore: ranks=2 verdict=cannot-run args=shared says=PTHREAD_PROCESS_SHARED */
/* explore: ranks=2 verdict=race-free args=private */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, unit;
    void *base;
    MPI_Aint size;
    MPI_Win window;
    pthread_mutexattr_t attribute;
    pthread_mutex_t *mutex, own;
    MPI_Init(&argc, &argv);
    int shared = argc > 1 && strcmp(argv[1], "shared") == 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *mutex : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &mutex);
    if (!shared)
        mutex = &own;
    pthread_mutexattr_init(&attribute);
    pthread_mutexattr_setpshared(&attribute, shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE);
    if (rank == 0 || !shared)
        pthread_mutex_init(mutex, &attribute);
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_mutex_lock(mutex);
    printf("%d\n", (int)size);
    pthread_mutex_unlock(mutex);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
