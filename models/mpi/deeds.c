#include "models/mpi/deeds.h"

#include "models/mpi/model_parts.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    TAGGED_MOST = 768, /* deeds that are told apart by tags; of later ones the tag is any */
    RANK_BITS = 12,    /* of a number made of a rank and a communicator */
};
_Static_assert(MAX_RANKS <= 1 << RANK_BITS, "ranks have numbers of so many bits");

void deeds_begin(struct deeds *deeds) {
    deeds->count = 1; /* ANYTHING */
    deeds_intern(deeds, &(struct deed_set){0});
}

void deeds_end(struct deeds *deeds) {
    for (uint32_t i = 0; i < deeds->sets; i++)
        free(deeds->set[i]);
    free(deeds->set);
    free(deeds->deed_numbers.slot);
    free(deeds->set_numbers.slot);
    free(deeds->sums.slot);
}

uint64_t deeds_memory(const struct deeds *deeds) {
    return deeds->sets * sizeof **deeds->set + deeds->set_room * sizeof *deeds->set +
           number_table_memory(&deeds->deed_numbers) + number_table_memory(&deeds->set_numbers) +
           number_table_memory(&deeds->sums);
}

uint32_t deeds_intern(struct deeds *deeds, const struct deed_set *set) {
    uint64_t hash = XXH3_64bits(set, sizeof *set);
    for (uint32_t others = 0;; others++) {
        const uint32_t key[] = {(uint32_t)hash, (uint32_t)(hash >> 32), others};
        uint32_t number = number_table_find(&deeds->set_numbers, key);
        if (number == NO_NUMBER) {
            deeds->set = model_room(deeds->set, &deeds->set_room, deeds->sets, sizeof *deeds->set);
            deeds->set[deeds->sets] = model_resize(NULL, sizeof *set);
            *deeds->set[deeds->sets] = *set;
            return number_table_add(&deeds->set_numbers, key, deeds->sets++);
        }
        if (memcmp(deeds->set[number], set, sizeof *set) == 0)
            return number;
    }
}

static uint32_t numbered(struct deeds *deeds, const struct deed *deed, bool add) {
    const uint32_t key[] = {deed->context << RANK_BITS | deed->to, (uint32_t)deed->tag, deed->gate};
    uint32_t number = number_table_find(&deeds->deed_numbers, key);
    if (number != NO_NUMBER || !add)
        return number;
    if (deeds->count == DEEDS_MOST)
        return ANYTHING;
    deeds->deed[deeds->count] = *deed;
    return number_table_add(&deeds->deed_numbers, key, deeds->count++);
}

static void add_deed(struct deeds *deeds, struct deed_set *set, struct deed deed) {
    uint32_t number = ANYTHING;
    if (deed.context >> (32 - RANK_BITS) == 0) {
        number = numbered(deeds, &deed, deeds->count < TAGGED_MOST);
        deed.tag = WIRE_ANY_TAG;
        if (number == NO_NUMBER)
            number = numbered(deeds, &deed, true);
    }
    set->word[number / 64] |= 1ull << number % 64;
}

static void add_behind(struct deeds *deeds, struct deed_set *set, uint32_t number, uint32_t gate) {
    struct deed deed = deeds->deed[number];
    deed.gate = gate;
    if (number == ANYTHING)
        set->word[0] |= 1ull << ANYTHING;
    else
        add_deed(deeds, set, deed);
}

uint32_t deeds_sum(struct deeds *deeds, uint32_t a, uint32_t b, uint32_t gate) {
    if (gate == NO_GATE && (a == b || b == NOTHING))
        return a;
    const uint32_t key[] = {a, b, gate};
    uint32_t number = number_table_find(&deeds->sums, key);
    if (number != NO_NUMBER)
        return number;
    struct deed_set both = *deeds->set[a], behind = {0};
    for (uint32_t i = 0; i < DEED_WORDS; i++)
        both.word[i] |= deeds->set[b]->word[i];
    for (uint32_t i = 0; gate != NO_GATE && i < DEED_WORDS; i++)
        for (uint64_t rest = both.word[i]; rest; rest &= rest - 1)
            add_behind(deeds, &behind, i * 64 + (uint32_t)__builtin_ctzll(rest), gate);
    return number_table_add(&deeds->sums, key, deeds_intern(deeds, gate == NO_GATE ? &both : &behind));
}

uint32_t deeds_sent(struct deeds *deeds, const struct step_result *result) {
    struct deed_set sent = {0};
    for (uint32_t i = 0; i < result->operations; i++) {
        const struct operation *operation = &result->operation[i];
        if (operation->kind == WIRE_SEND)
            add_deed(deeds, &sent, (struct deed){(uint32_t)operation->peer, operation->context, operation->tag, NO_GATE});
    }
    return deeds_intern(deeds, &sent);
}

void deeds_save(const struct deeds *deeds, FILE *out) {
    const uint32_t head[] = {deeds->count, deeds->sets};
    fwrite(head, sizeof head, 1, out);
    fwrite(deeds->deed, sizeof *deeds->deed, deeds->count, out);
    for (uint32_t i = 0; i < deeds->sets; i++)
        fwrite(deeds->set[i], sizeof *deeds->set[i], 1, out);
}

bool deeds_load(struct deeds *deeds, FILE *in) {
    uint32_t head[2];
    if (fread(head, sizeof head, 1, in) != 1 || head[0] > DEEDS_MOST)
        return false;
    for (uint32_t i = 0; i < head[0]; i++) {
        struct deed deed;
        if (fread(&deed, sizeof deed, 1, in) != 1 || (i != ANYTHING && numbered(deeds, &deed, true) != i))
            return false;
    }
    for (uint32_t i = 0; i < head[1]; i++) {
        struct deed_set set;
        if (fread(&set, sizeof set, 1, in) != 1 || deeds_intern(deeds, &set) != i)
            return false;
    }
    return true;
}
