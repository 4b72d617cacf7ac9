#include "models/name_table.h"

#include "models/growing.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct name name_of(const void *content, size_t size) {
    XXH128_hash_t hash = XXH3_128bits(content, size);
    return (struct name){hash.low64, hash.high64};
}

/* Numbers used as names are small: they must be mixed. */
static size_t place(const struct name_table *table, struct name name) {
    uint64_t mixed = (name.low ^ (name.high * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
    return (size_t)(mixed ^ (mixed >> 32)) & (table->slots - 1);
}

static struct name_slot *probe(const struct name_table *table, struct name name) {
    size_t at = place(table, name);
    while (table->slot[at].number != NAME_UNKNOWN && !name_is_same(table->slot[at].name, name))
        at = (at + 1) & (table->slots - 1);
    return &table->slot[at];
}

uint32_t name_table_find(const struct name_table *table, struct name name) {
    return table->slots ? probe(table, name)->number : NAME_UNKNOWN;
}

static void grow(struct name_table *table) {
    struct name_table larger = {.slots = table->slots ? table->slots * 2 : 1024, .used = table->used};
    larger.slot = growing_new(larger.slots * sizeof *larger.slot);
    memset(larger.slot, 0xff, larger.slots * sizeof *larger.slot); /* NAME_UNKNOWN */
    for (size_t i = 0; i < table->slots; i++)
        if (table->slot[i].number != NAME_UNKNOWN)
            *probe(&larger, table->slot[i].name) = table->slot[i];
    free(table->slot);
    *table = larger;
}

void name_table_add(struct name_table *table, struct name name, uint32_t number) {
    if (table->used * 4 >= table->slots * 3)
        grow(table);
    *probe(table, name) = (struct name_slot){name, number};
    table->used++;
}

size_t name_table_bytes(const struct name_table *table) { return table->slots * sizeof *table->slot; }

void name_table_free(struct name_table *table) {
    free(table->slot);
    *table = (struct name_table){0};
}
