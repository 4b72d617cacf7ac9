/* Inside of apart: what a rank that is looked at apart has given, where it stands, and how it moves. */
#ifndef MODELS_MPI_APART_INSIDE_H
#define MODELS_MPI_APART_INSIDE_H

#include "models/mpi/apart.h"
#include "models/mpi/model_parts.h"

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

/* The first call that gave a content. */
struct origin {
    uint32_t site;
    uint16_t function;
};

struct apart {
    struct mpi_model *model;
    unsigned ranks;
    struct apart_loose loose;
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
    struct part_own *awaited; /* for apart_stand */
    size_t awaiteds, awaited_room;
    struct part_entry *entry; /* likewise */
    size_t entries, entry_room;
    struct transition_list transitions;
    uint32_t claimed;        /* content of the message that a matched probe has just been told of */
    struct apart_call *site; /* where barriers are called, or synchronous sends. group: the number of its first site */
    size_t sites, site_room;
    char reason[192];
};

/* Says why the rank cannot be looked at apart; false. */
__attribute__((format(printf, 2, 3))) bool apart_give_up(struct apart *apart, const char *format, ...);

/* ---- apart_gifts.c ---- */

uint32_t apart_message_line(struct apart *apart, unsigned from, const struct pending *send);
uint32_t apart_meeting_line(struct apart *apart, uint32_t context);
bool apart_is_barrier(const struct pending *record);
bool apart_is_synchronous(const struct pending *send);
/* The number of what an operation is for others. `room`: of a buffered send, bytes of the attached buffer. */
uint32_t apart_content_of(struct apart *apart, unsigned rank, const struct pending *pending, uint64_t room);
void apart_add_gift(struct apart *apart, unsigned rank, const struct pending *pending, uint64_t room);
/* A call that may hold others up, of the group of site number `with`, or of one of its own: PART_NONE. Returns its site's
 * number. */
uint32_t apart_note_site(struct apart *apart, const struct pending *pending, uint32_t with);

/* ---- apart.c: who else is there for a moment ---- */

/* The rank knows of such a record's collective that it is over, but may not have been told: then its payload and parts are the
 * list of all members' contents. */
bool apart_is_left(const struct pending *record);
/* Sets the state of the rank, and of others to what they have brought to its collectives: to those that it knows to be over,
 * and to that of record `at` what `leaves` says. */
void apart_bring_members(struct apart *apart, unsigned rank, uint32_t component, uint32_t at, const struct part_move *leaves);
/* Another rank that has just this outstanding. */
void apart_hand_over(struct apart *apart, const struct content *content);
void apart_send_away(struct apart *apart);

/* ---- apart_stand.c ---- */

/* The rank's own choices, at the front of the list, and whether it may be told that there is nothing yet. */
void apart_list_choices(struct apart *apart, unsigned rank, uint32_t component, struct part_stand *stand);
bool apart_is_pending_send(const struct component *component, uint32_t request, uint32_t *at);

#endif
