#include "tests/por/words.h"

#include <criterion/criterion.h>

static bool is_forgetful(const struct words *words, uint16_t server) { return words->forgetful >> server & 1; }

static size_t heard(const struct words *words, const struct words_state *state, uint16_t server) {
    size_t heard = 0;
    for (size_t i = 0; i < words->words; i++)
        heard += words->word[i].server == server && state->taken[i] > 0;
    return heard;
}

static size_t offered(void *self, const void *at, const struct event_offered **list) {
    struct words *words = self;
    const struct words_state *state = at;
    size_t count = 0;
    for (size_t i = 0; i < words->words; i++) {
        const struct word *word = &words->word[i];
        if (state->taken[i] || (word->after != NOTHING && !state->taken[word->after]))
            continue;
        words->list[count++] = (struct event_offered){1 + i + WORDS * heard(words, state, word->server),
                                                      {.owner = word->server, .a = (uint32_t)i}};
    }
    *list = words->list;
    return count;
}

static enum event_taken take(void *self, void *at, const struct transition *transition) {
    struct words_state *state = at;
    state->taken[transition->a] = (uint8_t)(1 + heard(self, state, transition->owner));
    return EVENT_TAKEN;
}

static void forget(void *self, void *at) {
    const struct words *words = self;
    struct words_state *state = at;
    for (size_t i = 0; i < words->words; i++)
        if (is_forgetful(words, words->word[i].server))
            state->taken[i] = state->taken[i] > 0;
}

static struct name place(void *self, const void *at) {
    struct words_state state = *(const struct words_state *)at;
    uint64_t place = 0;
    forget(self, &state);
    for (size_t i = 0; i < WORDS; i++)
        place = place * (WORDS + 1) + state.taken[i];
    return name_of_hash(place);
}

struct event_system words_system(struct words *words) {
    return (struct event_system){.state_bytes = sizeof(struct words_state),
                                 .offered = offered,
                                 .take = take,
                                 .place = place,
                                 .forget = forget,
                                 .self = words};
}

struct ends {
    struct words *words;
    struct name_table places;
};

static bool note_end(void *context, enum ordering_end end, const void *state, const struct ordering_step *step, size_t steps) {
    struct ends *ends = context;
    struct name name = place(ends->words, state);
    (void)step, (void)steps;
    cr_assert_eq(end, ORDERING_QUIET);
    if (name_table_find(&ends->places, name) == NAME_UNKNOWN)
        name_table_add(&ends->places, name, 0);
    return true;
}

struct ordering_counts words_count(explore_orderings *explore, const struct word *word, size_t count, unsigned forgetful,
                                   size_t *ends) {
    struct words words = {.word = word, .words = count, .forgetful = forgetful};
    const struct words_state initial = {{0}};
    const struct event_system system = words_system(&words);
    struct ends met = {.words = &words};
    const struct ordering_listener listener = {note_end, &met};
    struct ordering_counts counts;
    cr_assert(explore(&system, &initial, &listener, &counts));
    if (ends)
        *ends = met.places.used;
    name_table_free(&met.places);
    return counts;
}

size_t words_draw(uint32_t *random, struct word *word) {
    *random = *random * 1664525 + 1013904223;
    size_t words = 1 + (*random >> 16) % WORDS;
    for (size_t i = 0; i < words; i++) {
        *random = *random * 1664525 + 1013904223;
        word[i] = (struct word){(uint16_t)((*random >> 16) % 3), i && *random >> 31 ? (int)((*random >> 20) % i) : NOTHING};
    }
    return words;
}
