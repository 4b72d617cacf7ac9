/* In an agent: windows within segments of a shared one (window_within.h), whose regions are where the segments' bytes are. */
#include "models/mpi/preload/windows/window_agent_parts.h"

#include <stdlib.h>
#include <string.h>

void bytes_create_within(struct public_window *made, const struct part_of_segment *part, uint32_t parts) {
    made->is_within = true;
    made->memory = (struct window_memory){calloc((size_t)parts + 1, sizeof(struct window_region)), parts};
    for (uint32_t i = 0; i < parts; i++) {
        uint64_t length = part[i].size;
        char *bytes = window_memory_at(&agent_find_window(part[i].name)->memory, part[i].offset, &length);
        made->memory.region[i] = (struct window_region){part[i].start, part[i].size, bytes, 0};
    }
}

static bool has(const struct window_memory *memory, const char *bytes) {
    for (size_t i = 0; i < memory->regions; i++) {
        if (bytes >= memory->region[i].bytes && bytes < memory->region[i].bytes + memory->region[i].size)
            return true;
    }
    return false;
}

void bytes_take_from_others(const struct public_window *old) {
    const struct public_window *other;
    for (size_t i = 0; old->view != NULL && (other = agent_window_at(i)) != NULL; i++) {
        for (size_t k = 0; other->is_within && k < other->memory.regions; k++) {
            struct window_region *region = &other->memory.region[k];
            if (!has(&old->memory, region->bytes))
                continue;
            region->bytes = memcpy(malloc(region->size + 1), region->bytes, region->size);
            region->lost = 1;
        }
    }
}

bool bytes_may_be_same(const struct public_window *a, const struct public_window *b) {
    return a != b && (a->is_within || b->is_within) && (a->is_within || a->view != NULL) && (b->is_within || b->view != NULL);
}
