/* A map from 128-bit names to 32-bit numbers, for interning. Names are XXH3-128 hashes of content, or two numbers. */
#ifndef MODELS_NAME_TABLE_H
#define MODELS_NAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name {
    uint64_t low, high;
};

struct name_table {
    struct name_slot {
        struct name name;
        uint32_t number; /* UINT32_MAX: free */
    } * slot;
    size_t slots, used;
};

#define NAME_UNKNOWN UINT32_MAX

struct name name_of(const void *content, size_t size);
/* A name that is 64 bits already. */
static inline struct name name_of_hash(uint64_t hash) { return (struct name){.low = hash}; }
static inline bool name_is_same(struct name a, struct name b) { return a.low == b.low && a.high == b.high; }
/* The number of `name`, or NAME_UNKNOWN. */
uint32_t name_table_find(const struct name_table *table, struct name name);
/* Enters a name that is not there yet. Running out of memory ends the process with a message. */
void name_table_add(struct name_table *table, struct name name, uint32_t number);
size_t name_table_bytes(const struct name_table *table);
void name_table_free(struct name_table *table);

#endif
