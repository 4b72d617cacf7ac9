#include "explorer/steps/places.h"

#include "explorer/containers/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct wire_place_of_window) == sizeof(((struct channel *)0)->place[0]), "as the channel has them");

static bool grows(const struct wire_place_of_window *place) {
    return place->kind == PLACE_WATCHED || place->kind == PLACE_ATOMIC || place->kind == PLACE_PLAIN;
}

/* Makes `place` one with `other` if they meet. */
static bool join(struct wire_place_of_window *place, const struct wire_place_of_window *other) {
    if (place->kind != other->kind || place->window != other->window || place->segment != other->segment || !grows(place) ||
        other->offset > place->offset + place->size || place->offset > other->offset + other->size)
        return false;
    uint64_t end = place->offset + place->size, other_end = other->offset + other->size;
    end = end > other_end ? end : other_end;
    place->offset = place->offset < other->offset ? place->offset : other->offset;
    place->size = end - place->offset;
    return true;
}

static void add(struct places *places, const struct wire_place_of_window *place) {
    for (uint32_t i = 0; i < places->count; i++) {
        if (join(&places->place[i], place))
            return;
    }
    places->too_many = places->count == PLACES_MOST;
    if (!places->too_many)
        places->place[places->count++] = *place;
}

bool places_add(struct places *places, const char *text) {
    bool ok = true;
    while (ok && *text) {
        struct wire_place_of_window place = {0};
        int length = 0;
        ok = sscanf(text, "place %" SCNx64 " %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu32 "%n", &place.window, &place.segment,
                    &place.offset, &place.size, &place.kind, &length) == 5 &&
             place.kind > 0 && place.kind < PLACE_KINDS;
        if (ok)
            add(places, &place);
        text += length;
        text += strspn(text, "; ");
    }
    return ok;
}

char *places_text(const struct places *places) {
    enum { ROOM = 120 };
    char *text = places->count ? memory_take(places->count * ROOM) : NULL;
    size_t used = 0;
    for (uint32_t i = 0; i < places->count; i++) {
        const struct wire_place_of_window *place = &places->place[i];
        used += (size_t)snprintf(text + used, ROOM, "%s" WIRE_PLACE_FORMAT, i ? "; " : "", place->window, place->segment,
                                 place->offset, place->size, place->kind);
    }
    return text;
}

void places_tell(const struct places *places, struct channel *channel) {
    channel->places = places->count;
    memcpy(channel->place, places->place, sizeof places->place);
}

bool places_watch_all(const struct channel *channel) {
    for (uint32_t i = 0; i < channel->places; i++) {
        struct wire_place_of_window place;
        memcpy(&place, channel->place[i], sizeof place);
        if (place.kind == PLACE_WATCHED && place.window == 0)
            return true;
    }
    return false;
}

/* ---- does a rank wait? ---- */

/* Steps by the local states that they begin in. */
struct graph {
    const struct step_table *table;
    unsigned ranks;
    uint32_t *first; /* of a local state: its steps are step[first[local]] to before step[first[local + 1]] */
    uint32_t *step;
};

/* Does the rank hear from agents only, or nothing? */
static bool is_quiet(const struct graph *graph, uint32_t step) {
    const struct resolution *answer = step_table_resolution(graph->table, step);
    bool quiet = answer->kind == WIRE_NOT_YET || answer->kind == WIRE_COMPLETED;
    for (uint32_t i = 0; i < answer->completions; i++)
        quiet = quiet && answer->completion[i].source >= (int32_t)graph->ranks;
    const struct step_result *result = step_table_result(graph->table, step);
    return quiet && result && !result->ended;
}

static struct graph graph_of(const struct step_table *table, unsigned ranks) {
    const size_t locals = step_table_locals(table);
    const uint32_t steps = (uint32_t)step_table_statistics(table).steps;
    struct graph graph = {table, ranks, memory_take_zeroed((locals + 2) * sizeof *graph.first),
                          memory_take_zeroed((steps + 1u) * sizeof *graph.step)};
    for (uint32_t i = 0; i < steps; i++)
        graph.first[step_table_step_local(table, i) + 2] += is_quiet(&graph, i);
    for (size_t i = 2; i < locals + 2; i++)
        graph.first[i] += graph.first[i - 1];
    for (uint32_t i = 0; i < steps; i++) {
        if (is_quiet(&graph, i))
            graph.step[graph.first[step_table_step_local(table, i) + 1]++] = i;
    }
    return graph;
}

/* Does a way lead from the local state back to it? */
static bool comes_back(const struct graph *graph, uint32_t local, uint32_t *waiting, uint32_t *seen) {
    size_t count = 0;
    waiting[count++] = local;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t k = graph->first[waiting[i]]; k < graph->first[waiting[i] + 1]; k++) {
            uint32_t next = step_table_result(graph->table, graph->step[k])->local;
            if (next == local)
                return true;
            if (seen[next] != local + 1) {
                seen[next] = local + 1;
                waiting[count++] = next;
            }
        }
    }
    return false;
}

/* Marks the places, by their numbers from 1, that some rank waits for. */
static void find_awaited(const struct graph *graph, bool *awaited) {
    const size_t locals = step_table_locals(graph->table);
    uint32_t *waiting = memory_take((locals + 1) * sizeof *waiting), *seen = memory_take_zeroed((locals + 1) * sizeof *seen);
    for (uint32_t i = 0; i < step_table_results(graph->table); i++) {
        const struct step_result *result = step_table_result_numbered(graph->table, i);
        const int32_t number = result->ended || result->call.kind != WIRE_CALL_WAIT_ALL ? 0 : result->call.tag;
        if (number > 0 && number <= PLACES_MOST && !awaited[number])
            awaited[number] = comes_back(graph, result->local, waiting, seen);
    }
    free(waiting);
    free(seen);
}

/* Which places nobody waits for, by their numbers from 0, though some rank seemed to. */
static uint32_t find_mistakes(const struct places *places, const struct step_table *table, unsigned ranks, bool *mistaken) {
    bool awaited[PLACES_MOST + 1] = {false};
    uint32_t polled = 0, mistakes = 0;
    for (uint32_t i = 0; i < places->count; i++)
        polled += places->place[i].kind == PLACE_POLLED;
    if (polled == 0)
        return 0;
    struct graph graph = graph_of(table, ranks);
    find_awaited(&graph, awaited);
    free(graph.first);
    free(graph.step);
    for (uint32_t i = 0; i < places->count; i++) {
        mistaken[i] = places->place[i].kind == PLACE_POLLED && !awaited[i + 1];
        mistakes += mistaken[i];
    }
    return mistakes;
}

uint32_t places_in_doubt(const struct places *places, const struct step_table *table, unsigned ranks, bool *doubted) {
    bool mistaken[PLACES_MOST] = {false};
    return find_mistakes(places, table, ranks, doubted ? doubted : mistaken);
}

bool places_settle(struct places *places, const struct step_table *table, unsigned ranks) {
    bool mistaken[PLACES_MOST] = {false};
    const uint32_t mistakes = find_mistakes(places, table, ranks, mistaken);
    for (uint32_t i = 0; i < places->count; i++) {
        if (mistaken[i])
            places->place[i].kind = PLACE_PLAIN;
    }
    return mistakes > 0;
}
