/* Why a message and a receive that wait for each other do not match. */
#ifndef EXPLORER_NEAR_MISS_H
#define EXPLORER_NEAR_MISS_H

#include "explorer/search/search_parts.h"

/* In a deadlock: adds to the sentence the first message for a rank that waits for one, from a source that it would take, but
 * with another tag or on another communicator; nothing if there is none. */
void near_miss_tell(FILE *out, const struct search *search, const uint32_t *state);

#endif
