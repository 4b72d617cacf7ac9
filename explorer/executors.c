#include "explorer/executors.h"

#include "ckpt/image.h"
#include "explorer/buffer_reads.h"
#include "explorer/final_memory.h"
#include "explorer/memory.h"
#include "explorer/report.h"
#include "explorer/step_cycles.h"
#include "explorer/step_table.h"
#include "explorer/zygote_launch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NO_STEP UINT32_MAX

enum { CHECK_FIRST = 16, CHECK_EVERY = 128, CHECK_BYTES = 1 << 20 };

/* An executor that is lost may have been killed from outside. A step is tried again before its loss is taken for its outcome:
 * a few times if it died of itself, and for a long time if it was killed or did not even come to begin. */
enum { DEATHS = 3, KILLS = 12 };
static const double killed_seconds = 10;

/* Steps that are wanted while all executors are busy. The oldest are forgotten first. */
enum { WANTED_MOST = 64 };

struct executor {
    struct process process;
    uint32_t step;                  /* being executed, or NO_STEP */
    uint32_t command;               /* its number */
    unsigned deaths, kills;         /* in this step so far */
    double wanted_since;            /* when this step was first tried */
    uint32_t variant, variant_only; /* of the execution, see struct mailbox */
    const struct mailbox_exposure *asked;
    double began;
};

struct executors {
    struct executors_options options;
    struct launch launch;
    struct checkpoint checkpoint;
    struct step_table *table;
    struct step_source source;
    struct executor *executor;
    uint32_t wanted[WANTED_MOST]; /* wanted[i % WANTED_MOST], i from wanted_first to before wanted_end */
    uint32_t wanted_first, wanted_end;
    unsigned cores;
    uint32_t *root; /* local state of each rank at MPI_Init, and then of each one's agent */
    unsigned roots;
    uint16_t init_function;
    uint64_t init_site;
    struct memory_layout layout;
    struct sites *sites;
    struct name_table final_names; /* of local states: positions in `final` */
    uint64_t *final;               /* hashes of final memory */
    size_t finals, final_room;
    struct divergence *divergence;
    size_t divergences, divergence_room;
    uint64_t executed, reused, buffer_checks;
    double memory_checked; /* when the shares of processes were last asked for, and what was found */
    uint64_t share_then, resident_then;
    unsigned replaced;
};

/* --- what the checkpoint backend asks -------------------------------------------------------------------------------- */

static uint32_t lineage_image(void *context, uint32_t state) {
    return step_table_image_root(((struct executors *)context)->table, state);
}

/* Which of our roots is a rank's, and the other way round. */
static unsigned root_of_rank(const struct executors *executors, unsigned rank) {
    const struct executors_options *options = &executors->options;
    return rank < options->world ? rank - options->first_rank : rank - options->world - options->first_rank + options->ranks;
}

static unsigned rank_of_root(const struct executors *executors, unsigned root) {
    const struct executors_options *options = &executors->options;
    return options->first_rank + (root < options->ranks ? root : options->world + root - options->ranks);
}

static uint32_t lineage_before(void *context, uint32_t state, uint32_t *root) {
    struct executors *executors = context;
    uint32_t step = step_table_origin(executors->table, state);
    if (step != NAME_UNKNOWN)
        return step_table_step_local(executors->table, step);
    uint32_t image = step_table_image_root(executors->table, state);
    unsigned at = 0;
    while (step_table_image_root(executors->table, executors->root[at]) != image)
        at++;
    *root = rank_of_root(executors, at);
    return STATE_NONE;
}

static bool lineage_answer(void *context, uint32_t state, void *area, size_t room) {
    struct executors *executors = context;
    return step_table_write_answer(executors->table, step_table_origin(executors->table, state), area, room) != 0;
}

static uint32_t lineage_describe(void *context, uint32_t state, char *text, size_t room) {
    const struct executors *executors = context;
    struct local_story story = step_table_story(executors->table, state);
    snprintf(text, room, "local state %u: rank %u of %s in %s (%s)\n", story.number, story.rank, executors->options.program,
             report_function(story.function), sites_text(executors->sites, story.site));
    return story.number;
}

/* --- starting -------------------------------------------------------------------------------------------------------- */

static bool make_root(struct executors *executors, unsigned rank) {
    struct process *process = &executors->executor[0].process;
    enum entering entered = ENTER_LOST;
    for (unsigned i = 0; i < KILLS && entered == ENTER_LOST; i++) {
        entered = process->pid ? ENTER_READY : process_spawn(&executors->checkpoint, process);
        if (entered == ENTER_READY)
            entered = process_root(&executors->checkpoint, process, rank);
    }
    if (entered != ENTER_READY)
        return entered == ENTER_STOPPED ? false
                                        : checkpoint_fail(&executors->checkpoint, "an executor was killed while it started");
    uint32_t local = step_table_root(executors->table, rank, executors->options.number, process->holds);
    for (int stream = 1; stream <= 2; stream++) {
        size_t size;
        char *text = launch_output(&executors->launch, stream, &size);
        if (size)
            local = step_table_add_output(executors->table, local, stream, text, size);
        free(text);
    }
    step_table_set_log(executors->table, local, process->mailbox->log_out);
    executors->root[root_of_rank(executors, rank)] = local;
    if (!executors->checkpoint.backend->keeps_pages)
        process_end(process); /* it can become no other root */
    return true;
}

/* --- steps ----------------------------------------------------------------------------------------------------------- */

static bool stopped(const struct executors *executors) { return executors->checkpoint.full || executors->checkpoint.failure; }

/* Gives up the step being executed: the result says so once and for all, so that it costs no more processes. One that was executed
 * again to be asked something has its result. */
static void give_up(struct executors *executors, struct executor *executor, enum wire_end_kind kind) {
    process_end(&executor->process);
    executors->replaced++;
    if (!executor->asked)
        step_table_finish_lost(executors->table, executor->step, kind);
    executor->step = NO_STEP;
}

enum loss { LOSS_OUTSIDE, LOSS_OF_ITSELF };

static void count_loss(struct executors *executors, struct executor *executor, enum loss loss) {
    executor->kills += loss == LOSS_OUTSIDE;
    executor->deaths += loss == LOSS_OF_ITSELF;
    executors->replaced++;
    process_end(&executor->process);
}

static enum loss loss_of(const struct executor *executor) { return executor->process.killed ? LOSS_OUTSIDE : LOSS_OF_ITSELF; }

static void count_from_here(struct executor *executor) {
    executor->deaths = executor->kills = 0;
    executor->wanted_since = checkpoint_now();
}

static bool tried_enough(const struct executor *executor) {
    return executor->deaths >= DEATHS ||
           (executor->kills >= KILLS && checkpoint_now() - executor->wanted_since > killed_seconds);
}

/* Starts the step of `executor`; true if it then runs or has been given up, false if the search must stop. */
static bool give(struct executors *executors, struct executor *executor) {
    struct process *process = &executor->process;
    uint32_t local = step_table_step_local(executors->table, executor->step);
    while (!tried_enough(executor)) {
        switch (executors->checkpoint.backend->enter(&executors->checkpoint, process, local)) {
        case ENTER_READY:
            step_table_write_answer(executors->table, executor->step, mailbox_answer(process->mailbox), CHANNEL_AREA_BYTES);
            process->mailbox->verb = COMMAND_STEP;
            process->mailbox->variant = executor->variant;
            process->mailbox->variant_only = executor->variant_only;
            process->mailbox->asked.pieces = 0;
            if (executor->asked)
                process->mailbox->asked = *executor->asked;
            process->mailbox->log_in = step_table_log(executors->table, local);
            executor->began = checkpoint_now();
            executor->command = channel_command(process->mailbox);
            return true;
        case ENTER_CHANGED: give_up(executors, executor, WIRE_UNSTABLE); return true;
        case ENTER_STOPPED: executor->step = NO_STEP; return false;
        case ENTER_LOST: count_loss(executors, executor, LOSS_OUTSIDE);
        }
    }
    give_up(executors, executor, WIRE_LOST);
    return true;
}

/* The executor died in its step. */
static bool try_again(struct executors *executors, struct executor *executor, enum loss loss) {
    count_loss(executors, executor, loss);
    return give(executors, executor);
}

/* A step must do the same each time. Some are executed twice: the first ones, where most programs read clocks, files and random
 * numbers, then one in CHECK_EVERY. */
static bool to_check(const struct executors *executors, const struct mailbox *mailbox) {
    return mailbox->status == STATUS_BLOCKED && mailbox->report_size <= CHECK_BYTES &&
           (executors->executed < CHECK_FIRST || executors->executed % CHECK_EVERY == 0);
}

/* What a step has come to, for the case that it comes to something else the next time. */
static struct execution execution_of(const struct mailbox *mailbox) {
    size_t size = mailbox->report_size <= CHANNEL_AREA_BYTES ? mailbox->report_size : 0;
    return (struct execution){.back = true,
                              .blocked = mailbox->status == STATUS_BLOCKED,
                              .root = mailbox->root_out,
                              .report = memory_copy(mailbox_report((struct mailbox *)mailbox), size),
                              .size = size};
}

static void note_divergence(struct executors *executors, uint32_t step, struct execution first, struct execution second) {
    executors->divergence =
        memory_room(executors->divergence, &executors->divergence_room, executors->divergences, sizeof *executors->divergence);
    first.program = second.program = executors->options.number;
    executors->divergence[executors->divergences++] = (struct divergence){step, {first, second}};
}

enum checking { CHECK_SAME, CHECK_DIFFERENT, CHECK_STOPPED };

static bool same_execution(const struct execution *a, const struct execution *b) {
    return a->blocked && b->blocked && a->root == b->root && a->size == b->size && memcmp(a->report, b->report, a->size) == 0;
}

/* What a step that did not end as it should has to say. */
static bool ended_for_good(struct executors *executors, uint32_t status) {
    if (status == STATUS_CORRUPT)
        checkpoint_damaged(&executors->checkpoint);
    if (status == STATUS_STORE_FULL)
        executors->checkpoint.full = true;
    return status == STATUS_CORRUPT || status == STATUS_STORE_FULL;
}

/* Executes the step of `executor` again. False if the search must stop; executor->step is NO_STEP if the step was given up. */
static bool repeat(struct executors *executors, struct executor *executor, struct execution *execution) {
    *execution = (struct execution){0};
    count_from_here(executor);
    while (!tried_enough(executor)) {
        executors->checkpoint.backend->leave(&executors->checkpoint, &executor->process, STATE_NONE, false);
        if (!give(executors, executor))
            return false;
        if (executor->step == NO_STEP)
            return true;
        switch (process_await(&executors->checkpoint, &executor->process, executor->command, executors->options.step_seconds)) {
        case AWAIT_DEAD: count_loss(executors, executor, loss_of(executor)); continue;
        case AWAIT_STOPPED: return false;
        case AWAIT_LATE:
            process_end(&executor->process);
            executors->replaced++;
            return true;
        case AWAIT_DONE:
            *execution = execution_of(executor->process.mailbox);
            return !ended_for_good(executors, executor->process.mailbox->status);
        }
    }
    return true;
}

static enum checking check(struct executors *executors, struct executor *executor) {
    struct execution first = execution_of(executor->process.mailbox), second;
    uint32_t step = executor->step;
    enum checking found = !repeat(executors, executor, &second) ? CHECK_STOPPED
                          : same_execution(&first, &second)     ? CHECK_SAME
                                                                : CHECK_DIFFERENT;
    if (found == CHECK_DIFFERENT) {
        note_divergence(executors, step, first, second);
    } else {
        free(first.report);
        free(second.report);
    }
    return found;
}

/* --- buffers that the program must not read -------------------------------------------------------------------------- */

static enum checking run_variant(struct executors *executors, struct executor *executor, const struct execution *usual,
                                 struct execution *variant) {
    executors->buffer_checks++;
    bool goes_on = repeat(executors, executor, variant);
    if (!goes_on)
        return CHECK_STOPPED;
    return executor->step != NO_STEP && buffer_reads_agree(usual, variant) ? CHECK_SAME : CHECK_DIFFERENT;
}

/* Which buffer it was: only one of them has other bytes. */
static enum checking find_owner(struct executors *executors, struct executor *executor, const struct execution *usual,
                                uint32_t buffers, struct execution *variant, struct buffer_owner *owner) {
    enum checking found = CHECK_SAME;
    for (uint32_t i = 1; i <= buffers && found == CHECK_SAME; i++) {
        struct execution alone;
        executor->variant_only = i;
        found = run_variant(executors, executor, usual, &alone);
        if (found == CHECK_DIFFERENT && alone.back) {
            struct mailbox *mailbox = executor->process.mailbox;
            *owner = (struct buffer_owner){
                .rank = step_table_rank(executors->table, step_table_step_local(executors->table, executor->step)),
                .function = mailbox->put_function,
                .site = mailbox->put_site};
            free(variant->report);
            *variant = alone;
        } else {
            free(alone.report);
        }
    }
    executor->variant_only = 0;
    return found;
}

/* The step is a mistake, unless it does not do the same with the usual bytes either. */
static enum checking judge(struct executors *executors, struct executor *executor, struct execution *usual,
                           struct execution *variant, uint32_t buffers) {
    struct buffer_owner owner = {0};
    if (find_owner(executors, executor, usual, buffers, variant, &owner) == CHECK_STOPPED)
        return CHECK_STOPPED;
    struct execution again;
    executor->variant = 0;
    enum checking stable = run_variant(executors, executor, usual, &again);
    uint32_t step = executor->step;
    if (stable == CHECK_DIFFERENT && step != NO_STEP) {
        note_divergence(executors, step, *usual, again);
        usual->report = NULL;
        give_up(executors, executor, WIRE_UNSTABLE);
        return stable;
    }
    free(again.report);
    if (stable != CHECK_SAME)
        return stable;
    size_t size;
    char *report = buffer_reads_report(usual, variant, &owner, &size);
    step_table_finish(executors->table, step, BLOCK_NONE, report, size);
    free(report);
    executors->executed++;
    executors->checkpoint.backend->leave(&executors->checkpoint, &executor->process, STATE_NONE, false);
    executor->step = NO_STEP;
    return CHECK_DIFFERENT;
}

/* Runs the step with other bytes in the buffers of pending receives. CHECK_DIFFERENT: it has a result, as it reads them. */
static enum checking check_reads(struct executors *executors, struct executor *executor) {
    struct execution usual = execution_of(executor->process.mailbox);
    uint32_t buffers = executor->process.mailbox->puts;
    enum checking found = CHECK_SAME;
    for (uint32_t i = 1; i <= BUFFER_VARIANTS && found == CHECK_SAME; i++) {
        struct execution variant;
        executor->variant = i;
        found = run_variant(executors, executor, &usual, &variant);
        if (found == CHECK_DIFFERENT && executor->step != NO_STEP)
            found = judge(executors, executor, &usual, &variant, buffers);
        free(variant.report);
    }
    executor->variant = 0;
    free(usual.report);
    return found;
}

static bool may_read_buffers(const struct mailbox *mailbox) {
    return mailbox->puts && (mailbox->status == STATUS_BLOCKED || mailbox->status == STATUS_ENDED);
}

/* --- memory of a window that others access in the same epoch ---------------------------------------------------------- */

static unsigned rank_of_access(const struct mailbox_exposure *others, uint64_t site) {
    uint32_t i = 0;
    while (i + 1 < others->pieces && others->piece[i].site != site)
        i++;
    return others->piece[i].rank;
}

/* Runs the step of `executor` with other bytes where executor->asked says. CHECK_DIFFERENT: it reads them, and *report says so. */
static enum checking run_exposed(struct executors *executors, struct executor *executor, const struct execution *usual,
                                 char **report, size_t *size) {
    uint32_t buffers = executor->process.mailbox->puts;
    enum checking found = CHECK_SAME;
    for (uint32_t i = 1; i <= BUFFER_VARIANTS && found == CHECK_SAME && executor->step != NO_STEP; i++) {
        struct execution variant, again = {0};
        struct buffer_owner owner = {.window = true};
        executor->variant = i;
        found = run_variant(executors, executor, usual, &variant);
        if (found == CHECK_DIFFERENT && executor->step != NO_STEP)
            found = find_owner(executors, executor, usual, buffers, &variant, &owner);
        executor->variant = 0;
        owner.window = true;
        owner.rank = rank_of_access(executor->asked, owner.site);
        if (found == CHECK_DIFFERENT && executor->step != NO_STEP &&
            run_variant(executors, executor, usual, &again) == CHECK_SAME)
            *report = buffer_reads_report(usual, &variant, &owner, size);
        free(variant.report);
        free(again.report);
    }
    return found;
}

/* The last step in which the program ran before the one that `executor` is in the middle of. CHECK_DIFFERENT: it reads what others
 * access. */
static enum checking check_exposed_step(struct executors *executors, struct executor *executor, char **report, size_t *size) {
    enum { STEPS_BACK = 8 };
    enum checking found = CHECK_SAME;
    uint32_t state = ASKED_NOWHERE;
    for (int i = 0; i < STEPS_BACK && state == ASKED_NOWHERE && found == CHECK_SAME && executor->step != NO_STEP; i++) {
        struct execution usual;
        executor->step = step_table_origin(executors->table, step_table_step_local(executors->table, executor->step));
        if (executor->step == NAME_UNKNOWN)
            return CHECK_SAME;
        if (!repeat(executors, executor, &usual))
            return CHECK_STOPPED;
        state = usual.back ? executor->process.mailbox->asked_state : ASKED_TOLD;
        if (state == ASKED_PUT && executor->step != NO_STEP)
            found = run_exposed(executors, executor, &usual, report, size);
        free(usual.report);
    }
    return found;
}

/* A step that ends an epoch, in which others accessed this rank's memory. CHECK_DIFFERENT: it has a result, as that was read. */
static enum checking check_exposure(struct executors *executors, struct executor *executor) {
    const struct mailbox_exposure others = executor->process.mailbox->others;
    const uint32_t step = executor->step;
    char *report = NULL;
    size_t size;
    executor->asked = &others;
    enum checking found = check_exposed_step(executors, executor, &report, &size);
    executor->asked = NULL;
    executor->step = step;
    if (report) {
        step_table_finish(executors->table, step, BLOCK_NONE, report, size);
        free(report);
        executors->executed++;
        executors->checkpoint.backend->leave(&executors->checkpoint, &executor->process, STATE_NONE, false);
        executor->step = NO_STEP;
        return CHECK_DIFFERENT;
    }
    if (found == CHECK_STOPPED)
        return found;
    struct execution again;
    found = repeat(executors, executor, &again) ? CHECK_SAME : CHECK_STOPPED;
    free(again.report);
    return found == CHECK_SAME && executor->step == NO_STEP ? CHECK_DIFFERENT : found;
}

static bool finish(struct executors *executors, struct executor *executor) {
    struct process *process = &executor->process;
    struct mailbox *mailbox = process->mailbox;
    if (to_check(executors, mailbox)) {
        switch (check(executors, executor)) {
        case CHECK_SAME: break;
        case CHECK_STOPPED: executor->step = NO_STEP; return false;
        case CHECK_DIFFERENT:
            if (executor->step != NO_STEP)
                give_up(executors, executor, WIRE_UNSTABLE);
            return true;
        }
    }
    if (may_read_buffers(mailbox)) {
        enum checking found = check_reads(executors, executor);
        if (found == CHECK_STOPPED)
            executor->step = NO_STEP;
        if (found != CHECK_SAME)
            return found == CHECK_DIFFERENT;
    }
    if (mailbox->others.pieces > 0 && (mailbox->status == STATUS_BLOCKED || mailbox->status == STATUS_ENDED)) {
        enum checking found = check_exposure(executors, executor);
        if (found == CHECK_STOPPED)
            executor->step = NO_STEP;
        if (found != CHECK_SAME)
            return found == CHECK_DIFFERENT;
    }
    uint32_t status = mailbox->status, step = executor->step;
    uint64_t size = mailbox->report_size;
    if (ended_for_good(executors, status)) {
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

/* A step may use up the memory while it runs. */
static bool over_budget(struct executors *executors) {
    const struct executors_options *options = &executors->options;
    uint64_t used = executors_statistics(executors).memory_bytes + options->elsewhere(options->context, executors);
    uint64_t budget = options->memory_bytes;
    return used > budget && executors_spill(executors, used - budget) < used - budget;
}

/* Long only while a core is left for it. */
static uint64_t spin_cycles(const struct executors *executors) {
    unsigned busy = 0;
    for (unsigned i = 0; i < executors->options.jobs; i++)
        busy += executors->executor[i].step != NO_STEP;
    return busy < executors->cores ? SPIN_LONG : SPIN_SHORT;
}

/* Gives the executor time until its step is done; false if the search must stop. */
static bool await(struct executors *executors, struct executor *executor) {
    while (executor->step != NO_STEP) {
        struct process *process = &executor->process;
        if (channel_wait(process->mailbox, executor->command, 20, spin_cycles(executors))) {
            if (!finish(executors, executor))
                return false;
            continue;
        }
        if (checkpoint_interrupted(&executors->checkpoint))
            return false;
        if (over_budget(executors)) {
            executors->checkpoint.full = true;
            return false;
        }
        if (process_dead(process)) {
            if (!try_again(executors, executor, loss_of(executor)))
                return false;
        } else if (checkpoint_now() - executor->began > executors->options.step_seconds) {
            give_up(executors, executor, WIRE_RUNAWAY);
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
    count_from_here(executor);
    return give(executors, executor);
}

pid_t executors_pause(struct executors *executors, uint32_t local) {
    struct executor *executor = &executors->executor[0];
    struct process *process = &executor->process;
    if (executor->step != NO_STEP && !await(executors, executor))
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

static void want_step(void *self, uint32_t local, const struct resolution *resolution) {
    struct executors *executors = self;
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
            if (!await(executors, &executors->executor[0]))
                return false;
        if (!begin(executors, executor, step))
            return false;
    }
    return await(executors, executor) && keep_busy(executors);
}

static const struct step_result *get_step(void *self, uint32_t local, const struct resolution *resolution) {
    struct executors *executors = self;
    uint32_t step = step_table_step(executors->table, local, resolution);
    bool known = step_table_result(executors->table, step) != NULL;
    executors->reused += known;
    if (!known && (stopped(executors) || !execute(executors, step)))
        return NULL;
    step_table_meet(executors->table, step);
    return step_table_result(executors->table, step);
}

static uint32_t root_local(void *self, unsigned rank) {
    struct executors *executors = self;
    uint32_t local = executors->root[root_of_rank(executors, rank)];
    step_table_meet_root(executors->table, local, rank, executors->init_function, executors->init_site);
    return local;
}

static uint64_t local_output(void *self, uint32_t local) {
    return step_table_output_hash(((struct executors *)self)->table, local);
}

/* --- final memory ---------------------------------------------------------------------------------------------------- */

static struct captured_state state_of(const struct executors *executors, uint32_t local) {
    return (struct captured_state){step_table_image_root(executors->table, local), step_table_log(executors->table, local)};
}

/* A hash of what counts of the memory in which a rank has ended, computed once for each local state. */
static uint64_t local_memory(void *self, uint32_t local) {
    struct executors *executors = self;
    struct name name = {local, 0};
    uint32_t number = name_table_find(&executors->final_names, name);
    if (number != NAME_UNKNOWN)
        return executors->final[number];
    struct captured_memory memory = executors_memory(executors);
    struct captured_state state = state_of(executors, local);
    executors->final = memory_room(executors->final, &executors->final_room, executors->finals, sizeof *executors->final);
    executors->final[executors->finals] =
        final_memory_hash(&memory, sites_modules(executors->sites, executors->options.number), &state);
    name_table_add(&executors->final_names, name, (uint32_t)executors->finals);
    return executors->final[executors->finals++];
}

static char *local_difference(void *self, uint32_t local, uint32_t other) {
    struct executors *executors = self;
    struct captured_memory memory = executors_memory(executors);
    const struct captured_state state[2] = {state_of(executors, local), state_of(executors, other)};
    return final_memory_difference(&memory, sites_modules(executors->sites, executors->options.number), state);
}

/* --- life ------------------------------------------------------------------------------------------------------------ */

static void prepare(struct executors *executors) {
    for (unsigned i = 0; i < executors->options.jobs; i++) {
        struct process *process = &executors->executor[i].process;
        *process =
            (struct process){.mailbox = channel_mailbox(executors->launch.channel, i + 1), .number = i, .holds = BLOCK_NONE};
        executors->executor[i].step = NO_STEP;
    }
    executors->checkpoint = (struct checkpoint){
        .backend = executors->options.backend,
        .channel = executors->launch.channel,
        .zygote = executors->launch.zygote,
        .lineage = {lineage_image, lineage_before, lineage_answer, lineage_describe, executors},
        .step_seconds = executors->options.step_seconds,
        .interrupt = executors->options.interrupt,
        .line = executors->launch.line,
        .region = executors->launch.region,
        .spill_dir = executors->options.spill_dir,
        .keep_dir = executors->options.keep_images,
        .base_root = BLOCK_NONE,
    };
}

static bool make_roots(struct executors *executors) {
    for (unsigned i = 0; i < executors->roots; i++)
        if (!make_root(executors, rank_of_root(executors, i)))
            return false;
    return true;
}

bool executors_add_agents(struct executors *executors, int agents) {
    struct executor *first = &executors->executor[0];
    if (first->step != NO_STEP && !await(executors, first))
        return false;
    if (!executors->checkpoint.backend->keeps_pages)
        process_end(&first->process);
    free(executors->root);
    executors->roots = 2 * executors->options.ranks;
    executors->root = memory_take_zeroed(executors->roots * sizeof *executors->root);
    executors->launch.channel->variant = (uint32_t)agents;
    return make_roots(executors);
}

/* What the first process has left for us: the call that it is in, and where memory is. */
static void read_first_process(struct executors *executors) {
    const struct wire_record *record = (const void *)mailbox_report(channel_mailbox(executors->launch.channel, 0));
    const struct wire_call *call = (const void *)(record + 1);
    executors->init_function = call->function;
    executors->init_site = call->site;
    executors->layout = *channel_layout(executors->launch.channel);
}

struct executors *executors_start(const struct executors_options *options, struct step_table *table, struct sites *sites,
                                  char **error) {
    struct executors *executors = memory_take_zeroed(sizeof *executors);
    executors->options = *options;
    executors->cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    executors->table = table;
    executors->roots = options->ranks;
    executors->root = memory_take_zeroed(executors->roots * sizeof *executors->root);
    executors->executor = memory_take_zeroed(options->jobs * sizeof *executors->executor);
    executors->sites = sites;
    executors->source =
        (struct step_source){.root = root_local, .get = get_step, .want = want_step, .output = local_output, .self = executors};
    if (options->race_on_state) {
        executors->source.memory = local_memory;
        executors->source.memory_difference = local_difference;
    }
    *error = NULL;
    bool ok = launch_start(&executors->launch, &executors->options, error) &&
              launch_wait(&executors->launch, &executors->options, error);
    if (ok) {
        read_first_process(executors);
        prepare(executors);
    }
    if (ok && make_roots(executors))
        return executors;
    if (!*error)
        *error = executors->checkpoint.failure ? strdup(executors->checkpoint.failure)
                 : executors->checkpoint.full  ? strdup("the memory budget is too small for the program's memory at MPI_Init")
                                               : strdup("interrupted while the program started");
    executors_stop(executors);
    return NULL;
}

const struct step_source *executors_steps(struct executors *executors) { return &executors->source; }

/* A process's share of the memory that is nobody's file: what is shared between copies counts once, all together. */
static uint64_t share_of_process(pid_t pid) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    FILE *file = fopen(path, "re");
    unsigned long kilobytes = 0;
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Pss_Anon: %lu kB", &kilobytes) != 1)
        continue;
    if (file)
        fclose(file);
    return (uint64_t)kilobytes * 1024;
}

/* Memory of a process that is nobody's file, what it shares with its copies included. */
static uint64_t resident_of_process(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *file = fopen(path, "re");
    unsigned long resident = 0, shared = 0;
    if (file) {
        if (fscanf(file, "%*u %lu %lu", &resident, &shared) != 2)
            resident = shared = 0;
        fclose(file);
    }
    return (uint64_t)(resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t resident(const struct executors *executors) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < executors->options.jobs; i++)
        if (executors->executor[i].process.pid > 0)
            bytes += resident_of_process(executors->executor[i].process.pid);
    return bytes;
}

static uint64_t shares(struct executors *executors) {
    uint64_t bytes = share_of_process(executors->launch.zygote);
    for (unsigned i = 0; i < executors->options.jobs; i++)
        if (executors->executor[i].process.pid > 0)
            bytes += share_of_process(executors->executor[i].process.pid);
    pid_t parked[256];
    size_t count = executors->checkpoint.backend->processes(&executors->checkpoint, parked, sizeof parked / sizeof *parked);
    for (size_t i = 0; i < count; i++)
        bytes += share_of_process(parked[i]);
    return bytes;
}

/* The exact figure takes the kernel long to tell: it is asked for twice a second, and what the executors have grown by since is
 * added. */
static uint64_t process_memory(struct executors *executors) {
    double now = checkpoint_now();
    uint64_t now_resident = resident(executors);
    if (executors->memory_checked == 0 || now - executors->memory_checked > 0.5) {
        executors->memory_checked = now;
        executors->share_then = shares(executors);
        executors->resident_then = now_resident;
    }
    uint64_t grown = now_resident > executors->resident_then ? now_resident - executors->resident_then : 0;
    return executors->share_then + grown;
}

static struct block_store *page_store(struct executors *executors) {
    return (struct block_store *)((char *)executors->launch.channel + executors->launch.channel->pages_at);
}

uint64_t executors_spill(struct executors *executors, uint64_t bytes) {
    return block_store_spill(page_store(executors), bytes);
}

struct executors_statistics executors_statistics(struct executors *executors) {
    const struct channel *channel = executors->launch.channel;
    struct step_table_statistics table = step_table_statistics(executors->table);
    const struct block_store *pages = page_store(executors);
    const struct block_store *nodes = (const void *)((const char *)channel + channel->nodes_at);
    const struct backend *backend = executors->checkpoint.backend;
    struct kept_bytes kept = backend->kept ? backend->kept(&executors->checkpoint) : (struct kept_bytes){0};
    struct executors_statistics statistics = {
        .steps_executed = executors->executed,
        .steps_reused = executors->reused,
        .buffer_checks = executors->buffer_checks,
        .local_states = table.local_states,
        .pages = block_store_count(pages),
        .spilled_bytes = block_store_spilled_bytes(pages) + kept.disk,
        .image_bytes = kept.memory + kept.disk,
        .memory_bytes = process_memory(executors) + block_store_used_bytes(pages) + block_store_used_bytes(nodes) + kept.memory,
        .executors = executors->options.jobs,
        .replaced = executors->replaced,
        .tracker = executors->executor[0].process.mailbox->tracker,
    };
    for (unsigned i = 0; i < executors->options.jobs; i++) {
        statistics.pages_captured += executors->executor[i].process.mailbox->pages_captured;
        statistics.pages_restored += executors->executor[i].process.mailbox->pages_restored;
    }
    return statistics;
}

const char *executors_failure(const struct executors *executors) { return executors->checkpoint.failure; }
bool executors_store_full(const struct executors *executors) { return executors->checkpoint.full; }

struct captured_memory executors_memory(const struct executors *executors) {
    char *channel = (char *)executors->launch.channel;
    void *pages = channel + executors->launch.channel->pages_at, *nodes = channel + executors->launch.channel->nodes_at;
    bool kept = executors->checkpoint.backend->keeps_pages && captured_layout_valid(&executors->layout);
    return (struct captured_memory){.layout = &executors->layout, .pages = kept ? pages : NULL, .nodes = nodes};
}

const struct divergence *executors_divergence(const struct executors *executors, const struct step_result *result) {
    for (size_t i = 0; i < executors->divergences; i++)
        if (step_table_result(executors->table, executors->divergence[i].step) == result)
            return &executors->divergence[i];
    return NULL;
}

pid_t executors_process(const struct executors *executors) { return executors->launch.zygote; }

void executors_stop(struct executors *executors) {
    for (unsigned i = 0; i < executors->options.jobs; i++)
        process_end(&executors->executor[i].process);
    if (executors->checkpoint.channel)
        executors->checkpoint.backend->stop(&executors->checkpoint);
    launch_stop(&executors->launch);
    for (size_t i = 0; i < executors->divergences; i++)
        divergence_free(&executors->divergence[i]);
    free(executors->divergence);
    name_table_free(&executors->final_names);
    free(executors->final);
    free(executors->executor);
    free(executors->root);
    free(executors->checkpoint.failure);
    free(executors);
}
