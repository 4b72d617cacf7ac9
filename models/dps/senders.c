/* Who can send messages of a graph to a rank. One that hears from a single rank only receives from that one: then no order is
 * left to chance, neither here nor for a tool that tries all orders. */
#include "models/dps/run.h"

#include <stdlib.h>

struct senders {
    const struct dps_graph *graph;
    int to;   /* the rank that receives */
    int only; /* MPI_UNDEFINED: nobody so far. MPI_ANY_SOURCE: several */
};

static void add(struct senders *senders, int rank) {
    if (senders->only == MPI_UNDEFINED)
        senders->only = rank;
    else if (senders->only != rank)
        senders->only = MPI_ANY_SOURCE;
}

static void add_all(struct senders *senders, int node) {
    const struct collection *collection = &senders->graph->collection[senders->graph->node[node].collection];
    for (unsigned i = 0; i < collection->threads; i++)
        add(senders, collection->rank[i]);
}

static bool runs_here(const struct senders *senders, int node) {
    const struct collection *collection = &senders->graph->collection[senders->graph->node[node].collection];
    for (unsigned i = 0; i < collection->threads; i++)
        if (collection->rank[i] == senders->to)
            return true;
    return false;
}

static bool precedes(const struct dps_graph *graph, int from, int to) {
    for (unsigned i = 0; i < graph->node[from].successors; i++)
        if (graph->node[from].successor[i] == to)
            return true;
    for (unsigned i = 0; i < graph->loops; i++)
        if (graph->loop[i].last == from && graph->loop[i].first == to)
            return true;
    return false;
}

/* Any merge may tell any split, and the other way round: which pairs meet depends on loops. */
static bool may_notify(const struct dps_graph *graph, int from, int to) {
    enum dps_form a = graph->node[from].kind->form, b = graph->node[to].kind->form;
    return (form_collects(a) && form_opens(b)) || (form_opens(a) && form_collects(b));
}

int senders_only(const struct dps_graph *graph, int rank) {
    struct senders senders = {graph, rank, MPI_UNDEFINED};
    add(&senders, 0); /* the input, and the end */
    for (int to = 0; to < (int)graph->nodes; to++) {
        if (rank == 0 && graph->node[to].successors == 0)
            add_all(&senders, to); /* the result */
        if (!runs_here(&senders, to))
            continue;
        for (int from = 0; from < (int)graph->nodes; from++)
            if (precedes(graph, from, to) || may_notify(graph, from, to))
                add_all(&senders, from);
    }
    return senders.only;
}
