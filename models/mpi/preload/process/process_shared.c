/* Synchronisation between processes other than MPI's, as in a shared window. libc does it by atomic operations, which are modelled
 * (shared_traps.h), and by waiting in the kernel, which is polling here (threads.c). What rests on more than that is refused where
 * it is asked for. */
#include "models/mpi/preload/process/control.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#define EXPORT __attribute__((visibility("default")))

static void refuse_with_threads(int shared) {
    if (rank_core.started && shared != PTHREAD_PROCESS_PRIVATE && control->channel->keeps_threads)
        step_end_refused(
            "mutexes, semaphores and the like that several ranks share (PTHREAD_PROCESS_SHARED) are not supported where "
            "threads are kept (--checkpoint criu)");
}

/* All ranks have the same thread number, by which a mutex of another kind knows its owner. */
static void require_plain_mutex(const pthread_mutexattr_t *attribute) {
    int shared, type, robust, protocol;
    if (!rank_core.started || attribute == NULL || pthread_mutexattr_getpshared(attribute, &shared) != 0 ||
        shared == PTHREAD_PROCESS_PRIVATE)
        return;
    pthread_mutexattr_gettype(attribute, &type);
    pthread_mutexattr_getrobust(attribute, &robust);
    pthread_mutexattr_getprotocol(attribute, &protocol);
    if (type != PTHREAD_MUTEX_NORMAL || robust != PTHREAD_MUTEX_STALLED || protocol != PTHREAD_PRIO_NONE)
        step_end_refused(
            "a mutex that several ranks share (PTHREAD_PROCESS_SHARED) and that is recursive, robust or the like is not "
            "supported");
}

#define ATTRIBUTE(object)                                                                           \
    EXPORT int pthread_##object##attr_setpshared(pthread_##object##attr_t *attribute, int shared) { \
        refuse_with_threads(shared);                                                                \
        int (*real)(pthread_##object##attr_t *, int);                                               \
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_" #object "attr_setpshared");                   \
        return real(attribute, shared);                                                             \
    }

ATTRIBUTE(mutex)
ATTRIBUTE(cond)
ATTRIBUTE(rwlock)
ATTRIBUTE(barrier)

EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attribute) {
    require_plain_mutex(attribute);
    int (*real)(pthread_mutex_t *, const pthread_mutexattr_t *);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_init");
    return real(mutex, attribute);
}

EXPORT int sem_init(sem_t *semaphore, int shared, unsigned value) {
    refuse_with_threads(shared);
    int (*real)(sem_t *, int, unsigned);
    *(void **)&real = dlsym(RTLD_NEXT, "sem_init");
    return real(semaphore, shared, value);
}
