/* A recorded ordering as the reference. The recording is walked once, along states that the search will visit: in each of them the
 * recorded transition is what the reference does, whatever it is. Off that way, where ranks that have nothing to do with what
 * was changed are still where they were, they still do what they did; everybody else does what the model prefers.
 *
 * Only what counts as a difference depends on it, and so the order in which states are visited. */
#include "explorer/containers/search_storage.h"
#include "explorer/search/choices_of_walk.h"
#include "explorer/search/search_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t name_of_state(const struct search *search, const uint32_t *state) {
    return XXH3_64bits(state, search->ranks * sizeof *state);
}

/* A choice of a rank, whatever the others do. */
static uint64_t name_of_choice(uint32_t component, const struct transition *transition) {
    const uint32_t choice[] = {component,           transition->kind, transition->owner,
                               transition->partner, transition->a,    transition->b};
    uint64_t name = XXH3_64bits(choice, sizeof choice);
    return name ? name : 1;
}

/* --- the recording, walked ----------------------------------------------------------------------------------------------- */

static void note(struct search *search, const struct walk *walk, const struct transition *transition) {
    struct recorded *recorded = &search->recorded;
    recorded->move = storage_grow(recorded->move, &recorded->room, recorded->moves + 1, sizeof *recorded->move);
    recorded->move[recorded->moves] = (struct recorded_move){name_of_state(search, walk->state), recorded->moves, *transition};
    recorded->moves++;
    if (!transition->miss)
        number_set_add(&recorded->choice, name_of_choice(walk->state[transition->owner], transition));
}

/* What the recording takes of what a state offers: if possible one of those that the reduction takes anyway, as what it puts off
 * commutes with them. The position, or offer->count. */
static size_t pick(struct choice_guide *guide, const struct walk *walk, const struct offer *offer) {
    struct transition *chosen = storage_new(offer->chosen_count, sizeof *chosen);
    for (size_t i = 0; i < offer->chosen_count; i++)
        chosen[i] = offer->transition[offer->chosen[i]];
    size_t picked = choice_guide_pick(guide, walk->model, walk->state, chosen, offer->chosen_count);
    free(chosen);
    if (picked < offer->chosen_count)
        return offer->chosen[picked];
    return choice_guide_pick(guide, walk->model, walk->state, offer->transition, offer->count);
}

static void walk_recording(struct search *search, struct walk *walk, struct choice_guide *guide) {
    struct offer *offer = search->offer;
    size_t decisions = 0;
    enum walk_end end = walk_determined(walk);
    while (end == WALK_QUIET) {
        search_offer(search, offer, walk->state);
        size_t picked = pick(guide, walk, offer);
        if (picked == offer->count)
            break;
        const struct transition transition = offer->transition[picked];
        decisions += walk_is_decision(&transition, offer->count);
        note(search, walk, &transition);
        end = walk_take(walk, &transition);
    }
    if (!guide->sentence[0])
        return;
    char sentence[400];
    snprintf(sentence, sizeof sentence, "the program departs from the reference ordering at its decision %zu: %s",
             decisions + 1, guide->sentence);
    search_stop(search, SEARCH_REFUSED, sentence);
}

/* Of several visits to one state the last one counts, so that the way does not go round in circles. */
static int compare_moves(const void *a, const void *b) {
    const struct recorded_move *x = a, *y = b;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    return (x->at < y->at) - (x->at > y->at);
}

static void sort_moves(struct recorded *recorded) {
    size_t kept = 0;
    if (recorded->moves)
        qsort(recorded->move, recorded->moves, sizeof *recorded->move, compare_moves);
    for (size_t i = 0; i < recorded->moves; i++)
        if (!kept || recorded->move[i].state != recorded->move[kept - 1].state)
            recorded->move[kept++] = recorded->move[i];
    recorded->moves = kept;
}

void reference_walk(struct search *search) {
    if (!search->options.reference)
        return;
    if (search->options.agents) {
        search_stop(
            search, SEARCH_REFUSED,
            "a recording does not say in which order windows and files are accessed, so it cannot be the reference here");
        return;
    }
    reference_forget(search);
    struct walk walk = {.ranks = search->ranks, .model = search->model, .steps = search->steps};
    struct choice_guide guide;
    walk_begin(&walk);
    choice_guide_begin(&guide, walk.ranks, search->options.buffering, search->options.reference);
    walk.taking = choice_collector_taking;
    walk.stepped = choice_collector_stepped;
    walk.context = &guide.seen;
    walk_recording(search, &walk, &guide);
    choice_guide_end(&guide, walk.ranks);
    walk_free(&walk);
    sort_moves(&search->recorded);
}

void reference_forget(struct search *search) {
    free(search->recorded.move);
    number_set_free(&search->recorded.choice);
    search->recorded = (struct recorded){0};
}

/* --- what it prefers ----------------------------------------------------------------------------------------------------- */

static const struct recorded_move *find_move(const struct search *search, const uint32_t *state) {
    uint64_t name = name_of_state(search, state);
    size_t from = 0, to = search->recorded.moves;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct recorded_move *move = &search->recorded.move[middle];
        if (move->state == name)
            return move;
        if (move->state < name)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

/* More transitions than a persistent set has do no harm. */
static void choose_too(struct offer *offer, size_t position) {
    size_t at = 0;
    while (at < offer->chosen_count && offer->chosen[at] < position)
        at++;
    if (at < offer->chosen_count && offer->chosen[at] == position)
        return;
    memmove(&offer->chosen[at + 1], &offer->chosen[at], (offer->chosen_count - at) * sizeof *offer->chosen);
    offer->chosen[at] = (uint32_t)position;
    offer->chosen_count++;
}

void reference_prefer(const struct search *search, struct offer *offer, const uint32_t *state) {
    if (!search->recorded.moves)
        return;
    const struct recorded_move *move = find_move(search, state);
    for (size_t i = 0; move && i < offer->count; i++)
        if (memcmp(&offer->transition[i], &move->transition, sizeof move->transition) == 0) {
            choose_too(offer, i);
            offer->reference = i;
            return;
        }
    for (size_t i = 0; i < offer->chosen_count; i++) {
        const struct transition *transition = &offer->transition[offer->chosen[i]];
        if (!number_set_has(&search->recorded.choice, name_of_choice(state[transition->owner], transition)))
            continue;
        offer->reference = offer->chosen[i];
        return;
    }
}
