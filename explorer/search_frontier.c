#include "explorer/search_frontier.h"
#include "explorer/search_storage.h"

#include <string.h>

struct bucket {
    uint32_t *node;
    size_t head, count, room; /* waiting: node[head] … node[count - 1] */
};

struct frontier {
    struct bucket *bucket; /* by distance */
    size_t buckets, waiting, room;
    size_t lowest; /* no bucket below this one holds anything */
};

struct frontier *frontier_create(void) { return storage_new(1, sizeof(struct frontier)); }

void frontier_destroy(struct frontier *frontier) {
    if (!frontier)
        return;
    for (size_t i = 0; i < frontier->buckets; i++)
        free(frontier->bucket[i].node);
    free(frontier->bucket);
    free(frontier);
}

static struct bucket *bucket_at(struct frontier *frontier, uint32_t distance) {
    size_t needed = (size_t)distance + 1;
    frontier->bucket = storage_grow(frontier->bucket, &frontier->room, needed, sizeof *frontier->bucket);
    for (; frontier->buckets < needed; frontier->buckets++)
        frontier->bucket[frontier->buckets] = (struct bucket){0};
    return &frontier->bucket[distance];
}

/* Moves what waits to the front once more than half of the array has been taken. */
static void close_up(struct bucket *bucket) {
    if (bucket->head * 2 < bucket->count || bucket->head < 1024)
        return;
    memmove(bucket->node, bucket->node + bucket->head, (bucket->count - bucket->head) * sizeof *bucket->node);
    bucket->count -= bucket->head;
    bucket->head = 0;
}

void frontier_push(struct frontier *frontier, uint32_t distance, uint32_t node) {
    struct bucket *bucket = bucket_at(frontier, distance);
    if (bucket->count == bucket->room)
        close_up(bucket);
    bucket->node = storage_grow(bucket->node, &bucket->room, bucket->count + 1, sizeof *bucket->node);
    bucket->node[bucket->count++] = node;
    frontier->waiting++;
    if (distance < frontier->lowest)
        frontier->lowest = distance;
}

bool frontier_pop(struct frontier *frontier, uint32_t *distance, uint32_t *node) {
    for (; frontier->lowest < frontier->buckets; frontier->lowest++) {
        struct bucket *bucket = &frontier->bucket[frontier->lowest];
        if (bucket->head < bucket->count) {
            *distance = (uint32_t)frontier->lowest;
            *node = bucket->node[bucket->head++];
            frontier->waiting--;
            return true;
        }
        free(bucket->node);
        *bucket = (struct bucket){0};
    }
    return false;
}

size_t frontier_waiting(const struct frontier *frontier) { return frontier->waiting; }

uint64_t frontier_memory(const struct frontier *frontier) {
    uint64_t bytes = frontier->buckets * sizeof *frontier->bucket;
    for (size_t i = frontier->lowest; i < frontier->buckets; i++)
        bytes += frontier->bucket[i].count * sizeof *frontier->bucket[i].node;
    return bytes;
}
