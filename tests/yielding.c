/* Preloaded into programs that tests run under mpiexec: a rank that waits, and for which nothing has come, lets others run, and sleeps
 * now and then once nothing has come for long. MPICH polls without a pause, which is right with a processor for each rank; where ranks
 * are more, it takes several times as long as what they do. Where MPICH is built on something else than UCX, this is never called. */
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

enum { POLLS_BEFORE_SLEEP = 100, SLEEP_NANOSECONDS = 100000 };

unsigned ucp_worker_progress(void *worker) {
    static unsigned (*progress)(void *);
    static _Thread_local unsigned polls_in_vain;
    if (!progress)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned came = progress(worker);
    polls_in_vain = came ? 0 : polls_in_vain + 1;
    if (polls_in_vain > POLLS_BEFORE_SLEEP)
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NANOSECONDS}, NULL);
    else if (!came)
        sched_yield();
    return came;
}
