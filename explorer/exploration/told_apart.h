/* Variables that keep the local states of a rank apart: of an exploration that came to no end, where a rank has most of them, and
 * what it is that there would be far fewer without. Mostly it is what nobody needs any more. */
#ifndef EXPLORER_TOLD_APART_H
#define EXPLORER_TOLD_APART_H

#include "explorer/exploration/exploration.h"

/* A sentence on the call in which most local states of one rank are, with the variables but for which hardly any would be left;
 * malloc'd. NULL: there are not many, or no few variables tell them apart. Takes 2% of the time so far, or what it takes to read
 * the program's debugging information. */
char *told_apart_tell(struct exploration *exploration);

#endif
