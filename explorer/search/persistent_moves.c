#include "explorer/search/persistent_moves.h"

/* The model's view of a state, for the reduction. */
struct influence_view {
    struct mpi_model *model;
    const uint32_t *state;
    bool relied_on;
};

static void influences(void *context, unsigned rank, struct rank_set *set) {
    const struct influence_view *view = context;
    mpi_model_influences(view->model, view->state, rank, set, view->relied_on);
}

static bool commutes(void *context, const struct transition *transition, struct rank_set *rivals, struct rank_set *set) {
    const struct influence_view *view = context;
    return mpi_model_commutes(view->model, view->state, transition, rivals, set, view->relied_on);
}

size_t persistent_moves(struct persistent *persistent, struct mpi_model *model, const uint32_t *state, bool relied_on,
                        const struct transition *list, size_t count, uint32_t *chosen) {
    struct influence_view view = {model, state, relied_on};
    return persistent_select(persistent, list, count, influences, commutes, &view, chosen);
}
