/* Follows one ordering, without a graph: for replays. */
#include "explorer/containers/search_storage.h"
#include "explorer/search/witness.h"
#include "heuristics/reference_order.h"

#include <stdio.h>

struct follower {
    struct search *search;
    const struct ordering *ordering;
    size_t next;                        /* decision of `ordering` */
    const struct search_leader *leader; /* who chooses instead; NULL: nobody */
    uint32_t *state;
    struct state_set *seen; /* states met since the last decision given, to notice that nothing new will come */
    struct state_cache *cache;
    struct opening opening;
};

static void fail(struct follower *follower) {
    char sentence[160];
    snprintf(sentence, sizeof sentence, "decision %zu of %zu is not possible: the program or its input has changed",
             follower->next + 1, follower->ordering->decisions);
    search_stop(follower->search, SEARCH_FAILED, sentence);
}

/* The position of the next decision given, REFERENCE_NONE if it is not offered. */
static size_t given(const struct follower *follower) {
    const struct offer *offer = follower->search->offer;
    const struct transition *wanted = &follower->ordering->decision[follower->next].transition;
    for (size_t i = 0; i < offer->count; i++)
        if (transition_equal(&offer->transition[i], wanted))
            return i;
    return REFERENCE_NONE;
}

static size_t by_default(const struct offer *offer) {
    return offer->reference == REFERENCE_NONE ? offer->chosen[0] : offer->reference;
}

/* What keeps a livelock going: all that is promised does. */
static size_t of_promised(const struct offer *offer) {
    size_t position = by_default(offer);
    if (offer->transition[position].optional)
        for (position = 0; offer->transition[position].optional;)
            position++;
    return position;
}

static void note_decision(struct follower *follower, size_t position) {
    struct search *search = follower->search;
    const struct offer *offer = search->offer;
    struct decision decision =
        decision_of(search, follower->state, offer->transition, offer->count, position, position != offer->reference);
    if (search->event)
        search->event(search->event_context, &decision);
    if (!is_decision(&offer->transition[position], offer->count))
        return;
    struct ordering *followed = &search->followed;
    followed->decision =
        storage_grow(followed->decision, &search->followed_room, followed->decisions + 1, sizeof *followed->decision);
    followed->decision[followed->decisions++] = decision;
}

static enum move_end take(struct follower *follower, size_t position) {
    note_decision(follower, position);
    struct search *search = follower->search;
    moves_open(search, follower->state, &search->offer->transition[position], &follower->opening);
    return moves_close(search->worker, follower->state, &follower->opening);
}

/* Whether the state has been met since the last decision given. */
static bool met_before(struct follower *follower, enum state_kind kind) {
    const struct search_leader *leader = follower->leader;
    if (leader ? !leader->is_done(leader->context) : follower->next < follower->ordering->decisions)
        return false;
    state_set_make_room(follower->seen, 1);
    return !state_set_add(follower->seen, state_set_name(follower->seen, follower->cache, follower->state, kind));
}

/* What the leader chooses. */
static enum move_end be_led(struct follower *follower, bool *done) {
    struct search *search = follower->search;
    const struct offer *offer = search->offer;
    const struct search_leader *leader = follower->leader;
    size_t position = leader->choose(leader->context, offer->transition, offer->count, offer->reference);
    if (position < offer->count)
        return take(follower, position);
    if (!offer_has_promised(offer))
        report_deadlock(search, follower->state, TRAIL_NONE);
    *done = true;
    return MOVE_QUIET;
}

/* One decision among search->offer, or a deadlock: then `done` is set. */
static enum move_end decide(struct follower *follower, bool *done) {
    struct search *search = follower->search;
    const struct offer *offer = search->offer;
    bool free_choice = offer->count != 1 || is_decision(&offer->transition[0], 1);
    if (free_choice && follower->next < follower->ordering->decisions) {
        size_t position = given(follower);
        if (position == REFERENCE_NONE) {
            fail(follower);
            return MOVE_STOPPED;
        }
        follower->next++;
        return take(follower, position);
    }
    if (offer_has_promised(offer))
        return take(follower, follower->ordering->endless ? of_promised(offer) : by_default(offer));
    report_deadlock(search, follower->state, TRAIL_NONE);
    *done = true;
    return MOVE_QUIET;
}

/* What to do after some moves. */
static enum move_end proceed(struct follower *follower, enum move_end reached, bool *done) {
    struct search *search = follower->search;
    if (reached == MOVE_FAULT) {
        *done = true;
        report_faults(search->worker, TRAIL_NONE);
        return reached;
    }
    bool again = met_before(follower, reached == MOVE_QUIET ? STATE_QUIET : STATE_UNFINISHED);
    if (reached == MOVE_QUIET)
        search_offer(search, search->offer, follower->state);
    else if (again)
        search_offer_within_chain(search, search->offer, follower->state);
    *done = true;
    if (reached == MOVE_QUIET && search_at_end(search, search->offer, follower->state)) {
        search->came_to_end = true;
        report_end(search, follower->state, TRAIL_NONE);
        return reached;
    }
    if (again) {
        report_livelock(search, follower->state, TRAIL_NONE);
        return reached;
    }
    *done = false;
    if (reached != MOVE_QUIET)
        return moves_determined(search->worker, follower->state);
    return (follower->leader ? be_led : decide)(follower, done);
}

static void reset(struct search *search) {
    search->stopped = false;
    free(search->refusal);
    search->refusal = NULL;
    search->followed.decisions = 0;
    search->goal_reached = false;
    search->blind = false;
    if (!search->recorded.moves)
        reference_walk(search);
    search->following = true;
    search->came_to_end = false;
}

static enum search_end result(const struct search *search, size_t findings_before) {
    if (search->findings > findings_before)
        return SEARCH_FOUND;
    return search->stopped ? search->end : SEARCH_COMPLETE;
}

static enum search_end follow(struct search *search, const struct ordering *ordering, const struct search_leader *leader,
                              void (*event)(void *context, const struct decision *decision), void *context) {
    size_t findings_before = search->findings;
    struct follower follower = {.search = search,
                                .ordering = ordering,
                                .leader = leader,
                                .state = storage_new(search->ranks, sizeof *follower.state),
                                .seen = state_set_create(search->ranks),
                                .cache = state_cache_create(search->ranks)};
    reset(search);
    search->event = event;
    search->event_context = context;

    search_initial(search, follower.state);
    bool done = false;
    enum move_end reached = moves_determined(search->worker, follower.state);
    while (!done && reached != MOVE_STOPPED)
        reached = proceed(&follower, reached, &done);
    for (unsigned rank = 0; rank < search->ranks; rank++)
        search->end_locals[rank] = mpi_model_local(search->model, follower.state[rank]);

    search->event = NULL;
    search->following = false;
    free(follower.opening.answer);
    free(follower.state);
    state_set_destroy(follower.seen);
    state_cache_destroy(follower.cache);
    return result(search, findings_before);
}

enum search_end search_follow(struct search *search, const struct ordering *ordering,
                              void (*event)(void *context, const struct decision *decision), void *context) {
    return follow(search, ordering, NULL, event, context);
}

enum search_end search_lead(struct search *search, const struct search_leader *leader) {
    return follow(search, NULL, leader, NULL, NULL);
}

const uint32_t *search_end_locals(const struct search *search) { return search->end_locals; }

bool search_came_to_end(const struct search *search) { return search->came_to_end; }
