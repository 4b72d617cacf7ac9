/* The reversal of races with states merged, on a toy some of whose servers do not remember in which order they have heard what, and on
 * small systems of events that are spelt out. */
#include "por/source_sets.h"
#include "tests/por/enumerate.h"
#include "tests/por/spelt.h"
#include "tests/por/words.h"

#include <criterion/criterion.h>

enum { ALL_REMEMBER = 0, ALL_FORGET = 7 };

static void expect(uint64_t states, uint64_t taken, uint64_t ends, const struct word *word, size_t words, unsigned forgetful) {
    struct ordering_counts counts = words_count(source_sets_explore, word, words, forgetful, NULL);
    cr_assert_eq(counts.states, states, "%lu states", (unsigned long)counts.states);
    cr_assert_eq(counts.taken, taken, "%lu taken", (unsigned long)counts.taken);
    cr_assert_eq(counts.orderings, ends, "%lu ends", (unsigned long)counts.orderings);
}

Test(source_sets, nothing_happens_in_one_way) { expect(1, 0, 1, NULL, 0, ALL_FORGET); }

Test(source_sets, independent_words_need_one_way) {
    const struct word words[] = {{0, NOTHING}, {1, NOTHING}, {2, NOTHING}};
    expect(4, 3, 1, words, 3, ALL_FORGET);
}

/* Each set of words is a state, and each of its words may have been the last: 2^5, 5 * 2^4. */
Test(source_sets, orders_of_the_same_words_meet) {
    const struct word words[] = {{0, NOTHING}, {0, NOTHING}, {0, NOTHING}, {0, NOTHING}, {0, NOTHING}};
    expect(32, 80, 1, words, 5, ALL_FORGET);
}

/* Each order of each set: 1 + 3 + 6 + 6. */
Test(source_sets, orders_that_make_a_difference_do_not_meet) {
    const struct word words[] = {{0, NOTHING}, {0, NOTHING}, {0, NOTHING}};
    expect(16, 15, 6, words, 3, ALL_REMEMBER);
}

/* The first server hears all of its words, and then the second: 2^3 + 2^3 - 1, 3 * 2^2 twice. */
Test(source_sets, servers_cost_the_sum) {
    const struct word words[] = {{0, NOTHING}, {0, NOTHING}, {0, NOTHING}, {1, NOTHING}, {1, NOTHING}, {1, NOTHING}};
    expect(15, 24, 1, words, 6, ALL_FORGET);
}

/* Word 2 is said only after the other server has heard word 1, so word 1 has to be tried before word 0. The sets of words with 1
 * wherever 2 is: {}, 0, 1, 01, 12, 012; each is come to by each of its words that may be the last: 0, 1, 1, 2, 1, 2. If servers remember,
 * 12 0 is another end than 01 2. */
Test(source_sets, a_late_word_may_still_come_first) {
    const struct word words[] = {{0, NOTHING}, {1, NOTHING}, {0, 1}};
    expect(6, 7, 1, words, 3, ALL_FORGET);
    expect(7, 7, 2, words, 3, ALL_REMEMBER);
}

/* The same beside word 2 for a third server, which no race asks for: it is not taken until nothing else is left to decide. {}, 0, 01, 012,
 * 0123, and 1, 13, 013; one more way leads to 01. */
Test(source_sets, what_no_race_asks_for_comes_later) {
    const struct word words[] = {{0, NOTHING}, {1, NOTHING}, {2, NOTHING}, {0, 1}};
    expect(8, 9, 1, words, 4, ALL_FORGET);
}

/* As optimal reduction: 0 before 1 or after, 2 before 3 or after, but not both after. */
Test(source_sets, circles_of_causes_are_no_ways) {
    const struct word words[] = {{0, NOTHING}, {0, 2}, {1, NOTHING}, {1, 0}};
    cr_assert_eq(words_count(source_sets_explore, words, 4, ALL_REMEMBER, NULL).orderings, 3);
}

Test(source_sets, come_to_all_ends_of_random_words) {
    uint32_t random = 54321;
    for (unsigned round = 0; round < 8000; round++) {
        struct word word[WORDS];
        size_t words = words_draw(&random, word), all, ends;
        unsigned forgetful = round % 8;
        words_count(enumerate_orderings, word, words, forgetful, &all);
        words_count(source_sets_explore, word, words, forgetful, &ends);
        cr_assert_eq(ends, all, "round %u: %zu of %zu ends", round, ends, all);
    }
}

/* --- events that are spelt out ----------------------------------------------------------------------------------------------- */

/* Events 0 and 1 of an owner have nothing to do with each other; 3, of the same owner, needs event 2 of another one, and either of the
 * first two excludes it. The way that takes 0 takes 1 before 2, and then 3 would be missed. */
Test(source_sets, an_owner_may_do_less_without) {
    struct spelt spelt = {.events = 4,
                          .owner = {0, 0, 1, 0},
                          .does = {0, 1, 2, 3},
                          .needs = {[3] = 1 << 2},
                          .excluded_by = {[0] = 1 << 3, [1] = 1 << 3, [3] = 1 << 0 | 1 << 1}};
    const struct spelt_ends expected = {{[1 << 0 | 1 << 1 | 1 << 2] = true, [1 << 2 | 1 << 3] = true}};
    struct spelt_ends all = spelt_ends_of(enumerate_places, &spelt, NULL),
                      ends = spelt_ends_of(source_sets_explore, &spelt, NULL);
    cr_assert(spelt_are_alike(&all, &expected));
    cr_assert(spelt_are_alike(&ends, &expected));
}

/* Nothing follows an error, so that what others do has to come before it. */
Test(source_sets, an_error_hides_no_other_one) {
    struct spelt spelt = {.events = 2, .owner = {0, 1}, .does = {0, 1}, .fail = 1 << 0 | 1 << 1};
    const struct spelt_ends expected = {{[1 << 0] = true, [1 << 1] = true}};
    struct spelt_ends ends = spelt_ends_of(source_sets_explore, &spelt, NULL);
    cr_assert(spelt_are_alike(&ends, &expected));
}

Test(source_sets, come_to_all_ends_of_random_events) {
    uint32_t random = 999;
    for (unsigned round = 0; round < 200000; round++) {
        struct spelt spelt = spelt_draw(&random);
        struct spelt_ends all = spelt_ends_of(enumerate_places, &spelt, NULL),
                          ends = spelt_ends_of(source_sets_explore, &spelt, NULL);
        cr_assert(spelt_are_alike(&ends, &all), "round %u", round);
    }
}
