/* What the parts of the comparison of two states share; nobody else includes this.
 *
 *     state_difference.c   walks the pages that differ
 *     state_variables.c    static, global and thread-local variables, and data of libraries
 *     state_heap.c         heap blocks
 *     state_pointers.c     which variables point to heap blocks, so that their content has types
 *     state_stack.c        local variables and frames
 */
#ifndef EXPLORER_STATE_PARTS_H
#define EXPLORER_STATE_PARTS_H

#include "explorer/debug_information/debug_types.h"
#include "explorer/debug_information/frame_variables.h"
#include "explorer/local_states/state_difference.h"

enum { VALUE_ROOM = 256, NAME_ROOM = 512, RUN_GAP = 8 };

struct static_variable {
    uint64_t start, size;
    struct module *module;
    Dwarf_Die die;
    bool thread_local_;
};

/* A variable of the first state that points to the start of a heap block, as an object or the first of several. */
struct heap_pointer {
    uint64_t block;
    Dwarf_Die type; /* of what it points to */
    char name[64];
};

struct comparison {
    const struct captured_memory *memory;
    struct modules *modules; /* may be NULL */
    uint32_t root[2], log[2];
    struct state_difference *found;
    struct static_variable *variable; /* by address */
    size_t variables, variable_room;
    struct heap_pointer *pointer;
    size_t pointers, pointer_room;
};

/* Bytes that differ, from the first to the last with no larger gap than RUN_GAP between them, and not beyond the pair's end. */
uint64_t compare_run(const struct comparison *comparison, const struct captured_pair *pair, uint64_t offset);
/* Adds a difference whose values are the bytes of the pair as values of `type` (may be NULL). */
void compare_add(struct comparison *comparison, enum difference_kind kind, const struct captured_pair *pair, Dwarf_Die *type,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Adds all parts of an object, described by its type, in which the pair differs. `name` with the path of the part in it stands in
 * place of %s in "before%safter". */
void compare_typed(struct comparison *comparison, enum difference_kind kind, const struct captured_pair *object,
                   Dwarf_Die *type, const char *before, const char *after);

/* state_variables.c: what holds this differing address outside heap and stack; returns the address to go on at. */
void variables_index(struct comparison *comparison);
uint64_t compare_static(struct comparison *comparison, uint64_t address, uint64_t end);

/* state_pointers.c: after variables_index. */
void pointers_index(struct comparison *comparison);
/* The first variable that points to the block and says of what type it is; NULL: none does. */
const struct heap_pointer *pointer_to(const struct comparison *comparison, uint64_t block);

/* state_heap.c */
void compare_heap_blocks(struct comparison *comparison); /* those that only one state has */
uint64_t compare_heap(struct comparison *comparison, uint64_t address, uint64_t end);

/* state_stack.c: all of it. */
void compare_stacks(struct comparison *comparison);
/* Calls visit for the local variables of all frames of the program in the first state, innermost first. */
void visit_locals(struct comparison *comparison, void (*visit)(void *visitor, const struct frame_variable *variable),
                  void *visitor);

#endif
