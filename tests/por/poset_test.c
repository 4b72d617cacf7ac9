/* Counting the orders of small partial orders whose numbers follow from reasoning. */
#include "por/poset.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

struct edge {
    size_t earlier, later;
};

static struct poset poset_of(size_t elements, const struct edge *edge, size_t edges) {
    struct poset poset = poset_new(elements);
    for (size_t i = 0; i < edges; i++)
        poset_add(&poset, edge[i].earlier, edge[i].later);
    return poset;
}
#define POSET(elements, ...) \
    poset_of(elements, (const struct edge[]){__VA_ARGS__}, sizeof((const struct edge[]){__VA_ARGS__}) / sizeof(struct edge))

enum { TRIED_MOST = 14 }; /* elements whose sets are all tried */

/* Of the sets of elements that hold all that precedes one of theirs: ways to add one more. */
static uint64_t count_edges(const struct poset *poset) {
    uint64_t edges = 0;
    for (uint64_t set = 0; set < 1ull << poset->elements; set++) {
        uint64_t may_follow = 0, closed = 1;
        for (size_t i = 0; i < poset->elements; i++) {
            bool ready = (poset->before[i] & ~set) == 0, in = set >> i & 1;
            closed &= !in || ready;
            may_follow += !in && ready;
        }
        edges += closed * may_follow;
    }
    return edges;
}

static void has_count(struct poset poset, const char *digits) {
    const struct poset_limits limits = {.sets = 1 << 20};
    uint64_t edges;
    mpz_t count;
    mpz_init(count);
    cr_assert(poset_count(&poset, &limits, count, &edges));
    if (poset.elements <= TRIED_MOST)
        cr_assert_eq(edges, count_edges(&poset));
    char *got = mpz_get_str(NULL, 10, count);
    cr_assert_str_eq(got, digits);
    free(got);
    mpz_clear(count);
    poset_free(&poset);
}

static struct poset chain(size_t elements) {
    struct poset poset = poset_new(elements);
    for (size_t i = 1; i < elements; i++)
        poset_add(&poset, i - 1, i);
    return poset;
}

/* Numbers of the groups, a digit each. */
static void has_groups(struct poset poset, const char *groups) {
    uint32_t group[16];
    char text[17] = "";
    size_t most = poset_groups(&poset, group);
    for (size_t i = 0; i < poset.elements; i++) {
        cr_assert_lt(group[i], most);
        text[i] = (char)('0' + group[i]);
    }
    cr_assert_str_eq(text, groups);
    poset_free(&poset);
}

Test(poset, of_nothing_there_is_one_order) { has_count(poset_new(0), "1"); }

Test(poset, what_is_independent_comes_in_all_permutations) {
    has_count(poset_new(1), "1");
    has_count(poset_new(5), "120");
    has_count(poset_new(14), "87178291200"); /* 14! */
}

Test(poset, a_chain_comes_in_one_order) {
    has_count(chain(1), "1");
    has_count(chain(100), "1"); /* in sets of more than a word */
}

Test(poset, two_chains_interleave_in_a_binomial_number_of_ways) {
    struct poset chains = chain(80);
    poset_free(&chains);
    chains = poset_new(80);
    for (size_t i = 1; i < 40; i++) {
        poset_add(&chains, i - 1, i);
        poset_add(&chains, 40 + i - 1, 40 + i);
    }
    has_count(chains, "107507208733336176461620"); /* 80 over 40: two limbs */
}

Test(poset, a_tree_has_the_factorial_over_the_sizes_of_its_subtrees) {
    /* 0 before 1 and 2, 1 before 3 and 4: 5! / (5 3 1 1 1). */
    has_count(POSET(5, {0, 1}, {0, 2}, {1, 3}, {1, 4}), "8");
}

Test(poset, an_edge_brings_what_follows_from_it) {
    struct poset poset = POSET(4, {0, 1}, {2, 3}, {1, 2});
    cr_assert(poset_precedes(&poset, 0, 3));
    cr_assert(!poset_precedes(&poset, 3, 0));
    has_count(poset, "1");
}

Test(poset, a_part_keeps_what_went_by_way_of_others) {
    struct poset whole = chain(5);
    has_count(poset_part(&whole, (const uint32_t[]){4, 0, 2}, 3), "1");
    poset_free(&whole);
}

/* How many permutations of the elements respect the order, of which `at` are placed already. */
static unsigned count_permutations(const struct poset *poset, uint64_t placed, size_t at) {
    unsigned count = 0;
    if (at == poset->elements)
        return 1;
    for (size_t i = 0; i < poset->elements; i++)
        if (!(placed >> i & 1) && (poset->before[i] & ~placed) == 0)
            count += count_permutations(poset, placed | 1ull << i, at + 1);
    return count;
}

Test(poset, counts_are_those_of_the_permutations) {
    uint64_t seed = 7;
    for (unsigned i = 0; i < 200; i++) {
        struct poset poset = poset_new(7);
        for (size_t later = 1; later < 7; later++)
            for (size_t earlier = 0; earlier < later; earlier++) {
                seed = seed * 6364136223846793005 + 1442695040888963407;
                if (seed >> 61 == 0)
                    poset_add(&poset, earlier, later);
            }
        char digits[16];
        sprintf(digits, "%u", count_permutations(&poset, 0, 0));
        has_count(poset, digits);
    }
}

Test(poset, counting_ends_at_its_limit) {
    struct poset poset = poset_new(10); /* 1024 sets */
    uint64_t edges;
    mpz_t count;
    mpz_init(count);
    cr_assert(!poset_count(&poset, &(struct poset_limits){.sets = 1023}, count, &edges));
    cr_assert(poset_count(&poset, &(struct poset_limits){.sets = 1024}, count, &edges));
    cr_assert_eq(edges, 5120); /* n/2 2^n: each element is added to half of the sets (Schaeli 2009, table 4.10) */
    mpz_clear(count);
    poset_free(&poset);
}

Test(poset, groups_are_cut_where_all_precedes_all) {
    has_groups(poset_new(3), "000");
    has_groups(chain(3), "012");
    /* {0, 1}, then {2, 3}, fully interconnected: the thesis's figure 4.14. */
    has_groups(POSET(4, {0, 2}, {0, 3}, {1, 2}, {1, 3}), "0011");
    /* Not fully: 1 may come after 2. */
    has_groups(POSET(4, {0, 2}, {0, 3}, {1, 3}), "0000");
    /* However they are numbered. */
    has_groups(POSET(4, {3, 2}, {2, 0}, {2, 1}), "2210");
}

/* A thread of the thesis's neighbourhood exchange (figure 4.12): its split (0); requests of its two neighbours (1, 2), which
 * nothing of its own precedes; the two borders (3, 4) that answer the split's requests; the update (5) after both. The split, the
 * borders in either order and the update come in 2 orders; the requests fit into any of 5 and then 6 places. */
Test(poset, an_iteration_of_a_neighbourhood_exchange) {
    struct poset thread = POSET(6, {0, 3}, {0, 4}, {3, 5}, {4, 5});
    has_count(poset_part(&thread, (const uint32_t[]){0, 1, 2, 3, 4, 5}, 6), "60");
    has_groups(thread, "000000");
}

/* ---- reduction ---- */

/* What each element accesses, a sign for each variable: "r-w". */
static const char *const *vectors;
static const int *operations; /* the merge that takes each, 0: none; NULL: there are no merges */

static bool is_exchangeable(void *context, uint32_t a, uint32_t b) {
    (void)context;
    if (operations && operations[a] && operations[a] == operations[b])
        return false;
    for (size_t i = 0; vectors[a][i]; i++)
        if ((vectors[a][i] == 'w' && vectors[b][i] != '-') || (vectors[b][i] == 'w' && vectors[a][i] != '-'))
            return false;
    return true;
}

static struct poset reduced(struct poset poset, const char *const *vector, const int *operation) {
    vectors = vector;
    operations = operation;
    poset_reduce(&poset, is_exchangeable, NULL);
    return poset;
}

Test(reduction, readers_keep_one_order) { has_count(reduced(poset_new(4), (const char *[]){"r", "r", "-", "r"}, NULL), "1"); }

Test(reduction, writers_keep_all_orders) { has_count(reduced(poset_new(3), (const char *[]){"w", "w", "w"}, NULL), "6"); }

/* Of the 6 orders of two readers and a writer there are 4 kinds: the writer first, last, or between the two, either way round. The
 * thesis's rule orders the readers, and leaves 3. */
Test(reduction, more_is_left_out_than_orders_that_are_alike) {
    has_count(reduced(poset_new(3), (const char *[]){"r", "w", "r"}, NULL), "3");
}

Test(reduction, variables_are_told_apart) {
    /* 2 reads what 0 writes: both orders of these are left. 1 has to do with neither, and comes behind both. */
    has_count(reduced(poset_new(3), (const char *[]){"w-", "-w", "r-"}, NULL), "2");
}

Test(reduction, messages_of_one_merge_keep_all_orders) {
    has_count(reduced(poset_new(3), (const char *[]){"-", "-", "-"}, (const int[]){1, 1, 1}), "6");
    /* Of another merge: 3 and 4 in 2 orders, all before or all behind. */
    has_count(reduced(poset_new(5), (const char *[]){"-", "-", "-", "-", "-"}, (const int[]){1, 1, 1, 2, 2}), "12");
}

/* The thread of an_iteration_of_a_neighbourhood_exchange. */
static struct poset reduced_thread(const char *const *vector) {
    return reduced(POSET(6, {0, 3}, {0, 4}, {3, 5}, {4, 5}), vector, (const int[]){0, 0, 0, 1, 1, 0});
}

/* Figure 4.16, where only reading and modifying the whole state are told apart: the split and the answers to both requests read.
 * The split comes first then: a subgroup of one order. Behind it the requests, 1 before 2, among the borders in 2 orders and the
 * update: 2 of 5 places, 10 times 2 orders. The thesis's error, 2 behind the update, shows in 4 places of 1 times 2 orders. (It
 * counts 168 orders before the reduction, of a figure that has more to it than its text tells.) */
Test(reduction, an_iteration_of_a_neighbourhood_exchange_has_1_and_20_orders) {
    static const char *const read_or_modified[] = {"r", "r", "r", "w", "w", "w"};
    struct poset thread = reduced_thread(read_or_modified);
    has_count(poset_part(&thread, (const uint32_t[]){0}, 1), "1");
    has_count(poset_part(&thread, (const uint32_t[]){1, 2, 3, 4, 5}, 5), "20");
    poset_add(&thread, 5, 2);
    has_count(poset_part(&thread, (const uint32_t[]){1, 2, 3, 4, 5}, 5), "8");
    poset_free(&thread);
    has_groups(reduced_thread(read_or_modified), "011111");
}

/* The borders are not what the answers read, so these may wait for them; among the requests and the update there are 3 orders with
 * 1 before 2. */
Test(reduction, variables_leave_6_orders_of_an_iteration) {
    static const char *const variables[] = {"--", "r-", "r-", "-w", "-w", "wr"};
    has_count(reduced_thread(variables), "6");
    has_groups(reduced_thread(variables), "022112");
}

/* An edge from an answer to the split would keep the answer from coming behind the update. */
Test(reduction, an_edge_is_not_added_the_wrong_way_round) {
    struct poset thread = reduced(POSET(4, {1, 2}, {2, 3}), (const char *[]){"r", "-", "-", "w"}, NULL);
    cr_assert(!poset_precedes(&thread, 0, 1));
    cr_assert(poset_precedes(&thread, 1, 0));
    poset_free(&thread);
}

/* ---- subsets ---- */

static void has_subset(struct poset poset, size_t orders) {
    cr_assert_eq(poset_subset(&poset), orders);
    poset_free(&poset);
}

Test(subset, of_what_has_one_order_is_that_order) {
    has_subset(poset_new(1), 1);
    has_subset(chain(5), 1);
}

Test(subset, of_independent_elements_each_pair_comes_first) {
    has_subset(poset_new(2), 2);
    /* Each pair first, either way round, is all 6 orders of 3; those with one element last are among them. */
    has_subset(poset_new(3), 6);
    /* 12 pairs, and the others behind them as numbered: 0123 1023 0213 2013 0312 3012 1203 2103 1302 3102 2301 3201. With one last,
     * the others as numbered: 1230, 0231 and 0132 are new, 0123 is not. */
    has_subset(poset_new(4), 15);
}

Test(subset, what_must_come_between_keeps_two_apart) {
    /* 0 before 1 before 2, and 3 anywhere: orders 3012 0312 0132 0123. 3 as late as possible is the last one; 3 and 0 as early as
     * possible the first and the second, 1 and 3 the second and the third, 2 and 3 the third and the last. */
    has_subset(POSET(4, {0, 1}, {1, 2}), 4);
}
