#include "models/mpi/preload/process/threads.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"
#include "models/mpi/preload/windows/shared_traps.h"
#include "models/mpi/preload/windows/window_sharing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

enum { ORDER_SIGNAL = 63, PATIENCE_SECONDS = 2, PASSES_MOST = 100, CPU_WORDS = 128, SCHED_FIFO_POLICY = 1, BIRTH_TRIES = 1000 };
enum { GENERAL_REGISTERS = 14, REGISTERS };
enum { MAIN = THREADS_MOST, PLACES };

/* A place in the table; all of it is part of the local state. */
struct thread {
    int number;                      /* 0: free */
    uintptr_t pointer;               /* pthread_t; 0: not known yet */
    uintptr_t stack_low, stack_high; /* 0: not known */
    uint64_t value[REGISTERS]; /* where it waits, 0 if it is in a call; the last one: how it computes (mxcsr, and of the x87
                                  control and exceptions) */
};

static struct {
    uintptr_t main;  /* the thread pointer of the main thread */
    unsigned before; /* threads of the program before MPI_Init */
    unsigned others;
    bool in_turn; /* they run one at a time: also those made after a checkpoint at which there was none */
    bool settling;
    struct thread thread[PLACES]; /* the main one is the last */
} table __attribute__((aligned(PAGE_BYTES)));

static uintptr_t thread_pointer(void) { return (uintptr_t)__builtin_thread_pointer(); }

bool threads_settling(void) { return table.settling; }
bool threads_others(void) { return table.others > 0; }
bool thread_is_other(void) { return table.others > 0 && thread_pointer() != table.main; }
long thread_number(void) { return RAW0(SYS_gettid); }

static struct thread *find(int number) {
    for (unsigned i = 0; i < PLACES; i++)
        if (table.thread[i].number == number)
            return &table.thread[i];
    return NULL;
}

/* Is there a thread in this place that is not the caller? */
static bool is_besides(const struct thread *thread) { return thread->number && thread->number != (int)RAW0(SYS_gettid); }

/* --- one at a time --------------------------------------------------------------------------------------------------------- */

static bool pin(int number) {
    unsigned processor;
    unsigned long mask[CPU_WORDS] = {0};
    if (RAW3(SYS_getcpu, &processor, 0, 0) != 0 || processor >= CPU_WORDS * 64)
        return false;
    mask[processor / 64] = 1ul << processor % 64;
    return RAW3(SYS_sched_setaffinity, number, sizeof mask, mask) == 0;
}

static bool take_turns(int number) {
    const int priority = 1;
    return pin(number) && RAW3(SYS_sched_setscheduler, number, SCHED_FIFO_POLICY, &priority) == 0;
}

/* The caller first: while it may be moved, those after it would come to share different processors. */
static bool all_take_turns(void) {
    if (!take_turns(0))
        return false;
    for (unsigned i = 0; i < PLACES; i++)
        if (is_besides(&table.thread[i]) && !take_turns(table.thread[i].number))
            return false;
    return true;
}

/* --- where they wait ------------------------------------------------------------------------------------------------------- */

/* The word at which it waits; 0: it does not. From /proc: "202 0x7f… 0x189 0x0 0x0 …", the number of the system call and its
 * arguments, or "running". */
static uintptr_t waits_at(int number) {
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", number);
    int file = (int)RAW4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    long got = file < 0 ? 0 : RAW3(SYS_read, file, text, sizeof text - 1);
    if (file >= 0)
        RAW1(SYS_close, file);
    text[got > 0 ? got : 0] = 0;
    char *at = text;
    unsigned long word[5] = {0};
    for (int i = 0; i < 5; i++)
        word[i] = strtoul(at, &at, 0);
    return word[0] == SYS_futex && word[4] == 0 ? word[1] : 0;
}

/* The kernel does not let a thread wait at a word that might be of several processes, as that of a join, in memory that it may not
 * write. A thread begins to wait anew whenever it is put in order, and in each copy of the process. */
static void let_wait(int number) {
    uintptr_t word = waits_at(number);
    if (word)
        make_writable(word, sizeof(int));
}

static bool all_wait(void) {
    for (unsigned i = 0; i < PLACES; i++)
        if (is_besides(&table.thread[i]) && !waits_at(table.thread[i].number))
            return false;
    return true;
}

/* Of this process: it is no thread's fault that others have the processor. */
static time_t seconds_used(void) {
    struct timespec used;
    RAW2(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec;
}

/* Gives the others the processor until all of them wait and, if `ordered` is not 0, that one has taken its place. */
static bool let_run(int ordered) {
    time_t began = seconds_used();
    do {
        RAW0(SYS_sched_yield);
        if ((!ordered || control->ordered == ordered) && all_wait())
            return true;
    } while (seconds_used() - began <= PATIENCE_SECONDS);
    return false;
}

/* --- putting them in order ------------------------------------------------------------------------------------------------- */

/* Not those that a system call destroys. Vector registers hold nothing across a call of the C library. */
static const int noted[GENERAL_REGISTERS] = {REG_R8,  REG_R9,  REG_R10, REG_R12, REG_R13, REG_R14, REG_R15,
                                             REG_RDI, REG_RSI, REG_RBP, REG_RBX, REG_RDX, REG_RSP, REG_RIP};

static void note(struct thread *thread, const mcontext_t *stopped) {
    enum { X87_EXCEPTIONS = 0x3f };
    const struct _libc_fpstate *unit = stopped->fpregs;
    uint64_t value[REGISTERS];
    for (int i = 0; i < GENERAL_REGISTERS; i++)
        value[i] = (uint64_t)stopped->gregs[noted[i]];
    value[GENERAL_REGISTERS] = unit->mxcsr | (uint64_t)unit->cwd << 32 | (uint64_t)(unit->swd & X87_EXCEPTIONS) << 48;
    if (memcmp(thread->value, value, sizeof value) == 0)
        return;
    memcpy(thread->value, value, sizeof value);
    control->order_changed = true;
}

static stack_t signal_stack(const struct thread *thread) {
    size_t place = (size_t)(thread - table.thread);
    return (stack_t){.ss_sp = place == MAIN ? control->signal_stack : control->thread_signal_stack[place],
                     .ss_size = SIGNAL_STACK_BYTES};
}

/* In a thread that is not the one in the call, and waits anew after this. */
static void on_order(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info;
    int number = (int)RAW0(SYS_gettid);
    struct thread *thread = find(number);
    if (!thread)
        return;
    ucontext_t *at = context;
    thread->pointer = thread_pointer();
    note(thread, &at->uc_mcontext);
    at->uc_stack = signal_stack(thread); /* comes into force as the handler returns */
    RAW2(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV);
    control->ordered = number;
}

static bool order_each(void) {
    for (unsigned i = 0; i < PLACES; i++) {
        int number = table.thread[i].number;
        if (!is_besides(&table.thread[i]))
            continue;
        let_wait(number);
        control->ordered = 0;
        RAW3(SYS_tgkill, RAW0(SYS_getpid), number, ORDER_SIGNAL);
        if (!let_run(number))
            return false;
    }
    return true;
}

/* Until nobody moves: one that finds the word at its futex changed goes on, and may wake others. NULL, or what they do instead. */
static const char *order(void) {
    if (!let_run(0))
        return "is busy, or waits for something else than the program's other threads,";
    for (int pass = 0; pass < PASSES_MOST; pass++) {
        control->order_changed = false;
        if (!order_each())
            return "is busy, or blocks signals,";
        if (!control->order_changed)
            return NULL;
    }
    return "does not come to rest";
}

static void refuse_busy(const char *what) {
    char text[256];
    snprintf(text, sizeof text, "a thread of the program %s while another one is in an MPI call, which is not supported", what);
    step_end_refused(text);
}

static void settle(void) {
    struct thread *own = find((int)RAW0(SYS_gettid));
    memset(own->value, 0, sizeof own->value);
    table.settling = true;
    const char *instead = order();
    if (instead)
        refuse_busy(instead);
    table.settling = false;
    step_resume(rank_core.stack_pointer);
}

void threads_settle(void) {
    if (table.others)
        step_leave(&rank_core.stack_pointer, control->stack + CONTROL_STACK_BYTES, settle);
}

void threads_sleep(void) {
    for (unsigned i = 0; i < PLACES; i++)
        if (is_besides(&table.thread[i]))
            let_wait(table.thread[i].number);
}

void threads_wake(void) {
    if (table.in_turn && (!all_take_turns() || order()))
        RAW1(SYS_exit_group, 3); /* tried again, by the explorer */
}

/* --- their stacks ---------------------------------------------------------------------------------------------------------- */

static uint32_t add_garbage(struct image_span *garbage, uint32_t count, uintptr_t low, uintptr_t high,
                            uintptr_t stack_pointer) {
    if (stack_pointer <= low || stack_pointer >= high)
        return count; /* on another stack, a coroutine's: or the stack is not known */
    garbage[count] = (struct image_span){low, stack_pointer};
    return count + 1;
}

/* A function that calls no other may use what is right below its stack pointer, also where it waits. */
static uintptr_t lowest_used(const struct thread *thread) {
    enum { RED_ZONE = 128, STACK_POINTER = 12 };
    _Static_assert(GENERAL_REGISTERS == STACK_POINTER + 2, "rsp and rip are the last ones noted");
    return thread->value[STACK_POINTER] ? thread->value[STACK_POINTER] - RED_ZONE : 0;
}

uint32_t threads_garbage(uintptr_t stack_pointer, struct image_span *garbage) {
    const struct image *image = &control->image;
    if (!table.others)
        return add_garbage(garbage, 0, image->stack_low, image->stack_high, stack_pointer);
    uint32_t count = 0;
    for (unsigned i = 0; i < PLACES; i++) {
        const struct thread *thread = &table.thread[i];
        uintptr_t low = i == MAIN ? image->stack_low : thread->stack_low;
        uintptr_t high = i == MAIN ? image->stack_high : thread->stack_high;
        if (thread->number)
            count = add_garbage(garbage, count, low, high, is_besides(thread) ? lowest_used(thread) : stack_pointer);
    }
    return count;
}

/* --- those there are before MPI_Init --------------------------------------------------------------------------------------- */

static unsigned list_threads(bool take) {
    DIR *directory = opendir("/proc/self/task");
    unsigned count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        int number = atoi(entry->d_name);
        if (number <= 0 || number == (int)RAW0(SYS_gettid))
            continue;
        if (take && count < THREADS_MOST)
            table.thread[count].number = number;
        count++;
    }
    if (directory)
        closedir(directory);
    return count;
}

void threads_before_init(void) { table.before = list_threads(false); }

static void find_stack(struct thread *thread) {
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (pthread_getattr_np(thread->pointer, &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
        thread->stack_low = (uintptr_t)low;
        thread->stack_high = (uintptr_t)low + bytes;
    }
    pthread_attr_destroy(&attributes);
}

static void find_stacks(void) {
    for (unsigned i = 0; i < THREADS_MOST; i++)
        if (table.thread[i].number && table.thread[i].number != (int)RAW0(SYS_getpid))
            find_stack(&table.thread[i]);
}

const char *threads_begin(void) {
    table.main = thread_pointer();
    if (!control->channel->keeps_threads)
        return table.before ? "the program starts threads before MPI_Init" WIRE_KEEP_PROCESSES : NULL;
    struct sigaction action = {.sa_sigaction = on_order, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    /* libc has no name for signals that are its own: this one it leaves alone. */
    if (sigaction(ORDER_SIGNAL, &action, NULL) != 0)
        return "a signal cannot be handled";
    table.thread[MAIN].number = (int)RAW0(SYS_gettid);
    table.others = list_threads(true);
    if (table.others > THREADS_MOST)
        return "the program has too many threads";
    if (!table.others)
        return NULL;
    table.in_turn = all_take_turns();
    if (!table.in_turn)
        return "the program has threads, and the system does not let explore run them one at a time (SCHED_FIFO)";
    if (order())
        return "the program has threads that are busy or block signals while the main one is in MPI_Init";
    find_stacks();
    return NULL;
}

/* --- birth and end --------------------------------------------------------------------------------------------------------- */

/* Numbers that a restored process finds free: CRIU's own processes begin at 1000 or 20000 (ckpt/criu_room.c). */
static int free_number(void) {
    int number = RAW0(SYS_getpid) < 10000 ? 12000 : 300;
    while (find(number))
        number++;
    return number;
}

static void not_born(void) { step_end_refused("the program starts a thread, and the system does not give it one"); }

long threads_answer_clone3(const void *arguments, void *context) {
    if (!control->channel->keeps_threads)
        step_end_refused("the program starts a thread (pthread_create) after MPI_Init" WIRE_KEEP_PROCESSES);
    if (thread_is_other())
        step_end_refused("the program starts a thread from another than the main one, which is not supported");
    shared_traps_refuse_threads();
    struct thread *thread = find(0);
    if (!thread)
        step_end_refused("the program has more than 64 threads at once, which is not supported");
    if (!table.in_turn && !(table.in_turn = take_turns(0)))
        step_end_refused(
            "the program starts a thread, and the system does not let explore run threads one at a time (SCHED_FIFO)");
    size_t place = (size_t)(thread - table.thread);
    struct raw_thread *birth = &control->birth[place];
    control->birth_number[place] = free_number();
    *birth = (struct raw_thread){.failed = not_born, .signal_stack = signal_stack(thread), .tries = BIRTH_TRIES};
    memcpy(&birth->arguments, arguments, CLONE_ARGS_SIZE_VER0);
    birth->arguments.set_tid = (uintptr_t)&control->birth_number[place];
    birth->arguments.set_tid_size = 1;
    make_writable(birth->arguments.parent_tid, sizeof(int));
    make_writable(birth->arguments.child_tid, sizeof(int));
    *thread = (struct thread){.number = control->birth_number[place],
                              .stack_low = (uintptr_t)birth->arguments.stack,
                              .stack_high = (uintptr_t)(birth->arguments.stack + birth->arguments.stack_size)};
    table.others++;
    greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
    reg[REG_RDI] = (greg_t)birth;
    reg[REG_RSI] = sizeof birth->arguments;
    reg[REG_R9] = reg[REG_RIP];
    reg[REG_RIP] = (greg_t)raw_clone_thread;
    return SYS_clone3;
}

/* The kernel clears the word that a join waits at. */
void threads_answer_exit(void) {
    uintptr_t word = 0;
    RAW2(SYS_prctl, PR_GET_TID_ADDRESS, &word);
    if (word)
        make_writable(word, sizeof(int));
    *find((int)RAW0(SYS_gettid)) = (struct thread){0};
    table.others--;
    control->answering = false;
    control->stopped = NULL;
    RAW1(SYS_exit, 0);
    __builtin_unreachable();
}

static bool is_wait(long operation) {
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_LOCK_PI: return true;
    default: return false;
    }
}

/* In memory that ranks share there is nobody to wake, and who waits finds out by itself: to wake up early is always allowed. */
static long answer_shared_futex(const long argument[6]) {
    const long operation = argument[1] & FUTEX_CMD_MASK;
    if ((operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) && argument[3] == 0)
        return -EAGAIN;
    if (operation != FUTEX_WAKE)
        step_end_refused(
            "ranks that wait for each other in shared memory with a time limit, by priority, or by condition variables, "
            "are not supported");
    return 0;
}

/* Comes here only with a fourth argument, the time limit of a wait, if it wakes somebody, or if it may be about memory that
 * processes share. */
long threads_answer_futex(const long argument[6]) {
    if (sharing_any() && sharing_holds((uintptr_t)argument[0], (uintptr_t)argument[0] + sizeof(int)))
        return answer_shared_futex(argument);
    if (threads_others() && is_wait(argument[1]))
        step_end_refused("a thread of the program waits for another one with a time limit, which is not supported");
    control->gives_way = threads_others();
    return RAW6(SYS_futex, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

void threads_give_way(void) {
    if (!control->gives_way)
        return;
    control->gives_way = false;
    RAW0(SYS_sched_yield);
}
