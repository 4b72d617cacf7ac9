#include "models/mpi/preload/window_unseen.h"

#include "models/mpi/preload/control.h"
#include "models/mpi/preload/foreign_bytes.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/shared_traps.h"
#include "models/mpi/preload/threads.h"
#include "models/mpi/preload/window_passive.h"
#include "models/mpi/preload/window_told.h"

enum {
    MOST_BYTES = 1 << 20, /* of a window: other bytes are laid in all of it whenever the program goes on */
    MOST_PUT_OFF = 16,    /* in one step: a program that looks again and again waits for something */
};

static const struct window_region *memory_of(const struct window *window) { return &window->memory.region[0]; }

static struct footprint footprint_of(const struct window *window) {
    const struct window_region *region = memory_of(window);
    return (struct footprint){.first = {(intptr_t)region->bytes, region->size, 0, 1}, .combs = 1};
}

/* In an epoch of fence or post, what the window holds is compared with what it held. */
static bool is_in_active_epoch(const struct window *window) {
    return window->exposed || window->epoch == EPOCH_FENCE || window->epoch == EPOCH_START;
}

static bool may_be_unseen(const struct window *window) {
    if (window->sharing != NULL || window->flavor == MPI_WIN_FLAVOR_DYNAMIC || !passive_holds_memory(window) ||
        is_in_active_epoch(window) || memory_of(window)->lost || rank_agents_meet() || sharing_any() || threads_others())
        return false;
    const uintptr_t from = (uintptr_t)memory_of(window)->bytes;
    const size_t size = memory_of(window)->size;
    if (from < control->image.stack_high && from + size > control->image.stack_low)
        return false;
    const struct footprint footprint = footprint_of(window);
    return foreign_bytes_may_be_put(&footprint) && size <= MOST_BYTES && pending_buffers_find(from, from + size, true) == NULL;
}

bool unseen_may_put_off(const struct window *window) {
    return control->foreign.put_off < MOST_PUT_OFF && may_be_unseen(window);
}

bool unseen_put_off(struct window *window) {
    if (!unseen_may_put_off(window))
        return false;
    control->foreign.put_off++;
    window->unseen = true;
    window->touched_before = window->was_touched;
    window->is_up_to_date = window->was_touched = false;
    return true;
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

void unseen_note_touched(void) {
    note_perhaps_touched();
    if (control->foreign.unseen_touched == 0)
        control->foreign.unseen_touched = control->foreign.perhaps_touched;
}

static bool looks;

bool unseen_looks(void) { return looks; }

void unseen_go_on(void) {
    const struct wire_resolution *answer = (const struct wire_resolution *)mailbox_answer(control->mailbox);
    struct window *window;
    if (!unseen_any() || answer->looks == 0 || 1 + control->foreign.put_off < answer->looks)
        return;
    struct wire_looked *record = report_add(WIRE_LOOKED, sizeof *record);
    *record = (struct wire_looked){answer->looks, 0};
    looks = true;
    for (size_t next = 0; any_unseen(&window, &next);) {
        if (!window->is_up_to_date)
            passive_synchronise(&caller_current, window);
        window->unseen = false;
        window->was_touched = true;
    }
    looks = false;
    told_heard(false);
}

/* Only in an execution for the sake of such windows. */
static bool is_closed(void) { return control->foreign.of_unseen && control->foreign.variant != 0; }

static void close_aside(void) {
    struct window *window;
    for (size_t next = 0; is_closed() && any_unseen(&window, &next);) {
        const struct window_region *region = memory_of(window);
        shared_traps_close_unseen((uintptr_t)region->bytes, (uintptr_t)region->bytes + region->size);
    }
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

void unseen_lay(void) {
    struct window *window;
    for (size_t next = 0; any_unseen(&window, &next);) {
        const struct footprint footprint = footprint_of(window);
        foreign_bytes_put(FOREIGN_UNSEEN + (uint32_t)next, &footprint, &caller_current, rank_number());
    }
}

void unseen_lift(void) {
    struct window *window;
    for (size_t next = 0; any_unseen(&window, &next);) {
        const struct footprint footprint = footprint_of(window);
        if (!foreign_bytes_take_out(FOREIGN_UNSEEN + (uint32_t)next, &footprint))
            unseen_note_touched();
    }
}

static bool is_used(const struct footprint *buffer, const struct window *window) {
    const struct footprint footprint = footprint_of(window);
    return footprints_meet(buffer, &footprint);
}

void unseen_note_use(const struct buffers *buffers) {
    struct window *window;
    for (size_t next = 0; any_unseen(&window, &next);) {
        if (is_used(&buffers->given, window) || is_used(&buffers->taken, window))
            unseen_note_touched();
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

void unseen_note_stores(const struct window *window) {
    if (window->unseen)
        unseen_note_touched();
}

void unseen_note_statuses(const MPI_Status statuses[], int count) {
    const struct footprint bytes = {.first = {(intptr_t)statuses, (size_t)count * sizeof *statuses, 0, 1}, .combs = 1};
    struct window *window;
    for (size_t i = 0; count > 0 && statuses != MPI_STATUSES_IGNORE && (window = window_at(i)) != NULL; i++) {
        if (may_be_unseen(window) && is_used(&bytes, window))
            window->was_touched = window->touched_before = true;
    }
}

void unseen_note_computation(uint16_t function) {
    if ((function == FUNCTION_MPI_Reduce_local || function == FUNCTION_MPI_Reduce_local_c) && unseen_any())
        unseen_note_touched();
}
