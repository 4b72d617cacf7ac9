/* The binary form: what is written is read again, and nothing else is accepted. */
#include "tests/dps/samples.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static int16_t value[3] = {1, -2, 3};
static char text[] = "hello";
static struct point points[2] = {{7, 8}, {9, 10}}, other = {11, 12};

static void *written(const struct dps_type *type, const void *object, size_t *size) {
    *size = dps_size(type, object);
    void *bytes = malloc(*size);
    dps_write(type, object, bytes);
    return bytes;
}

Test(serialise, an_object_of_all_shapes_comes_back_the_same) {
    struct sample before = filled_sample(value, text, points, &other), after;
    size_t size;
    void *bytes = written(&sample, &before, &size);
    cr_assert(dps_read(&sample, &after, bytes, size));
    cr_assert_eq(dps_compare(&sample, &before, &after, NULL, NULL), 0);
    cr_assert_neq(after.value, before.value, "what is pointed to is copied");
    cr_assert_str_eq(after.text, "hello");
    cr_assert_eq(after.secret, 0, "members that are not described are not sent");
    dps_release(&sample, &after);
    cr_assert_null(after.value);
    free(bytes);
}

/* int8 1, bool 1, 3 letters, uint64 8; a count of 4 bytes and 3 int16; a count and "hello" with its zero; 12 bytes a point:
 * place, 2 corners; a count and 2 points; a count and the one referred to. No padding. */
Test(serialise, the_size_is_that_of_the_members_without_padding) {
    struct sample object = filled_sample(value, text, points, &other);
    cr_assert_eq(dps_size(&sample, &object), 1 + 1 + 3 + 8 + (4 + 6) + (4 + 6) + 12 + 24 + (4 + 24) + (4 + 12));
}

Test(serialise, null_and_empty_lists_come_back_as_null) {
    struct sample before = {0}, after;
    size_t size;
    void *bytes = written(&sample, &before, &size);
    cr_assert(dps_read(&sample, &after, bytes, size));
    cr_assert_null(after.value);
    cr_assert_null(after.text);
    cr_assert_null(after.point);
    cr_assert_null(after.reference);
    free(bytes);
}

Test(serialise, trees_are_followed) {
    struct tree leaf = {3, NULL, NULL}, left = {2, &leaf, NULL}, root = {1, &left, &leaf}, copy;
    size_t size;
    void *bytes = written(&tree, &root, &size);
    cr_assert(dps_read(&tree, &copy, bytes, size));
    cr_assert_eq(copy.left->left->value, 3);
    cr_assert_eq(copy.right->value, 3);
    cr_assert_null(copy.right->left);
    dps_release(&tree, &copy);
    free(bytes);
}

Test(serialise, every_shorter_and_longer_form_is_refused) {
    struct sample before = filled_sample(value, text, points, &other), after;
    size_t size;
    unsigned char *bytes = written(&sample, &before, &size);
    for (size_t shorter = 0; shorter < size; shorter++) {
        unsigned char *part = malloc(shorter ? shorter : 1);
        memcpy(part, bytes, shorter);
        cr_assert_not(dps_read(&sample, &after, part, shorter), "%zu bytes", shorter);
        free(part);
    }
    bytes = realloc(bytes, size + 1);
    bytes[size] = 0;
    cr_assert_not(dps_read(&sample, &after, bytes, size + 1));
    free(bytes);
}

/* Each byte in turn is set to 255: the object is either read (some value is another one) or refused, and nothing leaks or
 * overflows (the sanitizers see that). */
Test(serialise, damaged_forms_are_read_or_refused) {
    struct sample before = filled_sample(value, text, points, &other), after;
    size_t size;
    unsigned char *bytes = written(&sample, &before, &size);
    for (size_t at = 5; at < size; at++) { /* after the bool and the letters, which take any value */
        unsigned char kept = bytes[at];
        bytes[at] = 255;
        if (dps_read(&sample, &after, bytes, size))
            dps_release(&sample, &after);
        bytes[at] = kept;
    }
    free(bytes);
}

Test(serialise, text_without_its_end_is_refused) {
    struct sample before = {.text = text}, after;
    size_t size;
    unsigned char *bytes = written(&sample, &before, &size);
    unsigned char *end = memmem(bytes, size, "hello", 6);
    end[5] = 'o';
    cr_assert_not(dps_read(&sample, &after, bytes, size));
    free(bytes);
}

Test(serialise, the_text_form_names_members_types_and_values) {
    struct sample object = filled_sample(value, text, points, NULL);
    char *got;
    size_t size;
    FILE *file = open_memstream(&got, &size);
    dps_write_text(&sample, &object, file);
    fclose(file);
    cr_assert_str_eq(got, "sample\n"
                          "    small: int8 -5\n"
                          "    flag: bool true\n"
                          "    letter: char[3] 'a' 'b' 'c'\n"
                          "    large: uint64 1152921504606846976\n"
                          "    value: int16[3] 1 -2 3\n"
                          "    text: char \"hello\"\n"
                          "    place: point\n"
                          "        x: double 1.5\n"
                          "        y: float 2.5\n"
                          "    corner: point[2]\n"
                          "        [0]\n"
                          "            x: double 3\n"
                          "            y: float 4\n"
                          "        [1]\n"
                          "            x: double 5\n"
                          "            y: float 6\n"
                          "    point: point[2]\n"
                          "        [0]\n"
                          "            x: double 7\n"
                          "            y: float 8\n"
                          "        [1]\n"
                          "            x: double 9\n"
                          "            y: float 10\n"
                          "    reference: point null\n");
    free(got);
}

Test(serialise, text_stays_in_its_line) {
    char lines[] = "say \"no\"\n\\ and\ttab";
    struct sample object = {.text = lines};
    char *got;
    size_t size;
    FILE *file = open_memstream(&got, &size);
    dps_write_text(&sample, &object, file);
    fclose(file);
    cr_assert(strstr(got, "\n    text: char \"say \\\"no\\\"\\012\\\\ and\\011tab\"\n"), "%s", got);
    free(got);
}

/* Two lists of one length. */
struct pairs {
    uint32_t count;
    int32_t *key;
    double *weight;
};
static const struct dps_type pairs =
    DPS_TYPE("pairs", struct pairs, DPS_LIST(struct pairs, key, count), DPS_LIST(struct pairs, weight, count));

Test(serialise, lists_that_share_their_length_come_back) {
    for (uint32_t count = 0; count <= 2; count++) {
        struct pairs before = {count, (int32_t[]){4, 5}, (double[]){0.5, 1.5}}, after;
        size_t size;
        unsigned char *bytes = written(&pairs, &before, &size);
        cr_assert(dps_read(&pairs, &after, bytes, size));
        cr_assert_eq(after.count, count);
        cr_assert_eq(dps_compare(&pairs, &before, &after, NULL, NULL), 0);
        dps_release(&pairs, &after);
        free(bytes);
    }
}

/* Read, one of them would be shorter than the object says. */
Test(serialise, lists_that_share_their_length_and_differ_in_it_are_refused) {
    for (uint32_t keys = 0; keys <= 2; keys++)
        for (uint32_t weights = 0; weights <= 2; weights++) {
            unsigned char bytes[64] = {0};
            struct pairs after;
            memcpy(bytes, &keys, sizeof keys);
            memcpy(bytes + 4 + 4 * keys, &weights, sizeof weights);
            cr_assert_eq(dps_read(&pairs, &after, bytes, 8 + 4 * keys + 8 * weights), keys == weights);
            if (keys == weights)
                dps_release(&pairs, &after);
        }
}
