/* Optimal reduction on a toy: clients that each have one word for one of some servers, which take words in any order. A word may only
 * be said after another one was taken. */
#include "por/optimal.h"
#include "tests/por/enumerate.h"

#include <criterion/criterion.h>

enum { WORDS = 8, NOTHING = -1 };

struct word {
    uint16_t server;
    int after; /* the word that must have been taken before, or NOTHING */
};

struct toy {
    const struct word *word;
    size_t words;
    struct event_offered list[WORDS];
};

/* How many words each word's server had taken before it, plus one; 0: it has not been taken. A state is what each server has heard,
 * in order, so two equal ones are reached by equivalent orderings. */
struct toy_state {
    uint8_t taken[WORDS];
};

static size_t heard(const struct toy *toy, const struct toy_state *state, uint16_t server) {
    size_t heard = 0;
    for (size_t i = 0; i < toy->words; i++)
        heard += toy->word[i].server == server && state->taken[i] > 0;
    return heard;
}

/* A server's next event is another one than its last, whatever word it takes. */
static size_t offered(void *self, const void *at, const struct event_offered **list) {
    struct toy *toy = self;
    const struct toy_state *state = at;
    size_t count = 0;
    for (size_t i = 0; i < toy->words; i++) {
        const struct word *word = &toy->word[i];
        if (state->taken[i] || (word->after != NOTHING && !state->taken[word->after]))
            continue;
        toy->list[count++] =
            (struct event_offered){1 + i + WORDS * heard(toy, state, word->server), {.owner = word->server, .a = (uint32_t)i}};
    }
    *list = toy->list;
    return count;
}

static enum event_taken take(void *self, void *at, const struct transition *transition) {
    struct toy_state *state = at;
    state->taken[transition->a] = (uint8_t)(1 + heard(self, state, transition->owner));
    return EVENT_TAKEN;
}

static uint64_t place(void *self, const void *at) {
    const struct toy_state *state = at;
    uint64_t place = 0;
    (void)self;
    for (size_t i = 0; i < WORDS; i++)
        place = place * (WORDS + 1) + state->taken[i];
    return place;
}

static bool go_on(void *context, enum optimal_end end, const void *state, const struct optimal_step *step, size_t steps) {
    (void)context, (void)state, (void)step, (void)steps;
    cr_assert_eq(end, OPTIMAL_QUIET);
    return true;
}

typedef bool explore(const struct event_system *, const void *, const struct optimal_listener *, struct optimal_counts *);

static struct optimal_counts count(explore *explore, const struct word *word, size_t words) {
    struct toy toy = {.word = word, .words = words};
    struct toy_state initial = {{0}};
    const struct event_system system = {
        .state_bytes = sizeof initial, .offered = offered, .take = take, .place = place, .self = &toy};
    const struct optimal_listener listener = {go_on, NULL};
    struct optimal_counts counts;
    cr_assert(explore(&system, &initial, &listener, &counts));
    return counts;
}

static void expect(uint64_t orderings, const struct word *word, size_t words) {
    struct optimal_counts optimal = count(optimal_explore, word, words), all = count(enumerate_orderings, word, words);
    cr_assert_eq(optimal.orderings, orderings, "%lu instead of %lu", (unsigned long)optimal.orderings,
                 (unsigned long)orderings);
    cr_assert_eq(all.orderings, orderings);
    cr_assert_eq(optimal.blocked, 0);
    cr_assert_eq(optimal.cut, 0);
}

Test(optimal, nothing_happens_in_one_way) { expect(1, NULL, 0); }

Test(optimal, independent_words_need_one_ordering) {
    const struct word words[] = {{0, NOTHING}, {1, NOTHING}, {2, NOTHING}, {3, NOTHING}};
    expect(1, words, 4);
}

Test(optimal, words_for_one_server_come_in_all_orders) {
    const struct word words[] = {{0, NOTHING}, {0, NOTHING}, {0, NOTHING}, {0, NOTHING}, {0, NOTHING}};
    expect(120, words, 5); /* 5! */
}

Test(optimal, servers_multiply) {
    const struct word words[] = {{0, NOTHING}, {0, NOTHING}, {0, NOTHING}, {1, NOTHING}, {1, NOTHING}, {2, NOTHING}};
    expect(12, words, 6); /* 3! * 2! * 1! */
}

Test(optimal, a_chain_has_one_order) {
    const struct word words[] = {{0, NOTHING}, {0, 0}, {0, 1}, {0, 2}};
    expect(1, words, 4);
}

/* The second word for server 0 is said only after server 1 has heard one: an ordering must be found in which that comes first. */
Test(optimal, a_late_word_may_still_come_first) {
    const struct word words[] = {{0, NOTHING}, {1, NOTHING}, {0, 1}};
    expect(2, words, 3);
}

/* Words 1 and 3 each need the other server's first: of server 0, 0 before 1 or after; of server 1, 2 before 3 or after; but 1 before 0
 * needs 2 before it, and 3 before 2 needs 0: of the four, the one in which each waits for the other is not there. */
Test(optimal, circles_of_causes_are_no_orderings) {
    const struct word words[] = {{0, NOTHING}, {0, 2}, {1, NOTHING}, {1, 0}};
    expect(3, words, 4);
}

/* Chains to one server: the shuffles of 3 and 3, (3 + 3)! / (3! 3!). */
Test(optimal, chains_are_shuffled) {
    const struct word words[] = {{0, NOTHING}, {0, 0}, {0, 1}, {0, NOTHING}, {0, 3}, {0, 4}};
    expect(20, words, 6);
}

Test(optimal, agrees_with_all_orderings_of_random_words) {
    uint32_t random = 12345;
    for (unsigned round = 0; round < 3000; round++) {
        struct word word[WORDS];
        random = random * 1664525 + 1013904223;
        size_t words = 1 + (random >> 16) % WORDS;
        for (size_t i = 0; i < words; i++) {
            random = random * 1664525 + 1013904223;
            word[i] = (struct word){(uint16_t)((random >> 16) % 3), i && random >> 31 ? (int)((random >> 20) % i) : NOTHING};
        }
        expect(count(enumerate_orderings, word, words).orderings, word, words);
    }
}
