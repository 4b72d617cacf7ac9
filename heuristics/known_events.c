#include "heuristics/known_events.h"

#include "models/growing.h"

enum { EVENTS_MOST = 1 << 14 }; /* more are not known: nobody will come to try them all */

void known_events_begin(struct known_events *events, unsigned ranks) {
    *events = (struct known_events){.ranks = ranks, .last = growing_new(ranks * sizeof *events->last)};
}

void known_events_end(struct known_events *events) {
    free(events->item);
    free(events->happened);
    free(events->last);
}

void known_events_new_ordering(struct known_events *events) {
    if (events->count)
        memset(events->happened, 0, events->count * sizeof *events->happened);
    for (unsigned rank = 0; rank < events->ranks; rank++)
        events->last[rank] = NO_EVENT;
}

uint32_t known_events_find(const struct known_events *events, const struct transition *transition) {
    if (transition->miss)
        return NO_EVENT;
    struct event event = event_of(transition);
    for (size_t i = 0; i < events->count; i++)
        if (!events->happened[i] && event_equal(&events->item[i].event, &event))
            return (uint32_t)i; /* equal ones are known, and happen, in their order */
    return NO_EVENT;
}

static void add(struct known_events *events, const struct transition *transition) {
    size_t number = events->count++;
    events->item = growing_room(events->item, &events->room, events->count, sizeof *events->item);
    events->happened = growing_room(events->happened, &events->happened_room, events->count, sizeof *events->happened);
    events->happened[number] = 0;
    events->item[number] =
        (struct known_event){.event = event_of(transition),
                             .before = events->last[transition->owner],
                             .cause = transition->partner == transition->owner ? NO_EVENT : events->last[transition->partner]};
}

void known_events_look(struct known_events *events, const struct transition *list, size_t count) {
    for (size_t i = 0; i < count && events->count < EVENTS_MOST; i++)
        if (!list[i].miss && known_events_find(events, &list[i]) == NO_EVENT)
            add(events, &list[i]);
}

void known_events_take(struct known_events *events, const struct transition *transition) {
    uint32_t number = known_events_find(events, transition);
    if (number == NO_EVENT)
        return;
    struct known_event *event = &events->item[number];
    if (!event->taken)
        event->before = events->last[transition->owner];
    event->taken = true;
    events->happened[number] = 1;
    events->last[transition->owner] = number;
}

uint64_t known_events_memory(const struct known_events *events) {
    return events->room * sizeof *events->item + events->happened_room * sizeof *events->happened +
           events->ranks * sizeof *events->last;
}
