#include "models/mpi/preload/system_calls/system_call_reach.h"

#include <limits.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

/* Of the calls that programs make most: argument `at` has so many bytes, or as many as the next argument says (0). */
static const struct {
    uint16_t number;
    uint8_t at;
    uint16_t bytes;
} known[] = {
    {SYS_read, 1, 0},
    {SYS_write, 1, 0},
    {SYS_pread64, 1, 0},
    {SYS_pwrite64, 1, 0},
    {SYS_getrandom, 0, 0},
    {SYS_fstat, 1, sizeof(struct stat)},
    {SYS_nanosleep, 0, sizeof(struct timespec)},
    {SYS_nanosleep, 1, sizeof(struct timespec)},
    {SYS_clock_nanosleep, 2, sizeof(struct timespec)},
    {SYS_clock_nanosleep, 3, sizeof(struct timespec)},
    {SYS_clock_gettime, 1, sizeof(struct timespec)},
};

/* An array's size follows it; names and structures are no longer than a path. */
static uint64_t usual_reach(const long argument[6], int i) {
    enum { SIZE_MOST = 1 << 30 };
    const long next = i < 5 ? argument[i + 1] : 0;
    return next > PATH_MAX && next < SIZE_MOST ? (uint64_t)next : PATH_MAX;
}

uint64_t system_call_reach(long number, const long argument[6], int i) {
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (known[k].number == number && known[k].at == i)
            return known[k].bytes != 0 ? known[k].bytes : (uint64_t)argument[i + 1];
    }
    return usual_reach(argument, i);
}
