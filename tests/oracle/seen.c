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

static void clear_slots(struct seen_table *table, size_t slots) {
    table->slots = slots;
    table->slot = grown(table->slot, &table->slot_room, slots * sizeof *table->slot);
    memset(table->slot, 0, slots * sizeof *table->slot);
}

static void begin(struct seen_table *table, size_t size) {
    table->size = size;
    table->count = 0;
    clear_slots(table, FIRST_SLOTS);
}

void seen_begin(struct seen *seen, unsigned pieces, size_t piece_size) {
    if (pieces > SEEN_PIECES)
        abort();
    *seen = spare;
    spare = (struct seen){0};
    seen->pieces = pieces;
    begin(&seen->piece, piece_size);
    begin(&seen->state, pieces * sizeof(uint32_t));
}

static bool is_member(const struct seen_table *table, uint32_t number, const void *member) {
    return memcmp(table->member + number * table->size, member, table->size) == 0;
}

/* The slot that holds the member, or the free one where it belongs; NULL: it is known not to be there. */
static uint32_t *slot_of(const struct seen_table *table, const void *member, uint32_t hash) {
    size_t i = hash & (table->slots - 1);
    while (table->slot[i] &&
           !(member && table->hash[table->slot[i] - 1] == hash && is_member(table, table->slot[i] - 1, member)))
        i = (i + 1) & (table->slots - 1);
    return &table->slot[i];
}

static void grow(struct seen_table *table) {
    clear_slots(table, 2 * table->slots);
    for (uint32_t i = 0; i < table->count; i++)
        *slot_of(table, NULL, table->hash[i]) = i + 1;
}

static void add(struct seen_table *table, const void *member, uint32_t hash) {
    table->member = grown(table->member, &table->member_room, (table->count + 1) * table->size);
    table->hash = grown(table->hash, &table->hash_room, (table->count + 1) * sizeof *table->hash);
    memcpy(table->member + table->count * table->size, member, table->size);
    table->hash[table->count++] = hash;
}

static uint32_t number_of(struct seen_table *table, const void *member, bool *added) {
    if (2 * table->count == table->slots)
        grow(table);
    uint32_t hash = (uint32_t)XXH3_64bits(member, table->size), *slot = slot_of(table, member, hash);
    *added = !*slot;
    if (*added) {
        add(table, member, hash);
        *slot = (uint32_t)table->count;
    }
    return *slot - 1u;
}

size_t seen_number(struct seen *seen, const void *state, size_t from, bool *added) {
    uint32_t piece[SEEN_PIECES];
    if (seen->state.count)
        memcpy(piece, seen->state.member + from * seen->state.size, seen->state.size);
    for (unsigned i = 0; i < seen->pieces; i++) {
        const unsigned char *bytes = (const unsigned char *)state + i * seen->piece.size;
        if (!seen->state.count || !is_member(&seen->piece, piece[i], bytes))
            piece[i] = number_of(&seen->piece, bytes, added);
    }
    return number_of(&seen->state, piece, added);
}

void seen_end(struct seen *seen) { spare = *seen; }
