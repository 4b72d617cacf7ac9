#include "models/mpi/decided.h"

#include "models/mpi/model_parts.h"

static struct operation operation_of(const struct pending *pending) {
    return (struct operation){.kind = pending->kind,
                              .mode = pending->mode,
                              .function = pending->function,
                              .request = pending->request,
                              .peer = pending->peer,
                              .site = pending->site};
}

const struct call *mpi_model_call(const struct mpi_model *model, uint32_t component) {
    return component_call(component_at(model, component));
}

uint32_t mpi_model_awaited(const struct mpi_model *model, uint32_t component) {
    const struct call *call = mpi_model_call(model, component);
    return call ? call->requests : 0;
}

/* Of the complete requests of the call, in the order of its list, those that the choice names. */
static uint32_t chosen_positions(const struct component *component, struct choice choice, uint32_t *position) {
    const struct call *call = component_call(component);
    uint32_t ordinal = 0, chosen = 0, from = 0;
    for (uint32_t i = 0; i < call->requests; i++) {
        uint32_t at = pending_find_from(component, call->request[i], &from);
        if (at == UINT32_MAX || !pending_complete(&component->pending[at]))
            continue;
        if (choice.kind == CHOICE_ALL || (choice.kind == CHOICE_ONE && ordinal == choice.which) ||
            (choice.kind == CHOICE_SET && choice.which >> ordinal & 1) ||
            (choice.kind == CHOICE_REST && !(component->pending[at].flags & PENDING_PASSED)))
            position[chosen++] = i;
        ordinal++;
    }
    return chosen;
}

static uint32_t position_in_call(const struct component *component, uint32_t pending) {
    const struct call *call = component_call(component);
    uint32_t i = 0;
    while (i < call->requests && pending_find(component, call->request[i]) != pending)
        i++;
    return i;
}

struct decided mpi_model_decided(const struct mpi_model *model, const uint32_t *state, const struct transition *transition,
                                 uint32_t *room) {
    static const enum decided_kind kinds[] = {
        [TRANSITION_MATCH] = DECIDED_SOURCE,    [TRANSITION_CANCELLED] = DECIDED_CANCELLED,
        [TRANSITION_BUFFER] = DECIDED_BUFFERED, [TRANSITION_EARLY] = DECIDED_EARLY,
        [TRANSITION_LEAVE] = DECIDED_EARLY,     [TRANSITION_CHOOSE] = DECIDED_COMPLETION,
        [TRANSITION_PROBED] = DECIDED_PROBE,    [TRANSITION_MISS] = DECIDED_MISS,
        [TRANSITION_PASS] = DECIDED_PASSED,
    };
    const struct component *owner = component_at(model, state[transition->owner]);
    struct decided decided = {
        .kind = kinds[transition->kind], .owner = transition->owner, .partner = transition->partner, .position = room};
    switch (transition->kind) {
    case TRANSITION_MATCH:
    case TRANSITION_CANCELLED:
    case TRANSITION_BUFFER:
    case TRANSITION_EARLY: decided.operation = operation_of(&owner->pending[transition->a]); break;
    case TRANSITION_CHOOSE:
        decided.positions = chosen_positions(owner, (struct choice){transition->a, transition->b}, room);
        break;
    case TRANSITION_PASS:
        room[0] = position_in_call(owner, transition->a);
        decided.positions = 1;
        break;
    default: break;
    }
    return decided;
}
