#include "models/mpi/deeds.h"

#include "models/bit_set.h"
#include "models/mpi/model_parts.h"

#include <stdlib.h>
#include <string.h>

/* Deeds that are told apart by what they touch; others by who was heard of before, and by tags. Of later ones that is not known; the tag
 * is any. The time grows with the square of how many one rank does. */
enum { TOUCHING_MOST = DEEDS_MOST / 2, HEARING_MOST = 1 << 10, TAGGED_MOST = HEARING_MOST / 2 * 3 };
/* What comes before one is counted up to so many collectives, and messages. */
enum { GATES_MOST = 8, COUNTED_MOST = 8 };

/* A set while it is made. */
struct making {
    uint32_t words; /* 1 or more; the others are zero */
    uint64_t word[DEED_WORDS];
};

static void add(struct making *set, uint32_t number) {
    set_add(set->word, number);
    if (set->words <= number / 64)
        set->words = number / 64 + 1;
}

static void add_all(struct making *set, const struct deed_set *more) {
    set_add_all(set->word, more->word, (unsigned)more->words);
    if (set->words < more->words)
        set->words = (uint32_t)more->words;
}

static void add_sent(struct deeds *deeds, struct sent sent) {
    deeds->sent = model_room(deeds->sent, &deeds->sent_room, deeds->sents, sizeof *deeds->sent);
    deeds->sent[deeds->sents++] = sent;
}

void deeds_begin(struct deeds *deeds) {
    deeds->count = 1; /* ANYTHING */
    deeds_intern(deeds, &(uint64_t){0}, 1);
    add_sent(deeds, (struct sent){0});
}

void deeds_end(struct deeds *deeds) {
    for (uint32_t i = 0; i < deeds->sets; i++)
        free(deeds->set[i]);
    free(deeds->set);
    name_table_free(&deeds->deed_names);
    name_table_free(&deeds->kind_names);
    name_table_free(&deeds->set_names);
    name_table_free(&deeds->sum_names);
    name_table_free(&deeds->heard_names);
    for (uint32_t i = 0; i < deeds->heards; i++)
        free(deeds->heard[i]);
    name_table_free(&deeds->sent_names);
    free(deeds->sent);
}

uint64_t deeds_memory(const struct deeds *deeds) {
    return deeds->set_bytes + deeds->set_room * sizeof *deeds->set + name_table_bytes(&deeds->deed_names) +
           name_table_bytes(&deeds->kind_names) + name_table_bytes(&deeds->set_names) + name_table_bytes(&deeds->sum_names) +
           deeds->heards * sizeof **deeds->heard + name_table_bytes(&deeds->heard_names) +
           deeds->sent_room * sizeof *deeds->sent + name_table_bytes(&deeds->sent_names);
}

uint32_t deeds_intern(struct deeds *deeds, const uint64_t *word, uint32_t words) {
    while (words > 1 && word[words - 1] == 0)
        words--;
    const struct name name = name_of(word, words * sizeof *word);
    uint32_t number = name_table_find(&deeds->set_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    deeds->set = model_room(deeds->set, &deeds->set_room, deeds->sets, sizeof *deeds->set);
    const size_t bytes = sizeof **deeds->set + words * sizeof *word;
    struct deed_set *set = deeds->set[deeds->sets] = model_resize(NULL, bytes);
    set->words = words;
    memcpy(set->word, word, words * sizeof *word);
    deeds->set_bytes += bytes;
    name_table_add(&deeds->set_names, name, deeds->sets);
    return deeds->sets++;
}

bool deed_is_of_requests(const struct deed *deed) { return deed->touches != 0 && deed->touches != TOUCHES_OF_TWIN; }

uint32_t deed_touches(const struct deed *deed) { return deed->touches == TOUCHES_ANYTHING ? 0 : deed->touches; }

static bool says_what_it_touches(const struct deed *deed) {
    return deed_is_of_requests(deed) && deed->touches != TOUCHES_ANYTHING;
}

static uint16_t kind_of(struct deeds *deeds, struct deed deed) {
    deed.heard = 0;
    const struct name name = name_of(&deed, sizeof deed);
    uint32_t kind = name_table_find(&deeds->kind_names, name);
    if (kind == NAME_UNKNOWN) {
        kind = deeds->kinds++;
        name_table_add(&deeds->kind_names, name, kind);
    }
    return (uint16_t)kind;
}

static uint32_t numbered(struct deeds *deeds, const struct deed *deed, bool add) {
    struct name name = name_of(deed, sizeof *deed);
    uint32_t number = name_table_find(&deeds->deed_names, name);
    if (number != NAME_UNKNOWN || !add)
        return number;
    if (deeds->count == DEEDS_MOST)
        return ANYTHING;
    deeds->deed[deeds->count] = *deed;
    deeds->kind[deeds->count] = kind_of(deeds, *deed);
    name_table_add(&deeds->deed_names, name, deeds->count);
    deeds->touching += says_what_it_touches(deed);
    if (deed_is_of_requests(deed))
        set_add(deeds->requests, deeds->count);
    return deeds->count++;
}

/* May there be one more like this? */
static bool has_room(const struct deeds *deeds, const struct deed *deed) {
    const uint32_t others = deeds->count - deeds->touching;
    return says_what_it_touches(deed) ? deeds->touching < TOUCHING_MOST
                                      : others < (deed->heard && !deed->hurry ? HEARING_MOST : TAGGED_MOST);
}

static void add_deed(struct deeds *deeds, struct making *set, struct deed deed) {
    uint32_t number = numbered(deeds, &deed, has_room(deeds, &deed));
    if (says_what_it_touches(&deed))
        deed.touches = TOUCHES_ANYTHING;
    if (!deed.hurry)
        deed.heard = 0;
    if (number == NAME_UNKNOWN)
        number = numbered(deeds, &deed, has_room(deeds, &deed));
    deed.tag = WIRE_ANY_TAG;
    if (number == NAME_UNKNOWN)
        number = numbered(deeds, &deed, true);
    add(set, number);
}

uint32_t deeds_ranks(struct deeds *deeds, const struct rank_set *ranks) {
    if (rank_set_is_empty(ranks))
        return 0;
    struct name name = name_of(ranks, sizeof *ranks);
    uint32_t number = name_table_find(&deeds->heard_names, name);
    if (number != NAME_UNKNOWN || deeds->heards == HEARD_MOST)
        return number != NAME_UNKNOWN ? number : 0;
    deeds->heard[deeds->heards] = model_resize(NULL, sizeof *ranks);
    *deeds->heard[deeds->heards++] = *ranks;
    name_table_add(&deeds->heard_names, name, deeds->heards);
    return deeds->heards;
}

static struct rank_set heard_ranks(const struct deeds *deeds, uint32_t heard) {
    return heard ? *deeds->heard[heard - 1] : (struct rank_set){0};
}

static uint16_t heard_by_both(struct deeds *deeds, uint32_t one, uint32_t other) {
    struct rank_set ranks = heard_ranks(deeds, one);
    const struct rank_set others = heard_ranks(deeds, other);
    for (unsigned i = 0; i < MAX_RANKS / 64; i++)
        ranks.word[i] &= others.word[i];
    return (uint16_t)deeds_ranks(deeds, &ranks);
}

/* Those of `other` at least. */
static uint16_t heard_by_any(struct deeds *deeds, uint32_t one, uint32_t other) {
    struct rank_set ranks = heard_ranks(deeds, one);
    const struct rank_set others = heard_ranks(deeds, other);
    if (set_includes(others.word, ranks.word, MAX_RANKS / 64))
        return (uint16_t)other;
    set_add_all(ranks.word, others.word, MAX_RANKS / 64);
    const uint32_t number = deeds_ranks(deeds, &ranks);
    return (uint16_t)(number ? number : other);
}

/* How many of the first so many operations send to the rank on the communicator. */
static uint32_t sends_to(const struct step_result *result, uint32_t end, uint32_t to, uint32_t context) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < end; i++) {
        const struct operation *send = &result->operation[i];
        count += send->kind == WIRE_SEND && (uint32_t)send->peer == to && send->context == context;
    }
    return count;
}

/* Counts one more, in the list that begins there and is not ended yet. */
static void count_sent(struct deeds *deeds, uint32_t first, uint32_t to, uint32_t context) {
    uint32_t i = first;
    while (i < deeds->sents && (deeds->sent[i].to != to || deeds->sent[i].context != context))
        i++;
    if (i == deeds->sents)
        add_sent(deeds, (struct sent){to, context, 0});
    deeds->sent[i].count++;
}

uint32_t deeds_count(struct deeds *deeds, const struct step_result *result) {
    const uint32_t first = deeds->sents;
    for (uint32_t i = 0; i < result->operations; i++) {
        const struct operation *send = &result->operation[i];
        if (send->kind == WIRE_SEND)
            count_sent(deeds, first, (uint32_t)send->peer, send->context);
    }
    const struct name name = name_of(deeds->sent + first, (deeds->sents - first) * sizeof *deeds->sent);
    const uint32_t known = deeds->sents == first ? 0 : name_table_find(&deeds->sent_names, name);
    if (known != NAME_UNKNOWN) {
        deeds->sents = first;
        return known;
    }
    name_table_add(&deeds->sent_names, name, first);
    add_sent(deeds, (struct sent){0});
    return first;
}

/* How many messages of the list may take a receive from the deed? */
static uint32_t sent_before(const struct deeds *deeds, uint32_t list, const struct deed *deed) {
    for (const struct sent *sent = deeds->sent + list; sent->count > 0; sent++)
        if (sent->to == deed->to && sent->context == deed->context)
            return sent->count;
    return 0;
}

/* `sent`: the list of what comes before it in the step. */
static void add_behind(struct deeds *deeds, struct making *set, uint32_t number, struct gate gate, uint32_t sent) {
    struct deed deed = deeds->deed[number];
    if (number == ANYTHING) {
        add(set, ANYTHING);
        return;
    }
    if (deed.hurry && deed.hurry != HURRY_MOST)
        deed.hurry += sent_before(deeds, sent, &deed);
    if (deed.hurry > COUNTED_MOST)
        deed.hurry = HURRY_MOST;
    if (!deed_is_of_requests(&deed))
        deed.heard = heard_by_any(deeds, gate.heard, deed.heard);
    if (deed.hurry && gate.context != NO_GATE)
        deed.gates = deed.gate != gate.context ? 1 : (uint16_t)(deed.gates + (deed.gates < GATES_MOST));
    if (gate.context != NO_GATE)
        deed.gate = gate.context;
    if (memcmp(&deed, &deeds->deed[number], sizeof deed) == 0)
        add(set, number);
    else
        add_deed(deeds, set, deed);
}

static void add_all_behind(struct deeds *deeds, struct making *set, uint32_t from, struct gate gate, uint32_t sent) {
    const struct deed_set *all = deeds->set[from];
    const uint64_t unchanged = gate.context == NO_GATE ? UINT64_MAX : 0; /* of those of requests */
    for (uint32_t i = 0; i < all->words; i++) {
        const uint64_t stay = all->word[i] & deeds->requests[i] & unchanged;
        set->word[i] |= stay;
        for (uint64_t rest = all->word[i] & ~stay; rest; rest &= rest - 1)
            add_behind(deeds, set, i * 64 + (uint32_t)__builtin_ctzll(rest), gate, sent);
    }
    if (set->words < all->words)
        set->words = (uint32_t)all->words;
}

/* Makes one of two deeds of a kind, which comes after whom both have heard of. If there is no room for it they stay as they
 * are, which says the same of when the first may come. Its number, or that of the later one. */
static uint32_t unite(struct deeds *deeds, struct making *set, uint32_t one, uint32_t other) {
    struct deed deed = deeds->deed[one];
    deed.heard = heard_by_both(deeds, deed.heard, deeds->deed[other].heard);
    const uint32_t number = numbered(deeds, &deed, has_room(deeds, &deed));
    if (number == NAME_UNKNOWN)
        return other;
    set_remove(set->word, one);
    set_remove(set->word, other);
    add(set, number);
    return number;
}

/* Those of requests are each of its own kind. */
static void unite_kinds(struct deeds *deeds, struct making *set) {
    uint16_t *one = deeds->one;
    for (uint32_t i = 0; i < set->words; i++)
        for (uint64_t rest = set->word[i] & ~deeds->requests[i] & ~(i ? 0ull : 1ull << ANYTHING); rest; rest &= rest - 1) {
            const uint32_t number = i * 64 + (uint32_t)__builtin_ctzll(rest);
            uint16_t *other = &one[deeds->kind[number]];
            *other = (uint16_t)(*other ? unite(deeds, set, *other, number) : number);
        }
    for (uint32_t i = 0; i < set->words; i++)
        for (uint64_t rest = set->word[i] & ~deeds->requests[i]; rest; rest &= rest - 1)
            one[deeds->kind[i * 64 + (uint32_t)__builtin_ctzll(rest)]] = 0;
}

uint32_t deeds_sum(struct deeds *deeds, uint32_t a, uint32_t b, struct gate gate) {
    if (!deeds->hurry)
        gate.sent = 0;
    const bool is_open = gate.context == NO_GATE && gate.heard == 0 && gate.sent == 0;
    if (is_open && (a == b || b == NOTHING))
        return a;
    const uint32_t content[] = {a, b, gate.context, gate.heard, gate.sent};
    const struct name name = name_of(content, sizeof content);
    uint32_t number = name_table_find(&deeds->sum_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    struct making both = {.words = 1};
    if (is_open) {
        add_all(&both, deeds->set[a]);
        add_all(&both, deeds->set[b]);
    } else {
        add_all_behind(deeds, &both, a, gate, 0);
        add_all_behind(deeds, &both, b, gate, gate.sent);
    }
    unite_kinds(deeds, &both);
    number = deeds_intern(deeds, both.word, both.words);
    name_table_add(&deeds->sum_names, name, number);
    return number;
}

static uint32_t hurry_of(const struct step_result *result, uint32_t which) {
    const struct operation *send = &result->operation[which];
    if (!strict_hurries(send))
        return 0;
    return send->mode == WIRE_READY ? 1 + sends_to(result, which, (uint32_t)send->peer, send->context) : HURRY_MOST;
}

static void add_entry(struct deeds *deeds, struct making *set, const struct operation *collective) {
    if (deeds->agents && collective->kind == WIRE_COLLECTIVE)
        add_deed(deeds, set,
                 (struct deed){.to = DEED_ENTERS, .context = collective->context, .tag = WIRE_ANY_TAG, .gate = NO_GATE});
}

uint32_t deeds_sent(struct deeds *deeds, const struct step_result *result) {
    struct making sent = {.words = 1};
    for (uint32_t i = 0; i < result->operations; i++) {
        const struct operation *operation = &result->operation[i];
        add_entry(deeds, &sent, operation);
        if (operation->kind != WIRE_SEND)
            continue;
        struct deed deed = {.to = (uint32_t)operation->peer,
                            .context = operation->context,
                            .tag = operation->tag,
                            .gate = NO_GATE,
                            .touches = operation->touches};
        if (deed.touches) {
            add_deed(deeds, &sent, deed);
            deed.touches = TOUCHES_OF_TWIN;
        }
        deed.hurry = hurry_of(result, i);
        deeds->hurry |= deed.hurry != 0;
        add_deed(deeds, &sent, deed);
    }
    return deeds_intern(deeds, sent.word, sent.words);
}

void deeds_save(const struct deeds *deeds, FILE *out) {
    const uint32_t head[] = {deeds->count, deeds->sets, deeds->heards, deeds->hurry, deeds->sents};
    model_put(out, head, sizeof head);
    for (uint32_t i = 0; i < deeds->heards; i++)
        model_put(out, deeds->heard[i], sizeof *deeds->heard[i]);
    model_put(out, deeds->sent, deeds->sents * sizeof *deeds->sent);
    model_put(out, deeds->deed, deeds->count * sizeof *deeds->deed);
    for (uint32_t i = 0; i < deeds->sets; i++)
        model_put(out, deeds->set[i], sizeof *deeds->set[i] + deeds->set[i]->words * sizeof deeds->set[i]->word[0]);
}

/* The lists but the first, which is there. */
static bool load_sent(struct deeds *deeds, FILE *in, uint32_t count) {
    uint32_t first = 1;
    for (uint32_t i = 0; i < count; i++) {
        struct sent sent;
        if (!model_get(in, &sent, sizeof sent))
            return false;
        if (i == 0)
            continue;
        add_sent(deeds, sent);
        if (sent.count > 0)
            continue;
        name_table_add(&deeds->sent_names, name_of(deeds->sent + first, (i - first) * sizeof sent), first);
        first = i + 1;
    }
    return true;
}

bool deeds_load(struct deeds *deeds, FILE *in) {
    uint32_t head[5];
    if (!model_get(in, head, sizeof head) || head[0] > DEEDS_MOST)
        return false;
    deeds->hurry = head[3];
    for (uint32_t i = 0; i < head[2]; i++) {
        struct rank_set ranks;
        if (!model_get(in, &ranks, sizeof ranks) || deeds_ranks(deeds, &ranks) != i + 1)
            return false;
    }
    if (!load_sent(deeds, in, head[4]))
        return false;
    for (uint32_t i = 0; i < head[0]; i++) {
        struct deed deed;
        if (!model_get(in, &deed, sizeof deed) || deed.heard > deeds->heards ||
            (i != ANYTHING && numbered(deeds, &deed, true) != i))
            return false;
    }
    for (uint32_t i = 0; i < head[1]; i++) {
        struct deed_set head_of;
        struct making set = {.words = 1};
        if (!model_get(in, &head_of, sizeof head_of) || head_of.words > DEED_WORDS ||
            !model_get(in, set.word, head_of.words * sizeof set.word[0]) || deeds_intern(deeds, set.word, DEED_WORDS) != i)
            return false;
    }
    return true;
}
