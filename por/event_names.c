#include "por/event_names.h"

#include "models/growing.h"

#include <string.h>

bool event_names_has(const struct event_names *names, uint64_t name) {
    for (size_t i = 0; i < names->count; i++)
        if (names->name[i] == name)
            return true;
    return false;
}

void event_names_add(struct event_names *names, uint64_t name) {
    names->name = growing_room(names->name, &names->room, names->count + 1, sizeof *names->name);
    names->name[names->count++] = name;
}

void event_names_copy(struct event_names *to, const struct event_names *from) {
    to->count = 0;
    for (size_t i = 0; i < from->count; i++)
        event_names_add(to, from->name[i]);
}

void event_names_take_out(struct event_names *names, uint64_t name) {
    size_t kept = 0;
    for (size_t i = 0; i < names->count; i++)
        if (names->name[i] != name)
            names->name[kept++] = names->name[i];
    names->count = kept;
}

const struct event_offered *event_find(const struct event_offered *list, size_t count, uint64_t name) {
    for (size_t i = 0; i < count; i++)
        if (list[i].name == name)
            return &list[i];
    return NULL;
}

void event_copy_state(const struct event_taker *taker, void *to, const void *from) {
    memcpy(to, from, taker->system->state_bytes);
}

size_t event_list(const struct event_taker *taker, const void *state, struct event_offered **list, size_t *room) {
    const struct event_offered *offered;
    size_t count = taker->system->offered(taker->system->self, state, &offered);
    *list = growing_room(*list, room, count, sizeof **list);
    if (count)
        memcpy(*list, offered, count * sizeof **list);
    return count;
}

bool event_is_offered(const struct event_taker *taker, const void *state, uint64_t name) {
    const struct event_offered *list;
    size_t count = taker->system->offered(taker->system->self, state, &list);
    return event_find(list, count, name) != NULL;
}

bool event_take(struct event_taker *taker, void *state, uint64_t name) {
    const struct event_system *system = taker->system;
    const struct event_offered *list;
    size_t count = system->offered(system->self, state, &list);
    const struct event_offered *event = event_find(list, count, name);
    if (!event)
        return false;
    const struct transition transition = event->transition; /* the list is overwritten */
    enum event_taken taken = system->take(system->self, state, &transition);
    taker->stopped |= taken == EVENT_STOPPED;
    return taken == EVENT_TAKEN;
}
