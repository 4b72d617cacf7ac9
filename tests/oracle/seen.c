#include "tests/oracle/seen.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const unsigned char *bytes, size_t size) {
    uint64_t hash = size * 0x9e3779b97f4a7c15u;
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    for (; size; bytes++, size--)
        hash = (hash ^ *bytes) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

static void *must(void *memory) {
    if (!memory)
        abort();
    return memory;
}

void seen_begin(struct seen *seen, size_t size) {
    *seen = (struct seen){.size = size, .slots = 1024, .room = 512};
    seen->slot = must(calloc(seen->slots, sizeof *seen->slot));
    seen->member = must(malloc(seen->room * size));
}

/* The slot that holds the member, or the free one where it belongs. */
static size_t slot_of(const struct seen *seen, const void *member) {
    size_t i = hash_of(member, seen->size) & (seen->slots - 1);
    while (seen->slot[i] && memcmp(seen->member + (seen->slot[i] - 1) * seen->size, member, seen->size) != 0)
        i = (i + 1) & (seen->slots - 1);
    return i;
}

static void grow(struct seen *seen) {
    seen->room *= 2;
    seen->slots *= 2;
    seen->member = must(realloc(seen->member, seen->room * seen->size));
    free(seen->slot);
    seen->slot = must(calloc(seen->slots, sizeof *seen->slot));
    for (size_t i = 0; i < seen->count; i++)
        seen->slot[slot_of(seen, seen->member + i * seen->size)] = (uint32_t)i + 1;
}

size_t seen_number(struct seen *seen, const void *member, bool *added) {
    if (seen->count == seen->room)
        grow(seen);
    size_t slot = slot_of(seen, member);
    *added = !seen->slot[slot];
    if (*added) {
        memcpy(seen->member + seen->count * seen->size, member, seen->size);
        seen->slot[slot] = (uint32_t)++seen->count;
    }
    return seen->slot[slot] - 1u;
}

void seen_end(struct seen *seen) {
    free(seen->slot);
    free(seen->member);
}
