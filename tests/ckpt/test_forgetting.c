/* Blocks that are forgotten and put again, and which states keep their pages. */
#include "explorer/processes/kept_states.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct block_store *make(uint32_t block_size, uint32_t capacity) {
    void *map = mmap(NULL, block_store_bytes(block_size, capacity, KEEP_CONTENT), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(map, MAP_FAILED);
    return block_store_format(map, block_size, capacity, KEEP_CONTENT);
}

static uint32_t put(struct block_store *pages, uint32_t value) {
    static uint32_t content[PAGE_BYTES / 4];
    content[7] = value;
    return block_store_put(pages, content, block_name(content, PAGE_BYTES));
}

static bool reads(struct block_store *pages, uint32_t block, uint32_t value) {
    uint32_t content[PAGE_BYTES / 4];
    return block_store_read(pages, block, content) && content[7] == value;
}

/* --- the store ------------------------------------------------------------------------------------------------------- */

static const uint64_t none[64];

Test(forgetting, a_block_that_is_put_again_has_its_number_and_its_content_again) {
    struct block_store *pages = make(PAGE_BYTES, 1000);
    uint32_t a = put(pages, 1), b = put(pages, 2), count = block_store_count(pages);
    uint64_t used = block_store_content_bytes(pages);
    uint64_t keep[1] = {(uint64_t)1 << b};
    cr_assert_eq(block_store_forget(pages, keep, count, block_store_new_era(pages)), PAGE_BYTES);
    cr_assert_eq(block_store_forgotten(pages), 1);
    cr_assert_eq(block_store_content_bytes(pages), used - PAGE_BYTES);
    cr_assert(!block_store_has(pages, a) && block_store_has(pages, b) && block_store_has(pages, 0));
    cr_assert_not(reads(pages, a, 1), "what is gone is not taken for something else");
    cr_assert_eq(block_store_forget(pages, keep, count, block_store_new_era(pages)), 0, "once");
    cr_assert_eq(put(pages, 1), a);
    cr_assert_eq(block_store_count(pages), count);
    cr_assert_eq(block_store_forgotten(pages), 0);
    cr_assert(block_store_has(pages, a) && reads(pages, a, 1) && reads(pages, b, 2));
}

Test(forgetting, what_is_put_in_this_era_stays_be_it_new_or_known) {
    struct block_store *pages = make(PAGE_BYTES, 1000);
    uint32_t old = put(pages, 1), again = put(pages, 2), era = block_store_new_era(pages);
    uint32_t fresh = put(pages, 3);
    cr_assert_eq(put(pages, 2), again);
    cr_assert_eq(block_store_forget(pages, none, block_store_count(pages), era), PAGE_BYTES);
    cr_assert(!block_store_has(pages, old) && block_store_has(pages, again) && block_store_has(pages, fresh));
    cr_assert_eq(block_store_forget(pages, none, block_store_count(pages), block_store_new_era(pages)), 2 * PAGE_BYTES);
}

Test(forgetting, many_blocks_in_a_row_go_and_come_back_one_by_one) {
    enum { MANY = 3000 };
    struct block_store *pages = make(PAGE_BYTES, MANY + 1);
    uint64_t keep[MANY / 64 + 1] = {0};
    for (uint32_t i = 1; i <= MANY; i++)
        cr_assert_eq(put(pages, i), i);
    for (uint32_t i = 1000; i < 1100; i++)
        keep[i / 64] |= (uint64_t)1 << i % 64;
    uint32_t era = block_store_new_era(pages);
    cr_assert_eq(block_store_forget(pages, keep, MANY + 1, era), (uint64_t)(MANY - 100) * PAGE_BYTES);
    for (uint32_t i = 1; i <= MANY; i++)
        cr_assert_eq(block_store_has(pages, i), i >= 1000 && i < 1100);
    cr_assert_eq(put(pages, 600), 600, "in the middle of what is gone");
    cr_assert_eq(block_store_forget(pages, none, MANY + 1, era), 100 * PAGE_BYTES, "not of the last era");
    cr_assert(reads(pages, 600, 600));
    cr_assert_eq(block_store_forgotten(pages), MANY - 1);
}

/* While blocks are forgotten all the time, four processes put them; what they have put since the last era is there. */
Test(forgetting, what_others_put_meanwhile_is_there) {
    enum { CONTENTS = 300, PROCESSES = 4, ROUNDS = 300 };
    struct block_store *pages = make(PAGE_BYTES, CONTENTS * (PROCESSES + 1));
    for (uint32_t i = 1; i <= CONTENTS; i++)
        put(pages, i);
    const uint32_t begun_in = block_store_new_era(pages);
    pid_t child[PROCESSES];
    for (uint32_t process = 0; process < PROCESSES; process++)
        if ((child[process] = fork()) == 0) {
            for (uint32_t i = 0; i < CONTENTS; i++) {
                uint32_t which = (i * 7 + process * 75) % CONTENTS + 1;
                if (put(pages, which) != which || !block_store_has(pages, which) || !reads(pages, which, which))
                    _exit(1);
            }
            _exit(0);
        }
    for (int i = 0; i < ROUNDS; i++) {
        block_store_forget(pages, none, block_store_count(pages), begun_in);
        block_store_new_era(pages);
    }
    for (int process = 0; process < PROCESSES; process++) {
        int status;
        cr_assert_eq(waitpid(child[process], &status, 0), child[process]);
        cr_assert_eq(status, 0);
    }
    for (uint32_t i = 1; i <= CONTENTS; i++)
        cr_assert(reads(pages, i, i));
    cr_assert_eq(block_store_forgotten(pages), 0);
}

/* --- states ---------------------------------------------------------------------------------------------------------- */

struct world {
    struct block_store *pages, *nodes;
    struct page_marks marks;
};

static struct world world(void) {
    struct world world = {make(PAGE_BYTES, 10000), make(TREE_NODE_BYTES, 10000), {0}};
    world.marks = page_marks_of(world.pages, world.nodes);
    return world;
}

/* A state whose `count` pages from `from` on hold `value` and the numbers after it. */
static uint32_t tree_with(struct world *world, uint32_t root, uint32_t from, uint32_t count, uint32_t value) {
    struct page_change change[4096];
    for (uint32_t i = 0; i < count; i++)
        change[i] = (struct page_change){from + i, put(world->pages, value + i)};
    root = page_tree_update(world->nodes, root, change, count);
    cr_assert(root < TREE_DAMAGED);
    return root;
}

static struct kept_state state(uint32_t image, uint32_t used, bool must) {
    return (struct kept_state){.image = image, .log = BLOCK_NONE, .used = used, .must = must};
}

static uint64_t choose(struct world *world, struct kept_state *list, size_t count, uint64_t pages) {
    return kept_states_choose(&world->marks, list, count, pages * PAGE_BYTES, block_store_new_era(world->pages)) / PAGE_BYTES;
}

Test(kept_states, those_used_last_are_kept_as_far_as_there_is_room) {
    struct world w = world();
    uint32_t a = tree_with(&w, 0, 5, 100, 1000), b = tree_with(&w, 0, 5, 100, 2000), c = tree_with(&w, 0, 5, 100, 3000);
    struct kept_state list[] = {state(a, 3, false), state(b, 1, false), state(c, 2, false)};
    cr_assert(page_marks_whole(&w.marks, b));
    cr_assert_eq(choose(&w, list, 3, 150), 100);
    cr_assert(page_marks_whole(&w.marks, a) && page_marks_whole(&w.marks, c));
    cr_assert_not(page_marks_whole(&w.marks, b));
    tree_with(&w, 0, 5, 100, 2000); /* the same again */
    cr_assert(page_marks_whole(&w.marks, b));
}

Test(kept_states, one_that_must_be_kept_is_however_old_and_first_of_all) {
    struct world w = world();
    uint32_t old = tree_with(&w, 0, 5, 100, 1000), newer = tree_with(&w, 0, 5, 100, 2000),
             newest = tree_with(&w, 0, 5, 100, 3000);
    struct kept_state list[] = {state(newer, 2, false), state(newest, 3, false), state(old, 0, true)};
    cr_assert_eq(choose(&w, list, 3, 150), 100);
    cr_assert(page_marks_whole(&w.marks, old) && page_marks_whole(&w.marks, newest));
    cr_assert_not(page_marks_whole(&w.marks, newer));
    struct kept_state both[] = {state(old, 0, true), state(newest, 0, true)};
    cr_assert_eq(choose(&w, both, 2, 0), 0, "even where there is no room");
}

Test(kept_states, pages_that_a_kept_state_shares_with_others_stay) {
    struct world w = world();
    uint32_t parent = tree_with(&w, 0, 0, 4000, 10000), child = tree_with(&w, parent, 100, 10, 20000);
    struct kept_state list[] = {state(child, 2, false), state(parent, 1, false)};
    cr_assert_eq(choose(&w, list, 2, 1), 10, "those that the child wrote over");
    cr_assert(page_marks_whole(&w.marks, child));
    cr_assert_not(page_marks_whole(&w.marks, parent));
}

Test(kept_states, one_that_is_not_whole_any_more_takes_no_room) {
    struct world w = world();
    uint32_t gone = tree_with(&w, 0, 0, 100, 1000), stays = tree_with(&w, 0, 0, 50, 1000);
    struct kept_state first[] = {state(stays, 1, true)};
    cr_assert_eq(choose(&w, first, 1, 0), 50);
    uint32_t other = tree_with(&w, 0, 0, 100, 5000);
    struct kept_state list[] = {state(gone, 3, false), state(other, 2, false), state(stays, 1, false)};
    cr_assert_eq(choose(&w, list, 3, 100), 50, "what is left of the one used last");
    cr_assert(page_marks_whole(&w.marks, other));
    cr_assert_not(page_marks_whole(&w.marks, stays));
}

Test(kept_states, the_log_of_a_state_goes_with_it) {
    struct world w = world();
    uint32_t image = tree_with(&w, 0, 0, 10, 1000), log = tree_with(&w, 0, 0, 10, 2000), other = tree_with(&w, 0, 0, 10, 3000);
    struct kept_state list[] = {{.image = image, .log = log, .used = 2}, state(other, 1, false)};
    cr_assert_eq(choose(&w, list, 2, 15), 10);
    cr_assert(page_marks_whole(&w.marks, image) && page_marks_whole(&w.marks, log));
    cr_assert(page_marks_whole(&w.marks, BLOCK_NONE));
    cr_assert_not(page_marks_whole(&w.marks, other));
}
