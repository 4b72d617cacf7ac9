/* What a message is called. Internal.
 *
 * An identifier has a level for each split that the message stems from, the outermost first; level 0 is the call of the
 * graph. A level says which of the split's messages it was, and how many operations it has passed at that level, so that passes
 * of a loop differ. Leaf: passes one. Split: passes one and adds a level. Merge: drops the level and passes one. Stream: drops
 * the level, passes two, and adds one, as a merge and a split would.
 *
 *     input 0/0 -> split -> 0/1.0/0, 0/1.1/0 -> leaf -> 0/1.0/1, 0/1.1/1 -> merge -> 0/2
 *
 * So two messages of a run never have the same identifier at one place, and a message has the same one in all orderings in
 * which its operations number their messages alike (dps_post_as). Messages that agree in all levels but the last are
 * merged by one operation. */
#ifndef MODELS_DPS_IDENTIFIERS_H
#define MODELS_DPS_IDENTIFIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IDENTIFIER_DEPTH = 8, IDENTIFIER_TEXT = IDENTIFIER_DEPTH * 24 };

struct identifier_level {
    int32_t number;  /* of the message among those of its split */
    uint32_t passed; /* operations at this level */
    /* Not part of the name: */
    uint16_t split_node, split_thread; /* where the split is that added this level */
    int32_t worker;                    /* thread that load balancing chose for it, or IDENTIFIER_NO_WORKER */
};
enum { IDENTIFIER_NO_WORKER = -1 };

/* No padding, and levels not in use are zero: sent as it is. */
struct identifier {
    uint32_t depth;
    struct identifier_level level[IDENTIFIER_DEPTH];
};

struct identifier identifier_of_call(int32_t call);
/* One more operation passed at the innermost level. */
struct identifier identifier_pass(struct identifier identifier, uint32_t operations);
/* Without the innermost level: what all messages of one split have in common. */
struct identifier identifier_drop(struct identifier identifier);
/* With one more level; there must be room. */
struct identifier identifier_add(struct identifier identifier, int32_t number, uint16_t split_node, uint16_t split_thread);
/* The innermost level. */
struct identifier_level *identifier_last(struct identifier *identifier);

bool identifier_same(const struct identifier *a, const struct identifier *b);
/* Of the name, and of a number that belongs to it. */
uint64_t identifier_hash(const struct identifier *identifier, uint32_t seed);
/* "0/1.3/0", in IDENTIFIER_TEXT bytes. */
void identifier_text(const struct identifier *identifier, char *text);

#endif
