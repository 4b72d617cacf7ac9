/* Which members of an object an operation reads and writes. */
#include "models/dps/observe.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct inner {
    uint32_t count;
    int32_t *value;
};
static const struct dps_type inner = DPS_TYPE("inner", struct inner, DPS_LIST(struct inner, value, count));

struct store {
    int64_t number;
    int64_t other;
    double table[4];
    uint32_t count;
    uint8_t *byte;
    struct inner inner;
    int64_t hidden; /* not described */
};
static const struct dps_type store =
    DPS_TYPE("store", struct store, DPS_ITEM(struct store, number), DPS_ITEM(struct store, other),
             DPS_ITEMS(struct store, table), DPS_LIST(struct store, byte, count), DPS_OBJECT_ITEM(struct store, inner, &inner));
enum { MEMBERS = 5 };

static struct store *object;
static volatile int64_t sink;

static void set_up(void) {
    object = calloc(1, sizeof *object);
    object->count = 100;
    object->byte = calloc(object->count, 1);
    object->inner.count = 3000; /* over several pages */
    object->inner.value = calloc(object->inner.count, sizeof *object->inner.value);
}
static void tear_down(void) {
    free(object->byte);
    free(object->inner.value);
    free(object);
}
TestSuite(observe, .init = set_up, .fini = tear_down);

/* "-r--w": a sign for each member. */
static void sees(void (*act)(struct store *of), const char *expected) {
    enum observed seen[MEMBERS] = {OBSERVED_NOT};
    char text[MEMBERS + 1] = "";
    cr_assert(observe_begin(&store, object, seen));
    act(object);
    observe_end();
    for (unsigned i = 0; i < MEMBERS; i++)
        text[i] = "-rw"[seen[i]];
    cr_assert_str_eq(text, expected);
}

static void nothing(struct store *of) { (void)of; }
static void reads_a_number(struct store *of) { sink = *(volatile int64_t *)&of->number; }
static void writes_what_is_there(struct store *of) { *(volatile int64_t *)&of->other = 0; }
static void adds_to_an_element(struct store *of) { *(volatile double *)&of->table[3] += 1; }
static void reads_through_a_pointer(struct store *of) { sink = *(volatile uint8_t *)&of->byte[99]; }
static void writes_what_a_part_points_to(struct store *of) { *(volatile int32_t *)&of->inner.value[2999] = 5; }
static void reads_what_is_hidden(struct store *of) { sink = *(volatile int64_t *)&of->hidden; }
static void allocates(struct store *of) {
    (void)of;
    void *volatile memory = malloc(200);
    free(memory);
}

Test(observe, nothing_is_accessed_by_doing_nothing) { sees(nothing, "-----"); }
Test(observe, a_read) { sees(reads_a_number, "r----"); }
Test(observe, a_write_is_one_even_if_it_changes_nothing) { sees(writes_what_is_there, "-w---"); }
Test(observe, a_read_and_a_write_is_a_write) { sees(adds_to_an_element, "--w--"); }
Test(observe, what_is_pointed_to_belongs_to_the_member) { sees(reads_through_a_pointer, "---r-"); }
Test(observe, members_of_members_are_the_outermost_ones) { sees(writes_what_a_part_points_to, "----w"); }
Test(observe, what_is_not_described_does_not_count) { sees(reads_what_is_hidden, "-----"); }
Test(observe, other_memory_on_the_same_pages_does_not_count) { sees(allocates, "-----"); }

/* One instruction of 16 bytes, if the compiler makes use of any. */
static void copies_both(struct store *of) {
    typedef int64_t pair __attribute__((vector_size(16), aligned(8), may_alias));
    pair both = *(volatile pair *)&of->number;
    sink = both[0] + both[1];
}
Test(observe, a_wide_access_counts_for_all_members_that_it_may_concern) { sees(copies_both, "rr---"); }

static void overwrites(struct store *of) { memset(of->byte, 1, of->count); }
Test(observe, an_observation_changes_nothing) {
    sees(overwrites, "---w-");
    for (uint32_t i = 0; i < object->count; i++)
        cr_assert_eq(object->byte[i], 1);
}

Test(observe, observations_add_up) {
    enum observed seen[MEMBERS] = {OBSERVED_NOT};
    for (int i = 0; i < 3; i++) {
        cr_assert(observe_begin(&store, object, seen));
        if (i == 0)
            writes_what_is_there(object);
        else
            sink = *(volatile int64_t *)&object->other;
        observe_end();
    }
    cr_assert_eq(seen[1], OBSERVED_WRITTEN);
    cr_assert_eq(seen[0], OBSERVED_NOT);
}
