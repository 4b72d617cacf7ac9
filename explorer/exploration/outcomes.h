/* What ranks have written: how two outcomes of a rank differ (the first line of its output or its files that is not the same), and
 * its last words. */
#ifndef EXPLORER_OUTCOMES_H
#define EXPLORER_OUTCOMES_H

#include "explorer/processes/programs.h"
#include "explorer/reports/report.h"

/* Of what was written up to two local states: outputs first, as they are what one sees first, then files. No difference: neither
 * stream nor file is set. To be freed with output_difference_free. */
struct output_difference outcomes_compare(struct programs *programs, uint32_t here, uint32_t there);
struct output_difference outcomes_compare_outputs(struct programs *programs, uint32_t here, uint32_t there);
/* The last line of what the rank has written to stderr, or if nothing to stdout, up to the local state; malloc'd, printable.
 * NULL: there is none. `stream` is set to which. */
char *outcomes_last_line(struct programs *programs, uint32_t local, int *stream);
void output_difference_free(struct output_difference *difference);
/* A sentence about a file that differs, malloc'd. `rank`: whose file it is; -1: the ranks share it. */
char *outcomes_message_of_file(const struct output_difference *difference, int rank);

#endif
