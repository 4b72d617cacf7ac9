/* Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010) with chains of messages for threads.
 *
 * A chain is all messages from one rank to another, which are received in the order sent; whatever a rank does alone is a chain for
 * each place. Each chain has a priority by lot, and at each state the transition of the highest priority is taken. At d - 1 moves
 * drawn by lot from the first k the chain that is about to move falls below all others that have not fallen, or have at a later
 * drawn one.
 *
 * The bound: an error has depth d if there are d events e1, …, ed such that every ordering shows it in which each of them is as
 * late as possible but for the ones after it. If all orderings have the same w chains and at most k moves, an ordering with depth d
 * shows it with a probability of at least 1 / (w k^(d-1)): the chain of e1 has the lowest priority of all with 1 / w, and each
 * drawn move is that which e2, …, ed are to be held back at with 1 / k. Depths 1, 2 and 3 come in turn, so n orderings miss an
 * error of depth d <= 3 with a probability of at most (1 - 1 / (w k^(d-1)))^(n/3). w and k are not known in advance: chains are
 * given their priorities as they are met, which is the same, and k is the longest ordering so far.
 *
 * What the bound does not cover: a miss makes its chain fall for good, lest a rank that polls hold up all others; and programs that
 * send other messages in other orderings have no fixed w and k. */
#include "heuristics/event.h"
#include "heuristics/lot.h"
#include "heuristics/strategy.h"
#include "models/growing.h"

enum { DEPTH_MOST = 3, MOVES_AT_FIRST = 16 };

struct chain {
    struct event event;
    int64_t priority; /* by lot: above DEPTH_MOST; fallen: 1 to DEPTH_MOST - 1; after a miss: negative */
};

struct pct {
    uint64_t lot;
    struct chain *chain;
    size_t chains, room;
    unsigned depth;
    uint64_t falls[DEPTH_MOST - 1]; /* the moves at which a chain falls: to 2, to 1 */
    uint64_t move, longest;         /* of the ordering at hand; so far */
    int64_t lowest;
};

static void *create(unsigned ranks, uint64_t seed) {
    (void)ranks;
    struct pct *pct = growing_new(sizeof *pct);
    pct->lot = seed;
    pct->longest = MOVES_AT_FIRST;
    return pct;
}

static void destroy(void *self) {
    free(((struct pct *)self)->chain);
    free(self);
}

static bool begin(void *self) {
    struct pct *pct = self;
    if (pct->move > pct->longest)
        pct->longest = pct->move;
    pct->depth = pct->depth % DEPTH_MOST + 1;
    for (unsigned i = 0; i + 1 < DEPTH_MOST; i++)
        pct->falls[i] = i + 1 < pct->depth ? lot_among(&pct->lot, pct->longest) : UINT64_MAX;
    pct->move = 0;
    pct->lowest = 0;
    pct->chains = 0;
    return true;
}

static size_t chain_of(struct pct *pct, const struct transition *transition) {
    struct event event = event_of(transition);
    for (size_t i = 0; i < pct->chains; i++)
        if (event_equal(&pct->chain[i].event, &event))
            return i;
    pct->chain = growing_room(pct->chain, &pct->room, pct->chains + 1, sizeof *pct->chain);
    int64_t priority = (int64_t)(lot_draw(&pct->lot) >> 1) | 1ll << 32;
    pct->chain[pct->chains] = (struct chain){event, priority};
    return pct->chains++;
}

static size_t highest(struct pct *pct, const struct strategy_choice *choice, size_t *chain) {
    size_t position = 0;
    *chain = chain_of(pct, &choice->list[0]);
    for (size_t i = 1; i < choice->count; i++) {
        size_t other = chain_of(pct, &choice->list[i]);
        if (pct->chain[other].priority > pct->chain[*chain].priority) {
            position = i;
            *chain = other;
        }
    }
    return position;
}

static size_t choose(void *self, const struct strategy_choice *choice) {
    struct pct *pct = self;
    size_t chain, position = highest(pct, choice, &chain);
    for (unsigned i = 0; i + 1 < DEPTH_MOST; i++)
        if (pct->falls[i] == pct->move) {
            pct->chain[chain].priority = DEPTH_MOST - 1 - (int64_t)i;
            position = highest(pct, choice, &chain);
        }
    if (choice->list[position].miss)
        pct->chain[chain].priority = --pct->lowest;
    pct->move++;
    return position;
}

static uint64_t memory(const void *self) {
    const struct pct *pct = self;
    return sizeof *pct + pct->room * sizeof *pct->chain;
}

const struct strategy strategy_pct = {
    .name = "pct", .create = create, .destroy = destroy, .begin = begin, .choose = choose, .memory = memory};
