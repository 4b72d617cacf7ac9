/* Pieces of shared windows that ranks treat in a way of their own (models/mpi/preload/windows/shared_places.h), as ranks wish for them:
 * known to all ranks from their beginning, so that the search starts over with each new one. */
#ifndef EXPLORER_PLACES_H
#define EXPLORER_PLACES_H

#include "ckpt/channel.h"
#include "explorer/steps/step_table.h"
#include "models/mpi/protocol.h"

struct places {
    struct wire_place_of_window place[PLACES_MOST];
    uint32_t count;
    bool too_many; /* there are more */
};

/* Reads and adds the places of a text, each as WIRE_PLACE_FORMAT has it. Those that meet one of the same kind may become part of
 * it. False: it is not well formed. */
bool places_add(struct places *places, const char *text);
/* All of them as such a text; NULL: there are none. malloc'd. */
char *places_text(const struct places *places);

/* How many there are that ranks seemed to wait for (PLACE_POLLED), though none did in any of the steps that are known. A rank waits
 * for a place if there is a way from a state in which it is about to load from it to that same state, on which it has heard nothing
 * from others but what its window's agent says. `ranks`: of the program. `doubted`, PLACES_MOST of them, all false at first, tells
 * which they are; may be NULL. */
uint32_t places_in_doubt(const struct places *places, const struct step_table *table, unsigned ranks, bool *doubted);
/* They become PLACE_PLAIN; returns whether there are any. */
bool places_settle(struct places *places, const struct step_table *table, unsigned ranks);

/* For the ranks that begin from now on. */
void places_tell(const struct places *places, struct channel *channel);
/* Are all shared windows watched as a whole? */
bool places_watch_all(const struct channel *channel);

#endif
