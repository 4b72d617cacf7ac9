/* Where a rank polls: rounds of moves that neither give nor take anything. It may go round as long as it is told that there is
 * nothing yet, if what it polls for would come; any other round may be an endless one. */
#include "models/growing.h"
#include "por/parts_graph.h"

#include <string.h>

struct rounds {
    struct graph *graph;
    uint32_t *next;  /* for each node, where being told that there is nothing leads, or PART_NONE */
    uint32_t *round; /* for each node the first of its round, or itself */
    uint64_t *taken; /* scratch: a set of the rank's events */
};

/* ---- which there are ---- */

static void find_round(struct rounds *rounds, uint32_t first) {
    uint32_t node = first;
    do {
        rounds->round[node] = first;
        node = rounds->next[node];
    } while (node != first);
}

/* From each node at most one such move leads on, so a walk along them ends, meets an earlier one, or goes round. */
static void find_rounds(struct rounds *rounds) {
    const struct graph *graph = rounds->graph;
    uint32_t *walk = growing_new((graph->nodes + 1) * sizeof *walk); /* for each node the one that came by first, from 1 */
    for (uint32_t node = 0; node < graph->nodes; node++)
        rounds->next[node] = rounds->round[node] = PART_NONE;
    for (size_t i = 0; i < graph->silents; i++)
        if (graph->silent[i].miss)
            rounds->next[graph->silent[i].from] = graph->silent[i].to;
    for (uint32_t start = 0; start < graph->nodes; start++) {
        uint32_t node = start;
        for (; node != PART_NONE && !walk[node]; node = rounds->next[node])
            walk[node] = start + 1;
        if (node != PART_NONE && walk[node] == start + 1 && rounds->round[node] == PART_NONE)
            find_round(rounds, node);
    }
    for (uint32_t node = 0; node < graph->nodes; node++)
        if (rounds->round[node] == PART_NONE)
            rounds->round[node] = node;
    free(walk);
}

static bool is_round(const struct rounds *rounds, uint32_t node) {
    return rounds->round[node] == node && rounds->next[node] != PART_NONE && rounds->round[rounds->next[node]] == node;
}

/* ---- are there others? ---- */

static bool stays_in_round(const struct rounds *rounds, const struct silent_move *move) {
    return rounds->round[move->from] == rounds->round[move->to];
}

static int compare_origins(const void *a, const void *b) {
    const struct silent_move *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Takes away, again and again, what nothing leads to any more. With rounds for nodes all goes, unless there is a circle. */
static bool is_acyclic(const struct rounds *rounds, struct silent_move *move, size_t moves) {
    size_t nodes = rounds->graph->nodes, freed = 0, taken = 0;
    uint32_t *into = growing_new((nodes + 1) * sizeof *into), *begin = growing_new((nodes + 2) * sizeof *begin),
             *free_node = growing_new((nodes + 1) * sizeof *free_node);
    qsort(move, moves, sizeof *move, compare_origins);
    for (size_t i = 0; i < moves; i++) {
        into[move[i].to]++;
        begin[move[i].from + 1]++;
    }
    for (size_t i = 0; i < nodes; i++)
        begin[i + 1] += begin[i];
    for (uint32_t i = 0; i < nodes; i++)
        if (!into[i])
            free_node[freed++] = i;
    for (; taken < freed; taken++)
        for (uint32_t i = begin[free_node[taken]]; i < begin[free_node[taken] + 1]; i++)
            if (--into[move[i].to] == 0)
                free_node[freed++] = move[i].to;
    free(into);
    free(begin);
    free(free_node);
    return freed == nodes;
}

static bool no_other_circles(const struct rounds *rounds) {
    const struct graph *graph = rounds->graph;
    struct silent_move *move = growing_new((graph->silents + 1) * sizeof *move);
    size_t moves = 0;
    bool none = true;
    for (size_t i = 0; i < graph->silents; i++) {
        if (!stays_in_round(rounds, &graph->silent[i]))
            move[moves++] =
                (struct silent_move){.from = rounds->round[graph->silent[i].from], .to = rounds->round[graph->silent[i].to]};
        else if (!graph->silent[i].miss)
            none = false;
    }
    none = none && is_acyclic(rounds, move, moves);
    free(move);
    return none || parts_give_up(graph->parts, "rank %u may go round in a circle", graph->rank);
}

/* ---- are they good? ---- */

/* What is taken in one node of the round is taken in it, and what is awaited there awaited. *left becomes true if the round can
 * be left there. False: gives up. */
static bool add_node(struct rounds *rounds, struct waiting *all, uint32_t node, bool *left) {
    struct graph *graph = rounds->graph;
    const struct parts_model *model = graph->parts->model;
    struct waiting waiting;
    struct part_stand stand;
    graph_open(graph, node);
    if (!model->stand(model->self, graph->rank, node_state(graph->here), &stand))
        return false;
    offer_moves(graph, &stand, &waiting);
    offer_add_taken(graph, rounds->taken);
    note_time(&all->awaited, waiting.awaited);
    *left |= stand.choices || waiting.surely;
    return true;
}

static void find_times(const struct rounds *rounds, struct waiting *all) {
    const struct graph *graph = rounds->graph;
    for (uint32_t event = 0; event < graph->part->events; event++) {
        const struct gift *gift = &graph->parts->gift[graph->part->event[event]];
        if (gift->to != PART_MEETING && !set_has(node_events(graph, graph->here), event))
            note_time(set_has(rounds->taken, event) ? &all->first_taken : &all->first_refused, gift->time);
    }
}

static bool is_good_round(struct rounds *rounds, uint32_t first) {
    struct graph *graph = rounds->graph;
    struct waiting all = {.first_taken = PART_NONE, .first_refused = PART_NONE, .awaited = PART_NONE};
    bool left = false;
    uint32_t node = first;
    memset(rounds->taken, 0, graph->part->words * sizeof *rounds->taken);
    do {
        if (!add_node(rounds, &all, node, &left))
            return false;
        node = rounds->next[node];
    } while (node != first);
    find_times(rounds, &all);
    return left || graph_is_good(graph, &all);
}

static bool all_are_good(struct rounds *rounds) {
    for (uint32_t node = 0; node < rounds->graph->nodes; node++)
        if (is_round(rounds, node) && !is_good_round(rounds, node))
            return false;
    return true;
}

bool rounds_check(struct graph *graph) {
    if (!graph->silents)
        return true;
    struct rounds rounds = {.graph = graph,
                            .next = growing_new((graph->nodes + 1) * sizeof *rounds.next),
                            .round = growing_new((graph->nodes + 1) * sizeof *rounds.round),
                            .taken = growing_new((graph->part->words + 1) * sizeof *rounds.taken)};
    find_rounds(&rounds);
    bool checked = no_other_circles(&rounds) && all_are_good(&rounds);
    free(rounds.next);
    free(rounds.round);
    free(rounds.taken);
    return checked;
}
