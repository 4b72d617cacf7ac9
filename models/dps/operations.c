/* The table of operations that run or wait on a rank. */
#include "models/dps/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static unsigned place_of(const struct run *run, unsigned node, unsigned thread, const struct identifier *context) {
    return (unsigned)(identifier_hash(context, node << 16 | thread) % run->stacks.count);
}

struct dps_operation *operations_find(struct run *run, unsigned node, unsigned thread, const struct identifier *context) {
    for (unsigned i = 0; i < run->stacks.count; i++) {
        struct dps_operation *operation = &run->operation[i];
        if (operation->run && operation->node == node && operation->thread == thread &&
            identifier_same(&operation->context, context))
            return operation;
    }
    return NULL;
}

struct dps_operation *operations_find_opener(struct run *run, unsigned node, unsigned thread, const struct identifier *prefix) {
    for (unsigned i = 0; i < run->stacks.count; i++) {
        struct dps_operation *operation = &run->operation[i];
        if (operation->run && operation->node == node && operation->thread == thread &&
            identifier_same(&operation->opening.prefix, prefix))
            return operation;
    }
    return NULL;
}

struct dps_operation *operations_open(struct run *run, unsigned node, unsigned thread, const struct identifier *context) {
    unsigned first = place_of(run, node, thread, context), place = first;
    while (run->operation[place].run) {
        place = (place + 1) % run->stacks.count;
        if (place == first)
            network_fail(&run->network, "more than %u operations wait on a rank: use flow control, or raise the limit",
                         run->stacks.count);
    }
    struct dps_operation *operation = &run->operation[place];
    *operation = (struct dps_operation){.run = run,
                                        .kind = run->graph->node[node].kind,
                                        .node = (uint16_t)node,
                                        .thread = (uint16_t)thread,
                                        .context = *context};
    operation->stack_pointer = stacks_start(&run->stacks, place, posting_execute, operation);
    return operation;
}

void operations_close(struct dps_operation *operation) {
    assert(!operation->input && !operation->collecting.first);
    memset(operation, 0, sizeof *operation);
}

const char *operations_name(const struct dps_operation *operation) {
    static char text[IDENTIFIER_TEXT + 256];
    char identifier[IDENTIFIER_TEXT];
    identifier_text(&operation->context, identifier);
    snprintf(text, sizeof text, "%s (%s) on %s[%u]", operation->kind->name, identifier,
             operation->run->graph->collection[operation_node(operation)->collection].name, operation->thread);
    return text;
}
