/* The executor: loads a local state, answers its call, lets it run, captures what became of it. All of this runs on the
 * control stack; the zygote's loop, which only forks executors, is here too. */
#include "ckpt/criu_sleep.h"
#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/files/overlay.h"
#include "models/mpi/preload/memory/allocation_log.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/page_rights.h"
#include "models/mpi/preload/process/step_variants.h"
#include "models/mpi/preload/rank.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

enum { SPIN_CYCLES = 90000 }; /* some 30 us: what the search does between two steps mostly takes less */

/* Adds the time since the last lap, if steps are timed. */
static void lap(uint64_t *sum) {
    if (!control->channel->timed)
        return;
    struct timespec now;
    RAW2(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    uint64_t at = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    if (sum)
        *sum += at - control->lap_at;
    control->lap_at = at;
}

/* Whether a batch goes on after a step that ended so, or the explorer has to see to it first. */
static bool batch_goes_on(enum channel_status status) {
    return control->batch_begun < control->batch_steps && (status == STATUS_BLOCKED || status == STATUS_ENDED) &&
           (control->variants.agreed > 0 ||
            (control->foreign.puts == 0 && control->foreign.unseen == 0 && control->foreign.forgotten == 0)) &&
           !control->foreign.unseen_touched && control->mailbox->others.pieces == 0 && control->report_used <= BATCH_BYTES;
}

static void publish_within_batch(enum channel_status status) {
    struct mailbox *mailbox = control->mailbox;
    struct batched *slot = mailbox_batched(mailbox, control->batch_begun - 1);
    slot->status = status;
    slot->root_out = mailbox->root_out;
    slot->log_out = mailbox->log_out;
    slot->agreed = control->variants.agreed;
    slot->keeps_blocks = control->keeps_blocks;
    slot->report_size = control->report_used;
    memcpy(slot->bytes, mailbox_report(mailbox), control->report_used);
    uint32_t number = control->command - (control->batch_steps - control->batch_begun);
    atomic_store(&mailbox->report, number);
    if (atomic_load(&mailbox->awaited) == number)
        RAW3(SYS_futex, &mailbox->report, FUTEX_WAKE, INT_MAX);
}

/* Which bytes of windows that were not looked at the program has touched. */
static void tell_touched(void) {
    _Static_assert((int)TOUCHED_MOST == (int)WIRE_SPANS_MOST, "as many");
    struct mailbox *mailbox = control->mailbox;
    const struct spans *touched = &control->foreign.touched;
    for (uint64_t i = 0; i < touched->count; i++) {
        mailbox->touched_from[i] = touched->span[i].from;
        mailbox->touched_to[i] = touched->span[i].to;
    }
    mailbox->touched = control->foreign.touched_elsewhere ? UINT32_MAX : (uint32_t)touched->count;
}

static void publish(enum channel_status status) {
    struct mailbox *mailbox = control->mailbox;
    if (batch_goes_on(status)) {
        publish_within_batch(status);
        return;
    }
    mailbox->done = control->batch_begun;
    control->batch_begun = control->batch_steps = 0;
    mailbox->status = status;
    mailbox->report_size = control->report_used;
    mailbox->pages_captured = control->image.captured_pages;
    mailbox->pages_restored = control->image.restored_pages;
    mailbox->puts = control->foreign.puts;
    mailbox->agreed = control->variants.agreed;
    mailbox->keeps_blocks = control->keeps_blocks;
    mailbox->unseen = control->foreign.unseen;
    mailbox->unseen_touched = control->foreign.unseen_touched;
    tell_touched();
    mailbox->forgotten = control->foreign.forgotten;
    mailbox->forgotten_site = control->foreign.forgotten_site;
    mailbox->put_function = control->foreign.function;
    mailbox->put_in_window = control->foreign.in_window;
    mailbox->put_rank = (uint32_t)control->foreign.rank;
    mailbox->put_site = control->foreign.site;
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

static void begin_report(void) {
    control->report_used = 0;
    control->uses = 0;
    control->keeps_blocks = false;
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
    begin_report();
}

static void begin_batch(uint32_t steps) {
    control->batch_begun = 0;
    control->batch_steps = steps;
}

static _Noreturn void fail(const char *why) {
    strncpy(control->mailbox->text, why, sizeof control->mailbox->text - 1);
    publish(STATUS_CANNOT);
    RAW1(SYS_exit_group, 3);
    __builtin_unreachable();
}

static _Noreturn void resume(void) {
    control->in_step = true;
    control->answering = false;
    control->final_root = control->final_log = BLOCK_NONE;
    page_rights_apply();
    step_resume(rank_core.stack_pointer);
}

static _Noreturn void run_commands(void);

/* At the same address in all executors: a stack that is not cleaned, a coroutine's, may hold it. */
#define MAILBOX_AT ((struct mailbox *)0x180000000000)

static void use_mailbox(uint32_t number) {
    struct mailbox *own = channel_mailbox(control->channel, number + 1);
    long mapped = RAW6(SYS_mremap, own, 0, control->channel->mailbox_stride, MREMAP_MAYMOVE | MREMAP_FIXED, MAILBOX_AT, 0);
    control->mailbox = mapped == (long)MAILBOX_AT ? MAILBOX_AT : own;
    control->command = 1;
    control->report_used = 0;
    control->traps.is_ticking = false;
}

/* A sibling, not a child: its parent is the explorer, like ours. The system call itself, not libc's fork: that would write the
 * new thread number into the tracked memory, and executors must not differ. In the copy, which now talks through the mailbox
 * of executor `number`, it returns true. */
static bool copy_process(uint32_t number) {
    struct mailbox *mailbox = channel_mailbox(control->channel, number + 1);
    /* The kernel writes the process number before the copy runs: whatever becomes of the copy, the explorer knows it. */
    long made = RAW6(SYS_clone, CLONE_PARENT | CLONE_PARENT_SETTID | SIGCHLD, 0, &mailbox->pid, 0, 0, 0);
    if (made > 0)
        return false;
    if (made < 0) {
        strncpy(mailbox->text, "cannot make another process: is there a limit (ulimit -u)?", sizeof mailbox->text - 1);
        mailbox->status = STATUS_CANNOT;
        atomic_store(&mailbox->report, 1);
        RAW3(SYS_futex, &mailbox->report, FUTEX_WAKE, INT_MAX);
        return false;
    }
    use_mailbox(number);
    RAW2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if ((int)RAW0(SYS_getppid) != control->channel->explorer_pid)
        RAW1(SYS_exit_group, 3); /* the explorer was gone before */
    return true;
}

/* Where another process stopped. */
static void begin_anew(void) {
    if (!image_renew(&control->image))
        fail("the program's memory cannot be tracked");
    threads_wake();
    control->mailbox->root_out = control->image.current;
    publish(STATUS_READY);
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
    begin_anew();
}

/* For a debugger. The other threads wait. */
static _Noreturn void hold(void) {
    static const char held = 'h';
    RAW6(SYS_sendto, CHANNEL_LINE, &held, 1, MSG_NOSIGNAL, 0, 0);
    for (;;)
        RAW0(SYS_pause);
}

/* As if the call that the program is in had called `hold` instead of step_leave: what that has saved (step_boundary.S: seven words
 * below the return address) moves down by one. */
static _Noreturn void stand_in_call(void) {
    enum { SAVED_WORDS = 7 };
    uintptr_t *saved = rank_core.stack_pointer;
    memmove(saved - 1, saved, SAVED_WORDS * sizeof *saved);
    saved[SAVED_WORDS - 1] = (uintptr_t)hold;
    step_resume(saved - 1);
}

/* Leaves the region. Returns in each process that is made of this one then, which talks through a mailbox of its own. */
static void sleep_until_woken(void) {
    uint32_t number;
    if (criu_sleep(CHANNEL_LINE, control->channel, control->channel->bytes, &number, sizeof number) != sizeof number)
        RAW1(SYS_exit_group, 3); /* the explorer is gone */
    if (number == CHANNEL_HOLD)
        stand_in_call();
    vdso_use_system_calls(&control->vdso);
    channel_seal(control->channel);
    use_mailbox(number);
}

static void sleep_in_state(void) {
    threads_sleep();
    image_release(&control->image);
    disk_close();
    RAW2(SYS_munmap, MAILBOX_AT, control->channel->mailbox_stride);
    sleep_until_woken();
    RAW2(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV); /* no part of an image */
    begin_anew();
}

static void load(uint32_t root, bool dirty) {
    if (!image_load(&control->image, root, dirty)) {
        publish(STATUS_CORRUPT);
        RAW1(SYS_exit_group, 3);
    }
}

static uint32_t arena_pages_used(void) {
    struct arena_bounds arena = arena_bounds();
    return (uint32_t)((arena.pages_used - arena.pages) / PAGE_BYTES);
}

static void load_log(uint32_t log) {
    if (log == BLOCK_NONE || !allocation_log_kept() || allocation_log_load(log, arena_pages_used()))
        return;
    publish(STATUS_CORRUPT);
    RAW1(SYS_exit_group, 3);
}

static enum channel_status status_of_capture(uint32_t root) {
    return root == BLOCK_NONE ? STATUS_STORE_FULL : root == TREE_DAMAGED ? STATUS_CORRUPT : STATUS_BLOCKED;
}

static uint32_t capture_memory(void) {
    struct image_span garbage[THREADS_STACKS];
    return image_capture(&control->image, garbage, threads_garbage((uintptr_t)rank_core.stack_pointer, garbage));
}

/* Names the memory of an application that has left its stack, and its allocation log. STATUS_BLOCKED, or why it cannot be kept. */
static enum channel_status capture(uint32_t *root, uint32_t *log) {
    *log = BLOCK_NONE;
    *root = capture_memory();
    if (*root >= TREE_DAMAGED || !allocation_log_kept())
        return status_of_capture(*root);
    *log = allocation_log_capture(arena_pages_used());
    return status_of_capture(*log);
}

/* A run of a step has come to `status`, leaving memory changed since the last capture if `dirty`. Returns once all of them
 * have. That is told when memory is clean again: from then on the pages of the state in which the step began may be forgotten. */
static void conclude(enum channel_status status, bool dirty) {
    if (step_variants_go_on(&status)) {
        lap(NULL);
        load(control->variants.root_in, dirty);
        lap(&control->mailbox->load_ns);
        begin_report();
        foreign_bytes_begin(control->variants.variant, 0, control->variants.of_unseen);
        resume();
    }
    if (dirty && control->channel->keeps_pages)
        load(control->image.current, true);
    publish(status);
}

static enum channel_status capture_blocked(void) {
    enum channel_status status = capture(&control->mailbox->root_out, &control->mailbox->log_out);
    lap(&control->mailbox->capture_ns);
    return status;
}

static void make_root(int rank) {
    load(control->base_root, false);
    rank_core.number = rank;
    rank_core.count = (int)control->channel->ranks;
    rank_core.agents = (int)(control->channel->variant & AGENTS_MOST);
    rank_core.forgets = control->channel->variant & VARIANT_FORGETS;
    rank_core.places_blocks = control->channel->variant & VARIANT_PLACES_BLOCKS;
    if (rank_core.places_blocks)
        arena_make_homes();
    rank_core.kept_sites = control->channel->kept_sites;
    memcpy(rank_core.kept_site, control->channel->kept_site, sizeof rank_core.kept_site);
    rank_core.places = control->channel->places;
    memcpy(rank_core.place, control->channel->place, sizeof rank_core.place);
    lap(NULL);
    publish(capture_blocked());
}

void executor_pause(void) {
    publish(STATUS_READY);
    for (;;)
        RAW4(SYS_futex, &control->mailbox->command, FUTEX_WAIT, control->command, 0);
}

static void load_state(uint32_t root, uint32_t log) {
    if (root == BLOCK_NONE)
        return;
    lap(NULL);
    load(root, false);
    load_log(log);
    lap(&control->mailbox->load_ns);
}

static _Noreturn void run_batched(void) {
    const struct batched *slot = mailbox_batched(control->mailbox, control->batch_begun++);
    begin_report();
    load_state(slot->root_in, slot->log_in);
    memcpy(mailbox_answer(control->mailbox), slot->bytes, slot->answer_size);
    foreign_bytes_begin(0, 0, false);
    step_variants_begin(true);
    resume();
}

static _Noreturn void run_commands(void) {
    for (;;) {
        if (control->batch_begun < control->batch_steps)
            run_batched();
        await_command();
        struct mailbox *mailbox = control->mailbox;
        switch (mailbox->verb) {
        case COMMAND_ROOT: make_root((int)mailbox->argument); break;
        case COMMAND_PARK: park(mailbox->argument, mailbox->root_in); break;
        case COMMAND_SLEEP: sleep_in_state(); break;
        case COMMAND_BATCH: begin_batch(mailbox->steps); break;
        case COMMAND_PAUSE: control->pausing = true; /* fall through */
        default:
            load_state(mailbox->root_in, mailbox->log_in);
            foreign_bytes_begin(mailbox->variant, mailbox->variant_most, mailbox->of_unseen);
            step_variants_begin(mailbox->may_vary);
            resume();
        }
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
    page_rights_lift();
    clean_foreign_stack();
    control->in_step = false;
    lap(&control->mailbox->run_ns);
    conclude(capture_blocked(), false);
    run_commands();
}

void executor_finalized(void) {
    page_rights_lift();
    control->in_step = false;
    enum channel_status status = capture(&control->final_root, &control->final_log);
    if (status != STATUS_BLOCKED) {
        publish(status);
        run_commands();
    }
    control->in_step = true;
    page_rights_apply();
    step_resume(rank_core.stack_pointer);
}

static void forget_step(void) {
    page_rights_lift();
    control->mailbox->root_out = control->final_root;
    control->mailbox->log_out = control->final_log;
    conclude(STATUS_ENDED, true);
    if (!control->channel->keeps_pages)
        RAW1(SYS_exit_group, 0);
    run_commands();
}

/* Where a rank ended is of interest if that is not where it should. */
static bool ended_badly(const struct wire_end *end) {
    return end->kind == WIRE_CRASH || (end->kind == WIRE_EXIT && (end->code != 0 || !end->finalized));
}

void step_end(const struct wire_end *end, const char *text) {
    control->answering = false;
    shared_traps_end();
    size_t length = strlen(text);
    if (control->stopped && ended_badly(end))
        report_stack(control->stopped);
    control->stopped = NULL;
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
        control->base_root = capture_memory();
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
    RAW2(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV);
    threads_wake();
    name_memory(known_root);
    struct arena_bounds arena = arena_bounds();
    const uintptr_t warm[] = {arena.descriptors, arena.pages, (uintptr_t)rank_core.stack_pointer, (uintptr_t)&rank_core};
    image_cool(&control->image, warm, sizeof warm / sizeof *warm);
    publish(control->base_root == BLOCK_NONE ? STATUS_STORE_FULL : STATUS_READY);
    run_commands();
}

void zygote_run(void) {
    image_empty_stack(&control->image, (uintptr_t)rank_core.stack_pointer);
    control->command = 1;
    measure_spins();
    publish(STATUS_READY);
    for (;;) {
        await_command();
        if (control->mailbox->verb == COMMAND_SLEEP) {
            sleep_until_woken();
            executor_run(control->mailbox->root_in);
        }
        uint32_t known_root = control->mailbox->root_in;
        if (copy_process(control->mailbox->argument))
            executor_run(known_root);
        publish(STATUS_READY);
    }
}
