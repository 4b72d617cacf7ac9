/* Room for lists in the memory of a rank: it depends on how long they are, and not on how they became so, nor does what is behind them, so
 * that local states with equal lists are equal. */
#ifndef MODELS_MPI_PRELOAD_LIST_ROOM_H
#define MODELS_MPI_PRELOAD_LIST_ROOM_H

#include <stddef.h>

/* For how many elements a list of `count` has room: `least`, a power of two, or one above that; 0: none for none. */
size_t list_room(size_t count, size_t least);

/* A list from malloc, of `before` elements of `size` bytes each, gets room for `count`. The elements stay as they are, and more room is
 * zero; to be zeroed before are those that there are less. NULL: there is none for none. */
void *list_fit(void *list, size_t before, size_t count, size_t least, size_t size);

#endif
