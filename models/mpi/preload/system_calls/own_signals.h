/* Signals that a rank sends itself: no others reach it. Handlers, the signal mask and what is pending are part of the local state.
 * A handler runs at once, on the program's stack (also with SA_ONSTACK), as a call in the place of the system call that sends or
 * unblocks the signal: there is nothing asynchronous about it. Of several that are unblocked at a time the lowest comes first.
 *
 * The timer (alarm, setitimer of the real time) stands on the rank's logical clock (clock.h). It is taken never to go off, as a
 * watchdog in a program that is in time: messages and computing take no time. Only while the program sleeps, or waits for a signal,
 * can it go off, if nothing has made it wait for another rank since it was set: then that is where it would. Where the program
 * otherwise sees its clock come to it, by sleeping or reading, it is refused. */
#ifndef MODELS_MPI_PRELOAD_OWN_SIGNALS_H
#define MODELS_MPI_PRELOAD_OWN_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

enum { SIGNALS = 64 };

struct own_signals {
    struct signal_action { /* as the kernel's */
        uint64_t handler, flags, restorer, mask;
    } action[SIGNALS + 1];
    uint64_t mask, pending;
    uint64_t timer, interval; /* when SIGALRM is due, in microseconds of the clock (0: never), and how much later again */
    bool timer_is_sure;       /* not to have gone off: the rank has waited for nobody since it was set */
    bool from_timer;          /* the SIGALRM that is pending */
    bool suspends;            /* until a handler returns the mask is another one than `mask_before`: sigsuspend */
    uint64_t mask_before;
};

/* Takes over what was set before MPI_Init. To be called before the library sets handlers of its own. */
void own_signals_start(void);

/* The system calls. Errors as the kernel gives them. */
long own_signals_action(int signal, const struct signal_action *set, struct signal_action *old);
long own_signals_mask(int how, const uint64_t *set, uint64_t *old);

long own_signals_pending(uint64_t *set);

/* Of ITIMER_REAL, in microseconds from now: sets (0: none) and tells what is left. */
uint64_t own_signals_set_timer(uint64_t microseconds, uint64_t interval);
uint64_t own_signals_timer_left(void);
/* The clock has been moved on. Refuses it if the timer would have gone off by now, and somebody could tell when. */
void own_signals_time_passes(void);
/* A call that may wait for other ranks has been answered. */
void own_signals_waited(void);
/* Does the timer go off within this time for sure? And is the signal neither ignored nor blocked, so that it ends a sleep? */
bool own_signals_timer_comes(uint64_t microseconds);
bool own_signals_timer_ends(uint64_t microseconds);
/* The clock has come to it. */
void own_signals_timer_goes_off(void);
/* sigsuspend: the mask, until the next handler has run. */
void own_signals_suspend(uint64_t mask);
/* One of the set that is pending is no more so: its number, or 0. */
int own_signals_take(uint64_t set, bool *from_timer);

/* What happens to a rank that sends itself this signal. */
enum own_signal_fate { SIGNAL_IGNORED, SIGNAL_KILLS, SIGNAL_HANDLED, SIGNAL_BLOCKED };
enum own_signal_fate own_signals_fate(int signal);
/* Takes note of a signal that is handled or blocked. False: it is pending already, and of its kind each one counts. */
bool own_signals_add(int signal);
/* The lowest that is pending and not blocked; 0: none. */
int own_signals_due(void);
/* Has the program, which the signal handler's `context` says where it is, go on with the handlers of all that is due, and then
 * after its system call, whose result is `result`. */
void own_signals_deliver(void *context, long result);

#endif
