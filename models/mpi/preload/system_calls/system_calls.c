/* System calls of the application. A filter (seccomp) sends those that would reach outside the local state to a handler,
 * which answers them from the local state, or refuses them by name; what nobody here has heard of is refused, too. A few that are
 * harmless go to the kernel. The explorer's own calls come from raw_syscall, which the filter lets through.
 *
 * The kernel cannot write into memory that the image keeps read-only: calls that write for the application are handled too,
 * and their targets are made writable first. */
#include "models/mpi/preload/system_calls/system_calls.h"
#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/files/files.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/page_rights.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/shared_traps.h"

#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <ucontext.h>

enum { FAKE_PID = 10000 };

void refuse_call(const char *format, ...) {
    char what[300], text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(text, sizeof text, "the program %s after MPI_Init, which is not supported", what);
    step_end_refused(text);
}

long own_process_number(void) { return FAKE_PID + rank_core.number; }

static _Noreturn void refuse(const char *what) { refuse_call("%s", what); }

/* --- the end --------------------------------------------------------------------------------------------------------- */

static long answer_exit(const long argument[6]) {
    files_report(); /* all threads end */
    struct wire_end end = {.kind = WIRE_EXIT,
                           .finalized = rank_core.finalized,
                           .code = (int)argument[0] & 0xff,
                           .leaked_requests = rank_core.leaks.requests,
                           .leak_site = rank_core.leaks.request_site,
                           .leak_function = rank_core.leaks.request_function,
                           .leaked_handles = rank_core.leaks.handles,
                           .handle_function = rank_core.leaks.handle_function,
                           .handle_site = rank_core.leaks.handle_site};
    memcpy(end.handle_kind, rank_core.leaks.handle_kind, sizeof end.handle_kind);
    step_end(&end, "");
}

/* One thread ends; the program does with its last one. */
static long answer_thread_exit(const long argument[6]) {
    if (thread_is_other())
        threads_answer_exit();
    if (threads_others())
        refuse("ends its main thread while others go on (pthread_exit)");
    return answer_exit(argument);
}

/* --- refused by name ------------------------------------------------------------------------------------------------- */

static long answer_clone(const long argument[6]) {
    refuse(argument[0] & CLONE_THREAD ? "starts a thread by itself (clone)" : "starts a process (fork)");
}
static long answer_clone3(const long argument[6]) {
    const void *arguments = (const void *)argument[0];
    if (!(*(const uint64_t *)arguments & CLONE_THREAD))
        refuse("starts a process (fork)");
    return threads_answer_clone3(arguments, (void *)control->stopped);
}
static long answer_fork(const long argument[6]) {
    (void)argument;
    refuse("starts a process (fork)");
}
static long answer_exec(const long argument[6]) {
    (void)argument;
    refuse("runs another program (exec)");
}
/* What looks up a user, a group or a host asks a name service cache first, in this way, and then does without. */
static long answer_socket(const long argument[6]) {
    if (argument[0] == AF_UNIX && argument[1] == (SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK))
        return -EAFNOSUPPORT;
    refuse("uses sockets");
}
static long answer_pipe(const long argument[6]) {
    (void)argument;
    refuse("makes a pipe (pipe, popen)");
}
static long answer_kernel_object(const long argument[6]) {
    (void)argument;
    refuse("makes kernel objects (epoll, eventfd, timers, shared memory, …)");
}
static long answer_privilege(const long argument[6]) {
    (void)argument;
    refuse("changes its process attributes (ptrace, personality, seccomp, root)");
}

/* --- memory ---------------------------------------------------------------------------------------------------------- */

static size_t whole_pages(size_t bytes) { return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES; }

static void restrict_pages(uintptr_t start, size_t size, int protection) {
    if (!page_rights_set(start, start + whole_pages(size), protection))
        refuse("forbids itself to write in too many places (mprotect, mmap)");
}

static long answer_mmap(const long argument[6]) {
    size_t size = (size_t)argument[1];
    int protection = (int)argument[2], flags = (int)argument[3], descriptor = (int)argument[4];
    if ((flags & MAP_SHARED) && (flags & MAP_ANONYMOUS) == 0 && (protection & PROT_WRITE))
        refuse("maps a file for writing");
    if ((flags & MAP_FIXED) && !(flags & MAP_ANONYMOUS))
        refuse("loads a library (dlopen), or maps a file at a fixed address,");
    if (flags & MAP_FIXED)
        refuse("maps memory at a fixed address");
    if (protection & PROT_EXEC)
        refuse("maps executable memory (loads a library or compiles code)");
    char *memory = arena_map(size);
    if (!memory)
        return -ENOMEM;
    long error = flags & MAP_ANONYMOUS ? 0 : files_map(descriptor, memory, size, argument[5], flags & MAP_SHARED);
    if (error) {
        arena_unmap(memory, size);
        return error;
    }
    restrict_pages((uintptr_t)memory, size, protection);
    return (long)memory;
}

/* What grows moves, if it may: whether there is room behind it would depend on what else is mapped. */
static long answer_mremap(const long argument[6]) {
    char *old = (char *)argument[0];
    size_t old_size = whole_pages((size_t)argument[1]), size = whole_pages((size_t)argument[2]);
    int flags = (int)argument[3];
    if (flags & ~MREMAP_MAYMOVE)
        refuse("maps memory at a fixed address");
    if (argument[0] % PAGE_BYTES || !old_size || !size)
        return -EINVAL;
    if (size <= old_size) {
        if (size < old_size)
            arena_unmap(old + size, old_size - size);
        return (long)old;
    }
    char *memory = flags & MREMAP_MAYMOVE ? arena_map(size) : NULL;
    if (!memory)
        return -ENOMEM;
    memcpy(memory, old, old_size);
    arena_unmap(old, old_size);
    return (long)memory;
}

/* Its end stays where it is, as the allocator is not there. */
static long answer_brk(const long argument[6]) {
    const long end = RAW1(SYS_brk, 0);
    if (argument[0] > end)
        refuse("moves the end of its data (brk, sbrk)");
    return end;
}

/* What could not be written to when MPI_Init was called is no part of local states. */
static bool is_captured(uintptr_t from, size_t bytes) {
    return bytes == 0 ||
           (image_index(&control->image, from) != BLOCK_NONE && image_index(&control->image, from + bytes - 1) != BLOCK_NONE);
}

/* What was mapped before MPI_Init stays where it is, and nothing else comes there: an access is a crash, as far as there is room to
 * note that. */
static long answer_munmap(const long argument[6]) {
    if (argument[0] % PAGE_BYTES || !argument[1])
        return -EINVAL;
    const uintptr_t start = (uintptr_t)argument[0], end = start + whole_pages((size_t)argument[1]);
    if (!arena_unmap((void *)start, end - start) && is_captured(start, end - start))
        page_rights_set(start, end, PROT_NONE);
    return 0;
}

static long answer_mprotect(const long argument[6]) {
    if (argument[2] & PROT_EXEC)
        refuse("makes memory executable");
    if (argument[2] & PROT_WRITE && !is_captured((uintptr_t)argument[0], (size_t)argument[1]))
        refuse("makes memory writable that was mapped without that before MPI_Init");
    if (argument[0] % PAGE_BYTES)
        return -EINVAL;
    restrict_pages((uintptr_t)argument[0], (size_t)argument[1], (int)argument[2]);
    return 0;
}

static long answer_madvise(const long argument[6]) {
    if (argument[2] == MADV_DONTNEED || argument[2] == MADV_FREE || argument[2] == MADV_REMOVE)
        memset((void *)argument[0], 0, (size_t)argument[1]);
    return 0;
}

/* --- time (the functions of environment.c), identity, chance, signals -------------------------------------------- */

static long answer_clock_gettime(const long argument[6]) {
    struct timespec *time = (struct timespec *)argument[1];
    *time = clock_time_of_day();
    time->tv_nsec += rank_core.number % 1000; /* mkstemp and the like make names of it that must not be another rank's */
    return 0;
}
static long answer_gettimeofday(const long argument[6]) {
    struct timespec now = clock_time_of_day();
    if (argument[0])
        *(struct timeval *)argument[0] = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    if (argument[1])
        memset((void *)argument[1], 0, sizeof(struct timezone));
    return 0;
}
static long answer_time(const long argument[6]) {
    time_t now = clock_time_of_day().tv_sec;
    if (argument[0])
        *(time_t *)argument[0] = now;
    return now;
}
static long answer_times(const long argument[6]) {
    clock_t now = (clock_t)(clock_read() / 10000); /* in hundredths, as the kernel's */
    if (argument[0])
        *(struct tms *)argument[0] = (struct tms){.tms_utime = now};
    return now;
}

/* A machine of 4 GiB, half of it free. */
static long answer_sysinfo(const long argument[6]) {
    struct sysinfo *machine = (struct sysinfo *)argument[0];
    memset(machine, 0, sizeof *machine);
    machine->uptime = (long)(clock_read() / 1000000);
    machine->totalram = 4ul << 30;
    machine->freeram = 2ul << 30;
    machine->procs = 100;
    machine->mem_unit = 1;
    return 0;
}

static long answer_pid(const long argument[6]) {
    (void)argument;
    return own_process_number();
}
static long answer_thread_number(const long argument[6]) {
    (void)argument;
    return thread_is_other() ? thread_number() : own_process_number();
}
static long answer_parent(const long argument[6]) {
    (void)argument;
    return FAKE_PID - 1;
}

/* splitmix64; any fixed sequence would do. */
static uint64_t next_random(void) {
    uint64_t z = (rank_core.random_state += 0x9e3779b97f4a7c15u) ^ (uint64_t)rank_core.number << 48;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void fixed_random(void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)bytes)[i] = (unsigned char)next_random();
}

static long answer_random(const long argument[6]) {
    fixed_random((void *)argument[0], (size_t)argument[1]);
    return argument[1];
}

static long answer_uname(const long argument[6]) {
    struct utsname *name = (struct utsname *)argument[0];
    memset(name, 0, sizeof *name);
    long result = RAW1(SYS_uname, name);
    memset(name->nodename, 0, sizeof name->nodename);
    strcpy(name->nodename, "explore");
    return result;
}

static long answer_usage(const long argument[6]) {
    struct rusage *usage = (struct rusage *)argument[1];
    uint64_t now = clock_read();
    memset(usage, 0, sizeof *usage);
    usage->ru_utime = (struct timeval){(time_t)(now / 1000000), (suseconds_t)(now % 1000000)};
    return 0;
}

/* Locking memory makes no difference that a program could see; all that an executor has mapped is much more than the rank's. */
static long answer_lock(const long argument[6]) {
    (void)argument;
    return 0;
}

/* These registers are no part of local states. */
static long answer_segments(const long argument[6]) {
    if (argument[0] == ARCH_SET_GS || argument[0] == ARCH_SET_FS)
        refuse("sets a segment register (arch_prctl)");
    if (argument[0] == ARCH_GET_GS || argument[0] == ARCH_GET_FS)
        make_writable((uintptr_t)argument[1], sizeof(unsigned long));
    return RAW2(SYS_arch_prctl, argument[0], argument[1]);
}

/* --- the table ------------------------------------------------------------------------------------------------------- */

static const struct system_call other_calls[] = {
    {SYS_exit, answer_thread_exit},
    {SYS_exit_group, answer_exit},
    {SYS_futex, threads_answer_futex},
    {SYS_clone, answer_clone},
    {SYS_clone3, answer_clone3},
    {SYS_fork, answer_fork},
    {SYS_vfork, answer_fork},
    {SYS_execve, answer_exec},
    {SYS_execveat, answer_exec},
    {SYS_socket, answer_socket},
    {SYS_socketpair, answer_socket},
    {SYS_pipe, answer_pipe},
    {SYS_pipe2, answer_pipe},
    {SYS_epoll_create, answer_kernel_object},
    {SYS_epoll_create1, answer_kernel_object},
    {SYS_eventfd, answer_kernel_object},
    {SYS_eventfd2, answer_kernel_object},
    {SYS_signalfd, answer_kernel_object},
    {SYS_signalfd4, answer_kernel_object},
    {SYS_timerfd_create, answer_kernel_object},
    {SYS_timer_create, answer_kernel_object},
    {SYS_memfd_create, answer_kernel_object},
    {SYS_shmget, answer_kernel_object},
    {SYS_semget, answer_kernel_object},
    {SYS_msgget, answer_kernel_object},
    {SYS_userfaultfd, answer_kernel_object},
    {SYS_inotify_init, answer_kernel_object},
    {SYS_inotify_init1, answer_kernel_object},
    {SYS_fanotify_init, answer_kernel_object},
    {SYS_ptrace, answer_privilege},
    {SYS_personality, answer_privilege},
    {SYS_seccomp, answer_privilege},
    {SYS_chroot, answer_privilege},
    {SYS_mount, answer_privilege},
    {SYS_mmap, answer_mmap},
    {SYS_munmap, answer_munmap},
    {SYS_mremap, answer_mremap},
    {SYS_brk, answer_brk},
    {SYS_mprotect, answer_mprotect},
    {SYS_madvise, answer_madvise},
    {SYS_mlock, answer_lock},
    {SYS_mlock2, answer_lock},
    {SYS_mlockall, answer_lock},
    {SYS_munlock, answer_lock},
    {SYS_munlockall, answer_lock},
    {SYS_clock_gettime, answer_clock_gettime},
    {SYS_gettimeofday, answer_gettimeofday},
    {SYS_time, answer_time},
    {SYS_times, answer_times},
    {SYS_sysinfo, answer_sysinfo},
    {SYS_getpid, answer_pid},
    {SYS_gettid, answer_thread_number},
    {SYS_getppid, answer_parent},
    {SYS_getrandom, answer_random},
    {SYS_uname, answer_uname},
    {SYS_getrusage, answer_usage},
    {SYS_arch_prctl, answer_segments},
};

/* Calls that write into the application's memory at argument `target` (bytes: argument `size`, or a fixed number). */
static const struct {
    uint16_t number;
    uint8_t target, size_argument;
    uint16_t fixed;
} writing[] = {
    {SYS_clock_getres, 1, 6, 16}, {SYS_sched_getparam, 1, 6, 4}, {SYS_getgroups, 1, 6, 1024}, {SYS_getresuid, 0, 6, 4},
    {SYS_getresgid, 0, 6, 4},     {SYS_capget, 1, 6, 24},        {SYS_mincore, 2, 6, 65535},
};

/* What the kernel may do without our knowledge: it changes nothing outside the process and writes nothing into its memory. */
static const uint16_t harmless_calls[] = {
    SYS_rt_sigreturn,
    SYS_restart_syscall,
    SYS_sched_yield,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getpgrp,
    SYS_getpgid,
    SYS_getsid,
    SYS_set_tid_address,
    SYS_membarrier,
    SYS_sched_getscheduler,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_set_robust_list,
    SYS_mbind,
    SYS_set_mempolicy,
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* All that is answered here, group by group. */
struct group {
    const struct system_call *call;
    const size_t *count;
};

static const size_t other_calls_count = COUNT(other_calls);
static const struct group groups[] = {
    {descriptor_calls, &descriptor_calls_count}, {open_calls, &open_calls_count},     {name_calls, &name_calls_count},
    {rename_calls, &rename_calls_count},         {signal_calls, &signal_calls_count}, {waiting_calls, &waiting_calls_count},
    {attribute_calls, &attribute_calls_count},   {other_calls, &other_calls_count},
};

void make_writable(uintptr_t start, size_t size) {
    for (uintptr_t page = start / PAGE_BYTES * PAGE_BYTES; page < start + size; page += PAGE_BYTES) {
        uint32_t index = image_index(&control->image, page);
        if (index != BLOCK_NONE)
            image_will_write(&control->image, index);
    }
    page_rights_apply();
}

static long answer_call(long number, const long argument[6]) {
    for (size_t group = 0; group < COUNT(groups); group++)
        for (size_t i = 0; i < *groups[group].count; i++)
            if (groups[group].call[i].number == number)
                return groups[group].call[i].answer(argument);
    for (size_t i = 0; i < COUNT(writing); i++)
        if (writing[i].number == number) {
            if (argument[writing[i].target])
                make_writable((uintptr_t)argument[writing[i].target],
                              writing[i].fixed ? writing[i].fixed : (size_t)argument[writing[i].size_argument]);
            return RAW6(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
        }
    char what[64];
    snprintf(what, sizeof what, "makes system call number %ld", number);
    refuse(what);
}

/* As the kernel does, a bad address is an error of the call and not a crash. */
static long answer_at_good_addresses(long number, const long argument[6]) {
    if (__builtin_setjmp(control->bad_address)) {
        control->answering = false;
        return -EFAULT;
    }
    control->answering = true;
    long result = answer_call(number, argument);
    control->answering = false;
    return result;
}

static long answer_safely(long number, const long argument[6]) {
    const bool was_closed = shared_traps_open_to_call(number, argument);
    const long result = answer_at_good_addresses(number, argument);
    if (was_closed)
        shared_traps_close_to_call();
    return result;
}

static void on_system_call(int signal, siginfo_t *info, void *context) {
    (void)signal;
    greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
    const long argument[6] = {reg[REG_RDI], reg[REG_RSI], reg[REG_RDX], reg[REG_R10], reg[REG_R8], reg[REG_R9]};
    while (threads_others() && control->stopped)
        RAW0(SYS_sched_yield); /* another thread's answer waits for a disk */
    control->stopped = context;
    reg[REG_RAX] = answer_safely(info->si_syscall, argument);
    control->stopped = NULL;
    threads_give_way();
}

/* --- the filter ------------------------------------------------------------------------------------------------------ */

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
enum { FILTER_MOST = 100 };

/* Without a fourth argument, which waits have as a time limit; and where there may be threads, if nobody is woken, else of this
 * process alone. */
static size_t allow_futex(struct sock_filter *filter, size_t n) {
    const uint32_t limit = offsetof(struct seccomp_data, args[3]), operation = offsetof(struct seccomp_data, args[1]);
    const bool threads = control->channel->keeps_threads;
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 9);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, operation);
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (uint32_t)(threads ? FUTEX_CMD_MASK : FUTEX_PRIVATE_FLAG));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, threads ? FUTEX_WAKE : 0, 6, 0);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, threads ? FUTEX_UNLOCK_PI : 0, 5, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, limit);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, limit + 4);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    filter[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    return n;
}

static size_t build_filter(struct sock_filter *filter) {
    uint64_t begin = (uint64_t)raw_syscall_begin, end = (uint64_t)raw_syscall_end;
    size_t n = 0;
    /* From raw_syscall (all of it in one 4 GiB block, see the check below): allow. */
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(begin >> 32), 0, 4);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)begin, 0, 2);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)end, 1, 0);
    filter[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)LOAD(nr);
    for (size_t i = 0; i < COUNT(harmless_calls); i++) {
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, harmless_calls[i], 0, 1);
        filter[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    }
    n = allow_futex(filter, n);
    filter[n++] = (struct sock_filter)RETURN(SECCOMP_RET_TRAP);
    return n;
}

bool system_calls_guard(void) {
    struct kernel_action {
        void (*handler)(int, siginfo_t *, void *);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } action;
    /* libc's own restorer is taken over from a handler that libc has installed. */
    if (RAW4(SYS_rt_sigaction, SIGSEGV, 0, &action, sizeof action.mask) != 0)
        return false;
    action.handler = on_system_call;
    if (RAW4(SYS_rt_sigaction, SIGSYS, &action, 0, sizeof action.mask) != 0)
        return false;
    struct sock_filter filter[FILTER_MOST];
    _Static_assert(COUNT(harmless_calls) * 2 + 20 < FILTER_MOST, "filter fits");
    struct sock_fprog program = {.len = (unsigned short)build_filter(filter), .filter = filter};
    RAW6(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0);
    return RAW3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}
