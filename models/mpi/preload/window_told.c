#include "models/mpi/preload/window_told.h"

#include <stdlib.h>
#include <string.h>

struct told {
    struct comb comb;
    struct caller caller;
};

/* What is in a shared window others load for themselves. */
static bool notes(const struct window *window) { return window->epoch == EPOCH_FENCE && window->sharing == NULL; }

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

void told_heard(void) {
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++)
        window->heard = true;
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
    if (window->begun == 0)
        window->heard = false;
}

void told_forget(struct window *window) {
    free(window->told);
    window->told = NULL;
    window->told_count = 0;
}
