/* The executor: loads a local state, answers its call, lets it run, captures what became of it. All of this runs on the
 * control stack; the zygote's loop, which only forks executors, is here too. */
#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/control.h"
#include "models/mpi/preload/rank.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
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

static void await_command(void) {
    struct mailbox *mailbox = control->mailbox;
    for (uint64_t began = __builtin_ia32_rdtsc(); __builtin_ia32_rdtsc() - began < SPIN_CYCLES;) {
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

/* A sibling, not a child: its parent is the explorer, like ours. The system call itself, not libc's fork: that would write the
 * new thread number into the tracked memory, and executors must not differ. In the copy, which now talks through the mailbox
 * of executor `number`, it returns true. */
static bool copy_process(uint32_t number) {
    struct mailbox *mailbox = channel_mailbox(control->channel, number + 1);
    /* The kernel writes the process number before the copy runs: whatever becomes of the copy, the explorer knows it. */
    long made = RAW6(SYS_clone, CLONE_PARENT | CLONE_PARENT_SETTID | SIGCHLD, 0, &mailbox->pid, 0, 0, 0);
    if (made > 0)
        return false;
    struct mailbox *ours = control->mailbox;
    uint32_t our_command = control->command;
    control->mailbox = mailbox;
    control->command = 1;
    control->report_used = 0;
    if (made < 0) {
        strncpy(mailbox->text, "cannot make another process: is there a limit (ulimit -u)?", sizeof mailbox->text - 1);
        publish(STATUS_CANNOT);
        control->mailbox = ours;
        control->command = our_command;
        return false;
    }
    RAW2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if ((int)RAW0(SYS_getppid) != control->channel->explorer_pid)
        RAW1(SYS_exit_group, 3); /* the explorer was gone before */
    return true;
}

/* Keeps this process as it is, making copies. Returns in each copy. */
static void park(uint32_t place, uint32_t seen) {
    struct parking *parking = channel_parking(control->channel, place);
    publish(STATUS_READY);
    for (;;) {
        uint32_t ring;
        while ((ring = atomic_load(&parking->ring)) == seen)
            RAW4(SYS_futex, &parking->ring, FUTEX_WAIT, seen, 0);
        seen = ring;
        if (copy_process(parking->executor))
            break;
    }
    if (!image_renew(&control->image))
        fail("the program's memory cannot be tracked");
    control->mailbox->root_out = control->image.current;
    publish(STATUS_READY);
}

static void publish_captured(uint32_t root) {
    control->mailbox->root_out = root;
    publish(root == BLOCK_NONE ? STATUS_STORE_FULL : root == TREE_DAMAGED ? STATUS_CORRUPT : STATUS_BLOCKED);
}

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
    rank_core.agents = (int)control->channel->variant;
    publish_captured(image_capture(&control->image, (uintptr_t)rank_core.stack_pointer));
}

static _Noreturn void run_commands(void) {
    for (;;) {
        await_command();
        struct mailbox *mailbox = control->mailbox;
        switch (mailbox->verb) {
        case COMMAND_ROOT: make_root((int)mailbox->argument); break;
        case COMMAND_PARK: park(mailbox->argument, mailbox->root_in); break;
        default:
            if (mailbox->root_in != BLOCK_NONE)
                load(mailbox->root_in, false);
            files_restore();
            resume();
        }
    }
}

void executor_blocked(void) {
    control->in_step = false;
    files_capture();
    publish_captured(image_capture(&control->image, (uintptr_t)rank_core.stack_pointer));
    run_commands();
}

static void forget_step(void) {
    publish(STATUS_ENDED);
    if (!control->channel->keeps_pages)
        RAW1(SYS_exit_group, 0);
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

/* The first executor names the memory at the root, the others, copies of the same process, are told. */
static void name_memory(uint32_t known) {
    if (known == BLOCK_NONE)
        control->base_root = image_capture(&control->image, (uintptr_t)rank_core.stack_pointer);
    else
        image_adopt(&control->image, control->base_root = known);
    control->mailbox->root_out = control->base_root;
}

static _Noreturn void executor_run(uint32_t known_root) {
    struct channel *channel = control->channel;
    if (!image_start(&control->image, (enum tracker_choice)channel->tracker))
        fail(channel->tracker == TRACKER_USERFAULTFD
                 ? "this kernel or its policy does not offer userfaultfd write tracking (Linux 6.7): use --tracker mprotect"
                 : "the program's memory cannot be tracked");
    strncpy(control->mailbox->tracker, control->image.tracker->name, sizeof control->mailbox->tracker - 1);
    if (!system_calls_guard())
        fail("the kernel does not allow system call filters (seccomp), which are needed to run ranks safely");
    name_memory(known_root);
    struct arena_bounds arena = arena_bounds();
    const uintptr_t warm[] = {arena.descriptors, arena.pages, (uintptr_t)rank_core.stack_pointer, (uintptr_t)&rank_core};
    image_cool(&control->image, warm, sizeof warm / sizeof *warm);
    publish(control->base_root == BLOCK_NONE ? STATUS_STORE_FULL : STATUS_READY);
    run_commands();
}

void zygote_run(void) {
    control->command = 1;
    publish(STATUS_READY);
    for (;;) {
        await_command();
        uint32_t known_root = control->mailbox->root_in;
        if (copy_process(control->mailbox->argument))
            executor_run(known_root);
        publish(STATUS_READY);
    }
}
