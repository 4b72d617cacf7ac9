#include "explorer/local_states/captured_heap.h"

static bool read_descriptor(const struct captured_memory *memory, uint32_t root, uint64_t page, struct page *descriptor) {
    uint64_t address = memory->layout->descriptors + page * sizeof *descriptor;
    return address < memory->layout->descriptors_end && captured_read(memory, root, address, descriptor, sizeof *descriptor);
}

static bool begins_run(const struct page *head) {
    return head->kind == RUN_LARGE || (head->kind == RUN_SLAB && head->class_number < ARENA_CLASSES);
}

static bool taken(const struct page *head, uint64_t slot) {
    return slot < ARENA_MAX_SLOTS && (head->taken[slot / 64] >> (slot % 64) & 1);
}

bool captured_block_at(const struct captured_memory *memory, uint32_t root, uint64_t address, struct heap_block *block) {
    uint64_t page = (address - memory->layout->heap) / PAGE_BYTES;
    struct page head;
    if (!read_descriptor(memory, root, page, &head))
        return false;
    if (head.kind == RUN_INSIDE) {
        page -= head.length;
        if (!read_descriptor(memory, root, page, &head))
            return false;
    }
    uint64_t start = memory->layout->heap + page * PAGE_BYTES;
    if (!begins_run(&head))
        return false;
    if (head.kind == RUN_LARGE) {
        *block = (struct heap_block){start, head.length * (uint64_t)PAGE_BYTES};
        return true;
    }
    uint64_t size = arena_class_size(head.class_number), slot = (address - start) / size;
    *block = (struct heap_block){start + slot * size, size};
    return taken(&head, slot);
}

void captured_blocks_of(const struct captured_memory *memory, uint32_t root, uint64_t page,
                        void (*visit)(void *context, const struct heap_block *block), void *context) {
    uint64_t start = memory->layout->heap + page * PAGE_BYTES;
    struct page head;
    if (!read_descriptor(memory, root, page, &head) || !begins_run(&head))
        return;
    if (head.kind == RUN_LARGE) {
        visit(context, &(struct heap_block){start, head.length * (uint64_t)PAGE_BYTES});
        return;
    }
    uint64_t size = arena_class_size(head.class_number);
    for (uint64_t slot = 0; slot < ARENA_MAX_SLOTS; slot++)
        if (taken(&head, slot))
            visit(context, &(struct heap_block){start + slot * size, size});
}
