/* Pieces of shared windows by which ranks synchronise: those that somebody accesses by atomic instructions (PLACE_ATOMIC), and
 * those that somebody waits for in a loop until another rank has stored there (PLACE_POLLED). There, and nowhere else, ranks may
 * load and store at the same time, and each access is a step of its own (shared_traps.h).
 *
 * Which they are is found out. At first there are none. Where a conflict would be told of, the memory around is watched instead
 * (PLACE_WATCHED): the search starts over, and the program's accesses there are seen. An atomic instruction makes its bytes atomic,
 * for all ranks. If there is none, what the conflict is about may be a flag that is accessed by plain loads and stores: it is taken
 * for one (PLACE_POLLED), and the explorer says in the end whether anybody waits for it: a rank that loads from it again and again,
 * and comes back to the very same state. If none does it is PLACE_PLAIN, and the conflict is one. */
#ifndef MODELS_MPI_PRELOAD_SHARED_PLACES_H
#define MODELS_MPI_PRELOAD_SHARED_PLACES_H

#include "models/mpi/preload/windows/windows.h"

/* Some bytes of a segment. */
struct shared_bytes {
    struct window *window;
    int segment; /* of this member */
    uint64_t offset, size;
};

/* Those at this address; false: the first one is of no segment. */
bool shared_bytes_at(uintptr_t address, uint64_t size, struct shared_bytes *bytes);

/* Kinds as a set of 1 << kind. Are all bytes in places of these kinds? Is any? */
#define PLACES_OF(kind) (1u << (kind))
#define PLACES_SYNCHRONISING (PLACES_OF(PLACE_ATOMIC) | PLACES_OF(PLACE_POLLED))
bool places_hold(const struct shared_bytes *bytes, unsigned kinds);
bool places_touch(const struct shared_bytes *bytes, unsigned kinds);

/* The number, from 1, of the PLACE_POLLED that has these bytes and no others; 0: there is none. */
int place_polled(const struct shared_bytes *bytes);

/* Where the bytes of a place are in this rank's memory, window by window: `next` goes on from 0. False: in no further one. */
bool place_span(const struct wire_place_of_window *place, uint32_t *next, uintptr_t *start, uintptr_t *end);

/* The search starts over with these bytes as a place of this kind. */
_Noreturn void places_want(const struct shared_bytes *bytes, uint32_t kind);

/* Two ranks access these bytes at the same time, and one stores. Returns if that is a mistake, which it may not be: else the
 * search starts over. */
void places_judge_conflict(const struct shared_bytes *bytes);

/* The program accesses these bytes, which are watched and no place to synchronise by. */
void places_log(const struct shared_bytes *bytes, bool writes);
/* Others have stored to these bytes while it ran: the first that it has accessed. False: none. */
bool places_logged(const struct shared_bytes *stored, struct shared_bytes *accessed);
/* Of this window. */
void places_forget_log(const struct window *window);

#endif
