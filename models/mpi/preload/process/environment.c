/* What libraries read without a system call: clocks, replaced by the rank's logical one, the number of the processor, and random
 * numbers. */
#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/process_attributes.h"

#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!rank_core.started)
        return (int)RAW2(SYS_clock_gettime, clock, time);
    *time = clock_time_of_day();
    return 0;
}

EXPORT int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    if (!rank_core.started)
        return (int)RAW2(SYS_gettimeofday, time, 0);
    struct timespec now = clock_time_of_day();
    *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

EXPORT time_t time(time_t *result) {
    time_t now = rank_core.started ? clock_time_of_day().tv_sec : (time_t)RAW1(SYS_time, 0);
    if (result)
        *result = now;
    return now;
}

EXPORT clock_t clock(void) {
    if (rank_core.started)
        return (clock_t)(clock_read() * CLOCKS_PER_SEC / 1000000);
    struct timespec used;
    RAW2(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / 1000;
}

EXPORT int sched_getcpu(void) { return (int)process_processor(); }

/* std::random_device of libstdc++ asks the processor itself (RDSEED, RDRAND), if it can. The system's numbers are the same in each
 * execution. */
static unsigned random_number(void) {
    unsigned number = 0;
    (void)!getrandom(&number, sizeof number, 0);
    return number;
}

EXPORT unsigned cxx_random_device_value(void *device) __asm__("_ZNSt13random_device9_M_getvalEv");
EXPORT unsigned cxx_random_device_value(void *device) {
    (void)device;
    return random_number();
}

EXPORT unsigned cxx_random_device_first_value(void *device) __asm__("_ZNSt13random_device16_M_getval_pretr1Ev");
EXPORT unsigned cxx_random_device_first_value(void *device) {
    (void)device;
    return random_number();
}
