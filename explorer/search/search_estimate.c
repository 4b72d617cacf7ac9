/* How much of an unfinished graph has been visited, by sampling: orderings are drawn by lot, at each state every transition that
 * the reduction keeps being equally likely, and it is counted how many lie in what was met, from the beginning to the end. */
#include "explorer/containers/search_storage.h"
#include "explorer/search/search_parts.h"

enum { ORDERINGS_MOST = 100, MOVES_MOST = 1 << 12 };

struct sample {
    struct search *search;
    struct opening opening;
    uint32_t *state;
    uint64_t lot;
};

/* A linear congruential generator is random enough here. */
static size_t draw(struct sample *sample, size_t count) {
    sample->lot = sample->lot * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((sample->lot >> 33) % count);
}

static bool was_met(const struct sample *sample, enum move_end reached) {
    const struct search *search = sample->search;
    enum state_kind kind = reached == MOVE_FAULT ? STATE_FAULT : STATE_QUIET;
    symmetry_change_used(sample->search, sample->state, kind);
    return state_set_find(search->states, search->worker[0].cache, sample->state, kind) != STATE_NONE;
}

/* Goes along one ordering until it leaves what was met. */
static enum { INSIDE, OUTSIDE, TOO_LONG } draw_ordering(struct sample *sample) {
    struct search *search = sample->search;
    struct offer *offer = search->offer;
    search_initial(search, sample->state);
    enum move_end end = moves_determined(search->worker, sample->state);
    for (unsigned moves = 0; moves < MOVES_MOST; moves++) {
        if (end == MOVE_STOPPED || end == MOVE_UNFINISHED)
            return TOO_LONG;
        if (!was_met(sample, end))
            return OUTSIDE;
        if (end == MOVE_FAULT)
            return INSIDE;
        search_offer(search, offer, sample->state);
        if (!offer->chosen_count)
            return INSIDE;
        const struct transition *taken = &offer->transition[offer->chosen[draw(sample, offer->chosen_count)]];
        moves_open(search, sample->state, taken, &sample->opening);
        end = moves_close(search->worker, sample->state, &sample->opening);
    }
    return TOO_LONG;
}

static struct search_estimate draw_orderings(struct sample *sample) {
    struct search_estimate estimate = {0};
    for (unsigned i = 0; i < ORDERINGS_MOST && !sample->search->stopped; i++) {
        int drawn = draw_ordering(sample);
        estimate.orderings += drawn != TOO_LONG;
        estimate.covered += drawn == INSIDE;
    }
    return estimate;
}

struct search_estimate search_estimate(struct search *search, double seconds) {
    struct sample sample = {.search = search, .state = storage_new(search->ranks, sizeof *sample.state), .lot = 1};
    const struct search_statistics statistics = search->statistics;
    const struct search_options options = search->options;
    const enum search_end end = search->end;
    char *refusal = search->refusal;
    search->options.seconds = search_clock() - search->started + seconds;
    search->stopped = false;
    search->refusal = NULL;
    struct search_estimate estimate = draw_orderings(&sample);
    free(search->refusal); /* what stopped a sample is nothing to report */
    search->refusal = refusal;
    search->end = end;
    search->stopped = true;
    search->options = options;
    search->statistics = statistics;
    free(sample.opening.answer);
    free(sample.state);
    return estimate;
}
