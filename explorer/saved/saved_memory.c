#include "explorer/saved/saved_memory.h"

#include "ckpt/page_tree.h"
#include "explorer/containers/bit_set.h"
#include "explorer/containers/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct saved_memory {
    struct saved *saved;
    unsigned stream;
    struct block_store *pages, *nodes;
    struct bit_set has_page, has_node;  /* in the directory */
    struct bit_set walked[TREE_LEVELS]; /* nodes under which all is there, by how many levels are below */
};

enum block_kind { BLOCK_PAGE = 1, BLOCK_NODE };

struct block_head {
    uint32_t kind, number;
};

struct saved_memory *saved_memory_create(struct saved *saved, unsigned program, struct block_store *pages,
                                         struct block_store *nodes) {
    struct saved_memory *memory = memory_take_zeroed(sizeof *memory);
    *memory = (struct saved_memory){.saved = saved, .stream = SAVED_BLOCKS + program, .pages = pages, .nodes = nodes};
    return memory;
}

void saved_memory_free(struct saved_memory *memory) {
    if (!memory)
        return;
    bit_set_free(&memory->has_page);
    bit_set_free(&memory->has_node);
    for (int i = 0; i < TREE_LEVELS; i++)
        bit_set_free(&memory->walked[i]);
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
    bit_set_add(page ? &memory->has_page : &memory->has_node, head->number);
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
    if (page == 0 || bit_set_has(&memory->has_page, page))
        return true;
    if (!block_store_read(memory->pages, page, content))
        return false;
    add(memory, BLOCK_PAGE, page, content, sizeof content);
    bit_set_add(&memory->has_page, page);
    return true;
}

/* `level`: how many levels of nodes are below this one. Node 0 is all zeros. */
static bool keep_node(struct saved_memory *memory, uint32_t node, int level) {
    uint32_t child[TREE_FANOUT];
    if (node == 0 || bit_set_has(&memory->walked[level], node))
        return true;
    if (!block_store_read(memory->nodes, node, child))
        return false;
    for (int slot = 0; slot < TREE_FANOUT; slot++)
        if (!(level ? keep_node(memory, child[slot], level - 1) : keep_page(memory, child[slot])))
            return false;
    if (!bit_set_has(&memory->has_node, node)) {
        add(memory, BLOCK_NODE, node, child, sizeof child);
        bit_set_add(&memory->has_node, node);
    }
    bit_set_add(&memory->walked[level], node);
    return true;
}

bool saved_memory_keep(struct saved_memory *memory, uint32_t root) {
    return root == BLOCK_NONE || keep_node(memory, root, TREE_LEVELS - 1);
}
