/* The stacks of two states: frames are paired from the outermost inwards as long as they are of the same function; of each pair,
 * the local variables are compared, wherever the compiler keeps them, then the place reached, then the bytes that are left. */
#include "explorer/containers/memory.h"
#include "explorer/local_states/state_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct side {
    const struct comparison *comparison;
    int which;
    uint64_t stack_pointer;
    struct stack_frame frame[WALK_FRAMES];
    struct frame_function function[WALK_FRAMES];
    size_t frames;
    struct frame_variable *variable; /* of one frame */
    size_t variables, variable_room;
};

/* Bytes of the first stack whose difference has been explained. */
struct span {
    uint64_t start, end;
};

struct stacks {
    struct comparison *comparison;
    struct side *side[2];
    struct span *span;
    size_t spans, span_room;
};

static bool read_word(void *context, uint64_t address, uint64_t *word) {
    const struct side *side = context;
    const struct comparison *comparison = side->comparison;
    return captured_read(comparison->memory, comparison->root[side->which], address, word, sizeof *word);
}

/* A blocked rank has its registers on its stack, as step_boundary.S leaves them:
 *     control words, r15, r14, r13, r12, rbx, rbp, return address */
static bool walk(struct side *side) {
    static const int saved[] = {15, 14, 13, 12, REGISTER_RBX, REGISTER_RBP, REGISTER_RIP};
    uint64_t value[WALK_REGISTERS] = {0}, at;
    uint32_t known = 1u << REGISTER_RSP;
    const struct comparison *comparison = side->comparison;
    if (!read_word(side, comparison->memory->layout->stack_pointer_at, &at))
        return false;
    side->stack_pointer = at;
    for (size_t i = 0; i < sizeof saved / sizeof *saved; i++) {
        at += 8;
        if (!read_word(side, at, &value[saved[i]]))
            return false;
        known |= 1u << saved[i];
    }
    value[REGISTER_RSP] = at + 8;
    side->frames = stack_walk(comparison->modules, value, known, false, read_word, side, side->frame, WALK_FRAMES);
    for (size_t i = 0; i < side->frames; i++)
        side->function[i] = frame_function(comparison->modules, &side->frame[i]);
    return side->frames > 0;
}

static void cover(struct stacks *stacks, uint64_t start, uint64_t size) {
    stacks->span = memory_room(stacks->span, &stacks->span_room, stacks->spans, sizeof *stacks->span);
    stacks->span[stacks->spans++] = (struct span){start, start + size};
}

static bool in_program(const struct stacks *stacks, const struct stack_frame *frame) {
    return modules_in_program(stacks->comparison->modules, frame_place(frame));
}

/* As a debugger counts them: 0 is the MPI function, 1 the function that called it. */
static unsigned frame_number(const struct stacks *stacks, const struct side *side, size_t at) {
    unsigned number = 1;
    for (size_t i = 0; i < at; i++)
        number += in_program(stacks, &side->frame[i]);
    return number;
}

/* --- local variables ------------------------------------------------------------------------------------------------- */

static void keep_variable(void *visitor, const struct frame_variable *variable) {
    struct side *side = visitor;
    side->variable = memory_room(side->variable, &side->variable_room, side->variables, sizeof *side->variable);
    side->variable[side->variables++] = *variable;
}

static void list_variables(struct side *side, size_t frame) {
    side->variables = 0;
    frame_variables(side->comparison->modules, &side->frame[frame], read_word, side, keep_variable, side);
}

static const struct frame_variable *same_variable(const struct side *side, const struct frame_variable *wanted) {
    for (size_t i = 0; i < side->variables; i++)
        if (side->variable[i].die.addr == wanted->die.addr)
            return &side->variable[i];
    return NULL;
}

static bool value_of(const struct side *side, const struct frame_variable *variable, uint64_t *value) {
    *value = variable->place;
    uint64_t mask = variable->size < 8 ? (1ull << (8 * variable->size)) - 1 : UINT64_MAX;
    if (variable->in_memory) {
        *value = 0;
        if (!captured_read(side->comparison->memory, side->comparison->root[side->which], variable->place, value,
                           variable->size))
            return false;
    }
    *value &= mask;
    return true;
}

/* At least one of the two is in a register or is a constant. */
static void compare_values(struct stacks *stacks, const struct frame_variable *const variable[2], const char *name) {
    uint64_t value[2];
    if (variable[0]->size > 8 || !value_of(stacks->side[0], variable[0], &value[0]) ||
        !value_of(stacks->side[1], variable[1], &value[1]) || value[0] == value[1])
        return;
    struct difference difference = {.kind = DIFFERENT_LOCAL, .size = variable[0]->size, .name = strdup(name)};
    for (int which = 0; which < 2; which++) {
        char text[VALUE_ROOM];
        Dwarf_Die type = variable[which]->type;
        debug_type_format(&type, &value[which], variable[which]->size, text, sizeof text);
        difference.value[which] = strdup(text);
    }
    state_difference_add(stacks->comparison->found, &difference);
}

static void compare_variable(struct stacks *stacks, const struct frame_variable *const variable[2], unsigned number) {
    char before[NAME_ROOM], after[NAME_ROOM], whole[2 * NAME_ROOM];
    Dwarf_Die die = variable[0]->die, type = variable[0]->type;
    const char *name = dwarf_diename(&die), *file = dwarf_decl_file(&die);
    int line = 0;
    dwarf_decl_line(&die, &line);
    snprintf(before, sizeof before, "local variable \"%s", name ? name : "(unnamed)");
    snprintf(after, sizeof after, "\" of %s() (%s:%d), frame %u", variable[0]->function, file ? path_base(file) : "?", line,
             number);
    if (!variable[0]->in_memory || !variable[1]->in_memory) {
        snprintf(whole, sizeof whole, "%s%s", before, after);
        compare_values(stacks, variable, whole);
        return;
    }
    const struct comparison *comparison = stacks->comparison;
    struct captured_pair object = {
        {comparison->root[0], comparison->root[1]}, {variable[0]->place, variable[1]->place}, variable[0]->size};
    compare_typed(stacks->comparison, DIFFERENT_LOCAL, &object, &type, before, after);
    cover(stacks, variable[0]->place, variable[0]->size);
}

static void compare_frames(struct stacks *stacks, size_t a, size_t b) {
    struct side *const *side = stacks->side;
    unsigned number = frame_number(stacks, side[0], a);
    list_variables(side[0], a);
    list_variables(side[1], b);
    for (size_t i = 0; i < side[0]->variables; i++) {
        const struct frame_variable *variable[2] = {&side[0]->variable[i], same_variable(side[1], &side[0]->variable[i])};
        if (variable[1])
            compare_variable(stacks, variable, number);
    }
    if (side[0]->frame[a].pc == side[1]->frame[b].pc)
        return;
    struct difference difference = {.kind = DIFFERENT_STACK, .address = side[0]->frame[a].value[REGISTER_RSP] - 8, .size = 8};
    if (asprintf(&difference.name, "place reached in %s(), frame %u", side[0]->function[a].name, number) < 0)
        difference.name = strdup("");
    difference.value[0] = strdup(side[0]->function[a].line);
    difference.value[1] = strdup(side[1]->function[b].line);
    state_difference_add(stacks->comparison->found, &difference);
}

/* --- the rest -------------------------------------------------------------------------------------------------------- */

/* From where on `at` is explained: the end of the span that holds it, or `at` itself. */
static uint64_t skip_covered(const struct stacks *stacks, uint64_t at) {
    for (size_t i = 0; i < stacks->spans; i++)
        if (at >= stacks->span[i].start && at < stacks->span[i].end)
            return skip_covered(stacks, stacks->span[i].end);
    return at;
}

static uint64_t next_covered(const struct stacks *stacks, uint64_t at, uint64_t end) {
    for (size_t i = 0; i < stacks->spans; i++)
        if (stacks->span[i].start > at && stacks->span[i].start < end)
            end = stacks->span[i].start;
    return end;
}

/* The return addresses of frames that are at different places have been told as such. */
static void cover_return_address(struct stacks *stacks, const struct stack_frame *frame) {
    if (frame->cfa)
        cover(stacks, frame->cfa - 8, 8);
}

/* What differs within [start, end), which is the frame `at` of the first stack and has the same place in the second. */
static void compare_bytes(struct stacks *stacks, size_t at, uint64_t start, uint64_t end) {
    struct comparison *comparison = stacks->comparison;
    const struct side *side = stacks->side[0];
    bool program = in_program(stacks, &side->frame[at]);
    for (uint64_t begin = skip_covered(stacks, start); begin < end;) {
        uint64_t limit = next_covered(stacks, begin, end), offset = 0;
        struct captured_pair pair = {{comparison->root[0], comparison->root[1]}, {begin, begin}, limit - begin};
        if (!captured_next_difference(comparison->memory, &pair, &offset)) {
            begin = skip_covered(stacks, limit);
            continue;
        }
        begin += offset;
        pair = (struct captured_pair){{comparison->root[0], comparison->root[1]}, {begin, begin}, limit - begin};
        pair.size = compare_run(comparison, &pair, 0);
        if (program)
            compare_add(comparison, DIFFERENT_STACK, &pair, NULL, "frame of %s() (%s), frame %u, +%" PRIu64,
                        side->function[at].name, side->function[at].line, frame_number(stacks, side, at), begin - start);
        else
            compare_add(comparison, DIFFERENT_OWN, &pair, NULL, "frame of %s() in %s, +%" PRIu64, side->function[at].name,
                        side->function[at].line, begin - start);
        begin = skip_covered(stacks, begin + pair.size);
    }
}

/* The frames that have no counterpart: which functions they are. */
static void tell_lone_frames(struct stacks *stacks, size_t paired) {
    struct side *const *side = stacks->side;
    struct difference difference = {.kind = DIFFERENT_STACK, .address = side[0]->stack_pointer, .name = strdup("call stack")};
    for (int which = 0; which < 2; which++) {
        char text[NAME_ROOM] = "";
        for (size_t i = side[which]->frames - paired; i-- > 0;) {
            size_t used = strlen(text);
            if (in_program(stacks, &side[which]->frame[i]) || i == side[which]->frames - paired - 1)
                snprintf(text + used, sizeof text - used, "%s%s() (%s)", used ? " > " : "", side[which]->function[i].name,
                         side[which]->function[i].line);
        }
        difference.value[which] = strdup(text[0] ? text : "(no more)");
    }
    state_difference_add(stacks->comparison->found, &difference);
}

static void compare_all_frames(struct stacks *stacks) {
    const struct side *a = stacks->side[0], *b = stacks->side[1];
    size_t most = a->frames < b->frames ? a->frames : b->frames, paired = 0;
    while (paired < most) {
        size_t i = a->frames - 1 - paired, k = b->frames - 1 - paired;
        if (a->function[i].start != b->function[k].start || (a->function[i].start == 0 && a->frame[i].pc != b->frame[k].pc))
            break;
        if (in_program(stacks, &a->frame[i]))
            compare_frames(stacks, i, k);
        if (i && a->frame[i].pc != b->frame[k].pc)
            cover_return_address(stacks, &a->frame[i - 1]);
        paired++;
    }
    if (paired < a->frames || paired < b->frames)
        tell_lone_frames(stacks, paired);
    uint64_t top = a->stack_pointer;
    for (size_t i = 0; i < a->frames; i++) {
        uint64_t end = a->frame[i].cfa;
        bool counterpart = i + paired >= a->frames && end == b->frame[i + b->frames - a->frames].cfa;
        if (end == 0)
            break;
        if (counterpart)
            compare_bytes(stacks, i, top, end);
        top = end;
    }
}

static struct side *new_side(const struct comparison *comparison, int which) {
    struct side *side = memory_take_zeroed(sizeof *side);
    side->comparison = comparison;
    side->which = which;
    return side;
}

void visit_locals(struct comparison *comparison, void (*visit)(void *visitor, const struct frame_variable *variable),
                  void *visitor) {
    if (!comparison->modules)
        return;
    struct side *side = new_side(comparison, 0);
    walk(side);
    for (size_t i = 0; i < side->frames; i++)
        if (modules_in_program(comparison->modules, frame_place(&side->frame[i])))
            frame_variables(comparison->modules, &side->frame[i], read_word, side, visit, visitor);
    free(side);
}

void compare_stacks(struct comparison *comparison) {
    if (!comparison->modules)
        return;
    struct stacks stacks = {.comparison = comparison};
    bool walked = true;
    for (int which = 0; which < 2; which++) {
        stacks.side[which] = new_side(comparison, which);
        walked = walk(stacks.side[which]) && walked;
    }
    if (walked)
        compare_all_frames(&stacks);
    for (int which = 0; which < 2; which++) {
        free(stacks.side[which]->variable);
        free(stacks.side[which]);
    }
    free(stacks.span);
}
