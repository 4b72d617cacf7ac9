/* Heap blocks have no types; the variables that point to them do. Static variables and local ones are asked, not what is itself on
 * the heap. */
#include "explorer/local_states/state_parts.h"

#include "explorer/containers/memory.h"

#include <dwarf.h>
#include <stdio.h>

/* Does the type tell something of a block? That it is made of bytes is known anyway. */
static bool telling(Dwarf_Die *type) { return debug_type_size(type) > 1; }

static void add_pointer(struct comparison *comparison, Dwarf_Die *variable, Dwarf_Die *type, uint64_t value) {
    const struct memory_layout *layout = comparison->memory->layout;
    struct heap_pointer pointer = {.block = value};
    const char *name = dwarf_diename(variable);
    if (value < layout->heap || value >= layout->heap_end || !name || !debug_type_of(type, &pointer.type) ||
        !telling(&pointer.type))
        return;
    snprintf(pointer.name, sizeof pointer.name, "%s", name);
    comparison->pointer =
        memory_room(comparison->pointer, &comparison->pointer_room, comparison->pointers, sizeof *comparison->pointer);
    comparison->pointer[comparison->pointers++] = pointer;
}

static void visit_local(void *visitor, const struct frame_variable *variable) {
    struct comparison *comparison = visitor;
    Dwarf_Die die = variable->die, type = variable->type;
    uint64_t value = variable->place;
    if (dwarf_tag(&type) != DW_TAG_pointer_type)
        return;
    if (variable->in_memory && !captured_read(comparison->memory, comparison->root[0], variable->place, &value, sizeof value))
        return;
    add_pointer(comparison, &die, &type, value);
}

static void visit_static(struct comparison *comparison, const struct static_variable *variable) {
    Dwarf_Die die = variable->die, type;
    uint64_t value;
    if (variable->module->kind == MODULE_PROGRAM && debug_type_of(&die, &type) && dwarf_tag(&type) == DW_TAG_pointer_type &&
        captured_read(comparison->memory, comparison->root[0], variable->start, &value, sizeof value))
        add_pointer(comparison, &die, &type, value);
}

void pointers_index(struct comparison *comparison) {
    for (size_t i = 0; i < comparison->variables; i++)
        visit_static(comparison, &comparison->variable[i]);
    visit_locals(comparison, visit_local, comparison);
}

const struct heap_pointer *pointer_to(const struct comparison *comparison, uint64_t block) {
    for (size_t i = 0; i < comparison->pointers; i++)
        if (comparison->pointer[i].block == block)
            return &comparison->pointer[i];
    return NULL;
}
