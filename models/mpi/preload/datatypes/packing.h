/* MPI_Pack, MPI_Unpack and their like, of which MPICH does not see that there is too little room: it packs less, or beyond. */
#ifndef MODELS_MPI_PRELOAD_PACKING_H
#define MODELS_MPI_PRELOAD_PACKING_H

#include "models/mpi/preload/caller.h"

/* How many words a function is called with. */
enum { FORWARDED_WORDS = 12 };

/* Before the real function is called with these words, as forwarded.c has them; any other function passes. As the checks of
 * arguments.h. */
int packing_check(const struct caller *caller, const long *word);

/* Calls the real function with these words, also where it packs from or to MPI_BOTTOM, which MPICH takes for a null pointer. */
long packing_call(uint16_t function, const long *word, long (*real)(uint16_t function, const long *word));

/* The function uses its buffers: windows in which they lie are looked at (window_unseen.h), also if what it brings out of there
 * makes no difference for other bytes. */
void packing_note_use(uint16_t function, const long *word);

#endif
