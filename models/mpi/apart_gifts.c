/* What a rank gives: messages, and records of collectives. */
#include "models/mpi/apart_inside.h"

#include "models/growing.h"
#include "models/mpi/functions.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint32_t line_number(struct apart *apart, uint32_t from, uint32_t to, uint32_t context) {
    for (size_t i = 0; i < apart->lines; i++)
        if (apart->line[i].from == from && apart->line[i].to == to && apart->line[i].context == context)
            return (uint32_t)i;
    apart->line = growing_room(apart->line, &apart->line_room, apart->lines + 1, sizeof *apart->line);
    apart->line[apart->lines] = (struct line){from, to, context};
    return (uint32_t)apart->lines++;
}

uint32_t apart_message_line(struct apart *apart, unsigned from, const struct pending *send) {
    return line_number(apart, from, send->peer == TO_ITSELF ? from : (uint32_t)send->peer, send->context);
}

uint32_t apart_meeting_line(struct apart *apart, uint32_t context) { return line_number(apart, 0, PART_MEETING, context); }

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

bool apart_is_barrier(const struct pending *record) {
    return record->kind == WIRE_COLLECTIVE && record->function == FUNCTION_MPI_Barrier;
}

bool apart_is_synchronous(const struct pending *send) { return send->kind == WIRE_SEND && send->mode == WIRE_SYNCHRONOUS; }

/* None of a persistent request: where it starts there may be others too. */
static bool is_synchronous_call(const struct pending *send) {
    return apart_is_synchronous(send) && (send->function == FUNCTION_MPI_Ssend || send->function == FUNCTION_MPI_Issend);
}

static bool is_loose(const struct apart *apart, const struct pending *pending) {
    if (!apart_is_barrier(pending) && !is_synchronous_call(pending))
        return false;
    for (size_t i = 0; i < apart->loose.sites; i++)
        if (apart->loose.site[i] == pending->site)
            return true;
    return false;
}

/* The message on its way, or the record that others see: whatever its request and, but for barriers, its place in the program. */
static struct pending as_others_see(const struct pending *pending) {
    struct pending seen = *pending;
    seen.request = WIRE_NO_REQUEST;
    if (!apart_is_barrier(&seen))
        seen.site = 0;
    seen.status = seen.kind == WIRE_SEND ? OPERATION_BUFFERED : OPERATION_PENDING;
    seen.flags = seen.kind == WIRE_SEND && seen.mode == WIRE_BUFFERED ? PENDING_SENT_OFF : 0;
    if (seen.kind == WIRE_SEND)
        seen.function = 0;
    return seen;
}

uint32_t apart_content_of(struct apart *apart, unsigned rank, const struct pending *pending, uint64_t room) {
    struct content content;
    memset(&content, 0, sizeof content);
    content.from = rank;
    content.room = room;
    content.pending = as_others_see(pending);
    if (apart_is_synchronous(pending) && is_loose(apart, pending))
        content.pending.mode = WIRE_STANDARD;
    return content_number(apart, &content, (struct origin){pending->site, pending->function});
}

static void join_groups(struct apart *apart, uint32_t group, uint32_t other) {
    uint32_t first = group < other ? group : other;
    for (size_t i = 0; i < apart->sites; i++)
        if (apart->site[i].group == group || apart->site[i].group == other)
            apart->site[i].group = first;
}

/* A barrier has nothing to say itself. */
static bool tells_of_stores(const struct pending *pending) { return apart_is_barrier(pending) && pending->parts > 0; }

uint32_t apart_note_site(struct apart *apart, const struct pending *pending, uint32_t with) {
    uint32_t at = 0;
    while (at < apart->sites && apart->site[at].site != pending->site)
        at++;
    if (at == apart->sites) {
        apart->site = growing_room(apart->site, &apart->site_room, apart->sites + 1, sizeof *apart->site);
        apart->site[apart->sites++] = (struct apart_call){pending->site, at, pending->function, false};
    }
    apart->site[at].tells |= tells_of_stores(pending);
    if (with != PART_NONE)
        join_groups(apart, apart->site[with].group, apart->site[at].group);
    return at;
}

void apart_add_gift(struct apart *apart, unsigned rank, const struct pending *pending, uint64_t room) {
    bool message = pending->kind == WIRE_SEND;
    if (is_synchronous_call(pending))
        apart_note_site(apart, pending, PART_NONE);
    apart->gift = growing_room(apart->gift, &apart->gift_room, apart->gifts + 1, sizeof *apart->gift);
    apart->gift[apart->gifts++] = (struct part_gift){
        .line = message ? apart_message_line(apart, rank, pending) : apart_meeting_line(apart, pending->context),
        .to = message ? (uint32_t)pending->peer : PART_MEETING,
        .content = apart_content_of(apart, rank, pending, room),
        .likeness = (uint32_t)pending->tag,
        .synchronous = apart_is_synchronous(pending) && !is_loose(apart, pending),
        .loose = is_loose(apart, pending),
    };
}

size_t apart_gifts(const struct apart *apart, const struct part_gift **gift) {
    *gift = apart->gift;
    return apart->gifts;
}

void apart_forget_gifts(struct apart *apart) { apart->gifts = 0; }

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
    return taken <= room || apart_give_up(apart, "all that rank %u sends may not fit into its attached buffer", rank);
}

size_t apart_holding(const struct apart *apart, struct apart_call **call) {
    *call = growing_new((apart->sites + 1) * sizeof **call);
    for (size_t i = 0; i < apart->sites; i++)
        (*call)[i] = apart->site[i];
    return apart->sites;
}

uint32_t apart_payload(const struct apart *apart, uint32_t content) { return apart->content[content].pending.payload; }

void apart_tell(const struct apart *apart, uint32_t content, uint16_t *function, uint32_t *site, int32_t *tag) {
    const struct pending *pending = &apart->content[content].pending;
    *function = apart->origin[content].function;
    *site = apart->origin[content].site;
    *tag = pending->kind == WIRE_SEND ? pending->tag : -1;
}
