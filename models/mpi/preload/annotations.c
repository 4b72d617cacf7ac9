#include "models/mpi/preload/annotations.h"

#include "models/mpi/preload/buffers/pending_buffers.h"
#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/shared_places.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Before the header that calls it. */
EXPORT(Pcontrol)
#include "include/explore.h"

enum { IGNORED_MOST = 64 };

/* Few, and each is looked at whenever the rank blocks. */
static struct {
    char *start;
    size_t size;
} ignored[IGNORED_MOST];
static int ranges;

void annotations_zero_ignored(void) {
    for (int i = 0; i < ranges; i++)
        memset(ignored[i].start, 0, ignored[i].size);
    if (ranges > 0)
        pending_buffers_note_content();
}

static void heed(const char *start) {
    for (int i = 0; i < ranges; i++) {
        if (ignored[i].start != start)
            continue;
        ignored[i] = ignored[--ranges];
        memset(&ignored[ranges], 0, sizeof ignored[ranges]);
        return;
    }
}

static void ignore(const struct caller *caller, char *start, size_t size) {
    heed(start);
    if (size == 0)
        return;
    uintptr_t from = (uintptr_t)start, to = from + size;
    if (from < control->image.stack_high && to > control->image.stack_low)
        rank_refuse(caller->function, caller->site, "explore_ignore is called for memory on the stack, which is not supported");
    if (ranges == IGNORED_MOST)
        rank_refuse(caller->function, caller->site, "explore_ignore is called for more than %d ranges, which is not supported",
                    IGNORED_MOST);
    ignored[ranges].start = start;
    ignored[ranges++].size = size;
}

static void make_atomic(const char *start, size_t size) {
    struct shared_bytes bytes;
    if (size > 0 && shared_bytes_at((uintptr_t)start, size, &bytes) && !places_hold(&bytes, PLACES_OF(PLACE_ATOMIC)))
        places_want(&bytes, PLACE_ATOMIC);
}

static void observe(const char *name, const char *value, size_t size) {
    report_output(WIRE_OBSERVATIONS, name, strlen(name));
    report_output(WIRE_OBSERVATIONS, " = ", 3);
    report_output(WIRE_OBSERVATIONS, value, size);
    report_output(WIRE_OBSERVATIONS, "\n", 1);
}

static void observe_bytes(const char *name, const unsigned char *value, size_t size) {
    report_output(WIRE_OBSERVATIONS, name, strlen(name));
    report_output(WIRE_OBSERVATIONS, " =", 2);
    for (size_t i = 0; i < size; i++) {
        char byte[4];
        snprintf(byte, sizeof byte, " %02x", value[i]);
        report_output(WIRE_OBSERVATIONS, byte, 3);
    }
    report_output(WIRE_OBSERVATIONS, "\n", 1);
}

static void control_by(const struct caller *caller, int level, va_list argument) {
    char text[64];
    const char *name;
    char *start;
    const unsigned char *bytes;
    switch (level) {
    case EXPLORE_IGNORE:
        start = va_arg(argument, char *);
        ignore(caller, start, va_arg(argument, size_t));
        break;
    case EXPLORE_HEED: heed(va_arg(argument, char *)); break;
    case EXPLORE_OBSERVE_BYTES:
        name = va_arg(argument, char *);
        bytes = va_arg(argument, unsigned char *);
        observe_bytes(name, bytes, va_arg(argument, size_t));
        break;
    case EXPLORE_OBSERVE_INTEGER:
        name = va_arg(argument, char *);
        observe(name, text, (size_t)snprintf(text, sizeof text, "%lld", va_arg(argument, long long)));
        break;
    case EXPLORE_OBSERVE_DOUBLE: /* by address: our entry leaves no count of vector registers, as variable arguments need */
        name = va_arg(argument, char *);
        observe(name, text, (size_t)snprintf(text, sizeof text, "%.17g", *va_arg(argument, double *)));
        break;
    case EXPLORE_ATOMIC:
        start = va_arg(argument, char *);
        make_atomic(start, va_arg(argument, size_t));
        break;
    default: /* meant for another tool */ break;
    }
}

int MPI_Pcontrol(const int level, ...) {
    ENTER(Pcontrol, level);
    va_list argument;
    va_start(argument, level);
    control_by(caller, level, argument);
    va_end(argument);
    return MPI_SUCCESS;
}
