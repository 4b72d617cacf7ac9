/* Comparing two objects member by member. */
#include "models/dps/members.h"

#include <math.h>
#include <string.h>

enum { INDENT = 4 };

struct comparison {
    struct dps_tolerance tolerance;
    FILE *report;
    int indent;
};

static size_t compare_objects(const struct comparison *comparison, const char *name, const struct dps_type *type, const void *a,
                              const void *b);

/* The same objects without a report. */
static size_t count_differences(const struct comparison *comparison, const struct dps_type *type, const void *a,
                                const void *b) {
    struct comparison silent = {comparison->tolerance, NULL, 0};
    return compare_objects(&silent, "", type, a, b);
}

static bool close_enough(double a, double b, double tolerance) { return fabs(a - b) <= tolerance || (isnan(a) && isnan(b)); }

static bool same_element(const struct comparison *comparison, const struct dps_member *member, const unsigned char *a,
                         const unsigned char *b, size_t size) {
    if (member->element == DPS_OBJECT)
        return count_differences(comparison, member->type, a, b) == 0;
    if (memcmp(a, b, size) == 0)
        return true;
    if (member->element == DPS_FLOAT && comparison->tolerance.of_float > 0)
        return close_enough(*(const float *)a, *(const float *)b, comparison->tolerance.of_float);
    if (member->element == DPS_DOUBLE && comparison->tolerance.of_double > 0)
        return close_enough(*(const double *)a, *(const double *)b, comparison->tolerance.of_double);
    return false;
}

/* Number of the first element that differs, or of the first that only one has; SIZE_MAX: none. */
static size_t first_difference(const struct comparison *comparison, const struct dps_member *member, struct elements a,
                               struct elements b) {
    size_t common = a.count < b.count ? a.count : b.count;
    for (size_t i = 0; i < common; i++)
        if (!same_element(comparison, member, a.at + i * a.size, b.at + i * b.size, a.size))
            return i;
    return a.count == b.count ? SIZE_MAX : common;
}

static void element_text(const struct dps_member *member, struct elements elements, size_t at, char *text, size_t size) {
    if (at < elements.count)
        member_value_text(member, elements.at + at * elements.size, text, size);
    else
        snprintf(text, size, "none");
}

static void report_member(const struct comparison *comparison, const struct dps_member *member, struct elements a,
                          struct elements b, size_t at) {
    char left[64], right[64];
    fprintf(comparison->report, "%*s%s: ", comparison->indent, "", member->name);
    if (at == SIZE_MAX) {
        fputs("equal\n", comparison->report);
        return;
    }
    element_text(member, a, at, left, sizeof left);
    element_text(member, b, at, right, sizeof right);
    fputs("modified, ", comparison->report);
    if (member->shape != DPS_ONE)
        fprintf(comparison->report, "[%zu] ", at);
    fprintf(comparison->report, "%s and %s\n", left, right);
}

/* A single object inside both is gone into; of lists the first different element is named. */
static bool goes_inside(const struct dps_member *member, struct elements a, struct elements b) {
    return member->element == DPS_OBJECT && a.count == 1 && b.count == 1;
}

static size_t compare_member(const struct comparison *comparison, const struct dps_member *member, const void *object_a,
                             const void *object_b) {
    struct elements a = member_elements(member, object_a), b = member_elements(member, object_b);
    if (goes_inside(member, a, b))
        return compare_objects(comparison, member->name, member->type, a.at, b.at);
    size_t at = first_difference(comparison, member, a, b);
    if (comparison->report)
        report_member(comparison, member, a, b, at);
    return at != SIZE_MAX;
}

static size_t compare_objects(const struct comparison *comparison, const char *name, const struct dps_type *type, const void *a,
                              const void *b) {
    if (type->equal) {
        bool equal = type->equal(a, b);
        if (comparison->report)
            fprintf(comparison->report, "%*s%s: %s\n", comparison->indent, "", name, equal ? "equal" : "modified");
        return !equal;
    }
    if (comparison->report)
        fprintf(comparison->report, "%*s%s: %s\n", comparison->indent, "", name,
                count_differences(comparison, type, a, b) ? "modified" : "equal");
    struct comparison inside = *comparison;
    inside.indent += INDENT;
    size_t different = 0;
    for (size_t i = 0; i < type->members; i++)
        different += compare_member(&inside, &type->member[i], a, b);
    return different;
}

size_t dps_compare(const struct dps_type *type, const void *a, const void *b, const struct dps_tolerance *tolerance,
                   FILE *report) {
    struct comparison comparison = {.report = report};
    if (tolerance)
        comparison.tolerance = *tolerance;
    return compare_objects(&comparison, type->name, type, a, b);
}
