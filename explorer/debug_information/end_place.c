#include "explorer/debug_information/end_place.h"

#include "explorer/debug_information/frame_variables.h"

#include <stdio.h>
#include <string.h>

_Static_assert((int)WIRE_REGISTERS == (int)WALK_REGISTERS, "the same registers");

static bool read_word(void *context, uint64_t address, uint64_t *word) {
    const struct wire_stack *stack = context;
    if (address < stack->address || address - stack->address > stack->size ||
        stack->size - (address - stack->address) < sizeof *word)
        return false;
    memcpy(word, (const char *)(stack + 1) + (address - stack->address), sizeof *word);
    return true;
}

/* What start-up files call is no place in the program. */
static bool in_program(struct modules *modules, const struct stack_frame *frame) {
    return modules_in_program(modules, frame_place(frame)) && strcmp(frame_function(modules, frame).name, "_start") != 0;
}

/* The first frame from there on that is in the program; `frames` if there is none. */
static size_t next_in_program(struct modules *modules, const struct stack_frame *frame, size_t frames, size_t at) {
    while (at < frames && !in_program(modules, &frame[at]))
        at++;
    return at;
}

/* The innermost one that the user has written; what he has not, an instance of a library's template say, only if nothing else
 * is. */
static size_t find_program(struct modules *modules, const struct stack_frame *frame, size_t frames) {
    const size_t first = next_in_program(modules, frame, frames, 0);
    size_t at = first;
    while (at < frames && modules_line_of_system(modules, frame_place(&frame[at])))
        at = next_in_program(modules, frame, frames, at + 1);
    return at < frames ? at : first;
}

/* The preloaded library's functions that stand for one of MPI have its name, with something before it, perhaps. */
static const char *mpi_function(const struct module *module, const char *name) {
    return module && strcmp(module->name, "libexplore_mpi.so") == 0 ? strstr(name, "MPI") : NULL;
}

/* The last function outside the program is the one that it called. */
static void tell(struct modules *modules, const struct stack_frame *library, const struct frame_function *caller, char *text,
                 size_t room) {
    const struct module *module = modules_at(modules, frame_place(library));
    struct frame_function called = frame_function(modules, library);
    const char *mpi = mpi_function(module, called.name);
    if (mpi) {
        snprintf(text, room, "in %s, called from %s", mpi, caller->name);
        return;
    }
    bool named = strncmp(called.name, "0x", 2) != 0;
    snprintf(text, room, "in %s%s%s, called from %s", named ? called.name : "", named ? " of " : "",
             module ? module->name : "no module", caller->name);
}

/* After a call through a wild pointer the program counter is in no module, but the return address is on the stack. */
static size_t walk(struct modules *modules, const struct wire_stack *stack, struct stack_frame *frame) {
    const uint32_t all = (1u << WALK_REGISTERS) - 1;
    uint64_t value[WALK_REGISTERS], caller;
    memcpy(value, stack->value, sizeof value);
    bool exact = modules_at(modules, value[REGISTER_RIP]) != NULL;
    if (!exact && read_word((void *)stack, value[REGISTER_RSP], &caller)) {
        value[REGISTER_RIP] = caller;
        value[REGISTER_RSP] += 8;
    }
    return stack_walk(modules, value, all, exact, read_word, (void *)stack, frame, WALK_FRAMES);
}

struct end_place end_place_find(struct modules *modules, const struct wire_end *end, const struct wire_stack *stack) {
    struct end_place place = {.site = end->site};
    if (!modules || !stack)
        return place;
    struct stack_frame frame[WALK_FRAMES];
    const size_t frames = walk(modules, stack, frame), at = find_program(modules, frame, frames);
    if (at == frames)
        return place;
    struct frame_function function = frame_function(modules, &frame[at]);
    place.site = frame_place(&frame[at]) + 1;
    if (end->kind != WIRE_CRASH)
        return place;
    if (at == 0)
        snprintf(place.text, sizeof place.text, "in %s", function.name);
    else
        tell(modules, &frame[at - 1], &function, place.text, sizeof place.text);
    return place;
}
