/* The rank's logical clock, in microseconds: the one source of all times that a program can read.
 *
 * A rank's clock is part of its local state, so it must go on for a loop that waits for time to end, and must not go on for ever
 * while the rank waits for a message, or a loop that polls would never come back to a state it was in:
 *
 *   reading    adds a microsecond. After QUIET_PLAIN readings in a row, with nothing received in between, it adds 16 µs, then
 *              256 µs, … up to 200 days: waiting for any time ends after few readings. Further ones add a second ROUND_SLOW times,
 *              a microsecond ROUND_PLAIN times, and so on in turn: a program that repeats something until it takes long enough to
 *              be measured comes to an end, also if it takes the least of several measurements, and so does one that measures
 *              again what took too long.
 *   polling    ("not yet") adds nothing. But once those jumps are used up, the clock of a rank that polls stands still: the
 *              polling loop closes.
 *   progress   (any other answer) ends the waiting: jumps start anew, and the clock is put to a millisecond after the last
 *              progress if it is not there yet. So how often a rank polled in vain is forgotten.
 *   sleeping   adds what was asked for; while polling, at least as much as a reading.
 *
 * Progress is noted once until the next reading, and nothing is noted before the first: a program that does not read the clock
 * has none, and states that differ in nothing else are one. Every value a program gets is one that a real clock could have shown
 * it; which side of a time limit it falls on is chosen by how often it polls, and both answers to each poll are explored. */
#ifndef MODELS_MPI_PRELOAD_CLOCK_H
#define MODELS_MPI_PRELOAD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct clock {
    uint64_t now;      /* microseconds */
    uint64_t progress; /* `now` at the last progress */
    uint8_t quiet;     /* readings since, up to the last that jumps; and then how far the round has come */
    bool polled;       /* "not yet" since */
    bool progressed;   /* no reading since */
    bool read;         /* ever */
};

/* A reading, in microseconds since MPI_Init; strictly greater than the last one but for a rank that polls for ever. */
uint64_t clock_read(void);
/* The same as a time of day; all clocks show it. */
struct timespec clock_time_of_day(void);
#define CLOCK_FOR_EVER (UINT64_C(1) << 53)
/* In microseconds; until the clock shows this time of day, from now on. */
uint64_t clock_duration(const struct timespec *time);
uint64_t clock_duration_until(const struct timespec *time_of_day);
/* The program sleeps for this long, or until its timer goes off (own_signals.h): what is left of it. For ever: only if it will. */
uint64_t clock_sleep(uint64_t microseconds);
/* The timer is set and goes off then. */
void clock_sleep_until_timer(void);
/* A blocking call has been answered: "not yet", or otherwise. */
void clock_polled(void);
void clock_progressed(void);

#endif
