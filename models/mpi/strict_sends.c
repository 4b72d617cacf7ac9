/* Sends that are right only at the right time: a ready send needs a receive that is posted already (MPI-3.1 section 3.4), a
 * buffered one needs room in the attached buffer (section 3.6). What a buffered message takes there becomes free when it is
 * received; that it may be sent off earlier is up to MPI, so a program must not count on it. MPI_Buffer_detach waits for all of
 * them to be received or sent off. MPI_Win_start with MPI_MODE_NOCHECK makes a ready send of what MPI_Win_post receives. */
#include "models/mpi/functions.h"
#include "models/mpi/model_parts.h"

#include <stdio.h>
#include <stdlib.h>

static bool could_take(const struct pending *receive, unsigned source, const struct pending *send) {
    const struct envelope envelope = {receive->context, receive->peer, receive->tag, 0};
    return receive->kind == WIRE_RECEIVE && pending_open(receive) && envelope_accepts(&envelope, source, send);
}

/* The first receive that could take the message and is not among those taken; UINT32_MAX: none. */
static uint32_t receive_for(const struct pending *send, unsigned source, const struct pending *pending, uint32_t count,
                            const bool *taken) {
    uint32_t i = 0;
    while (i < count && (taken[i] || !could_take(&pending[i], source, send)))
        i++;
    return i < count ? i : UINT32_MAX;
}

/* Messages of this rank that are before it, whatever their tags, take receives first. */
static bool is_unready(const struct mpi_model *model, const uint32_t *state, unsigned rank, const struct pending *send) {
    const struct draft *own = &model->draft;
    const struct component *receiver = component_at(model, state[send->peer]);
    const bool to_itself = send->peer == (int32_t)rank;
    const struct pending *pending = to_itself ? own->pending : receiver->pending;
    const uint32_t count = to_itself ? own->count : receiver->count;
    bool *taken = model_zeroed(count + 1);
    for (uint32_t i = 0; i + 1 < own->count; i++) {
        const struct pending *before = &own->pending[i];
        if (before->kind != WIRE_SEND || before->peer != send->peer || !pending_open(before))
            continue;
        uint32_t receive = receive_for(before, rank, pending, count, taken);
        if (receive != UINT32_MAX)
            taken[receive] = true;
    }
    const bool unready = receive_for(send, rank, pending, count, taken) == UINT32_MAX;
    free(taken);
    return unready;
}

bool strict_is_in_time(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned to, uint32_t context,
                       int32_t tag, uint32_t number) {
    const struct component *receiver = component_at(model, state[to]);
    const struct pending send = {.kind = WIRE_SEND, .context = context, .peer = (int32_t)to, .tag = tag};
    uint32_t receives = 0;
    for (uint32_t i = 0; i < receiver->count; i++)
        receives += could_take(&receiver->pending[i], source, &send);
    return receives >= number;
}

/* What a matched probe has found is there until it is received. */
bool strict_in_buffer(const struct pending *pending) {
    return pending->kind == WIRE_SEND && pending->mode == WIRE_BUFFERED && pending->status != OPERATION_COMPLETE &&
           !(pending->flags & (PENDING_CANCELLED | PENDING_SENT_OFF));
}

uint64_t strict_room_taken(const struct mpi_model *model, const struct pending *pending) {
    return channel_message_size(model, pending) + WIRE_BSEND_OVERHEAD;
}

/* A message of the rank to itself, which it has found by a matched probe, and received since. */
static bool is_back(const struct draft *own, unsigned rank, const struct pending *send) {
    bool back = false;
    for (uint32_t i = 0; i < own->count && send->flags & PENDING_CLAIMED && send->peer == (int32_t)rank; i++)
        back |= own->pending[i].kind == WIRE_RECEIVE_MESSAGE && own->pending[i].peer == (int32_t)rank &&
                own->pending[i].capacity == send->capacity;
    return back;
}

static bool overflows(const struct mpi_model *model, unsigned rank, uint64_t room) {
    uint64_t taken = 0;
    for (uint32_t i = 0; i < model->draft.count; i++) {
        const struct pending *pending = &model->draft.pending[i];
        if (strict_in_buffer(pending) && !is_back(&model->draft, rank, pending))
            taken += strict_room_taken(model, pending);
    }
    return taken > room;
}

bool strict_hurries(const struct operation *operation) {
    return operation->kind == WIRE_SEND &&
           (operation->mode == WIRE_READY || (operation->mode == WIRE_BUFFERED && operation->capacity));
}

void strict_check(struct mpi_model *model, const uint32_t *state, unsigned rank, const struct operation *operation) {
    if (!strict_hurries(operation) || operation->peer < 0 || (unsigned)operation->peer >= model->ranks)
        return;
    struct pending *send = &model->draft.pending[model->draft.count - 1];
    bool ready = operation->mode == WIRE_READY;
    model->hurried = true;
    expectations_note_hurry(model, rank, operation);
    if (ready && is_unready(model, state, rank, send))
        send->flags |= PENDING_UNREADY;
    if (!ready && overflows(model, rank, operation->capacity))
        send->flags |= PENDING_OVERFLOW;
}

static void tell(unsigned rank, const struct pending *send, struct violation *violation) {
    const bool of_window = send->function == FUNCTION_MPI_Win_start;
    *violation = (struct violation){.class_name = of_window ? "rma-epoch" : "invalid-argument",
                                    .rank = (uint16_t)rank,
                                    .partner = (uint16_t)rank,
                                    .site = send->site,
                                    .partner_site = send->site,
                                    .function = send->function,
                                    .partner_function = send->function};
    if (of_window)
        snprintf(violation->message, sizeof violation->message,
                 "rank %u starts an epoch with MPI_MODE_NOCHECK, though rank %d may not have called MPI_Win_post yet", rank,
                 send->peer);
    else if (send->flags & PENDING_UNREADY)
        snprintf(violation->message, sizeof violation->message,
                 "rank %u makes a ready send to rank %d, which may not have posted a matching receive yet (tag %d)", rank,
                 send->peer, send->tag);
    else
        snprintf(violation->message, sizeof violation->message,
                 "rank %u makes a buffered send to rank %d (tag %d) that does not fit into the attached buffer beside earlier "
                 "messages, which may not have been received yet",
                 rank, send->peer, send->tag);
}

bool strict_settle(const struct mpi_model *model, const uint32_t *state, struct violation *violation) {
    if (!model->hurried)
        return true;
    for (unsigned rank = 0; rank < model->ranks; rank++) {
        const struct component *component = component_at(model, state[rank]);
        for (uint32_t i = 0; i < component->count; i++)
            if (component->pending[i].flags & (PENDING_UNREADY | PENDING_OVERFLOW)) {
                tell(rank, &component->pending[i], violation);
                return false;
            }
    }
    return true;
}

bool strict_buffer_is_empty(const struct component *component) {
    for (uint32_t i = 0; i < component->count; i++)
        if (strict_in_buffer(&component->pending[i]))
            return false;
    return true;
}

void strict_empty_buffer(struct draft *draft) {
    for (uint32_t i = 0; i < draft->count; i++)
        if (strict_in_buffer(&draft->pending[i]))
            draft->pending[i].flags |= PENDING_SENT_OFF;
}
