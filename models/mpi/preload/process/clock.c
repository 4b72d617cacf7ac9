#include "models/mpi/preload/process/clock.h"

#include "models/mpi/preload/process/control.h"

enum { QUIET_PLAIN = 8, QUIET_JUMPS = 11, QUIET_MOST = QUIET_PLAIN + QUIET_JUMPS, PROGRESS_TAKES = 1000, EPOCH = 1700000000 };
enum { ROUND_SLOW = 56, ROUND_PLAIN = 8, ROUND = ROUND_SLOW + ROUND_PLAIN };

#define SECOND UINT64_C(1000000)
#define SLEEP_MOST (UINT64_C(1) << 52) /* 142 years; the sum of a thousand of them still fits */

static uint64_t advance_in_rounds(struct clock *clock) {
    unsigned reading = clock->quiet - QUIET_MOST;
    clock->quiet = (uint8_t)(QUIET_MOST + (reading + 1) % ROUND);
    return reading < ROUND_SLOW ? SECOND : 1;
}

/* How far the clock goes at the next reading, of which it takes note. */
static uint64_t next_advance(struct clock *clock) {
    if (clock->quiet >= QUIET_MOST)
        return clock->polled ? 0 : advance_in_rounds(clock);
    unsigned quiet = clock->quiet++;
    return quiet < QUIET_PLAIN ? 1 : UINT64_C(1) << 4 * (quiet - QUIET_PLAIN + 1);
}

uint64_t clock_read(void) {
    struct clock *clock = &rank_core.clock;
    clock->read = true;
    clock->progressed = false;
    clock->now += next_advance(clock);
    own_signals_time_passes();
    return clock->now;
}

struct timespec clock_time_of_day(void) {
    uint64_t now = clock_read();
    return (struct timespec){EPOCH + (time_t)(now / SECOND), (long)(now % SECOND) * 1000};
}

void clock_sleep_until_timer(void) {
    rank_core.clock.progressed = false;
    rank_core.clock.now += own_signals_timer_left();
    own_signals_timer_goes_off();
}

uint64_t clock_sleep(uint64_t microseconds) {
    struct clock *clock = &rank_core.clock;
    if (!clock->read)
        return 0;
    if (own_signals_timer_ends(microseconds)) {
        uint64_t left = microseconds - own_signals_timer_left();
        clock_sleep_until_timer();
        return left;
    }
    clock->progressed = false;
    uint64_t advance = clock->polled ? next_advance(clock) : microseconds;
    if (advance > 0)
        clock->now += advance > microseconds ? advance : microseconds;
    own_signals_time_passes();
    return 0;
}

uint64_t clock_duration(const struct timespec *time) {
    if (time->tv_sec < 0)
        return 0;
    if ((uint64_t)time->tv_sec > SLEEP_MOST / SECOND)
        return SLEEP_MOST;
    return (uint64_t)time->tv_sec * SECOND + ((uint64_t)time->tv_nsec + 999) / 1000;
}

uint64_t clock_duration_until(const struct timespec *time_of_day) {
    uint64_t until = clock_duration(&(struct timespec){time_of_day->tv_sec - EPOCH, time_of_day->tv_nsec});
    return until > rank_core.clock.now ? until - rank_core.clock.now : 0;
}

void clock_polled(void) {
    own_signals_waited();
    if (rank_core.clock.read && !rank_core.clock.progressed)
        rank_core.clock.polled = true;
}

void clock_progressed(void) {
    own_signals_waited();
    struct clock *clock = &rank_core.clock;
    if (!clock->read || clock->progressed)
        return;
    uint64_t earliest = clock->progress + PROGRESS_TAKES;
    uint64_t now = clock->now > earliest ? clock->now : earliest;
    *clock = (struct clock){.now = now, .progress = now, .progressed = true, .read = true};
    own_signals_time_passes();
}
