/* Large zeroed arrays that grow without being copied, in huge pages where the kernel gives some: tables that are read at random
 * spend much of their time on finding pages otherwise. Running out of memory ends the process, as in search_storage.h. */
#ifndef EXPLORER_PAGE_STORAGE_H
#define EXPLORER_PAGE_STORAGE_H

#include <stddef.h>

void *page_storage_new(size_t bytes);
/* The same bytes at another place, and zeros after them. */
void *page_storage_grow(void *memory, size_t bytes, size_t more_bytes);
void page_storage_free(void *memory, size_t bytes); /* `memory` may be NULL */

#endif
