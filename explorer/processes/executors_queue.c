/* Who executes which step: what is asked for is executed at once, what is only wanted as soon as an executor is idle. Each is given
 * a batch, so that it need not wait for us between two steps. */
#include "explorer/processes/executors_parts.h"

/* A batch takes no longer than this, as far as one can tell: what is asked for may have to wait for its end. */
static const double batch_seconds = 5e-3;

bool executors_stopped(const struct executors *executors) {
    return executors->checkpoint.full || executors->checkpoint.failure;
}

uint32_t executor_place(const struct executor *executor, uint32_t step) {
    for (uint32_t i = executor->batch_at; executor->step != NO_STEP && i < executor->batch_count; i++)
        if (executor->batch[i] == step)
            return i;
    return NO_STEP;
}

static struct executor *running(struct executors *executors, uint32_t step) {
    for (unsigned i = 0; i < executors->options.executors; i++)
        if (executor_place(&executors->executor[i], step) != NO_STEP)
            return &executors->executor[i];
    return NULL;
}

static unsigned rank_of(const struct executors *executors, uint32_t step) {
    return step_table_rank(executors->table, step_table_step_local(executors->table, step));
}

/* How much of the executor's memory will do for the step's local state: that of the state itself all, of another state of the
 * rank's most, while that of another rank is lost with it. */
static int fitness(const struct executors *executors, const struct executor *executor, uint32_t step) {
    if (executor->process.holds == step_table_image_root(executors->table, step_table_step_local(executors->table, step)))
        return 3;
    return executor->rank == rank_of(executors, step) ? 2 : executor->rank == NO_RANK;
}

/* Do steps mostly move memory of other ranks out of the way and back? */
static bool moves_much(const struct executors *executors) {
    enum { PAGES_MANY = 32 };
    uint64_t restored = 0;
    for (unsigned i = 0; i < executors->options.executors; i++)
        restored += executors->executor[i].process.mailbox->pages_restored;
    return restored > executors->executed * PAGES_MANY;
}

/* How many of the executors may be used, the first ones: if memory is much moved, it takes less time if each rank's stays in one of
 * its own, as long as there is memory for more of them. */
static unsigned usable(struct executors *executors) {
    if (executors->no_more)
        return executors->options.jobs;
    unsigned spawned = executors->options.jobs;
    while (spawned < executors->options.executors && executors->executor[spawned].process.pid > 0)
        spawned++;
    const bool one_more = spawned < executors->options.executors && moves_much(executors) && executors_have_memory(executors);
    return spawned + one_more;
}

/* The spare ones that are idle go if there is no memory for them any more. */
static void end_spare(struct executors *executors) {
    for (unsigned i = executors->options.jobs; executors->no_more && i < executors->options.executors; i++) {
        struct executor *executor = &executors->executor[i];
        if (executor->step == NO_STEP && executor->process.pid > 0) {
            process_end(&executor->process);
            executor->rank = NO_RANK;
        }
    }
}

/* The idle executor that fits the step best; NULL: as many as may work at the same time do. */
static struct executor *idle(struct executors *executors, uint32_t step) {
    const unsigned most = usable(executors);
    struct executor *found = NULL;
    unsigned busy = 0;
    for (unsigned i = 0; i < executors->options.executors; i++) {
        struct executor *executor = &executors->executor[i];
        busy += executor->step != NO_STEP;
        if (executor->step == NO_STEP && i < most &&
            (!found || fitness(executors, executor, step) > fitness(executors, found, step)))
            found = executor;
    }
    return busy < executors->options.jobs ? found : NULL;
}

static bool needed(struct executors *executors, uint32_t step) {
    return !step_table_result(executors->table, step) && !running(executors, step);
}

/* --- what is wanted -------------------------------------------------------------------------------------------------- */

static uint32_t waiting(const struct executors *executors) { return executors->wanted_end - executors->wanted_first; }

void executors_want_later(struct executors *executors, uint32_t step) {
    for (uint32_t i = executors->wanted_first; i != executors->wanted_end; i++)
        if (executors->wanted[i % WANTED_MOST] == step)
            return;
    if (waiting(executors) < WANTED_MOST)
        executors->wanted[executors->wanted_end++ % WANTED_MOST] = step;
}

static uint32_t next_wanted(const struct executors *executors) {
    return executors->wanted[executors->wanted_first % WANTED_MOST];
}

static void want_next(struct executors *executors, uint32_t step) {
    if (waiting(executors) && next_wanted(executors) == step)
        return;
    if (waiting(executors) == WANTED_MOST)
        executors->wanted_end--;
    executors->wanted[--executors->wanted_first % WANTED_MOST] = step;
}

/* Or have pages that it begins with to be made again first? That is for those who ask for it. */
static bool is_at_hand(struct executors *executors, uint32_t step) {
    return executors_is_whole(executors, step_table_step_local(executors->table, step));
}

/* How many steps can be given at once. */
static uint32_t batch_limit(const struct executors *executors) {
    double seconds = executors->step_average;
    return seconds * BATCH_MOST <= batch_seconds ? BATCH_MOST
           : seconds < batch_seconds             ? (uint32_t)(batch_seconds / seconds)
                                                 : 1;
}

/* How many an executor is to be given: its share of what is waiting. */
static uint32_t batch_size(const struct executors *executors) {
    uint32_t limit = batch_limit(executors), unchecked = executors_unchecked(executors);
    uint32_t share = 1 + waiting(executors) / executors->options.jobs;
    uint32_t most = limit < share ? limit : share;
    return most < unchecked ? most : unchecked;
}

/* Is there an executor whose memory fits the step better than this one's will, and does that matter? */
static bool fits_another(const struct executors *executors, const struct executor *executor, uint32_t step) {
    const int best = fitness(executors, executor, step);
    for (unsigned i = 0; i < executors->options.executors; i++) {
        const struct executor *other = &executors->executor[i];
        if (other->process.pid > 0 && fitness(executors, other, step) > best)
            return moves_much(executors);
    }
    return false;
}

/* A backend that keeps no pages takes long to enter a state: it does so only where it has to. So does one whose pages of it are
 * forgotten. */
static bool begin(struct executors *executors, struct executor *executor, uint32_t step) {
    executors_keep_within(executors);
    executors_release(executors);
    if (!executors_have_room(executors))
        return false;
    const bool at_once = executors->checkpoint.backend->keeps_pages && is_at_hand(executors, step);
    uint32_t most = at_once ? batch_size(executors) : 1;
    executor->to_check = executors_unchecked(executors) == 0;
    executor->may_vary = !executor->to_check;
    executor->batch_at = executor->batch_count = 0;
    executor->step = step;
    executor->rank = rank_of(executors, step);
    executor_count_from_here(executor);
    if (!executor_add_to_batch(executors, executor, step)) /* its answer takes the whole area */
        executor->batch[executor->batch_count++] = step, most = 1;
    while (executor->batch_count < most && waiting(executors)) {
        uint32_t next = next_wanted(executors);
        if (next != step && needed(executors, next)) {
            if (!is_at_hand(executors, next) || fits_another(executors, executor, next) ||
                !executor_add_to_batch(executors, executor, next))
                break;
            executor->rank = rank_of(executors, next);
        }
        executors->wanted_first++;
    }
    executors->given += executor->batch_count;
    end_spare(executors);
    return executor_give_batch(executors, executor);
}

/* Takes what executors have finished meanwhile, and lets those that are idle go on with what is wanted. */
static bool keep_busy(struct executors *executors) {
    for (unsigned i = 0; i < executors->options.executors; i++) {
        struct executor *executor = &executors->executor[i];
        if (executor->step != NO_STEP && !executor_take_results(executors, executor))
            return false;
    }
    while (waiting(executors)) {
        uint32_t step = next_wanted(executors);
        struct executor *executor = idle(executors, step);
        if (!executor)
            break;
        executors->wanted_first++;
        if (needed(executors, step) && is_at_hand(executors, step) && !begin(executors, executor, step))
            return false;
    }
    return true;
}

/* Until there is a batch of them, or one of them is asked for, they wait. */
void executors_want(struct executors *executors, uint32_t local, const struct resolution *resolution, bool follow) {
    uint32_t step = step_table_step(executors->table, local, resolution);
    if (!executors->checkpoint.backend->keeps_pages || !needed(executors, step))
        return;
    if (follow)
        step_table_follow(executors->table, step);
    executors_want_later(executors, step);
    if (waiting(executors) >= batch_limit(executors))
        keep_busy(executors);
}

/* So the search need not wait for it when it comes there. */
void executors_follow(struct executors *executors, uint32_t step) {
    union {
        struct resolution answer;
        char room[EXPECTED_ANSWER_BYTES];
    } expected;
    const struct step_result *result = step_table_result(executors->table, step);
    if (!step_table_is_followed(executors->table, step) || !mpi_model_expects_answer(result, &expected.answer))
        return;
    uint32_t next = step_table_step(executors->table, result->local, &expected.answer);
    if (!needed(executors, next))
        return;
    step_table_follow(executors->table, next);
    want_next(executors, next);
}

/* --- what is asked for ----------------------------------------------------------------------------------------------- */

/* Of those that work, the one that has least left to do. */
static struct executor *first_to_end(struct executors *executors) {
    struct executor *first = NULL;
    for (unsigned i = 0; i < executors->options.executors; i++) {
        struct executor *executor = &executors->executor[i];
        if (executor->step != NO_STEP &&
            (!first || executor->batch_count - executor->batch_at < first->batch_count - first->batch_at))
            first = executor;
    }
    return first;
}

/* As many executors as may be are busy: the next one that is not will have to do it, whoever of us is there then. */
static bool await_any(struct executors *executors, uint32_t step) {
    struct executor *executor = first_to_end(executors);
    want_next(executors, step);
    return executor_await(executors, executor, executor->batch[executor->batch_count - 1]);
}

static bool execute(struct executors *executors, uint32_t step) {
    while (!step_table_result(executors->table, step)) {
        struct executor *executor = running(executors, step);
        if (!executor && (executor = idle(executors, step))) {
            if (!begin(executors, executor, step))
                return false;
        } else if (executor) {
            if (!keep_busy(executors) || !executor_await(executors, executor, step))
                return false;
        } else if (!await_any(executors, step)) {
            return false;
        }
    }
    return keep_busy(executors);
}

const struct step_result *executors_get(struct executors *executors, uint32_t local, const struct resolution *resolution) {
    uint32_t step = step_table_step(executors->table, local, resolution);
    bool known = step_table_result(executors->table, step) != NULL;
    executors->reused += known;
    if (!known && (executors_stopped(executors) || checkpoint_interrupted(&executors->checkpoint) || !execute(executors, step)))
        return NULL;
    step_table_meet(executors->table, step);
    return step_table_result(executors->table, step);
}

bool executors_run_to(struct executors *executors, uint32_t local) {
    struct executor *executor = &executors->executor[0];
    if (!executor_await_all(executors, executor) || executors_enter(executors, executor, local) != ENTER_READY)
        return false;
    executors->checkpoint.backend->leave(&executors->checkpoint, &executor->process, local, false);
    return true;
}

pid_t executors_pause(struct executors *executors, uint32_t local) {
    struct executor *executor = &executors->executor[0];
    struct process *process = &executor->process;
    if (!executor_await_all(executors, executor))
        return 0;
    if (executors_enter(executors, executor, local) != ENTER_READY)
        return 0;
    process->mailbox->verb = COMMAND_PAUSE;
    process->mailbox->log_in = step_table_log(executors->table, local);
    uint32_t command = channel_command(process->mailbox);
    if (process_await(&executors->checkpoint, process, command, executors->options.step_seconds) != AWAIT_DONE)
        return 0;
    const struct backend *backend = executors->checkpoint.backend;
    return backend->holder ? backend->holder(&executors->checkpoint, process) : process->pid;
}
