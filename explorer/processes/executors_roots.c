#include "explorer/processes/executors_parts.h"
#include "explorer/processes/leftovers.h"
#include "explorer/reports/report.h"
#include "explorer/steps/places.h"
#include "models/mpi/functions.h"

#include <stdio.h>
#include <stdlib.h>

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
             function_name(story.function), sites_text(executors->sites, story.site));
    return story.number;
}

bool executors_enter_root(struct executors *executors, unsigned rank) {
    struct process *process = &executors->executor[0].process;
    enum entering entered = ENTER_LOST;
    for (unsigned i = 0; i < KILLS && entered == ENTER_LOST; i++) {
        entered = process->pid ? ENTER_READY : process_spawn(&executors->checkpoint, process);
        if (entered == ENTER_READY)
            entered = process_root(&executors->checkpoint, process, rank);
    }
    if (entered == ENTER_READY)
        return true;
    return entered == ENTER_STOPPED ? false
                                    : checkpoint_fail(&executors->checkpoint, "an executor was killed while it started");
}

static bool make_root(struct executors *executors, unsigned rank) {
    struct process *process = &executors->executor[0].process;
    uint32_t variant = executors->launch.channel->variant;
    const struct saved_root *known = executors_known_root(executors, variant, rank);
    uint32_t *local = &executors->root[root_of_rank(executors, rank)];
    if (known) {
        *local = executors_intern_root(executors, known);
        return true;
    }
    if (!executors_enter_root(executors, rank))
        return false;
    struct saved_root root = {.program = executors->options.number,
                              .variant = variant,
                              .rank = rank,
                              .image = process->holds,
                              .log = process->mailbox->log_out};
    for (int i = 0; i < 2; i++) {
        size_t size;
        root.text[i] = launch_output(&executors->launch, i + 1, &size);
        root.size[i] = (uint32_t)size;
    }
    *local = executors_intern_root(executors, &root);
    bool saved = executors_save_root(executors, &root);
    free(root.text[0]);
    free(root.text[1]);
    if (!executors->checkpoint.backend->keeps_pages)
        process_end(process); /* it can become no other root */
    return saved;
}

bool executors_make_roots(struct executors *executors) {
    for (unsigned i = 0; i < executors->roots; i++)
        if (!make_root(executors, rank_of_root(executors, i)))
            return false;
    return true;
}

bool executors_begin_anew(struct executors *executors, int agents, const struct places *places,
                          const struct leftovers *leftovers, bool places_blocks) {
    struct executor *first = &executors->executor[0];
    if (!executor_await_all(executors, first))
        return false;
    if (!executors->checkpoint.backend->keeps_pages)
        process_end(&first->process);
    free(executors->root);
    executors->roots = 2 * executors->options.ranks;
    executors->root = memory_take_zeroed(executors->roots * sizeof *executors->root);
    if (places->too_many)
        return checkpoint_fail(&executors->checkpoint,
                               "shared windows in which ranks synchronise by so many pieces of memory, or "
                               "access so many at the same time, are not supported");
    /* Roots are saved by their agents alone. */
    if (places->count > 0 && executors->options.saved)
        return checkpoint_fail(&executors->checkpoint, "ranks that synchronise by loads and stores of shared memory are not "
                                                       "supported with --save");
    executors->launch.channel->variant = (uint32_t)agents;
    executors->launch.channel->variant |= places_blocks ? VARIANT_PLACES_BLOCKS : 0;
    leftovers_tell(leftovers, executors->launch.channel);
    places_tell(places, executors->launch.channel);
    return executors_make_roots(executors);
}

uint32_t executors_root(struct executors *executors, unsigned rank) {
    uint32_t local = executors->root[root_of_rank(executors, rank)];
    step_table_meet_root(executors->table, local, rank, executors->init_function, executors->init_site);
    return local;
}

struct lineage executors_lineage(struct executors *executors) {
    return (struct lineage){lineage_image, lineage_before, lineage_answer, lineage_describe, executors};
}
