/* Collectives, each modelled as itself (MPI-3.1 chapter 5). A rank's record of a collective stays until all members have left
 * it, so the first record on a communicator is the same collective for all members. */
#include "models/mpi/model_parts.h"

#include <stdio.h>

static bool is_record(const struct pending *pending, uint32_t context) {
    return pending->kind == WIRE_COLLECTIVE && pending->context == context;
}

uint32_t collective_current(const struct component *component, const struct call *call, uint32_t *position) {
    *position = 0;
    for (uint32_t i = 0; i < component->count; i++) {
        if (!is_record(&component->pending[i], call->context))
            continue;
        if (component->pending[i].status == OPERATION_PENDING)
            return i;
        ++*position;
    }
    return UINT32_MAX;
}

const struct pending *collective_record(const struct component *component, uint32_t context, uint32_t position) {
    for (uint32_t i = 0; i < component->count; i++)
        if (is_record(&component->pending[i], context) && position-- == 0)
            return &component->pending[i];
    return NULL;
}

/* Where a rank stands in the collective it is blocked in. */
struct stand {
    const struct context *context;
    const struct pending *record;
    uint32_t number; /* of the context */
    uint32_t position;
    int32_t member, root; /* places in the communicator; root -1: none */
};

static struct stand stand_of(const struct mpi_model *model, const uint32_t *state, unsigned rank) {
    const struct component *component = component_at(model, state[rank]);
    const struct call *call = component_call(component);
    struct stand stand = {.context = &model->context[call->context], .number = call->context};
    uint32_t index = collective_current(component, call, &stand.position);
    stand.record = index == UINT32_MAX ? NULL : &component->pending[index];
    stand.member = stand.context->position[rank];
    int32_t root = stand.record ? stand.record->peer : -1;
    stand.root = root >= 0 && root < (int32_t)model->ranks ? stand.context->position[root] : -1;
    return stand;
}

/* Does the member need what member `other` brings? */
static bool needs(const struct stand *stand, int32_t other) {
    switch (stand->record->mode) {
    case WIRE_FAN_OUT: return other == stand->root;
    case WIRE_FAN_IN: return stand->member == stand->root;
    case WIRE_PREFIX: return other <= stand->member;
    case WIRE_PREFIX_EXCLUSIVE: return other < stand->member;
    default: return true;
    }
}

static const struct pending *record_of(const struct mpi_model *model, const uint32_t *state, const struct stand *stand,
                                       uint32_t member) {
    const struct component *component = component_at(model, state[stand->context->member[member]]);
    return collective_record(component, stand->number, stand->position);
}

bool collective_has_data(const struct mpi_model *model, const uint32_t *state, unsigned rank) {
    struct stand stand = stand_of(model, state, rank);
    for (uint32_t i = 0; stand.record && i < stand.context->members; i++)
        if (needs(&stand, (int32_t)i) && !record_of(model, state, &stand, i))
            return false;
    return stand.record != NULL;
}

bool collective_all_entered(const struct mpi_model *model, const uint32_t *state, unsigned rank) {
    struct stand stand = stand_of(model, state, rank);
    for (uint32_t i = 0; stand.record && i < stand.context->members; i++)
        if (!record_of(model, state, &stand, i))
            return false;
    return stand.record != NULL;
}

const struct resolution *collective_answer(struct mpi_model *model, const uint32_t *state, unsigned rank) {
    struct stand stand = stand_of(model, state, rank);
    answer_begin(model, rank, WIRE_LEFT);
    for (uint32_t i = 0; i < stand.context->members; i++) {
        if (!needs(&stand, (int32_t)i))
            continue;
        const struct pending *record = record_of(model, state, &stand, i);
        struct completion *completion = answer_add(model, rank);
        completion->index = i;
        completion->source = completion->tag = -1;
        completion->with_data = 1;
        completion->payload = NO_PAYLOAD;
        if (record->parts == 1)
            completion->payload = model->part[record->payload];
        else if (record->parts > (uint32_t)stand.member)
            completion->payload = model->part[record->payload + (uint32_t)stand.member];
    }
    return model->answer[rank];
}

void collective_retire(struct mpi_model *model, uint32_t *state, unsigned rank) {
    const struct component *component = component_at(model, state[rank]);
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *record = &component->pending[i];
        if (record->kind != WIRE_COLLECTIVE || record->status != OPERATION_COMPLETE)
            continue;
        uint32_t number = record->context;
        const struct context *context = &model->context[number];
        bool all_left = true;
        for (uint32_t m = 0; m < context->members && all_left; m++) {
            const struct pending *first = collective_record(component_at(model, state[context->member[m]]), number, 0);
            all_left = first && first->status == OPERATION_COMPLETE;
        }
        if (!all_left)
            continue;
        for (uint32_t m = 0; m < context->members; m++) {
            uint32_t *other = &state[context->member[m]];
            draft_open(model, *other);
            uint32_t at = 0;
            while (!is_record(&model->draft.pending[at], number))
                at++;
            draft_remove(&model->draft, at);
            *other = draft_close_same(model, *other);
        }
        component = component_at(model, state[rank]);
        i = UINT32_MAX;
    }
}

static const char *disagreement(const struct pending *a, const struct pending *b) {
    if (a->function != b->function || a->mode != b->mode)
        return "different collectives";
    if (a->peer != b->peer)
        return "different roots";
    return "different operators, counts or datatypes";
}

/* The member whose record all others are compared with: one that has left, as it will not be compared again itself, else the
 * first. */
static uint32_t representative(const struct mpi_model *model, const uint32_t *state, const struct stand *stand) {
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < stand->context->members; i++) {
        const struct pending *record = record_of(model, state, stand, i);
        if (record && record->status == OPERATION_COMPLETE)
            return i;
        if (record && first == UINT32_MAX)
            first = i;
    }
    return first;
}

bool collective_agrees(const struct mpi_model *model, const uint32_t *state, unsigned rank, struct violation *violation) {
    struct stand stand = stand_of(model, state, rank);
    if (!stand.record)
        return true;
    uint32_t member = representative(model, state, &stand);
    const struct pending *own = stand.record, *other = record_of(model, state, &stand, member);
    if (own->function == other->function && own->mode == other->mode && own->peer == other->peer &&
        own->agreement == other->agreement)
        return true;
    unsigned partner = (unsigned)stand.context->member[member];
    *violation = (struct violation){.class_name = "collective-mismatch",
                                    .rank = (uint16_t)rank,
                                    .partner = (uint16_t)partner,
                                    .site = own->site,
                                    .partner_site = other->site,
                                    .function = own->function,
                                    .partner_function = other->function};
    snprintf(violation->message, sizeof violation->message,
             "rank %u and rank %u call %s as the next collective on one communicator", rank, partner,
             disagreement(own, other));
    return false;
}
