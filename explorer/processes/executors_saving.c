/* What an exploration directory keeps of the steps and roots, and what is taken back from it. */
#include "explorer/local_states/final_memory.h"
#include "explorer/processes/executors_parts.h"
#include "explorer/saved/saved_inputs.h"
#include "explorer/saved/saved_steps.h"
#include "explorer/saved/surroundings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool keep_tree(struct executors *executors, uint32_t tree) {
    if (saved_memory_keep(executors->saved_memory, tree))
        return true;
    checkpoint_damaged(&executors->checkpoint);
    return false;
}

/* --- roots ----------------------------------------------------------------------------------------------------------- */

uint32_t executors_intern_root(struct executors *executors, const struct saved_root *root) {
    struct step_table *table = executors->table;
    uint32_t local = step_table_root(table, root->rank, root->program, root->image);
    for (int stream = 1; stream <= 2; stream++)
        if (root->size[stream - 1])
            local = step_table_add_output(table, local, stream, root->text[stream - 1], root->size[stream - 1]);
    step_table_set_log(table, local, root->log);
    return local;
}

bool executors_save_root(struct executors *executors, const struct saved_root *root) {
    if (!executors->saved_memory)
        return true;
    if (!keep_tree(executors, root->image) || !keep_tree(executors, root->log))
        return false;
    saved_add_root(executors->options.saved, root);
    return true;
}

const struct saved_root *executors_known_root(const struct executors *executors, unsigned variant, unsigned rank) {
    return executors->saved_memory ? saved_root(executors->options.saved, executors->options.number, variant, rank) : NULL;
}

bool executors_take_root(struct executors *executors, unsigned variant, unsigned rank) {
    const struct saved_root *known = executors_known_root(executors, variant, rank);
    if (!known)
        return false;
    executors_intern_root(executors, known);
    return true;
}

/* --- steps ----------------------------------------------------------------------------------------------------------- */

static void save_inputs(struct executors *executors) {
    const struct file_uses *uses = step_table_file_uses(executors->table);
    if (uses->news == executors->inputs_noted)
        return;
    executors->inputs_noted = uses->news;
    saved_inputs_note(executors->options.saved, uses);
}

/* A step whose executor was lost is left out: another time it may do better. */
static void save_step(struct executors *executors, const struct saved_step *step) {
    if (!executors->saved_memory || (step->outcome == OUTCOME_LOST && step->end == WIRE_LOST))
        return;
    if (!keep_tree(executors, step->image) || !keep_tree(executors, step->log))
        return;
    for (int i = 0; step->divergence && i < 2; i++)
        if (step->divergence->execution[i].blocked)
            keep_tree(executors, step->divergence->execution[i].root);
    saved_steps_add(executors->options.saved, executors->table, step);
    save_inputs(executors);
    journal_settle_now_and_then(saved_journal(executors->options.saved));
}

bool executors_finish_step(struct executors *executors, struct saved_step step) {
    struct step_table *table = executors->table;
    bool ok = step_table_finish(table, step.step, step.image, step.report, step.size);
    if (ok && step.image != BLOCK_NONE)
        step_table_set_log(table, step_table_result(table, step.step)->local, step.log);
    step.outcome = ok ? OUTCOME_REPORT : OUTCOME_MALFORMED;
    save_step(executors, &step);
    return ok;
}

void executors_finish_lost(struct executors *executors, uint32_t step, enum wire_end_kind kind) {
    const struct divergence *last = executors->divergences ? &executors->divergence[executors->divergences - 1] : NULL;
    bool diverged = kind == WIRE_UNSTABLE && last && last->step == step;
    step_table_finish_lost(executors->table, step, kind);
    const struct saved_step saved = {.step = step,
                                     .outcome = OUTCOME_LOST,
                                     .end = kind,
                                     .image = BLOCK_NONE,
                                     .log = BLOCK_NONE,
                                     .divergence = diverged ? last : NULL};
    save_step(executors, &saved);
}

void executors_take_divergence(struct executors *executors, struct divergence divergence) {
    executors->divergence =
        memory_room(executors->divergence, &executors->divergence_room, executors->divergences, sizeof *executors->divergence);
    executors->divergence[executors->divergences++] = divergence;
}

/* --- beginning ------------------------------------------------------------------------------------------------------- */

static bool restore_memory(struct executors *executors, const struct saved_program *known, char **error) {
    if (memcmp(&known->layout, &executors->layout, sizeof known->layout) == 0)
        return saved_memory_restore(executors->saved_memory, executors->options.memory_bytes, error);
    if (asprintf(error, "the program's memory is not laid out as it was when %s was saved",
                 saved_folder(executors->options.saved)) < 0)
        *error = NULL;
    return false;
}

bool executors_begin_saving(struct executors *executors, char **error) {
    struct saved *saved = executors->options.saved;
    unsigned number = executors->options.number;
    if (!saved)
        return true;
    if (!surroundings_check_process(saved, number, executors->launch.zygote, executors->launch.input, error))
        return false;
    struct captured_memory memory = executors_memory(executors);
    executors->saved_memory = saved_memory_create(saved, number, memory.pages, (struct block_store *)memory.nodes);
    const struct saved_program *known = saved_program(saved, number);
    if (known)
        return restore_memory(executors, known, error);
    struct saved_program program = {executors->launch.channel->arena_bytes, executors->layout};
    saved_add_program(saved, number, &program);
    return true;
}

struct saved_memory *executors_saved_memory(struct executors *executors) {
    return executors->saved_memory;
}

/* What counts of a rank's memory at its end counts here, too: variables, and blocks that the program has allocated. */
static bool same_at_init(struct executors *executors, const struct captured_state state[2], char **error) {
    struct captured_memory memory = executors_memory(executors);
    struct modules *modules = sites_modules(executors->sites, executors->options.number);
    if (final_memory_hash(&memory, modules, &state[0]) == final_memory_hash(&memory, modules, &state[1]))
        return true;
    char *text = final_memory_difference(&memory, modules, state);
    const char *folder = saved_folder(executors->options.saved);
    int made = *text ? asprintf(error, "the program comes to MPI_Init otherwise than when %s was saved: %s", folder, text)
                     : asprintf(error, "the program comes to MPI_Init otherwise than when %s was saved", folder);
    free(text);
    if (made < 0)
        *error = NULL;
    return false;
}

bool executors_check_root(struct executors *executors, char **error) {
    unsigned rank = executors->options.first_rank;
    const struct saved_root *known = saved_root(executors->options.saved, executors->options.number, 0, rank);
    if (!known || !executors_enter_root(executors, rank)) {
        *error = strdup(executors->checkpoint.failure ? executors->checkpoint.failure : "the program cannot be started");
        return false;
    }
    executors->inputs_noted = step_table_file_uses(executors->table)->news;
    const struct process *process = &executors->executor[0].process;
    const struct captured_state state[2] = {{known->image, known->log}, {process->holds, process->mailbox->log_out}};
    return same_at_init(executors, state, error);
}
