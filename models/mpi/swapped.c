/* Two ranks in each other's place: images of components, answers and results. */
#include "models/mpi/model_parts.h"

#include <stdlib.h>
#include <string.h>

/* What is looked at: of which rank, with whose image what. */
struct looking {
    const struct mpi_model *model;
    const struct swap *swap;
    unsigned rank;
};

static int32_t image_of_peer(const struct swap *swap, int32_t peer) {
    return peer < 0 ? peer : (int32_t)swap_rank(swap, (unsigned)peer);
}

/* With sends in ready mode, or in the attached buffer, which hurry, all ranks are told apart. */
static bool can_swap(const struct mpi_model *model) {
    return !model->expected.cancels && !model->expected.hurries && !model->hurried;
}

/* Are the two in it alike? */
static bool is_even(const struct mpi_model *model, const struct swap *swap, uint32_t context) {
    const struct context *group = &model->context[context];
    return !group->first_group && !group->source && (group->position[swap->one] < 0) == (group->position[swap->other] < 0);
}

/* ---- operations ---- */

/* Of an operation, be it pending or one of a step's. */
struct act {
    uint8_t kind, mode;
    uint32_t context;
    int32_t peer, tag;
    uint32_t payload; /* send: its payload. collective: first of its parts in `part` */
    uint32_t parts;
    bool leaves_out; /* a collective that some members give nothing to */
    const uint32_t *part;
};

/* Does everybody in it do the same, but for a root? */
static bool collective_is_even(const struct act *act) {
    const bool even = act->mode == WIRE_ALL_TO_ALL || act->mode == WIRE_FAN_OUT || act->mode == WIRE_FAN_IN;
    return even && act->peer != WIRE_NO_PART && !act->leaves_out;
}

/* Can there be an image of it? */
static bool act_is_even(const struct mpi_model *model, const struct swap *swap, const struct act *act) {
    switch (act->kind) {
    case WIRE_SEND:
    case WIRE_RECEIVE: return is_even(model, swap, act->context);
    case WIRE_COLLECTIVE: return collective_is_even(act) && is_even(model, swap, act->context);
    case WIRE_FREE: return true;
    default: return false;
    }
}

static struct act act_of_operation(const struct operation *operation, const uint32_t *part) {
    return (struct act){operation->kind,  operation->mode,        operation->context,
                        operation->peer,  operation->tag,         operation->payload,
                        operation->parts, operation->empties > 0, part};
}

static struct act act_of_pending(const struct mpi_model *model, const struct pending *pending) {
    const bool collective = pending->kind == WIRE_COLLECTIVE;
    return (struct act){pending->kind, pending->mode,    pending->context, pending->peer,
                        pending->tag,  pending->payload, pending->parts,   collective && pending->capacity > 0,
                        model->part};
}

/* ---- messages ---- */

static bool image_of_message(const struct swap *swap, struct message message, uint32_t *payload) {
    *payload = NO_PAYLOAD;
    return message.payload == NO_PAYLOAD || swap->image(swap->context, &message, payload);
}

static uint64_t size_of(const struct mpi_model *model, uint32_t payload) {
    return model->payload_size(model->payload_context, payload);
}

/* What depends on how long a message is must not show a difference. */
static bool learn_message(const struct looking *at, struct message message, uint32_t payload) {
    if (message.payload == NO_PAYLOAD || payload == NO_PAYLOAD)
        return message.payload == payload;
    return size_of(at->model, message.payload) == size_of(at->model, payload) &&
           at->swap->learn(at->swap->context, &message, payload);
}

static struct message message_sent(const struct looking *at, const struct act *send) {
    return (struct message){send->context, (int32_t)at->rank, send->peer, send->tag, send->payload};
}

static struct message message_received(const struct looking *at, const struct pending *receive) {
    return (struct message){receive->context, receive->source, (int32_t)at->rank, receive->source_tag, receive->payload};
}

/* What `from` brings to a collective for `to`. */
static struct message message_in_collective(uint32_t context, int32_t from, int32_t to, uint32_t payload) {
    return (struct message){context, from, to, MESSAGE_OF_COLLECTIVE, payload};
}

static uint32_t part_for(const struct act *act, uint32_t member) {
    return collective_part_for(act->part, act->payload, act->parts, member);
}

/* The member in whose place this one is in the image. */
static uint32_t image_of_member(const struct context *context, const struct swap *swap, uint32_t member) {
    return (uint32_t)context->position[swap_rank(swap, (unsigned)context->member[member])];
}

static uint32_t members_with_parts(const struct context *context, const struct act *act) {
    return act->parts ? context->members : 0;
}

static bool learn_parts(const struct looking *at, const struct act *act, const struct act *image) {
    const struct context *context = &at->model->context[act->context];
    if (act->parts != image->parts || (act->parts > 1 && act->parts != context->members))
        return false;
    for (uint32_t i = 0; i < members_with_parts(context, act); i++) {
        struct message message = message_in_collective(act->context, (int32_t)at->rank, context->member[i], part_for(act, i));
        if (!learn_message(at, message, part_for(image, image_of_member(context, at->swap, i))))
            return false;
    }
    return true;
}

static bool is_image_of_act(const struct looking *at, const struct act *act, const struct act *image) {
    if (!act_is_even(at->model, at->swap, act) || act->kind != image->kind || act->mode != image->mode ||
        act->context != image->context || image_of_peer(at->swap, act->peer) != image->peer || act->tag != image->tag ||
        act->leaves_out != image->leaves_out)
        return false;
    switch (act->kind) {
    case WIRE_SEND: return learn_message(at, message_sent(at, act), image->payload);
    case WIRE_COLLECTIVE: return learn_parts(at, act, image);
    default: return true;
    }
}

/* ---- calls ---- */

static bool call_is_even(const struct call *call) {
    return call->kind != WIRE_CALL_DETACH && call->kind != WIRE_CALL_MPROBE && call->kind != WIRE_CALL_IMPROBE;
}

static bool names_context(const struct call *call) { return call_is_probe(call) || call->kind == WIRE_CALL_COLLECTIVE; }

static bool is_image_of_call(const struct looking *at, const struct call *call, const struct call *image) {
    return call_is_even(call) && call->kind == image->kind && call->function == image->function && call->site == image->site &&
           call->context == image->context && (!names_context(call) || is_even(at->model, at->swap, call->context)) &&
           (call_is_probe(call) ? image_of_peer(at->swap, call->peer) : call->peer) == image->peer && call->tag == image->tag &&
           call->requests == image->requests &&
           (!call->requests || memcmp(call->request, image->request, call->requests * sizeof *call->request) == 0);
}

/* Only of ranks that have ended well: after anything else nothing is proved by images. */
static bool is_image_of_end(const struct step_result *result, const struct step_result *image) {
    const struct wire_end *a = &result->end, *b = &image->end;
    return !step_ended_badly(result) && !step_ended_badly(image) && a->leaked_requests == b->leaked_requests &&
           a->leaked_handles == b->leaked_handles && a->leak_site == b->leak_site && a->handle_site == b->handle_site;
}

/* Does the one come to the image of the call that the other comes to, or of its end? NULL: it has just begun. */
static bool comes_to_image(const struct looking *at, const struct step_result *result, const struct step_result *image) {
    if (!result || !image)
        return result == image;
    return result->ended == image->ended &&
           (result->ended ? is_image_of_end(result, image) : is_image_of_call(at, &result->call, &image->call));
}

/* ---- components ---- */

static bool is_plain(const struct pending *pending) { return !(pending->flags & ~(PENDING_FREED | PENDING_PASSED)); }

static bool is_matched(const struct pending *pending) {
    return pending->kind == WIRE_RECEIVE && pending->status == OPERATION_COMPLETE && pending->source >= 0;
}

static bool is_image_of_pending(const struct looking *at, const struct pending *pending, const struct pending *image) {
    const struct act act = act_of_pending(at->model, pending), other = act_of_pending(at->model, image);
    if (!is_plain(pending) || pending->flags != image->flags || pending->status != image->status ||
        pending->function != image->function || pending->synchronous != image->synchronous ||
        pending->request != image->request || pending->site != image->site || pending->touches != image->touches ||
        image_of_peer(at->swap, pending->source) != image->source || pending->source_tag != image->source_tag ||
        pending->capacity != image->capacity || pending->agreement != image->agreement ||
        pending->unordered != image->unordered || !is_image_of_act(at, &act, &other))
        return false;
    return !is_matched(pending) || learn_message(at, message_received(at, pending), image->payload);
}

bool mpi_model_is_image(const struct mpi_model *model, const struct swap *swap, unsigned rank, uint32_t component,
                        uint32_t image) {
    const struct looking at = {model, swap, rank};
    const struct component *here = component_at(model, component), *there = component_at(model, image);
    if (!can_swap(model) || here->count != there->count || here->unissued || there->unissued ||
        !comes_to_image(&at, here->result, there->result))
        return false;
    uint32_t same = 0;
    while (same < here->count && is_image_of_pending(&at, &here->pending[same], &there->pending[same]))
        same++;
    return same == here->count;
}

/* The parts that the members' places in a list give the list of the image. */
static bool swap_parts(struct mpi_model *model, const struct looking *at, struct pending *pending) {
    const struct act act = act_of_pending(model, pending);
    const struct context *context = &model->context[act.context];
    if (act.parts > 1 && act.parts != context->members)
        return false;
    uint32_t *list = model_resize(NULL, (act.parts + 1) * sizeof *list);
    bool known = true;
    for (uint32_t i = 0; i < members_with_parts(context, &act) && known; i++) {
        uint32_t payload;
        known = image_of_message(
            at->swap, message_in_collective(act.context, (int32_t)at->rank, context->member[i], part_for(&act, i)), &payload);
        const uint32_t place = act.parts == 1 ? 0 : image_of_member(context, at->swap, i);
        known = known && (act.parts > 1 || i == 0 || list[0] == payload);
        list[place] = payload;
    }
    if (known)
        pending->payload = parts_intern(model, list, act.parts);
    free(list);
    return known;
}

static bool swap_pending(struct mpi_model *model, const struct looking *at, struct pending *pending) {
    const struct act act = act_of_pending(model, pending);
    const bool collective = pending->kind == WIRE_COLLECTIVE, matched = is_matched(pending);
    if (!is_plain(pending) || !act_is_even(model, at->swap, &act) || (collective && !swap_parts(model, at, pending)) ||
        (pending->kind == WIRE_SEND && !image_of_message(at->swap, message_sent(at, &act), &pending->payload)) ||
        (matched && !image_of_message(at->swap, message_received(at, pending), &pending->payload)))
        return false;
    pending->peer = image_of_peer(at->swap, pending->peer);
    pending->source = image_of_peer(at->swap, pending->source);
    return true;
}

bool mpi_model_swap_component(struct mpi_model *model, const struct swap *swap, unsigned rank, uint32_t component,
                              uint32_t local, const struct step_result *result, uint32_t *image) {
    const struct looking at = {model, swap, rank};
    const struct component *from = component_at(model, component);
    if (!can_swap(model) || from->unissued || !comes_to_image(&at, from->result, result))
        return false;
    draft_open(model, component);
    for (uint32_t i = 0; i < model->draft.count; i++)
        if (!swap_pending(model, &at, &model->draft.pending[i]))
            return false;
    *image = draft_close(model, local, result);
    return true;
}

/* ---- answers ---- */

static int by_index(const void *a, const void *b) {
    const struct completion *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

/* What members have brought to a collective for the rank: `count` completions, in the order of members. */
static bool swap_brought(const struct looking *at, const struct pending *record, const struct completion *completion,
                         uint32_t count, struct completion *image) {
    const struct context *context = &at->model->context[record->context];
    const struct act act = act_of_pending(at->model, record);
    if (!act_is_even(at->model, at->swap, &act))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t member = completion[i].index;
        const struct message message =
            message_in_collective(record->context, context->member[member], (int32_t)at->rank, completion[i].payload);
        image[i] = completion[i];
        image[i].index = image_of_member(context, at->swap, member);
        if (!image_of_message(at->swap, message, &image[i].payload))
            return false;
    }
    qsort(image, count, sizeof *image, by_index);
    return true;
}

static bool swap_completed(const struct looking *at, const struct component *component, const struct resolution *answer,
                           struct resolution *image) {
    const struct call *call = component_call(component);
    for (uint32_t i = 0; i < answer->completions; i += 1 + answer->completion[i].parts) {
        const struct completion *completion = &answer->completion[i];
        const uint32_t place = pending_find(component, call->request[completion->index]);
        if (place == UINT32_MAX || completion->cancelled)
            return false;
        const struct pending *pending = &component->pending[place];
        image->completion[i] = *completion;
        image->completion[i].source = image_of_peer(at->swap, completion->source);
        if (completion->payload != NO_PAYLOAD &&
            !image_of_message(at->swap, message_received(at, pending), &image->completion[i].payload))
            return false;
        if (completion->parts && !swap_brought(at, pending, completion + 1, completion->parts, &image->completion[i + 1]))
            return false;
    }
    return true;
}

static bool swap_found(const struct looking *at, const struct component *component, const struct completion *found,
                       struct completion *image) {
    const struct message message = {component_call(component)->context, found->source, (int32_t)at->rank, found->tag,
                                    found->payload};
    *image = *found;
    image->source = image_of_peer(at->swap, found->source);
    return !found->with_data && !found->claim && image_of_message(at->swap, message, &image->payload);
}

static bool swap_left(const struct looking *at, const struct component *component, const struct resolution *answer,
                      struct resolution *image) {
    const uint32_t record = collective_current(component);
    return record != UINT32_MAX &&
           swap_brought(at, &component->pending[record], answer->completion, answer->completions, image->completion);
}

bool mpi_model_swap_answer(const struct mpi_model *model, const struct swap *swap, unsigned rank, uint32_t component,
                           const struct resolution *answer, struct resolution *image) {
    const struct looking at = {model, swap, rank};
    const struct component *from = component_at(model, component);
    memcpy(image, answer, sizeof *answer);
    if (!can_swap(model) || from->unissued)
        return false;
    switch (answer->kind) {
    case WIRE_GO:
    case WIRE_NOT_YET: return answer->completions == 0;
    case WIRE_COMPLETED: return swap_completed(&at, from, answer, image);
    case WIRE_FOUND: return swap_found(&at, from, &answer->completion[0], &image->completion[0]);
    case WIRE_LEFT: return swap_left(&at, from, answer, image);
    default: return false;
    }
}

/* ---- results ---- */

bool mpi_model_is_image_operation(const struct mpi_model *model, const struct swap *swap, unsigned rank,
                                  const struct step_result *result, uint32_t operation, const struct step_result *image,
                                  uint32_t operation_of_image) {
    const struct looking at = {model, swap, rank};
    const struct operation *a = &result->operation[operation], *b = &image->operation[operation_of_image];
    const struct act act = act_of_operation(a, result->part), other = act_of_operation(b, image->part);
    return can_swap(model) && a->function == b->function && a->request == b->request && a->capacity == b->capacity &&
           a->agreement == b->agreement && a->touches == b->touches && a->unordered == b->unordered &&
           is_image_of_act(&at, &act, &other);
}

bool mpi_model_is_image_result(const struct mpi_model *model, const struct swap *swap, unsigned rank,
                               const struct step_result *result, const struct step_result *image) {
    const struct looking at = {model, swap, rank};
    if (!can_swap(model) || result->operations != image->operations || !comes_to_image(&at, result, image))
        return false;
    uint32_t same = 0;
    while (same < result->operations && result->operation[same].site == image->operation[same].site &&
           mpi_model_is_image_operation(model, swap, rank, result, same, image, same))
        same++;
    return same == result->operations;
}

/* ---- for those who look for images ---- */

void mpi_model_forget_moves(struct mpi_model *model) {
    remembered_forget(model);
    for (uint32_t i = 0; i < model->components; i++)
        model->component[i]->next = NOTHING_NEXT;
}

uint32_t mpi_model_components(const struct mpi_model *model) { return model->components; }
