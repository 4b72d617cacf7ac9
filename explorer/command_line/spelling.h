/* What somebody may have meant who wrote a word that is not known. */
#ifndef EXPLORER_SPELLING_H
#define EXPLORER_SPELLING_H

#include <stddef.h>

/* How many letters must be put in, left out, replaced or swapped with their neighbour to turn `a` into `b`. Words of more than 40
 * letters are far from everything. */
size_t spelling_distance(const char *a, const char *b);

#endif
