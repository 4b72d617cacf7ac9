/* The reduction on toy models: ranks that own transitions and influence each other as a table says. */
#include "heuristics/reference_order.h"
#include "por/persistent.h"

#include <criterion/criterion.h>

enum { RANKS = 6, NOBODY_LEFT_OUT = RANKS };

/* influenced_by[r]: the ranks that influence r, as bits. */
struct toy {
    uint64_t influenced_by[RANKS], commutes_without;
    unsigned asked;
};

static void influences(void *context, unsigned rank, struct rank_set *set) {
    struct toy *toy = context;
    toy->asked++;
    set->word[0] |= toy->influenced_by[rank];
}

static struct transition real(uint16_t owner) { return (struct transition){.owner = owner, .partner = owner}; }

static struct transition optional(uint16_t owner) {
    return (struct transition){.owner = owner, .partner = owner, .optional = true};
}

static struct transition miss(uint16_t owner) { return (struct transition){.owner = owner, .partner = owner, .miss = true}; }

/* The owners' bits of the transitions chosen. */
static uint64_t owners_chosen(struct toy *toy, const struct transition *list, size_t count) {
    struct persistent *persistent = persistent_create(RANKS);
    uint32_t chosen[16];
    size_t taken = persistent_select(persistent, list, count, influences, NULL, toy, chosen);
    uint64_t owners = 0;
    for (size_t i = 0; i < taken; i++) {
        cr_assert(i == 0 || chosen[i - 1] < chosen[i]);
        owners |= 1u << list[chosen[i]].owner;
    }
    persistent_destroy(persistent);
    return owners;
}

Test(persistent, takes_the_independent_rank_with_fewest_transitions) {
    struct toy toy = {.influenced_by = {0}};
    struct transition list[] = {real(0), real(0), real(1), real(2), real(2)};
    cr_assert_eq(owners_chosen(&toy, list, 5), 1u << 1);
}

Test(persistent, closes_over_influences_of_influences) {
    struct toy toy = {.influenced_by = {[1] = 1u << 2, [2] = 1u << 3, [0] = 1u << 1}};
    struct transition list[] = {real(0), real(1), real(3), real(3), real(3), real(4), real(4), real(4), real(4), real(4)};
    /* 0 -> {0,1,2,3}: 5 transitions; 1 -> {1,2,3}: 4; 3: 3; 4: 5 */
    cr_assert_eq(owners_chosen(&toy, list, 10), 1u << 3);
    toy.influenced_by[3] = 1u << 1;
    cr_assert_eq(owners_chosen(&toy, list, 10), 1u << 1 | 1u << 3, "a cycle of three is one set with four transitions");
}

static struct transition calm(uint16_t owner) { return (struct transition){.owner = owner, .partner = owner, .calm = true}; }

/* Rank 5 serves; the second of its transitions commutes with the others unless the ranks of commutes_without move. */
static bool second_commutes(void *context, const struct transition *transition, struct rank_set *rivals, struct rank_set *set) {
    struct toy *toy = context;
    (void)rivals;
    set->word[0] |= toy->commutes_without;
    return transition->partner == 1;
}

static size_t chosen_of_server(struct toy *toy, uint32_t *chosen) {
    struct persistent *persistent = persistent_create(RANKS);
    struct transition list[] = {calm(5), calm(5), calm(5), real(2), real(2)};
    list[1].partner = 1;
    size_t taken = persistent_select(persistent, list, 5, influences, second_commutes, toy, chosen);
    persistent_destroy(persistent);
    return taken;
}

Test(persistent, takes_one_that_commutes_without_its_owners_others) {
    struct toy toy = {.influenced_by = {[2] = 1u << 5, [5] = 1u << 2}};
    uint32_t chosen[5];
    cr_assert_eq(chosen_of_server(&toy, chosen), 1);
    cr_assert_eq(chosen[0], 1);
}

Test(persistent, takes_with_it_what_it_does_not_commute_with) {
    struct toy toy = {.influenced_by = {[5] = 1u << 2, [3] = 1u << 2}, .commutes_without = 1u << 3};
    uint32_t chosen[5];
    toy.influenced_by[2] = 1u << 4; /* nobody who moves: two of rank 2's alone are fewer */
    cr_assert_eq(chosen_of_server(&toy, chosen), 2);
    cr_assert_eq(chosen[0], 3);
    toy.influenced_by[2] = 1u << 5; /* its owner: then none of the owner's can be left out */
    cr_assert_eq(chosen_of_server(&toy, chosen), 5);
    toy.influenced_by[3] = 0;
    cr_assert_eq(chosen_of_server(&toy, chosen), 1);
}

/* Rank 5 serves ranks 0 to 3: its transitions with 1 and 2 commute with all but each other, unless rank 4 moves; with 0 only if 3
 * comes later, which itself commutes with nothing. */
static bool pairs_commute(void *context, const struct transition *transition, struct rank_set *rivals, struct rank_set *set) {
    const struct toy *toy = context;
    const uint64_t rivals_of[] = {1u << 3, 1u << 2, 1u << 1, 0};
    rivals->word[0] |= rivals_of[transition->partner];
    set->word[0] |= transition->partner == 2 ? toy->commutes_without : 0;
    return transition->partner != 3;
}

static uint64_t partners_chosen_of_server(struct toy *toy, uint16_t left_out) {
    struct persistent *persistent = persistent_create(RANKS);
    struct transition list[5];
    uint32_t chosen[5];
    size_t count = 0;
    for (uint16_t partner = 0; partner < 4; partner++)
        if (partner != left_out) {
            list[count] = calm(5);
            list[count++].partner = partner;
        }
    list[count++] = optional(4);
    size_t taken = persistent_select(persistent, list, count, influences, pairs_commute, toy, chosen);
    uint64_t partners = 0;
    for (size_t i = 0; i < taken; i++)
        partners |= 1u << list[chosen[i]].partner;
    persistent_destroy(persistent);
    return partners;
}

Test(persistent, takes_those_together_that_do_not_commute_with_each_other) {
    struct toy toy = {.influenced_by = {[5] = 1u << 4}};
    cr_assert_eq(partners_chosen_of_server(&toy, NOBODY_LEFT_OUT), 1u << 1 | 1u << 2);
    toy.commutes_without = 1u << 4;
    cr_assert_eq(partners_chosen_of_server(&toy, NOBODY_LEFT_OUT), 1u << 1 | 1u << 2 | 1u << 4, "with what they need");
    toy.commutes_without = 1u << 1;
    cr_assert_eq(partners_chosen_of_server(&toy, NOBODY_LEFT_OUT), 1u << 1 | 1u << 2, "rank 1's own request comes first");
    toy.commutes_without = 1u << 0;
    toy.influenced_by[0] = 1u << 5;
    cr_assert_eq(partners_chosen_of_server(&toy, NOBODY_LEFT_OUT), 31, "who may come is influenced by the server itself");
}

Test(persistent, does_without_none_if_what_one_does_not_commute_with_is_not_there_yet) {
    struct toy toy = {.influenced_by = {[5] = 1u << 4}};
    cr_assert_eq(partners_chosen_of_server(&toy, 2), 1u << 0 | 1u << 1 | 1u << 3 | 1u << 4);
}

Test(persistent, takes_all_if_everybody_influences_everybody) {
    struct toy toy = {.influenced_by = {63, 63, 63, 63, 63, 63}};
    struct transition list[] = {real(0), optional(1), miss(2)};
    cr_assert_eq(owners_chosen(&toy, list, 3), 7);
    cr_assert_leq(toy.asked, RANKS, "once a rank");
}

Test(persistent, does_not_grow_from_an_optional_transition) {
    struct toy toy = {.influenced_by = {0}};
    struct transition list[] = {optional(0), real(1), real(1)};
    cr_assert_eq(owners_chosen(&toy, list, 3), 1u << 1);
}

Test(persistent, prefers_real_moves_to_misses) {
    struct toy toy = {.influenced_by = {0}};
    struct transition list[] = {miss(0), real(1), real(1)};
    cr_assert_eq(owners_chosen(&toy, list, 3), 1u << 1);
    struct transition only_misses[] = {miss(0), miss(1), optional(2)};
    cr_assert_eq(owners_chosen(&toy, only_misses, 3), 1u << 0);
}

/* ---- against brute force ----
 * Toy model: rank r has a script of moves, each "put a token for rank d" or "take a token that rank s put" or "choose". Puts are
 * always enabled, takes when a token is there; choosing doubles the outcome. Moves of different ranks commute, and a take
 * at which a rank waits is influenced by the rank it names. Ends and deadlocks must be the same with and without reduction. */

enum { SCRIPT = 4, WORLD = 3 };
enum move_kind { PUT, TAKE, CHOOSE, KINDS };

struct move {
    uint8_t kind, peer;
};

struct world {
    struct move script[WORLD][SCRIPT];
};

struct world_state {
    uint8_t at[WORLD], tokens[WORLD][WORLD], history[WORLD];
};

static struct move move_of(const struct world *world, const struct world_state *state, unsigned rank) {
    return world->script[rank][state->at[rank]];
}

static size_t world_transitions(const struct world *world, const struct world_state *state, struct transition *list) {
    size_t count = 0;
    for (uint16_t rank = 0; rank < WORLD; rank++) {
        if (state->at[rank] == SCRIPT)
            continue;
        struct move move = move_of(world, state, rank);
        if (move.kind == TAKE && !state->tokens[move.peer][rank])
            continue;
        list[count++] = real(rank);
        if (move.kind == CHOOSE) {
            list[count] = real(rank);
            list[count++].a = 1;
        }
    }
    return count;
}

static void world_take(const struct world *world, struct world_state *state, const struct transition *transition) {
    unsigned rank = transition->owner;
    struct move move = move_of(world, state, rank);
    if (move.kind == PUT)
        state->tokens[rank][move.peer]++;
    if (move.kind == TAKE)
        state->tokens[move.peer][rank]--;
    state->history[rank] = (uint8_t)(state->history[rank] * 2 + transition->a);
    state->at[rank]++;
}

struct world_view {
    const struct world *world;
    const struct world_state *state;
};

static void world_influences(void *context, unsigned rank, struct rank_set *set) {
    const struct world_view *view = context;
    if (view->state->at[rank] == SCRIPT)
        return;
    struct move move = move_of(view->world, view->state, rank);
    if (move.kind == TAKE && !view->state->tokens[move.peer][rank])
        rank_set_add(set, move.peer);
}

/* Ends reached, as a sum of numbers that tell them apart; each end once. */
struct ends {
    struct world_state seen[512];
    size_t count, visited;
};

static void explore(const struct world *world, const struct world_state *state, struct persistent *persistent,
                    struct ends *ends) {
    struct transition list[2 * WORLD];
    uint32_t chosen[2 * WORLD];
    size_t count = world_transitions(world, state, list), taken = count;
    ends->visited++;
    struct world_view view = {world, state};
    if (persistent)
        taken = persistent_select(persistent, list, count, world_influences, NULL, &view, chosen);
    for (size_t i = 0; i < taken; i++) {
        struct world_state next = *state;
        world_take(world, &next, &list[persistent ? chosen[i] : i]);
        explore(world, &next, persistent, ends);
    }
    if (count)
        return;
    for (size_t i = 0; i < ends->count; i++)
        if (!memcmp(&ends->seen[i], state, sizeof *state))
            return;
    cr_assert_lt(ends->count, 512);
    ends->seen[ends->count++] = *state;
}

static bool same_ends(const struct ends *a, const struct ends *b) {
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        bool found = false;
        for (size_t j = 0; j < b->count && !found; j++)
            found = !memcmp(&a->seen[i], &b->seen[j], sizeof a->seen[i]);
        if (!found)
            return false;
    }
    return true;
}

Test(persistent, keeps_every_end_and_deadlock_of_random_worlds) {
    struct persistent *persistent = persistent_create(WORLD);
    size_t visited = 0, visited_reduced = 0;
    uint32_t seed = 1;
    for (unsigned trial = 0; trial < 60; trial++) {
        struct world world;
        for (unsigned i = 0; i < WORLD * SCRIPT; i++) {
            seed = seed * 1664525u + 1013904223u;
            world.script[i / SCRIPT][i % SCRIPT] = (struct move){(seed >> 24) % KINDS, (seed >> 16) % WORLD};
        }
        static struct ends all, reduced;
        memset(&all, 0, sizeof all);
        memset(&reduced, 0, sizeof reduced);
        struct world_state start = {0};
        explore(&world, &start, NULL, &all);
        explore(&world, &start, persistent, &reduced);
        cr_assert(same_ends(&all, &reduced), "trial %u", trial);
        visited += all.visited;
        visited_reduced += reduced.visited;
    }
    cr_assert_lt(visited_reduced * 10, visited, "the reduction reduces: %zu of %zu", visited_reduced, visited);
    persistent_destroy(persistent);
}

Test(reference, is_the_first_real_move_then_the_first_optional_one) {
    struct transition list[] = {miss(0), optional(1), optional(2), real(3), real(4)};
    uint32_t all[] = {0, 1, 2, 3, 4}, some[] = {0, 2}, first[] = {0};
    cr_assert_eq(reference_default(list, all, 5), 3);
    cr_assert_eq(reference_default(list, some, 2), 2);
    cr_assert_eq(reference_default(list, first, 1), REFERENCE_NONE);
}
