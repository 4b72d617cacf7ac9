/* System calls that wait for time to pass, for a signal or for descriptors. The only signal that comes while a rank waits is that
 * of its own timer (own_signals.h). */
#include "models/mpi/preload/files/file_table.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>

/* --- time ------------------------------------------------------------------------------------------------------------ */

/* Has a timer ended it? Then what is left goes there (NULL: nowhere). */
static long sleep_for(uint64_t microseconds, struct timespec *left) {
    const bool ends = own_signals_timer_ends(microseconds);
    const uint64_t rest = clock_sleep(microseconds);
    if (!ends)
        return 0;
    if (left)
        *left = (struct timespec){(time_t)(rest / 1000000), (long)(rest % 1000000) * 1000};
    return answer_with_signals(-EINTR);
}

static long answer_sleep(const long argument[6]) {
    return sleep_for(clock_duration((const struct timespec *)argument[0]), (struct timespec *)argument[1]);
}

static long answer_clock_sleep(const long argument[6]) {
    const struct timespec *time = (const struct timespec *)argument[2];
    if (argument[1] & TIMER_ABSTIME)
        return sleep_for(clock_duration_until(time), NULL);
    return sleep_for(clock_duration(time), (struct timespec *)argument[3]);
}

/* What is left of a time limit goes where it was told: nothing. */
static long wait_for_time(struct timespec *limit) {
    if (!limit)
        refuse_call("waits for a signal for ever (select, poll)");
    if (own_signals_timer_ends(clock_duration(limit)))
        refuse_call("waits for its timer (alarm, setitimer) by select or poll");
    long result = sleep_for(clock_duration(limit), NULL);
    *limit = (struct timespec){0};
    return result;
}

/* All that can be open is files and devices, which never keep anybody waiting, whichever way they were opened. */
static short ready_for(int descriptor, short wanted) {
    if (!file_table_get(descriptor))
        return POLLNVAL;
    return (short)(wanted & (POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM));
}

/* How many of them have something to report. */
static long poll_all(struct pollfd *list, size_t count) {
    long reports = 0;
    for (size_t i = 0; i < count; i++) {
        list[i].revents = list[i].fd < 0 ? 0 : ready_for(list[i].fd, list[i].events);
        reports += list[i].revents != 0;
    }
    return reports;
}

/* Bits of a set that lie beyond `count` are left as they are. Of what is exceptional nothing is ever reported. */
static long select_in(fd_set *set, int count, bool exceptional) {
    long reports = 0;
    for (int i = 0; set && i < count; i++) {
        if (!FD_ISSET(i, set))
            continue;
        if (!file_table_get(i))
            return -EBADF;
        if (exceptional)
            FD_CLR(i, set);
        else
            reports++;
    }
    return reports;
}

static long select_all(const long argument[6]) {
    int count = (int)argument[0] < FD_SETSIZE ? (int)argument[0] : FD_SETSIZE;
    long reading = select_in((fd_set *)argument[1], count, false), writing = select_in((fd_set *)argument[2], count, false);
    long exceptional = select_in((fd_set *)argument[3], count, true);
    if (count < 0)
        return -EINVAL;
    return reading < 0 || writing < 0 || exceptional < 0 ? -EBADF : reading + writing;
}

static long answer_select(const long argument[6]) {
    struct timeval *limit = (struct timeval *)argument[4];
    struct timespec time = limit ? (struct timespec){limit->tv_sec, limit->tv_usec * 1000} : (struct timespec){0};
    long reports = select_all(argument);
    if (reports != 0)
        return reports;
    reports = wait_for_time(limit ? &time : NULL);
    *limit = (struct timeval){0};
    return reports;
}
static long answer_pselect(const long argument[6]) {
    long reports = select_all(argument);
    return reports != 0 ? reports : wait_for_time((struct timespec *)argument[4]);
}
static long answer_poll(const long argument[6]) {
    int limit = (int)argument[2];
    struct timespec time = {limit / 1000, limit % 1000 * 1000000l};
    long reports = poll_all((struct pollfd *)argument[0], (size_t)argument[1]);
    return reports != 0 ? reports : wait_for_time(limit < 0 ? NULL : &time);
}
static long answer_ppoll(const long argument[6]) {
    long reports = poll_all((struct pollfd *)argument[0], (size_t)argument[1]);
    return reports != 0 ? reports : wait_for_time((struct timespec *)argument[2]);
}

/* --- signals --------------------------------------------------------------------------------------------------------- */

static void require_timer(bool ends) {
    if (!ends)
        refuse_call("waits for a signal (pause, sigsuspend, sigwait) that is not one of a timer set since it last waited for "
                    "another rank");
}

static long answer_pause(const long argument[6]) {
    (void)argument;
    require_timer(own_signals_timer_ends(CLOCK_FOR_EVER));
    return sleep_for(CLOCK_FOR_EVER, NULL);
}

static long answer_suspend(const long argument[6]) {
    uint64_t mask, others;
    memcpy(&mask, (const void *)argument[0], sizeof mask);
    own_signals_suspend(mask);
    if (!own_signals_due())
        return answer_pause(argument);
    const int due = own_signals_due();
    if (own_signals_fate(due) == SIGNAL_IGNORED)
        refuse_call("waits in sigsuspend while a signal is pending that it ignores");
    own_signals_pending(&others);
    others &= ~mask & ~(UINT64_C(1) << (due - 1));
    if (others)
        refuse_call("waits in sigsuspend while several signals are pending");
    return answer_with_signals(-EINTR);
}

static long taken(int signal, bool from_timer, siginfo_t *info) {
    if (!info)
        return signal;
    *info = (siginfo_t){.si_signo = signal, .si_code = from_timer ? SI_KERNEL : SI_TKILL};
    if (!from_timer)
        info->si_pid = (pid_t)own_process_number();
    return signal;
}

/* A signal that is waited for so must be blocked (sigwait(3)). */
static long answer_wait(const long argument[6]) {
    const struct timespec *limit = (const struct timespec *)argument[2];
    const uint64_t longest = limit ? clock_duration(limit) : CLOCK_FOR_EVER;
    uint64_t set;
    bool from_timer;
    memcpy(&set, (const void *)argument[0], sizeof set);
    int signal = own_signals_take(set, &from_timer);
    if (!signal && (set >> (SIGALRM - 1) & 1) && own_signals_fate(SIGALRM) == SIGNAL_BLOCKED &&
        own_signals_timer_comes(longest)) {
        clock_sleep_until_timer();
        signal = own_signals_take(set, &from_timer);
    }
    if (signal)
        return taken(signal, from_timer, (siginfo_t *)argument[1]);
    require_timer(limit || own_signals_timer_ends(longest));
    const long ended = sleep_for(longest, NULL);
    return ended ? ended : -EAGAIN;
}

const struct system_call waiting_calls[] = {
    {SYS_nanosleep, answer_sleep},
    {SYS_clock_nanosleep, answer_clock_sleep},
    {SYS_select, answer_select},
    {SYS_pselect6, answer_pselect},
    {SYS_poll, answer_poll},
    {SYS_ppoll, answer_ppoll},
    {SYS_pause, answer_pause},
    {SYS_rt_sigsuspend, answer_suspend},
    {SYS_rt_sigtimedwait, answer_wait},
};
const size_t waiting_calls_count = sizeof waiting_calls / sizeof *waiting_calls;
