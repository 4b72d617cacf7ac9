#include "models/mpi/preload/system_calls/own_signals.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>

static uint64_t bit(int signal) { return UINT64_C(1) << (signal - 1); }

void own_signals_start(void) {
    struct own_signals *signals = &rank_core.signals;
    for (int signal = 1; signal <= SIGNALS; signal++)
        RAW4(SYS_rt_sigaction, signal, 0, &signals->action[signal], sizeof signals->mask);
    RAW4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &signals->mask, sizeof signals->mask);
    /* The real timer would end this process, from which others are made later. Seconds, so that each run has the same. */
    struct itimerval none = {.it_value = {0}}, timer = none;
    RAW3(SYS_setitimer, ITIMER_REAL, &none, &timer);
    const uint64_t seconds = (uint64_t)timer.it_value.tv_sec + (timer.it_value.tv_usec > 0);
    own_signals_set_timer(seconds * 1000000,
                          (uint64_t)timer.it_interval.tv_sec * 1000000 + (uint64_t)timer.it_interval.tv_usec);
    signals->timer_is_sure = false;
}

long own_signals_action(int signal, const struct signal_action *set, struct signal_action *old) {
    if (signal < 1 || signal > SIGNALS || (set && (signal == SIGKILL || signal == SIGSTOP)))
        return -EINVAL;
    struct signal_action before = rank_core.signals.action[signal];
    if (set)
        rank_core.signals.action[signal] = *set;
    /* Where no handler would run, it does not matter how. */
    if (set && (set->handler == (uint64_t)SIG_DFL || set->handler == (uint64_t)SIG_IGN))
        rank_core.signals.action[signal] = (struct signal_action){.handler = set->handler};
    if (set && set->handler == (uint64_t)SIG_IGN)
        rank_core.signals.pending &= ~bit(signal);
    if (old)
        *old = before;
    return 0;
}

long own_signals_mask(int how, const uint64_t *set, uint64_t *old) {
    uint64_t before = rank_core.signals.mask, chosen = set ? *set & ~(bit(SIGKILL) | bit(SIGSTOP)) : 0;
    if (set && how == SIG_BLOCK)
        rank_core.signals.mask |= chosen;
    else if (set && how == SIG_UNBLOCK)
        rank_core.signals.mask &= ~chosen;
    else if (set && how == SIG_SETMASK)
        rank_core.signals.mask = chosen;
    else if (set)
        return -EINVAL;
    if (old)
        *old = before;
    return 0;
}

long own_signals_pending(uint64_t *set) {
    *set = rank_core.signals.pending;
    return 0;
}

/* --- the timer ------------------------------------------------------------------------------------------------------- */

uint64_t own_signals_timer_left(void) {
    const struct own_signals *signals = &rank_core.signals;
    return signals->timer ? signals->timer - rank_core.clock.now : 0;
}

uint64_t own_signals_set_timer(uint64_t microseconds, uint64_t interval) {
    struct own_signals *signals = &rank_core.signals;
    uint64_t left = own_signals_timer_left();
    if (microseconds)
        rank_core.clock.read = true; /* from now on sleeping takes time */
    signals->timer = microseconds ? rank_core.clock.now + microseconds : 0;
    signals->interval = microseconds ? interval : 0;
    signals->timer_is_sure = microseconds > 0;
    return left;
}

void own_signals_waited(void) { rank_core.signals.timer_is_sure = false; }

/* The next time that it goes off is in the future. */
static void set_again(struct own_signals *signals) {
    const uint64_t late = rank_core.clock.now - signals->timer;
    if (signals->interval == 0)
        signals->timer = 0;
    else
        signals->timer += signals->interval * (late / signals->interval + 1);
}

void own_signals_time_passes(void) {
    struct own_signals *signals = &rank_core.signals;
    if (!signals->timer || rank_core.clock.now < signals->timer)
        return;
    if (own_signals_fate(SIGALRM) != SIGNAL_IGNORED)
        step_end_refused("the program sleeps, or reads a clock, until its timer (alarm, setitimer) would go off, which is not "
                         "supported");
    set_again(signals);
}

bool own_signals_timer_comes(uint64_t microseconds) {
    const struct own_signals *signals = &rank_core.signals;
    return signals->timer && signals->timer_is_sure && own_signals_timer_left() <= microseconds;
}

bool own_signals_timer_ends(uint64_t microseconds) {
    const enum own_signal_fate fate = own_signals_fate(SIGALRM);
    return own_signals_timer_comes(microseconds) && (fate == SIGNAL_HANDLED || fate == SIGNAL_KILLS);
}

void own_signals_timer_goes_off(void) {
    rank_core.signals.pending |= bit(SIGALRM);
    rank_core.signals.from_timer = true;
    set_again(&rank_core.signals);
}

/* --- waiting --------------------------------------------------------------------------------------------------------- */

void own_signals_suspend(uint64_t mask) {
    struct own_signals *signals = &rank_core.signals;
    signals->suspends = true;
    signals->mask_before = signals->mask;
    own_signals_mask(SIG_SETMASK, &mask, NULL);
}

int own_signals_take(uint64_t set, bool *from_timer) {
    struct own_signals *signals = &rank_core.signals;
    const uint64_t there = signals->pending & set;
    const int signal = there ? __builtin_ctzll(there) + 1 : 0;
    *from_timer = signal == SIGALRM && signals->from_timer;
    if (signal)
        signals->pending &= ~bit(signal);
    if (signal == SIGALRM)
        signals->from_timer = false;
    return signal;
}

/* --- what is sent ---------------------------------------------------------------------------------------------------- */

/* What is blocked is not ignored: it may have a handler when it no longer is. */
enum own_signal_fate own_signals_fate(int signal) {
    if (signal == 0)
        return SIGNAL_IGNORED;
    uint64_t handler = rank_core.signals.action[signal].handler;
    if (signal == SIGKILL || signal == SIGSTOP)
        return SIGNAL_KILLS;
    if (rank_core.signals.mask & bit(signal))
        return SIGNAL_BLOCKED;
    if (handler == (uint64_t)SIG_IGN)
        return SIGNAL_IGNORED;
    if (handler != (uint64_t)SIG_DFL)
        return SIGNAL_HANDLED;
    return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT ? SIGNAL_IGNORED : SIGNAL_KILLS;
}

bool own_signals_add(int signal) {
    const bool counts = signal >= __SIGRTMIN && (rank_core.signals.pending & bit(signal));
    if (signal == SIGALRM && !(rank_core.signals.pending & bit(signal)))
        rank_core.signals.from_timer = false;
    rank_core.signals.pending |= bit(signal);
    return !counts;
}

int own_signals_due(void) {
    const uint64_t due = rank_core.signals.pending & ~rank_core.signals.mask;
    return due ? __builtin_ctzll(due) + 1 : 0;
}

/* --- handlers -------------------------------------------------------------------------------------------------------- */

/* What own_signals_enter finds on the stack and gives back to the processor. */
struct interrupted {
    gregset_t reg;
    uint64_t padding;
};
_Static_assert(sizeof(struct interrupted) % 16 == 0 && REG_RSP == 15 && REG_RIP == 16 && REG_EFL == 17 &&
                   sizeof(gregset_t) == 184,
               "as own_signals_enter.S has them");

enum { RED_ZONE = 128 };

void own_signals_enter(void); /* own_signals_enter.S */

void own_signals_deliver(void *context, long result) {
    greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
    reg[REG_RAX] = result;
    uint64_t *back = (uint64_t *)(reg[REG_RSP] - RED_ZONE) - 1; /* where it returns from */
    *back = (uint64_t)reg[REG_RIP];
    struct interrupted *at = (struct interrupted *)((uintptr_t)back / 16 * 16) - 1;
    *at = (struct interrupted){.padding = 0};
    memcpy(at->reg, reg, sizeof at->reg);
    at->reg[REG_ERR] = at->reg[REG_TRAPNO] = at->reg[REG_OLDMASK] = at->reg[REG_CR2] =
        0; /* of another trap than the program knows */
    reg[REG_RSP] = (greg_t)at;
    reg[REG_RIP] = (greg_t)own_signals_enter;
}

static void run_handler(int signal, const struct interrupted *at) {
    struct own_signals *signals = &rank_core.signals;
    const struct signal_action action = signals->action[signal];
    ucontext_t context = {.uc_flags = 0};
    bool from_timer;
    own_signals_take(bit(signal), &from_timer);
    siginfo_t info = {.si_signo = signal, .si_code = from_timer ? SI_KERNEL : SI_TKILL};
    if (!from_timer) {
        info.si_pid = (pid_t)own_process_number();
        info.si_uid = (uid_t)RAW0(SYS_getuid);
    }
    memcpy(context.uc_mcontext.gregs, at->reg, sizeof at->reg);
    memcpy(&context.uc_sigmask, signals->suspends ? &signals->mask_before : &signals->mask, sizeof signals->mask);
    signals->suspends = false;
    signals->mask_before = 0;
    if (action.flags & SA_RESETHAND)
        signals->action[signal].handler = (uint64_t)SIG_DFL;
    signals->mask |= action.mask | (action.flags & SA_NODEFER ? 0 : bit(signal));
    ((void (*)(int, siginfo_t *, void *))action.handler)(signal, &info, &context);
    if (memcmp(context.uc_mcontext.gregs, at->reg, sizeof at->reg) != 0)
        refuse_call("changes in a signal handler where the program goes on");
    memcpy(&signals->mask, &context.uc_sigmask, sizeof signals->mask);
}

/* On the program's stack. */
void own_signals_run(const struct interrupted *at);
void own_signals_run(const struct interrupted *at) {
    for (int signal; (signal = own_signals_due()) != 0;) {
        switch (own_signals_fate(signal)) {
        case SIGNAL_HANDLED: run_handler(signal, at); break;
        case SIGNAL_KILLS: step_end(&(struct wire_end){.kind = WIRE_CRASH, .code = signal}, "");
        default: rank_core.signals.pending &= ~bit(signal); break;
        }
    }
}
