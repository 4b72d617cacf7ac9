#include "explorer/exploration/phases.h"

#include "explorer/exploration/searches.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* How long an unfinished graph is sampled at most: a share of --time, or, rather than for ever, so many seconds; and how many
 * samples say something. */
enum { ESTIMATE_TIME_PERCENT = 2, ESTIMATE_SECONDS = 10, ESTIMATE_LEAST = 20 };

struct phase *phases_add(struct exploration *exploration, const char *name, double since, uint64_t deliveries) {
    struct phase *phase = &exploration->phase[exploration->phases++];
    *phase = (struct phase){
        .name = name, .seconds = exploration_seconds(exploration) - since, .deliveries = deliveries, .estimate = -1};
    return phase;
}

/* The interval in which a share lies with 95% confidence (Wilson 1927), as percentages. */
static void confidence(uint64_t covered, uint64_t all, double *low, double *high) {
    const double z = 1.96, n = (double)all, p = (double)covered / n;
    double middle = p + z * z / (2 * n), width = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)), scale = 100 / (1 + z * z / n);
    *low = covered ? (middle - width) * scale : 0;
    *high = covered < all ? (middle + width) * scale : 100;
}

/* How much of the graph it is may be told from samples while there is time for some. */
static void estimate_share(struct exploration *exploration, struct phase *phase, char *text, size_t room) {
    double seconds = exploration->options->seconds * ESTIMATE_TIME_PERCENT / 100, low, high;
    struct search_estimate estimate = search_estimate(exploration->search, seconds > 0 ? seconds : ESTIMATE_SECONDS);
    if (estimate.orderings < ESTIMATE_LEAST)
        return;
    confidence(estimate.covered, estimate.orderings, &low, &high);
    phase->estimate = (double)estimate.covered / (double)estimate.orderings;
    snprintf(text, room,
             "; an estimate: %.3g%% of the orderings (%" PRIu64 " of %" PRIu64
             " drawn by lot lie in it: %.3g%% to %.3g%% with 95%% confidence)",
             100 * phase->estimate, estimate.covered, estimate.orderings, low, high);
}

/* A first look at a graph, which may turn out to be small, is not what is left of it in the end. */
static bool is_last_look(const struct exploration *exploration, enum search_end end) {
    return end == SEARCH_TIME ? exploration->time_percent >= GRAPH_TIME_PERCENT
                              : end == SEARCH_STATES && exploration->most_states == exploration->options->states;
}

static void tell_unfinished(struct exploration *exploration, struct phase *phase, enum search_end end) {
    size_t level = search_level(exploration->search);
    char share[256] = "";
    if (is_last_look(exploration, end))
        estimate_share(exploration, phase, share, sizeof share);
    snprintf(phase->covered, sizeof phase->covered,
             "%" PRIu64 " states, among them all that fewer than %zu difference%s from the reference ordering lead to%s",
             search_statistics(exploration->search)->states, level, level == 1 ? "" : "s", share);
}

/* Returns what the reference ordering took of the graph's time and, in *deliveries, of its messages; negative: it did not come to
 * its end, and there is nothing else to tell. */
static double note_reference(struct exploration *exploration, double since, uint64_t *deliveries) {
    double seconds;
    bool known = search_reference_cost(exploration->search, &seconds, deliveries);
    if (!known)
        *deliveries = 0;
    if (!known && exploration->saved)
        return 0; /* one that goes on may have had it before */
    uint64_t all = search_statistics(exploration->search)->deliveries;
    struct phase *phase = phases_add(exploration, "reference", since, known ? *deliveries : all);
    snprintf(phase->covered, sizeof phase->covered, known ? "the reference ordering" : "a part of the reference ordering");
    if (!known)
        return -1;
    return phase->seconds = fmin(fmax(seconds, 0), phase->seconds); /* what it took is counted from earlier on than the graph */
}

void phases_note_graph(struct exploration *exploration, double since, enum search_end end) {
    uint64_t deliveries = 0, all = search_statistics(exploration->search)->deliveries;
    double reference = exploration->phases ? 0 : note_reference(exploration, since, &deliveries);
    if (reference < 0)
        return;
    struct phase *phase = phases_add(exploration, "graph", since + reference, all > deliveries ? all - deliveries : 0);
    if (end == SEARCH_COMPLETE)
        snprintf(phase->covered, sizeof phase->covered, "every ordering");
    else if (end == SEARCH_FOUND)
        snprintf(phase->covered, sizeof phase->covered, "orderings with at most %zu difference%s, up to the first finding",
                 search_level(exploration->search), search_level(exploration->search) == 1 ? "" : "s");
    else
        tell_unfinished(exploration, phase, end);
}

void phases_note_parts(struct exploration *exploration, double since) {
    const struct parts_proof *proof = &exploration->proof;
    struct phase *phase = phases_add(exploration, "decomposition", since, proof->statistics.deliveries);
    snprintf(phase->covered, sizeof phase->covered, "%s%s",
             exploration->by_parts ? "every ordering, by each rank alone" : "nothing",
             exploration->by_parts ? ""
             : proof->why[0]       ? ": "
                                   : " in time");
    if (!exploration->by_parts)
        snprintf(phase->covered + strlen(phase->covered), sizeof phase->covered - strlen(phase->covered), "%s", proof->why);
}

void phases_note_strategies(struct exploration *exploration, double since) {
    struct phase *phase = phases_add(exploration, "strategies", since, exploration->subset.deliveries);
    subset_tell(&exploration->subset, phase->covered, sizeof phase->covered);
}

const char *phases_tell_estimate(const struct exploration *exploration, char *text, size_t room) {
    *text = 0;
    for (size_t i = 0; i < exploration->phases; i++)
        if (exploration->phase[i].estimate >= 0)
            snprintf(text, room, ", an estimated %.3g%% of the orderings", 100 * exploration->phase[i].estimate);
    return text;
}
