/* One executor: gives it its steps, takes their results, replaces it when it dies. */
#include "explorer/processes/buffer_reads.h"
#include "explorer/processes/executors_parts.h"
#include "explorer/steps/places.h"

#include <stdlib.h>

/* An executor that is lost may have been killed from outside. A step is tried again before its loss is taken for its outcome:
 * a few times if it died of itself, and for a long time if it was killed or did not even come to begin. */
enum { DEATHS = 3 };
static const double killed_seconds = 10;

/* What an executor was given beyond the step being executed is somebody else's, or its own later. */
static void put_back(struct executors *executors, struct executor *executor) {
    uint32_t count = executor->batch_count;
    executor->batch_count = executor->batch_at + 1;
    for (uint32_t i = executor->batch_count; i < count; i++)
        executors_want_later(executors, executor->batch[i]);
}

static void end_process(struct executors *executors, struct executor *executor) {
    put_back(executors, executor);
    process_end(&executor->process);
    executors->replaced++;
}

void executor_give_up(struct executors *executors, struct executor *executor, enum wire_end_kind kind) {
    end_process(executors, executor);
    if (!executor->asked)
        executors_finish_lost(executors, executor->step, kind);
    executor->step = NO_STEP;
}

void executor_count_loss(struct executors *executors, struct executor *executor, enum loss loss) {
    executor->kills += loss == LOSS_OUTSIDE;
    executor->deaths += loss == LOSS_OF_ITSELF;
    executor->may_vary = false; /* it may have been a variant that did it */
    end_process(executors, executor);
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

/* --- giving steps ---------------------------------------------------------------------------------------------------- */

static bool command_step(struct executors *executors, struct executor *executor) {
    struct mailbox *mailbox = executor->process.mailbox;
    if (!step_table_write_answer(executors->table, executor->step, mailbox_answer(mailbox), CHANNEL_AREA_BYTES)) {
        executor->step = NO_STEP;
        return checkpoint_fail(&executors->checkpoint, "one step receives more than 1 GiB of data, which is not supported");
    }
    mailbox->verb = COMMAND_STEP;
    mailbox->variant = executor->variant;
    mailbox->variant_most = executor->variant_most;
    mailbox->may_vary = executor->may_vary;
    mailbox->of_unseen = executor->of_unseen;
    mailbox->asked.pieces = 0;
    if (executor->asked)
        memcpy(&mailbox->asked, executor->asked,
               offsetof(struct mailbox_exposure, piece) + executor->asked->pieces * sizeof executor->asked->piece[0]);
    mailbox->log_in = step_table_log(executors->table, step_table_step_local(executors->table, executor->step));
    executor->began = executor->given_at = checkpoint_now();
    executor->command = channel_command(mailbox);
    return true;
}

/* A step does not end well. If the rank may not have looked at its windows for that reason, it is to, and is tried anew. */
static bool may_look(struct executors *executors, struct executor *executor) {
    if (!AGENTS_ARE_NEEDED(executors_agents(executors)) || executor->of_unseen || executor->asked ||
        step_table_looks(executors->table, executor->step))
        return false;
    step_table_make_look(executors->table, executor->step, &(struct wire_look){.looks = 1});
    executor_count_from_here(executor);
    return true;
}

bool executor_give(struct executors *executors, struct executor *executor) {
    uint32_t local = step_table_step_local(executors->table, executor->step);
    executor->batch[0] = executor->step;
    executor->batch_at = 0;
    executor->batch_count = 1;
    while (!executor_tried_enough(executor) || may_look(executors, executor)) {
        switch (executors_enter(executors, executor, local)) {
        case ENTER_READY: return command_step(executors, executor);
        case ENTER_CHANGED: executor_give_up(executors, executor, WIRE_UNSTABLE); return true;
        case ENTER_STOPPED: executor->step = NO_STEP; return false;
        case ENTER_LOST: executor_count_loss(executors, executor, LOSS_OUTSIDE);
        }
    }
    executor_give_up(executors, executor, WIRE_LOST);
    return true;
}

bool executor_add_to_batch(struct executors *executors, struct executor *executor, uint32_t step) {
    struct batched *slot = mailbox_batched(executor->process.mailbox, executor->batch_count);
    uint32_t local = step_table_step_local(executors->table, step);
    slot->root_in = step_table_image_root(executors->table, local);
    slot->log_in = step_table_log(executors->table, local);
    slot->answer_size = (uint32_t)step_table_write_answer(executors->table, step, slot->bytes, BATCH_BYTES);
    if (!slot->answer_size)
        return false;
    executor->batch[executor->batch_count++] = step;
    executors_note_use(executors, local);
    return true;
}

bool executor_give_batch(struct executors *executors, struct executor *executor) {
    struct process *process = &executor->process;
    if (executor->batch_count == 1 || !process->pid) {
        put_back(executors, executor);
        return executor_give(executors, executor);
    }
    process->mailbox->verb = COMMAND_BATCH;
    process->mailbox->steps = executor->batch_count;
    process->mailbox->asked.pieces = 0;
    executor_begin_era(executors, executor);
    executor->began = executor->given_at = checkpoint_now();
    executor->command = channel_commands(process->mailbox, executor->batch_count);
    return true;
}

/* The executor died in its step. */
static bool try_again(struct executors *executors, struct executor *executor, enum loss loss) {
    executor_count_loss(executors, executor, loss);
    return executor_give(executors, executor);
}

/* --- taking results -------------------------------------------------------------------------------------------------- */

bool executors_ended_for_good(struct executors *executors, uint32_t status) {
    if (status == STATUS_CORRUPT)
        checkpoint_damaged(&executors->checkpoint);
    if (status == STATUS_STORE_FULL)
        executors->checkpoint.full = true;
    return status == STATUS_CORRUPT || status == STATUS_STORE_FULL;
}

/* What an executor says of a step. */
struct told {
    uint32_t status, root, log;
    const void *report;
    uint64_t size;
};

/* The next step of the batch is the one being executed. */
static void go_on(struct executor *executor) {
    executor->batch_at++;
    executor->step = executor->batch_at < executor->batch_count ? executor->batch[executor->batch_at] : NO_STEP;
    executor->began = checkpoint_now();
    executor_count_from_here(executor);
}

static bool well_told(struct executors *executors, uint32_t step, const struct told *told) {
    double began = checkpoint_now();
    bool well =
        (told->status == STATUS_BLOCKED || told->status == STATUS_ENDED) &&
        executors_finish_step(
            executors, (struct saved_step){
                           .step = step, .image = told->root, .log = told->log, .report = told->report, .size = told->size});
    executors->told += checkpoint_now() - began;
    return well;
}

static bool conclude(struct executors *executors, struct executor *executor, struct told told) {
    uint32_t step = executor->step;
    size_t locals = step_table_locals(executors->table);
    bool live = told.status == STATUS_BLOCKED;
    if (!well_told(executors, step, &told)) {
        /* It reported nonsense: its memory is spoilt. */
        return try_again(executors, executor, LOSS_OF_ITSELF) && (executor->step == NO_STEP || !executors_stopped(executors));
    }
    uint32_t local = step_table_result(executors->table, step)->local;
    if (live)
        executor->process.holds = told.root;
    executors->executed++;
    executors_note_use(executors, local);
    executors_follow(executors, step);
    go_on(executor);
    if (step_table_refusal(executors->table))
        return checkpoint_fail(&executors->checkpoint, step_table_refusal(executors->table));
    executors->checkpoint.backend->leave(&executors->checkpoint, &executor->process, live ? local : STATE_NONE,
                                         step_table_locals(executors->table) > locals);
    return true;
}

/* What the executor says of a step: variants that it has run by itself, and whether the program has kept blocks. */
static void note_run(struct executors *executors, uint32_t agreed, uint32_t keeps_blocks) {
    executors->buffer_checks += agreed <= CLOSED_VARIANT + UNSEEN_VARIANTS ? agreed : 0;
    executors->keeps_blocks |= keeps_blocks != 0;
}

/* The one executed last, whose result is in the mailbox. */
static bool finish(struct executors *executors, struct executor *executor) {
    struct mailbox *mailbox = executor->process.mailbox;
    executor->may_vary = false; /* now we see to that */
    note_run(executors, mailbox->agreed, mailbox->keeps_blocks);
    put_back(executors, executor); /* the batch ended early */
    switch (executor_check(executors, executor)) {
    case CHECK_SAME: break;
    case CHECK_DIFFERENT: return true;
    case CHECK_STOPPED: executor->step = NO_STEP; return false;
    }
    if (executors_ended_for_good(executors, mailbox->status)) {
        executor->step = NO_STEP;
        return false;
    }
    uint64_t size = mailbox->report_size <= CHANNEL_AREA_BYTES ? mailbox->report_size : 0;
    return conclude(executors, executor,
                    (struct told){mailbox->status, mailbox->root_out, mailbox->log_out, mailbox_report(mailbox), size});
}

static bool finish_batched(struct executors *executors, struct executor *executor) {
    const struct batched *slot = mailbox_batched(executor->process.mailbox, executor->batch_at);
    uint64_t size = slot->report_size <= BATCH_BYTES ? slot->report_size : 0;
    note_run(executors, slot->agreed, slot->keeps_blocks);
    return conclude(executors, executor, (struct told){slot->status, slot->root_out, slot->log_out, slot->bytes, size});
}

/* How many steps of the batch have their results in slots. */
static uint32_t batched_results(const struct executor *executor, bool ended) {
    const struct mailbox *mailbox = executor->process.mailbox;
    uint32_t before = executor->command - executor->batch_count;
    uint32_t done = ended ? mailbox->done - 1 : atomic_load_explicit(&mailbox->report, memory_order_acquire) - before;
    return done < executor->batch_count ? done : executor->batch_count - 1;
}

/* Goes up slowly: it may be us who came late. */
static void note_average(struct executors *executors, double seconds) {
    double more = seconds - executors->step_average;
    executors->step_average += more > 0 ? more / 32 : more;
}

bool executor_take_results(struct executors *executors, struct executor *executor) {
    uint32_t command = executor->command;
    bool ended = channel_has_reached(executor->process.mailbox, command);
    uint32_t results = batched_results(executor, ended);
    while (executor->step != NO_STEP && executor->command == command && executor->batch_at < results)
        if (!finish_batched(executors, executor))
            return false;
    if (!ended || executor->step == NO_STEP || executor->command != command)
        return true;
    note_average(executors, (checkpoint_now() - executor->given_at) / (results + 1));
    return finish(executors, executor);
}

/* --- waiting --------------------------------------------------------------------------------------------------------- */

/* Long only while a core is left for it. */
static uint64_t spin_cycles(const struct executors *executors) {
    unsigned busy = 0;
    for (unsigned i = 0; i < executors->options.executors; i++)
        busy += executors->executor[i].step != NO_STEP;
    return busy < executors->cores ? SPIN_LONG : SPIN_SHORT;
}

/* Others may do anything to the executor meanwhile. */
static bool wait_for(struct executors *executors, struct executor *executor, uint32_t at) {
    uint32_t number = executor->command - (executor->batch_count - 1 - at);
    uint64_t spin = spin_cycles(executors);
    if (executors->lock)
        pthread_mutex_unlock(executors->lock);
    double began = checkpoint_now();
    bool come = channel_wait(executor->process.mailbox, number, 20, spin);
    double waited = checkpoint_now() - began;
    if (executors->lock)
        pthread_mutex_lock(executors->lock);
    executors->waited += waited;
    return come;
}

/* A step takes too long. With its variants? Then they are given one by one, later. It may wait for another rank to store something,
 * which that does not do meanwhile: if the program was not watched, it is now. */
static bool give_up_late(struct executors *executors, struct executor *executor) {
    if (executor->process.mailbox->varies || may_look(executors, executor)) {
        executor->may_vary = false;
        end_process(executors, executor);
        return executor_give(executors, executor);
    }
    if (executor->process.mailbox->forgotten > 0) {
        const uint64_t site = executor->process.mailbox->forgotten_site;
        end_process(executors, executor);
        const enum checking found = executor_check_late(executors, executor, site);
        if (found != CHECK_SAME || executor->step == NO_STEP)
            return found != CHECK_STOPPED;
    }
    if (!executor->process.mailbox->shares) {
        executor_give_up(executors, executor, WIRE_RUNAWAY);
        return true;
    }
    static const struct wire_place_of_window all = {.kind = PLACE_WATCHED};
    const int agents = executors_agents(executors);
    size_t size;
    char *report =
        places_watch_all(executors->launch.channel)
            ? buffer_reads_refusal("a rank that has memory in common with others runs for long without calling MPI: to wait "
                                   "until another rank has stored something, and do anything else meanwhile, is not supported",
                                   &size)
            : buffer_reads_wish(AGENTS(AGENTS_GENERAL, AGENTS_FOR_FILES(agents)) | AGENTS_BESIDES(agents), &all, &size);
    end_process(executors, executor);
    executors_finish_step(
        executors,
        (struct saved_step){.step = executor->step, .image = BLOCK_NONE, .log = BLOCK_NONE, .report = report, .size = size});
    free(report);
    executor->step = NO_STEP;
    return true;
}

/* Nothing has come for a while: is all well? */
static bool look_after(struct executors *executors, struct executor *executor) {
    if (checkpoint_interrupted(&executors->checkpoint))
        return false;
    if (executors_over_budget(executors)) {
        executors->checkpoint.full = true;
        return false;
    }
    if (process_dead(&executor->process))
        return try_again(executors, executor, executor_loss(executor));
    return checkpoint_now() - executor->began <= executors->options.step_seconds || give_up_late(executors, executor);
}

bool executor_await(struct executors *executors, struct executor *executor, uint32_t step) {
    for (uint32_t at; (at = executor_place(executor, step)) != NO_STEP;) {
        bool come = wait_for(executors, executor, at);
        if (!executor_take_results(executors, executor))
            return false;
        if (!come && executor->step != NO_STEP && !look_after(executors, executor))
            return false;
    }
    return !executors_stopped(executors);
}

bool executor_await_all(struct executors *executors, struct executor *executor) {
    while (executor->step != NO_STEP)
        if (!executor_await(executors, executor, executor->batch[executor->batch_count - 1]))
            return false;
    return !executors_stopped(executors);
}
