#include "explorer/executors_parts.h"

#include <unistd.h>

/* An executor that is lost may have been killed from outside. A step is tried again before its loss is taken for its outcome:
 * a few times if it died of itself, and for a long time if it was killed or did not even come to begin. */
enum { DEATHS = 3 };
static const double killed_seconds = 10;

static bool stopped(const struct executors *executors) {
    return executors->checkpoint.full || executors->checkpoint.failure;
}

void executor_give_up(struct executors *executors, struct executor *executor, enum wire_end_kind kind) {
    process_end(&executor->process);
    executors->replaced++;
    step_table_finish_lost(executors->table, executor->step, kind);
    executor->step = NO_STEP;
}

void executor_count_loss(struct executors *executors, struct executor *executor, enum loss loss) {
    executor->kills += loss == LOSS_OUTSIDE;
    executor->deaths += loss == LOSS_OF_ITSELF;
    executors->replaced++;
    process_end(&executor->process);
}

enum loss executor_loss(const struct executor *executor) { return executor->process.killed ? LOSS_OUTSIDE : LOSS_OF_ITSELF; }

void executor_count_from_here(struct executor *executor) {
    executor->deaths = executor->kills = 0;
    executor->wanted_since = checkpoint_now();
}

bool executor_tried_enough(const struct executor *executor) {
    return executor->deaths >= DEATHS ||
           (executor->kills >= KILLS && checkpoint_now() - executor->wanted_since > killed_seconds);
}

bool executor_give(struct executors *executors, struct executor *executor) {
    struct process *process = &executor->process;
    uint32_t local = step_table_step_local(executors->table, executor->step);
    while (!executor_tried_enough(executor)) {
        switch (executors->checkpoint.backend->enter(&executors->checkpoint, process, local)) {
        case ENTER_READY:
            step_table_write_answer(executors->table, executor->step, mailbox_answer(process->mailbox), CHANNEL_AREA_BYTES);
            process->mailbox->verb = COMMAND_STEP;
            process->mailbox->variant = executor->variant;
            process->mailbox->variant_only = executor->variant_only;
            process->mailbox->log_in = step_table_log(executors->table, local);
            executor->began = checkpoint_now();
            executor->command = channel_command(process->mailbox);
            return true;
        case ENTER_CHANGED: executor_give_up(executors, executor, WIRE_UNSTABLE); return true;
        case ENTER_STOPPED: executor->step = NO_STEP; return false;
        case ENTER_LOST: executor_count_loss(executors, executor, LOSS_OUTSIDE);
        }
    }
    executor_give_up(executors, executor, WIRE_LOST);
    return true;
}

/* The executor died in its step. */
static bool try_again(struct executors *executors, struct executor *executor, enum loss loss) {
    executor_count_loss(executors, executor, loss);
    return executor_give(executors, executor);
}

bool executors_ended_for_good(struct executors *executors, uint32_t status) {
    if (status == STATUS_CORRUPT)
        checkpoint_damaged(&executors->checkpoint);
    if (status == STATUS_STORE_FULL)
        executors->checkpoint.full = true;
    return status == STATUS_CORRUPT || status == STATUS_STORE_FULL;
}

static bool finish(struct executors *executors, struct executor *executor) {
    struct process *process = &executor->process;
    struct mailbox *mailbox = process->mailbox;
    switch (executor_check(executors, executor)) {
    case CHECK_SAME: break;
    case CHECK_DIFFERENT: return true;
    case CHECK_STOPPED: executor->step = NO_STEP; return false;
    }
    uint32_t status = mailbox->status, step = executor->step;
    uint64_t size = mailbox->report_size;
    if (executors_ended_for_good(executors, status)) {
        executor->step = NO_STEP;
        return false;
    }
    size_t locals = step_table_locals(executors->table);
    bool ok = (status == STATUS_BLOCKED || status == STATUS_ENDED) && size <= CHANNEL_AREA_BYTES &&
              step_table_finish(executors->table, step, mailbox->root_out, mailbox_report(mailbox), size);
    if (!ok) {
        /* It reported nonsense: its memory is spoilt. */
        return try_again(executors, executor, LOSS_OF_ITSELF) && (executor->step == NO_STEP || !stopped(executors));
    }
    bool live = status == STATUS_BLOCKED;
    if (live)
        process->holds = mailbox->root_out;
    if (mailbox->root_out != BLOCK_NONE)
        step_table_set_log(executors->table, step_table_result(executors->table, step)->local, mailbox->log_out);
    executor->step = NO_STEP;
    executors->executed++;
    if (step_table_refusal(executors->table))
        return checkpoint_fail(&executors->checkpoint, step_table_refusal(executors->table));
    executors->checkpoint.backend->leave(&executors->checkpoint, process,
                                         live ? step_table_result(executors->table, step)->local : STATE_NONE,
                                         step_table_locals(executors->table) > locals);
    return true;
}

/* Long only while a core is left for it. */
static uint64_t spin_cycles(const struct executors *executors) {
    unsigned busy = 0;
    for (unsigned i = 0; i < executors->options.jobs; i++)
        busy += executors->executor[i].step != NO_STEP;
    return busy < executors->cores ? SPIN_LONG : SPIN_SHORT;
}

bool executor_await(struct executors *executors, struct executor *executor) {
    while (executor->step != NO_STEP) {
        struct process *process = &executor->process;
        if (channel_wait(process->mailbox, executor->command, 20, spin_cycles(executors))) {
            if (!finish(executors, executor))
                return false;
            continue;
        }
        if (checkpoint_interrupted(&executors->checkpoint))
            return false;
        if (executors_over_budget(executors)) {
            executors->checkpoint.full = true;
            return false;
        }
        if (process_dead(process)) {
            if (!try_again(executors, executor, executor_loss(executor)))
                return false;
        } else if (checkpoint_now() - executor->began > executors->options.step_seconds) {
            executor_give_up(executors, executor, WIRE_RUNAWAY);
        }
    }
    return !stopped(executors);
}

static struct executor *running(struct executors *executors, uint32_t step) {
    for (unsigned i = 0; i < executors->options.jobs; i++)
        if (executors->executor[i].step == step)
            return &executors->executor[i];
    return NULL;
}

/* An idle executor, one whose memory is already right if there is one. */
static struct executor *idle(struct executors *executors, uint32_t image_root) {
    struct executor *found = NULL;
    for (unsigned i = 0; i < executors->options.jobs; i++) {
        struct executor *executor = &executors->executor[i];
        if (executor->step != NO_STEP)
            continue;
        if (executor->process.holds == image_root)
            return executor;
        if (!found)
            found = executor;
    }
    return found;
}

static bool begin(struct executors *executors, struct executor *executor, uint32_t step) {
    if (!step_table_write_answer(executors->table, step, mailbox_answer(executor->process.mailbox), CHANNEL_AREA_BYTES))
        return checkpoint_fail(&executors->checkpoint, "one step receives more than 1 GiB of data, which is not supported");
    executor->step = step;
    executor_count_from_here(executor);
    return executor_give(executors, executor);
}

pid_t executors_pause(struct executors *executors, uint32_t local) {
    struct executor *executor = &executors->executor[0];
    struct process *process = &executor->process;
    if (executor->step != NO_STEP && !executor_await(executors, executor))
        return 0;
    if (executors->checkpoint.backend->enter(&executors->checkpoint, process, local) != ENTER_READY)
        return 0;
    process->mailbox->verb = COMMAND_PAUSE;
    process->mailbox->log_in = step_table_log(executors->table, local);
    uint32_t command = channel_command(process->mailbox);
    if (process_await(&executors->checkpoint, process, command, executors->options.step_seconds) != AWAIT_DONE)
        return 0;
    return process->pid;
}

static void want_later(struct executors *executors, uint32_t step) {
    executors->wanted[executors->wanted_end++ % WANTED_MOST] = step;
    if (executors->wanted_end - executors->wanted_first > WANTED_MOST)
        executors->wanted_first++;
}

void executors_want(struct executors *executors, uint32_t local, const struct resolution *resolution) {
    uint32_t step = step_table_step(executors->table, local, resolution);
    if (step_table_result(executors->table, step) || running(executors, step))
        return;
    if (!executors->checkpoint.backend->keeps_pages)
        return; /* entering a state takes long: only where it is needed */
    struct executor *executor = idle(executors, step_table_image_root(executors->table, local));
    if (executor)
        begin(executors, executor, step);
    else
        want_later(executors, step);
}

static bool has_reported(const struct executor *executor) {
    return atomic_load_explicit(&executor->process.mailbox->report, memory_order_acquire) == executor->command;
}

/* Takes what other executors have finished meanwhile, and lets those that are idle go on with what is wanted. */
static bool keep_busy(struct executors *executors) {
    for (unsigned i = 0; i < executors->options.jobs; i++) {
        struct executor *executor = &executors->executor[i];
        if (executor->step != NO_STEP && has_reported(executor) && !finish(executors, executor))
            return false;
    }
    while (executors->wanted_first != executors->wanted_end) {
        uint32_t step = executors->wanted[executors->wanted_first % WANTED_MOST];
        bool needed = !step_table_result(executors->table, step) && !running(executors, step);
        uint32_t local = step_table_step_local(executors->table, step);
        struct executor *executor = needed ? idle(executors, step_table_image_root(executors->table, local)) : NULL;
        if (needed && !executor)
            break;
        executors->wanted_first++;
        if (executor && !begin(executors, executor, step))
            return false;
    }
    return true;
}

static bool execute(struct executors *executors, uint32_t step) {
    struct executor *executor = running(executors, step);
    if (!executor) {
        uint32_t local = step_table_step_local(executors->table, step);
        while (!(executor = idle(executors, step_table_image_root(executors->table, local))))
            if (!executor_await(executors, &executors->executor[0]))
                return false;
        if (!begin(executors, executor, step))
            return false;
    }
    return executor_await(executors, executor) && keep_busy(executors);
}

const struct step_result *executors_get(struct executors *executors, uint32_t local, const struct resolution *resolution) {
    uint32_t step = step_table_step(executors->table, local, resolution);
    bool known = step_table_result(executors->table, step) != NULL;
    executors->reused += known;
    if (!known && (stopped(executors) || !execute(executors, step)))
        return NULL;
    step_table_meet(executors->table, step);
    return step_table_result(executors->table, step);
}
