/* The abstract view of one rank apart from the others, for proofs by parts: what it gives to others and how it may go on. See
 * por/parts.h for what gifts, lines and meetings are. */
#ifndef MODELS_PART_H
#define MODELS_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PART_NONE UINT32_MAX
#define PART_SEES (UINT32_MAX - 1)
#define PART_MEETING (UINT32_MAX - 1) /* instead of a taker: the gift is an entry into a meeting */

/* What a rank gave: the next gift of a line. */
struct part_gift {
    uint32_t line; /* number of the model's. A line of messages has one giver and one taker; one of entries is all members' */
    uint32_t to;   /* rank, or PART_MEETING */
    uint32_t content; /* number of the model's: equal if nobody could tell the difference */
    uint32_t
        likeness;     /* of messages of one line: whatever takes or sees one of them does so with others of the same likeness */
    bool synchronous; /* a message; its giver waits until it is taken. The same for equal contents */
    bool loose;       /* would be synchronous, or the entry to a meeting that all need, but is taken to hold nobody up */
};

enum part_move_kind {
    PART_BEGIN,   /* from before the first state */
    PART_TAKE,    /* a message, or sees it: content[0] */
    PART_CHOOSE,  /* one of the rank's own choices: `which` */
    PART_MISS,    /* it is told that there is nothing yet */
    PART_RELEASE, /* its sends that it waits for are complete; `which` of them where it waits for any */
    PART_LEAVE,   /* a meeting; content: all members' entries; `which` as in struct part_entry */
};

struct part_move {
    enum part_move_kind kind;
    uint32_t which;
    const uint32_t *content;
    size_t contents;
};

/* A meeting that a rank has entered and not left. */
struct part_entry {
    uint32_t line;
    uint32_t which; /* how many it has entered in this line before, and not left either */
};

/* Messages of its own that a rank waits for: those of one likeness that it has given into a line, as one of them may be what it
 * waits for, which is taken after those before it. */
struct part_own {
    uint32_t line;
    uint32_t likeness; /* PART_NONE: all of the line */
};

/* What a rank can do in a state. */
struct part_stand {
    bool ended;
    uint64_t outcome;           /* ended: equal if the ends are alike */
    uint32_t choices;           /* its own, whatever others do */
    bool polls;                 /* it may be told that there is nothing yet, and have its way again */
    uint32_t releases;          /* ways of going on because sends of its own are complete */
    const struct part_own *own; /* the messages that it waits for so; until the next call */
    size_t owns;
    const struct part_entry *entry; /* the meetings that it waits for or asks about so; until the next call */
    size_t entries;
    bool leaves_all; /* it goes on when it has left them all, in whatever order */
};

#endif
