/* When ranks that are interchangeable are looked for, and not told apart: if a graph has grown large though it is made of few
 * components, so that it is worth executing the steps that prove it. Then the steps so far are met again, as they are told to
 * symmetry.c, up to where the graph was; mirrors are looked for in the states met first; and if there are any, the graph is explored
 * with them from its root. */
#include "explorer/search/search_parts.h"

enum {
    LARGE = 1 << 14,     /* states */
    MUCH_LARGER = 4,     /* so many times as many states as components */
    LOOKED_AT = 1 << 12, /* states, at most, in which mirrors are looked for */
};

static bool is_possible(const struct search *search) {
    const struct search_options *options = &search->options;
    const struct expectations *expected = mpi_model_expectations(search->model);
    return !options->goal && !options->root && !options->levels && !AGENTS_FOR_FILES(options->agents_kind) &&
           !(options->agents_kind & AGENTS_TAKING_TURNS) && !options->reference && !options->pause && !options->no_reduction &&
           !search->pretends && !search->sighted && !search->findings && !expected->cancels && !expected->hurries;
}

static size_t least_states(const struct search *search) {
    return search->options.symmetric_from ? search->options.symmetric_from : LARGE;
}

static bool is_worthwhile(const struct search *search) {
    const size_t states = state_set_count(search->states);
    return states >= least_states(search) &&
           (search->options.symmetric_from || states / MUCH_LARGER >= mpi_model_components(search->model));
}

static void turn_to(struct search *search, enum symmetry_use use) {
    search->symmetry_use = use;
    search->turns = true;
}

static void learn(struct search *search) {
    search->symmetry = symmetry_create(search->ranks, search->program_ranks, search->model, search->steps);
    mpi_model_forget_moves(search->model);
    turn_to(search, SYMMETRY_LEARNT);
}

void symmetry_give_up(struct search *search) {
    symmetry_destroy(search->symmetry);
    search->symmetry = NULL;
    search->symmetry_use = SYMMETRY_OVER;
}

void symmetry_breaks(struct search *search) {
    if (!search_must_stop(search))
        report_glimpse(search); /* of whatever there is to be found */
}

/* In the states met first, as most others come after them. */
static void look(struct search *search) {
    struct worker *worker = &search->worker[0];
    for (size_t i = 0; i < search->trail.count && i < LOOKED_AT && !search->stopped; i++) {
        const state_name name = search->trail.track[i].name;
        if (state_kind(name) != STATE_QUIET)
            continue;
        state_set_load(search->states, worker->cache, name, worker->here);
        if (!symmetry_look(search->symmetry, worker->here) || search_must_stop(search))
            break;
    }
}

static void use_if_any(struct search *search) {
    if (search->findings) {
        symmetry_give_up(search);
        return;
    }
    pthread_mutex_lock(&search->lock);
    look(search);
    if (!search->stopped && symmetry_is_known(search->symmetry) && symmetry_close(search->symmetry)) {
        mpi_model_forget_moves(search->model); /* what began before it was known that it must be told */
        turn_to(search, SYMMETRY_USED);
    } else {
        symmetry_give_up(search);
    }
    pthread_mutex_unlock(&search->lock);
}

void symmetry_consider(struct search *search) {
    if (search->symmetry_use == SYMMETRY_NOT_YET && is_possible(search) && is_worthwhile(search))
        learn(search);
    else if (search->symmetry_use == SYMMETRY_LEARNT && state_set_count(search->states) >= least_states(search))
        use_if_any(search);
}

static bool ended_alike(void *context, unsigned rank, uint32_t local, const struct step_result *result) {
    return search_ended_alike(context, rank, local, result);
}

/* Has everything been proved that mirrors are used for? */
static bool is_proved(struct search *search) {
    return symmetry_close(search->symmetry) && search->outcomes == 1 && symmetry_ends(search->symmetry, ended_alike, search);
}

bool symmetry_fails(struct search *search) {
    if (search->symmetry_use != SYMMETRY_USED)
        return false;
    pthread_mutex_lock(&search->lock);
    const bool proved = is_proved(search);
    if (!proved)
        symmetry_breaks(search);
    pthread_mutex_unlock(&search->lock);
    return !proved;
}

unsigned search_first_like(const struct search *search, unsigned rank) {
    return search->symmetry_use == SYMMETRY_USED && rank < search->program_ranks ? symmetry_first_like(search->symmetry, rank)
                                                                                 : rank;
}
