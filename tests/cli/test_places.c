#include "explorer/steps/places.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const two = "place 5a 1 64 4 3; place 5a 1 72 8 3";

Test(places, are_written_as_they_are_read) {
    struct places places = {0};
    cr_assert(places_add(&places, two));
    cr_assert_eq(places.count, 2u);
    cr_assert_eq(places.place[0].window, 0x5au);
    cr_assert_eq(places.place[1].offset, 72u);
    char *text = places_text(&places);
    cr_assert_str_eq(text, two);
    free(text);
}

Test(places, of_the_same_kind_that_meet_are_one) {
    struct places places = {0};
    cr_assert(
        places_add(&places, "place 5a 1 64 4 2; place 5a 1 68 4 2; place 5a 2 72 4 2; place 5b 1 72 4 2; place 5a 1 72 4 1"));
    cr_assert_eq(places.count, 4u);
    cr_assert_eq(places.place[0].offset, 64u);
    cr_assert_eq(places.place[0].size, 8u);
}

/* What is waited for is known by its very bytes. */
Test(places, that_are_waited_for_stay_apart) {
    struct places places = {0};
    cr_assert(places_add(&places, "place 5a 1 64 4 3; place 5a 1 68 4 3"));
    cr_assert_eq(places.count, 2u);
}

Test(places, that_are_not_well_formed_are_refused) {
    static const char *const wrong[] = {"place", "place 5a 1 64 4", "place 5a 1 64 4 9", "place 5a 1 64 4 0", "somewhere"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct places places = {0};
        cr_expect(!places_add(&places, wrong[i]), "%s", wrong[i]);
    }
    struct places none = {0};
    cr_assert(places_add(&none, ""));
    cr_assert_null(places_text(&none));
}

Test(places, of_which_there_are_too_many_are_not_forgotten_silently) {
    struct places places = {0};
    for (int i = 0; i <= PLACES_MOST; i++) {
        char text[80];
        cr_assert(!places.too_many);
        snprintf(text, sizeof text, "place 1 0 %d 4 3", 64 * i);
        cr_assert(places_add(&places, text));
    }
    cr_assert(places.too_many);
    cr_assert_eq(places.count, (uint32_t)PLACES_MOST);
}
