/* The executor: loads a local state, answers its call, lets it run, captures what became of it. All of this runs on the
 * control stack; the zygote's loop, which only forks executors, is here too. */
#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/control.h"
#include "models/mpi/preload/rank.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { SPIN_CYCLES = 90000 }; /* some 30 us: what the search does between two steps mostly takes less */

static void publish(enum channel_status status) {
    struct mailbox *mailbox = control->mailbox;
    mailbox->status = status;
    mailbox->report_size = control->report_used;
    mailbox->pages_captured = control->image.captured_pages;
    mailbox->pages_restored = control->image.restored_pages;
    atomic_store(&mailbox->report, control->command);
    RAW3(SYS_futex, &mailbox->report, FUTEX_WAKE, INT_MAX);
}

/* The cycle counter is closed to executors, for the program's sake: spins are measured before. */
static void measure_spins(void) {
    enum { SAMPLES = 16, SAMPLE_SPINS = 100 };
    uint64_t least = UINT64_MAX; /* the others were interrupted */
    for (int sample = 0; sample < SAMPLES; sample++) {
        uint64_t began = __builtin_ia32_rdtsc();
        for (int i = 0; i < SAMPLE_SPINS; i++) {
            (void)atomic_load_explicit(&control->mailbox->command, memory_order_acquire);
            __builtin_ia32_pause();
        }
        uint64_t cycles = __builtin_ia32_rdtsc() - began;
        least = cycles < least ? cycles : least;
    }
    control->spins = (uint32_t)(SPIN_CYCLES * (uint64_t)SAMPLE_SPINS / (least + 1));
}

static void await_command(void) {
    struct mailbox *mailbox = control->mailbox;
    for (uint32_t i = 0; i < control->spins; i++) {
        if (atomic_load_explicit(&mailbox->command, memory_order_acquire) != control->command)
            break;
        __builtin_ia32_pause();
    }
    uint32_t command;
    while ((command = atomic_load(&mailbox->command)) == control->command)
        RAW4(SYS_futex, &mailbox->command, FUTEX_WAIT, command, 0);
    control->command = command;
    control->report_used = 0;
}

static _Noreturn void fail(const char *why) {
    strncpy(control->mailbox->text, why, sizeof control->mailbox->text - 1);
    publish(STATUS_CANNOT);
    RAW1(SYS_exit_group, 3);
    __builtin_unreachable();
}

static _Noreturn void resume(void) {
    control->in_step = true;
    step_resume(rank_core.stack_pointer);
}

static _Noreturn void run_commands(void);

static void load(uint32_t root, bool dirty) {
    if (!image_load(&control->image, root, dirty)) {
        publish(STATUS_CORRUPT);
        RAW1(SYS_exit_group, 3);
    }
}

static void make_root(int rank) {
    load(control->base_root, false);
    rank_core.number = rank;
    rank_core.count = (int)control->channel->ranks;
    uint32_t root = image_capture(&control->image, (uintptr_t)rank_core.stack_pointer);
    control->mailbox->root_out = root;
    publish(root == BLOCK_NONE ? STATUS_STORE_FULL : STATUS_BLOCKED);
}

static _Noreturn void run_commands(void) {
    for (;;) {
        await_command();
        struct mailbox *mailbox = control->mailbox;
        if (mailbox->verb == COMMAND_ROOT) {
            make_root((int)mailbox->argument);
            continue;
        }
        load(mailbox->root_in, false);
        files_restore();
        resume();
    }
}

/* On a coroutine's stack nobody knows how much of what is below the stack pointer belongs to it. At least what this library's
 * calls leave there, which zeroed it when they began (caller.h), is zeroed. */
enum { FOREIGN_STACK_ZEROED = 4096 };

static void clean_foreign_stack(void) {
    uintptr_t at = (uintptr_t)rank_core.stack_pointer;
    if (at < control->image.stack_low || at >= control->image.stack_high)
        memset((char *)at - FOREIGN_STACK_ZEROED, 0, FOREIGN_STACK_ZEROED);
}

void executor_blocked(void) {
    clean_foreign_stack();
    control->in_step = false;
    files_capture();
    uint32_t root = image_capture(&control->image, (uintptr_t)rank_core.stack_pointer);
    control->mailbox->root_out = root;
    publish(root == BLOCK_NONE ? STATUS_STORE_FULL : STATUS_BLOCKED);
    run_commands();
}

static void forget_step(void) {
    publish(STATUS_ENDED);
    load(control->image.current, true);
    run_commands();
}

void step_end(const struct wire_end *end, const char *text) {
    size_t length = strlen(text);
    struct wire_end *record = report_add(WIRE_END, sizeof *record + length);
    *record = *end;
    record->text_size = (uint32_t)length;
    memcpy(record + 1, text, length);
    control->in_step = false;
    step_switch(control->stack + CONTROL_STACK_BYTES, forget_step);
}

void step_end_refused(const char *text) {
    struct wire_end end = {.kind = WIRE_REFUSED};
    step_end(&end, text);
}

/* At the same address in all executors: a stack that is not cleaned, a coroutine's, may hold it. */
#define MAILBOX_AT ((struct mailbox *)0x180000000000)

static struct mailbox *map_mailbox(struct mailbox *own) {
    long mapped = RAW6(SYS_mremap, own, 0, control->channel->mailbox_stride, MREMAP_MAYMOVE | MREMAP_FIXED, MAILBOX_AT, 0);
    return mapped == (long)MAILBOX_AT ? MAILBOX_AT : own;
}

static _Noreturn void executor_run(uint32_t number) {
    struct channel *channel = control->channel;
    control->mailbox = map_mailbox(channel_mailbox(channel, number + 1));
    control->command = 1;
    control->report_used = 0;
    /* Our parent must be the explorer, so that we go when it goes. */
    while ((int)RAW0(SYS_getppid) != channel->explorer_pid)
        RAW0(SYS_sched_yield);
    RAW2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    control->mailbox->pid = (int)RAW0(SYS_getpid);
    if (!image_start(&control->image, (enum tracker_choice)channel->tracker))
        fail(channel->tracker == TRACKER_USERFAULTFD
                 ? "this kernel or its policy does not offer userfaultfd write tracking (Linux 6.7): use --tracker mprotect"
                 : "the program's memory cannot be tracked");
    strncpy(control->mailbox->tracker, control->image.tracker->name, sizeof control->mailbox->tracker - 1);
    if (!system_calls_guard())
        fail("the kernel does not allow system call filters (seccomp), which are needed to run ranks safely");
    RAW2(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV);
    control->base_root = image_capture(&control->image, (uintptr_t)rank_core.stack_pointer);
    control->mailbox->root_out = control->base_root;
    struct arena_bounds arena = arena_bounds();
    const uintptr_t hot[] = {arena.descriptors, arena.pages, control->image.stack_low, (uintptr_t)&rank_core};
    image_cool(&control->image, hot, sizeof hot / sizeof *hot);
    publish(control->base_root == BLOCK_NONE ? STATUS_STORE_FULL : STATUS_READY);
    run_commands();
}

/* The system call itself, not libc's fork: that would write the new thread number into the tracked memory, and executors
 * must not differ. Twice, so that the explorer (a subreaper) becomes the executor's parent. */
static void spawn(uint32_t number) {
    long middle = RAW6(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
    if (middle == 0) {
        if (RAW6(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0) != 0)
            RAW1(SYS_exit_group, 0);
        executor_run(number);
    }
    if (middle > 0)
        RAW4(SYS_wait4, middle, 0, 0, 0);
}

void zygote_run(void) {
    control->command = 1;
    measure_spins();
    publish(STATUS_READY);
    for (;;) {
        await_command();
        spawn(control->mailbox->argument);
        publish(STATUS_READY);
    }
}
