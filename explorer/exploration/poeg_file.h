/* The partial order of one run, as a graph for Graphviz: an ellipse for each message received, a box for each collective, a column
 * for each rank; an arrow from what must come before. */
#ifndef EXPLORER_POEG_FILE_H
#define EXPLORER_POEG_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct exploration;

/* Writes it to options->poeg. Frames are subgroups: of the run, or of the orders that exploration->orders has left (--access).
 * False: `why`. */
bool poeg_file_write(struct exploration *exploration, char *why, size_t room);

#endif
