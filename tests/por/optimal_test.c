/* Optimal reduction on a toy whose servers remember what they have heard in order, so that two equal states are reached by equivalent
 * orderings. */
#include "por/optimal.h"
#include "tests/por/enumerate.h"
#include "tests/por/spelt.h"
#include "tests/por/words.h"

#include <criterion/criterion.h>

static void expect(uint64_t orderings, const struct word *word, size_t words) {
    struct ordering_counts optimal = words_count(optimal_explore, word, words, 0, NULL),
                           all = words_count(enumerate_orderings, word, words, 0, NULL);
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
        size_t words = words_draw(&random, word);
        expect(words_count(enumerate_orderings, word, words, 0, NULL).orderings, word, words);
    }
}

/* Each set of events that orderings end with is a class of its own. */
Test(optimal, agrees_with_all_orderings_of_random_rivals) {
    uint32_t random = 4711;
    for (unsigned round = 0; round < 50000; round++) {
        struct spelt spelt = spelt_draw_rivals(&random);
        struct ordering_counts counts;
        struct spelt_ends all = spelt_ends_of(enumerate_places, &spelt, NULL);
        struct spelt_ends ends = spelt_ends_of(optimal_explore, &spelt, &counts);
        size_t classes = 0;
        for (size_t i = 0; i < sizeof all.in / sizeof *all.in; i++)
            classes += all.in[i];
        cr_assert(spelt_are_alike(&ends, &all), "round %u", round);
        cr_assert_eq(counts.orderings, classes, "round %u: %lu instead of %zu", round, (unsigned long)counts.orderings,
                     classes);
        cr_assert_eq(counts.blocked, 0);
    }
}
