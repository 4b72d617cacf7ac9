/* Synchronisation between processes other than MPI's, as in a shared window: ranks have no memory in common, so it would order nothing.
 * It is refused where it is asked for. */
#include "models/mpi/preload/control.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#define EXPORT __attribute__((visibility("default")))

static void refuse_shared(int shared) {
    if (rank_core.started && shared != PTHREAD_PROCESS_PRIVATE)
        step_end_refused(
            "mutexes, semaphores and the like that several ranks share (PTHREAD_PROCESS_SHARED) are not supported: use "
            "MPI_Win_lock, MPI_Fetch_and_op or messages");
}

#define ATTRIBUTE(object)                                                                           \
    EXPORT int pthread_##object##attr_setpshared(pthread_##object##attr_t *attribute, int shared) { \
        refuse_shared(shared);                                                                      \
        int (*real)(pthread_##object##attr_t *, int);                                               \
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_" #object "attr_setpshared");                   \
        return real(attribute, shared);                                                             \
    }

ATTRIBUTE(mutex)
ATTRIBUTE(cond)
ATTRIBUTE(rwlock)
ATTRIBUTE(barrier)

EXPORT int sem_init(sem_t *semaphore, int shared, unsigned value) {
    refuse_shared(shared);
    int (*real)(sem_t *, int, unsigned);
    *(void **)&real = dlsym(RTLD_NEXT, "sem_init");
    return real(semaphore, shared, value);
}
