#include "explorer/local_states/state_parts.h"

#include "explorer/containers/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the list -------------------------------------------------------------------------------------------------------- */

void state_difference_add(struct state_difference *found, const struct difference *difference) {
    found->difference = memory_room(found->difference, &found->room, found->count, sizeof *found->difference);
    found->difference[found->count++] = *difference;
}

void state_difference_free(struct state_difference *found) {
    for (size_t i = 0; i < found->count; i++) {
        free(found->difference[i].name);
        free(found->difference[i].value[0]);
        free(found->difference[i].value[1]);
    }
    free(found->difference);
    *found = (struct state_difference){0};
}

const char *difference_kind_name(enum difference_kind kind) {
    static const char *const names[] = {"variable", "local", "heap", "stack", "library", "own"};
    return names[kind];
}

char *difference_text(const struct difference *difference) {
    char *text = NULL;
    const char *const *value = (const char *const *)difference->value;
    int made = value[0] && value[1]   ? asprintf(&text, "%s: %s and %s", difference->name, value[0], value[1])
               : value[0] || value[1] ? asprintf(&text, "%s: %s, only in the %s", difference->name,
                                                 value[0] ? value[0] : value[1], value[0] ? "first" : "second")
                                      : asprintf(&text, "%s", difference->name);
    return made < 0 ? strdup("") : text;
}

/* --- what the parts use ---------------------------------------------------------------------------------------------- */

uint64_t compare_run(const struct comparison *comparison, const struct captured_pair *pair, uint64_t offset) {
    uint64_t end = offset + 1;
    for (uint64_t next = end; next < pair->size; end = ++next) {
        struct captured_pair near = *pair;
        near.size = end + RUN_GAP < pair->size ? end + RUN_GAP : pair->size;
        if (!captured_next_difference(comparison->memory, &near, &next))
            break;
    }
    return end - offset;
}

static char *value_of(const struct comparison *comparison, const struct captured_pair *pair, int which, Dwarf_Die *type) {
    char text[VALUE_ROOM] = "?";
    char *bytes = memory_take(pair->size + 1);
    if (captured_read(comparison->memory, pair->root[which], pair->address[which], bytes, pair->size))
        debug_type_format(type, bytes, pair->size, text, sizeof text);
    free(bytes);
    return strdup(text);
}

void compare_add(struct comparison *comparison, enum difference_kind kind, const struct captured_pair *pair, Dwarf_Die *type,
                 const char *format, ...) {
    struct difference difference = {.kind = kind, .address = pair->address[0], .size = pair->size};
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&difference.name, format, arguments) < 0)
        difference.name = strdup("");
    va_end(arguments);
    for (int which = 0; which < 2; which++)
        difference.value[which] = value_of(comparison, pair, which, type);
    state_difference_add(comparison->found, &difference);
}

static struct captured_pair part_of(const struct captured_pair *whole, uint64_t offset, uint64_t size) {
    struct captured_pair part = *whole;
    part.address[0] += offset;
    part.address[1] += offset;
    part.size = size;
    return part;
}

void compare_typed(struct comparison *comparison, enum difference_kind kind, const struct captured_pair *object,
                   Dwarf_Die *type, const char *before, const char *after) {
    uint64_t offset = 0;
    while (captured_next_difference(comparison->memory, object, &offset)) {
        struct debug_leaf leaf = debug_type_leaf(type, object->size, offset);
        struct captured_pair part = part_of(object, leaf.start, leaf.size);
        compare_add(comparison, kind, &part, leaf.typed ? &leaf.type : NULL, "%s%s%s", before, leaf.path, after);
        offset = leaf.start + leaf.size;
    }
}

/* --- all of memory --------------------------------------------------------------------------------------------------- */

/* Pages that differ come in ascending order; what was found may reach beyond its page. */
struct page_walk {
    struct comparison *comparison;
    uint64_t done; /* all addresses below have been dealt with */
};

static bool within(uint64_t address, uint64_t low, uint64_t high) { return address >= low && address < high; }

static void visit_page(void *context, uint32_t index, uint32_t page) {
    (void)page;
    struct page_walk *walk = context;
    struct comparison *comparison = walk->comparison;
    const struct memory_layout *layout = comparison->memory->layout;
    uint64_t start = captured_address(comparison->memory, index), end = start + PAGE_BYTES;
    if (within(start, layout->stack_low, layout->stack_high) || within(start, layout->descriptors, layout->descriptors_end))
        return;
    bool heap = within(start, layout->heap, layout->heap_end);
    uint64_t at = start > walk->done ? start : walk->done;
    while (at < end) {
        struct captured_pair rest = {{comparison->root[0], comparison->root[1]}, {at, at}, end - at};
        uint64_t offset = 0;
        if (!captured_next_difference(comparison->memory, &rest, &offset))
            break;
        at = (heap ? compare_heap : compare_static)(comparison, at + offset, end);
    }
    walk->done = at > walk->done ? at : walk->done;
}

static int by_kind(const void *a, const void *b) {
    const struct difference *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

void state_difference_find(const struct captured_memory *memory, struct modules *modules, const struct captured_state state[2],
                           struct state_difference *found) {
    *found = (struct state_difference){0};
    if (!captured_intact(memory, &state[0]) || !captured_intact(memory, &state[1]))
        return;
    struct comparison comparison = {.memory = memory,
                                    .modules = modules,
                                    .root = {state[0].root, state[1].root},
                                    .log = {state[0].log, state[1].log},
                                    .found = found};
    variables_index(&comparison);
    pointers_index(&comparison);
    compare_heap_blocks(&comparison);
    struct page_walk walk = {&comparison, 0};
    page_tree_difference(memory->nodes, state[0].root, state[1].root, visit_page, &walk);
    compare_stacks(&comparison);
    if (found->count)
        qsort(found->difference, found->count, sizeof *found->difference, by_kind);
    free(comparison.variable);
    free(comparison.pointer);
}
