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
    uint64_t edges;
};

static struct sum sum_new(const struct poset_limits *limits) {
    struct sum sum = {.limits = limits, .counted = true};
    mpz_init(sum.orderings);
    mpz_init(sum.deliveries);
    return sum;
}

static void sum_add(struct sum *sum, const struct poset *group, const mpz_t orderings) {
    sum->groups++;
    sum->messages += group->elements;
    mpz_add(sum->orderings, sum->orderings, orderings);
    mpz_addmul_ui(sum->deliveries, orderings, group->elements);
}

static void sum_add_all(struct sum *sum, const struct poset *group) {
    mpz_t orderings;
    uint64_t edges = 0;
    mpz_init(orderings);
    sum->counted = sum->counted && poset_count(group, sum->limits, orderings, &edges);
    sum->edges += edges;
    sum_add(sum, group, orderings);
    mpz_clear(orderings);
}

static void sum_add_subset(struct sum *sum, const struct poset *group) {
    mpz_t orderings;
    mpz_init_set_ui(orderings, poset_subset(group));
    sum_add(sum, group, orderings);
    mpz_clear(orderings);
}

static struct poeg_count sum_end(struct sum *sum) {
    struct poeg_count count = {.groups = sum->groups, .messages = sum->messages};
    if (sum->counted) {
        count.orderings = growing_checked(mpz_get_str(NULL, 10, sum->orderings));
        count.deliveries = growing_checked(mpz_get_str(NULL, 10, sum->deliveries));
        count.edges = sum->edges;
    }
    mpz_clear(sum->orderings);
    mpz_clear(sum->deliveries);
    return count;
}

/* Lists the elements of which `of` is `number`. */
static size_t list_of(const uint32_t *of, size_t elements, uint32_t number, uint32_t *list) {
    size_t listed = 0;
    for (uint32_t i = 0; i < elements; i++)
        if (of[i] == number)
            list[listed++] = i;
    return listed;
}

/* Sums of the same orders. */
struct sums {
    struct sum by_rank, by_subgroup, subset;
};

static struct sums sums_new(const struct poset_limits *limits) {
    return (struct sums){sum_new(limits), sum_new(limits), sum_new(limits)};
}

/* A rank's order as one, and its subgroups, of which `group` gets the numbers. */
static void sums_add(struct sums *sums, const struct poset *order, uint32_t *group) {
    uint32_t *list = growing_new((order->elements + 1) * sizeof *list);
    size_t groups = poset_groups(order, group);
    sum_add_all(&sums->by_rank, order);
    for (uint32_t i = 0; i < groups; i++) {
        struct poset part = poset_part(order, list, list_of(group, order->elements, i, list));
        sum_add_all(&sums->by_subgroup, &part);
        sum_add_subset(&sums->subset, &part);
        poset_free(&part);
    }
    free(list);
}

/* ---- one rank ---- */

struct one_rank {
    const struct graph *graph;
    const struct poeg_exchange *exchange;
    uint32_t number;
    uint32_t *element; /* of the graph's order */
    size_t elements;
};

static uint32_t content_of(const struct one_rank *rank, uint32_t element) {
    return rank->graph->parts->gift[rank->graph->message[rank->element[element]]].content;
}

static bool is_exchangeable(void *context, uint32_t a, uint32_t b) {
    const struct one_rank *rank = context;
    return rank->exchange->may(rank->exchange->context, rank->number, content_of(rank, a), content_of(rank, b));
}

static void count_rank(struct one_rank *rank, struct sums *all, struct sums *reduced, uint32_t *subgroup) {
    struct poset order = poset_part(&rank->graph->order, rank->element, rank->elements);
    uint32_t *group = growing_new((rank->elements + 1) * sizeof *group);
    sums_add(all, &order, group);
    if (rank->exchange) {
        poset_reduce(&order, is_exchangeable, rank);
        sums_add(reduced, &order, group);
        for (size_t i = 0; i < rank->elements; i++)
            subgroup[rank->element[i]] = group[i];
    }
    free(group);
    poset_free(&order);
}

/* ---- all of it ---- */

static void count_ranks(const struct graph *graph, const struct poeg_exchange *exchange, struct sums *all, struct sums *reduced,
                        uint32_t *subgroup) {
    uint32_t *to = growing_new((graph->messages + 1) * sizeof *to);
    uint32_t *list = growing_new((graph->messages + 1) * sizeof *list);
    for (size_t i = 0; i < graph->messages; i++)
        to[i] = graph->parts->gift[graph->message[i]].to;
    for (uint32_t i = 0; i < graph->parts->model->ranks; i++) {
        struct one_rank rank = {graph, exchange, i, list, list_of(to, graph->messages, i, list)};
        if (rank.elements)
            count_rank(&rank, all, reduced, subgroup);
    }
    free(to);
    free(list);
}

static void count_all(const struct graph *graph, const struct poeg_exchange *exchange, struct poeg_counts *counts) {
    const struct parts_model *model = graph->parts->model;
    const struct poset_limits limits = {.sets = POEG_SETS_MOST, .stop = model->stop, .context = model->self};
    struct sums all = sums_new(&limits), reduced = sums_new(&limits);
    struct sum whole = sum_new(&limits);
    counts->reduced = exchange != NULL;
    counts->messages = graph->messages;
    counts->subgroup = exchange ? growing_new((graph->messages + 1) * sizeof *counts->subgroup) : NULL;
    count_ranks(graph, exchange, &all, &reduced, counts->subgroup);
    sum_add_all(&whole, &graph->order);
    counts->whole = sum_end(&whole);
    counts->by_rank = sum_end(&all.by_rank);
    counts->by_subgroup = sum_end(&all.by_subgroup);
    counts->by_rank_reduced = sum_end(&reduced.by_rank);
    counts->by_subgroup_reduced = sum_end(&reduced.by_subgroup);
    counts->subset = sum_end(&all.subset);
    counts->subset_reduced = sum_end(&reduced.subset);
}

static bool is_small(struct parts *parts) {
    return parts->statistics.messages <= POEG_MESSAGES_MOST ||
           parts_give_up(parts, "there are more than %d messages", POEG_MESSAGES_MOST);
}

/* What a rank that polls would take is not told by a single state of it. */
static bool waits_in_order(struct parts *parts) {
    return !parts->polls || parts_give_up(parts, "a rank looks again and again whether a message has come");
}

bool poeg_counts_find(const struct parts_model *model, uint64_t most_states, const struct poeg_exchange *exchange,
                      struct poeg_counts *counts, char *why, size_t room) {
    *counts = (struct poeg_counts){0};
    struct parts *parts = parts_run(model, why, room);
    if (!parts)
        return false;
    parts->most_states = most_states;
    bool agreed = is_small(parts) && parts_agree(parts) && waits_in_order(parts);
    if (agreed) {
        struct graph graph = graph_of(parts);
        count_all(&graph, exchange, counts);
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
    count_free(&counts->by_rank_reduced);
    count_free(&counts->by_subgroup_reduced);
    count_free(&counts->subset);
    count_free(&counts->subset_reduced);
    free(counts->subgroup);
}
