/* What requests to agents touch in a window's memory (struct wire_touches): from it the explorer knows which of them commute, so
 * that the order in which an agent serves these need not be explored.
 *
 * An access touches its bytes, as does the request that completes it: as long as it is not complete, others' can be in conflict
 * with it. Bytes that are read, and those to which the same exact operation is done without asking for a result, may be touched by
 * several in any order: these leave the same there and are no conflict (access_relate). What an accumulate fetches is settled when
 * it is made, and accumulates of one kind are no conflict: when one is completed makes no difference to the others. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_TOUCHES_H
#define MODELS_MPI_PRELOAD_WINDOW_TOUCHES_H

#include "models/mpi/preload/windows/window_accesses.h"
#include "models/mpi/protocol.h"

/* Sorted; no two of them could be one. All zero: none. */
struct touches {
    struct wire_touch *touch;
    size_t count;
    uint16_t phases; /* in which the accesses were made: a bit each */
};

void touches_add(struct touches *touches, const struct access *access);
/* The accesses have been made: a later request can only complete them. */
void touches_made(struct touches *touches);
void touches_free(struct touches *touches);

/* All of a window, in this manner (enum at struct wire_touch). */
struct wire_touch touch_of_all(uint64_t manner);

/* Tells the explorer of them, and returns the name that a request then has in `agreement`. `window`: its communicator's context. */
uint64_t touches_announce(uint64_t window, const struct touches *touches);
/* The same of the owner's request for others' accesses that were made in touches->phases, to its bytes, or to any. */
uint64_t touches_announce_asking(uint64_t window, const struct touches *touches);
/* The same of a request that gets a shared lock, or releases it, or of all of an epoch under an exclusive one, in one message: two of
 * these commute if their accesses do, but none with one of those. As long as somebody holds a shared lock such an epoch waits,
 * and when it is released it is as if it came then. */
uint64_t touches_announce_with_lock(uint64_t window, const struct touches *touches, bool exclusive);
/* The same of a request with which nothing else commutes that has to do with the window. */
uint64_t touches_announce_alone(uint64_t window);

#endif
