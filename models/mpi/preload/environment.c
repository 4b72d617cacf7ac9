/* Clocks that libc reads without a system call, replaced by the rank's logical one. */
#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/control.h"
#include "models/mpi/preload/rank.h"

#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

enum { EPOCH = 1700000000 };

static struct timespec logical_time(void) {
    double now = rank_clock();
    time_t seconds = (time_t)now;
    return (struct timespec){EPOCH + seconds, (long)((now - (double)seconds) * 1e9)};
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!rank_core.started)
        return (int)RAW2(SYS_clock_gettime, clock, time);
    *time = logical_time();
    return 0;
}

EXPORT int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    if (!rank_core.started)
        return (int)RAW2(SYS_gettimeofday, time, 0);
    struct timespec now = logical_time();
    *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

EXPORT time_t time(time_t *result) {
    time_t now = rank_core.started ? logical_time().tv_sec : (time_t)RAW1(SYS_time, 0);
    if (result)
        *result = now;
    return now;
}

EXPORT clock_t clock(void) {
    struct timespec now = logical_time();
    return (now.tv_sec - EPOCH) * CLOCKS_PER_SEC + now.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}
