#include "explorer/exploration/place_walks.h"

#include "explorer/search/walk.h"

enum { PATIENCE = 24, MOVES_MOST = 8192 }; /* so many moves of the rank come before one of another rank */

/* Is it a move of the rank, or what an agent does for it? */
static bool is_of(const struct transition *transition, unsigned rank, unsigned ranks) {
    return transition->owner == rank || (transition->owner >= ranks && transition->partner == rank);
}

/* The last of the rank's: where there is "not yet", that. `count`: it has none. */
static size_t last_of(const struct transition *list, size_t count, unsigned rank, unsigned ranks) {
    size_t i = count;
    while (i > 0 && !is_of(&list[i - 1], rank, ranks))
        i--;
    return i > 0 ? i - 1 : count;
}

/* The first of somebody else's that is not "not yet". */
static size_t first_of_others(const struct transition *list, size_t count, unsigned rank, unsigned ranks) {
    size_t i = 0;
    while (i < count && (is_of(&list[i], rank, ranks) || list[i].miss))
        i++;
    return i;
}

static void wait_with(struct walk *walk, unsigned rank, unsigned ranks) {
    const struct transition *list;
    size_t count;
    unsigned patience = PATIENCE;
    enum walk_end end = walk_determined(walk);
    for (int i = 0; i < MOVES_MOST && end == WALK_QUIET && (count = walk_offered(walk, &list)) > 0; i++) {
        size_t own = last_of(list, count, rank, ranks), other = first_of_others(list, count, rank, ranks);
        bool is_own = own < count && (patience > 0 || other == count);
        patience = is_own && patience > 0 ? patience - 1 : PATIENCE;
        const struct transition taken = list[is_own ? own : other < count ? other : 0];
        end = walk_take(walk, &taken);
    }
}

void place_walks(struct mpi_model *model, const struct step_source *steps, unsigned ranks) {
    for (unsigned rank = 0; rank < ranks; rank++) {
        struct walk walk = {.ranks = 2 * ranks, .model = model, .steps = steps};
        walk_begin(&walk);
        wait_with(&walk, rank, ranks);
        walk_free(&walk);
    }
}
