/* What may happen next in a settled state, and what it does. */
#include "models/mpi/futures.h"
#include "models/mpi/model_parts.h"

/* Of up to so many complete requests every subset is a choice of Waitsome and Testsome; of more it is put together by choices. */
enum { SET_MOST = 8 };

/* A state whose transitions are being listed. */
struct listing {
    const struct mpi_model *model;
    const uint32_t *state;
    struct transition_list *list;
};

static struct transition *add(const struct listing *listing, enum transition_kind kind, unsigned owner) {
    struct transition_list *list = listing->list;
    list->item = model_room(list->item, &list->room, (uint32_t)list->count, sizeof *list->item);
    struct transition *transition = &list->item[list->count++];
    *transition = (struct transition){.kind = (uint8_t)kind, .owner = (uint16_t)owner, .partner = (uint16_t)owner};
    return transition;
}

static bool cancel_pending(const struct pending *pending) {
    return (pending->flags & PENDING_CANCEL) && pending->status == OPERATION_PENDING &&
           !(pending->flags & (PENDING_CANCELLED | PENDING_CLAIMED));
}

static struct request request_of(const struct pending *send) { return (struct request){send->tag, send->touches}; }

static void add_matches_from(const struct listing *listing, unsigned rank, uint32_t receive, unsigned source) {
    const struct mpi_model *model = listing->model;
    const uint32_t *state = listing->state;
    struct envelope envelope = receive_envelope(component_at(model, state[rank])->pending, receive);
    uint32_t send = channel_match(model, state, rank, source, &envelope);
    if (send == UINT32_MAX)
        return;
    struct transition *transition = add(listing, TRANSITION_MATCH, rank);
    transition->partner = (uint16_t)source;
    transition->a = receive;
    transition->b = send;
    transition->calm = request_meets_calm(model, &component_at(model, state[rank])->pending[receive],
                                          request_of(&component_at(model, state[source])->pending[send]));
}

/* Named receives are matched by settling, unless a cancellation hangs over one side, or the message takes room that may be
 * wanted. */
static void add_matches(const struct listing *listing, unsigned rank) {
    const struct mpi_model *model = listing->model;
    const uint32_t *state = listing->state;
    const struct component *component = component_at(model, state[rank]);
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *receive = &component->pending[i];
        if (receive->kind != WIRE_RECEIVE || !pending_open(receive))
            continue;
        if (receive->peer != WIRE_ANY_SOURCE) {
            add_matches_from(listing, rank, i, (unsigned)receive->peer);
            continue;
        }
        for (unsigned source = 0; source < model->ranks; source++)
            if (component_at(model, state[source])->count)
                add_matches_from(listing, rank, i, source);
    }
}

static void add_cancellations(const struct listing *listing, unsigned rank) {
    const struct mpi_model *model = listing->model;
    const uint32_t *state = listing->state;
    const struct component *component = component_at(model, state[rank]);
    for (uint32_t i = 0; i < component->count; i++)
        if (cancel_pending(&component->pending[i]))
            add(listing, TRANSITION_CANCELLED, rank)->a = i;
}

static bool may_be_buffered(const struct pending *pending) {
    return pending->kind == WIRE_SEND && (pending->mode == WIRE_STANDARD || pending->mode == WIRE_READY) &&
           pending->status == OPERATION_PENDING && !(pending->flags & (PENDING_CANCEL | PENDING_CANCELLED));
}

/* In a settled state a collective that all have entered is complete already. */
static bool may_be_early(const struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t index) {
    const struct pending *pending = &component_at(model, state[rank])->pending[index];
    return pending->kind == WIRE_COLLECTIVE && pending->status == OPERATION_PENDING &&
           collective_has_data(model, state, rank, index);
}

static void add_bufferings(const struct listing *listing, unsigned rank, const struct call *call) {
    const struct mpi_model *model = listing->model;
    const uint32_t *state = listing->state;
    const struct component *component = component_at(model, state[rank]);
    uint32_t from = 0;
    for (uint32_t i = 0; i < call->requests; i++) {
        uint32_t at = pending_find_from(component, call->request[i], &from);
        if (at == UINT32_MAX)
            continue;
        bool early = may_be_early(model, state, rank, at);
        if (!early && !may_be_buffered(&component->pending[at]))
            continue;
        struct transition *transition = add(listing, early ? TRANSITION_EARLY : TRANSITION_BUFFER, rank);
        transition->optional = true;
        transition->a = at;
    }
}

/* A message may leave the attached buffer before it is received; it matters only where that is waited for. */
static void add_departures(const struct listing *listing, unsigned rank) {
    const struct mpi_model *model = listing->model;
    const uint32_t *state = listing->state;
    const struct component *component = component_at(model, state[rank]);
    for (uint32_t i = 0; i < component->count; i++) {
        if (!strict_in_buffer(&component->pending[i]))
            continue;
        struct transition *transition = add(listing, TRANSITION_BUFFER, rank);
        transition->optional = true;
        transition->a = i;
    }
}

/* May the rank leave the collective that it is blocked in before all have entered? */
static bool may_leave_early(const struct mpi_model *model, const uint32_t *state, unsigned rank, const struct call *call) {
    if (call->kind != WIRE_CALL_COLLECTIVE)
        return false;
    uint32_t record = collective_current(component_at(model, state[rank]));
    return collective_has_data(model, state, rank, record) && !collective_all_entered(model, state, rank, record);
}

static struct transition *add_choice(const struct listing *listing, unsigned rank, enum choice_kind kind, uint32_t which) {
    struct transition *transition = add(listing, TRANSITION_CHOOSE, rank);
    transition->a = kind;
    transition->b = which;
    return transition;
}

/* A subset of many: the call passes over complete requests one by one, in the order of its list, and then reports the rest. */
static void add_passes(const struct listing *listing, const struct component *component, unsigned rank,
                       const struct call *call) {
    uint32_t first = 0, left = 0; /* the request after the last one passed over; complete ones not passed over */
    uint32_t from = 0;
    for (uint32_t i = 0; i < call->requests; i++) {
        uint32_t at = pending_find_from(component, call->request[i], &from);
        bool complete = at != UINT32_MAX && pending_complete(&component->pending[at]);
        bool passed = complete && component->pending[at].flags & PENDING_PASSED;
        first = passed ? i + 1 : first;
        left += complete && !passed;
    }
    add_choice(listing, rank, CHOICE_REST, 0);
    for (uint32_t i = first; i < call->requests && left > 1; i++) {
        uint32_t at = pending_find_from(component, call->request[i], &from);
        if (at != UINT32_MAX && pending_complete(&component->pending[at]))
            add(listing, TRANSITION_PASS, rank)->a = at;
    }
}

static bool passes_over_any(const struct component *component) {
    bool any = false;
    for (uint32_t i = 0; i < component->count; i++)
        any |= (component->pending[i].flags & PENDING_PASSED) != 0;
    return any;
}

static void add_choices(const struct listing *listing, unsigned rank, const struct call *call) {
    const struct mpi_model *model = listing->model;
    const uint32_t *state = listing->state;
    const struct component *component = component_at(model, state[rank]);
    uint32_t complete = call_complete_count(component, call);
    bool any = call->kind == WIRE_CALL_WAIT_ANY || call->kind == WIRE_CALL_TEST_ANY;
    bool some = call->kind == WIRE_CALL_WAIT_SOME || call->kind == WIRE_CALL_TEST_SOME;
    if (call->kind == WIRE_CALL_TEST_ALL && complete == call->requests)
        add_choice(listing, rank, CHOICE_ALL, 0);
    for (uint32_t i = 0; any && i < complete; i++)
        add_choice(listing, rank, CHOICE_ONE, i);
    if (some && complete > SET_MOST) {
        add_passes(listing, component, rank, call);
        return;
    }
    /* All of them first: what an implementation would do. */
    for (uint32_t set = some ? (1u << complete) - 1 : 0; set > 0; set--)
        add_choice(listing, rank, CHOICE_SET, set);
}

static void add_probes(const struct listing *listing, unsigned rank, const struct call *call) {
    const struct mpi_model *model = listing->model;
    const uint32_t *state = listing->state;
    struct envelope envelope = probe_envelope(component_at(model, state[rank]), call);
    for (unsigned source = 0; source < model->ranks; source++)
        if ((call->peer == WIRE_ANY_SOURCE || call->peer == (int32_t)source) &&
            channel_match(model, state, rank, source, &envelope) != UINT32_MAX)
            add(listing, TRANSITION_PROBED, rank)->partner = (uint16_t)source;
}

static bool may_miss(const struct call *call) {
    switch (call->kind) {
    case WIRE_CALL_TEST_ALL:
    case WIRE_CALL_TEST_ANY:
    case WIRE_CALL_TEST_SOME:
    case WIRE_CALL_IPROBE:
    case WIRE_CALL_IMPROBE: return true;
    default: return false;
    }
}

static void add_rank(const struct listing *listing, unsigned rank) {
    const struct mpi_model *model = listing->model;
    const uint32_t *state = listing->state;
    add_matches(listing, rank);
    add_cancellations(listing, rank);
    const struct call *call = component_call(component_at(model, state[rank]));
    if (!call)
        return;
    if (model_may_be_late(model, rank) && model_is_determined(model, state, rank)) {
        add(listing, TRANSITION_GO, rank);
        return;
    }
    if (call_is_probe(call))
        add_probes(listing, rank, call);
    else
        add_choices(listing, rank, call);
    if (model->buffering == BUFFERING_ALL) {
        add_bufferings(listing, rank, call);
        if (call->kind == WIRE_CALL_DETACH)
            add_departures(listing, rank);
        if (may_leave_early(model, state, rank, call))
            add(listing, TRANSITION_LEAVE, rank)->optional = true;
    }
    if (may_miss(call) && !passes_over_any(component_at(model, state[rank])))
        add(listing, TRANSITION_MISS, rank)->miss = true;
}

size_t mpi_model_transitions(const struct mpi_model *model, const uint32_t *state, struct transition_list *list) {
    const struct listing listing = {model, state, list};
    list->count = 0;
    for (unsigned rank = 0; rank < model->ranks; rank++)
        add_rank(&listing, rank);
    return list->count;
}

static void set_status(struct mpi_model *model, uint32_t *state, unsigned rank, uint32_t index, enum operation_status status,
                       enum pending_flag flag) {
    draft_open(model, state[rank]);
    struct pending *pending = &model->draft.pending[index];
    pending->status = (uint8_t)status;
    pending->flags |= (uint8_t)flag;
    if (status == OPERATION_BUFFERED && pending->mode == WIRE_BUFFERED)
        pending->flags |= PENDING_SENT_OFF;
    if (flag == PENDING_CANCELLED && pending->request == WIRE_NO_REQUEST)
        draft_remove(&model->draft, index);
    state[rank] = draft_close_same(model, state[rank]);
}

static void pass_over(struct mpi_model *model, uint32_t *state, unsigned rank, const struct transition *transition) {
    uint32_t before = state[rank];
    draft_open(model, before);
    model->draft.pending[transition->a].flags |= PENDING_PASSED;
    state[rank] = draft_close_same(model, before);
    remember_change(model, before, transition, state[rank]);
}

/* In a state after an error, which others go on from, those that it is about may have come together in one collective. */
static const struct resolution *leave(struct mpi_model *model, const uint32_t *state, unsigned rank,
                                      struct violation *violation) {
    const uint32_t record = collective_current(component_at(model, state[rank]));
    return collective_agrees(model, state, rank, record, violation) ? collective_answer(model, state, rank) : NULL;
}

const struct resolution *mpi_model_take(struct mpi_model *model, uint32_t *state, const struct transition *transition,
                                        struct violation *violation) {
    unsigned rank = transition->owner;
    violation->class_name = NULL;
    switch (transition->kind) {
    case TRANSITION_MATCH:
        channel_deliver(model, state, rank, transition->a, transition->partner, transition->b, violation);
        return NULL;
    case TRANSITION_CANCELLED:
        set_status(model, state, rank, transition->a, OPERATION_COMPLETE, PENDING_CANCELLED);
        return NULL;
    case TRANSITION_EARLY:
        if (!collective_agrees(model, state, rank, transition->a, violation))
            return NULL;
        /* fall through */
    case TRANSITION_BUFFER: {
        uint32_t before = state[rank];
        set_status(model, state, rank, transition->a, OPERATION_BUFFERED, 0);
        remember_change(model, before, transition, state[rank]);
        return NULL;
    }
    case TRANSITION_PASS: pass_over(model, state, rank, transition); return NULL;
    case TRANSITION_LEAVE: return leave(model, state, rank, violation);
    case TRANSITION_PROBED: return call_found(model, state, rank, transition->partner);
    case TRANSITION_MISS: return call_not_yet(model, rank);
    case TRANSITION_GO:
        if (component_at(model, state[rank])->unissued > 0) {
            model_issue(model, state, rank);
            return NULL;
        }
        return model_determined(model, state, rank);
    default: break;
    }
    return call_completed(model, state, rank, (struct choice){transition->a, transition->b});
}

/* --- influences ------------------------------------------------------------------------------------------------------ */

static bool has_ended(const struct mpi_model *model, const uint32_t *state, unsigned rank) {
    return component_at(model, state[rank])->ended;
}

/* A source matters if its next message for this envelope is still to come, or may be withdrawn. */
static void add_source(const struct mpi_model *model, const uint32_t *state, unsigned rank, unsigned source,
                       const struct envelope *envelope, struct rank_set *set, bool relied_on) {
    uint32_t send = channel_first(model, state, rank, source, envelope);
    if (send == UINT32_MAX) {
        if (!has_ended(model, state, source) && acts_may_send(model, source, rank, envelope->context, envelope->tag) &&
            futures_may_send(model, state, source, rank, envelope->context, envelope->tag, relied_on))
            rank_set_add(set, source);
        return;
    }
    const struct component *sender = component_at(model, state[source]);
    if (pending_cancellable(model, source, &sender->pending[send], component_call(sender)))
        rank_set_add(set, source);
}

static void add_sources(const struct mpi_model *model, const uint32_t *state, unsigned rank, const struct envelope *envelope,
                        struct rank_set *set, bool relied_on) {
    if (envelope->source != WIRE_ANY_SOURCE) {
        add_source(model, state, rank, (unsigned)envelope->source, envelope, set, relied_on);
        return;
    }
    const struct context *context = &model->context[envelope->context];
    for (uint32_t i = 0; i < context->members; i++)
        add_source(model, state, rank, (unsigned)context->member[i], envelope, set, relied_on);
}

/* Is the call over only after the rank has received something? Then sends that it waits for as well cannot end it before. */
static bool receives_first(const struct component *component, const struct call *call) {
    uint32_t from = 0;
    for (uint32_t i = 0; call && call->kind == WIRE_CALL_WAIT_ALL && i < call->requests; i++) {
        uint32_t at = pending_find_from(component, call->request[i], &from);
        if (at != UINT32_MAX && component->pending[at].kind == WIRE_RECEIVE && pending_open(&component->pending[at]))
            return true;
    }
    return false;
}

/* `receives`: receives_first of the rank's call. `goes`: that may be over, so named receives are matched without anything to
 * choose. */
static void add_of_operation(const struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t index, bool receives,
                             bool goes, struct rank_set *set, bool relied_on) {
    const struct component *component = component_at(model, state[rank]);
    const struct pending *pending = &component->pending[index];
    const struct call *call = component_call(component);
    if (pending->kind == WIRE_RECEIVE && pending_open(pending) &&
        !(goes && pending->peer >= 0 && model->expected.cancels == 0)) {
        struct envelope envelope = receive_envelope(component->pending, index);
        add_sources(model, state, rank, &envelope, set, relied_on);
    }
    if (pending->kind == WIRE_COLLECTIVE && pending->status == OPERATION_PENDING &&
        (pending->request == WIRE_NO_REQUEST || call_lists(call, pending->request)))
        collective_add_missing(model, state, rank, index, set, true);
    if (pending->kind != WIRE_SEND)
        return;
    bool awaited = pending->status == OPERATION_PENDING && call_lists(call, pending->request) && !receives;
    awaited |= call && call->kind == WIRE_CALL_DETACH && strict_in_buffer(pending);
    bool asked_for = pending->flags & PENDING_CLAIMED ||
                     acts_may_receive(model, (unsigned)pending->peer, rank, pending->context, pending->tag);
    if ((awaited && asked_for) || pending_cancellable(model, rank, pending, call))
        rank_set_add(set, (unsigned)pending->peer);
}

/* Somebody may send it something while it is late that is right only if it is not. */
static void add_hurrying(const struct mpi_model *model, const uint32_t *state, unsigned rank, struct rank_set *set,
                         bool relied_on) {
    for (unsigned source = 0; source < model->ranks; source++)
        if (source != rank && acts_may_hurry(model, source, rank) && !has_ended(model, state, source) &&
            futures_may_be_early(model, state, source, rank, relied_on))
            rank_set_add(set, source);
}

static bool fills_buffer(const struct component *component, unsigned to) {
    for (uint32_t i = 0; i < component->count; i++)
        if (strict_in_buffer(&component->pending[i]) && component->pending[i].peer == (int32_t)to)
            return true;
    return false;
}

/* Somebody has a message for it in the attached buffer, and may need the room while it is late. */
static void add_filling(const struct mpi_model *model, const uint32_t *state, unsigned rank, struct rank_set *set,
                        bool relied_on) {
    for (unsigned source = 0; source < model->ranks; source++)
        if (source != rank && fills_buffer(component_at(model, state[source]), rank) && !has_ended(model, state, source) &&
            futures_may_overflow(model, state, source, rank, relied_on))
            rank_set_add(set, source);
}

/* May a receive that it has posted be no longer there for a message: because it takes another one, or is cancelled? */
static bool may_lose_receive(const struct mpi_model *model, const uint32_t *state, unsigned rank) {
    const struct component *component = component_at(model, state[rank]);
    for (uint32_t i = 0; i < component->count; i++)
        if (component->pending[i].kind == WIRE_RECEIVE && pending_open(&component->pending[i]) &&
            (component->pending[i].peer == WIRE_ANY_SOURCE || model_may_cancel(model, rank, &component->pending[i])))
            return true;
    return false;
}

/* The receive that the rank counts on, if it hurries, may be gone before. */
static void add_hurried(const struct mpi_model *model, const uint32_t *state, unsigned rank, struct rank_set *set,
                        bool relied_on) {
    for (unsigned to = 0; to < model->ranks; to++)
        if (to != rank && model_may_be_late(model, to) && acts_may_hurry(model, rank, to) &&
            may_lose_receive(model, state, to) && futures_may_hurry(model, state, rank, to, relied_on))
            rank_set_add(set, to);
}

void mpi_model_influences(const struct mpi_model *model, const uint32_t *state, unsigned rank, struct rank_set *set,
                          bool relied_on) {
    const struct component *component = component_at(model, state[rank]);
    const struct call *call = component_call(component);
    bool receives = receives_first(component, call);
    bool late = model_may_be_late(model, rank), goes = late && model_is_determined(model, state, rank);
    for (uint32_t i = 0; i < component->count; i++)
        add_of_operation(model, state, rank, i, receives, goes, set, relied_on);
    if (goes || (late && call && call->kind != WIRE_CALL_WAIT_ALL))
        add_hurrying(model, state, rank, set, relied_on);
    if (late)
        add_filling(model, state, rank, set, relied_on);
    if (model->expected.hurries > 0)
        add_hurried(model, state, rank, set, relied_on);
    if (call && call_is_probe(call)) {
        struct envelope envelope = probe_envelope(component, call);
        add_sources(model, state, rank, &envelope, set, relied_on);
    }
}

/* Among what the rank has asked of an agent already, is there something that does not commute with such a request? */
static bool has_rival(const struct mpi_model *model, const struct component *component, const struct pending *request) {
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *other = &component->pending[i];
        if (other->kind == WIRE_SEND && pending_open(other) && other->peer == request->peer &&
            other->context == request->context && !requests_commute(model, request_of(other), request_of(request)))
            return true;
    }
    return false;
}

/* An agent serves a request. Its origin has nothing to say to it before that. */
bool mpi_model_commutes(const struct mpi_model *model, const uint32_t *state, const struct transition *transition,
                        struct rank_set *rivals, struct rank_set *set, bool relied_on) {
    const struct pending *request = &component_at(model, state[transition->partner])->pending[transition->b];
    if (!transition->calm || !request_may_commute(request_of(request)))
        return false;
    const struct context *context = &model->context[request->context];
    for (uint32_t i = 0; i < context->members; i++) {
        unsigned source = (unsigned)context->member[i];
        if (source == transition->partner)
            continue;
        if (has_rival(model, component_at(model, state[source]), request))
            rank_set_add(rivals, source);
        else if (!has_ended(model, state, source) && futures_may_rival(model, state, source, transition, relied_on))
            rank_set_add(set, source);
    }
    return true;
}
