/* Described types that the tests share. */
#ifndef TESTS_DPS_SAMPLES_H
#define TESTS_DPS_SAMPLES_H

#include "models/dps/dps.h"

struct point {
    double x;
    float y;
};
static const struct dps_type point = DPS_TYPE("point", struct point, DPS_ITEM(struct point, x), DPS_ITEM(struct point, y));

/* One member of each shape. `secret` is not described. */
struct sample {
    int8_t small;
    bool flag;
    char letter[3];
    uint64_t large;
    uint32_t values, points;
    int16_t *value;
    char *text;
    struct point place;
    struct point corner[2];
    struct point *point;
    struct point *reference;
    int secret;
};
static const struct dps_type sample = DPS_TYPE(
    "sample", struct sample, DPS_ITEM(struct sample, small), DPS_ITEM(struct sample, flag), DPS_ITEMS(struct sample, letter),
    DPS_ITEM(struct sample, large), DPS_LIST(struct sample, value, values), DPS_TEXT(struct sample, text),
    DPS_OBJECT_ITEM(struct sample, place, &point), DPS_OBJECT_ITEMS(struct sample, corner, &point),
    DPS_OBJECT_LIST(struct sample, point, points, &point), DPS_OBJECT_REFERENCE(struct sample, reference, &point));

/* A type that refers to itself. */
struct tree {
    int32_t value;
    struct tree *left, *right;
};
static const struct dps_type tree =
    DPS_TYPE("tree", struct tree, DPS_ITEM(struct tree, value), DPS_OBJECT_REFERENCE(struct tree, left, &tree),
             DPS_OBJECT_REFERENCE(struct tree, right, &tree));

/* With other storage behind it, for what may be changed: the caller's arrays must outlive it. */
static inline struct sample filled_sample(int16_t value[3], char *text, struct point points[2], struct point *reference) {
    return (struct sample){.small = -5,
                           .flag = true,
                           .letter = {'a', 'b', 'c'},
                           .large = 1ull << 60,
                           .values = 3,
                           .points = 2,
                           .value = value,
                           .text = text,
                           .place = {1.5, 2.5f},
                           .corner = {{3, 4}, {5, 6}},
                           .point = points,
                           .reference = reference,
                           .secret = 42};
}

#endif
