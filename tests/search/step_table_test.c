/* Which steps are one. */
#include "explorer/steps/step_table_parts.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LOCAL = 7, PARTS = 3 };

static struct step_table *table;

static void begin(void) { table = step_table_create(NULL, NULL); }
static void end(void) { step_table_destroy(table); }
TestSuite(step_table, .init = begin, .fini = end);

/* The step that is told of a collective whose members have brought these. */
static uint32_t step_with(bool unordered, const char *const bytes[PARTS]) {
    char room[sizeof(struct resolution) + PARTS * sizeof(struct completion)] = {0};
    struct resolution *resolution = (struct resolution *)room;
    resolution->kind = WIRE_LEFT;
    resolution->completions = PARTS;
    for (uint32_t i = 0; i < PARTS; i++)
        resolution->completion[i] = (struct completion){.index = i,
                                                        .source = -1,
                                                        .tag = -1,
                                                        .with_data = 1,
                                                        .unordered = unordered,
                                                        .payload = step_table_payload(table, bytes[i], strlen(bytes[i]))};
    return step_table_step(table, LOCAL, resolution);
}

static const char *const some[PARTS] = {"a", "b", "c"}, *const exchanged[PARTS] = {"c", "a", "b"},
                         *const others[PARTS] = {"a", "b", "b"}, *const longer[PARTS] = {"aa", "b", "c"},
                         *const longer_later[PARTS] = {"b", "aa", "c"};

Test(step_table, who_brings_which_part_does_not_matter_to_an_unordered_collective) {
    cr_assert_eq(step_with(true, some), step_with(true, exchanged));
    const struct resolution *told = step_table_resolution(table, step_with(true, exchanged));
    for (uint32_t i = 0; i < PARTS; i++)
        cr_assert_eq(told->completion[i].index, i);
}

Test(step_table, what_is_brought_matters) { cr_assert_neq(step_with(true, some), step_with(true, others)); }

Test(step_table, who_brings_which_part_matters_else) { cr_assert_neq(step_with(false, some), step_with(false, exchanged)); }

Test(step_table, who_brings_a_part_of_another_size_matters) {
    cr_assert_neq(step_with(true, longer), step_with(true, longer_later));
}
