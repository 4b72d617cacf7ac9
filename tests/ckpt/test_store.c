#include "ckpt/block_store.h"
#include "ckpt/page_tree.h"

#define XXH_INLINE_ALL /* here without AVX2 */
#include <xxhash.h>

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *region(size_t bytes) {
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(map, MAP_FAILED);
    return map;
}

static struct block_store *make(uint32_t block_size, uint32_t capacity) {
    return block_store_format(region(block_store_bytes(block_size, capacity, KEEP_CONTENT)), block_size, capacity,
                              KEEP_CONTENT);
}

static uint32_t put(struct block_store *store, const void *content, size_t size) {
    return block_store_put(store, content, block_name(content, size));
}

Test(block_store, equal_content_has_one_number_and_different_content_two) {
    struct block_store *store = make(256, 100);
    char a[256] = "a", b[256] = "b", again[256] = "a";
    uint32_t first = put(store, a, 256), second = put(store, b, 256);
    cr_assert_neq(first, second);
    cr_assert_eq(put(store, again, 256), first);
    cr_assert_arr_eq(block_store_get(store, second), b, 256);
}

Test(block_store, the_block_of_zeros_is_number_zero) {
    struct block_store *store = make(256, 100);
    char zeros[256] = {0};
    cr_assert_eq(put(store, zeros, 256), 0);
    cr_assert_eq(block_store_count(store), 1);
}

Test(block_store, blocks_put_back_have_the_numbers_they_had_and_are_found_by_content) {
    struct block_store *store = make(256, 10);
    char a[256] = "a", b[256] = "b", c[256] = "c", read[256];
    cr_assert(block_store_restore(store, 7, a)); /* in any order, and with gaps */
    cr_assert(block_store_restore(store, 3, b));
    cr_assert_eq(put(store, a, 256), 7);
    cr_assert_eq(put(store, b, 256), 3);
    cr_assert_eq(put(store, c, 256), 8, "new ones come after all of them");
    cr_assert(block_store_read(store, 3, read));
    cr_assert_arr_eq(read, b, 256);
    cr_assert_not(block_store_read(store, 5, read), "a gap is no block");
    cr_assert_not(block_store_restore(store, 10, c), "there is no room for it");
}

Test(block_store, a_full_store_says_so_and_still_finds_what_it_has) {
    struct block_store *store = make(256, 3); /* zeros and two more */
    char block[256] = {0};
    for (int i = 1; i <= 2; i++) {
        block[0] = (char)i;
        cr_assert_eq(put(store, block, 256), (uint32_t)i);
    }
    block[0] = 3;
    cr_assert_eq(put(store, block, 256), BLOCK_NONE);
    block[0] = 1;
    cr_assert_eq(put(store, block, 256), 1);
}

/* Four processes put the same 2000 contents in different orders: whoever is first, each content keeps one number. */
Test(block_store, processes_that_insert_at_once_agree_on_numbers) {
    enum { CONTENTS = 2000, PROCESSES = 4 };
    struct block_store *store = make(64, 4 * CONTENTS + 1);
    uint32_t(*number)[CONTENTS] = region(sizeof(uint32_t[PROCESSES][CONTENTS]));
    for (int process = 0; process < PROCESSES; process++)
        if (fork() == 0) {
            for (uint32_t i = 0; i < CONTENTS; i++) {
                uint32_t which = (i * 7 + (uint32_t)process * 500) % CONTENTS;
                uint32_t block[16] = {which + 1};
                number[process][which] = put(store, block, 64);
            }
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    for (int process = 1; process < PROCESSES; process++)
        cr_assert_arr_eq(number[process], number[0], sizeof number[0]);
}

Test(page_tree, images_with_equal_pages_have_equal_roots_whatever_the_order_of_changes) {
    struct block_store *nodes = make(TREE_NODE_BYTES, 1000);
    struct page_change both[] = {{3, 30}, {70000, 31}}, first[] = {{70000, 31}}, then[] = {{3, 30}};
    uint32_t at_once = page_tree_update(nodes, 0, both, 2);
    uint32_t one_by_one = page_tree_update(nodes, page_tree_update(nodes, 0, first, 1), then, 1);
    cr_assert_eq(at_once, one_by_one);
    cr_assert_eq(page_tree_find(nodes, at_once, 70000), 31);
    cr_assert_eq(page_tree_find(nodes, at_once, 4), 0);
}

Test(page_tree, undoing_a_change_gives_the_old_root) {
    struct block_store *nodes = make(TREE_NODE_BYTES, 1000);
    struct page_change set[] = {{5, 9}}, clear[] = {{5, 0}};
    cr_assert_eq(page_tree_update(nodes, page_tree_update(nodes, 0, set, 1), clear, 1), 0);
}

struct seen {
    uint32_t index[8], page[8];
    size_t count;
};
static void see(void *context, uint32_t index, uint32_t page) {
    struct seen *seen = context;
    seen->index[seen->count] = index;
    seen->page[seen->count++] = page;
}

Test(page_tree, difference_visits_exactly_the_pages_that_differ_in_ascending_order) {
    struct block_store *nodes = make(TREE_NODE_BYTES, 1000);
    struct page_change a[] = {{1, 11}, {64, 12}, {5000000, 13}}, b[] = {{1, 11}, {64, 99}, {900000, 14}};
    uint32_t from = page_tree_update(nodes, 0, a, 3), to = page_tree_update(nodes, 0, b, 3);
    struct seen seen = {.count = 0};
    page_tree_difference(nodes, from, to, see, &seen);
    cr_assert_eq(seen.count, 3);
    cr_assert(seen.index[0] == 64 && seen.page[0] == 99);
    cr_assert(seen.index[1] == 900000 && seen.page[1] == 14);
    cr_assert(seen.index[2] == 5000000 && seen.page[2] == 0);
}

struct block_name block_name_avx2(const void *content, size_t size);

Test(block_store, names_are_the_same_on_every_processor) {
    if (!__builtin_cpu_supports("avx2"))
        cr_skip_test("this processor has no AVX2");
    char content[4096];
    for (int i = 0; i < 100; i++) {
        for (size_t k = 0; k < sizeof content; k++)
            content[k] = (char)(k * k * 31 + (size_t)i * 17);
        XXH128_hash_t expected = XXH3_128bits(content, sizeof content); /* the library's own */
        struct block_name name = block_name_avx2(content, sizeof content);
        cr_assert(name.low == expected.low64 && name.high == expected.high64);
    }
}

Test(block_store, blocks_in_a_file_are_read_like_others) {
    enum { BLOCKS = 12000 };
    struct block_store *store = make(4096, BLOCKS + 1);
    char path[] = "/tmp/test_store.XXXXXX", content[4096] = {0}, got[4096];
    int file = mkstemp(path);
    unlink(path);
    uint32_t block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        memcpy(content, &(int){i + 1}, sizeof i);
        block[i] = put(store, content, sizeof content);
    }
    cr_assert_eq(block_store_spill(store, 1 << 20), 0, "nowhere to");
    block_store_allow_spill(store, file);
    uint64_t before = block_store_used_bytes(store);
    cr_assert(block_store_read(store, block[600], got));
    uint64_t freed = block_store_spill(store, 8 << 20);
    cr_assert_geq(freed, 8 << 20);
    cr_assert_eq(block_store_used_bytes(store), before - freed);
    for (int i = 0; i < BLOCKS; i++) {
        memcpy(content, &(int){i + 1}, sizeof i);
        cr_assert(block_store_read(store, block[i], got), "block %d", i);
        cr_assert_arr_eq(got, content, sizeof content);
        cr_assert_eq(put(store, content, sizeof content), block[i], "a spilled block is still known by its content");
    }
    cr_assert_geq(block_store_spill(store, UINT64_MAX), 1, "all that is not new can go");
    cr_assert(block_store_read(store, block[0], got) && block_store_read(store, block[BLOCKS - 1], got));
    cr_assert_eq(ftruncate(file, 0), 0);
    cr_assert_not(block_store_read(store, block[0], got), "a file that was damaged is noticed");
}
