#include "models/dps/identifiers.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(struct identifier_level) == 16, "no padding");
_Static_assert(sizeof(struct identifier) == 4 + 16 * IDENTIFIER_DEPTH, "no padding");

struct identifier_level *identifier_last(struct identifier *identifier) {
    assert(identifier->depth > 0 && identifier->depth <= IDENTIFIER_DEPTH);
    return &identifier->level[identifier->depth - 1];
}

struct identifier identifier_add(struct identifier identifier, int32_t number, uint16_t split_node, uint16_t split_thread) {
    identifier.depth++;
    *identifier_last(&identifier) = (struct identifier_level){
        .number = number, .split_node = split_node, .split_thread = split_thread, .worker = IDENTIFIER_NO_WORKER};
    return identifier;
}

struct identifier identifier_of_call(int32_t call) {
    return identifier_add((struct identifier){0}, call, 0, 0);
}

struct identifier identifier_pass(struct identifier identifier, uint32_t operations) {
    identifier_last(&identifier)->passed += operations;
    return identifier;
}

struct identifier identifier_drop(struct identifier identifier) {
    memset(identifier_last(&identifier), 0, sizeof(struct identifier_level));
    identifier.depth--;
    return identifier;
}

bool identifier_same(const struct identifier *a, const struct identifier *b) {
    if (a->depth != b->depth)
        return false;
    for (uint32_t i = 0; i < a->depth; i++)
        if (a->level[i].number != b->level[i].number || a->level[i].passed != b->level[i].passed)
            return false;
    return true;
}

/* Every bit of a word changes every bit of the hash, also the low ones: places in tables are remainders (the finaliser of
 * SplitMix64). */
static uint64_t mix(uint64_t hash, uint32_t word) {
    hash = (hash + word + 0x9e3779b97f4a7c15u);
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    return hash ^ hash >> 31;
}

uint64_t identifier_hash(const struct identifier *identifier, uint32_t seed) {
    uint64_t hash = mix(0, seed);
    for (uint32_t i = 0; i < identifier->depth; i++)
        hash = mix(mix(hash, (uint32_t)identifier->level[i].number), identifier->level[i].passed);
    return hash;
}

void identifier_text(const struct identifier *identifier, char *text) {
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < identifier->depth; i++)
        used += (size_t)snprintf(text + used, IDENTIFIER_TEXT - used, i ? ".%d/%u" : "%d/%u", identifier->level[i].number,
                                 identifier->level[i].passed);
}
