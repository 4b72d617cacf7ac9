#include "tests/oracle/seen.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define FIRST_SLOTS 1024

/* The arrays of the set that ended last, for the next one: to have the kernel clear pages takes longer than to fill them. */
static struct seen spare;

/* The array with room for `bytes`. */
static void *grown(void *array, size_t *room, size_t bytes) {
    if (bytes <= *room)
        return array;
    *room = 2 * bytes;
    array = realloc(array, *room);
    if (!array)
        abort();
    return array;
}

static void clear_slots(struct seen *seen, size_t slots) {
    seen->slots = slots;
    seen->slot = grown(seen->slot, &seen->slot_room, slots * sizeof *seen->slot);
    memset(seen->slot, 0, slots * sizeof *seen->slot);
}

void seen_begin(struct seen *seen, size_t size) {
    *seen = spare;
    spare = (struct seen){0};
    seen->size = size;
    seen->count = 0;
    clear_slots(seen, FIRST_SLOTS);
}

static bool is_member(const struct seen *seen, uint32_t number, const void *member, uint32_t hash) {
    return seen->hash[number] == hash && memcmp(seen->member + number * seen->size, member, seen->size) == 0;
}

/* The slot that holds the member, or the free one where it belongs; NULL: it is known not to be there. */
static uint32_t *slot_of(const struct seen *seen, const void *member, uint32_t hash) {
    size_t i = hash & (seen->slots - 1);
    while (seen->slot[i] && !(member && is_member(seen, seen->slot[i] - 1, member, hash)))
        i = (i + 1) & (seen->slots - 1);
    return &seen->slot[i];
}

static void grow(struct seen *seen) {
    clear_slots(seen, 2 * seen->slots);
    for (uint32_t i = 0; i < seen->count; i++)
        *slot_of(seen, NULL, seen->hash[i]) = i + 1;
}

static void add(struct seen *seen, const void *member, uint32_t hash) {
    seen->member = grown(seen->member, &seen->member_room, (seen->count + 1) * seen->size);
    seen->hash = grown(seen->hash, &seen->hash_room, (seen->count + 1) * sizeof *seen->hash);
    memcpy(seen->member + seen->count * seen->size, member, seen->size);
    seen->hash[seen->count++] = hash;
}

size_t seen_number(struct seen *seen, const void *member, bool *added) {
    if (2 * seen->count == seen->slots)
        grow(seen);
    uint32_t hash = (uint32_t)XXH3_64bits(member, seen->size), *slot = slot_of(seen, member, hash);
    *added = !*slot;
    if (*added) {
        add(seen, member, hash);
        *slot = (uint32_t)seen->count;
    }
    return *slot - 1u;
}

void seen_end(struct seen *seen) { spare = *seen; }
