/* How a rank stands in a state: what it waits for, and would take. */
#include "models/mpi/apart_inside.h"

#include "models/growing.h"
#include "models/mpi/functions.h"

bool apart_is_pending_send(const struct component *component, uint32_t request, uint32_t *at) {
    *at = pending_find(component, request);
    return *at != UINT32_MAX && component->pending[*at].kind == WIRE_SEND && !pending_complete(&component->pending[*at]);
}

static void await_own(struct apart *apart, uint32_t line, uint32_t likeness) {
    apart->awaited = growing_room(apart->awaited, &apart->awaited_room, apart->awaiteds + 1, sizeof *apart->awaited);
    apart->awaited[apart->awaiteds++] = (struct part_own){line, likeness};
}

static void await_sends(struct apart *apart, unsigned rank, const struct component *component, const struct call *call) {
    for (uint32_t i = 0; i < call->requests; i++) {
        uint32_t at;
        if (apart_is_pending_send(component, call->request[i], &at))
            await_own(apart, apart_message_line(apart, rank, &component->pending[at]), (uint32_t)component->pending[at].tag);
    }
}

/* The collectives that the call is about. Others may be over, but nobody hears of that. */
static void await_collectives(struct apart *apart, const struct component *component, const struct call *call) {
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *record = &component->pending[i];
        bool waits =
            call->kind == WIRE_CALL_COLLECTIVE ? record->request == WIRE_NO_REQUEST : call_lists(call, record->request);
        if (record->kind != WIRE_COLLECTIVE || apart_is_left(record) || !waits)
            continue;
        struct part_entry entry = {.line = apart_meeting_line(apart, record->context)};
        for (uint32_t k = 0; k < i; k++)
            entry.which += component->pending[k].kind == WIRE_COLLECTIVE && !apart_is_left(&component->pending[k]) &&
                           component->pending[k].context == record->context;
        apart->entry = growing_room(apart->entry, &apart->entry_room, apart->entries + 1, sizeof *apart->entry);
        apart->entry[apart->entries++] = entry;
    }
}

static void await_all_lines(struct apart *apart, unsigned rank) {
    for (uint32_t i = 0; i < apart->lines; i++)
        if (apart->line[i].from == rank && apart->line[i].to != PART_MEETING)
            await_own(apart, i, PART_NONE);
}

void apart_list_choices(struct apart *apart, unsigned rank, uint32_t component, struct part_stand *stand) {
    struct transition_list *list = &apart->transitions;
    apart->state[rank] = component;
    mpi_model_transitions(apart->model, apart->state, list);
    apart->state[rank] = apart->nobody;
    for (size_t i = 0; i < list->count; i++) {
        if (list->item[i].kind == TRANSITION_CHOOSE || list->item[i].kind == TRANSITION_PASS)
            list->item[stand->choices++] = list->item[i];
        stand->polls |= list->item[i].miss;
    }
}

bool apart_stand(struct apart *apart, unsigned rank, uint32_t number, struct part_stand *stand) {
    const struct component *component = component_at(apart->model, number);
    const struct call *call = component_call(component);
    *stand = (struct part_stand){.ended = !call};
    apart->awaiteds = apart->entries = 0;
    if (!call)
        return true;
    switch (call->kind) {
    case WIRE_CALL_WAIT_ALL:
    case WIRE_CALL_TEST_ALL:
        await_sends(apart, rank, component, call);
        stand->releases = apart->awaiteds > 0;
        break;
    case WIRE_CALL_WAIT_ANY:
    case WIRE_CALL_WAIT_SOME:
    case WIRE_CALL_TEST_ANY:
    case WIRE_CALL_TEST_SOME:
        await_sends(apart, rank, component, call);
        stand->releases = (uint32_t)apart->awaiteds;
        break;
    case WIRE_CALL_PROBE:
    case WIRE_CALL_IPROBE:
    case WIRE_CALL_MPROBE:
    case WIRE_CALL_IMPROBE:
    case WIRE_CALL_COLLECTIVE: break;
    case WIRE_CALL_DETACH:
        await_all_lines(apart, rank);
        stand->releases = 1;
        break;
    default: return apart_give_up(apart, "rank %u waits in a way that is not known apart", rank);
    }
    if (call->kind != WIRE_CALL_WAIT_ALL && call->kind != WIRE_CALL_COLLECTIVE)
        apart_list_choices(apart, rank, number, stand);
    await_collectives(apart, component, call);
    stand->own = apart->awaited;
    stand->owns = apart->awaiteds;
    stand->entry = apart->entry;
    stand->entries = apart->entries;
    stand->leaves_all = call->kind == WIRE_CALL_WAIT_ALL;
    return true;
}

uint32_t apart_takes(const struct apart *apart, uint32_t number, uint32_t message) {
    const struct component *component = component_at(apart->model, number);
    const struct content *content = &apart->content[message];
    const struct call *call = component_call(component);
    for (uint32_t i = 0; i < component->count; i++) {
        if (component->pending[i].kind != WIRE_RECEIVE || !pending_open(&component->pending[i]))
            continue;
        struct envelope envelope = receive_envelope(component->pending, i);
        if (envelope_accepts(&envelope, (unsigned)content->from, &content->pending))
            return i;
    }
    if (!call || !call_is_probe(call))
        return PART_NONE;
    struct envelope envelope = probe_envelope(component, call);
    if (!envelope_accepts(&envelope, (unsigned)content->from, &content->pending))
        return PART_NONE;
    return call_claims(call) ? component->count : PART_SEES;
}

/* Of freed requests too: their rank never knows. */
uint32_t apart_unreleased(const struct apart *apart, uint32_t number, uint32_t content) {
    const struct component *component = component_at(apart->model, number);
    uint32_t unreleased = 0;
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *pending = &component->pending[i];
        unreleased += apart_is_synchronous(pending) && !pending_complete(pending) && pending->payload == content;
    }
    return unreleased;
}

/* The rank knows of its message since the matched probe. */
static bool is_matched_receive(const struct pending *pending) {
    return pending->function == FUNCTION_MPI_Imrecv || pending->function == FUNCTION_MPI_Imrecv_c;
}

bool apart_unnoticed(const struct apart *apart, uint32_t number, uint32_t message) {
    const struct component *component = component_at(apart->model, number);
    const struct content *content = &apart->content[message];
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *pending = &component->pending[i];
        if (pending->kind == WIRE_RECEIVE && pending->status == OPERATION_COMPLETE && pending->peer >= 0 &&
            pending->context == content->pending.context && pending->source == (int32_t)content->from &&
            pending->source_tag == content->pending.tag && pending->payload == content->pending.payload &&
            !is_matched_receive(pending))
            return true;
    }
    return false;
}
