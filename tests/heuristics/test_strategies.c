/* Which orderings each strategy gives, of programs so small that one can say by hand which it must be. */
#include "tests/heuristics/toy.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTHING = TOY_NEEDS_NOTHING, MOVES = 200 };

/* Rank 0 receives from 1, 2 and 3: all six orders. */
static const struct toy_message collector[] = {{1, 0, NOTHING, 0, 0}, {2, 0, NOTHING, 0, 0}, {3, 0, NOTHING, 0, 0}};
/* Two branches of three: 1 -> 2 -> 3 -> 0 and 4 -> 5 -> 6 -> 0. */
static const struct toy_message branches[] = {{1, 2, NOTHING, 0, 0}, {4, 5, NOTHING, 0, 0}, {2, 3, 0, 0, 0},
                                              {5, 6, 1, 0, 0},       {3, 0, 2, 0, 0},       {6, 0, 3, 0, 0}};

/* All orderings, separated by spaces, until there are no more or `most`. */
static const char *all_of(const struct strategy *strategy, const struct toy_message *message, size_t messages, size_t most) {
    static char text[1 << 16];
    void *self = strategy->create(TOY_RANKS, 1);
    size_t at = 0;
    text[0] = 0;
    for (size_t i = 0; i < most; i++) {
        const char *ordering = toy_ordering(strategy, self, message, messages, MOVES);
        if (!*ordering)
            break;
        at += (size_t)sprintf(text + at, "%s%s", i ? " " : "", ordering);
    }
    strategy->destroy(self);
    return text;
}

#define ALL(strategy, program, most) all_of(&strategy, program, sizeof program / sizeof *program, most)

/* No decision but the reference's: abc. One: b or c first, then the reference; c second. Two: after b or c the other of the
 * two left. The third message is no choice. */
Test(breadth_first, gives_each_ordering_once_by_the_number_of_decisions_that_differ) {
    cr_assert_str_eq(ALL(strategy_breadth_first, collector, 100), "abc bac cab acb bca cba");
}

/* One delay: a goes to the end of the queue (bca), or b does after a (acb). Two: a and b (cab), or a, and after b also c (bac).
 * Three: a and b, and after c also a (cba). */
Test(delay_bounded, gives_each_ordering_once_by_the_number_of_delays) {
    cr_assert_str_eq(ALL(strategy_delay_bounded, collector, 100), "abc bca acb cab bac cba");
}

/* In the order sent: the two branches keep step. */
Test(delay_bounded, begins_with_the_order_in_which_messages_are_sent) {
    cr_assert_str_eq(ALL(strategy_delay_bounded, branches, 1), "abcdef");
}

/* The first set on the stack is {a, b}; a brings about {c}, which is above b, and so on. The other branch order begins with b. */
Test(depth_first, ends_one_branch_before_the_next_in_every_order_of_branches) {
    cr_assert_str_eq(ALL(strategy_depth_first, branches, 100), "acebdf bdface");
}

/* Section 5.5.5: rank 3 sends to 1, which then sends to 0; rank 2 sends to 0 as well. Ranks 1 and 3 have come farthest after
 * their match, so what rank 1 sends overtakes what rank 2 does. Here a: 2 -> 0, b: 3 -> 1, c: 1 -> 0. */
Test(depth_first, finds_the_error_of_the_merge_sort_in_its_second_ordering) {
    static const struct toy_message merge_sort[] = {{2, 0, NOTHING, 0, 0}, {3, 1, NOTHING, 0, 0}, {1, 0, 1, 0, 0}};
    cr_assert_str_eq(ALL(strategy_depth_first, merge_sort, 100), "abc bca");
}

/* Of one set that goes first whose ranks have come farthest: after a, rank 3 has received one message, so f from 3 goes before e
 * from 2 although it comes later in the list. */
Test(depth_first, prefers_the_ranks_that_have_come_farthest) {
    static const struct toy_message program[] = {{1, 3, NOTHING, 0, 0}, {2, 0, 0, 0, 0}, {3, 0, 0, 0, 0}};
    cr_assert_str_eq(ALL(strategy_depth_first, program, 1), "acb");
}

/* The reference, then a, b and c in turn as late as possible. */
Test(late, holds_back_each_message_in_turn) { cr_assert_str_eq(ALL(strategy_late, collector, 100), "abc bca acb abc"); }

/* What needs a comes after it: with a late all of the other branch goes first. The reference is abcdef: rank 2's, 5's, 3's … in the
 * order of the list. */
Test(late, delivers_everything_but_what_needs_it_first) { cr_assert_str_eq(ALL(strategy_late, branches, 2), "abcdef bdface"); }

/* Held back, a is not there for its poll yet: after b the poll misses three times, then a is received. */
Test(late, a_poll_is_told_a_few_times_that_the_message_is_not_there) {
    static const struct toy_message polled[] = {{1, 0, NOTHING, 0, 1}, {2, 3, NOTHING, 0, 0}};
    cr_assert_str_eq(ALL(strategy_late, polled, 100), "ab b...a ab");
}

static bool is_substring(const char *text, char first, char second) {
    const char pair[] = {first, second, 0};
    return strstr(text, pair) != NULL;
}

/* Expression 4.2: for every two messages both "…ab…" and "…ba…" are there. */
Test(adjacent, gives_each_pair_both_ways) {
    const char *orderings = ALL(strategy_adjacent, collector, 100);
    for (char a = 'a'; a <= 'c'; a++)
        for (char b = 'a'; b <= 'c'; b++)
            cr_assert(a == b || is_substring(orderings, a, b), "%c%c is not in %s", a, b, orderings);
    cr_assert_eq(strlen(orderings), 7 * 4 - 1, "the reference, and two orderings for each of three pairs");
}

/* e and f meet at rank 0. What f needs, b and d, and what e needs, a and c, come before; then both ways. */
Test(adjacent, what_a_pair_needs_comes_first_and_nothing_in_between) {
    const char *orderings = ALL(strategy_adjacent, branches, 100);
    cr_assert(strstr(orderings, "abcdef") && strstr(orderings, "abcdfe"), "%s", orderings);
}

/* b needs a, so they can be adjacent one way only; the other pair is tried and comes to the same. */
Test(adjacent, a_message_that_needs_the_other_comes_after_it) {
    static const struct toy_message chain[] = {{1, 0, NOTHING, 0, 0}, {0, 1, 0, 0, 0}};
    cr_assert_str_eq(ALL(strategy_adjacent, chain, 100), "ab ab ab");
}

static unsigned count_ending_in(const char *orderings, const char *end) {
    unsigned count = 0;
    char word[16];
    snprintf(word, sizeof word, "%s ", end);
    for (const char *at = orderings; (at = strstr(at, word)); at++)
        count++;
    return count;
}

/* Six orders, 1/6 each: 1000 of 6000 on average, with a standard deviation of 29. */
Test(random, orders_of_a_collector_are_equally_probable) {
    const char *orderings = ALL(strategy_random, collector, 6000);
    static const char *const order[] = {"abc", "acb", "bac", "bca", "cab", "cba"};
    for (int i = 0; i < 6; i++) {
        unsigned count = count_ending_in(orderings, order[i]);
        cr_assert(count > 840 && count < 1160, "%u of 6000 are %s", count, order[i]);
    }
}

/* A graph of states by hand: what follows state i by its transitions; 0: nothing; GIVEN_UP: an ordering that goes on for ever. */
enum { GIVEN_UP = -1, FORK = 1, LOPSIDED, THREE };
static const int follows[][4] = {[FORK] = {LOPSIDED, GIVEN_UP}, [LOPSIDED] = {0, THREE}, [THREE] = {0, 0, 0}};
static const size_t offers[] = {[FORK] = 2, [LOPSIDED] = 2, [THREE] = 3};

/* One ordering from a state on; returns the position taken in LOPSIDED, or -1. */
static int go(void *random, int state) {
    static const struct transition list[3] = {{.owner = 1}, {.owner = 2}, {.owner = 3}};
    static const uint32_t progress[4];
    int taken_there = -1;
    while (state > 0) {
        size_t taken =
            strategy_random.choose(random, &(struct strategy_choice){list, offers[state], progress, (uint64_t)state});
        if (state == LOPSIDED)
            taken_there = (int)taken;
        state = follows[state][taken];
    }
    if (state != GIVEN_UP)
        strategy_random.end(random);
    return taken_there;
}

/* From LOPSIDED on there are four orderings, one of them by its first transition: 1/4 of the half of 8000 that comes there, 1000
 * on average with a standard deviation of 30. By transitions it would be 2000. What follows FORK is never known, so there is no
 * end. */
Test(random, orderings_are_equally_probable_where_their_number_is_known) {
    void *random = strategy_random.create(TOY_RANKS, 1);
    unsigned first = 0;
    for (int i = 0; i < 8000; i++) {
        cr_assert(strategy_random.begin(random));
        first += go(random, FORK) == 0;
    }
    cr_assert(first > 850 && first < 1150, "%u of 8000", first);
    strategy_random.destroy(random);
}

Test(random, has_no_more_when_all_orderings_are_known) {
    void *random = strategy_random.create(TOY_RANKS, 1);
    unsigned met = 0;
    for (; met < 1000 && strategy_random.begin(random); met++)
        go(random, LOPSIDED);
    cr_assert(met >= 4 && met < 1000);
    strategy_random.destroy(random);
}

/* Nothing to choose, one ordering. */
Test(random, gives_one_ordering_where_there_is_nothing_to_choose) {
    void *random = strategy_random.create(TOY_RANKS, 1);
    cr_assert(strategy_random.begin(random));
    strategy_random.end(random);
    cr_assert_not(strategy_random.begin(random));
    strategy_random.destroy(random);
}

/* Depth 1: message h last of eight, w = 8 chains: at least 1/8 of the third of 3000 orderings that has depth 1, 125 on average with
 * a standard deviation of less than 11. */
Test(pct, keeps_its_bound_for_one_message_that_is_late) {
    struct toy_message eight[8];
    for (uint16_t i = 0; i < 8; i++)
        eight[i] = (struct toy_message){(uint16_t)(i + 1), 0, NOTHING, false, false};
    const char *orderings = ALL(strategy_pct, eight, 3000);
    cr_assert_geq(count_ending_in(orderings, "h"), 125 - 3 * 11);
}

/* Depth 2: g and h last, in this order: w = 8, k = 16 (what is assumed at first), so at least 1/128 of the third that has depth 2:
 * 7.8 on average. (With depth 1 there are 1/56 more of them.) */
Test(pct, keeps_its_bound_for_two_messages_in_a_row) {
    struct toy_message eight[8];
    for (uint16_t i = 0; i < 8; i++)
        eight[i] = (struct toy_message){(uint16_t)(i + 1), 0, NOTHING, false, false};
    const char *orderings = ALL(strategy_pct, eight, 3000);
    cr_assert_geq(count_ending_in(orderings, "gh"), 7);
}

/* Nothing is ever received, as each message needs the other: the ranks poll until the ordering is cut. */
Test(every_strategy, goes_on_polling_where_there_is_nothing_else) {
    static const struct toy_message never[] = {{1, 0, 1, 0, 1}, {2, 3, 0, 0, 1}};
    for (size_t i = 0; strategies[i]; i++) {
        void *self = strategies[i]->create(TOY_RANKS, 1);
        cr_assert_eq(strlen(toy_ordering(strategies[i], self, never, 2, MOVES)), MOVES, "%s", strategies[i]->name);
        strategies[i]->destroy(self);
    }
}

/* A message and a rank that polls for it: sooner or later the message is received, in every ordering of every strategy. */
Test(every_strategy, does_not_poll_for_ever_for_a_message_that_is_there) {
    static const struct toy_message polled[] = {{1, 0, NOTHING, 0, 1}, {2, 0, NOTHING, 0, 1}};
    for (size_t i = 0; strategies[i]; i++) {
        void *self = strategies[i]->create(TOY_RANKS, 1);
        for (int n = 0; n < 50; n++)
            cr_assert_lt(strlen(toy_ordering(strategies[i], self, polled, 2, MOVES)), MOVES, "%s", strategies[i]->name);
        strategies[i]->destroy(self);
    }
}

static char *copy_of_all(const struct strategy *strategy, uint64_t seed) {
    char *text = calloc(1, 2000);
    void *self = strategy->create(TOY_RANKS, seed);
    for (int i = 0; i < 100; i++) {
        strcat(text, toy_ordering(strategy, self, branches, 6, MOVES));
        strcat(text, " ");
    }
    strategy->destroy(self);
    return text;
}

Test(every_strategy, gives_the_same_with_the_same_seed) {
    for (size_t i = 0; strategies[i]; i++) {
        char *once = copy_of_all(strategies[i], 7), *again = copy_of_all(strategies[i], 7),
             *other = copy_of_all(strategies[i], 8);
        bool lots = strategies[i] == &strategy_random || strategies[i] == &strategy_pct;
        cr_assert_str_eq(once, again);
        cr_assert_eq(strcmp(once, other) != 0, lots, "%s", strategies[i]->name);
        free(once);
        free(again);
        free(other);
    }
}

Test(names, lists_and_the_portfolio) {
    const struct strategy *list[STRATEGIES_MOST];
    cr_assert_eq(strategies_named("late,random,late", list), 2);
    cr_assert(list[0] == &strategy_late && list[1] == &strategy_random);
    cr_assert_eq(strategies_named("portfolio", list), 7);
    cr_assert_eq(strategies_named("late,", list), 0);
    cr_assert_eq(strategies_named("latest", list), 0);
    cr_assert_eq(strategies_named("", list), 0);
}

/* Takes the first transition, so many times. */
static void run_portfolio(struct portfolio *portfolio, unsigned orderings, bool news_of_second) {
    static const struct transition one = {.owner = 1};
    static const uint32_t progress[2];
    size_t members;
    for (unsigned i = 0; i < orderings; i++) {
        uint64_t before = portfolio_members(portfolio, &members)[1].orderings;
        cr_assert(portfolio_begin(portfolio));
        portfolio_choose(portfolio, &(struct strategy_choice){&one, 1, progress, 1});
        portfolio_end(portfolio, news_of_second && portfolio_members(portfolio, &members)[1].orderings > before, false);
    }
}

/* Nobody brings anything new: one each in turn. If the second always does, its turns are 1, 2, 4, 8, …: after 4 turns of each, 19
 * orderings, it has had 15. */
Test(portfolio, gives_turns_by_yield) {
    static const struct strategy *const members[] = {&strategy_random, &strategy_pct};
    size_t count;
    for (int news = 0; news <= 1; news++) {
        struct portfolio *portfolio = portfolio_create(members, 2, 2, 1);
        run_portfolio(portfolio, news ? 19 : 20, news);
        cr_assert_eq(portfolio_members(portfolio, &count)[1].orderings, news ? 15 : 10);
        portfolio_destroy(portfolio);
    }
}

/* One choice at a time has one ordering: breadth-first is exhausted after it, and the other goes on alone. */
Test(portfolio, goes_on_without_a_member_that_has_no_more) {
    static const struct strategy *const members[] = {&strategy_breadth_first, &strategy_random};
    size_t count;
    struct portfolio *portfolio = portfolio_create(members, 2, 2, 1);
    run_portfolio(portfolio, 10, false);
    const struct portfolio_member *member = portfolio_members(portfolio, &count);
    cr_assert(member[0].exhausted && member[0].orderings == 1 && member[1].orderings == 9);
    portfolio_destroy(portfolio);
}
