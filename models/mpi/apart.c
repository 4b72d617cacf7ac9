#include "models/mpi/apart_inside.h"

#include "models/growing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct apart *apart_create(struct mpi_model *model, unsigned ranks, struct apart_loose loose) {
    static const struct step_result gone = {.ended = true, .end_text = ""};
    struct apart *apart = growing_new(sizeof *apart);
    *apart = (struct apart){
        .model = model, .ranks = ranks, .loose = loose, .state = growing_new((ranks + 1) * sizeof *apart->state)};
    draft_begin(model);
    apart->nobody = draft_close(model, UINT32_MAX, &gone);
    for (unsigned rank = 0; rank < ranks; rank++)
        apart->state[rank] = apart->nobody;
    return apart;
}

void apart_destroy(struct apart *apart) {
    if (!apart)
        return;
    free(apart->state);
    free(apart->content);
    free(apart->origin);
    free(apart->slot);
    free(apart->line);
    free(apart->gift);
    free(apart->awaited);
    free(apart->entry);
    free(apart->transitions.item);
    free(apart->site);
    free(apart);
}

const char *apart_reason(const struct apart *apart) { return apart->reason; }

bool apart_give_up(struct apart *apart, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(apart->reason, sizeof apart->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- collectives ---- */

bool apart_is_left(const struct pending *record) { return record->status == OPERATION_COMPLETE; }

static const struct pending *content_from(const struct apart *apart, const uint32_t *content, size_t contents, unsigned from) {
    for (size_t i = 0; i < contents; i++)
        if (apart->content[content[i]].from == from)
            return &apart->content[content[i]].pending;
    return NULL;
}

/* A member's record of what the rank's record `at` is of. If nothing is known of it yet it may be like the rank's: it only must be
 * there, as records are told apart by their order. */
static const struct pending *record_of_member(const struct apart *apart, const struct pending *own, unsigned member,
                                              const struct part_move *leaves) {
    if (leaves)
        return content_from(apart, leaves->content, leaves->contents, member);
    return apart_is_left(own) ? content_from(apart, &apart->model->part[own->payload], own->parts, member) : own;
}

static uint32_t member_beside(struct apart *apart, const struct component *own, unsigned member, uint32_t at,
                              const struct part_move *leaves) {
    struct draft *draft = &apart->model->draft;
    draft->count = 0;
    for (uint32_t i = 0; i < own->count; i++) {
        const struct pending *record = own->pending[i].kind == WIRE_COLLECTIVE
                                           ? record_of_member(apart, &own->pending[i], member, i == at ? leaves : NULL)
                                           : NULL;
        if (record)
            *draft_add(draft) = *record;
    }
    return draft->count ? draft_close_same(apart->model, apart->nobody) : apart->nobody;
}

/* The rank itself, with what it brought to the collectives that it has not been told of. */
static uint32_t as_it_entered(struct apart *apart, unsigned rank, uint32_t component) {
    struct draft *draft = &apart->model->draft;
    draft_open(apart->model, component);
    for (uint32_t i = 0; i < draft->count; i++) {
        struct pending *own = &draft->pending[i];
        if (own->kind != WIRE_COLLECTIVE || !apart_is_left(own))
            continue;
        const struct pending *entry = content_from(apart, &apart->model->part[own->payload], own->parts, rank);
        own->payload = entry->payload;
        own->parts = entry->parts;
    }
    return draft_close_same(apart->model, component);
}

void apart_bring_members(struct apart *apart, unsigned rank, uint32_t component, uint32_t at, const struct part_move *leaves) {
    const struct component *own = component_at(apart->model, component);
    bool meets = leaves != NULL;
    apart->state[rank] = component;
    for (uint32_t i = 0; i < own->count; i++)
        meets |= own->pending[i].kind == WIRE_COLLECTIVE && apart_is_left(&own->pending[i]);
    if (!meets)
        return;
    for (unsigned member = 0; member < apart->ranks; member++)
        if (member != rank)
            apart->state[member] = member_beside(apart, own, member, at, leaves);
    apart->state[rank] = as_it_entered(apart, rank, component);
}

void apart_send_away(struct apart *apart) {
    for (unsigned rank = 0; rank < apart->ranks; rank++)
        apart->state[rank] = apart->nobody;
}

/* ---- steps ---- */

void apart_hand_over(struct apart *apart, const struct content *content) {
    draft_begin(apart->model);
    *draft_add(&apart->model->draft) = content->pending;
    apart->state[content->from] = draft_close_same(apart->model, apart->nobody);
}

const struct resolution *apart_ready(struct apart *apart, unsigned rank, uint32_t component) {
    const struct call *call = component_call(component_at(apart->model, component));
    if (!call || call->kind > WIRE_CALL_WAIT_SOME)
        return NULL;
    apart_bring_members(apart, rank, component, UINT32_MAX, NULL);
    const struct resolution *answer = model_determined(apart->model, apart->state, rank);
    apart_send_away(apart);
    return answer;
}

/* Operations of the step that cannot be looked at apart. */
static bool check_operation(struct apart *apart, unsigned rank, const struct operation *operation) {
    switch (operation->kind) {
    case WIRE_SEND: return operation->mode != WIRE_READY || apart_give_up(apart, "rank %u makes ready sends", rank);
    case WIRE_RECEIVE:
    case WIRE_FREE:
    case WIRE_COLLECTIVE:
    case WIRE_RECEIVE_MESSAGE: return true;
    default: return apart_give_up(apart, "rank %u cancels requests", rank);
    }
}

static bool is_given(const struct operation *operation) {
    return operation->kind == WIRE_SEND || operation->kind == WIRE_COLLECTIVE;
}

/* Is it still there after the step? What was freed at once is, and MPI_Imrecv until it is reported. */
static bool stays(const struct operation *operation) {
    bool over = operation->kind == WIRE_RECEIVE_MESSAGE && operation->request == WIRE_NO_REQUEST;
    return operation->kind != WIRE_FREE && !over;
}

/* The step's new operations are the last ones of the component, in their order. Returns where they begin. */
static uint32_t add_gifts(struct apart *apart, unsigned rank, const struct component *component,
                          const struct step_result *result) {
    uint32_t at = component->count;
    for (uint32_t i = result->operations; i-- > 0;)
        at -= stays(&result->operation[i]);
    uint32_t first = at;
    for (uint32_t i = 0; i < result->operations; i++) {
        const struct operation *operation = &result->operation[i];
        if (!stays(operation))
            continue;
        if (is_given(operation))
            apart_add_gift(apart, rank, &component->pending[at],
                           operation->kind == WIRE_SEND && operation->mode == WIRE_BUFFERED ? operation->capacity : 0);
        at++;
    }
    return first;
}

static bool is_for_others_only(const struct pending *pending) {
    if (pending->kind == WIRE_COLLECTIVE)
        return apart_is_left(pending) && pending->request == WIRE_NO_REQUEST;
    return pending->kind == WIRE_SEND && pending->request == WIRE_NO_REQUEST && !apart_is_synchronous(pending);
}

/* Leaves out what only concerns others. That a send is buffered and that it is received are the same to its sender. Synchronous
 * ones keep, as their payload, the number of their content until it is known that they are received, which of freed ones it never
 * is. `first`: of the step's new operations. */
static uint32_t own_part(struct apart *apart, unsigned rank, uint32_t component, uint32_t first) {
    struct draft *draft = &apart->model->draft;
    draft_open(apart->model, component);
    for (uint32_t i = draft->count; i-- > 0;) {
        struct pending *pending = &draft->pending[i];
        if (is_for_others_only(pending)) {
            draft_remove(draft, i);
        } else if (pending->kind == WIRE_SEND) {
            if (!apart_is_synchronous(pending) || pending_complete(pending))
                pending->payload = NO_PAYLOAD;
            else if (i >= first)
                pending->payload = apart_content_of(apart, rank, pending, 0);
            if (pending->peer == (int32_t)rank)
                pending->peer = TO_ITSELF;
            if (pending->status == OPERATION_BUFFERED)
                pending->status = OPERATION_COMPLETE;
        }
    }
    return draft_close_same(apart->model, component);
}

static bool is_out_of_time(const struct component *component) {
    for (uint32_t i = 0; i < component->count; i++)
        if (component->pending[i].flags & (PENDING_UNREADY | PENDING_OVERFLOW))
            return true;
    return false;
}

static bool is_claim(const struct component *component, const struct resolution *answer) {
    const struct call *call = component_call(component);
    return answer->kind == WIRE_FOUND && call_claims(call);
}

static bool is_freed(const struct step_result *result, uint32_t request) {
    for (uint32_t i = 0; i < result->operations; i++)
        if (result->operation[i].kind == WIRE_FREE && result->operation[i].request == request)
            return true;
    return false;
}

/* The messages claimed, which is one if there is any, must be received before the rank waits: others may wait for that. */
static bool receive_claimed(struct apart *apart, unsigned rank, bool claims, const struct step_result *result) {
    struct violation violation = {0};
    uint32_t received = 0;
    for (uint32_t i = 0; i < result->operations; i++)
        received += result->operation[i].kind == WIRE_RECEIVE_MESSAGE && !is_freed(result, result->operation[i].request);
    if (received != claims)
        return apart_give_up(apart, "rank %u does not receive at once what it finds by a matched probe", rank);
    return channel_settle_claimed(apart->model, apart->state, rank, &violation) ||
           apart_give_up(apart, "%s", violation.message);
}

/* The step in the model, where nobody but the rank has anything outstanding, but for a message claimed. */
static bool step_in_model(struct apart *apart, unsigned rank, uint32_t *component, const struct resolution *answer,
                          const struct step_result *result) {
    bool claims = is_claim(component_at(apart->model, *component), answer);
    apart->state[rank] = *component;
    if (claims)
        apart_hand_over(apart, &apart->content[apart->claimed]);
    model_step_apart(apart->model, apart->state, rank, answer, result);
    bool received = receive_claimed(apart, rank, claims, result);
    *component = apart->state[rank];
    apart->state[rank] = apart->nobody;
    if (claims)
        apart->state[apart->content[apart->claimed].from] = apart->nobody;
    return received;
}

bool apart_step(struct apart *apart, unsigned rank, uint32_t *component, const struct resolution *answer,
                const struct step_result *result) {
    for (uint32_t i = 0; i < result->operations; i++)
        if (!check_operation(apart, rank, &result->operation[i]))
            return false;
    uint32_t reached = *component;
    if (!step_in_model(apart, rank, &reached, answer, result))
        return false;
    const struct component *after = component_at(apart->model, reached);
    if (is_out_of_time(after))
        return apart_give_up(apart, "what rank %u sends does not fit into its attached buffer", rank);
    uint32_t first = add_gifts(apart, rank, after, result);
    *component = own_part(apart, rank, reached, first);
    return true;
}
