#include "models/mpi/number_table.h"

#include "models/mpi/model_parts.h"

#include <stdlib.h>
#include <string.h>

static size_t place_of(const struct number_table *table, const uint32_t key[3]) {
    uint64_t hash = ((uint64_t)key[0] << 32 | key[1]) * 0x9fb21c651e98df25u ^ key[2] * 0xd6e8feb86659fd93u;
    size_t at = (size_t)((hash ^ hash >> 29) * 0x9e3779b97f4a7c15u >> 24) & (table->slots - 1);
    while (table->slot[at].number != NO_NUMBER && memcmp(table->slot[at].key, key, sizeof table->slot[at].key) != 0)
        at = (at + 1) & (table->slots - 1);
    return at;
}

static void enlarge(struct number_table *table) {
    struct number_table larger = {.slots = table->slots ? table->slots * 2 : 64, .used = table->used};
    larger.slot = model_resize(NULL, larger.slots * sizeof *larger.slot);
    memset(larger.slot, 0xff, larger.slots * sizeof *larger.slot);
    for (size_t i = 0; i < table->slots; i++)
        if (table->slot[i].number != NO_NUMBER)
            larger.slot[place_of(&larger, table->slot[i].key)] = table->slot[i];
    free(table->slot);
    *table = larger;
}

uint32_t number_table_find(const struct number_table *table, const uint32_t key[3]) {
    return table->slots ? table->slot[place_of(table, key)].number : NO_NUMBER;
}

uint32_t number_table_add(struct number_table *table, const uint32_t key[3], uint32_t number) {
    if (table->used * 2 >= table->slots)
        enlarge(table);
    struct number_slot *slot = &table->slot[place_of(table, key)];
    memcpy(slot->key, key, sizeof slot->key);
    slot->number = number;
    table->used++;
    return number;
}

uint64_t number_table_memory(const struct number_table *table) { return table->slots * sizeof *table->slot; }
