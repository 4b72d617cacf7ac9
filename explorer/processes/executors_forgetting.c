/* Pages that memory has no room for, and no disk is given for, are forgotten, and made again if they are needed after all.
 *
 * What is forgotten of a local state is the content of its pages. Their names, the tree that they hang on, the step that led to
 * the state, and so everything that a search can see, stay. To have the content again, steps are executed again from the
 * nearest ancestor whose pages are all there, a root at worst, as those are never forgotten. Each of them must come to the
 * state that it came to the first time, that is to the same tree of the same names, or the rank is nondeterministic and
 * reported as such. Then all pages are back under their numbers: a state has its parent's pages, which are there, and those
 * that the step put, which is what puts content back. So a run that forgets gives the same answers as one that does not.
 *
 * Nobody finds a page gone that he is about to read, as only this code forgets, and it asks before a step is given whether its
 * state is whole. It spares what steps being executed began in, and what they put meanwhile, which their eras tell. Also spared
 * is what is read without a step: the memory in which ranks ended, where that counts, what `executors_pin` has asked for, and
 * the two outcomes of a rank that was nondeterministic.
 *
 * Each step that is executed for the first time may cost some that are executed again; a search that costs more on average is
 * given up, as if there were no memory for it. */
#include "ckpt/backends/ancestry.h"
#include "explorer/processes/executors_parts.h"
#include "explorer/processes/kept_states.h"

#include <stdlib.h>

enum {
    AGAIN_MOST = 8, /* steps executed again for each that is not */
    AGAIN_FREE = 1024,
    LIMIT_AT_FIRST_PERCENT = 50, /* of the budget, before it is known what else needs memory */
    KEPT_PERCENT = 67,           /* of the limit: what is left once it is reached */
    GROWTH_PARTS = 16,           /* of the budget: where that was of no use, it is tried again so much later */
};

void executors_begin_forgetting(struct executors *executors) {
    struct forgetting *forgetting = &executors->forgetting;
    const struct executors_options *options = &executors->options;
    struct captured_memory memory = executors_memory(executors);
    forgetting->on = memory.pages && !options->spill_dir && !options->saved;
    forgetting->era = 1; /* as the store's */
    forgetting->limit = options->memory_bytes / 100 * LIMIT_AT_FIRST_PERCENT / options->world * options->ranks;
    if (forgetting->on)
        forgetting->marks = page_marks_of(memory.pages, (struct block_store *)memory.nodes);
    for (int i = 0; i < EXECUTORS_PINS; i++)
        forgetting->pinned[i] = STATE_NONE;
}

void executors_end_forgetting(struct executors *executors) {
    struct forgetting *forgetting = &executors->forgetting;
    page_marks_free(&forgetting->marks);
    free(forgetting->used);
}

/* --- what was used when ---------------------------------------------------------------------------------------------- */

void executors_note_use(struct executors *executors, uint32_t local) {
    struct forgetting *forgetting = &executors->forgetting;
    while (forgetting->useds <= local) {
        forgetting->used = memory_room(forgetting->used, &forgetting->used_room, forgetting->useds, sizeof *forgetting->used);
        forgetting->used[forgetting->useds++] = 0;
    }
    forgetting->used[local] = ++forgetting->uses;
}

/* Eras are told apart once there may soon be something to forget. */
void executor_begin_era(struct executors *executors, struct executor *executor) {
    struct forgetting *forgetting = &executors->forgetting;
    if (forgetting->on && block_store_content_bytes(forgetting->marks.pages) > forgetting->limit / 2)
        forgetting->era = block_store_new_era(forgetting->marks.pages);
    executor->era = forgetting->era;
}

/* --- forgetting ------------------------------------------------------------------------------------------------------ */

struct list {
    struct kept_state *state;
    size_t count, room;
};

static void add(struct list *list, struct kept_state state) {
    list->state = memory_room(list->state, &list->room, list->count, sizeof *list->state);
    list->state[list->count++] = state;
}

static struct kept_state state_of(const struct executors *executors, uint32_t local, bool must) {
    const struct forgetting *forgetting = &executors->forgetting;
    return (struct kept_state){.image = step_table_image_root(executors->table, local),
                               .log = step_table_log(executors->table, local),
                               .used = local < forgetting->useds ? forgetting->used[local] : 0,
                               .must = must};
}

static void add_busy(const struct executors *executors, const struct executor *executor, struct list *list) {
    const struct step_table *table = executors->table;
    if (executor->standing != STATE_NONE)
        add(list, state_of(executors, executor->standing, true));
    if (executor->step == NO_STEP)
        return;
    add(list, state_of(executors, step_table_step_local(table, executor->step), true));
    for (uint32_t at = executor->batch_at; at < executor->batch_count; at++)
        add(list, state_of(executors, step_table_step_local(table, executor->batch[at]), true));
}

static void add_divergence(const struct divergence *divergence, struct list *list) {
    for (int i = 0; i < 2; i++)
        if (divergence->execution[i].blocked)
            add(list, (struct kept_state){.image = divergence->execution[i].root, .log = BLOCK_NONE, .must = true});
}

static bool has_ended(const struct executors *executors, uint32_t local) {
    const struct step_result *result = step_table_result(executors->table, step_table_origin(executors->table, local));
    return result && result->ended;
}

static bool must_keep(const struct executors *executors, uint32_t local) {
    return step_table_origin(executors->table, local) == NAME_UNKNOWN ||
           (executors->options.race_on_state && has_ended(executors, local));
}

static struct list list_states(const struct executors *executors) {
    const struct forgetting *forgetting = &executors->forgetting;
    struct list list = {0};
    const uint32_t locals = (uint32_t)step_table_locals(executors->table);
    add(&list, (struct kept_state){.image = executors->checkpoint.base_root, .log = BLOCK_NONE, .must = true});
    for (uint32_t local = 0; local < locals; local++)
        if (step_table_program(executors->table, local) == executors->options.number)
            add(&list, state_of(executors, local, must_keep(executors, local)));
    for (unsigned i = 0; i < executors->options.executors; i++)
        add_busy(executors, &executors->executor[i], &list);
    for (int i = 0; i < EXECUTORS_PINS; i++)
        if (forgetting->pinned[i] != STATE_NONE)
            add(&list, state_of(executors, forgetting->pinned[i], true));
    for (size_t i = 0; i < executors->divergences; i++)
        add_divergence(&executors->divergence[i], &list);
    return list;
}

/* The first era in which a step that is being executed may have put something. */
static uint32_t first_era(const struct executors *executors) {
    uint32_t first = executors->forgetting.era + 1;
    for (unsigned i = 0; i < executors->options.executors; i++) {
        const struct executor *executor = &executors->executor[i];
        if ((executor->step != NO_STEP || executor->standing != STATE_NONE) && executor->era < first)
            first = executor->era;
    }
    return first;
}

void executors_keep_within(struct executors *executors) {
    struct forgetting *forgetting = &executors->forgetting;
    if (!forgetting->on || block_store_content_bytes(forgetting->marks.pages) <= forgetting->limit ||
        block_store_content_bytes(forgetting->marks.pages) <= forgetting->in_vain)
        return;
    const uint64_t limit = forgetting->limit, growth = executors->options.memory_bytes / GROWTH_PARTS;
    struct list list = list_states(executors);
    kept_states_choose(&forgetting->marks, list.state, list.count, limit / 100 * KEPT_PERCENT, first_era(executors));
    free(list.state);
    forgetting->era = block_store_new_era(forgetting->marks.pages);
    const uint64_t left = block_store_content_bytes(forgetting->marks.pages);
    forgetting->in_vain = left + growth > limit ? left + growth : 0;
}

void executors_limit_pages(struct executors *executors, uint64_t bytes) {
    struct forgetting *forgetting = &executors->forgetting;
    if (!forgetting->on)
        return;
    forgetting->limit = bytes;
    executors_keep_within(executors);
}

/* --- making it again ------------------------------------------------------------------------------------------------- */

bool executors_is_whole(struct executors *executors, uint32_t local) {
    struct forgetting *forgetting = &executors->forgetting;
    return !forgetting->on || (page_marks_whole(&forgetting->marks, step_table_image_root(executors->table, local)) &&
                               page_marks_whole(&forgetting->marks, step_table_log(executors->table, local)));
}

static bool is_whole(void *context, uint32_t state) { return executors_is_whole(context, state); }

/* Runs a process that holds the ancestry's start to its end. */
static enum entering go_again(struct executors *executors, struct executor *executor, const struct ancestry *ancestry) {
    enum entering entered = ENTER_READY;
    for (size_t i = 0; i < ancestry->states && entered == ENTER_READY; i++) {
        const uint32_t state = ancestry->state[i];
        executors_keep_within(executors);
        executor_begin_era(executors, executor);
        entered = i || ancestry->start == STATE_NONE
                      ? process_repeat(&executors->checkpoint, &executor->process, state)
                      : process_repeat_from(&executors->checkpoint, &executor->process, state,
                                            step_table_image_root(executors->table, ancestry->start),
                                            step_table_log(executors->table, ancestry->start));
        executors->forgetting.again++;
        executor->standing = state;
        executors_note_use(executors, state);
    }
    executor->standing = STATE_NONE;
    return entered;
}

static enum entering make_again(struct executors *executors, struct executor *executor, uint32_t local) {
    struct checkpoint *checkpoint = &executors->checkpoint;
    struct ancestry ancestry = ancestry_of(&checkpoint->lineage, local, is_whole, executors);
    executor->standing = ancestry.start;
    enum entering entered = ancestry.start == STATE_NONE
                                ? process_spawn_root(checkpoint, &executor->process, ancestry.root)
                                : checkpoint->backend->enter(checkpoint, &executor->process, ancestry.start);
    if (entered == ENTER_READY)
        entered = go_again(executors, executor, &ancestry);
    executor->standing = STATE_NONE;
    free(ancestry.state);
    if (entered != ENTER_READY || executors_is_whole(executors, local))
        return entered;
    const struct captured_memory memory = executors_memory(executors);
    const struct captured_state state = {step_table_image_root(executors->table, local),
                                         step_table_log(executors->table, local)};
    return captured_intact(&memory, &state) ? ENTER_CHANGED : checkpoint_damaged(checkpoint);
}

/* It would go on so without an end. */
static bool crawls(struct executors *executors) {
    struct forgetting *forgetting = &executors->forgetting;
    forgetting->crawls = forgetting->again > AGAIN_FREE + AGAIN_MOST * executors->executed;
    executors->checkpoint.full |= forgetting->crawls;
    return forgetting->crawls;
}

enum entering executors_enter(struct executors *executors, struct executor *executor, uint32_t local) {
    if (!executors_is_whole(executors, local)) {
        enum entering entered = crawls(executors) ? ENTER_STOPPED : make_again(executors, executor, local);
        if (entered != ENTER_READY)
            return entered;
    }
    executors_note_use(executors, local);
    executor_begin_era(executors, executor);
    return executors->checkpoint.backend->enter(&executors->checkpoint, &executor->process, local);
}

bool executors_pin(struct executors *executors, unsigned at, uint32_t local) {
    struct executor *executor = &executors->executor[0];
    enum entering entered = ENTER_READY;
    executors->forgetting.pinned[at] = local;
    if (!executors_is_whole(executors, local))
        entered = executor_await_all(executors, executor) ? make_again(executors, executor, local) : ENTER_STOPPED;
    return entered == ENTER_READY;
}
