#include "models/mpi/preload/own_signals.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/control.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

static uint64_t bit(int signal) { return UINT64_C(1) << (signal - 1); }

void own_signals_start(void) {
    struct own_signals *signals = &rank_core.signals;
    for (int signal = 1; signal <= SIGNALS; signal++)
        RAW4(SYS_rt_sigaction, signal, 0, &signals->action[signal], sizeof signals->mask);
    RAW4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &signals->mask, sizeof signals->mask);
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

/* abort() unblocks SIGABRT and dies of it even if a handler returns. */
enum own_signal_fate own_signals_fate(int signal) {
    if (signal == 0)
        return SIGNAL_IGNORED;
    uint64_t handler = rank_core.signals.action[signal].handler;
    if (signal == SIGABRT || signal == SIGKILL)
        return SIGNAL_KILLS;
    if (handler == (uint64_t)SIG_IGN)
        return SIGNAL_IGNORED;
    if (handler != (uint64_t)SIG_DFL || (rank_core.signals.mask & bit(signal)))
        return SIGNAL_HANDLED;
    return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT ? SIGNAL_IGNORED : SIGNAL_KILLS;
}
