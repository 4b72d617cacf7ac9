#include "heuristics/arrivals.h"

#include "models/growing.h"

void *arrivals_create(unsigned ranks) {
    (void)ranks;
    return growing_new(sizeof(struct arrivals));
}

void arrivals_destroy(void *arrivals) {
    struct arrivals *all = arrivals;
    free(all->item);
    free(all->of);
    free(all);
}

void arrivals_begin(void *arrivals) {
    struct arrivals *all = arrivals;
    all->count = 0;
    all->sets = all->turns = 0;
}

static size_t find(const struct arrivals *arrivals, const struct event *event) {
    size_t i = 0;
    while (i < arrivals->count && !event_equal(&arrivals->item[i].event, event))
        i++;
    return i;
}

/* A message stays on its way while its receiver is busy; what a rank alone might have done is over when it does something else. */
static bool is_over(const struct arrival *arrival) {
    return !arrival->offered && arrival->event.owner == arrival->event.partner;
}

static void sweep(struct arrivals *arrivals) {
    size_t kept = 0;
    for (size_t i = 0; i < arrivals->count; i++) {
        if (is_over(&arrivals->item[i]))
            continue;
        arrivals->item[kept] = arrivals->item[i];
        arrivals->item[kept++].offered = false;
    }
    arrivals->count = kept;
}

void arrivals_look(struct arrivals *arrivals, const struct transition *list, size_t count) {
    sweep(arrivals);
    arrivals->of = growing_room(arrivals->of, &arrivals->of_room, count, sizeof *arrivals->of);
    bool new_set = false;
    for (size_t i = 0; i < count; i++) {
        struct event event = event_of(&list[i]);
        size_t at = find(arrivals, &event);
        if (at == arrivals->count) {
            arrivals->sets += !new_set;
            new_set = true;
            arrivals->item = growing_room(arrivals->item, &arrivals->room, at + 1, sizeof *arrivals->item);
            arrivals->item[arrivals->count++] = (struct arrival){event, true, arrivals->sets, ++arrivals->turns};
        }
        arrivals->item[at].offered = true;
        arrivals->of[i] = (uint32_t)at;
    }
}

void arrivals_put_back(struct arrivals *arrivals, size_t position) {
    arrivals->item[arrivals->of[position]].turn = ++arrivals->turns;
}

void arrivals_take(struct arrivals *arrivals, size_t position) {
    uint32_t taken = arrivals->of[position];
    arrivals->item[taken] = arrivals->item[--arrivals->count]; /* `of` is void until the next look */
}
