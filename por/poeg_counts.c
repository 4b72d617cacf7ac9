#include "por/poeg_counts.h"

#include "models/growing.h"
#include "por/parts_inside.h"
#include "por/poset.h"

/* All messages, numbered in the order of the run. */
struct graph {
    const struct parts *parts;
    uint32_t *message; /* gifts */
    size_t messages;
    struct poset order;
};

static bool is_needed(const struct parts *parts, const struct gift *earlier, uint32_t later) {
    const struct part *part = &parts->part[earlier->to];
    return set_has(parts->needs + later * parts->words, (uint32_t)(part->base * 64 + earlier->event));
}

/* The rank took the earlier one in the run. */
static bool holds_up(const struct parts *parts, const struct gift *earlier, const struct gift *later) {
    const struct parts_model *model = parts->model;
    uint32_t rank = earlier->to, state = earlier->taken_from;
    if (rank != later->to)
        return false;
    uint32_t receive = model->takes(model->self, rank, state, later->content);
    if (receive == PART_NONE)
        return true;
    return earlier->line == later->line && set_has(later->earlier, earlier->number) &&
           model->takes(model->self, rank, state, earlier->content) == receive;
}

static void order_messages(struct graph *graph) {
    const struct parts *parts = graph->parts;
    graph->order = poset_new(graph->messages);
    for (size_t later = 0; later < graph->messages; later++) {
        const struct gift *gift = &parts->gift[graph->message[later]];
        for (size_t earlier = later; earlier-- > 0;) {
            const struct gift *other = &parts->gift[graph->message[earlier]];
            if (is_needed(parts, other, graph->message[later]) || holds_up(parts, other, gift))
                poset_add(&graph->order, earlier, later);
        }
    }
}

static struct graph graph_of(const struct parts *parts) {
    struct graph graph = {.parts = parts, .message = growing_new((parts->ordered + 1) * sizeof *graph.message)};
    for (size_t i = 0; i < parts->ordered; i++)
        if (parts->gift[parts->order[i]].to != PART_MEETING)
            graph.message[graph.messages++] = parts->order[i];
    order_messages(&graph);
    return graph;
}

static void graph_free(struct graph *graph) {
    free(graph->message);
    poset_free(&graph->order);
}

/* ---- sums over groups ---- */

struct sum {
    const struct poset_limits *limits;
    size_t groups, messages;
    bool counted;
    mpz_t orderings, deliveries;
};

static struct sum sum_new(const struct poset_limits *limits) {
    struct sum sum = {.limits = limits, .counted = true};
    mpz_init(sum.orderings);
    mpz_init(sum.deliveries);
    return sum;
}

static void sum_add(struct sum *sum, const struct poset *group) {
    mpz_t orderings;
    sum->groups++;
    sum->messages += group->elements;
    mpz_init(orderings);
    sum->counted = sum->counted && poset_count(group, sum->limits, orderings);
    if (sum->counted) {
        mpz_add(sum->orderings, sum->orderings, orderings);
        mpz_addmul_ui(sum->deliveries, orderings, group->elements);
    }
    mpz_clear(orderings);
}

static struct poeg_count sum_end(struct sum *sum) {
    struct poeg_count count = {.groups = sum->groups, .messages = sum->messages};
    if (sum->counted) {
        count.orderings = growing_checked(mpz_get_str(NULL, 10, sum->orderings));
        count.deliveries = growing_checked(mpz_get_str(NULL, 10, sum->deliveries));
    }
    mpz_clear(sum->orderings);
    mpz_clear(sum->deliveries);
    return count;
}

/* The elements of which `of` is `number`. */
static struct poset part_of(const struct poset *order, const uint32_t *of, uint32_t number) {
    uint32_t *element = growing_new((order->elements + 1) * sizeof *element);
    size_t elements = 0;
    for (uint32_t i = 0; i < order->elements; i++)
        if (of[i] == number)
            element[elements++] = i;
    struct poset part = poset_part(order, element, elements);
    free(element);
    return part;
}

static void sum_add_subgroups(struct sum *sum, const struct poset *order) {
    uint32_t *group = growing_new((order->elements + 1) * sizeof *group);
    size_t groups = poset_groups(order, group);
    for (uint32_t i = 0; i < groups; i++) {
        struct poset part = part_of(order, group, i);
        sum_add(sum, &part);
        poset_free(&part);
    }
    free(group);
}

static void count_all(const struct graph *graph, const struct poset_limits *limits, struct poeg_counts *counts) {
    struct sum whole = sum_new(limits), by_rank = sum_new(limits), by_subgroup = sum_new(limits);
    uint32_t *rank = growing_new((graph->messages + 1) * sizeof *rank);
    for (size_t i = 0; i < graph->messages; i++)
        rank[i] = graph->parts->gift[graph->message[i]].to;
    for (uint32_t i = 0; i < graph->parts->model->ranks; i++) {
        struct poset part = part_of(&graph->order, rank, i);
        if (part.elements) {
            sum_add(&by_rank, &part);
            sum_add_subgroups(&by_subgroup, &part);
        }
        poset_free(&part);
    }
    sum_add(&whole, &graph->order);
    counts->whole = sum_end(&whole);
    counts->by_rank = sum_end(&by_rank);
    counts->by_subgroup = sum_end(&by_subgroup);
    free(rank);
}

bool poeg_counts_find(const struct parts_model *model, uint64_t most_states, struct poeg_counts *counts, char *why,
                      size_t room) {
    const struct poset_limits limits = {.sets = POEG_SETS_MOST, .stop = model->stop, .context = model->self};
    *counts = (struct poeg_counts){0};
    struct parts *parts = parts_run(model, why, room);
    if (!parts)
        return false;
    parts->most_states = most_states;
    bool agreed = parts_agree(parts);
    if (agreed) {
        struct graph graph = graph_of(parts);
        count_all(&graph, &limits, counts);
        graph_free(&graph);
    }
    parts_free(parts);
    return agreed;
}

static void count_free(struct poeg_count *count) {
    free(count->orderings);
    free(count->deliveries);
}

void poeg_counts_free(struct poeg_counts *counts) {
    count_free(&counts->whole);
    count_free(&counts->by_rank);
    count_free(&counts->by_subgroup);
}
