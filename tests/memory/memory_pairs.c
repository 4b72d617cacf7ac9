/* Histories of the program's own memory: heap, stack, static and thread-local variables. */
#include "tests/memory/histories.h"

#include <alloca.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- the heap -------------------------------------------------------------------------------------------------------- */

static void nothing(void) {}

static void *volatile kept;

static void *filled(void *block, size_t size) {
    memset(block, 0x5a, size);
    return block;
}

static void temporary_small(void) {
    for (size_t size = 1; size < 3000; size = size * 3 + 1)
        free(filled(malloc(size), size));
}

static void temporary_in_reverse(void) {
    void *block[12];
    for (size_t i = 0; i < 12; i++)
        block[i] = filled(malloc(1u << i), 1u << i);
    for (size_t i = 12; i-- > 0;)
        free(block[i]);
}

static void temporary_large(void) {
    void *first = filled(malloc(300000), 300000), *second = filled(malloc(5000000), 5000000);
    free(first);
    void *third = filled(calloc(1000, 1000), 1000000);
    free(second);
    free(third);
}

/* More than one slab of a size, so that slabs come and go. */
static void temporary_many(void) {
    static void *block[2000];
    for (int i = 0; i < 2000; i++)
        block[i] = filled(malloc(64), 64);
    for (int i = 0; i < 2000; i += 2)
        free(block[i]);
    for (int i = 1; i < 2000; i += 2)
        free(block[i]);
    memset(block, 0, sizeof block);
}

static void temporary_aligned(void) {
    void *block;
    if (posix_memalign(&block, 4096, 100) == 0)
        free(filled(block, 100));
    free(filled(memalign(64, 200), 200));
    free(filled(aligned_alloc(1 << 16, 1 << 16), 1 << 16));
    free(filled(valloc(10), 10));
    free(filled(pvalloc(10), 10));
}

static void temporary_realloc(void) {
    char *block = NULL;
    for (size_t size = 10; size < 200000; size *= 2)
        block = filled(realloc(block, size), size);
    for (size_t size = 100000; size > 10; size /= 3)
        block = realloc(block, size);
    free(block);
}

static void allocate_then_free_first(void) {
    void *scratch = malloc(100);
    kept = filled(malloc(200), 200);
    free(scratch);
}
static void allocate_alone(void) { kept = filled(malloc(200), 200); }

static void after_scratch(void) {
    void *volatile scratch = malloc(50000000);
    kept = malloc(60000000);
    free(scratch);
}
static void alone(void) { kept = malloc(60000000); }

static void grown(void) { kept = realloc(malloc(500), 30000); }
static void grown_from_nothing(void) { kept = realloc(NULL, 30000); }
static void grown_in_steps(void) {
    for (size_t size = 8; size <= 2000000; size += size / 2)
        kept = realloc(kept, size);
    kept = realloc(kept, 2000000);
}
static void at_once(void) { kept = malloc(2000000); }
static void shrunk(void) { kept = memset(realloc(filled(malloc(1000), 1000), 900), 0, 900); }
static void never_shrunk(void) { kept = calloc(1, 900); }
static void shrunk_far(void) { kept = realloc(malloc(100000), 50); }
static void never_large(void) { kept = malloc(50); }
static void large_shrunk(void) { kept = realloc(malloc(300000), 200000); }
static void large_at_once(void) { kept = malloc(200000); }
static void shrunk_by_class(void) { kept = realloc(malloc(1000), 600); }
static void small_at_once(void) { kept = malloc(600); }

static void by_calloc(void) { kept = calloc(10, 10); }
static void by_malloc(void) { kept = malloc(100); }

static void one_byte(void) { *(char *)(kept = calloc(1, 100)) = 1; }
static void other_byte(void) { *(char *)(kept = calloc(1, 100)) = 2; }

static void one_block_more(void) { kept = malloc(100); }

/* --- static and thread-local variables -------------------------------------------------------------------------------- */

static volatile uint64_t bits;
static _Thread_local volatile int thread_local_number;

static void set_bit(void) { bits |= 1ull << 63; }
static void set_thread_local(void) { thread_local_number = 7; }
static void set_thread_local_and_back(void) {
    thread_local_number = 7;
    thread_local_number = 0;
}
static void set_bit_and_back(void) {
    bits = 1;
    bits = 0;
}

struct link {
    volatile struct link *next;
    int number;
};
static volatile struct link links[2];
static volatile struct link *volatile list;

static void push(int i) {
    links[i].number = i;
    links[i].next = list;
    list = &links[i];
}
static void list_forwards(void) {
    push(0);
    push(1);
}
static void list_backwards(void) {
    push(1);
    push(0);
}

static volatile int slots[3];
static void slots_forwards(void) {
    slots[1] = 11;
    slots[2] = 22;
}
static void slots_backwards(void) {
    slots[2] = 22;
    slots[1] = 11;
}

/* --- the stack ------------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) int deep(int levels) {
    volatile char garbage[3000];
    memset((char *)garbage, levels, sizeof garbage);
    return levels ? deep(levels - 1) + garbage[7] : 0;
}
static void recursion(void) { deep(100); }
static void shallow_recursion(void) { deep(1); }

static __attribute__((noinline)) void use_alloca(size_t size) {
    char *block = alloca(size);
    memset(block, 0x77, size);
    __asm__ volatile("" : : "r"(block) : "memory");
}
static void large_alloca(void) { use_alloca(500000); }
static void small_alloca(void) { use_alloca(700); }

static jmp_buf place;
#pragma GCC diagnostic ignored "-Winfinite-recursion" /* longjmp ends it */
static __attribute__((noinline)) void jump_from(int levels) {
    volatile char garbage[500];
    memset((char *)garbage, 0x66, sizeof garbage);
    if (levels == 0)
        longjmp(place, garbage[0]);
    jump_from(levels - 1);
}
static void long_jump(void) {
    if (setjmp(place) == 0)
        jump_from(20);
    memset(place, 0, sizeof place);
}

const struct pair memory_pairs[] = {
    {"heap_nothing", SAME, nothing, NULL},
    {"heap_temporary_small", SAME, temporary_small, NULL},
    {"heap_temporary_in_reverse", SAME, temporary_in_reverse, temporary_small},
    {"heap_temporary_large", SAME, temporary_large, NULL},
    {"heap_temporary_many", SAME, temporary_many, NULL},
    {"heap_temporary_aligned", SAME, temporary_aligned, temporary_large},
    {"heap_temporary_realloc", SAME, temporary_realloc, NULL},
    {"heap_shrunk_by_a_tenth", SAME, shrunk, never_shrunk},
    {"heap_shrunk_far", SAME, shrunk_far, never_large},
    {"heap_large_shrunk", SAME, large_shrunk, large_at_once},
    {"heap_shrunk_by_class", SAME, shrunk_by_class, small_at_once},
    {"heap_calloc_or_malloc", SAME, by_calloc, by_malloc},
    {"heap_slot_after_scratch", SAME, allocate_then_free_first, allocate_alone},
    /* Where a block lies depends on what lived when it was made: an address is a value that the program can see. */
    {"heap_large_after_scratch", DIFFERENT, after_scratch, alone},
    {"heap_grown", SAME, grown, grown_from_nothing},
    {"heap_grown_in_steps", SAME, grown_in_steps, at_once},
    {"heap_one_byte", DIFFERENT, one_byte, other_byte},
    {"heap_one_block_more", DIFFERENT, one_block_more, NULL},
    {"static_one_bit", DIFFERENT, set_bit, NULL},
    {"static_set_and_back", SAME, set_bit_and_back, NULL},
    {"static_slots_in_two_orders", SAME, slots_forwards, slots_backwards},
    {"static_list_in_two_orders", DIFFERENT, list_forwards, list_backwards},
    {"thread_local", DIFFERENT, set_thread_local, NULL},
    {"thread_local_and_back", SAME, set_thread_local_and_back, NULL},
    {"stack_recursion", SAME, recursion, NULL},
    {"stack_recursion_of_two_depths", SAME, recursion, shallow_recursion},
    {"stack_alloca", SAME, large_alloca, small_alloca},
    {"stack_long_jump", SAME, long_jump, NULL},
    {0},
};
