/* What the sources of the proof by parts share; nobody else includes this.
 *
 *     parts.c            rounds, until causes agree
 *     parts_reference.c  one run of all ranks: the gifts there are, and the order in which they are taken
 *     parts_causes.c     what each event needs, by way of all ranks
 *     parts_explore.c    one rank's graph; parts_offer.c: what may be done in a node of it; parts_rounds.c: where it polls
 *     parts_order.c      does what is loose order anything?
 *     poeg_counts.c      in how many orders may messages be taken?
 */
#ifndef POR_PARTS_INSIDE_H
#define POR_PARTS_INSIDE_H

#include "models/bit_set.h"
#include "por/parts.h"

/* A gift of the run, and the event of the one who takes it: the taker of a message, the member itself of an entry. In other orders
 * the messages of a line may come in another order; there the n-th one with the same content is the same gift. */
struct gift {
    uint32_t line, index; /* its place in the line; of entries: in its giver's part of the line */
    uint32_t from, to;
    uint32_t content, likeness;
    uint32_t prior;    /* events of its giver before it, in the run */
    uint32_t time;     /* place in the order in which messages were taken and meetings became complete; PART_NONE: not yet */
    uint32_t number;   /* among the gifts of its giver, in the order of time */
    uint32_t event;    /* number among the events of the one who takes it, in the order of the run */
    uint64_t *earlier; /* set of the giver's gifts, by number: those of its line that are before it in every order */
    uint64_t *past;    /* `pasts` sets of all events. In every order of the giver, one of them precedes its being given */
    size_t pasts, past_room;
    bool synchronous, loose; /* loose: in any order */
    uint32_t given_in;       /* in the run: the move of its giver, */
    uint32_t released_in;    /* the move after which that knew that it had been taken, PART_NONE: it never did, */
    uint32_t taken_in;       /* the move of the one who takes it, */
    uint32_t taken_from;     /* and that one's state; of a message that a probe told of, the state in which it did */
    /* For parts_order.c: all of its giver, in any order, that precedes its being given. */
    uint64_t *given_after;
    uint64_t *taken_after; /* the same for its taking */
};

/* A rank's part of a line: what it gives into it, or what it takes from a line of messages. */
struct lane {
    uint32_t line;
    bool meeting;
    uint32_t *gift; /* numbers of gifts, in the order of the line */
    size_t gifts, room;
    size_t over; /* in the run: the first so many have been taken, or entered by all; what is behind is looked at */
};

struct part {
    struct lane *out, *in;
    size_t outs, ins, out_room, in_room;
    uint32_t *given; /* gifts, by their number */
    size_t gives;
    size_t given_words; /* of a set of its gifts */
    uint32_t *event;    /* gifts, by the number of their event */
    size_t events, event_room;
    size_t words;     /* of a set of its events */
    size_t base;      /* the word at which its events begin in a set of all events */
    bool synchronous; /* gives such messages */
    uint64_t outcome;
    bool explored; /* with needs of this hash */
    uint64_t explored_with;
    uint64_t states, transitions, deliveries; /* of its graph */
};

struct parts {
    const struct parts_model *model;
    struct part *part;
    struct gift *gift;
    size_t gifts, gift_room;
    uint32_t *order; /* gifts, in the order of their events in the run; as many */
    size_t ordered;
    size_t words; /* of a set of all events */
    uint64_t *
        needs; /* for each gift, the set of all events that precede its event in every order, as far as is known in this round */
    uint64_t most_states;
    uint64_t past_bytes;  /* held by pasts of gifts */
    bool looks_for_order; /* notes what may precede what, for parts_order */
    bool polls;           /* a rank does, in some order */
    bool loses_sight;     /* a rank may know by probes of more messages than a node tells */
    struct parts_statistics statistics;
    char *why;
    size_t why_room;
};

enum { PARTS_EVENTS_MOST = 1 << 15 }; /* sets of all events for each event: 128 MB */

/* Always false: gives up, for a reason unless the model has one. */
__attribute__((format(printf, 2, 3))) bool parts_give_up(struct parts *parts, const char *format, ...);

/* The rank whose event the taking of the gift is. */
static inline unsigned gift_taker(const struct gift *gift) { return gift->to == PART_MEETING ? gift->from : gift->to; }
static inline bool gift_is_own(const struct gift *gift, const struct part_own *own) {
    return own->likeness == PART_NONE || gift->likeness == own->likeness;
}

/* The rank's lane of this line, or NULL. */
struct lane *part_out(const struct part *part, uint32_t line);
/* The entries of the same meeting, as gift numbers; returns how many. `list`: room for one a rank. */
size_t parts_entries(const struct parts *parts, const struct gift *entry, uint32_t *list);
/* Contents of these gifts. */
void parts_contents(const struct parts *parts, const uint32_t *gift, size_t gifts, uint32_t *content);

/* A run of all ranks, to be freed with parts_free. NULL: gives up. */
struct parts *parts_run(const struct parts_model *model, char *why, size_t room);
void parts_free(struct parts *parts);
/* After a run: explores all ranks, again and again, until pasts hold in all orders. False: gives up. Else it is a proof. */
bool parts_agree(struct parts *parts);
/* Bytes held, but for the graph being made. */
uint64_t parts_bytes(const struct parts *parts);
bool parts_reference(struct parts *parts);
/* Adds an event of the rank and what it needs. Sets that hold an event always hold what it needs. */
void parts_add_event(const struct parts *parts, uint64_t *set, unsigned rank, size_t event);
/* The gift can be given after these events. True: that was not known. */
bool parts_add_past(struct parts *parts, struct gift *gift, const uint64_t *past);
/* What the events need, from the pasts of all gifts. `first`: these are found too, for the run alone. */
void parts_find_needs(struct parts *parts, bool first);
/* After all are explored: would what is loose order anything? If in doubt yes. */
bool parts_order(const struct parts *parts);
/* Explores the rank. *weaker becomes true if a gift turned out not to need what it was taken to need: more is known of it then. */
bool parts_explore(struct parts *parts, unsigned rank, bool *weaker);

#endif
