#include "models/mpi/preload/windows/shared_places.h"

#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_sharing.h"

#include <stdlib.h>
#include <string.h>

static const struct window_region *segment_of(const struct window *window, int member) {
    return &window->sharing->memory[member].region[0];
}

bool shared_bytes_at(uintptr_t address, uint64_t size, struct shared_bytes *bytes) {
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        for (int member = 0; window->sharing != NULL && member < window->communicator->size; member++) {
            const struct window_region *segment = segment_of(window, member);
            uintptr_t start = (uintptr_t)segment->bytes;
            if (address < start || address >= start + segment->size)
                continue;
            *bytes = (struct shared_bytes){window, member, address - start, size};
            return true;
        }
    }
    return false;
}

static bool is_of(const struct wire_place_of_window *place, const struct shared_bytes *bytes) {
    return place->window == 0 ||
           (place->window == bytes->window->communicator->context && place->segment == (uint32_t)bytes->segment);
}

static bool holds_byte(const struct shared_bytes *bytes, uint64_t offset, unsigned kinds) {
    for (uint32_t i = 0; i < rank_core.places; i++) {
        const struct wire_place_of_window *place = &rank_core.place[i];
        if ((kinds & PLACES_OF(place->kind)) && is_of(place, bytes) &&
            (place->window == 0 || (offset >= place->offset && offset - place->offset < place->size)))
            return true;
    }
    return false;
}

bool places_hold(const struct shared_bytes *bytes, unsigned kinds) {
    uint64_t i = 0;
    while (i < bytes->size && holds_byte(bytes, bytes->offset + i, kinds))
        i++;
    return i == bytes->size;
}

bool places_touch(const struct shared_bytes *bytes, unsigned kinds) {
    uint64_t i = 0;
    while (i < bytes->size && !holds_byte(bytes, bytes->offset + i, kinds))
        i++;
    return i < bytes->size;
}

int place_polled(const struct shared_bytes *bytes) {
    for (uint32_t i = 0; i < rank_core.places; i++) {
        const struct wire_place_of_window *place = &rank_core.place[i];
        if (place->kind == PLACE_POLLED && is_of(place, bytes) && place->offset == bytes->offset && place->size == bytes->size)
            return (int)i + 1;
    }
    return 0;
}

static bool span_of_window(const struct wire_place_of_window *place, const struct window *window, uintptr_t *start,
                           uintptr_t *end) {
    if (window->sharing == NULL || (place->window != 0 && place->window != window->communicator->context))
        return false;
    const struct window_region *first = segment_of(window, place->window == 0 ? 0 : (int)place->segment);
    const struct window_region *last =
        segment_of(window, place->window == 0 ? window->communicator->size - 1 : (int)place->segment);
    *start = (uintptr_t)first->bytes + place->offset;
    *end = (uintptr_t)last->bytes + last->size;
    if (place->window != 0 && place->size < *end - *start)
        *end = *start + place->size;
    return *start < *end;
}

bool place_span(const struct wire_place_of_window *place, uint32_t *next, uintptr_t *start, uintptr_t *end) {
    const struct window *window;
    while ((window = window_at((*next)++)) != NULL) {
        if (span_of_window(place, window, start, end))
            return true;
    }
    return false;
}

void places_want(const struct shared_bytes *bytes, uint32_t kind) {
    const struct wire_place_of_window place = {.window = bytes->window->communicator->context,
                                               .segment = (uint32_t)bytes->segment,
                                               .offset = bytes->offset,
                                               .size = bytes->size,
                                               .kind = kind};
    rank_want_place(&place);
}

/* ---- what the program accesses ---- */

struct logged {
    struct shared_bytes bytes;
    bool writes;
};
static struct logged *logged;
static uint32_t loggeds;

enum { LOG_MOST = 65536 };

static bool same(const struct shared_bytes *a, const struct shared_bytes *b) {
    return a->window == b->window && a->segment == b->segment && a->offset == b->offset && a->size == b->size;
}

void places_log(const struct shared_bytes *bytes, bool writes) {
    uint32_t i = 0;
    while (i < loggeds && !same(&logged[i].bytes, bytes))
        i++;
    if (i == loggeds) {
        if (loggeds == LOG_MOST)
            step_end_refused("a step that accesses more than 65536 pieces of a shared window in which ranks synchronise is not "
                             "supported");
        if ((loggeds & (loggeds + 1)) == 0) /* room for 1, 3, 7 ... */
            logged = realloc(logged, (2 * (size_t)loggeds + 1) * sizeof *logged);
        logged[loggeds++] = (struct logged){*bytes, false};
    }
    logged[i].writes = logged[i].writes || writes;
}

bool places_logged(const struct shared_bytes *stored, struct shared_bytes *accessed) {
    for (uint32_t i = 0; i < loggeds; i++) {
        const struct shared_bytes *bytes = &logged[i].bytes;
        if (bytes->window == stored->window && bytes->segment == stored->segment &&
            bytes->offset < stored->offset + stored->size && stored->offset < bytes->offset + bytes->size) {
            *accessed = *bytes;
            return true;
        }
    }
    return false;
}

void places_forget_log(const struct window *window) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < loggeds; i++) {
        if (logged[i].bytes.window != window)
            logged[kept++] = logged[i];
    }
    loggeds = kept;
    if (loggeds > 0)
        return;
    free(logged);
    logged = NULL;
}

/* ---- conflicts ---- */

/* One machine word, as flags are. */
static bool is_word(const struct shared_bytes *bytes) {
    uintptr_t at = (uintptr_t)segment_of(bytes->window, bytes->segment)->bytes + bytes->offset;
    return (bytes->size == 1 || bytes->size == 2 || bytes->size == 4 || bytes->size == 8) && at % bytes->size == 0;
}

static void want_watching(const struct shared_bytes *bytes) {
    struct shared_bytes watched = *bytes;
    watched.offset = bytes->offset / WATCHED_AT_ONCE * WATCHED_AT_ONCE;
    watched.size = (bytes->offset + bytes->size - watched.offset + WATCHED_AT_ONCE - 1) / WATCHED_AT_ONCE * WATCHED_AT_ONCE;
    places_want(&watched, PLACE_WATCHED);
}

void places_judge_conflict(const struct shared_bytes *bytes) {
    struct shared_bytes accessed;
    if (!places_hold(bytes, PLACES_OF(PLACE_WATCHED)))
        want_watching(bytes);
    if (places_logged(bytes, &accessed) && is_word(&accessed) && !places_touch(&accessed, ~PLACES_OF(PLACE_WATCHED)))
        places_want(&accessed, PLACE_POLLED);
}
