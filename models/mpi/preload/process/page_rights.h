/* Which accesses the program has forbidden itself (mprotect, mmap), as part of the local state. While the program runs its
 * pages are protected so, over whatever the image does to find written ones; when it has left its stack they are not, as the
 * explorer reads and writes them. An access that the program must not make is its crash. */
#ifndef MODELS_MPI_PRELOAD_PAGE_RIGHTS_H
#define MODELS_MPI_PRELOAD_PAGE_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>

/* From `start` to before `end`, whole pages, there is this protection from now on. False: it has forbidden itself too many
 * pieces. */
bool page_rights_set(uintptr_t start, uintptr_t end, int protection);
/* That memory is given back: who gets it next may access it. */
void page_rights_forget(uintptr_t start, uintptr_t end);

/* The program goes on, has left its stack. */
void page_rights_apply(void);
void page_rights_lift(void);

/* Is the access forbidden? */
bool page_rights_forbid(uintptr_t address, bool writes);

#endif
