/* Comparing objects: which members differ, with tolerances, and by a function of the type's own. */
#include "tests/dps/samples.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Listing 2.11 of the thesis. */
struct simple {
    int intItem;
    double doubleItem;
};
static const struct dps_type simple =
    DPS_TYPE("SimpleObject", struct simple, DPS_ITEM(struct simple, intItem), DPS_ITEM(struct simple, doubleItem));

static char *report_of(const struct dps_type *type, const void *a, const void *b, const struct dps_tolerance *tolerance) {
    char *got;
    size_t size;
    FILE *file = open_memstream(&got, &size);
    dps_compare(type, a, b, tolerance, file);
    fclose(file);
    return got;
}

Test(compare, the_members_that_differ_are_named) {
    struct simple a = {1, 0.25}, b = {1, 0.5};
    cr_assert_eq(dps_compare(&simple, &a, &b, NULL, NULL), 1);
    char *report = report_of(&simple, &a, &b, NULL);
    cr_assert_str_eq(report, "SimpleObject: modified\n    intItem: equal\n    doubleItem: modified, 0.25 and 0.5\n");
    free(report);
}

Test(compare, a_tolerance_makes_close_numbers_equal) {
    struct simple a = {1, 0.2}, b = {1, 0.2001};
    struct dps_tolerance tolerance = {.of_double = 0.002};
    cr_assert_eq(dps_compare(&simple, &a, &b, &tolerance, NULL), 0);
    b.doubleItem = 0.21;
    cr_assert_eq(dps_compare(&simple, &a, &b, &tolerance, NULL), 1);
    struct point p = {1, 2}, q = {1, 2.001f};
    cr_assert_eq(dps_compare(&point, &p, &q, &tolerance, NULL), 1, "the tolerance of doubles is not that of floats");
    tolerance.of_float = 0.01f;
    cr_assert_eq(dps_compare(&point, &p, &q, &tolerance, NULL), 0);
}

Test(compare, a_nan_equals_itself) {
    struct simple a = {1, NAN}, b = {1, NAN}, c = {1, 0};
    struct dps_tolerance tolerance = {.of_double = 1};
    cr_assert_eq(dps_compare(&simple, &a, &b, NULL, NULL), 0);
    cr_assert_eq(dps_compare(&simple, &a, &b, &tolerance, NULL), 0);
    cr_assert_eq(dps_compare(&simple, &a, &c, &tolerance, NULL), 1);
}

Test(compare, lists_differ_by_an_element_or_by_length) {
    int16_t one[3] = {1, 2, 3}, two[3] = {1, 5, 3};
    struct sample a = {.values = 3, .value = one}, b = {.values = 3, .value = two};
    char *report = report_of(&sample, &a, &b, NULL);
    cr_assert(strstr(report, "    value: modified, [1] 2 and 5\n"));
    free(report);
    b = (struct sample){.values = 2, .value = one};
    report = report_of(&sample, &a, &b, NULL);
    cr_assert(strstr(report, "    value: modified, [2] 3 and none\n"));
    free(report);
}

Test(compare, objects_inside_are_gone_into_and_indented) {
    struct sample a = {.place = {1, 2}}, b = {.place = {1, 3}};
    cr_assert_eq(dps_compare(&sample, &a, &b, NULL, NULL), 1);
    char *report = report_of(&sample, &a, &b, NULL);
    cr_assert(strstr(report, "    place: modified\n        x: equal\n        y: modified, 2 and 3\n"));
    free(report);
}

Test(compare, null_differs_from_an_object_and_from_empty_text) {
    char empty[] = "";
    struct point there = {0, 0};
    struct sample a = {0}, b = {.text = empty}, c = {.reference = &there};
    cr_assert_eq(dps_compare(&sample, &a, &b, NULL, NULL), 1);
    cr_assert_eq(dps_compare(&sample, &a, &c, NULL, NULL), 1);
}

Test(compare, members_that_are_not_described_do_not_count) {
    struct sample a = {.secret = 1}, b = {.secret = 2};
    cr_assert_eq(dps_compare(&sample, &a, &b, NULL, NULL), 0);
}

/* Two numbers in either order. */
struct set {
    int32_t element[2];
};
static bool same_set(const void *a, const void *b) {
    const int32_t *x = ((const struct set *)a)->element, *y = ((const struct set *)b)->element;
    return (x[0] == y[0] && x[1] == y[1]) || (x[0] == y[1] && x[1] == y[0]);
}
static const struct dps_type set = DPS_TYPE_COMPARED_BY(same_set, "set", struct set, DPS_ITEMS(struct set, element));

Test(compare, a_type_may_say_itself_what_is_equal) {
    struct set a = {{1, 2}}, b = {{2, 1}}, c = {{2, 2}};
    cr_assert_eq(dps_compare(&set, &a, &b, NULL, NULL), 0);
    cr_assert_eq(dps_compare(&set, &a, &c, NULL, NULL), 1);
}
