/* What a rank may do next, and where that leads. */
#include "models/mpi/apart_inside.h"

/* A message of the rank to itself: behind what it has outstanding. */
static uint32_t with_message(struct apart *apart, uint32_t component, const struct content *content) {
    draft_open(apart->model, component);
    *draft_add(&apart->model->draft) = content->pending;
    return draft_close_same(apart->model, component);
}

static bool take(struct apart *apart, unsigned rank, uint32_t *component, uint32_t message, const struct resolution **answer) {
    const struct content *content = &apart->content[message];
    uint32_t receive = apart_takes(apart, *component, message), send = 0;
    unsigned from = (unsigned)content->from;
    bool claims = receive == component_at(apart->model, *component)->count;
    struct violation violation = {0};
    if (claims && from == rank)
        return apart_give_up(apart, "rank %u receives from itself by matched probes", rank);
    apart->claimed = message;
    apart->state[rank] = *component;
    if (from != rank) {
        apart_hand_over(apart, content);
    } else {
        send = component_at(apart->model, *component)->count;
        apart->state[rank] = with_message(apart, *component, content);
    }
    bool taken = true;
    if (receive == PART_SEES || claims) {
        *answer = call_found(apart->model, apart->state, rank, from);
    } else {
        taken = channel_deliver(apart->model, apart->state, rank, receive, from, send, &violation);
        *component = apart->state[rank];
    }
    apart->state[rank] = apart->state[from] = apart->nobody;
    return taken || apart_give_up(apart, "%s", violation.message);
}

static bool choose(struct apart *apart, unsigned rank, uint32_t *component, uint32_t which, const struct resolution **answer) {
    struct violation violation;
    struct part_stand stand = {0};
    apart_list_choices(apart, rank, *component, &stand);
    const struct transition *transition = &apart->transitions.item[which];
    apart->state[rank] = *component;
    if (transition->kind == TRANSITION_CHOOSE)
        apart_bring_members(apart, rank, *component, UINT32_MAX, NULL);
    *answer = mpi_model_take(apart->model, apart->state, transition, &violation);
    if (transition->kind == TRANSITION_PASS)
        *component = apart->state[rank];
    apart_send_away(apart);
    return true;
}

static void complete_send(struct pending *pending) {
    pending->status = OPERATION_COMPLETE;
    pending->payload = NO_PAYLOAD;
}

/* Of a call that waits, or tests, for all requests all sends are complete, else the one chosen. */
static bool release(struct apart *apart, unsigned rank, uint32_t *component, uint32_t which, const struct resolution **answer) {
    const struct component *before = component_at(apart->model, *component);
    const struct call *call = component_call(before);
    if (call->kind == WIRE_CALL_DETACH) {
        *answer = answer_begin(apart->model, rank, WIRE_COMPLETED);
        return true;
    }
    bool all = call->kind == WIRE_CALL_WAIT_ALL || call->kind == WIRE_CALL_TEST_ALL;
    draft_open(apart->model, *component);
    for (uint32_t i = 0, sends = 0; i < call->requests; i++) {
        uint32_t at;
        if (apart_is_pending_send(before, call->request[i], &at) && (all || sends++ == which))
            complete_send(&apart->model->draft.pending[at]);
    }
    *component = draft_close_same(apart->model, *component);
    return true;
}

/* Wherever its members call it. */
static void note_barrier(struct apart *apart, const struct part_move *move) {
    uint32_t first = PART_NONE;
    for (size_t i = 0; i < move->contents && apart_is_barrier(&apart->content[move->content[i]].pending); i++)
        first = apart_note_site(apart, &apart->content[move->content[i]].pending, first);
}

/* The record of a collective that the rank has not left, counted among those on its communicator. */
static uint32_t record_entered(const struct component *component, uint32_t context, uint32_t which) {
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *pending = &component->pending[i];
        if (pending->kind == WIRE_COLLECTIVE && !apart_is_left(pending) && pending->context == context && which-- == 0)
            return i;
    }
    return UINT32_MAX;
}

/* A nonblocking one is over, and the rank hears of it later. */
static uint32_t complete_collective(struct apart *apart, uint32_t component, uint32_t record, const struct part_move *move) {
    uint32_t list = parts_intern(apart->model, move->content, (uint32_t)move->contents);
    draft_open(apart->model, component);
    struct pending *own = &apart->model->draft.pending[record];
    own->status = OPERATION_COMPLETE;
    own->payload = list;
    own->parts = (uint32_t)move->contents;
    return draft_close_same(apart->model, component);
}

static bool leave(struct apart *apart, unsigned rank, uint32_t *component, const struct part_move *move,
                  const struct resolution **answer) {
    struct violation violation = {0};
    const struct component *before = component_at(apart->model, *component);
    uint32_t record = record_entered(before, apart->content[move->content[0]].pending.context, move->which);
    bool waits = before->pending[record].request == WIRE_NO_REQUEST;
    note_barrier(apart, move);
    apart_bring_members(apart, rank, *component, record, move);
    bool agreed = collective_agrees(apart->model, apart->state, rank, record, &violation);
    if (agreed && waits)
        *answer = collective_answer(apart->model, apart->state, rank);
    apart_send_away(apart);
    if (agreed && !waits)
        *component = complete_collective(apart, *component, record, move);
    return agreed || apart_give_up(apart, "%s", violation.message);
}

bool apart_move(struct apart *apart, unsigned rank, uint32_t *component, const struct part_move *move,
                const struct resolution **answer) {
    *answer = NULL;
    switch (move->kind) {
    case PART_TAKE: return take(apart, rank, component, move->content[0], answer);
    case PART_CHOOSE: return choose(apart, rank, component, move->which, answer);
    case PART_MISS: *answer = call_not_yet(apart->model, rank); return true;
    case PART_RELEASE: return release(apart, rank, component, move->which, answer);
    case PART_LEAVE: return leave(apart, rank, component, move, answer);
    default: return false;
    }
}
