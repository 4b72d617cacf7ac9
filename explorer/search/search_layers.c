#include "explorer/search/search_layers.h"
#include "explorer/containers/search_storage.h"

void layer_push(struct layer *layer, state_name name, bool with_trail, uint32_t trail) {
    layer->name = storage_grow_large(layer->name, &layer->name_room, layer->count + 1, sizeof *layer->name);
    if (with_trail) {
        layer->trail = storage_grow_large(layer->trail, &layer->trail_room, layer->count + 1, sizeof *layer->trail);
        layer->trail[layer->count] = trail;
    }
    layer->name[layer->count++] = name;
}

void layer_clear(struct layer *layer) {
    free(layer->name);
    free(layer->trail);
    *layer = (struct layer){0};
}

size_t layer_memory(const struct layer *layer) {
    return layer->name_room * sizeof *layer->name + layer->trail_room * sizeof *layer->trail;
}

static struct layer *layer_at(struct layer **list, size_t *count, size_t *room, size_t at) {
    *list = storage_grow(*list, room, at + 1, sizeof **list);
    for (; *count <= at; ++*count)
        (*list)[*count] = (struct layer){0};
    return &(*list)[at];
}

struct layer *layers_now(struct layers *layers, size_t at) {
    return layer_at(&layers->now, &layers->nows, &layers->now_room, at);
}

struct layer *layers_later(struct layers *layers, size_t at) {
    return layer_at(&layers->later, &layers->laters, &layers->later_room, at);
}

static void clear_list(struct layer *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        layer_clear(&list[i]);
    free(list);
}

bool layers_next_level(struct layers *layers) {
    clear_list(layers->now, layers->nows);
    *layers = (struct layers){
        .now = layers->later, .nows = layers->laters, .now_room = layers->later_room, .level = layers->level + 1};
    return layers->nows > 0;
}

static size_t sum(const struct layer *list, size_t count, size_t from) {
    size_t waiting = 0;
    for (size_t i = from; i < count; i++)
        waiting += list[i].count;
    return waiting;
}

size_t layers_waiting(const struct layers *layers) {
    return sum(layers->now, layers->nows, layers->at) + sum(layers->later, layers->laters, 0);
}

static uint64_t room_of(const struct layer *list, size_t count) {
    uint64_t bytes = count * sizeof *list;
    for (size_t i = 0; i < count; i++)
        bytes += layer_memory(&list[i]);
    return bytes;
}

uint64_t layers_memory(const struct layers *layers) {
    return room_of(layers->now, layers->nows) + room_of(layers->later, layers->laters);
}

void layers_clear(struct layers *layers) {
    clear_list(layers->now, layers->nows);
    clear_list(layers->later, layers->laters);
    *layers = (struct layers){0};
}
