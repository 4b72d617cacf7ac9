#include "explorer/steps/step_cycles.h"
#include "explorer/containers/search_storage.h"

/* Kahn's algorithm: local states that no step leads to are taken away, with the steps from them, until none is left, or only those
 * on cycles and after them. */
struct steps {
    uint32_t *first; /* local states: their first step in `next_of`, plus 1 */
    uint32_t *next;  /* steps: the next one of the same local state, plus 1 */
    uint32_t *to;    /* steps: where they lead, NAME_UNKNOWN if nowhere */
    uint32_t *into;  /* local states: steps that lead to them */
};

static void read_steps(const struct step_table *table, size_t count, struct steps *steps) {
    for (uint32_t step = 0; step < count; step++) {
        const struct step_result *result = step_table_result(table, step);
        uint32_t from = step_table_step_local(table, step);
        steps->to[step] = result ? result->local : NAME_UNKNOWN;
        steps->next[step] = steps->first[from];
        steps->first[from] = step + 1;
        if (result)
            steps->into[result->local]++;
    }
}

static size_t take_away(const struct steps *steps, size_t locals) {
    uint32_t *free_ones = storage_new(locals, sizeof *free_ones);
    size_t taken = 0, waiting = 0;
    for (uint32_t local = 0; local < locals; local++)
        if (!steps->into[local])
            free_ones[waiting++] = local;
    for (; waiting; taken++)
        for (uint32_t step = steps->first[free_ones[--waiting]]; step; step = steps->next[step - 1]) {
            uint32_t to = steps->to[step - 1];
            if (to != NAME_UNKNOWN && --steps->into[to] == 0)
                free_ones[waiting++] = to;
        }
    free(free_ones);
    return taken;
}

bool steps_have_cycle(const struct step_table *table) {
    size_t locals = step_table_locals(table), count = step_table_statistics(table).steps;
    struct steps steps = {.first = storage_new(locals, sizeof *steps.first),
                          .next = storage_new(count, sizeof *steps.next),
                          .to = storage_new(count, sizeof *steps.to),
                          .into = storage_new(locals, sizeof *steps.into)};
    read_steps(table, count, &steps);
    bool cycle = take_away(&steps, locals) < locals;
    free(steps.first);
    free(steps.next);
    free(steps.to);
    free(steps.into);
    return cycle;
}
