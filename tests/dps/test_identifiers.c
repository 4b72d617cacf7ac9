/* Identifiers of messages: figures 2.9 and 2.10 of the thesis. */
#include "models/dps/identifiers.h"

#include <criterion/criterion.h>

static const char *text_of(struct identifier identifier) {
    static char text[IDENTIFIER_TEXT];
    identifier_text(&identifier, text);
    return text;
}

/* What the operations do to an input's identifier. */
static struct identifier after_split(struct identifier input, int32_t number) {
    return identifier_add(identifier_pass(input, 1), number, 3, 4);
}
static struct identifier after_leaf(struct identifier input) { return identifier_pass(input, 1); }
static struct identifier after_merge(struct identifier input) { return identifier_pass(identifier_drop(input), 1); }
static struct identifier after_stream(struct identifier input, int32_t number) {
    return identifier_add(identifier_pass(identifier_drop(input), 2), number, 5, 6);
}

Test(identifiers, a_split_adds_a_level_and_a_merge_drops_it) {
    struct identifier start = identifier_of_call(0);
    cr_assert_str_eq(text_of(start), "0/0");
    struct identifier part = after_split(start, 1);
    cr_assert_str_eq(text_of(part), "0/1.1/0");
    cr_assert_str_eq(text_of(after_leaf(part)), "0/1.1/1");
    cr_assert_str_eq(text_of(after_merge(after_leaf(part))), "0/2");
    cr_assert_str_eq(text_of(after_split(part, 0)), "0/1.1/1.0/0", "figure 2.9: a split inside another");
}

Test(identifiers, a_stream_does_to_the_identifier_what_merge_and_split_do) {
    struct identifier part = after_leaf(after_split(identifier_of_call(0), 1));
    struct identifier by_stream = after_stream(part, 5), by_both = after_split(after_merge(part), 5);
    cr_assert(identifier_same(&by_stream, &by_both));
}

Test(identifiers, what_all_messages_of_one_split_have_in_common_is_the_same) {
    struct identifier start = identifier_of_call(0), a = identifier_drop(after_leaf(after_split(start, 0))),
                      b = identifier_drop(after_split(start, 7));
    cr_assert(identifier_same(&a, &b));
}

Test(identifiers, each_pass_of_a_loop_has_its_own) {
    struct identifier pass[4] = {identifier_of_call(0)};
    for (int i = 1; i < 4; i++)
        pass[i] = after_merge(after_leaf(after_split(pass[i - 1], 0)));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            cr_assert_not(identifier_same(&pass[i], &pass[j]));
}

Test(identifiers, where_the_split_was_is_no_part_of_the_name) {
    struct identifier a = identifier_add(identifier_of_call(0), 1, 3, 4), b = identifier_add(identifier_of_call(0), 1, 9, 9);
    cr_assert(identifier_same(&a, &b));
    cr_assert_eq(identifier_hash(&a, 1), identifier_hash(&b, 1));
    cr_assert_neq(identifier_hash(&a, 1), identifier_hash(&b, 2));
}

/* Waiting operations have places by remainder: those of one stream in a loop must not all fall on the same few. 64 names on 64
 * places: were they random, some 40 places would be taken; fewer than 30 is worse than one case in a million. */
Test(identifiers, the_hashes_of_successive_passes_are_spread) {
    bool taken[64] = {false};
    int places = 0;
    for (uint32_t i = 0; i < 64; i++) {
        struct identifier pass = identifier_pass(identifier_of_call(0), 2 * i);
        bool *place = &taken[identifier_hash(&pass, 3) % 64];
        places += !*place;
        *place = true;
    }
    cr_assert_geq(places, 30);
}
