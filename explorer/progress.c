#include "explorer/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_begin(struct progress *progress, bool quiet) {
    progress->shown = false;
    progress->began = quiet || !isatty(STDERR_FILENO) ? 0 : seconds_now();
}

void progress_show(struct progress *progress, const struct search_statistics *search,
                   const struct executors_statistics *executors, uint64_t memory_bytes) {
    if (progress->began == 0)
        return;
    double seconds = seconds_now() - progress->began;
    progress->shown = true;
    fprintf(stderr,
            "\r\033[K%" PRIu64 " states (%.0f/s), %" PRIu64 " waiting; steps: %" PRIu64 " executed, %" PRIu64
            " reused; %.0f MB; %.0f s",
            search->states, seconds > 0 ? (double)search->states / seconds : 0, search->frontier, executors->steps_executed,
            executors->steps_reused, (double)memory_bytes / 1e6, seconds);
}

void progress_end(struct progress *progress) {
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
    progress->shown = false;
}
