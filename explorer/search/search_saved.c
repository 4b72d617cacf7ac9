/* How far a search is, in a file, and going on from there. Between two layers that is little: the states met, those that wait, and
 * counts. A trail is left out, as in a blind search. */
#include "explorer/containers/search_storage.h"
#include "explorer/search/search_parts.h"

struct progress {
    uint64_t ranks, level, at, nows, laters;
    uint64_t transitions, deliveries, steps, counted_states;
    uint64_t reshape_at, reduced, blind, outcomes, outcome;
    uint64_t wary, again, hoped; /* whether the next exploration, if there is one, hopes */
};

/* --- layers -------------------------------------------------------------------------------------------------------------- */

static void save_layers(const struct layer *layer, size_t count, FILE *out) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t waiting = layer[i].count;
        fwrite(&waiting, sizeof waiting, 1, out);
        if (waiting)
            fwrite(layer[i].name, sizeof *layer[i].name, waiting, out);
    }
}

static bool load_layer(struct layer *layer, FILE *in) {
    uint64_t waiting;
    if (fread(&waiting, sizeof waiting, 1, in) != 1)
        return false;
    layer->name = storage_grow(layer->name, &layer->name_room, waiting, sizeof *layer->name);
    layer->count = waiting;
    return !waiting || fread(layer->name, sizeof *layer->name, waiting, in) == waiting;
}

static bool load_layers(struct layers *layers, const struct progress *progress, FILE *in) {
    bool ok = true;
    layers_clear(layers);
    for (size_t i = 0; ok && i < progress->nows; i++)
        ok = load_layer(layers_now(layers, i), in);
    for (size_t i = 0; ok && i < progress->laters; i++)
        ok = load_layer(layers_later(layers, i), in);
    layers->at = progress->at;
    layers->level = progress->level;
    return ok;
}

/* --- the search ---------------------------------------------------------------------------------------------------------- */

void search_save(const struct search *search, FILE *out) {
    const struct layers *layers = &search->layers;
    const struct progress progress = {
        .ranks = search->ranks,
        .level = layers->level,
        .at = layers->at,
        .nows = layers->nows,
        .laters = layers->laters,
        .transitions = search->statistics.transitions,
        .deliveries = search->statistics.deliveries,
        .steps = search->statistics.steps,
        .counted_states = search->counted_states,
        .reshape_at = search->reshape_at,
        .reduced = search->reduced,
        .blind = search->blind && !search->pretends,
        .outcomes = search->outcomes,
        .outcome = search->outcomes ? search->outcome[0].hash : 0,
        .wary = search->wary,
        .again = search->again,
        .hoped = search->hoped,
    };
    fwrite(&progress, sizeof progress, 1, out);
    fwrite(search->first_end, sizeof *search->first_end, search->ranks, out);
    save_layers(layers->now, layers->nows, out);
    save_layers(layers->later, layers->laters, out);
    state_set_save(search->states, out);
}

static void take_progress(struct search *search, const struct progress *progress) {
    search->statistics = (struct search_statistics){.states = progress->counted_states,
                                                    .transitions = progress->transitions,
                                                    .deliveries = progress->deliveries,
                                                    .steps = progress->steps};
    search->counted_states = progress->counted_states;
    search->reshape_at = progress->reshape_at;
    search->reduced = progress->reduced;
    search->wary = progress->wary;
    search->again = (unsigned)progress->again;
    search->hoped = progress->hoped;
    if (!progress->outcomes)
        return;
    search->outcome = storage_grow(search->outcome, &search->outcome_room, 1, sizeof *search->outcome);
    search->outcome[search->outcomes++] = (struct outcome){progress->outcome, TRAIL_NONE};
}

bool search_load(struct search *search, FILE *in) {
    struct progress progress;
    if (fread(&progress, sizeof progress, 1, in) != 1 || progress.ranks != search->ranks || progress.outcomes > 1 ||
        fread(search->first_end, sizeof *search->first_end, search->ranks, in) != search->ranks ||
        !load_layers(&search->layers, &progress, in))
        return false;
    struct state_set *states = state_set_read(search->ranks, in);
    if (!states)
        return false;
    state_set_destroy(search->states);
    search->states = states;
    take_progress(search, &progress);
    search->blind = search->loaded = true;
    search->pretends = !progress.blind;
    return true;
}
