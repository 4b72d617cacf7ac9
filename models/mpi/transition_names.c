/* Names by which a transition is known again after moves of other ranks. Indices into a component do not serve: what others receive
 * leaves it, and the complete requests of a call are counted anew with each that is added. */
#include "models/mpi/model_parts.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Free of padding garbage, as it is hashed. */
struct transition_content {
    uint32_t kind, partner;
    uint64_t which;
};

/* Requests have numbers. Of operations whose request was freed, or that never had one, those of one kind keep their order, and
 * there are fewer as soon as one is gone. */
static uint64_t name_operation(const struct component *component, uint32_t index) {
    const struct pending *operation = &component->pending[index];
    if (operation->request != WIRE_NO_REQUEST)
        return operation->request;
    uint64_t before = 0, all = 0;
    for (uint32_t i = 0; i < component->count; i++) {
        bool like = component->pending[i].kind == operation->kind && component->pending[i].request == WIRE_NO_REQUEST;
        before += like && i < index;
        all += like;
    }
    return 1ull << 63 | all << 32 | before;
}

static bool is_chosen(const struct transition *transition, uint32_t ordinal, const struct pending *pending) {
    switch ((enum choice_kind)transition->a) {
    case CHOICE_ONE: return ordinal == transition->b;
    case CHOICE_SET: return transition->b >> ordinal & 1;
    case CHOICE_REST: return !(pending->flags & PENDING_PASSED);
    case CHOICE_ALL: break;
    }
    return true;
}

/* The requests that a call reports. */
static uint64_t name_choice(const struct component *component, const struct transition *transition) {
    const struct call *call = component_call(component);
    uint64_t name = 0;
    uint32_t ordinal = 0, from = 0;
    for (uint32_t i = 0; i < call->requests; i++) {
        uint32_t at = pending_find_from(component, call->request[i], &from);
        if (at == UINT32_MAX || !pending_complete(&component->pending[at]))
            continue;
        if (is_chosen(transition, ordinal, &component->pending[at]))
            name = XXH3_64bits_withSeed(&i, sizeof i, name);
        ordinal++;
    }
    return name;
}

static uint64_t name_which(const struct component *component, const struct transition *transition) {
    switch ((enum transition_kind)transition->kind) {
    case TRANSITION_MATCH:
    case TRANSITION_CANCELLED:
    case TRANSITION_BUFFER:
    case TRANSITION_EARLY:
    case TRANSITION_PASS: return name_operation(component, transition->a);
    case TRANSITION_CHOOSE: return name_choice(component, transition);
    case TRANSITION_GO: return component->unissued;
    case TRANSITION_LEAVE:
    case TRANSITION_PROBED:
    case TRANSITION_MISS: break;
    }
    return 0;
}

uint64_t mpi_model_name(const struct mpi_model *model, const uint32_t *state, const struct transition *transition) {
    const struct component *component = component_at(model, state[transition->owner]);
    const struct transition_content content = {transition->kind, transition->partner, name_which(component, transition)};
    return XXH3_64bits(&content, sizeof content);
}

bool mpi_model_match_request(const struct mpi_model *model, const uint32_t *state, const struct transition *transition,
                             uint32_t *request) {
    if (transition->kind != TRANSITION_MATCH)
        return false;
    *request = component_at(model, state[transition->owner])->pending[transition->a].request;
    return true;
}

bool mpi_model_has_request(const struct mpi_model *model, uint32_t component, uint32_t request) {
    return pending_find(component_at(model, component), request) != UINT32_MAX;
}
