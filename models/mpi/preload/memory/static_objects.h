/* The program's variables of static storage: where each begins and ends, as the symbol tables of the executable and its libraries
 * say. They are read once, before ranks exist, and kept in memory of their own that nobody writes to.
 *
 * Not known: what is stripped and exported by nobody, thread-local variables, symbols without a size, and those in sections whose
 * name is a C identifier, as programs go through all of such a section from one symbol to the next. */
#ifndef MODELS_MPI_PRELOAD_STATIC_OBJECTS_H
#define MODELS_MPI_PRELOAD_STATIC_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

/* To be called once, before rank_start. What cannot be read is left out. */
void static_objects_find(void);

/* The variable that an address lies in; of several (aliases, parts) that which goes on farthest. NULL: in none that is known. */
struct static_object {
    uintptr_t start, end;
    char name[48]; /* cut off if it is longer */
};
const struct static_object *static_object_at(const void *address);

#endif
