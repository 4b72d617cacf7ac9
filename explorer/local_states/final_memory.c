#include "explorer/local_states/final_memory.h"

#include "explorer/containers/memory.h"
#include "explorer/local_states/captured_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { NAMED = 4 };

struct summing {
    const struct captured_memory *memory;
    struct modules *modules;
    const struct captured_state *state;
    uint64_t hash;
};

static void sum_words(struct summing *summing, uint64_t a, uint64_t b) {
    const uint64_t words[] = {a, b};
    summing->hash = XXH3_64bits_withSeed(words, sizeof words, summing->hash);
}

static void sum_bytes(struct summing *summing, uint64_t address, uint64_t size) {
    char *bytes = memory_take(size + 1);
    if (captured_read(summing->memory, summing->state->root, address, bytes, size))
        summing->hash = XXH3_64bits_withSeed(bytes, size, summing->hash);
    sum_words(summing, address, size);
    free(bytes);
}

static void sum_block(void *context, const struct heap_block *block) {
    struct summing *summing = context;
    uint64_t site, spare;
    if (captured_allocation(summing->memory, summing->state->log, block->start, &site, &spare) &&
        modules_allocates_for_program(summing->modules, site - 1))
        sum_bytes(summing, block->start, block->size);
}

/* The runs whose first descriptor begins in this page of descriptors. */
static void sum_runs(struct summing *summing, uint64_t offset) {
    for (uint64_t page = (offset + sizeof(struct page) - 1) / sizeof(struct page);
         page * sizeof(struct page) < offset + PAGE_BYTES; page++)
        captured_blocks_of(summing->memory, summing->state->root, page, sum_block, summing);
}

/* Equal pages have one number in the store, so their content need not be read. */
static void visit_page(void *context, uint32_t index, uint32_t number) {
    struct summing *summing = context;
    const struct memory_layout *layout = summing->memory->layout;
    uint64_t address = captured_address(summing->memory, index);
    if (address >= layout->descriptors && address < layout->descriptors_end)
        sum_runs(summing, address - layout->descriptors);
    else if (modules_in_program(summing->modules, address))
        sum_words(summing, index, number);
}

static void sum_thread_blocks(struct summing *summing) {
    const struct memory_layout *layout = summing->memory->layout;
    for (uint32_t i = 0; i < layout->thread_blocks; i++) {
        const struct layout_thread_block *block = &layout->thread_block[i];
        const struct module *module = modules_by_bias(summing->modules, block->module);
        if (module && module->kind == MODULE_PROGRAM)
            sum_bytes(summing, block->start, block->end - block->start);
    }
}

uint64_t final_memory_hash(const struct captured_memory *memory, struct modules *modules, const struct captured_state *state) {
    struct summing summing = {memory, modules, state, 0};
    if (!captured_intact(memory, state))
        return 0;
    page_tree_difference(memory->nodes, 0, state->root, visit_page, &summing);
    sum_thread_blocks(&summing);
    return summing.hash;
}

static bool counts(const struct difference *difference) {
    return difference->kind == DIFFERENT_VARIABLE || difference->kind == DIFFERENT_HEAP;
}

char *final_memory_difference(const struct captured_memory *memory, struct modules *modules,
                              const struct captured_state state[2]) {
    struct state_difference found;
    char *sentence = NULL;
    size_t size, named = 0;
    FILE *out = open_memstream(&sentence, &size);
    if (!out)
        return strdup("");
    state_difference_find(memory, modules, state, &found);
    for (size_t i = 0; i < found.count; i++) {
        if (!counts(&found.difference[i]) || named++ >= NAMED)
            continue;
        char *text = difference_text(&found.difference[i]);
        fprintf(out, "%s%s", named > 1 ? "; " : "", text);
        free(text);
    }
    if (named > NAMED)
        fprintf(out, "; and %zu more", named - NAMED);
    fclose(out);
    state_difference_free(&found);
    return sentence;
}
