/* System calls about signals and the timer (own_signals.h). */
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>

static long crash_by(int signal) {
    struct wire_end end = {.kind = WIRE_CRASH, .code = signal};
    step_end(&end, "");
}

long answer_with_signals(long result) {
    const int due = own_signals_due();
    if (due && own_signals_fate(due) == SIGNAL_KILLS)
        return crash_by(due);
    if (due && threads_others())
        refuse_call("handles a signal, and has threads");
    if (due)
        own_signals_deliver((void *)control->stopped, result);
    return result;
}

static long send_to_itself(int signal) {
    if (signal < 0 || signal > SIGNALS)
        return -EINVAL;
    enum own_signal_fate fate = own_signals_fate(signal);
    if (fate == SIGNAL_IGNORED)
        return 0;
    if (fate == SIGNAL_KILLS)
        return crash_by(signal);
    if (threads_others())
        refuse_call("sends itself a signal that it handles or blocks, and has threads");
    if (!own_signals_add(signal))
        refuse_call("sends itself the same realtime signal twice and blocks it");
    return answer_with_signals(0);
}

static long answer_kill(const long argument[6]) {
    if (argument[0] != own_process_number() && argument[0] != 0)
        refuse_call("sends a signal to another process");
    if (argument[0] == 0 && rank_core.count > 1 && argument[1] != 0)
        refuse_call("sends a signal to its process group, in which there may be other ranks");
    return send_to_itself((int)argument[1]);
}

static long answer_tgkill(const long argument[6]) { return send_to_itself((int)argument[2]); }
static long answer_tkill(const long argument[6]) { return send_to_itself((int)argument[1]); }

static long answer_signal_action(const long argument[6]) {
    return own_signals_action((int)argument[0], (const struct signal_action *)argument[1], (struct signal_action *)argument[2]);
}
static long answer_signal_mask(const long argument[6]) {
    long error = own_signals_mask((int)argument[0], (const uint64_t *)argument[1], (uint64_t *)argument[2]);
    return error ? error : answer_with_signals(0);
}
static long answer_signals_pending(const long argument[6]) { return own_signals_pending((uint64_t *)argument[0]); }
/* As the kernel rounds it. */
static long answer_alarm(const long argument[6]) {
    const uint64_t left = own_signals_set_timer((uint64_t)(unsigned)argument[0] * 1000000, 0);
    return left == 0 ? 0 : left < 1000000 ? 1 : (long)((left + 500000) / 1000000);
}
static struct timeval time_of(uint64_t microseconds) {
    return (struct timeval){(time_t)(microseconds / 1000000), (suseconds_t)(microseconds % 1000000)};
}
static uint64_t microseconds_of(struct timeval time) { return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec; }

/* Those of processor time are not there. */
static long answer_get_timer(const long argument[6]) {
    const bool real = argument[0] == ITIMER_REAL;
    *(struct itimerval *)argument[1] = (struct itimerval){.it_interval = time_of(real ? rank_core.signals.interval : 0),
                                                          .it_value = time_of(real ? own_signals_timer_left() : 0)};
    return 0;
}
static long answer_set_timer(const long argument[6]) {
    const struct itimerval *timer = (const struct itimerval *)argument[1];
    const struct itimerval set = timer ? *timer : (struct itimerval){.it_value = {0}};
    const bool counts = set.it_value.tv_sec || set.it_value.tv_usec;
    if (counts && argument[0] != ITIMER_REAL)
        refuse_call("asks for a signal after some processor time (setitimer)");
    if (set.it_value.tv_sec < 0 || set.it_value.tv_usec < 0 || set.it_value.tv_usec >= 1000000)
        return -EINVAL;
    if (argument[2])
        answer_get_timer((const long[6]){argument[0], argument[2]});
    if (argument[0] == ITIMER_REAL)
        own_signals_set_timer(microseconds_of(set.it_value), microseconds_of(set.it_interval));
    return 0;
}
const struct system_call signal_calls[] = {
    {SYS_kill, answer_kill},
    {SYS_tgkill, answer_tgkill},
    {SYS_tkill, answer_tkill},
    {SYS_rt_sigaction, answer_signal_action},
    {SYS_rt_sigprocmask, answer_signal_mask},
    {SYS_rt_sigpending, answer_signals_pending},
    {SYS_alarm, answer_alarm},
    {SYS_setitimer, answer_set_timer},
    {SYS_getitimer, answer_get_timer},
};
const size_t signal_calls_count = sizeof signal_calls / sizeof *signal_calls;
