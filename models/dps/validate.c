/* Finding mistakes in a graph before it runs. How many threads a collection has that none were placed in is known when the graph
 * is called, and checked then.
 *
 * Splits and merges must pair like brackets: each operation is reached with a stack of the splits (or streams) that its
 * messages stem from, the same whatever the way. A split pushes itself, a merge pops, a stream replaces the top by itself. All
 * messages of one split end in the same merge or stream. */
#include "models/dps/graph.h"
#include "models/dps/identifiers.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = IDENTIFIER_DEPTH - 1 }; /* level 0 is the call */

struct nesting {
    bool reached;
    unsigned depth;
    int opener[DEPTH_MOST];
    int closer; /* of an operation's own messages; -1: none yet */
};

static const char *name_of(const struct dps_graph *graph, int node) { return graph->node[node].kind->name; }

static unsigned listed(const struct dps_type *const *list) {
    unsigned count = 0;
    while (count < DPS_TYPES_MOST && list[count])
        count++;
    return count;
}

/* --- single operations and collections ------------------------------------------------------------------------------------ */

static void check_type(struct dps_graph *graph, const struct dps_type *type) {
    if (type->members == 0)
        graph_fail(graph, "type %s has no members", type->name);
}

static void check_storage(struct dps_graph *graph, const struct node *node) {
    const struct dps_type *needed = node->kind->storage, *given = graph->collection[node->collection].storage_type;
    if (needed && needed != given)
        graph_fail(graph, "%s needs threads that store a %s, and those of %s store %s", node->kind->name, needed->name,
                   graph->collection[node->collection].name, given ? given->name : "nothing");
}

static void check_node(struct dps_graph *graph, const struct node *node) {
    const struct collection *collection = &graph->collection[node->collection];
    if (listed(node->kind->inputs) == 0)
        graph_fail(graph, "%s takes no type of message", node->kind->name);
    if (listed(node->kind->outputs) == 0)
        graph_fail(graph, "%s posts no type of message", node->kind->name);
    if (!node->kind->execute)
        graph_fail(graph, "%s has no function to execute", node->kind->name);
    if (node->route.by == DPS_ROUTE_CONTENT && !node->route.content)
        graph_fail(graph, "%s is routed by content and has no function for that", node->kind->name);
    if (node->route.by == DPS_ROUTE_CONSTANT && collection->threads && node->route.thread >= collection->threads)
        graph_fail(graph, "%s is routed to thread %u of %s, which has %u", node->kind->name, node->route.thread,
                   collection->name, collection->threads);
    check_storage(graph, node);
}

/* --- from one operation to the next --------------------------------------------------------------------------------------- */

static void check_edge(struct dps_graph *graph, int from, int to) {
    const struct node *source = &graph->node[from], *target = &graph->node[to];
    const struct collection *posts_on = &graph->collection[source->collection],
                            *runs_on = &graph->collection[target->collection];
    unsigned common = 0;
    for (unsigned i = 0; i < listed(source->kind->outputs); i++)
        common += kind_takes(target->kind, source->kind->outputs[i]);
    if (common == 0)
        graph_fail(graph, "%s takes nothing that %s posts", target->kind->name, source->kind->name);
    if (target->route.by == DPS_ROUTE_BALANCED && !source->flow_limit)
        graph_fail(graph, "%s is load-balanced, and %s has no flow control", target->kind->name, source->kind->name);
    if (target->route.by == DPS_ROUTE_SAME_THREAD && runs_on->threads && runs_on->threads < posts_on->threads)
        graph_fail(graph, "%s is to run on the same thread as %s, and %s has fewer threads than %s", target->kind->name,
                   source->kind->name, runs_on->name, posts_on->name);
}

static bool loop_takes(const struct dps_graph *graph, int node, const struct dps_type *type) {
    for (unsigned i = 0; i < graph->loops; i++)
        if (graph->loop[i].last == node && kind_takes(graph->node[graph->loop[i].first].kind, type))
            return true;
    return false;
}

/* Each type that is posted has exactly one operation that takes it. One that only goes round a loop is fine. */
static void check_successors(struct dps_graph *graph, int number) {
    const struct node *node = &graph->node[number];
    for (unsigned t = 0; t < listed(node->kind->outputs) && node->successors; t++) {
        const struct dps_type *type = node->kind->outputs[t];
        int taker = GRAPH_NOWHERE;
        for (unsigned i = 0; i < node->successors; i++) {
            if (!kind_takes(graph->node[node->successor[i]].kind, type))
                continue;
            if (taker == node->successor[i])
                graph_fail(graph, "%s is connected to %s twice", node->kind->name, name_of(graph, taker));
            if (taker != GRAPH_NOWHERE)
                graph_fail(graph, "%s posts %s, which both %s and %s take", node->kind->name, type->name, name_of(graph, taker),
                           name_of(graph, node->successor[i]));
            taker = node->successor[i];
        }
        if (taker == GRAPH_NOWHERE && !loop_takes(graph, number, type))
            graph_fail(graph, "%s posts %s, which none of its successors takes", node->kind->name, type->name);
    }
}

/* --- the graph ------------------------------------------------------------------------------------------------------------ */

static unsigned predecessors(const struct dps_graph *graph, int node) {
    unsigned count = 0;
    for (unsigned i = 0; i < graph->nodes; i++)
        for (unsigned s = 0; s < graph->node[i].successors; s++)
            count += graph->node[i].successor[s] == node;
    return count;
}

/* What the last operation posts is the result. Of several types one is, and the others only go round loops. */
static void find_result(struct dps_graph *graph, int last) {
    const struct dps_operation_kind *kind = graph->node[last].kind;
    const unsigned types = listed(kind->outputs);
    unsigned results = 0;
    for (unsigned t = 0; t < types; t++) {
        if (types > 1 && loop_takes(graph, last, kind->outputs[t]))
            continue;
        graph->result = kind->outputs[t];
        results++;
    }
    if (types > 0 && results != 1)
        graph_fail(graph, "%s comes last, and of the types that it posts %s", kind->name,
                   results ? "more than one go round no loop" : "each goes round a loop");
}

static void check_ends(struct dps_graph *graph) {
    int entry = -1, exit = -1;
    for (int i = 0; i < (int)graph->nodes; i++) {
        if (predecessors(graph, i) == 0) {
            if (entry >= 0)
                graph_fail(graph, "both %s and %s come first", name_of(graph, entry), name_of(graph, i));
            entry = i;
        }
        if (graph->node[i].successors == 0) {
            if (exit >= 0)
                graph_fail(graph, "both %s and %s come last", name_of(graph, exit), name_of(graph, i));
            exit = i;
        }
    }
    if (entry < 0 || exit < 0) {
        graph_fail(graph, graph->nodes ? "its operations form a circle: use dps_loop" : "it has no operations");
        return;
    }
    if (form_collects(graph->node[entry].kind->form))
        graph_fail(graph, "%s comes first and has no split before it", name_of(graph, entry));
    find_result(graph, exit);
    if (graph->node[entry].route.by == DPS_ROUTE_BALANCED)
        graph_fail(graph, "%s comes first and cannot be load-balanced", name_of(graph, entry));
    graph->entry = entry;
}

/* What the successors of an operation are reached with. */
static struct nesting nesting_after(struct dps_graph *graph, int number, const struct nesting *before) {
    struct nesting after = *before;
    enum dps_form form = graph->node[number].kind->form;
    if (form_collects(form)) {
        if (after.depth == 0) {
            graph_fail(graph, "%s has no matching split before it", name_of(graph, number));
            return after;
        }
        after.depth--;
        after.opener[after.depth] = 0;
    }
    if (form_opens(form)) {
        if (after.depth == DEPTH_MOST) {
            graph_fail(graph, "%s is the %uth split inside another; at most %d are possible", name_of(graph, number),
                       after.depth + 1, DEPTH_MOST);
            return after;
        }
        after.opener[after.depth++] = number;
    }
    return after;
}

static bool same_nesting(const struct nesting *a, const struct nesting *b) {
    return a->depth == b->depth && memcmp(a->opener, b->opener, a->depth * sizeof *a->opener) == 0;
}

static void reach(struct dps_graph *graph, struct nesting *nesting, int from, int to) {
    struct nesting after = nesting_after(graph, from, &nesting[from]);
    if (nesting[to].reached && !same_nesting(&nesting[to], &after))
        graph_fail(graph, "%s is reached inside different splits; one of the ways is from %s", name_of(graph, to),
                   name_of(graph, from));
    after.reached = true;
    after.closer = nesting[to].closer;
    nesting[to] = after;
}

/* The messages that stem from one split are counted by one merge or stream. Where loops lead is not looked at. */
static void close_split(struct dps_graph *graph, struct nesting *nesting, int number) {
    if (!form_collects(graph->node[number].kind->form) || nesting[number].depth == 0)
        return;
    struct nesting *opener = &nesting[nesting[number].opener[nesting[number].depth - 1]];
    if (opener->closer >= 0)
        graph_fail(graph, "messages of %s end in both %s and %s", name_of(graph, (int)(opener - nesting)),
                   name_of(graph, opener->closer), name_of(graph, number));
    opener->closer = number;
}

/* In an order in which each operation comes after all its predecessors. */
static void check_nesting(struct dps_graph *graph, struct nesting *nesting) {
    unsigned *missing = calloc(graph->nodes, sizeof *missing);
    int *ready = calloc(graph->nodes, sizeof *ready);
    if (!missing || !ready)
        abort();
    unsigned count = 1;
    for (int i = 0; i < (int)graph->nodes; i++) {
        missing[i] = predecessors(graph, i);
        nesting[i].closer = -1;
    }
    ready[0] = graph->entry;
    nesting[graph->entry].reached = true;
    for (unsigned i = 0; i < count; i++) {
        const struct node *node = &graph->node[ready[i]];
        close_split(graph, nesting, ready[i]);
        for (unsigned s = 0; s < node->successors; s++) {
            reach(graph, nesting, ready[i], node->successor[s]);
            if (--missing[node->successor[s]] == 0)
                ready[count++] = node->successor[s];
        }
    }
    if (count < graph->nodes)
        graph_fail(graph, "its operations form a circle: use dps_loop");
    free(missing);
    free(ready);
}

static void check_end_of_nesting(struct dps_graph *graph, const struct nesting *nesting) {
    for (int i = 0; i < (int)graph->nodes; i++) {
        if (graph->node[i].successors)
            continue;
        struct nesting after = nesting_after(graph, i, &nesting[i]);
        if (after.depth)
            graph_fail(graph, "%s has no matching merge after it", name_of(graph, after.opener[after.depth - 1]));
    }
}

/* Without going round loops. */
static bool leads_to(const struct dps_graph *graph, int from, int to) {
    bool *met = calloc(graph->nodes, sizeof *met);
    int *stack = calloc(graph->nodes, sizeof *stack);
    if (!met || !stack)
        abort();
    unsigned count = 1;
    stack[0] = from;
    met[from] = true;
    while (count && !met[to]) {
        const struct node *node = &graph->node[stack[--count]];
        for (unsigned s = 0; s < node->successors; s++) {
            if (!met[node->successor[s]])
                stack[count++] = node->successor[s];
            met[node->successor[s]] = true;
        }
    }
    bool found = met[to];
    free(met);
    free(stack);
    return found;
}

static void check_loop(struct dps_graph *graph, const struct loop *loop, const struct nesting *nesting) {
    const char *first = name_of(graph, loop->first), *last = name_of(graph, loop->last);
    struct nesting before = nesting[loop->first], after = nesting_after(graph, loop->last, &nesting[loop->last]);
    check_edge(graph, loop->last, loop->first);
    if (!loop->again)
        graph_fail(graph, "the loop from %s to %s has no condition", first, last);
    if (!leads_to(graph, loop->first, loop->last))
        graph_fail(graph, "the loop from %s to %s: the latter does not come after the former", first, last);
    if (before.depth != after.depth) {
        graph_fail(graph, "the loop from %s to %s does not close the splits that it opens", first, last);
        return;
    }
    /* Streams replace the innermost split; those around it must stay. */
    if (before.depth && memcmp(before.opener, after.opener, (before.depth - 1) * sizeof *before.opener) != 0)
        graph_fail(graph, "the loop from %s to %s ends inside other splits than it begins in", first, last);
}

static void check(struct dps_graph *graph) {
    for (unsigned i = 0; i < graph->types; i++)
        check_type(graph, graph->type[i]);
    check_ends(graph);
    for (unsigned i = 0; i < graph->nodes; i++) {
        check_node(graph, &graph->node[i]);
        for (unsigned s = 0; s < graph->node[i].successors; s++)
            check_edge(graph, (int)i, graph->node[i].successor[s]);
        check_successors(graph, (int)i);
    }
    if (graph->error[0] || graph->nodes == 0)
        return;
    struct nesting *nesting = calloc(graph->nodes, sizeof *nesting);
    if (!nesting)
        abort();
    check_nesting(graph, nesting);
    check_end_of_nesting(graph, nesting);
    for (unsigned i = 0; i < graph->loops && !graph->error[0]; i++)
        check_loop(graph, &graph->loop[i], nesting);
    free(nesting);
}

const char *dps_graph_error(struct dps_graph *graph) {
    if (!graph->valid && !graph->error[0])
        check(graph);
    graph->valid = !graph->error[0];
    return graph->valid ? NULL : graph->error;
}
