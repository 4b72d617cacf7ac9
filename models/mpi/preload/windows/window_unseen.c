#include "models/mpi/preload/windows/window_unseen.h"

#include "models/mpi/preload/memory/stack_room.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/foreign_bytes.h"
#include "models/mpi/preload/process/threads.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/shared_traps.h"
#include "models/mpi/preload/windows/window_passive.h"
#include "models/mpi/preload/windows/window_told.h"

#include <string.h>

enum {
    MOST_BYTES = 1 << 20, /* of a window: other bytes are laid in all of it whenever the program goes on */
    MOST_REGIONS = 16,    /* of a dynamic window: each is laid and closed by itself */
    MOST_PUT_OFF = 16,    /* in one step: a program that looks again and again waits for something */
    TOUCHES_MOST = 256,   /* in one step: what more is touched is not worth to be told from the rest */
};

static const struct window_region *region_of(const struct window *window, size_t i) {
    return i < window->memory.regions ? &window->memory.region[i] : NULL;
}

static uintptr_t begin_of(const struct window_region *region) { return (uintptr_t)region->bytes; }

static uintptr_t end_of(const struct window_region *region) { return begin_of(region) + region->size; }

/* Where the byte at the offset is, which is in the region, or the reverse. */
static uintptr_t address_of(const struct window_region *region, uint64_t offset) {
    return begin_of(region) + (offset - (uint64_t)region->start);
}

static uint64_t offset_of(const struct window_region *region, uintptr_t address) {
    return (uint64_t)region->start + (address - begin_of(region));
}

static struct footprint footprint_of(const struct window_region *region) {
    return (struct footprint){.first = {(intptr_t)region->bytes, region->size, 0, 1}, .combs = 1};
}

/* Takes the first bytes off those of the region from *at, an offset, on that were not looked at. False: there are none. */
static bool take_rest(const struct window *window, const struct window_region *region, uint64_t *at, struct wire_span *part) {
    return spans_take(&window->looked_at, false, at, (uint64_t)region->start + region->size, part);
}

/* All of them, to be freed. */
static struct footprint footprint_of_rest(const struct window *window) {
    struct footprint footprint = {0};
    const struct window_region *region;
    struct wire_span part;
    for (size_t i = 0; (region = region_of(window, i)) != NULL; i++) {
        for (uint64_t at = (uint64_t)region->start; take_rest(window, region, &at, &part);)
            footprint_add(&footprint, (char *)address_of(region, part.from), (MPI_Count)(part.to - part.from), MPI_BYTE);
    }
    return footprint;
}

/* In an epoch of fence or post, what the window holds is compared with what it held. */
static bool is_in_active_epoch(const struct window *window) {
    return window->exposed || window->epoch == EPOCH_FENCE || window->epoch == EPOCH_START;
}

static bool may_be_laid(const struct window_region *region) {
    const struct footprint footprint = footprint_of(region);
    return !region->lost && foreign_bytes_may_be_put(&footprint) &&
           pending_buffers_find(begin_of(region), end_of(region), true) == NULL;
}

static bool may_be_unseen(const struct window *window) {
    if (window->sharing != NULL || !passive_holds_memory(window) || is_in_active_epoch(window) || rank_agents_meet() ||
        sharing_any() || threads_others())
        return false;
    size_t i = 0;
    uint64_t bytes = 0;
    for (const struct window_region *region; (region = region_of(window, i)) != NULL && may_be_laid(region); i++)
        bytes += region->size;
    return i == window->memory.regions && i <= MOST_REGIONS && bytes <= MOST_BYTES;
}

bool unseen_may_put_off(const struct window *window) {
    return control->foreign.put_off < MOST_PUT_OFF && may_be_unseen(window);
}

bool unseen_put_off(struct window *window) {
    if (!unseen_may_put_off(window))
        return false;
    control->foreign.put_off++;
    window->touched_before = window->was_touched && !unseen_in_part(window);
    window->unseen = true;
    window->looked_at = (struct spans){0};
    window->is_up_to_date = window->was_touched = false;
    return true;
}

bool unseen_in_part(const struct window *window) { return window->unseen && window->looked_at.count > 0; }

void unseen_note_looked(struct window *window) {
    window->unseen = false;
    window->looked_at = (struct spans){0};
}

static bool any_unseen(struct window **window, size_t *next) {
    while ((*window = window_at((*next)++)) != NULL) {
        if ((*window)->unseen)
            return true;
    }
    return false;
}

bool unseen_any(void) {
    struct window *window;
    size_t next = 0;
    return any_unseen(&window, &next);
}

static void note_perhaps_touched(void) {
    if (control->foreign.perhaps_touched == 0)
        control->foreign.perhaps_touched = 1 + control->foreign.put_off;
}

static void note_touched(void) {
    note_perhaps_touched();
    if (control->foreign.unseen_touched == 0)
        control->foreign.unseen_touched = control->foreign.perhaps_touched;
}

void unseen_note_touched(void) {
    note_touched();
    control->foreign.touched_elsewhere = true;
}

bool unseen_touch(uintptr_t from, uintptr_t to) {
    struct foreign_bytes *foreign = &control->foreign;
    note_touched();
    if (foreign->touches++ == TOUCHES_MOST || !spans_add(&foreign->touched, from, to))
        foreign->touched_elsewhere = true;
    return foreign->variant == UNSEEN_TOUCHES && !foreign->touched_elsewhere;
}

void unseen_note_gone(const struct window *window) {
    if (window->unseen)
        unseen_note_touched();
}

static bool looks;

bool unseen_looks(void) { return looks; }

static const struct wire_resolution *last_answer(void) {
    return (const struct wire_resolution *)mailbox_answer(control->mailbox);
}

/* Now? */
static bool must_look(void) {
    return unseen_any() && last_answer()->looks != 0 && 1 + control->foreign.put_off >= last_answer()->looks;
}

static struct wire_look note_look(void) {
    struct wire_look *record = report_add(WIRE_LOOKED, sizeof *record);
    *record = (struct wire_look){.looks = last_answer()->looks, .spans = last_answer()->spans};
    memcpy(record->span, last_answer() + 1, record->spans * sizeof *record->span);
    return *record;
}

static void look_at_all(void) {
    struct window *window;
    for (size_t next = 0; any_unseen(&window, &next);) {
        if (!window->is_up_to_date)
            passive_synchronise(&caller_current, window);
        unseen_note_looked(window);
        window->was_touched = true;
    }
}

static bool add_span(struct spans *spans, const struct window_region *region, const struct wire_span *span) {
    const uintptr_t from = span->from > begin_of(region) ? span->from : begin_of(region);
    const uintptr_t to = span->to < end_of(region) ? span->to : end_of(region);
    return from >= to || spans_add(spans, offset_of(region, from), offset_of(region, from) + (to - from));
}

/* What of the window has been looked at once that has. False: there is no room. */
static bool find_spans(const struct window *window, const struct wire_look *look, struct spans *spans) {
    const struct window_region *region;
    *spans = window->looked_at;
    for (size_t i = 0; (region = region_of(window, i)) != NULL; i++) {
        for (uint32_t k = 0; k < look->spans; k++) {
            if (!add_span(spans, region, &look->span[k]))
                return false;
        }
    }
    return true;
}

static bool is_more(const struct spans *spans, const struct window *window) {
    return memcmp(spans, &window->looked_at, sizeof *spans) != 0;
}

/* Windows that are up to date are touched all the time; and the process must wait for an agent, after which it is seen what else it
 * touches. */
static bool may_look_at_parts(const struct wire_look *look) {
    bool any = false, may = look->spans > 0;
    struct window *window;
    struct spans spans;
    for (size_t next = 0; may && any_unseen(&window, &next);) {
        may = !window->is_up_to_date && find_spans(window, look, &spans);
        any = any || (may && is_more(&spans, window));
    }
    return may && any;
}

static void look_at_parts(const struct wire_look *look) {
    struct window *window;
    struct spans spans;
    for (size_t next = 0; any_unseen(&window, &next);) {
        if (!find_spans(window, look, &spans) || !is_more(&spans, window))
            continue;
        passive_look_at_part(&caller_current, window, &spans);
        window->was_touched = true;
    }
}

/* That the process waited for an agent has given it another answer. */
void unseen_go_on(void) {
    while (must_look()) {
        const struct wire_look look = note_look();
        looks = true;
        if (may_look_at_parts(&look))
            look_at_parts(&look);
        else
            look_at_all();
        looks = false;
        told_heard(false);
    }
}

/* Only in an execution for the sake of such windows. */
static bool is_closed(void) { return control->foreign.of_unseen && control->foreign.variant != 0; }

static void close_rest_of(const struct window *window) {
    const struct window_region *region;
    struct wire_span part;
    for (size_t i = 0; (region = region_of(window, i)) != NULL; i++) {
        for (uint64_t at = (uint64_t)region->start; take_rest(window, region, &at, &part);)
            shared_traps_add_unseen(address_of(region, part.from), address_of(region, part.to));
    }
    control->foreign.touched_elsewhere |= window->is_up_to_date;
}

static void close_rest(void) {
    struct window *window;
    shared_traps_begin_unseen();
    for (size_t next = 0; any_unseen(&window, &next);)
        close_rest_of(window);
    shared_traps_close_unseen();
}

static void close_aside(void) {
    if (is_closed())
        close_rest();
    foreign_bytes_return();
}

static void open_aside(void) {
    shared_traps_open();
    foreign_bytes_return();
}

/* They do nothing but in that execution, but in all of them the same of what can be seen. */
void unseen_close(void) {
    if (control->foreign.unseen > 0)
        foreign_bytes_do_aside(close_aside);
}

/* Of what other functions do with the program's memory it only shows later that they did. */
static bool takes_no_memory(uint16_t function) {
    switch (function) {
    case FUNCTION_MPI_Barrier:
    case FUNCTION_MPI_Win_flush:
    case FUNCTION_MPI_Win_flush_all:
    case FUNCTION_MPI_Win_flush_local:
    case FUNCTION_MPI_Win_flush_local_all:
    case FUNCTION_MPI_Win_lock:
    case FUNCTION_MPI_Win_lock_all:
    case FUNCTION_MPI_Win_sync:
    case FUNCTION_MPI_Win_unlock:
    case FUNCTION_MPI_Win_unlock_all: return true;
    default: return false;
    }
}

void unseen_open(uint16_t function) {
    if (control->foreign.unseen == 0)
        return;
    if (is_closed() && !takes_no_memory(function))
        note_perhaps_touched();
    foreign_bytes_do_aside(open_aside);
}

/* Was any of it on the stack of a function that has returned? Other functions use that now, ours too. */
static bool is_left(const struct window *window) {
    const struct window_region *region;
    size_t i = 0;
    while ((region = region_of(window, i)) != NULL &&
           (begin_of(region) < control->image.stack_low || begin_of(region) >= stack_left_to()))
        i++;
    return region != NULL;
}

void unseen_lay(void) {
    struct window *window;
    for (size_t next = 0; any_unseen(&window, &next);) {
        if (is_left(window)) {
            unseen_note_touched();
            continue;
        }
        struct footprint footprint = footprint_of_rest(window);
        foreign_bytes_put(FOREIGN_UNSEEN + (uint32_t)next, &footprint, &caller_current, rank_number());
        footprint_free(&footprint);
    }
}

void unseen_lift(void) {
    struct window *window;
    for (size_t next = 0; any_unseen(&window, &next);) {
        struct footprint footprint = footprint_of_rest(window);
        if (!foreign_bytes_take_out(FOREIGN_UNSEEN + (uint32_t)next, &footprint))
            unseen_note_touched();
        footprint_free(&footprint);
    }
}

/* Does the buffer have bytes in common with the window's memory? */
static bool is_used(const struct footprint *buffer, const struct window *window) {
    const struct window_region *region;
    for (size_t i = 0; (region = region_of(window, i)) != NULL; i++) {
        const struct footprint footprint = footprint_of(region);
        if (footprints_meet(buffer, &footprint))
            return true;
    }
    return false;
}

/* Bytes of the region, unless they were looked at. */
static void note_bytes(const struct window *window, const struct window_region *region, uintptr_t from, uintptr_t to) {
    const uint64_t offset = offset_of(region, from);
    if (!spans_hold(&window->looked_at, offset, offset + (to - from)))
        unseen_touch(from, to);
}

static void note_piece(const struct window *window, uintptr_t from, uintptr_t to) {
    const struct window_region *region;
    for (size_t i = 0; (region = region_of(window, i)) != NULL; i++) {
        if (from < end_of(region) && begin_of(region) < to)
            note_bytes(window, region, from > begin_of(region) ? from : begin_of(region),
                       to < end_of(region) ? to : end_of(region));
    }
}

static void note_buffer(const struct window *window, const struct footprint *buffer) {
    for (uint32_t i = 0; i < buffer->combs && is_used(buffer, window) && !control->foreign.touched_elsewhere; i++) {
        const struct comb *comb = footprint_comb(buffer, i);
        for (size_t k = 0; k < comb->pieces && !control->foreign.touched_elsewhere; k++) {
            const uintptr_t from = (uintptr_t)(comb->at + (ptrdiff_t)k * comb->distance);
            note_piece(window, from, from + comb->size);
        }
    }
}

void unseen_note_use(const struct buffers *buffers) {
    struct window *window;
    for (size_t next = 0; any_unseen(&window, &next);) {
        note_buffer(window, &buffers->given);
        note_buffer(window, &buffers->taken);
    }
}

void unseen_note_array(const void *array, int elements, size_t size) {
    const struct footprint bytes = {.first = {(intptr_t)array, (size_t)elements * size, 0, 1}, .combs = 1};
    struct window *window;
    for (size_t next = 0; elements > 0 && any_unseen(&window, &next);) {
        if (is_used(&bytes, window))
            unseen_note_touched();
    }
}

void unseen_note_stores(const struct window *window, const struct access *stores) {
    for (uint64_t i = 0; window->unseen && i < stores->runs; i++) {
        struct access_run run = access_runs(stores)[i];
        uint64_t length;
        for (const char *at; (at = window_memory_take(&window->memory, &run, &length)) != NULL;)
            note_piece(window, (uintptr_t)at, (uintptr_t)at + length);
    }
}

void unseen_note_statuses(const MPI_Status statuses[], int count) {
    const struct footprint bytes = {.first = {(intptr_t)statuses, (size_t)count * sizeof *statuses, 0, 1}, .combs = 1};
    struct window *window;
    for (size_t i = 0; count > 0 && statuses != MPI_STATUSES_IGNORE && (window = window_at(i)) != NULL; i++) {
        if (may_be_unseen(window) && is_used(&bytes, window)) {
            window->was_touched = window->touched_before = true;
            window->looked_at = (struct spans){0};
        }
    }
}

void unseen_note_computation(uint16_t function) {
    if ((function == FUNCTION_MPI_Reduce_local || function == FUNCTION_MPI_Reduce_local_c) && unseen_any())
        unseen_note_touched();
}
