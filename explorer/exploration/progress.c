#include "explorer/exploration/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A terminal that understands how a line is cleared. */
static bool shown_to_somebody(void) {
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

void progress_begin(struct progress *progress, bool quiet) {
    progress->shown = false;
    progress->began = quiet || !shown_to_somebody() ? 0 : seconds_now();
}

/* Asked for each time, because windows are resized. The last column stays free: writing there may begin a new line. */
static int columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col - 1 : 79;
}

void progress_show(struct progress *progress, const struct search_statistics *search,
                   const struct executors_statistics *executors, uint64_t memory_bytes) {
    if (progress->began == 0)
        return;
    char line[256];
    double seconds = seconds_now() - progress->began;
    progress->shown = true;
    snprintf(line, sizeof line,
             "%.0f s: %" PRIu64 " states (%.0f/s), %" PRIu64 " waiting; %.0f MB; steps: %" PRIu64 " executed, %" PRIu64
             " reused",
             seconds, search->states, seconds > 0 ? (double)search->states / seconds : 0, search->frontier,
             (double)memory_bytes / 1e6, executors->steps_executed, executors->steps_reused);
    fprintf(stderr, "\r\033[K%.*s", columns(), line);
}

void progress_end(struct progress *progress) {
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
    progress->shown = false;
}
