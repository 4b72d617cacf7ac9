/* The set of names: what goes in comes out of narrow slots as of wide ones, whatever the names, the size, and the number of
 * workers. */
#include "explorer/containers/name_set.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <unistd.h>

static uint64_t make_name(uint64_t left, uint64_t right, unsigned kind) {
    return left << 34 | right << 4 | (uint64_t)kind << 2;
}

/* Some kinds of graphs. Name number `n` of each: all different, and none 0. */
static uint64_t dense(uint32_t n) { return make_name(n % 1000 + 1, n / 1000 + 1, n % 3); }
static uint64_t growing(uint32_t n) { return make_name(n + 1, n / 3 + 1, 0); } /* its numbers need more bits all the time */
static uint64_t scattered(uint32_t n) { return make_name((n * 2654435761u) >> 2, n + 1, 1); } /* all 30 bits: never narrow */
static uint64_t turning_large(uint32_t n) { return n < 50000 ? dense(n) : scattered(n); }

struct graph {
    uint64_t (*name)(uint32_t n);
    const char *text;
    double most_bytes; /* a name, when there are many */
};

/* A table grows by a quarter when it is 4/5 full, so it is at least 16/25 full: narrow ones take 6.25 bytes a name at most, wide
 * ones 12.5. Below, there is room for the wide slots that a few need. */
static const struct graph graphs[] = {
    {dense, "dense", 6.5},
    {growing, "growing", 8},
    {scattered, "scattered", 12.6},
    {turning_large, "turning large", 12.6},
};

enum { GRAPHS = sizeof graphs / sizeof *graphs, NAMES = 300000 };

static unsigned marks_of(uint32_t n) { return n % 5 == 0 ? 1 : n % 7 == 0 ? 3 : 0; }

static struct name_set *filled(const struct graph *graph, uint32_t names) {
    struct name_set *set = name_set_create();
    for (uint32_t n = 0; n < names; n++) {
        name_set_make_room(set, 1);
        cr_assert(name_set_add(set, graph->name(n)), "%s: %u is new", graph->text, n);
        if (marks_of(n))
            cr_assert_eq(name_set_mark(set, graph->name(n), marks_of(n)), 0);
    }
    return set;
}

static void check(const struct name_set *set, const struct graph *graph, uint32_t names) {
    cr_assert_eq(name_set_count(set), names);
    for (uint32_t n = 0; n < names; n++) {
        uint64_t name = graph->name(n);
        cr_assert(name_set_has(set, name), "%s: %u", graph->text, n);
        cr_assert_eq(name_set_marks(set, name), marks_of(n));
        cr_assert_eq(name_set_at(set, name_set_place(set, name)), name | marks_of(n));
    }
    for (uint32_t n = names; n < names + 1000; n++)
        cr_assert_not(name_set_has(set, graph->name(n)), "%s: %u was not added", graph->text, n);
}

Test(name_set, holds_names_and_marks_of_all_kinds_of_graphs) {
    for (size_t i = 0; i < GRAPHS; i++) {
        struct name_set *set = filled(&graphs[i], NAMES);
        check(set, &graphs[i], NAMES);
        double bytes = (double)name_set_memory(set) / NAMES;
        cr_assert_leq(bytes, graphs[i].most_bytes, "%s: %.2f bytes a name", graphs[i].text, bytes);
        name_set_destroy(set);
    }
}

Test(name_set, a_name_is_new_once) {
    for (size_t i = 0; i < GRAPHS; i++) {
        struct name_set *set = filled(&graphs[i], NAMES);
        for (uint32_t n = 0; n < NAMES; n++)
            cr_assert_not(name_set_add(set, graphs[i].name(n)));
        cr_assert_eq(name_set_count(set), NAMES);
        name_set_destroy(set);
    }
}

Test(name_set, walking_over_places_meets_each_name_once) {
    for (size_t i = 0; i < GRAPHS; i++) {
        struct name_set *set = filled(&graphs[i], NAMES);
        size_t met = 0;
        for (size_t place = 0; place < name_set_places(set); place++) {
            uint64_t name = name_set_at(set, place) & ~(uint64_t)NAME_MARKS;
            if (!name)
                continue;
            met++;
            cr_assert_eq(name_set_place(set, name), place);
        }
        cr_assert_eq(met, NAMES);
        name_set_destroy(set);
    }
}

Test(name_set, growth_is_known_before) {
    for (size_t i = 0; i < GRAPHS; i++) {
        struct name_set *set = name_set_create();
        for (uint32_t n = 0; n < NAMES; n++) {
            uint64_t before = name_set_memory(set), growth = name_set_growth(set, 100);
            bool had_room = name_set_has_room(set, 100);
            name_set_make_room(set, 100);
            cr_assert(name_set_has_room(set, 100));
            cr_assert_leq(name_set_memory(set), before + growth);
            cr_assert(!had_room || !growth);
            name_set_add(set, graphs[i].name(n));
        }
        name_set_destroy(set);
    }
}

Test(name_set, all_kinds_of_names_are_told_apart) {
    struct name_set *set = name_set_create();
    for (unsigned kind = 0; kind < 3; kind++)
        for (uint64_t left = 1; left < 100; left++)
            for (uint64_t right = 0; right < 100; right++) {
                name_set_make_room(set, 1);
                cr_assert(name_set_add(set, make_name(left, right, kind)));
            }
    cr_assert_eq(name_set_count(set), 3 * 99 * 100);
    name_set_destroy(set);
}

Test(name_set, a_file_holds_it) {
    for (size_t i = 0; i < GRAPHS; i++) {
        struct name_set *set = filled(&graphs[i], NAMES);
        FILE *file = tmpfile();
        name_set_save(set, file);
        rewind(file);
        struct name_set *read = name_set_read(file);
        cr_assert_not_null(read);
        check(read, &graphs[i], NAMES);
        cr_assert_eq(name_set_place(read, graphs[i].name(7)), name_set_place(set, graphs[i].name(7)));
        name_set_make_room(read, NAMES);
        check(read, &graphs[i], NAMES);
        rewind(file);
        cr_assert_eq(ftruncate(fileno(file), 1000), 0);
        cr_assert_null(name_set_read(file), "it ends too early");
        fclose(file);
        name_set_destroy(read);
        name_set_destroy(set);
    }
}

/* ---- several workers ---- */

enum { WORKERS = 4, ROUNDS = 8, SHARED = 40000 };

struct adder {
    struct name_set *set;
    const struct graph *graph;
    uint32_t first, names;
    unsigned number;
    size_t added, marked;
};

/* Each worker adds and marks all names, starting somewhere else. */
static void *add_all(void *argument) {
    struct adder *adder = argument;
    for (uint32_t i = 0; i < adder->names; i++) {
        uint64_t name = adder->graph->name(adder->first + (i + adder->number * 9973) % adder->names);
        adder->added += name_set_add(adder->set, name);
        adder->marked += !name_set_mark(adder->set, name, 1);
    }
    return NULL;
}

/* In rounds, between which room is made, so that some begin with narrow slots nearly full. */
Test(name_set, workers_at_once_add_and_mark_each_name_once) {
    for (size_t g = 0; g < GRAPHS; g++) {
        struct name_set *set = name_set_create();
        size_t added = 0, marked = 0;
        for (uint32_t round = 0; round < ROUNDS; round++) {
            struct adder adder[WORKERS];
            pthread_t thread[WORKERS];
            name_set_make_room(set, SHARED);
            for (unsigned i = 0; i < WORKERS; i++) {
                adder[i] = (struct adder){set, &graphs[g], round * SHARED, SHARED, i, 0, 0};
                cr_assert_eq(pthread_create(&thread[i], NULL, add_all, &adder[i]), 0);
            }
            for (unsigned i = 0; i < WORKERS; i++) {
                pthread_join(thread[i], NULL);
                added += adder[i].added;
                marked += adder[i].marked;
            }
        }
        cr_assert_eq(added, ROUNDS * SHARED, "%s: each name was new to one worker", graphs[g].text);
        cr_assert_eq(marked, ROUNDS * SHARED, "%s: each name was marked by one worker", graphs[g].text);
        cr_assert_eq(name_set_count(set), ROUNDS * SHARED);
        for (uint32_t n = 0; n < ROUNDS * SHARED; n++)
            cr_assert(name_set_has(set, graphs[g].name(n)));
        name_set_destroy(set);
    }
}
