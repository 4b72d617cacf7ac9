#include "models/mpi/preload/thread_calls.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/threads.h"

#include <string.h>

static int granted = MPI_THREAD_SINGLE;
static bool others_call; /* the explorer has been told so */

/* The outermost call that a thread is in. */
static struct {
    const struct caller *at; /* NULL: no thread is in a call */
    struct caller call;
    uintptr_t thread;
} inside;

static uintptr_t this_thread(void) { return (uintptr_t)__builtin_thread_pointer(); }

void thread_calls_grant(int level) { granted = level; }
int thread_calls_granted(void) { return granted; }

static const char *granted_name(void) {
    switch (granted) {
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
    default: return "MPI_THREAD_MULTIPLE";
    }
}

/* What is certain is that a thread which waits in its call is in it: one that has left a callback by longjmp looks as if it
 * were. */
static _Noreturn void end_for_two_calls(const struct caller *caller) {
    const char *inner = function_name(caller->function), *outer = function_name(inside.call.function);
    const struct wire_place other[2] = {{.site = inside.call.site, .rank = rank_number(), .function = inside.call.function}};
    if (granted < MPI_THREAD_MULTIPLE && threads_settling())
        rank_violation_at("call-outside-init", caller->function, caller->site, other,
                          "a thread calls MPI while another one is in %s, but MPI was initialised with %s", outer,
                          granted_name());
    rank_refuse(caller->function, caller->site, "two threads of a rank are in calls at once, %s and %s, which is not supported",
                outer, inner);
}

static void tell_of_others(void) {
    if (others_call)
        return;
    others_call = true;
    report_add(WIRE_THREADS_CALL, 0);
}

void thread_calls_require(const struct caller *caller) {
    bool is_other = thread_is_other();
    if (is_other && granted < MPI_THREAD_SERIALIZED)
        rank_violation("call-outside-init", caller->function, caller->site,
                       "a thread other than the one that called MPI_Init calls MPI, which was initialised with %s",
                       granted_name());
    if (inside.at && inside.thread != this_thread() && threads_others())
        end_for_two_calls(caller);
    if (is_other)
        tell_of_others();
}

void thread_calls_require_main(const struct caller *caller) {
    if (thread_is_other())
        rank_violation("call-outside-init", caller->function, caller->site,
                       "a thread other than the one that called MPI_Init makes this call");
}

/* One that is not below is no inner one: the outer one was left without an end, by longjmp. */
void thread_calls_begin(const struct caller *caller) {
    if (inside.at && inside.thread == this_thread() && caller < inside.at)
        return;
    inside.at = caller;
    inside.call = *caller;
    inside.thread = this_thread();
}

void thread_calls_end(const struct caller *caller) {
    if (inside.at == caller)
        memset(&inside, 0, sizeof inside);
}
