#include "explorer/processes/kept_states.h"

#include <stdlib.h>

static int by_need(const void *a, const void *b) {
    const struct kept_state *x = a, *y = b;
    if (x->must != y->must)
        return x->must ? -1 : 1;
    return x->used > y->used ? -1 : x->used < y->used;
}

static bool is_whole(struct page_marks *marks, const struct kept_state *state) {
    return page_marks_whole(marks, state->image) && page_marks_whole(marks, state->log);
}

uint64_t kept_states_choose(struct page_marks *marks, struct kept_state *list, size_t count, uint64_t bytes, uint32_t before) {
    uint64_t kept = 0;
    qsort(list, count, sizeof *list, by_need);
    page_marks_begin(marks);
    for (size_t i = 0; i < count && (list[i].must || kept < bytes); i++)
        if (list[i].must || is_whole(marks, &list[i]))
            kept += page_marks_keep(marks, list[i].image) + page_marks_keep(marks, list[i].log);
    return page_marks_forget(marks, before);
}
