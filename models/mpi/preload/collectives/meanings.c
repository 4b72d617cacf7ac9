#include "models/mpi/preload/collectives/meanings.h"

#include "models/mpi/preload/process/control.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char dots[] = "...";
enum { CUT = WIRE_MEANING_ROOM - sizeof dots }; /* the last place for them */

/* Behind the last addition that leaves room for the dots, or within the first one. */
static void cut(struct meaning *meaning) {
    const size_t at = meaning->whole > 0 ? meaning->whole : CUT;
    memset(meaning->text + at, 0, sizeof meaning->text - at);
    memcpy(meaning->text + at, dots, sizeof dots);
    meaning->used = sizeof meaning->text - 1; /* so that nothing comes behind them */
}

void meaning_add(struct meaning *meaning, const char *format, ...) {
    const size_t room = sizeof meaning->text - meaning->used;
    va_list arguments;
    va_start(arguments, format);
    const int added = vsnprintf(meaning->text + meaning->used, room, format, arguments);
    va_end(arguments);
    if (added < 0 || (size_t)added >= room) {
        cut(meaning);
        return;
    }
    meaning->used += (size_t)added;
    if (meaning->used <= CUT)
        meaning->whole = meaning->used;
}

void meaning_announce(uint64_t half, const struct meaning *meaning) {
    struct wire_meaning *record = report_add(WIRE_MEANING, sizeof *record);
    record->half = half;
    memcpy(record->text, meaning->text, sizeof record->text);
}
