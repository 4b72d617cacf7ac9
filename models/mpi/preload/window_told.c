#include "models/mpi/preload/window_told.h"

#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/window_sharing.h"

#include <stdlib.h>
#include <string.h>

struct told {
    struct comb comb;
    struct caller caller;
};

/* What is in a shared window others load for themselves. */
static bool notes(const struct window *window) {
    return (window->epoch == EPOCH_FENCE || window->exposed) && window->sharing == NULL;
}

bool told_wanted(void) {
    const struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (notes(window))
            return true;
    }
    return false;
}

static bool is_in(const struct window *window, const struct footprint *piece) {
    for (size_t i = 0; i < window->memory.regions; i++) {
        const struct window_region *region = &window->memory.region[i];
        if (footprint_enters(piece, (uintptr_t)region->bytes, (uintptr_t)region->bytes + region->size))
            return true;
    }
    return false;
}

/* Once for all that is sent again and again. */
static bool is_noted(const struct window *window, const struct comb *comb) {
    for (size_t i = 0; i < window->told_count; i++) {
        if (memcmp(&window->told[i].comb, comb, sizeof *comb) == 0)
            return true;
    }
    return false;
}

static void note(struct window *window, const struct caller *caller, const struct footprint *given) {
    for (uint32_t i = 0; i < given->combs; i++) {
        const struct footprint piece = {.first = *footprint_comb(given, i), .combs = 1};
        if (is_noted(window, &piece.first) || !is_in(window, &piece))
            continue;
        window->told = realloc(window->told, (window->told_count + 1) * sizeof *window->told);
        window->told[window->told_count++] = (struct told){piece.first, *caller};
    }
}

void told_note(const struct caller *caller, const struct footprint *given) {
    struct window *window;
    for (size_t i = 0; given->combs > 0 && (window = window_at(i)) != NULL; i++) {
        if (notes(window))
            note(window, caller, given);
    }
}

/* What MPI_Win_start waits for. But where there are agents others may have put something into a window meanwhile. */
static bool says_nothing(const struct window *window, const struct window_target *target) {
    return window->is_starting && target->in_access_group && rank_agents() == AGENTS_NONE;
}

void told_heard(void) {
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        window->heard = window->heard_in_phase = true;
        for (int k = 0; k < window->communicator->size; k++) {
            if (!says_nothing(window, &window->target[k]))
                window->target[k].heard = HEARD_SOMETHING;
        }
    }
}

static void begin_phase(struct window *window) {
    enum { PHASES_TOLD_APART = 4 };
    window->phase = (window->phase + 1) % PHASES_TOLD_APART;
    window->heard_in_phase = false;
}

bool told_may_go_on(const struct window *window, uint8_t phase) { return !window->heard_in_phase && phase == window->phase; }

static bool has_all(const struct communicator *communicator, const struct window *window) {
    for (int i = 0; i < window->communicator->size; i++) {
        if (communicator_rank_of(communicator, window->communicator->world[i]) == MPI_UNDEFINED)
            return false;
    }
    return true;
}

static void count_barrier(struct window_target *target) {
    target->heard = HEARD_BARRIER;
    for (size_t i = 0; i < target->issued_count; i++) {
        uint8_t *heard = &target->issued[i].access->heard;
        *heard += target->in_access_group && *heard >= HEARD_BARRIER && *heard < HEARD_MOST;
    }
}

void told_barrier(const struct communicator *communicator) {
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (communicator_is_inter(communicator) || !has_all(communicator, window))
            continue;
        begin_phase(window);
        window->barriers += window->exposed && window->barriers < HEARD_MOST;
        for (int k = 0; k < window->communicator->size; k++)
            count_barrier(&window->target[k]);
    }
}

/* In memory that they share ranks can say things without any call. */
uint8_t told_of(const struct window *window, int target) {
    return sharing_any() ? (uint8_t)HEARD_SOMETHING : window->target[target].heard;
}

void told_complete(struct window *window) {
    for (int i = 0; i < window->communicator->size; i++) {
        if (window->target[i].in_access_group)
            window->target[i].heard = HEARD_NOTHING;
    }
}

static bool has_heard(const struct window *window, uint8_t heard) {
    return heard == HEARD_SOMETHING || (heard != HEARD_NOTHING && heard - HEARD_BARRIER < window->barriers);
}

void told_judge(const struct window *window, char *batch, size_t size) {
    const struct access *end = (const struct access *)(batch + size);
    for (struct access *access = (struct access *)batch; access < end; access = (struct access *)access_next(access))
        access->heard = has_heard(window, access->heard);
}

const struct caller *told_find(const struct window *window, uintptr_t from, uintptr_t to) {
    for (size_t i = 0; i < window->told_count; i++) {
        const struct footprint piece = {.first = window->told[i].comb, .combs = 1};
        if (footprint_enters(&piece, from, to))
            return &window->told[i].caller;
    }
    return NULL;
}

void told_begin(struct window *window) {
    told_forget(window);
    if (window->exposed || window->begun > 0)
        return;
    begin_phase(window);
    window->heard = false;
    for (int i = 0; i < window->communicator->size; i++)
        window->target[i].heard = HEARD_NOTHING;
}

void told_forget(struct window *window) {
    free(window->told);
    window->told = NULL;
    window->told_count = 0;
}
