#include "explorer/saved_memory.h"

#include "ckpt/page_tree.h"
#include "explorer/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A set of small numbers. */
struct bits {
    uint64_t *word;
    size_t words;
};

struct saved_memory {
    struct saved *saved;
    unsigned stream;
    struct block_store *pages, *nodes;
    struct bits has_page, has_node;  /* in the directory */
    struct bits walked[TREE_LEVELS]; /* nodes under which all is there, by how many levels are below */
};

enum block_kind { BLOCK_PAGE = 1, BLOCK_NODE };

struct block_head {
    uint32_t kind, number;
};

static bool has(const struct bits *bits, uint32_t number) {
    return number / 64 < bits->words && bits->word[number / 64] >> number % 64 & 1;
}

static void put(struct bits *bits, uint32_t number) {
    if (number / 64 >= bits->words) {
        size_t words = (size_t)number / 32 + 1024;
        bits->word = memory_resize(bits->word, words * sizeof *bits->word);
        memset(bits->word + bits->words, 0, (words - bits->words) * sizeof *bits->word);
        bits->words = words;
    }
    bits->word[number / 64] |= (uint64_t)1 << number % 64;
}

struct saved_memory *saved_memory_create(struct saved *saved, unsigned program, struct block_store *pages,
                                         struct block_store *nodes) {
    struct saved_memory *memory = memory_take_zeroed(sizeof *memory);
    *memory = (struct saved_memory){.saved = saved, .stream = SAVED_BLOCKS + program, .pages = pages, .nodes = nodes};
    return memory;
}

void saved_memory_free(struct saved_memory *memory) {
    if (!memory)
        return;
    free(memory->has_page.word);
    free(memory->has_node.word);
    for (int i = 0; i < TREE_LEVELS; i++)
        free(memory->walked[i].word);
    free(memory);
}

/* --- restoring --------------------------------------------------------------------------------------------------------- */

/* How often it is looked at whether they fit, and how much of the budget they may take: executors need some, too. */
enum { BLOCKS_BETWEEN = 4096, BUDGET_PERCENT = 75 };

struct restoring {
    struct saved_memory *memory;
    uint64_t budget, blocks;
    bool ok;
};

static bool fits(const struct restoring *restoring) {
    struct block_store *pages = restoring->memory->pages;
    uint64_t used = block_store_used_bytes(pages) + block_store_used_bytes(restoring->memory->nodes);
    uint64_t allowed = restoring->budget / 100 * BUDGET_PERCENT;
    return used <= allowed || block_store_spill(pages, used - allowed) > 0;
}

static bool take_block(void *context, const void *record, size_t size) {
    struct restoring *restoring = context;
    struct saved_memory *memory = restoring->memory;
    const struct block_head *head = record;
    (void)size;
    bool page = head->kind == BLOCK_PAGE;
    restoring->ok = block_store_restore(page ? memory->pages : memory->nodes, head->number, head + 1);
    put(page ? &memory->has_page : &memory->has_node, head->number);
    if (restoring->ok && ++restoring->blocks % BLOCKS_BETWEEN == 0)
        restoring->ok = fits(restoring);
    return restoring->ok;
}

bool saved_memory_restore(struct saved_memory *memory, uint64_t budget, char **error) {
    struct restoring restoring = {.memory = memory, .budget = budget, .ok = true};
    if (!journal_read(saved_journal(memory->saved), memory->stream, take_block, &restoring, error))
        return false;
    if (!restoring.ok &&
        asprintf(error, "the memory budget is too small for what is saved in %s", saved_folder(memory->saved)) < 0)
        *error = NULL;
    return restoring.ok;
}

bool saved_memory_holds(struct saved_memory *memory, uint32_t root) {
    /* What is there already is not saved once more: walking finds a block that is neither there nor in the store. */
    return saved_memory_keep(memory, root);
}

/* --- keeping ----------------------------------------------------------------------------------------------------------- */

static void add(struct saved_memory *memory, enum block_kind kind, uint32_t number, const void *content, size_t size) {
    const struct block_head head = {kind, number};
    const struct journal_piece piece[] = {{&head, sizeof head}, {content, size}};
    journal_add(saved_journal(memory->saved), memory->stream, piece, 2);
}

static bool keep_page(struct saved_memory *memory, uint32_t page) {
    char content[PAGE_BYTES];
    if (page == 0 || has(&memory->has_page, page))
        return true;
    if (!block_store_read(memory->pages, page, content))
        return false;
    add(memory, BLOCK_PAGE, page, content, sizeof content);
    put(&memory->has_page, page);
    return true;
}

/* `level`: how many levels of nodes are below this one. Node 0 is all zeros. */
static bool keep_node(struct saved_memory *memory, uint32_t node, int level) {
    uint32_t child[TREE_FANOUT];
    if (node == 0 || has(&memory->walked[level], node))
        return true;
    if (!block_store_read(memory->nodes, node, child))
        return false;
    for (int slot = 0; slot < TREE_FANOUT; slot++)
        if (!(level ? keep_node(memory, child[slot], level - 1) : keep_page(memory, child[slot])))
            return false;
    if (!has(&memory->has_node, node)) {
        add(memory, BLOCK_NODE, node, child, sizeof child);
        put(&memory->has_node, node);
    }
    put(&memory->walked[level], node);
    return true;
}

bool saved_memory_keep(struct saved_memory *memory, uint32_t root) {
    return root == BLOCK_NONE || keep_node(memory, root, TREE_LEVELS - 1);
}
