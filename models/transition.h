/* The abstract view of a message-passing state that partial-order reduction and the heuristics work on. They know
 * nothing of MPI: a transition is owned by one rank, and the model says which ranks can influence which. */
#ifndef MODELS_TRANSITION_H
#define MODELS_TRANSITION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MAX_RANKS 1024

/* A set of ranks. */
struct rank_set {
    uint64_t word[MAX_RANKS / 64];
};

static inline void rank_set_add(struct rank_set *set, unsigned rank) { set->word[rank / 64] |= 1ull << (rank % 64); }
static inline bool rank_set_is_empty(const struct rank_set *set) {
    uint64_t any = 0;
    for (unsigned i = 0; i < sizeof set->word / sizeof set->word[0]; i++)
        any |= set->word[i];
    return !any;
}
static inline bool rank_set_has(const struct rank_set *set, unsigned rank) { return (set->word[rank / 64] >> (rank % 64)) & 1; }

/* One move out of a global state. The owner is the rank whose choice it is: the receiver of a match, the caller of a
 * test, the sender of a buffered send. */
struct transition {
    uint8_t kind;     /* the model's own */
    bool optional;    /* MPI permits but does not promise it (buffering a standard send, leaving a collective early): a
                         state whose transitions are all optional is a deadlock of the implementations that do neither */
    bool miss;        /* a test or probe says "not yet": time passes, nothing else happens */
    bool calm;        /* it may commute with others of its owner */
    uint16_t owner;   /* rank */
    uint16_t partner; /* sender of a match, else the owner */
    uint32_t a, b;    /* the model's own */
};

#endif
