#include "por/parts.h"

#include "models/growing.h"
#include "por/parts_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

bool parts_give_up(struct parts *parts, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parts->why, parts->why_room, format, arguments);
    va_end(arguments);
    return false;
}

struct lane *part_out(const struct part *part, uint32_t line) {
    for (size_t i = 0; i < part->outs; i++)
        if (part->out[i].line == line)
            return &part->out[i];
    return NULL;
}

size_t parts_entries(const struct parts *parts, const struct gift *entry, uint32_t *list) {
    uint32_t line = entry->line, index = entry->index;
    size_t entries = 0;
    for (unsigned rank = 0; rank < parts->model->ranks; rank++) {
        const struct lane *lane = part_out(&parts->part[rank], line);
        if (lane && index < lane->gifts)
            list[entries++] = lane->gift[index];
    }
    return entries;
}

void parts_contents(const struct parts *parts, const uint32_t *gift, size_t gifts, uint32_t *content) {
    for (size_t i = 0; i < gifts; i++)
        content[i] = parts->gift[gift[i]].content;
}

static uint64_t hash_order(const struct parts *parts, const struct lane *lane, uint64_t hash) {
    for (size_t i = 0; i < lane->gifts; i++) {
        const struct gift *gift = &parts->gift[lane->gift[i]];
        hash = XXH3_64bits_withSeed(gift->earlier, parts->part[gift->from].given_words * sizeof *gift->earlier, hash);
    }
    return hash;
}

/* All that a rank's graph depends on, beside the rank. */
static uint64_t hash_needs(const struct parts *parts, const struct part *part) {
    uint64_t hash = 0;
    for (size_t i = 0; i < part->ins; i++)
        hash = hash_order(parts, &part->in[i], hash);
    for (size_t i = 0; i < part->events; i++) {
        const struct gift *gift = &parts->gift[part->event[i]];
        const uint64_t *needs = parts->needs + part->event[i] * parts->words;
        hash = XXH3_64bits_withSeed(needs, parts->words * sizeof *needs, hash);
        hash = XXH3_64bits_withSeed(gift->past, gift->pasts * parts->words * sizeof *gift->past, hash);
    }
    for (size_t i = 0; part->synchronous && i < part->gives; i++)
        if (parts->gift[part->given[i]].synchronous)
            hash =
                XXH3_64bits_withSeed(parts->needs + part->given[i] * parts->words, parts->words * sizeof *parts->needs, hash);
    return hash;
}

/* Explores the ranks whose graphs may have changed. */
static bool explore_all(struct parts *parts, bool *weaker) {
    parts->statistics.states = 0;
    for (unsigned rank = 0; rank < parts->model->ranks; rank++) {
        struct part *part = &parts->part[rank];
        uint64_t hash = hash_needs(parts, part);
        if (part->explored && part->explored_with == hash) {
            parts->statistics.states += part->states;
            continue;
        }
        if (!parts_explore(parts, rank, weaker))
            return false;
        part->explored = true;
        part->explored_with = hash;
    }
    return true;
}

bool parts_agree(struct parts *parts) {
    bool weaker = true;
    parts->needs = growing_new((parts->gifts * parts->words + 1) * sizeof *parts->needs);
    while (weaker) {
        weaker = false;
        parts->statistics.rounds++;
        parts_find_needs(parts, parts->statistics.rounds == 1);
        if (!explore_all(parts, &weaker))
            return false;
    }
    return true;
}

uint64_t parts_bytes(const struct parts *parts) {
    return parts->gifts * (parts->words * sizeof *parts->needs + sizeof *parts->gift) + parts->past_bytes;
}

static void count(struct parts *parts, struct parts_statistics *statistics) {
    for (unsigned rank = 0; rank < parts->model->ranks; rank++) {
        parts->statistics.transitions += parts->part[rank].transitions;
        parts->statistics.deliveries += parts->part[rank].deliveries;
    }
    *statistics = parts->statistics;
}

static void free_lanes(struct lane *lane, size_t lanes) {
    for (size_t i = 0; i < lanes; i++)
        free(lane[i].gift);
    free(lane);
}

struct parts *parts_run(const struct parts_model *model, char *why, size_t room) {
    struct parts *parts = growing_new(sizeof *parts);
    *parts =
        (struct parts){.model = model, .part = growing_new(model->ranks * sizeof *parts->part), .why = why, .why_room = room};
    if (room)
        why[0] = 0;
    if (parts_reference(parts))
        return parts;
    parts_free(parts);
    return NULL;
}

void parts_free(struct parts *parts) {
    for (unsigned rank = 0; rank < parts->model->ranks; rank++) {
        free_lanes(parts->part[rank].out, parts->part[rank].outs);
        free_lanes(parts->part[rank].in, parts->part[rank].ins);
        free(parts->part[rank].event);
        free(parts->part[rank].given);
    }
    for (size_t i = 0; i < parts->gifts; i++) {
        free(parts->gift[i].earlier);
        free(parts->gift[i].past);
        free(parts->gift[i].given_after);
        free(parts->gift[i].taken_after);
    }
    free(parts->part);
    free(parts->gift);
    free(parts->order);
    free(parts->needs);
    free(parts);
}

bool parts_prove(const struct parts_model *model, uint64_t most_states, struct parts_statistics *statistics, char *why,
                 size_t room) {
    *statistics = (struct parts_statistics){0};
    struct parts *parts = parts_run(model, why, room);
    if (!parts)
        return false;
    parts->most_states = most_states;
    bool proved = parts_agree(parts);
    count(parts, statistics);
    parts_free(parts);
    return proved;
}

bool parts_prove_useless(const struct parts_model *model, uint64_t most_states, char *why, size_t room) {
    struct parts *parts = parts_run(model, why, room);
    if (!parts)
        return false;
    parts->most_states = most_states;
    parts->looks_for_order = true;
    bool useless = parts_agree(parts) && !parts_order(parts);
    parts_free(parts);
    return useless;
}
