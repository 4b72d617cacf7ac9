/* The conformance suite of the dirty trackers: each test body runs with both. */
#include "ckpt/image.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGES = 64 };

static struct image *image; /* the signal handler needs it */
static char *memory;

static void on_fault(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)context;
    if (!image_fault(image, (uintptr_t)info->si_addr))
        abort();
}

static void *map(size_t bytes) {
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static struct block_store *store(uint32_t block_size) {
    return block_store_format(map(block_store_bytes(block_size, 4096, KEEP_CONTENT)), block_size, 4096, KEEP_CONTENT);
}

/* A guard page between the ranges, so that the second does not continue the first. */
static void set_up(enum tracker_choice choice) {
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    memory = map((PAGES + 1) * PAGE_BYTES);
    image = map(sizeof *image);
    image->pages = store(PAGE_BYTES);
    image->nodes = store(TREE_NODE_BYTES);
    uintptr_t start = (uintptr_t)memory;
    cr_assert(image_add_range(image, start, start + 32 * PAGE_BYTES));
    cr_assert(image_add_range(image, start + 33 * PAGE_BYTES, start + 65 * PAGE_BYTES));
    image_use_lists(image, map(image_list_bytes(image)));
    if (!image_start(image, choice))
        cr_skip_test("this kernel or its policy does not offer this tracker");
}

static char *page(uint32_t index) { return (char *)image_address(image, index); }
static uint32_t capture(void) { return image_capture(image, NULL, 0); }

static void write_read_back(void) {
    uint32_t empty = capture();
    cr_assert_eq(empty, 0, "untouched memory is the image of zeros");
    page(3)[10] = 'x';
    page(40)[4000] = 'y';
    uint32_t written = capture();
    cr_assert_neq(written, empty);
    page(3)[10] = 'z';
    cr_assert_neq(capture(), written);
    cr_assert(image_load(image, written, false));
    cr_assert(page(3)[10] == 'x' && page(40)[4000] == 'y');
    cr_assert(image_load(image, empty, false));
    cr_assert(page(3)[10] == 0 && page(40)[4000] == 0);
}

static void equal_content_equal_root(void) {
    page(0)[0] = 1;
    page(63)[0] = 2;
    uint32_t first = capture();
    cr_assert(image_load(image, 0, false));
    page(63)[0] = 2;
    capture();
    page(0)[0] = 1;
    cr_assert_eq(capture(), first);
    page(0)[0] = 9;
    page(0)[0] = 1;
    cr_assert_eq(capture(), first, "a page written with what it held has not changed");
}

static void interrupted_step_is_dropped(void) {
    page(7)[7] = 'a';
    uint32_t before = capture();
    page(7)[7] = 'b';
    page(50)[0] = 'c';
    cr_assert(image_load(image, before, true));
    cr_assert(page(7)[7] == 'a' && page(50)[0] == 0);
    cr_assert_eq(capture(), before);
}

/* As around a checkpoint by CRIU, which no userfaultfd survives. */
static void tracking_survives_its_release(void) {
    page(3)[0] = 'r';
    uint32_t before = capture();
    image_release(image);
    cr_assert(image_renew(image));
    cr_assert_eq(capture(), before);
    page(4)[0] = 's';
    cr_assert_neq(capture(), before);
    cr_assert(image_load(image, before, false));
    cr_assert(page(3)[0] == 'r' && page(4)[0] == 0);
}

static void garbage_below_the_stack_pointer_is_no_difference(void) {
    const struct image_span below[] = {{(uintptr_t)page(33), (uintptr_t)page(35) + 100},
                                       {(uintptr_t)page(37) + 8, (uintptr_t)page(37) + 16}};
    page(35)[100] = 'l';
    page(37)[7] = page(37)[16] = 'l';
    uint32_t clean = image_capture(image, below, 2);
    page(35)[99] = 'g';
    page(34)[5] = 'g';
    page(37)[8] = page(37)[15] = 'g';
    cr_assert_eq(image_capture(image, below, 2), clean);
    cr_assert(page(35)[99] == 0 && page(34)[5] == 0 && page(37)[8] == 0 && page(37)[15] == 0);
    cr_assert(page(35)[100] == 'l' && page(37)[7] == 'l' && page(37)[16] == 'l');
}

/* A function that has written to many pages of its frame returns: what it leaves in those that it does not write to again is
 * garbage, whether they are watched or hot. */
static void garbage_that_is_not_written_again_is_no_difference(void) {
    page(60)[8] = 'l';
    uint32_t shallow = capture();
    page(2)[0] = 'x';
    for (uint32_t i = 35; i <= 60; i += 5)
        page(i)[7] = 'g';
    uint32_t deep = capture();
    const struct image_span below[] = {{(uintptr_t)page(33), (uintptr_t)page(60) + 8}};
    page(2)[0] = 0;
    page(45)[1] = 'h';
    cr_assert_eq(image_capture(image, below, 1), shallow);
    for (uint32_t i = 35; i <= 60; i += 5)
        cr_assert(page(i)[7] == 0 && page(60)[8] == 'l');
    cr_assert(image_load(image, deep, false));
    page(2)[0] = 0;
    cr_assert_eq(image_capture(image, below, 1), shallow, "also in a process that has only loaded it");
}

static void spoilt_store_is_noticed(void) {
    page(2)[0] = 's';
    uint32_t root = capture();
    cr_assert(image_load(image, 0, false));
    *(char *)block_store_get(image->pages, page_tree_find(image->nodes, root, 2)) = 'w';
    cr_assert_not(image_load(image, root, false));
}

static void spoilt_node_is_noticed(void) {
    page(2)[0] = 's';
    uint32_t root = capture();
    cr_assert(image_load(image, 0, false));
    *(uint32_t *)block_store_get(image->nodes, root) ^= 1;
    cr_assert_not(image_load(image, root, false), "restoring from it");
    *(uint32_t *)block_store_get(image->nodes, root) ^= 1;
    cr_assert(image_load(image, root, false));
    *(uint32_t *)block_store_get(image->nodes, root) ^= 1;
    page(3)[0] = 't';
    cr_assert_eq(capture(), TREE_DAMAGED, "building on it");
}

/* Long enough for pages to become hot and, later, to be so no more: names must not depend on that. */
static void temperature_does_not_show(void) {
    uint32_t name[8];
    for (int i = 0; i < 600; i++) {
        int content = i % 8;
        bool hot = i < 200 || i >= 400;
        if (hot)
            page(5)[1] = (char)content;
        page(20 + (uint32_t)content)[i % 4096] = 'x';
        page(20 + (uint32_t)content)[i % 4096] = 0;
        uint32_t root = capture();
        if (i < 8)
            name[i] = root;
        cr_assert_eq(root, name[hot ? content : 199 % 8], "capture %d", i);
    }
    for (int i = 0; i < 8; i++) {
        cr_assert(image_load(image, name[i], false));
        cr_assert_eq(page(5)[1], i);
        cr_assert_eq(capture(), name[i]);
    }
    page(5)[1] = 77;
    cr_assert(image_load(image, name[3], true), "what an unfinished step wrote into a hot page goes");
    cr_assert_eq(page(5)[1], 3);
}

#define BOTH(name)                   \
    Test(userfaultfd, name) {        \
        set_up(TRACKER_USERFAULTFD); \
        name();                      \
    }                                \
    Test(mprotect, name) {           \
        set_up(TRACKER_MPROTECT);    \
        name();                      \
    }

BOTH(write_read_back)
BOTH(equal_content_equal_root)
BOTH(interrupted_step_is_dropped)
BOTH(tracking_survives_its_release)
BOTH(garbage_below_the_stack_pointer_is_no_difference)
BOTH(garbage_that_is_not_written_again_is_no_difference)
BOTH(spoilt_store_is_noticed)
BOTH(spoilt_node_is_noticed)
BOTH(temperature_does_not_show)

enum { LARGE_PAGES = 4096 };

/* 16 MiB, all cold at first. */
static void set_up_large(enum tracker_choice choice) {
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    memory = map(LARGE_PAGES * PAGE_BYTES);
    image = map(sizeof *image);
    image->pages = store(PAGE_BYTES);
    image->nodes = store(TREE_NODE_BYTES);
    cr_assert(image_add_range(image, (uintptr_t)memory, (uintptr_t)memory + LARGE_PAGES * PAGE_BYTES));
    image_use_lists(image, map(image_list_bytes(image)));
    if (!image_start(image, choice))
        cr_skip_test("this kernel or its policy does not offer this tracker");
    image_adopt(image, 0);
    image_cool(image, NULL, 0);
}

/* mov $42, %eax; ret: what a function within a function leaves on the stack is code as well. */
static void code_can_be_executed(enum tracker_choice choice) {
    static const unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    memory = map(PAGES * PAGE_BYTES);
    if (mprotect(memory, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        cr_skip_test("memory that is written may not be executed here");
    image = map(sizeof *image);
    image->pages = store(PAGE_BYTES);
    image->nodes = store(TREE_NODE_BYTES);
    cr_assert(image_add_range(image, (uintptr_t)memory, (uintptr_t)memory + PAGES * PAGE_BYTES));
    image_let_execute(image, (uintptr_t)memory);
    image_use_lists(image, map(image_list_bytes(image)));
    if (!image_start(image, choice))
        cr_skip_test("this kernel or its policy does not offer this tracker");
    image_adopt(image, 0);
    image_cool(image, NULL, 0);
    int (*function)(void) = (int (*)(void))(uintptr_t)page(7);
    memcpy(page(7), code, sizeof code);
    cr_assert_eq(function(), 42);
    uint32_t root = capture();
    cr_assert_eq(function(), 42);
    page(7)[1] = 43;
    cr_assert_eq(function(), 43);
    cr_assert(image_load(image, root, true));
    cr_assert_eq(function(), 42);
}
Test(userfaultfd, code_can_be_executed) { code_can_be_executed(TRACKER_USERFAULTFD); }
Test(mprotect, code_can_be_executed) { code_can_be_executed(TRACKER_MPROTECT); }

static void cold_memory_is_watched_when_it_is_written(enum tracker_choice choice) {
    set_up_large(choice);
    page(3000)[0] = 'a';
    uint32_t first = capture();
    cr_assert_neq(first, 0);
    for (int i = 1; i < 300; i++) { /* meanwhile the chunk of page 3000 cools down */
        page(10)[0] = (char)i;
        capture();
    }
    page(10)[0] = 0;
    page(3000)[0] = 'b';
    uint32_t second = capture();
    cr_assert_neq(second, first);
    cr_assert(image_load(image, first, false));
    cr_assert(page(3000)[0] == 'a' && page(10)[0] == 0);
    page(3000)[0] = 'b';
    cr_assert_eq(capture(), second);
    cr_assert(image_load(image, 0, false));
    cr_assert_eq(page(3000)[0], 0);
}
Test(userfaultfd, cold_memory_is_watched_when_it_is_written) { cold_memory_is_watched_when_it_is_written(TRACKER_USERFAULTFD); }
Test(mprotect, cold_memory_is_watched_when_it_is_written) { cold_memory_is_watched_when_it_is_written(TRACKER_MPROTECT); }

/* In one chunk with a page that is written all the time, which alone does not keep the chunk warm. */
static void what_is_written_beside_a_hot_page_is_found(enum tracker_choice choice, uint32_t beside) {
    set_up_large(choice);
    uint32_t name[3];
    for (int i = 0; i < 300; i++) {
        page(1000)[0] = (char)(i % 3);
        uint32_t root = capture();
        if (i < 3)
            name[i] = root;
        cr_assert_eq(root, name[i % 3], "capture %d", i);
    }
    page(beside)[0] = 'b'; /* page 1000 holds 2 */
    uint32_t second = capture();
    cr_assert_neq(second, name[2]);
    cr_assert(image_load(image, name[1], false));
    cr_assert(page(1000)[0] == 1 && page(beside)[0] == 0);
    page(1000)[0] = 2;
    page(beside)[0] = 'b';
    cr_assert_eq(capture(), second);
}
Test(userfaultfd, what_is_written_above_a_hot_page_is_found) {
    what_is_written_beside_a_hot_page_is_found(TRACKER_USERFAULTFD, 1001);
}
Test(userfaultfd, what_is_written_below_a_hot_page_is_found) {
    what_is_written_beside_a_hot_page_is_found(TRACKER_USERFAULTFD, 999);
}
Test(mprotect, what_is_written_above_a_hot_page_is_found) {
    what_is_written_beside_a_hot_page_is_found(TRACKER_MPROTECT, 1001);
}

/* Written again after being left alone for any time, by turns longer than a page stays hot in vain at first, or at all; and where
 * the process that knew which pages are hot is gone. */
static void a_page_that_was_hot_is_found_later(enum tracker_choice choice) {
    static const int turns[] = {100, 1, 40, 1500, 100, 4500, 100, 1};
    set_up_large(choice);
    char content = 0;
    for (size_t turn = 0; turn < sizeof turns / sizeof *turns; turn++) {
        for (int i = 0; i < turns[turn]; i++) {
            page(1000)[0] = turn % 2 == 0 ? ++content : content;
            capture();
        }
        uint32_t before = capture();
        if (turn % 3 == 2) {
            image_release(image);
            cr_assert(image_renew(image));
        }
        page(1000)[0] ^= 'x';
        cr_assert_neq(capture(), before, "turn %zu", turn);
        page(1000)[0] ^= 'x';
        cr_assert_eq(capture(), before, "turn %zu", turn);
    }
}
Test(userfaultfd, a_page_that_was_hot_is_found_later) { a_page_that_was_hot_is_found_later(TRACKER_USERFAULTFD); }
Test(mprotect, a_page_that_was_hot_is_found_later) { a_page_that_was_hot_is_found_later(TRACKER_MPROTECT); }

Test(image, addresses_and_numbers_are_inverse) {
    set_up(TRACKER_AUTO);
    for (uint32_t i = 0; i < PAGES; i++)
        cr_assert_eq(image_index(image, image_address(image, i)), i);
    cr_assert_eq(image_index(image, (uintptr_t)memory + 32 * PAGE_BYTES), BLOCK_NONE, "the guard page is in no range");
}
