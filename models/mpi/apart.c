#include "models/mpi/apart.h"

#include "models/growing.h"
#include "models/mpi/functions.h"
#include "models/mpi/model_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The destination of a rank's sends to itself, as long as it is told of their completion: the messages are handed over like any. */
enum { TO_ITSELF = -1 };

/* What a gift is for everybody but its giver: a message, or a record of a collective. Without padding. */
struct content {
    uint64_t from;
    uint64_t room; /* buffered send: bytes of the attached buffer */
    struct pending pending;
};

struct line {
    uint32_t from, to; /* PART_MEETING: `to` */
    uint32_t context;
};

/* Where barriers are called, or synchronous sends. */
struct holding_site {
    struct apart_call call;
    bool alike; /* of a barrier: all members are there */
};

/* The first call that gave a content. */
struct origin {
    uint32_t site;
    uint16_t function;
};

struct apart {
    struct mpi_model *model;
    unsigned ranks;
    uint32_t loose;  /* site of barriers or synchronous sends that hold nobody up, or 0 */
    uint32_t nobody; /* component: ended, with nothing outstanding */
    uint32_t *state; /* the rank, and others as far as they matter; `nobody` between calls */
    struct content *content;
    size_t contents, content_room;
    struct origin *origin; /* of each content */
    size_t origin_room;
    uint32_t *slot; /* of contents, open addressing: numbers, or PART_NONE */
    size_t slots;
    struct line *line;
    size_t lines, line_room;
    struct part_gift *gift;
    size_t gifts, gift_room;
    uint32_t *awaited; /* lines, for apart_stand */
    size_t awaiteds, awaited_room;
    struct part_entry *entry; /* likewise */
    size_t entries, entry_room;
    struct transition_list transitions;
    uint32_t claimed; /* content of the message that a matched probe has just been told of */
    struct holding_site *site;
    size_t sites, site_room;
    char reason[192];
};

struct apart *apart_create(struct mpi_model *model, unsigned ranks, uint32_t loose) {
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

__attribute__((format(printf, 2, 3))) static bool give_up(struct apart *apart, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(apart->reason, sizeof apart->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- gifts ---- */

static uint32_t line_number(struct apart *apart, uint32_t from, uint32_t to, uint32_t context) {
    for (size_t i = 0; i < apart->lines; i++)
        if (apart->line[i].from == from && apart->line[i].to == to && apart->line[i].context == context)
            return (uint32_t)i;
    apart->line = growing_room(apart->line, &apart->line_room, apart->lines + 1, sizeof *apart->line);
    apart->line[apart->lines] = (struct line){from, to, context};
    return (uint32_t)apart->lines++;
}

static uint32_t message_line(struct apart *apart, unsigned from, const struct pending *send) {
    return line_number(apart, from, send->peer == TO_ITSELF ? from : (uint32_t)send->peer, send->context);
}

static uint32_t meeting_line(struct apart *apart, uint32_t context) { return line_number(apart, 0, PART_MEETING, context); }

static uint32_t *content_slot(const struct apart *apart, const struct content *content) {
    size_t at = XXH3_64bits(content, sizeof *content) & (apart->slots - 1);
    while (apart->slot[at] != PART_NONE && memcmp(&apart->content[apart->slot[at]], content, sizeof *content) != 0)
        at = (at + 1) & (apart->slots - 1);
    return &apart->slot[at];
}

static void grow_slots(struct apart *apart) {
    apart->slots = apart->slots ? apart->slots * 2 : 256;
    apart->slot = growing_checked(realloc(apart->slot, apart->slots * sizeof *apart->slot));
    memset(apart->slot, 0xff, apart->slots * sizeof *apart->slot);
    for (size_t i = 0; i < apart->contents; i++)
        *content_slot(apart, &apart->content[i]) = (uint32_t)i;
}

static uint32_t content_number(struct apart *apart, const struct content *content, struct origin origin) {
    if (2 * (apart->contents + 1) > apart->slots)
        grow_slots(apart);
    uint32_t *slot = content_slot(apart, content);
    if (*slot != PART_NONE)
        return *slot;
    apart->content = growing_room(apart->content, &apart->content_room, apart->contents + 1, sizeof *apart->content);
    apart->origin = growing_room(apart->origin, &apart->origin_room, apart->contents + 1, sizeof *apart->origin);
    apart->content[apart->contents] = *content;
    apart->origin[apart->contents] = origin;
    return *slot = (uint32_t)apart->contents++;
}

static bool is_barrier(const struct pending *record) {
    return record->kind == WIRE_COLLECTIVE && record->function == FUNCTION_MPI_Barrier;
}

static bool is_synchronous(const struct pending *send) { return send->kind == WIRE_SEND && send->mode == WIRE_SYNCHRONOUS; }

/* None of a persistent request: where it starts there may be others too. */
static bool is_synchronous_call(const struct pending *send) {
    return is_synchronous(send) && (send->function == FUNCTION_MPI_Ssend || send->function == FUNCTION_MPI_Issend);
}

static bool is_loose(const struct apart *apart, const struct pending *pending) {
    return apart->loose && pending->site == apart->loose && (is_barrier(pending) || is_synchronous_call(pending));
}

/* The message on its way, or the record that others see: whatever its request and, but for barriers, its place in the program. */
static struct pending as_others_see(const struct pending *pending) {
    struct pending seen = *pending;
    seen.request = WIRE_NO_REQUEST;
    if (!is_barrier(&seen))
        seen.site = 0;
    seen.status = seen.kind == WIRE_SEND ? OPERATION_BUFFERED : OPERATION_PENDING;
    seen.flags = seen.kind == WIRE_SEND && seen.mode == WIRE_BUFFERED ? PENDING_SENT_OFF : 0;
    if (seen.kind == WIRE_SEND)
        seen.function = 0;
    return seen;
}

static uint32_t content_of(struct apart *apart, unsigned rank, const struct pending *pending, uint64_t room) {
    struct content content;
    memset(&content, 0, sizeof content);
    content.from = rank;
    content.room = room;
    content.pending = as_others_see(pending);
    if (is_synchronous(pending) && is_loose(apart, pending))
        content.pending.mode = WIRE_STANDARD;
    return content_number(apart, &content, (struct origin){pending->site, pending->function});
}

static void note_site(struct apart *apart, const struct pending *pending, bool alike) {
    size_t at = 0;
    while (at < apart->sites && apart->site[at].call.site != pending->site)
        at++;
    if (at == apart->sites) {
        apart->site = growing_room(apart->site, &apart->site_room, apart->sites + 1, sizeof *apart->site);
        apart->site[apart->sites++] = (struct holding_site){{pending->site, pending->function}, true};
    }
    apart->site[at].alike = apart->site[at].alike && alike;
}

static void add_gift(struct apart *apart, unsigned rank, const struct pending *pending, uint64_t room) {
    bool message = pending->kind == WIRE_SEND;
    if (is_synchronous_call(pending))
        note_site(apart, pending, true);
    apart->gift = growing_room(apart->gift, &apart->gift_room, apart->gifts + 1, sizeof *apart->gift);
    apart->gift[apart->gifts++] = (struct part_gift){
        .line = message ? message_line(apart, rank, pending) : meeting_line(apart, pending->context),
        .to = message ? (uint32_t)pending->peer : PART_MEETING,
        .content = content_of(apart, rank, pending, room),
        .synchronous = is_synchronous(pending) && !is_loose(apart, pending),
        .loose = is_loose(apart, pending),
    };
}

size_t apart_gifts(const struct apart *apart, const struct part_gift **gift) {
    *gift = apart->gift;
    return apart->gifts;
}

void apart_forget_gifts(struct apart *apart) { apart->gifts = 0; }

/* ---- collectives ---- */

/* The rank knows of such a record's collective that it is over, but may not have been told: then its payload and parts are the list of
 * all members' contents. */
static bool is_left(const struct pending *record) { return record->status == OPERATION_COMPLETE; }

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
    return is_left(own) ? content_from(apart, &apart->model->part[own->payload], own->parts, member) : own;
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
        if (own->kind != WIRE_COLLECTIVE || !is_left(own))
            continue;
        const struct pending *entry = content_from(apart, &apart->model->part[own->payload], own->parts, rank);
        own->payload = entry->payload;
        own->parts = entry->parts;
    }
    return draft_close_same(apart->model, component);
}

/* Sets the state of the rank, and of others to what they have brought to its collectives: to those that it knows to be over, and to that
 * of record `at` what `leaves` says. */
static void bring_members(struct apart *apart, unsigned rank, uint32_t component, uint32_t at, const struct part_move *leaves) {
    const struct component *own = component_at(apart->model, component);
    bool meets = leaves != NULL;
    apart->state[rank] = component;
    for (uint32_t i = 0; i < own->count; i++)
        meets |= own->pending[i].kind == WIRE_COLLECTIVE && is_left(&own->pending[i]);
    if (!meets)
        return;
    for (unsigned member = 0; member < apart->ranks; member++)
        if (member != rank)
            apart->state[member] = member_beside(apart, own, member, at, leaves);
    apart->state[rank] = as_it_entered(apart, rank, component);
}

static void send_away(struct apart *apart) {
    for (unsigned rank = 0; rank < apart->ranks; rank++)
        apart->state[rank] = apart->nobody;
}

/* ---- steps ---- */

/* Another rank that has just this outstanding. */
static void hand_over(struct apart *apart, const struct content *content) {
    draft_begin(apart->model);
    *draft_add(&apart->model->draft) = content->pending;
    apart->state[content->from] = draft_close_same(apart->model, apart->nobody);
}

const struct resolution *apart_ready(struct apart *apart, unsigned rank, uint32_t component) {
    const struct call *call = component_call(component_at(apart->model, component));
    if (!call || call->kind > WIRE_CALL_WAIT_SOME)
        return NULL;
    bring_members(apart, rank, component, UINT32_MAX, NULL);
    const struct resolution *answer = model_determined(apart->model, apart->state, rank);
    send_away(apart);
    return answer;
}

/* Operations of the step that cannot be looked at apart. */
static bool check_operation(struct apart *apart, unsigned rank, const struct operation *operation) {
    switch (operation->kind) {
    case WIRE_SEND: return operation->mode != WIRE_READY || give_up(apart, "rank %u makes ready sends", rank);
    case WIRE_RECEIVE:
    case WIRE_FREE:
    case WIRE_COLLECTIVE:
    case WIRE_RECEIVE_MESSAGE: return true;
    default: return give_up(apart, "rank %u cancels requests", rank);
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
            add_gift(apart, rank, &component->pending[at],
                     operation->kind == WIRE_SEND && operation->mode == WIRE_BUFFERED ? operation->capacity : 0);
        at++;
    }
    return first;
}

static bool is_for_others_only(const struct pending *pending) {
    if (pending->kind == WIRE_COLLECTIVE)
        return is_left(pending) && pending->request == WIRE_NO_REQUEST;
    return pending->kind == WIRE_SEND && pending->request == WIRE_NO_REQUEST && !is_synchronous(pending);
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
            if (!is_synchronous(pending) || pending_complete(pending))
                pending->payload = NO_PAYLOAD;
            else if (i >= first)
                pending->payload = content_of(apart, rank, pending, 0);
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
        return give_up(apart, "rank %u does not receive at once what it finds by a matched probe", rank);
    return channel_settle_claimed(apart->model, apart->state, rank, &violation) || give_up(apart, "%s", violation.message);
}

/* The step in the model, where nobody but the rank has anything outstanding, but for a message claimed. */
static bool step_in_model(struct apart *apart, unsigned rank, uint32_t *component, const struct resolution *answer,
                          const struct step_result *result) {
    bool claims = is_claim(component_at(apart->model, *component), answer);
    apart->state[rank] = *component;
    if (claims)
        hand_over(apart, &apart->content[apart->claimed]);
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
        return give_up(apart, "what rank %u sends does not fit into its attached buffer", rank);
    uint32_t first = add_gifts(apart, rank, after, result);
    *component = own_part(apart, rank, reached, first);
    return true;
}

/* ---- how it stands ---- */

static bool is_pending_send(const struct component *component, uint32_t request, uint32_t *at) {
    *at = pending_find(component, request);
    return *at != UINT32_MAX && component->pending[*at].kind == WIRE_SEND && !pending_complete(&component->pending[*at]);
}

static void await_line(struct apart *apart, uint32_t line) {
    apart->awaited = growing_room(apart->awaited, &apart->awaited_room, apart->awaiteds + 1, sizeof *apart->awaited);
    apart->awaited[apart->awaiteds++] = line;
}

static void await_sends(struct apart *apart, unsigned rank, const struct component *component, const struct call *call) {
    for (uint32_t i = 0; i < call->requests; i++) {
        uint32_t at;
        if (is_pending_send(component, call->request[i], &at))
            await_line(apart, message_line(apart, rank, &component->pending[at]));
    }
}

/* The collectives that the call is about. Others may be over, but nobody hears of that. */
static void await_collectives(struct apart *apart, const struct component *component, const struct call *call) {
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *record = &component->pending[i];
        bool waits =
            call->kind == WIRE_CALL_COLLECTIVE ? record->request == WIRE_NO_REQUEST : call_lists(call, record->request);
        if (record->kind != WIRE_COLLECTIVE || is_left(record) || !waits)
            continue;
        struct part_entry entry = {.line = meeting_line(apart, record->context)};
        for (uint32_t k = 0; k < i; k++)
            entry.which += component->pending[k].kind == WIRE_COLLECTIVE && !is_left(&component->pending[k]) &&
                           component->pending[k].context == record->context;
        apart->entry = growing_room(apart->entry, &apart->entry_room, apart->entries + 1, sizeof *apart->entry);
        apart->entry[apart->entries++] = entry;
    }
}

static void await_all_lines(struct apart *apart, unsigned rank) {
    for (uint32_t i = 0; i < apart->lines; i++)
        if (apart->line[i].from == rank && apart->line[i].to != PART_MEETING)
            await_line(apart, i);
}

/* The rank's own choices, at the front of the list, and whether it may be told that there is nothing yet. */
static void list_choices(struct apart *apart, unsigned rank, uint32_t component, struct part_stand *stand) {
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
    default: return give_up(apart, "rank %u waits in a way that is not known apart", rank);
    }
    if (call->kind != WIRE_CALL_WAIT_ALL && call->kind != WIRE_CALL_COLLECTIVE)
        list_choices(apart, rank, number, stand);
    await_collectives(apart, component, call);
    stand->line = apart->awaited;
    stand->lines = apart->awaiteds;
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
        struct envelope envelope = receive_envelope(component, i);
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

bool apart_alike(const struct apart *apart, uint32_t content, uint32_t other) {
    return apart->content[content].pending.tag == apart->content[other].pending.tag;
}

/* Of freed requests too: their rank never knows. */
uint32_t apart_unreleased(const struct apart *apart, uint32_t number, uint32_t content) {
    const struct component *component = component_at(apart->model, number);
    uint32_t unreleased = 0;
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *pending = &component->pending[i];
        unreleased += is_synchronous(pending) && !pending_complete(pending) && pending->payload == content;
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

/* ---- moves ---- */

/* The same for a message of the rank to itself: behind what it has outstanding. */
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
        return give_up(apart, "rank %u receives from itself by matched probes", rank);
    apart->claimed = message;
    apart->state[rank] = *component;
    if (from != rank) {
        hand_over(apart, content);
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
    return taken || give_up(apart, "%s", violation.message);
}

static bool choose(struct apart *apart, unsigned rank, uint32_t *component, uint32_t which, const struct resolution **answer) {
    struct violation violation;
    struct part_stand stand = {0};
    list_choices(apart, rank, *component, &stand);
    const struct transition *transition = &apart->transitions.item[which];
    apart->state[rank] = *component;
    if (transition->kind == TRANSITION_CHOOSE)
        bring_members(apart, rank, *component, UINT32_MAX, NULL);
    *answer = mpi_model_take(apart->model, apart->state, transition, &violation);
    if (transition->kind == TRANSITION_PASS)
        *component = apart->state[rank];
    send_away(apart);
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
        if (is_pending_send(before, call->request[i], &at) && (all || sends++ == which))
            complete_send(&apart->model->draft.pending[at]);
    }
    *component = draft_close_same(apart->model, *component);
    return true;
}

/* Do all members call it in one place? */
static void note_barrier(struct apart *apart, const struct part_move *move) {
    uint32_t first = apart->content[move->content[0]].pending.site;
    if (!is_barrier(&apart->content[move->content[0]].pending))
        return;
    for (size_t i = 1; i < move->contents; i++)
        if (apart->content[move->content[i]].pending.site != first)
            first = 0;
    for (size_t i = 0; i < move->contents; i++)
        note_site(apart, &apart->content[move->content[i]].pending, first != 0);
}

/* The record of a collective that the rank has not left, counted among those on its communicator. */
static uint32_t record_entered(const struct component *component, uint32_t context, uint32_t which) {
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *pending = &component->pending[i];
        if (pending->kind == WIRE_COLLECTIVE && !is_left(pending) && pending->context == context && which-- == 0)
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
    bring_members(apart, rank, *component, record, move);
    bool agreed = collective_agrees(apart->model, apart->state, rank, record, &violation);
    if (agreed && waits)
        *answer = collective_answer(apart->model, apart->state, rank);
    send_away(apart);
    if (agreed && !waits)
        *component = complete_collective(apart, *component, record, move);
    return agreed || give_up(apart, "%s", violation.message);
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

/* ---- of gifts ---- */

uint32_t apart_members(const struct apart *apart, uint32_t line) {
    return apart->model->context[apart->line[line].context].members;
}

bool apart_needs(const struct apart *apart, uint32_t number, unsigned other) {
    const struct content *content = &apart->content[number];
    const struct pending *record = &content->pending;
    const struct context *context = &apart->model->context[record->context];
    if (context->first_group || record->capacity || is_loose(apart, record))
        return false;
    switch (record->mode) {
    case WIRE_ALL_TO_ALL: return true;
    case WIRE_FAN_OUT: return record->peer == (int32_t)other;
    case WIRE_FAN_IN: return record->peer == (int32_t)content->from;
    default: return false;
    }
}

bool apart_fits(struct apart *apart, unsigned rank, const uint32_t *content, size_t contents) {
    uint64_t room = UINT64_MAX, taken = 0;
    for (size_t i = 0; i < contents; i++) {
        const struct pending *pending = &apart->content[content[i]].pending;
        if (pending->kind != WIRE_SEND || pending->mode != WIRE_BUFFERED)
            continue;
        taken += strict_room_taken(apart->model, pending);
        if (apart->content[content[i]].room && apart->content[content[i]].room < room)
            room = apart->content[content[i]].room;
    }
    return taken <= room || give_up(apart, "all that rank %u sends may not fit into its attached buffer", rank);
}

size_t apart_holding(const struct apart *apart, struct apart_call **call) {
    size_t calls = 0;
    *call = growing_new((apart->sites + 1) * sizeof **call);
    for (size_t i = 0; i < apart->sites; i++)
        if (apart->site[i].alike)
            (*call)[calls++] = apart->site[i].call;
    return calls;
}

uint32_t apart_payload(const struct apart *apart, uint32_t content) { return apart->content[content].pending.payload; }

void apart_tell(const struct apart *apart, uint32_t content, uint16_t *function, uint32_t *site, int32_t *tag) {
    const struct pending *pending = &apart->content[content].pending;
    *function = apart->origin[content].function;
    *site = apart->origin[content].site;
    *tag = pending->kind == WIRE_SEND ? pending->tag : -1;
}
