#include "models/mpi/deeds.h"

#include "models/bit_set.h"
#include "models/mpi/model_parts.h"

#include <stdlib.h>
#include <string.h>

/* Deeds that are told apart by what they touch; by tags. Of later ones that is not known; the tag is any. */
enum { TOUCHING_MOST = 512, TAGGED_MOST = 768 };
/* Collectives before one are counted up to so many. */
enum { GATES_MOST = 8 };

void deeds_begin(struct deeds *deeds) {
    deeds->count = 1; /* ANYTHING */
    deeds_intern(deeds, &(struct deed_set){0});
}

void deeds_end(struct deeds *deeds) {
    for (uint32_t i = 0; i < deeds->sets; i++)
        free(deeds->set[i]);
    free(deeds->set);
    name_table_free(&deeds->deed_names);
    name_table_free(&deeds->set_names);
    name_table_free(&deeds->sum_names);
    name_table_free(&deeds->heard_names);
    free(deeds->heard);
}

uint64_t deeds_memory(const struct deeds *deeds) {
    return deeds->sets * sizeof **deeds->set + deeds->set_room * sizeof *deeds->set + name_table_bytes(&deeds->deed_names) +
           name_table_bytes(&deeds->set_names) + name_table_bytes(&deeds->sum_names) +
           deeds->heard_room * sizeof *deeds->heard + name_table_bytes(&deeds->heard_names);
}

uint32_t deeds_intern(struct deeds *deeds, const struct deed_set *set) {
    struct name name = name_of(set, sizeof *set);
    uint32_t number = name_table_find(&deeds->set_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    deeds->set = model_room(deeds->set, &deeds->set_room, deeds->sets, sizeof *deeds->set);
    deeds->set[deeds->sets] = model_resize(NULL, sizeof *set);
    *deeds->set[deeds->sets] = *set;
    name_table_add(&deeds->set_names, name, deeds->sets);
    return deeds->sets++;
}

static uint32_t numbered(struct deeds *deeds, const struct deed *deed, bool add) {
    struct name name = name_of(deed, sizeof *deed);
    uint32_t number = name_table_find(&deeds->deed_names, name);
    if (number != NAME_UNKNOWN || !add)
        return number;
    if (deeds->count == DEEDS_MOST)
        return ANYTHING;
    deeds->deed[deeds->count] = *deed;
    name_table_add(&deeds->deed_names, name, deeds->count);
    return deeds->count++;
}

static void add_deed(struct deeds *deeds, struct deed_set *set, struct deed deed) {
    uint32_t number = numbered(deeds, &deed, deeds->count < (deed.touches ? TOUCHING_MOST : TAGGED_MOST));
    deed.touches = 0;
    if (number == NAME_UNKNOWN)
        number = numbered(deeds, &deed, deeds->count < TAGGED_MOST);
    deed.tag = WIRE_ANY_TAG;
    if (number == NAME_UNKNOWN)
        number = numbered(deeds, &deed, true);
    set_add(set->word, number);
}

uint32_t deeds_ranks(struct deeds *deeds, const struct rank_set *ranks) {
    if (rank_set_is_empty(ranks))
        return 0;
    struct name name = name_of(ranks, sizeof *ranks);
    uint32_t number = name_table_find(&deeds->heard_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    deeds->heard = model_room(deeds->heard, &deeds->heard_room, deeds->heards, sizeof *deeds->heard);
    deeds->heard[deeds->heards++] = *ranks;
    name_table_add(&deeds->heard_names, name, deeds->heards);
    return deeds->heards;
}

static void add_behind(struct deeds *deeds, struct deed_set *set, uint32_t number, struct gate gate) {
    struct deed deed = deeds->deed[number];
    if (number == ANYTHING) {
        set_add(set->word, ANYTHING);
        return;
    }
    if (deed.hurry && gate.heard)
        deed.heard |= rank_set_has(&deeds->heard[gate.heard - 1], deed.to);
    if (deed.hurry && gate.context != NO_GATE)
        deed.gates = deed.gate != gate.context ? 1 : (uint16_t)(deed.gates + (deed.gates < GATES_MOST));
    if (gate.context != NO_GATE)
        deed.gate = gate.context;
    add_deed(deeds, set, deed);
}

uint32_t deeds_sum(struct deeds *deeds, uint32_t a, uint32_t b, struct gate gate) {
    if (!deeds->hurry)
        gate.heard = 0;
    const bool is_open = gate.context == NO_GATE && gate.heard == 0;
    if (is_open && (a == b || b == NOTHING))
        return a;
    const struct name name = {(uint64_t)a << 32 | b, (uint64_t)gate.heard << 32 | gate.context};
    uint32_t number = name_table_find(&deeds->sum_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    struct deed_set both = *deeds->set[a], behind = {0};
    set_add_all(both.word, deeds->set[b]->word, DEED_WORDS);
    for (uint32_t i = 0; !is_open && i < DEED_WORDS; i++)
        for (uint64_t rest = both.word[i]; rest; rest &= rest - 1)
            add_behind(deeds, &behind, i * 64 + (uint32_t)__builtin_ctzll(rest), gate);
    number = deeds_intern(deeds, is_open ? &both : &behind);
    name_table_add(&deeds->sum_names, name, number);
    return number;
}

static uint32_t hurry_of(const struct step_result *result, uint32_t which) {
    const struct operation *send = &result->operation[which];
    if (!strict_hurries(send))
        return 0;
    uint32_t before = 0;
    for (uint32_t i = 0; i < which; i++) {
        const struct operation *other = &result->operation[i];
        before += other->kind == WIRE_SEND && other->peer == send->peer && other->context == send->context;
    }
    return send->mode == WIRE_READY ? before + 1 : HURRY_MOST;
}

uint32_t deeds_sent(struct deeds *deeds, const struct step_result *result) {
    struct deed_set sent = {0};
    for (uint32_t i = 0; i < result->operations; i++) {
        const struct operation *operation = &result->operation[i];
        if (operation->kind != WIRE_SEND)
            continue;
        const struct deed deed = {(uint32_t)operation->peer,
                                  operation->context,
                                  operation->tag,
                                  NO_GATE,
                                  operation->touches,
                                  hurry_of(result, i),
                                  0,
                                  0};
        deeds->hurry |= deed.hurry != 0;
        add_deed(deeds, &sent, deed);
    }
    return deeds_intern(deeds, &sent);
}

void deeds_save(const struct deeds *deeds, FILE *out) {
    const uint32_t head[] = {deeds->count, deeds->sets, deeds->heards, deeds->hurry};
    model_put(out, head, sizeof head);
    model_put(out, deeds->heard, deeds->heards * sizeof *deeds->heard);
    model_put(out, deeds->deed, deeds->count * sizeof *deeds->deed);
    for (uint32_t i = 0; i < deeds->sets; i++)
        model_put(out, deeds->set[i], sizeof *deeds->set[i]);
}

bool deeds_load(struct deeds *deeds, FILE *in) {
    uint32_t head[4];
    if (!model_get(in, head, sizeof head) || head[0] > DEEDS_MOST)
        return false;
    deeds->hurry = head[3];
    for (uint32_t i = 0; i < head[2]; i++) {
        struct rank_set ranks;
        if (!model_get(in, &ranks, sizeof ranks) || deeds_ranks(deeds, &ranks) != i + 1)
            return false;
    }
    for (uint32_t i = 0; i < head[0]; i++) {
        struct deed deed;
        if (!model_get(in, &deed, sizeof deed) || (i != ANYTHING && numbered(deeds, &deed, true) != i))
            return false;
    }
    for (uint32_t i = 0; i < head[1]; i++) {
        struct deed_set set;
        if (!model_get(in, &set, sizeof set) || deeds_intern(deeds, &set) != i)
            return false;
    }
    return true;
}
