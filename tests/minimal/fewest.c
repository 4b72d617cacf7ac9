#include "tests/minimal/fewest.h"

#include "explorer/search/search_parts.h"
#include "explorer/search/walk.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 64, STATES_MOST = 200000 };

struct forcing {
    const struct seeker *seeker;
    const struct search_goal *goal;
    struct search *search; /* says what the reference ordering does */
    struct walk walk;
    struct decision decision[DEPTH_MOST];
    size_t decisions, left, states;
    bool reached, too_many;
};

static void look(struct forcing *forcing) {
    const struct ordering ordering = {.decisions = forcing->decisions, .decision = forcing->decision};
    struct ordering found;
    if (!seeker_follow(forcing->seeker, forcing->goal, &ordering, &found))
        return;
    forcing->reached |= found.decisions <= ordering.decisions; /* else it takes more decisions: they come later here, too */
    free(found.decision);
}

static void descend(struct forcing *forcing, unsigned depth);

static void take(struct forcing *forcing, const struct transition *transition, size_t choices, unsigned depth) {
    bool decision = walk_is_decision(transition, choices);
    if (decision)
        forcing->decision[forcing->decisions++] = (struct decision){.transition = *transition};
    if (walk_take(&forcing->walk, transition) == WALK_QUIET)
        descend(forcing, depth + 1);
    else
        look(forcing);
    forcing->decisions -= decision;
}

static void descend(struct forcing *forcing, unsigned depth) {
    if (depth == DEPTH_MOST || ++forcing->states > STATES_MOST) {
        forcing->too_many = true;
        return;
    }
    size_t bytes = forcing->walk.ranks * sizeof(uint32_t);
    uint32_t *state = malloc(bytes);
    memcpy(state, forcing->walk.state, bytes);
    struct offer *offer = forcing->search->offer;
    search_offer(forcing->search, offer, state);
    size_t count = offer->count, reference = offer->reference;
    struct transition *list = malloc((count + 1) * sizeof *list);
    if (count)
        memcpy(list, offer->transition, count * sizeof *list);
    if (!offer_has_promised(offer))
        look(forcing);
    for (size_t i = 0; i < count && !forcing->reached && !forcing->too_many; i++) {
        bool differs = i != reference;
        if (differs > forcing->left)
            continue;
        forcing->left -= differs;
        take(forcing, &list[i], count, depth);
        forcing->left += differs;
        memcpy(forcing->walk.state, state, bytes);
    }
    free(list);
    free(state);
}

enum fewest fewest_reach(const struct seeker *seeker, const struct search_goal *goal, size_t differences) {
    struct search_options options = seeker_options(seeker, goal);
    struct forcing forcing = {.seeker = seeker,
                              .goal = goal,
                              .search = seeker->create(seeker->context, &options),
                              .walk = {.ranks = seeker->ranks, .model = seeker->model, .steps = seeker->steps},
                              .left = differences};
    walk_begin(&forcing.walk);
    if (walk_determined(&forcing.walk) == WALK_QUIET)
        descend(&forcing, 0);
    else
        look(&forcing);
    walk_free(&forcing.walk);
    search_destroy(forcing.search);
    return forcing.reached ? FEWEST_REACHED : forcing.too_many ? FEWEST_TOO_MANY : FEWEST_NOT_REACHED;
}
