/* Matching (MPI-3.1 section 3.5): messages of one sender on one communicator do not overtake each other, and receives take
 * messages in the order in which they were posted. */
#include "models/mpi/model_parts.h"

#include <stdio.h>

bool envelope_accepts(const struct envelope *envelope, unsigned source, const struct pending *send) {
    return envelope->context == send->context && (envelope->source == WIRE_ANY_SOURCE || envelope->source == (int32_t)source) &&
           (envelope->tag == WIRE_ANY_TAG || envelope->tag == send->tag);
}

bool channel_is_message(const struct pending *pending, unsigned to) {
    return pending->kind == WIRE_SEND && pending->peer == (int32_t)to && pending_open(pending);
}

struct envelope receive_envelope(const struct pending *pending, uint32_t receive) {
    return (struct envelope){pending[receive].context, pending[receive].peer, pending[receive].tag, receive};
}

struct envelope probe_envelope(const struct component *component, const struct call *call) {
    return (struct envelope){call->context, call->peer, call->tag, component->count};
}

uint32_t channel_first(const struct mpi_model *model, const uint32_t *state, unsigned rank, unsigned source,
                       const struct envelope *envelope) {
    const struct component *from = component_at(model, state[source]);
    for (uint32_t i = 0; i < from->count; i++)
        if (channel_is_message(&from->pending[i], rank) && envelope_accepts(envelope, source, &from->pending[i]))
            return i;
    return UINT32_MAX;
}

static bool taken_earlier(const struct component *component, const struct envelope *envelope, unsigned source,
                          const struct pending *send) {
    for (uint32_t i = 0; i < envelope->before; i++) {
        const struct pending *receive = &component->pending[i];
        if (receive->kind != WIRE_RECEIVE || !pending_open(receive))
            continue;
        struct envelope earlier = receive_envelope(component->pending, i);
        if (envelope_accepts(&earlier, source, send))
            return true;
    }
    return false;
}

uint32_t channel_match(const struct mpi_model *model, const uint32_t *state, unsigned rank, unsigned source,
                       const struct envelope *envelope) {
    uint32_t send = channel_first(model, state, rank, source, envelope);
    if (send == UINT32_MAX)
        return UINT32_MAX;
    const struct pending *message = &component_at(model, state[source])->pending[send];
    return taken_earlier(component_at(model, state[rank]), envelope, source, message) ? UINT32_MAX : send;
}

/* A receive and the message that it takes. */
struct delivery {
    const struct pending *receive, *send;
    unsigned rank, source;
    uint64_t size;
};

static void violate(const struct delivery *delivery, const char *class_name, struct violation *violation) {
    *violation = (struct violation){.class_name = class_name,
                                    .rank = (uint16_t)delivery->rank,
                                    .partner = (uint16_t)delivery->source,
                                    .site = delivery->receive->site,
                                    .partner_site = delivery->send->site,
                                    .function = delivery->receive->function,
                                    .partner_function = delivery->send->function};
}

static bool truncated(const struct delivery *delivery, struct violation *violation) {
    if (delivery->size <= delivery->receive->capacity || delivery->receive->mode == WIRE_HANDLED_ERRORS)
        return false;
    violate(delivery, "truncation", violation);
    snprintf(violation->message, sizeof violation->message,
             "rank %u receives a message of %llu bytes from rank %u into a buffer of %llu bytes", delivery->rank,
             (unsigned long long)delivery->size, delivery->source, (unsigned long long)delivery->receive->capacity);
    return true;
}

static bool mistyped(const struct mpi_model *model, const struct delivery *delivery, struct violation *violation) {
    if (delivery->send->agreement == delivery->receive->agreement)
        return false;
    struct signature sent = signature_named(model, delivery->send->agreement);
    struct signature received = signature_named(model, delivery->receive->agreement);
    struct signature_mismatch mismatch;
    if (signatures_match(&sent, &received, delivery->size, &mismatch))
        return false;
    violate(delivery, "type-mismatch", violation);
    char room[2][BASIC_TYPE_ROOM];
    snprintf(violation->message, sizeof violation->message,
             "rank %u receives as %s what rank %u sends as %s (byte %llu of a message of %llu bytes)", delivery->rank,
             basic_type_name(mismatch.received, room[0]), delivery->source, basic_type_name(mismatch.sent, room[1]),
             (unsigned long long)mismatch.offset, (unsigned long long)delivery->size);
    return true;
}

uint64_t channel_message_size(const struct mpi_model *model, const struct pending *message) {
    return message->payload == NO_PAYLOAD ? 0 : model->payload_size(model->payload_context, message->payload);
}

bool channel_breaks_rule(const struct mpi_model *model, unsigned rank, const struct pending *receive, unsigned source,
                         const struct pending *send, struct violation *violation) {
    const struct delivery delivery = {receive, send, rank, source, channel_message_size(model, send)};
    return truncated(&delivery, violation) || mistyped(model, &delivery, violation);
}

bool channel_end_send(struct pending *pending) {
    if (pending->request == WIRE_NO_REQUEST)
        return false;
    pending->status = OPERATION_COMPLETE;
    if (pending->flags & PENDING_CLAIMED) {
        pending->flags &= (uint8_t)~PENDING_CLAIMED;
        pending->capacity = 0;
    }
    pending->payload = NO_PAYLOAD; /* what was sent no longer matters */
    return true;
}

bool channel_end_receive(struct pending *pending, unsigned source, const struct pending *message) {
    if (pending->request == WIRE_NO_REQUEST)
        return false;
    pending->status = OPERATION_COMPLETE;
    pending->source = (int32_t)source;
    pending->source_tag = message->tag;
    pending->synchronous = message->mode == WIRE_SYNCHRONOUS;
    pending->payload = message->payload;
    return true;
}

static void complete_send(struct mpi_model *model, uint32_t *state, unsigned source, uint32_t send) {
    draft_open(model, state[source]);
    if (!channel_end_send(&model->draft.pending[send]))
        draft_remove(&model->draft, send);
    state[source] = draft_close_same(model, state[source]);
}

static void complete_receive(struct mpi_model *model, uint32_t *state, unsigned rank, uint32_t receive, unsigned source,
                             const struct pending *message) {
    draft_open(model, state[rank]);
    if (!channel_end_receive(&model->draft.pending[receive], source, message))
        draft_remove(&model->draft, receive);
    state[rank] = draft_close_same(model, state[rank]);
}

bool channel_deliver(struct mpi_model *model, uint32_t *state, unsigned rank, uint32_t receive, unsigned source, uint32_t send,
                     struct violation *violation) {
    const struct pending message = component_at(model, state[source])->pending[send];
    bool bad =
        channel_breaks_rule(model, rank, &component_at(model, state[rank])->pending[receive], source, &message, violation);
    uint32_t receiver = state[rank], sender = state[source];
    /* The receive first: for a message to itself the send's index must not have moved, so the later one goes first. */
    if (rank == source && send > receive) {
        complete_send(model, state, source, send);
        complete_receive(model, state, rank, receive, source, &message);
    } else {
        complete_receive(model, state, rank, receive, source, &message);
        complete_send(model, state, source, send);
    }
    if (!bad && rank != source)
        remember_match(model, receiver, receive, sender, send, state[rank], state[source]);
    return !bad;
}

/* The send of the message that `rank` has claimed under this number; UINT32_MAX if it has not. */
static uint32_t claimed_send(const struct component *sender, unsigned rank, uint64_t claim) {
    for (uint32_t i = 0; i < sender->count; i++) {
        const struct pending *pending = &sender->pending[i];
        if (pending->flags & PENDING_CLAIMED && pending->peer == (int32_t)rank && pending->capacity == claim)
            return i;
    }
    return UINT32_MAX;
}

/* MPI_Imrecv: from now on it is a receive like another that is complete, and not reported yet. */
static void keep_received(struct mpi_model *model, uint32_t *state, unsigned rank, uint32_t receive,
                          const struct pending *message) {
    draft_open(model, state[rank]);
    struct pending *pending = &model->draft.pending[receive];
    const unsigned source = (unsigned)pending->peer;
    pending->kind = WIRE_RECEIVE;
    pending->capacity = 0;
    state[rank] = draft_close_same(model, state[rank]);
    complete_receive(model, state, rank, receive, source, message);
}

static void forget_receive(struct mpi_model *model, uint32_t *state, unsigned rank, uint32_t receive) {
    draft_open(model, state[rank]);
    draft_remove(&model->draft, receive);
    state[rank] = draft_close_same(model, state[rank]);
}

/* MPI_Mrecv, MPI_Imrecv: the claimed message is received, its sender goes on. The bytes the rank has had since the probe. */
static bool receive_claimed(struct mpi_model *model, uint32_t *state, unsigned rank, uint32_t receive,
                            struct violation *violation) {
    const struct pending receiving = component_at(model, state[rank])->pending[receive];
    const bool known = receiving.peer >= 0 && (unsigned)receiving.peer < model->ranks;
    const unsigned source = known ? (unsigned)receiving.peer : rank;
    uint32_t send = known ? claimed_send(component_at(model, state[source]), rank, receiving.capacity) : UINT32_MAX;
    if (send == UINT32_MAX) {
        forget_receive(model, state, rank, receive);
        return true;
    }
    const struct pending message = component_at(model, state[source])->pending[send];
    const struct delivery delivery = {&receiving, &message, rank, source, channel_message_size(model, &message)};
    if (receiving.request == WIRE_NO_REQUEST)
        forget_receive(model, state, rank, receive);
    else
        keep_received(model, state, rank, receive, &message);
    complete_send(model, state, source, claimed_send(component_at(model, state[source]), rank, receiving.capacity));
    return !mistyped(model, &delivery, violation);
}

bool channel_settle_claimed(struct mpi_model *model, uint32_t *state, unsigned rank, struct violation *violation) {
    for (uint32_t i = 0; i < component_at(model, state[rank])->count;) {
        if (component_at(model, state[rank])->pending[i].kind != WIRE_RECEIVE_MESSAGE)
            i++;
        else if (!receive_claimed(model, state, rank, i, violation))
            return false;
    }
    return true;
}
