#include "por/wakeup_tree.h"

#include "models/growing.h"

void wakeup_append(struct wakeup **children, const uint64_t *name, size_t count) {
    while (*children)
        children = &(*children)->next;
    for (size_t i = 0; i < count; i++) {
        *children = growing_new(sizeof **children);
        (*children)->name = name[i];
        children = &(*children)->first;
    }
}

struct wakeup *wakeup_take(struct wakeup **children, uint64_t *name) {
    struct wakeup *taken = *children, *after = taken->first;
    *name = taken->name;
    *children = taken->next;
    free(taken);
    return after;
}

void wakeup_free(struct wakeup *children) {
    while (children) {
        uint64_t ignored;
        wakeup_free(wakeup_take(&children, &ignored));
    }
}
