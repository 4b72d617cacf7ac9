/* Large zeroed arrays, in huge pages where the kernel gives some: tables that are read at random
 * spend much of their time on finding pages otherwise. Running out of memory ends the process, as in search_storage.h. */
#ifndef EXPLORER_PAGE_STORAGE_H
#define EXPLORER_PAGE_STORAGE_H

#include <stddef.h>

void *page_storage_new(size_t bytes);
/* Gives back the memory of whole pages of an array, which are not needed any more, before the array is freed. */
void page_storage_release(void *pages, size_t bytes);
void page_storage_free(void *memory, size_t bytes); /* `memory` may be NULL */

#endif
