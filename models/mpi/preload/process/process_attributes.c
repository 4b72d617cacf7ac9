/* System calls about what the kernel keeps of a process: limits of its resources, its name, priority and processors, the stack of
 * its signal handlers. An executor holds one rank after the other, so the kernel keeps none of what a rank sets: it is kept here,
 * as part of the local state, and tells nobody but the rank. What would change how the program runs is refused. */
#include "models/mpi/preload/process/process_attributes.h"
#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

enum { LOWEST_PRIORITY = 19, HIGHEST_PRIORITY = -20, NAME_BYTES = 16 };

/* What the rank has set; anything else is as it was when the program began. */
static struct {
    bool has_limit[RLIM_NLIMITS], has_priority, has_name, has_processors, has_handler_stack;
    struct rlimit limit[RLIM_NLIMITS];
    int priority;
    char name[NAME_BYTES];
    cpu_set_t processors;
    stack_t handler_stack;
} own;

static bool is_own(long process) { return process == 0 || process == own_process_number(); }

/* --- limits ---------------------------------------------------------------------------------------------------------- */

static struct rlimit limit_of(int resource) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    if (own.has_limit[resource])
        return own.limit[resource];
    RAW4(SYS_prlimit64, 0, resource, 0, &limit);
    return limit;
}

/* Dumps of memory are never made. More of anything else is there already, but for the stack, which does not grow. */
static bool makes_no_difference(int resource, const struct rlimit *to, const struct rlimit *from) {
    if (resource == RLIMIT_CORE || to->rlim_cur == from->rlim_cur)
        return true;
    return resource != RLIMIT_STACK && to->rlim_cur > from->rlim_cur;
}

static long set_limit(int resource, const struct rlimit *to) {
    struct rlimit from = limit_of(resource), wanted = *to;
    if (wanted.rlim_cur > wanted.rlim_max)
        return -EINVAL;
    if (wanted.rlim_max > from.rlim_max && RAW0(SYS_geteuid) != 0)
        return -EPERM;
    if (!makes_no_difference(resource, &wanted, &from))
        refuse_call("changes a limit of its resources (setrlimit) that is not that of core dumps");
    own.limit[resource] = wanted;
    own.has_limit[resource] = true;
    return 0;
}

static long answer_limit(const long argument[6]) {
    int resource = (int)argument[1];
    const struct rlimit *to = (const struct rlimit *)argument[2];
    struct rlimit *from = (struct rlimit *)argument[3];
    if (!is_own(argument[0]))
        refuse_call("asks for the limits of another process");
    if (resource < 0 || resource >= RLIM_NLIMITS)
        return -EINVAL;
    struct rlimit before = limit_of(resource);
    long error = to ? set_limit(resource, to) : 0;
    if (!error && from)
        *from = before;
    return error;
}

static long answer_get_limit(const long argument[6]) { return answer_limit((const long[6]){0, argument[0], 0, argument[1]}); }
static long answer_set_limit(const long argument[6]) { return answer_limit((const long[6]){0, argument[0], argument[1], 0}); }

/* --- name and priority ----------------------------------------------------------------------------------------------- */

static long answer_name(char *name) {
    char first[NAME_BYTES] = "";
    RAW2(SYS_prctl, PR_GET_NAME, first);
    memcpy(name, own.has_name ? own.name : first, NAME_BYTES);
    return 0;
}

static long answer_process_control(const long argument[6]) {
    switch (argument[0]) {
    case PR_SET_NAME:
        memset(own.name, 0, sizeof own.name);
        strncpy(own.name, (const char *)argument[1], sizeof own.name - 1);
        own.has_name = true;
        return 0;
    case PR_GET_NAME: return answer_name((char *)argument[1]);
    case PR_SET_PDEATHSIG: /* nobody's death is explored */
    case PR_SET_TIMERSLACK: return 0;
    default: refuse_call("changes its process attributes (prctl)");
    }
}

static int priority_now(void) { return own.has_priority ? own.priority : 20 - (int)RAW2(SYS_getpriority, PRIO_PROCESS, 0); }

/* The kernel's answer is never negative: 20 less what the library makes of it. */
static long answer_get_priority(const long argument[6]) {
    if (argument[0] != PRIO_PROCESS || !is_own(argument[1]))
        return RAW2(SYS_getpriority, argument[0], argument[1]);
    return 20 - priority_now();
}

static long answer_set_priority(const long argument[6]) {
    int wanted = (int)argument[2];
    if (argument[0] != PRIO_PROCESS || !is_own(argument[1]))
        refuse_call("sets the priority of other processes");
    wanted = wanted > LOWEST_PRIORITY ? LOWEST_PRIORITY : wanted < HIGHEST_PRIORITY ? HIGHEST_PRIORITY : wanted;
    if (wanted < priority_now() && RAW0(SYS_geteuid) != 0)
        return -EACCES;
    own.priority = wanted;
    own.has_priority = true;
    return 0;
}

/* --- processors ------------------------------------------------------------------------------------------------------ */

/* Those that may be chosen. Threads that run in turn share one processor, which the rank need not know. */
static cpu_set_t processors_there_are(void) {
    cpu_set_t there;
    memset(&there, control->channel->keeps_threads ? 0xff : 0, sizeof there);
    if (!control->channel->keeps_threads)
        RAW3(SYS_sched_getaffinity, 0, sizeof there, &there);
    return there;
}

unsigned process_processor(void) {
    unsigned processor = 0;
    while (own.has_processors && !CPU_ISSET(processor, &own.processors))
        processor++;
    return processor;
}

/* What other threads than the main one choose is not kept. */
static long answer_set_processors(const long argument[6]) {
    if (thread_is_other())
        return 0;
    cpu_set_t wanted, there = processors_there_are();
    size_t size = (size_t)argument[1] < sizeof wanted ? (size_t)argument[1] : sizeof wanted;
    memset(&wanted, 0, sizeof wanted);
    memcpy(&wanted, (const void *)argument[2], size);
    CPU_AND(&wanted, &wanted, &there);
    if (CPU_COUNT(&wanted) == 0)
        return -EINVAL;
    own.processors = wanted;
    own.has_processors = true;
    return 0;
}

/* As many bytes as the kernel gives, which depends on how many processors there may be. */
static long answer_get_processors(const long argument[6]) {
    void *given = (void *)argument[2];
    make_writable((uintptr_t)given, (size_t)argument[1]);
    long bytes = RAW3(SYS_sched_getaffinity, 0, argument[1], given);
    if (bytes > 0 && own.has_processors && !thread_is_other())
        memcpy(given, &own.processors, (size_t)bytes < sizeof own.processors ? (size_t)bytes : sizeof own.processors);
    return bytes;
}

static long answer_get_processor(const long argument[6]) {
    if (argument[0])
        *(unsigned *)argument[0] = process_processor();
    if (argument[1])
        *(unsigned *)argument[1] = 0;
    return 0;
}

/* --- the stack of signal handlers ------------------------------------------------------------------------------------ */

static long answer_handler_stack(const long argument[6]) {
    const stack_t *wanted = (const stack_t *)argument[0];
    const stack_t before = own.has_handler_stack ? own.handler_stack : (stack_t){.ss_flags = SS_DISABLE};
    if (wanted) {
        memset(&own.handler_stack, 0, sizeof own.handler_stack);
        own.has_handler_stack = !(wanted->ss_flags & SS_DISABLE);
        if (own.has_handler_stack)
            own.handler_stack = (stack_t){.ss_sp = wanted->ss_sp, .ss_flags = wanted->ss_flags, .ss_size = wanted->ss_size};
    }
    if (argument[1])
        *(stack_t *)argument[1] = before;
    return 0;
}

bool process_tells_otherwise(const char *path) {
    for (int resource = 0; resource < RLIM_NLIMITS; resource++)
        if (own.has_limit[resource] && strcmp(path, "/proc/self/limits") == 0)
            return true;
    return own.has_name && strcmp(path, "/proc/self/comm") == 0;
}

const struct system_call attribute_calls[] = {
    {SYS_prlimit64, answer_limit},
    {SYS_getrlimit, answer_get_limit},
    {SYS_setrlimit, answer_set_limit},
    {SYS_prctl, answer_process_control},
    {SYS_getpriority, answer_get_priority},
    {SYS_setpriority, answer_set_priority},
    {SYS_sched_setaffinity, answer_set_processors},
    {SYS_sched_getaffinity, answer_get_processors},
    {SYS_getcpu, answer_get_processor},
    {SYS_sigaltstack, answer_handler_stack},
};
const size_t attribute_calls_count = sizeof attribute_calls / sizeof *attribute_calls;
