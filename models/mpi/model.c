/* The model's life, and the moves that are not choices. */
#include "models/mpi/futures.h"
#include "models/mpi/model_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *model_zeroed(size_t bytes) {
    void *block = calloc(1, bytes);
    if (!block) {
        fprintf(stderr, "explore: out of memory\n");
        exit(3);
    }
    return block;
}

struct mpi_model *mpi_model_create(unsigned ranks, enum buffering buffering,
                                   uint64_t (*payload_size)(void *context, uint32_t payload), void *context) {
    struct mpi_model *model = model_zeroed(sizeof *model);
    model->ranks = ranks;
    model->buffering = buffering;
    model->payload_size = payload_size;
    model->payload_context = context;
    model->acts = acts_create(ranks);
    model->futures = futures_create();
    model->answer = model_zeroed(ranks * sizeof *model->answer);
    model->answer_room = model_zeroed(ranks * sizeof *model->answer_room);
    for (unsigned rank = 0; rank < ranks; rank++)
        model->answer[rank] = model_zeroed(sizeof **model->answer);
    int32_t *world = model_zeroed(ranks * sizeof *world);
    for (unsigned rank = 0; rank < ranks; rank++)
        world[rank] = (int32_t)rank;
    mpi_model_context(model, WIRE_WORLD_CONTEXT, world, ranks);
    free(world);
    return model;
}

void mpi_model_add_agents(struct mpi_model *model, unsigned agents) {
    unsigned before = model->ranks, ranks = before + agents;
    model->ranks = ranks;
    model->agents = agents;
    acts_add_ranks(model->acts, agents);
    futures_expect_agents(model->futures);
    model->answer = model_resize(model->answer, ranks * sizeof *model->answer);
    model->answer_room = model_resize(model->answer_room, ranks * sizeof *model->answer_room);
    for (unsigned rank = before; rank < ranks; rank++) {
        model->answer[rank] = model_zeroed(sizeof **model->answer);
        model->answer_room[rank] = 0;
    }
    for (uint32_t i = 0; i < model->contexts; i++) {
        struct context *context = &model->context[i];
        context->position = model_resize(context->position, ranks * sizeof *context->position);
        memset(context->position + before, 0xff, agents * sizeof *context->position);
    }
}

void mpi_model_destroy(struct mpi_model *model) {
    for (uint32_t i = 0; i < model->contexts; i++) {
        free(model->context[i].member);
        free(model->context[i].position);
        free(model->context[i].source);
    }
    touches_free(model);
    for (uint32_t i = 0; i < model->signatures; i++)
        free((void *)model->signature[i].run);
    for (uint32_t i = 0; i < model->components; i++)
        free(model->component[i]);
    for (unsigned rank = 0; rank < model->ranks; rank++)
        free(model->answer[rank]);
    free(model->context);
    free(model->signature);
    name_table_free(&model->context_names);
    name_table_free(&model->signature_names);
    free(model->meaning);
    name_table_free(&model->meaning_names);
    free(model->component);
    name_table_free(&model->component_names);
    name_table_free(&model->part_names);
    free(model->part);
    for (uint32_t i = 0; i < model->retireds; i++)
        free(model->retired[i]);
    free(model->retired);
    free(model->draft.pending);
    settling_free(model->settling);
    remembered_forget(model);
    acts_destroy(model->acts);
    futures_destroy(model->futures);
    free(model->answer);
    free(model->answer_room);
    free(model);
}

uint64_t mpi_model_memory(const struct mpi_model *model) {
    return model->component_bytes + model->component_room * sizeof *model->component +
           name_table_bytes(&model->component_names) + name_table_bytes(&model->part_names) +
           model->context_room * sizeof *model->context + name_table_bytes(&model->context_names) +
           name_table_bytes(&model->signature_names) + model->part_room * sizeof *model->part + remembered_memory(model) +
           futures_memory(model->futures) + touches_memory(model);
}

uint32_t mpi_model_context(struct mpi_model *model, uint64_t name, const int32_t *member, uint32_t members) {
    const uint32_t known = name_table_find(&model->context_names, name_of_hash(name));
    if (known != NAME_UNKNOWN)
        return known;
    name_table_add(&model->context_names, name_of_hash(name), model->contexts);
    model->context = model_room_shared(model, model->context, &model->context_room, model->contexts, sizeof *model->context);
    struct context *context = &model->context[model->contexts];
    *context = (struct context){.name = name};
    context->member = model_zeroed((members + 1) * sizeof *context->member);
    context->position = model_zeroed(model->ranks * sizeof *context->position);
    memset(context->position, 0xff, model->ranks * sizeof *context->position);
    for (uint32_t i = 0; i < members; i++) {
        if (member[i] < 0 || (unsigned)member[i] >= model->ranks)
            continue;
        context->position[member[i]] = (int32_t)context->members;
        context->member[context->members++] = member[i];
    }
    return model->contexts++;
}

void mpi_model_signature(struct mpi_model *model, uint64_t name, const struct wire_run *run, uint32_t runs) {
    if (name_table_find(&model->signature_names, name_of_hash(name)) != NAME_UNKNOWN)
        return;
    name_table_add(&model->signature_names, name_of_hash(name), model->signatures);
    struct wire_run *copy = model_zeroed(runs * sizeof *copy);
    memcpy(copy, run, runs * sizeof *copy);
    model->signature = model_room(model->signature, &model->signature_room, model->signatures, sizeof *model->signature);
    model->signature[model->signatures++] = (struct signature){name, runs, copy};
}

struct signature signature_named(const struct mpi_model *model, uint64_t name) {
    static const struct wire_run basic[] = {
        {0},
#define BASIC_TYPE(name) {.type = BASIC_##name, .bytes = UINT64_MAX},
#include "models/mpi/basic_types.def"
#undef BASIC_TYPE
    };
    if (name != BASIC_TYPE_none && name < BASIC_TYPE_count)
        return (struct signature){name, 1, &basic[name]};
    const uint32_t number = name_table_find(&model->signature_names, name_of_hash(name));
    return number == NAME_UNKNOWN ? (struct signature){0} : model->signature[number];
}

void mpi_model_meaning(struct mpi_model *model, uint64_t half, const char *text) {
    if (name_table_find(&model->meaning_names, name_of_hash(half)) != NAME_UNKNOWN)
        return;
    name_table_add(&model->meaning_names, name_of_hash(half), model->meanings);
    model->meaning = model_room(model->meaning, &model->meaning_room, model->meanings, sizeof *model->meaning);
    strncpy(model->meaning[model->meanings++], text, WIRE_MEANING_ROOM);
}

const char *meaning_of(const struct mpi_model *model, uint64_t half) {
    const uint32_t number = name_table_find(&model->meaning_names, name_of_hash(half));
    return number == NAME_UNKNOWN ? NULL : model->meaning[number];
}

void mpi_model_groups(struct mpi_model *model, uint32_t number, uint32_t first_group) {
    struct context *context = &model->context[number];
    if (first_group < context->members)
        context->first_group = first_group;
}

void mpi_model_sources(struct mpi_model *model, uint32_t number, int32_t rank, const int32_t *source, uint32_t sources) {
    struct context *context = &model->context[number];
    if (rank < 0 || (unsigned)rank >= model->ranks || context->position[rank] < 0)
        return;
    if (!context->source)
        context->source = model_zeroed(context->members * sizeof *context->source);
    for (uint32_t i = 0; i < sources; i++)
        if (source[i] >= 0 && (unsigned)source[i] < model->ranks)
            rank_set_add(&context->source[context->position[rank]], (unsigned)source[i]);
}

uint32_t mpi_model_initial(struct mpi_model *model, uint32_t local) {
    draft_begin(model);
    return draft_close(model, local, NULL);
}

uint32_t mpi_model_local(const struct mpi_model *model, uint32_t component) { return component_at(model, component)->local; }
bool mpi_model_ended(const struct mpi_model *model, uint32_t component) { return component_at(model, component)->ended; }
const struct step_result *mpi_model_result(const struct mpi_model *model, uint32_t component) {
    return component_at(model, component)->result;
}

/* --- settling -------------------------------------------------------------------------------------------------------- */

static bool settle_collectives(struct mpi_model *model, uint32_t *state, struct violation *violation) {
    unsigned rank = 0;
    while (rank < model->ranks && collective_settle(model, state, rank, violation))
        rank++;
    return rank == model->ranks;
}

/* The first violation is that of the first rank. */
bool mpi_model_settle(struct mpi_model *model, uint32_t *state, struct violation *violation) {
    violation->class_name = NULL;
    if (!strict_settle(model, state, violation))
        return false;
    if (channel_settle_all(model, state)) {
        if (settle_collectives(model, state, violation))
            return true;
        channel_unsettle_all(model, state);
    }
    for (unsigned rank = 0; rank < model->ranks; rank++) {
        if (component_at(model, state[rank])->count == 0)
            continue;
        if (!channel_settle(model, state, rank, violation) || !collective_settle(model, state, rank, violation))
            return false;
    }
    return true;
}

/* --- ready ----------------------------------------------------------------------------------------------------------- */

static bool is_ready_probe(const struct mpi_model *model, const uint32_t *state, unsigned rank, const struct call *call) {
    if (call->peer == WIRE_ANY_SOURCE)
        return false;
    struct envelope envelope = probe_envelope(component_at(model, state[rank]), call);
    uint32_t send = channel_match(model, state, rank, (unsigned)call->peer, &envelope);
    if (send == UINT32_MAX)
        return false;
    const struct component *sender = component_at(model, state[call->peer]);
    return !pending_cancellable(model, (unsigned)call->peer, &sender->pending[send], component_call(sender));
}

static bool is_ready_collective(const struct mpi_model *model, const uint32_t *state, unsigned rank) {
    uint32_t record = collective_current(component_at(model, state[rank]));
    return collective_all_entered(model, state, rank, record) ||
           (model->buffering == BUFFERING_INFINITE && collective_has_data(model, state, rank, record));
}

bool model_is_determined(const struct mpi_model *model, const uint32_t *state, unsigned rank) {
    const struct component *component = component_at(model, state[rank]);
    const struct call *call = component_call(component);
    if (!call)
        return false;
    switch (call->kind) {
    case WIRE_CALL_START: return true;
    case WIRE_CALL_WAIT_ANY:
    case WIRE_CALL_WAIT_SOME: return call->requests == 1 && call_complete_count(component, call) == 1;
    case WIRE_CALL_WAIT_ALL: return call_complete_count(component, call) == call->requests;
    case WIRE_CALL_PROBE:
    case WIRE_CALL_MPROBE: return is_ready_probe(model, state, rank, call);
    case WIRE_CALL_COLLECTIVE: return is_ready_collective(model, state, rank);
    case WIRE_CALL_DETACH: return model->buffering == BUFFERING_INFINITE || strict_buffer_is_empty(component);
    default: return false;
    }
}

const struct resolution *model_determined(struct mpi_model *model, const uint32_t *state, unsigned rank) {
    const struct component *component = component_at(model, state[rank]);
    const struct call *call = component_call(component);
    if (component->unissued || !model_is_determined(model, state, rank))
        return NULL;
    switch (call->kind) {
    case WIRE_CALL_START: return answer_begin(model, rank, WIRE_GO);
    case WIRE_CALL_PROBE:
    case WIRE_CALL_MPROBE: return call_found(model, state, rank, (unsigned)call->peer);
    case WIRE_CALL_COLLECTIVE: return collective_answer(model, state, rank);
    case WIRE_CALL_DETACH: return answer_begin(model, rank, WIRE_COMPLETED);
    default: return call_completed(model, state, rank, (struct choice){CHOICE_ALL, 0});
    }
}

const struct resolution *mpi_model_ready(struct mpi_model *model, const uint32_t *state, unsigned rank) {
    return model_may_be_late(model, rank) ? NULL : model_determined(model, state, rank);
}

/* --- steps ----------------------------------------------------------------------------------------------------------- */

static uint32_t draft_find(const struct draft *draft, uint32_t request) {
    return request_find_from(draft->pending, draft->count, request, &(uint32_t){0});
}

/* The rank has been told: a buffered message stays in its channel, a collective until all know, everything else is over. */
static void forget_reported(struct draft *draft, const struct call *call, const struct resolution *resolution) {
    uint32_t from = 0;
    for (uint32_t i = 0; i < resolution->completions; i += 1 + resolution->completion[i].parts) {
        const uint32_t request = call->request[resolution->completion[i].index];
        const uint32_t at = request_find_from(draft->pending, draft->count, request, &from);
        if (at == UINT32_MAX)
            continue;
        if (draft->pending[at].kind == WIRE_SEND && draft->pending[at].status == OPERATION_BUFFERED)
            draft->pending[at].request = WIRE_NO_REQUEST;
        else if (draft->pending[at].kind == WIRE_COLLECTIVE)
            collective_leave(&draft->pending[at]);
        else
            draft->pending[at].kind = OPERATION_GONE;
    }
    draft_close_gaps(draft);
}

static void forget_passed(struct draft *draft) {
    for (uint32_t i = 0; i < draft->count; i++)
        draft->pending[i].flags &= (uint8_t)~PENDING_PASSED;
}

static void free_request(struct draft *draft, uint32_t request) {
    uint32_t at = draft_find(draft, request);
    if (at == UINT32_MAX)
        return;
    struct pending *pending = &draft->pending[at];
    if (pending->status == OPERATION_COMPLETE) {
        draft_remove(draft, at);
        return;
    }
    pending->request = WIRE_NO_REQUEST;
    pending->flags |= PENDING_FREED;
}

/* A send marked for cancellation completes normally only if its message is received (MPI-3.1 section 3.8.4): that it is
 * buffered does not count any more. One claimed by a matched probe counts as received. */
static void cancel_request(struct mpi_model *model, unsigned rank, uint32_t request) {
    struct draft *draft = &model->draft;
    uint32_t at = draft_find(draft, request);
    expectations_note_cancelling(model, rank, at == UINT32_MAX ? NULL : &draft->pending[at]);
    if (at == UINT32_MAX || draft->pending[at].status == OPERATION_COMPLETE)
        return;
    struct pending *pending = &draft->pending[at];
    if (pending->flags & PENDING_CLAIMED) {
        pending->status = OPERATION_BUFFERED;
        return;
    }
    pending->status = OPERATION_PENDING;
    pending->flags |= PENDING_CANCEL;
}

static void add_operation(struct mpi_model *model, const uint32_t *state, unsigned rank, const struct operation *operation,
                          const uint32_t *part) {
    struct draft *draft = &model->draft;
    if (operation->kind == WIRE_CANCEL) {
        cancel_request(model, rank, operation->request);
        return;
    }
    if (operation->kind == WIRE_FREE) {
        free_request(draft, operation->request);
        return;
    }
    bool collective = operation->kind == WIRE_COLLECTIVE;
    bool buffered = operation->mode == WIRE_BUFFERED || (model->buffering == BUFFERING_INFINITE &&
                                                         (operation->mode == WIRE_STANDARD || operation->mode == WIRE_READY));
    uint32_t empty = collective && operation->empties ? parts_intern(model, part + operation->empty, operation->empties) : 0;
    struct pending *pending = draft_add(draft);
    *pending = (struct pending){
        .kind = operation->kind,
        .mode = operation->mode,
        .status = operation->kind == WIRE_SEND && buffered ? OPERATION_BUFFERED : OPERATION_PENDING,
        .function = operation->function,
        .request = operation->request,
        .context = operation->context,
        .peer = operation->peer,
        .tag = collective ? (int32_t)empty : operation->tag,
        .site = operation->site,
        .payload = collective ? parts_intern(model, part + operation->payload, operation->parts) : operation->payload,
        .parts = collective ? operation->parts : 0,
        .source = -1,
        .source_tag = collective ? operation->tag : -1,
        .capacity = collective                     ? operation->empties
                    : operation->kind == WIRE_SEND ? 0
                                                   : operation->capacity,
        .agreement = operation->agreement,
        .touches = operation->touches,
        .unordered = operation->unordered,
    };
    strict_check(model, state, rank, operation);
}

static void claim(struct mpi_model *model, uint32_t *state, unsigned rank, const struct call *call,
                  const struct completion *found) {
    struct envelope envelope = probe_envelope(component_at(model, state[rank]), call);
    uint32_t send = channel_match(model, state, rank, (unsigned)found->source, &envelope);
    draft_open(model, state[found->source]);
    struct pending *pending = &model->draft.pending[send];
    if (pending->flags & PENDING_CANCEL) {
        pending->flags &= (uint8_t)~PENDING_CANCEL;
        pending->status = OPERATION_BUFFERED; /* the cancellation failed */
    }
    pending->flags |= PENDING_CLAIMED;
    pending->capacity = found->claim;
    state[found->source] = draft_close_same(model, state[found->source]);
}

/* Can others tell that it was issued? That it takes their message they can, too. */
static bool is_heard_of(const struct operation *operation) {
    switch (operation->kind) {
    case WIRE_SEND:
    case WIRE_RECEIVE:
    case WIRE_RECEIVE_MESSAGE:
    case WIRE_CANCEL: /* a receive may be gone that their message was for */
    case WIRE_COLLECTIVE: return true;
    default: return false;
    }
}

/* Does it matter whether others have gone on: a receive that has to be in time, be it of what a matched probe has found, or a ready
 * send, whose receive may be gone? */
static bool is_pressing(const struct mpi_model *model, unsigned rank, const struct operation *operation) {
    bool receives = operation->kind == WIRE_RECEIVE || operation->kind == WIRE_RECEIVE_MESSAGE;
    return (receives && model_may_hurry(model, operation->peer, rank)) ||
           (operation->kind == WIRE_SEND && operation->mode == WIRE_READY);
}

/* Where the operations end, from one on, that a late rank issues at once: before a pressing one that comes after something that
 * others may hear of, as they may go on from that before it is issued. */
static uint32_t issued_at_once(const struct mpi_model *model, unsigned rank, const struct step_result *result, uint32_t from) {
    bool heard = false;
    uint32_t end = from;
    for (; end < result->operations; end++) {
        const struct operation *operation = &result->operation[end];
        if (heard && is_pressing(model, rank, operation))
            break;
        heard |= is_heard_of(operation);
    }
    return end;
}

/* What the draft has not issued yet. */
static void issue(struct mpi_model *model, const uint32_t *state, unsigned rank, const struct step_result *result, bool late) {
    uint32_t from = result->operations - model->draft.unissued;
    uint32_t end = late ? issued_at_once(model, rank, result, from) : result->operations;
    for (uint32_t i = from; i < end; i++)
        add_operation(model, state, rank, &result->operation[i], result->part);
    model->draft.unissued = result->operations - end;
}

static void step(struct mpi_model *model, uint32_t *state, unsigned rank, const struct resolution *resolution,
                 const struct step_result *result, bool late) {
    const struct call *call = component_call(component_at(model, state[rank]));
    if (resolution->kind == WIRE_FOUND && call_claims(call))
        claim(model, state, rank, call, &resolution->completion[0]);
    draft_open(model, state[rank]);
    if (resolution->kind == WIRE_COMPLETED)
        forget_reported(&model->draft, call, resolution);
    forget_passed(&model->draft);
    if (call->kind == WIRE_CALL_DETACH)
        strict_empty_buffer(&model->draft);
    if (resolution->kind == WIRE_LEFT)
        collective_leave(&model->draft.pending[collective_current(component_at(model, state[rank]))]);
    model->draft.unissued = result->operations;
    issue(model, state, rank, result, late);
    state[rank] = draft_close(model, result->local, result);
}

/* Of whom the call that is over has received something. Of the orders in which a calm agent can serve requests that commute only one
 * is explored: what it does after somebody's request there it may do before that, too. */
static struct rank_set heard_of(const struct component *component, const struct resolution *resolution) {
    struct rank_set heard = {0};
    const struct call *call = component_call(component);
    uint32_t from = 0;
    for (uint32_t i = 0; resolution->kind == WIRE_COMPLETED && i < resolution->completions;
         i += 1 + resolution->completion[i].parts) {
        const uint32_t at = pending_find_from(component, call->request[resolution->completion[i].index], &from);
        const struct pending *receive = at == UINT32_MAX ? NULL : &component->pending[at];
        if (receive && receive->kind == WIRE_RECEIVE && receive->mode != WIRE_CALM && receive->source >= 0)
            rank_set_add(&heard, (unsigned)receive->source);
    }
    return heard;
}

void mpi_model_note(struct mpi_model *model, const uint32_t *state, unsigned rank, const struct resolution *resolution,
                    const struct step_result *result) {
    const struct component *component = component_at(model, state[rank]);
    const struct rank_set heard = heard_of(component, resolution);
    acts_note(model, rank, result);
    futures_note(model->futures, component->local, collective_gate(model, state, rank), &heard, result);
}

void mpi_model_step(struct mpi_model *model, uint32_t *state, unsigned rank, const struct resolution *resolution,
                    const struct step_result *result) {
    mpi_model_note(model, state, rank, resolution, result);
    step(model, state, rank, resolution, result, model_may_be_late(model, rank));
}

void model_step_apart(struct mpi_model *model, uint32_t *state, unsigned rank, const struct resolution *resolution,
                      const struct step_result *result) {
    step(model, state, rank, resolution, result, false);
}

void model_issue(struct mpi_model *model, uint32_t *state, unsigned rank) {
    const struct component *component = component_at(model, state[rank]);
    draft_open(model, state[rank]);
    issue(model, state, rank, component->result, true);
    state[rank] = draft_close(model, component->local, component->result);
}

static bool is_awaited(const struct call *call, const struct pending *pending, enum operation_status status) {
    if (call->kind == WIRE_CALL_DETACH)
        return strict_in_buffer(pending);
    return call_lists(call, pending->request) && status != OPERATION_COMPLETE && status != OPERATION_BUFFERED;
}

void mpi_model_outstanding(const struct mpi_model *model, uint32_t number,
                           void (*visit)(void *context, const struct operation *operation, enum operation_status status,
                                         bool awaited),
                           void *context) {
    const struct component *component = component_at(model, number);
    const struct call *call = component_call(component);
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *pending = &component->pending[i];
        struct operation operation = {.kind = pending->kind,
                                      .mode = pending->mode,
                                      .function = pending->function,
                                      .request = pending->request,
                                      .context = pending->context,
                                      .peer = pending->peer,
                                      .tag = pending->tag,
                                      .site = pending->site,
                                      .capacity = pending->capacity,
                                      .agreement = pending->agreement,
                                      .payload = pending->payload,
                                      .parts = pending->parts,
                                      .touches = pending->touches};
        enum operation_status status = pending->flags & PENDING_CLAIMED && pending->status != OPERATION_COMPLETE
                                           ? OPERATION_CLAIMED
                                           : (enum operation_status)pending->status;
        visit(context, &operation, status, call && is_awaited(call, pending, status));
    }
}
