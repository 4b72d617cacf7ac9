/* Mutexes, semaphores and barriers of POSIX threads in a shared window, for the ranks to share. What is guarded by them is in order; what
 * one rank leaves unguarded is not. Waiting for them is polling here, so that ranks that wait for each other for ever are a livelock. Not run
 * under mpiexec: where a rank spins, MPICH gets no chance to bring the others on. */
/* explore: ranks=2 verdict=race-free args=mutex mpiexec=no */
/* explore: ranks=3 verdict=race-free args=mutex checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=mutex_of_one checkpoint=pages */
/* explore: ranks=2 verdict=race-free args=two_mutexes checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=livelock args=two_mutexes_crossed checkpoint=pages */
/* explore: ranks=2 verdict=race-free args=try_mutex checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=race-free args=semaphore checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=found class=rma-conflict args=semaphore_of_two checkpoint=pages */
/* explore: ranks=2 verdict=race-free args=barrier checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=race-free args=read_write_lock checkpoint=pages mpiexec=no */
/* explore: ranks=2 verdict=race-free args=condition checkpoint=pages mpiexec=no */
/* One for this process alone is nobody's business, and one that knows its owner is refused. */
/* explore: ranks=2 verdict=race-free args=private mpiexec=no */
/* explore: ranks=2 verdict=cannot-run args=recursive says=PTHREAD_PROCESS_SHARED */
#include <assert.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

struct shared {
    pthread_mutex_t mutex[2];
    sem_t semaphore;
    pthread_barrier_t barrier;
    pthread_rwlock_t lock;
    pthread_cond_t condition;
    int number, ready;
};

static struct shared *shared;
static int rank, size;
static const char *what;

static int is(const char *name) { return strcmp(what, name) == 0; }

static void make_mutexes(void) {
    pthread_mutexattr_t attribute;
    pthread_mutexattr_init(&attribute);
    pthread_mutexattr_setpshared(&attribute, PTHREAD_PROCESS_SHARED);
    if (is("recursive"))
        pthread_mutexattr_settype(&attribute, PTHREAD_MUTEX_RECURSIVE);
    for (int i = 0; i < 2; i++)
        pthread_mutex_init(&shared->mutex[i], &attribute);
    pthread_mutexattr_destroy(&attribute);
}

static void make(void) {
    pthread_barrierattr_t barrier;
    pthread_rwlockattr_t lock;
    pthread_condattr_t condition;
    make_mutexes();
    sem_init(&shared->semaphore, 1, is("semaphore_of_two") ? 2 : 1);
    pthread_barrierattr_init(&barrier);
    pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &barrier, (unsigned)size);
    pthread_rwlockattr_init(&lock);
    pthread_rwlockattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&shared->lock, &lock);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->condition, &condition);
}

static void add_between(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    shared->number++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void add(void) {
    int crossed = is("two_mutexes_crossed") && rank == 1;
    if (is("mutex") || (is("mutex_of_one") && rank == 0)) {
        pthread_mutex_lock(&shared->mutex[0]);
        shared->number++;
        pthread_mutex_unlock(&shared->mutex[0]);
    } else if (is("mutex_of_one")) {
        shared->number++;
    } else if (is("try_mutex")) {
        while (pthread_mutex_trylock(&shared->mutex[0]) != 0)
            continue;
        shared->number++;
        pthread_mutex_unlock(&shared->mutex[0]);
    } else if (strncmp(what, "two_mutexes", 11) == 0) {
        add_between(&shared->mutex[crossed], &shared->mutex[!crossed]);
    } else {
        sem_wait(&shared->semaphore);
        shared->number++;
        sem_post(&shared->semaphore);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    assert(shared->number == size);
}

static void meet(void) {
    if (rank == 0)
        shared->number = 4;
    pthread_barrier_wait(&shared->barrier);
    assert(shared->number == 4);
}

static void read_or_write(void) {
    if (rank == 0) {
        pthread_rwlock_wrlock(&shared->lock);
        shared->number++;
        shared->ready++;
    } else {
        pthread_rwlock_rdlock(&shared->lock);
        assert(shared->number == shared->ready);
    }
    pthread_rwlock_unlock(&shared->lock);
}

static void await_condition(void) {
    pthread_mutex_lock(&shared->mutex[0]);
    if (rank == 0) {
        shared->ready = 1;
        pthread_cond_signal(&shared->condition);
    }
    while (!shared->ready)
        pthread_cond_wait(&shared->condition, &shared->mutex[0]);
    pthread_mutex_unlock(&shared->mutex[0]);
}

int main(int argc, char **argv) {
    int unit;
    struct shared *own;
    MPI_Aint bytes;
    MPI_Win window;
    pthread_mutex_t private = PTHREAD_MUTEX_INITIALIZER;
    MPI_Init(&argc, &argv);
    what = argc > 1 ? argv[1] : "mutex";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *own : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &shared);
    if (rank == 0)
        make();
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_mutex_lock(&private);
    pthread_mutex_unlock(&private);
    if (is("barrier"))
        meet();
    else if (is("read_write_lock"))
        read_or_write();
    else if (is("condition"))
        await_condition();
    else if (!is("private") && !is("recursive"))
        add();
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
