/* The set of global states: what goes in comes out, whatever the tree, the size, and the number of workers. */
#include "explorer/search/state_set.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

/* State number `n` of some: all different, as the first two components hold n. */
static void make_state(uint32_t n, unsigned ranks, uint32_t *state) {
    for (unsigned rank = 0; rank < ranks; rank++)
        state[rank] = rank == 0 ? n % 1000 : rank == 1 ? n / 1000 : n * 2654435761u >> (20 + rank % 8);
}

static bool add(struct state_set *set, struct state_cache *cache, const uint32_t *state, enum state_kind kind) {
    state_set_make_room(set, 1);
    return state_set_add(set, state_set_name(set, cache, state, kind));
}

static void check_contents(struct state_set *set, unsigned ranks, uint32_t states) {
    struct state_cache *cache = state_cache_create(ranks), *other = state_cache_create(ranks);
    uint32_t *state = calloc(ranks, sizeof *state), *loaded = calloc(ranks, sizeof *loaded);
    for (uint32_t n = 0; n < states; n++) {
        make_state(n, ranks, state);
        state_name name = state_set_find(set, cache, state, STATE_QUIET);
        cr_assert_neq(name, STATE_NONE, "state %u of %u ranks", n, ranks);
        state_set_load(set, other, name, loaded);
        cr_assert_arr_eq(state, loaded, ranks * sizeof *state);
    }
    free(state);
    free(loaded);
    state_cache_destroy(cache);
    state_cache_destroy(other);
}

Test(state_set, gives_back_what_it_was_given) {
    for (unsigned ranks = 2; ranks <= 70; ranks = ranks * 3 / 2 + 1) {
        struct state_set *set = state_set_create(ranks);
        struct state_cache *cache = state_cache_create(ranks);
        uint32_t *state = calloc(ranks, sizeof *state);
        for (uint32_t n = 0; n < 20000; n++) {
            make_state(n, ranks, state);
            cr_assert(add(set, cache, state, STATE_QUIET));
            cr_assert_not(add(set, cache, state, STATE_QUIET), "it is there now");
        }
        cr_assert_eq(state_set_count(set), 20000);
        check_contents(set, ranks, 20000);
        free(state);
        state_cache_destroy(cache);
        state_set_destroy(set);
    }
}

Test(state_set, growing_in_place_loses_neither_states_nor_marks) {
    enum { RANKS = 4, STATES = 100000 };
    struct state_set *set = state_set_create(RANKS);
    struct state_cache *cache = state_cache_create(RANKS);
    uint32_t state[RANKS];
    unsigned grown = 0;
    for (uint32_t n = 0; n < STATES; n++) {
        size_t places = state_set_places(set);
        uint64_t before = state_set_memory(set), growth = state_set_growth(set, 1);
        state_set_make_room(set, 1);
        grown += state_set_places(set) > places;
        cr_assert_leq(state_set_memory(set), before + growth, "growth is known before");
        make_state(n, RANKS, state);
        state_name name = state_set_name(set, cache, state, STATE_QUIET);
        cr_assert(state_set_add(set, name));
        if (n % 3 == 0)
            state_set_mark(set, name, STATE_EXPANDED);
    }
    cr_assert_gt(grown, 10);
    check_contents(set, RANKS, STATES);
    for (uint32_t n = 0; n < STATES; n++) {
        make_state(n, RANKS, state);
        state_name name = state_set_find(set, cache, state, STATE_QUIET);
        cr_assert_eq(state_set_has_mark(set, name, STATE_EXPANDED), n % 3 == 0);
        cr_assert_eq(state_set_at(set, state_set_place(set, name)), name);
    }
    state_cache_destroy(cache);
    state_set_destroy(set);
}

Test(state_set, one_rank_has_no_tree) {
    struct state_set *set = state_set_create(1);
    struct state_cache *cache = state_cache_create(1);
    for (uint32_t n = 0; n < 100; n++)
        cr_assert(add(set, cache, &n, STATE_QUIET));
    uint32_t n = 37, loaded;
    state_set_load(set, cache, state_set_find(set, cache, &n, STATE_QUIET), &loaded);
    cr_assert_eq(loaded, 37);
    state_cache_destroy(cache);
    state_set_destroy(set);
}

Test(state_set, kinds_and_marks_are_kept_apart) {
    struct state_set *set = state_set_create(3);
    struct state_cache *cache = state_cache_create(3);
    uint32_t state[3] = {5, 6, 7};
    state_name quiet = state_set_name(set, cache, state, STATE_QUIET), fault = state_set_name(set, cache, state, STATE_FAULT);
    cr_assert(state_set_add(set, quiet));
    cr_assert_eq(state_set_find(set, cache, state, STATE_FAULT), STATE_NONE);
    cr_assert(state_set_add(set, fault));
    cr_assert_eq(state_kind(fault), STATE_FAULT);
    cr_assert(state_set_mark(set, quiet, STATE_EXPANDED));
    cr_assert_not(state_set_mark(set, quiet, STATE_EXPANDED), "only the first one sets it");
    cr_assert_not(state_set_has_mark(set, quiet, STATE_COMPLETE));
    cr_assert_not(state_set_has_mark(set, fault, STATE_EXPANDED));
    cr_assert_not(state_set_add(set, quiet), "a mark does not make it another state");
    state_cache_destroy(cache);
    state_set_destroy(set);
}

Test(state_set, another_tree_holds_the_same_states_and_marks) {
    enum { RANKS = 9, STATES = 5000 };
    struct state_set *set = state_set_create(RANKS);
    struct state_cache *cache = state_cache_create(RANKS);
    uint32_t state[RANKS];
    for (uint32_t n = 0; n < STATES; n++) {
        make_state(n, RANKS, state);
        add(set, cache, state, STATE_QUIET);
        if (n % 3 == 0)
            state_set_mark(set, state_set_find(set, cache, state, STATE_QUIET), STATE_EXPANDED);
    }
    struct state_set *reshaped = state_set_reshaped(set);
    cr_assert_eq(state_set_count(reshaped), STATES);
    check_contents(reshaped, RANKS, STATES);
    struct state_cache *fresh = state_cache_create(RANKS);
    for (uint32_t n = 0; n < STATES; n++) {
        make_state(n, RANKS, state);
        cr_assert_eq(state_set_has_mark(reshaped, state_set_find(reshaped, fresh, state, STATE_QUIET), STATE_EXPANDED),
                     n % 3 == 0);
    }
    state_cache_destroy(fresh);
    state_cache_destroy(cache);
    state_set_destroy(reshaped);
    state_set_destroy(set);
}

/* ---- several workers ---- */

enum { WORKERS = 4, SHARED_RANKS = 12, SHARED_STATES = 40000 };

struct adder {
    struct state_set *set;
    unsigned number;
    size_t added;
};

/* Each worker adds all states, starting somewhere else. */
static void *add_all(void *argument) {
    struct adder *adder = argument;
    struct state_cache *cache = state_cache_create(SHARED_RANKS);
    uint32_t state[SHARED_RANKS];
    for (uint32_t i = 0; i < SHARED_STATES; i++) {
        make_state((i + adder->number * 9973) % SHARED_STATES, SHARED_RANKS, state);
        adder->added += state_set_add(adder->set, state_set_name(adder->set, cache, state, STATE_QUIET));
    }
    state_cache_destroy(cache);
    return NULL;
}

Test(state_set, workers_at_once_add_each_state_once) {
    struct state_set *set = state_set_create(SHARED_RANKS);
    struct adder adder[WORKERS];
    pthread_t thread[WORKERS];
    size_t added = 0;
    state_set_make_room(set, WORKERS * SHARED_STATES);
    for (unsigned i = 0; i < WORKERS; i++) {
        adder[i] = (struct adder){set, i, 0};
        cr_assert_eq(pthread_create(&thread[i], NULL, add_all, &adder[i]), 0);
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        pthread_join(thread[i], NULL);
        added += adder[i].added;
    }
    cr_assert_eq(added, SHARED_STATES, "each state was new to one worker");
    cr_assert_eq(state_set_count(set), SHARED_STATES);
    state_set_make_room(set, 4 * SHARED_STATES); /* what was reserved in vain is not found */
    check_contents(set, SHARED_RANKS, SHARED_STATES);
    state_set_destroy(set);
}
