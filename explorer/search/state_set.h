/* The set of global states met. Lossless, compact, and safe for several workers at once without a lock.
 *
 * A state is an array of component numbers, one a rank. Pairs of numbers are interned to one number, pairs of those again, up
 * the branches of a binary tree; only what is at its root is kept for each state:
 *
 *         name                      64 bits: two numbers of 30, the kind, and two marks
 *        /    \
 *      17      pair                 what varies most is near the root, so that the pairs below are few and shared;
 *             /    \                state_set_reshaped finds the tree for the states met so far
 *          pair    pair
 *          / \      / \
 *         3   3    3   4
 *
 *     states    a set of names (name_set.h): 4 bytes a slot as long as the numbers at the root are small, else 8
 *     pairs     8 bytes each and a table of 4 bytes a slot
 *
 * (Laarman, van de Pol, Weber: Parallel Recursive State Compression for Free, SPIN 2011.)
 */
#ifndef EXPLORER_STATE_SET_H
#define EXPLORER_STATE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum state_kind {
    STATE_QUIET,      /* nothing is determined: decisions are offered, or it is an end */
    STATE_UNFINISHED, /* within a long chain of determined moves */
    STATE_FAULT,      /* an error happened on the way here: no ordering goes on */
};

enum state_mark {
    STATE_EXPANDED = 1, /* somebody has taken it on himself to take its transitions */
    STATE_COMPLETE = 2, /* all of them are to be taken, whatever the reduction says */
};

/* Names a state and its kind; states of different kind are never the same. Valid as long as the set. */
typedef uint64_t state_name;

#define STATE_NONE ((state_name)0)

static inline enum state_kind state_kind(state_name name) { return (enum state_kind)(name >> 2 & 3); }

struct state_set;

/* What one worker uses to find pairs faster; of no meaning. */
struct state_cache;

struct state_set *state_set_create(unsigned ranks);
void state_set_destroy(struct state_set *set);
struct state_cache *state_cache_create(unsigned ranks);
void state_cache_destroy(struct state_cache *cache);

/* The name that a state has in the set, or would have, and adding it: false if it is there. There must be room. Naming several
 * states before adding them gives memory time to answer. */
state_name state_set_name(struct state_set *set, struct state_cache *cache, const uint32_t *state, enum state_kind kind);
bool state_set_add(struct state_set *set, state_name name);
/* The name of a state, STATE_NONE if it is not in the set. */
state_name state_set_find(const struct state_set *set, struct state_cache *cache, const uint32_t *state, enum state_kind kind);
/* Its components, into `state`. */
void state_set_load(const struct state_set *set, struct state_cache *cache, state_name name, uint32_t *state);

/* Sets a mark. False: it was set already. */
bool state_set_mark(struct state_set *set, state_name name, enum state_mark mark);
bool state_set_has_mark(const struct state_set *set, state_name name, enum state_mark mark);

/* Is there room for so many more states? If not, all workers but one must stop, and that one make some. Names stay. */
bool state_set_has_room(const struct state_set *set, size_t states);
void state_set_make_room(struct state_set *set, size_t states);
/* How many bytes more the set will take, at most, while room is made and after. */
uint64_t state_set_growth(const struct state_set *set, size_t states);

/* A set of the same states and marks with the best tree for them. Names change. */
struct state_set *state_set_reshaped(const struct state_set *set);
/* How many bytes that takes, at most, while it is done. */
uint64_t state_set_reshaping(const struct state_set *set);

/* Writes the set; errors show on the stream. Reads it back, with the same names; NULL if it is not one for so many ranks. Nobody
 * may be adding states meanwhile. */
void state_set_save(const struct state_set *set, FILE *out);
struct state_set *state_set_read(unsigned ranks, FILE *in);

size_t state_set_count(const struct state_set *set);
uint64_t state_set_memory(const struct state_set *set); /* bytes */

/* For walking over all states when nobody adds any: places 0 … state_set_places - 1, and the state there or STATE_NONE. */
size_t state_set_places(const struct state_set *set);
state_name state_set_at(const struct state_set *set, size_t place);
size_t state_set_place(const struct state_set *set, state_name name);

#endif
