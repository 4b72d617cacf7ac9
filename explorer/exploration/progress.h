/* One line on a terminal that shows how far the search is; nothing where stderr is no terminal. */
#ifndef EXPLORER_PROGRESS_H
#define EXPLORER_PROGRESS_H

#include "explorer/processes/executors.h"
#include "explorer/search/search.h"

struct progress {
    bool shown; /* a line stands on the terminal */
    double began;
};

/* `quiet`: never show anything. */
void progress_begin(struct progress *progress, bool quiet);
void progress_show(struct progress *progress, const struct search_statistics *search,
                   const struct executors_statistics *executors, uint64_t memory_bytes);
/* Removes the line. */
void progress_end(struct progress *progress);

#endif
