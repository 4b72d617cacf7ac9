#include "ckpt/backends/checkpoint.h"
#include "ckpt/block_store.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { AWAIT_MILLISECONDS = 20 };
static const double start_seconds = 30; /* longest that a copy may take to report its start */

double checkpoint_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool checkpoint_fail(struct checkpoint *checkpoint, const char *sentence) {
    if (!checkpoint->failure)
        checkpoint->failure = strdup(sentence);
    return false;
}

enum entering checkpoint_damaged(struct checkpoint *checkpoint) {
    checkpoint_fail(checkpoint, "the program wrote over the explorer's memory: what was kept of its states is lost");
    return ENTER_STOPPED;
}

bool checkpoint_interrupted(const struct checkpoint *checkpoint) {
    return (checkpoint->interrupt && *checkpoint->interrupt) ||
           (checkpoint->deadline > 0 && checkpoint_now() >= checkpoint->deadline);
}

bool process_dead(struct process *process) {
    int status = 0;
    if (process->pid > 0 && waitpid(process->pid, &status, WNOHANG) == 0)
        return false;
    process->killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    process->pid = 0;
    return true;
}

void process_end(struct process *process) {
    if (process->pid > 0) {
        kill(process->pid, SIGKILL);
        waitpid(process->pid, NULL, 0);
    }
    process->pid = 0;
    process->holds = BLOCK_NONE;
}

enum awaiting process_await(struct checkpoint *checkpoint, struct process *process, uint32_t number, double seconds) {
    double began = checkpoint_now();
    while (!channel_wait(process->mailbox, number, AWAIT_MILLISECONDS, SPIN_SHORT)) {
        if (checkpoint_interrupted(checkpoint))
            return AWAIT_STOPPED;
        if (process_dead(process))
            return atomic_load(&process->mailbox->report) == number ? AWAIT_DONE : AWAIT_DEAD;
        if (checkpoint_now() - began > seconds)
            return AWAIT_LATE;
    }
    return AWAIT_DONE;
}

void process_expect(struct process *process) {
    struct mailbox *mailbox = process->mailbox;
    atomic_store(&mailbox->command, 1);
    atomic_store(&mailbox->report, 0);
    mailbox->pid = 0;
    mailbox->status = STATUS_NONE;
    mailbox->pages_captured = mailbox->pages_restored = 0;
}

static enum entering start_failed(struct checkpoint *checkpoint, const struct mailbox *mailbox) {
    char text[sizeof mailbox->text];
    memcpy(text, mailbox->text, sizeof text);
    text[sizeof text - 1] = 0;
    if (mailbox->status == STATUS_STORE_FULL)
        checkpoint->full = true;
    else
        checkpoint_fail(checkpoint, mailbox->status == STATUS_CANNOT && text[0] ? text : "an executor could not start");
    return ENTER_STOPPED;
}

enum entering process_await_start(struct checkpoint *checkpoint, struct process *process, struct process *maker) {
    double began = checkpoint_now();
    while (!channel_wait(process->mailbox, 1, AWAIT_MILLISECONDS, SPIN_SHORT)) {
        /* The copy's maker tells its number before the copy itself can speak; one that was killed has told it, or there is no copy. */
        bool made = !maker || !process_dead(maker);
        process->pid = process->mailbox->pid;
        if (checkpoint_interrupted(checkpoint))
            return ENTER_STOPPED;
        if (!made && process->pid == 0)
            return ENTER_LOST;
        if (process->pid > 0 && process_dead(process) && atomic_load(&process->mailbox->report) != 1)
            return ENTER_LOST;
        if (checkpoint_now() - began > start_seconds)
            return ENTER_LOST;
    }
    process->pid = process->mailbox->pid;
    if (process->mailbox->status != STATUS_READY)
        return start_failed(checkpoint, process->mailbox);
    process->holds = process->mailbox->root_out;
    return ENTER_READY;
}

static enum entering fork_first(struct checkpoint *checkpoint, struct process *process) {
    process_expect(process);
    struct process first = {.mailbox = channel_mailbox(checkpoint->channel, 0), .pid = checkpoint->zygote};
    first.mailbox->verb = COMMAND_SPAWN;
    first.mailbox->argument = process->number;
    first.mailbox->root_in = checkpoint->base_root;
    enum awaiting awaited = process_await(checkpoint, &first, channel_command(first.mailbox), start_seconds);
    if (awaited != AWAIT_DONE) {
        checkpoint->zygote = first.pid;
        if (awaited != AWAIT_STOPPED)
            checkpoint_fail(checkpoint, "the program's first process was killed");
        return ENTER_STOPPED;
    }
    return process_await_start(checkpoint, process, NULL);
}

enum entering process_spawn(struct checkpoint *checkpoint, struct process *process) {
    const struct backend *backend = checkpoint->backend;
    process_end(process);
    enum entering entered = backend->spawn ? backend->spawn(checkpoint, process) : fork_first(checkpoint, process);
    if (entered != ENTER_READY)
        return entered;
    process->generation = 1;
    if (checkpoint->base_root == BLOCK_NONE)
        checkpoint->base_root = process->holds;
    return ENTER_READY;
}

enum entering process_root(struct checkpoint *checkpoint, struct process *process, uint32_t number) {
    process->mailbox->verb = COMMAND_ROOT;
    process->mailbox->argument = number;
    switch (process_await(checkpoint, process, channel_command(process->mailbox), start_seconds)) {
    case AWAIT_DONE: break;
    case AWAIT_STOPPED: return ENTER_STOPPED;
    default: return ENTER_LOST;
    }
    if (process->mailbox->status != STATUS_BLOCKED)
        return start_failed(checkpoint, process->mailbox);
    process->holds = process->mailbox->root_out;
    return ENTER_READY;
}

enum entering process_spawn_root(struct checkpoint *checkpoint, struct process *process, uint32_t number) {
    enum entering entered = process_spawn(checkpoint, process);
    return entered == ENTER_READY ? process_root(checkpoint, process, number) : entered;
}

/* A step that has come back once, and takes long now, is waited for: the machine may be busy. */
enum { REPEAT_PATIENCE = 4 };

enum entering process_repeat_from(struct checkpoint *checkpoint, struct process *process, uint32_t state, uint32_t root_in,
                                  uint32_t log_in) {
    struct mailbox *mailbox = process->mailbox;
    const struct lineage *lineage = &checkpoint->lineage;
    if (!lineage->answer(lineage->context, state, mailbox_answer(mailbox), CHANNEL_AREA_BYTES))
        return ENTER_LOST;
    mailbox->verb = COMMAND_STEP;
    mailbox->root_in = root_in;
    mailbox->log_in = log_in;
    mailbox->variant = mailbox->variant_most = 0;
    mailbox->may_vary = mailbox->of_unseen = 0;
    mailbox->asked.pieces = 0;
    switch (process_await(checkpoint, process, channel_command(mailbox), checkpoint->step_seconds * REPEAT_PATIENCE)) {
    case AWAIT_DONE: break;
    case AWAIT_STOPPED: return ENTER_STOPPED;
    case AWAIT_LATE: return ENTER_CHANGED;
    default: return ENTER_LOST;
    }
    if (mailbox->status == STATUS_STORE_FULL) {
        checkpoint->full = true;
        return ENTER_STOPPED;
    }
    if (mailbox->status == STATUS_CORRUPT)
        return checkpoint_damaged(checkpoint);
    process->holds = mailbox->root_out;
    bool same = mailbox->status == STATUS_BLOCKED && mailbox->root_out == lineage->image(lineage->context, state);
    return same ? ENTER_READY : ENTER_CHANGED;
}

enum entering process_repeat(struct checkpoint *checkpoint, struct process *process, uint32_t state) {
    return process_repeat_from(checkpoint, process, state, BLOCK_NONE, BLOCK_NONE);
}
