#include "explorer/debug_information/frame_variables.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct evaluation {
    const struct stack_frame *frame;
    walk_read read;
    void *context;
    uint64_t bias;       /* of the debugging information */
    Dwarf_Die *function; /* whose frame base fbreg means */
};

static bool register_value(const struct stack_frame *frame, unsigned number, uint64_t *value) {
    if (number >= WALK_REGISTERS || !(frame->known >> number & 1))
        return false;
    *value = frame->value[number];
    return true;
}

static bool expression_at(const struct evaluation *evaluation, Dwarf_Die *die, unsigned attribute_name, Dwarf_Op **operation,
                          size_t *count) {
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, attribute_name, &attribute) &&
           dwarf_getlocation_addr(&attribute, frame_place(evaluation->frame) - evaluation->bias, operation, count, 1) == 1 &&
           *count > 0;
}

/* Most compilers describe it as the canonical frame address, or as a register. */
static bool frame_base(const struct evaluation *evaluation, uint64_t *base) {
    Dwarf_Op *operation;
    size_t count;
    if (!expression_at(evaluation, evaluation->function, DW_AT_frame_base, &operation, &count) || count != 1)
        return false;
    if (operation[0].atom == DW_OP_call_frame_cfa) {
        *base = evaluation->frame->cfa;
        return *base != 0;
    }
    if (operation[0].atom >= DW_OP_reg0 && operation[0].atom <= DW_OP_reg31)
        return register_value(evaluation->frame, operation[0].atom - DW_OP_reg0, base);
    if (operation[0].atom >= DW_OP_breg0 && operation[0].atom <= DW_OP_breg31 &&
        register_value(evaluation->frame, operation[0].atom - DW_OP_breg0, base)) {
        *base += operation[0].number;
        return true;
    }
    return false;
}

/* One operation on the top of the stack; the few that compilers use for local variables. False: another one. */
static bool evaluate_one(const struct evaluation *evaluation, const Dwarf_Op *operation, uint64_t *top, bool *in_memory) {
    uint8_t atom = operation->atom;
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
        if (!register_value(evaluation->frame, atom - DW_OP_breg0, top))
            return false;
        *top += operation->number;
        return true;
    }
    if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
        *in_memory = false;
        return register_value(evaluation->frame, atom - DW_OP_reg0, top);
    }
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
        *top = atom - DW_OP_lit0;
        return true;
    }
    switch (atom) {
    case DW_OP_fbreg:
        if (!frame_base(evaluation, top))
            return false;
        *top += operation->number;
        return true;
    case DW_OP_call_frame_cfa: *top = evaluation->frame->cfa; return *top != 0;
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts: *top = operation->number; return true;
    case DW_OP_plus_uconst: *top += operation->number; return true;
    case DW_OP_deref: return evaluation->read(evaluation->context, *top, top);
    case DW_OP_stack_value: *in_memory = false; return true;
    default: return false;
    }
}

static bool evaluate(const struct evaluation *evaluation, Dwarf_Die *die, struct frame_variable *variable) {
    Dwarf_Op *operation;
    size_t count;
    if (!expression_at(evaluation, die, DW_AT_location, &operation, &count))
        return false;
    variable->in_memory = true;
    for (size_t i = 0; i < count; i++)
        if (!evaluate_one(evaluation, &operation[i], &variable->place, &variable->in_memory))
            return false;
    return variable->in_memory || variable->size <= 8;
}

/* --- scopes ---------------------------------------------------------------------------------------------------------- */

static bool is_function(Dwarf_Die *die) {
    int tag = dwarf_tag(die);
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

static void name_function(Dwarf_Die *scopes, int count, int at, char *name, size_t room) {
    while (at < count && !is_function(&scopes[at]))
        at++;
    struct source_name found = at < count ? source_name_of(&scopes[at]) : (struct source_name){""};
    snprintf(name, room, "%s", *found.text ? found.text : "?");
}

void frame_variables(struct modules *modules, const struct stack_frame *frame, walk_read read, void *context,
                     void (*visit)(void *visitor, const struct frame_variable *variable), void *visitor) {
    Dwarf_Die *scopes, child;
    Dwarf_Addr bias;
    int count = modules_scopes(modules, frame_place(frame), &scopes, &bias);
    int last = 0;
    while (last < count && dwarf_tag(&scopes[last]) != DW_TAG_subprogram)
        last++;
    if (last < count) {
        struct evaluation evaluation = {frame, read, context, bias, &scopes[last]};
        struct frame_variable variable;
        for (int i = 0; i <= last; i++) {
            name_function(scopes, count, i, variable.function, sizeof variable.function);
            for (int more = dwarf_child(&scopes[i], &child); more == 0; more = dwarf_siblingof(&child, &child)) {
                int tag = dwarf_tag(&child);
                if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || !debug_type_of(&child, &variable.type))
                    continue;
                variable.die = child;
                variable.size = debug_type_size(&variable.type);
                if (variable.size && evaluate(&evaluation, &child, &variable))
                    visit(visitor, &variable);
            }
        }
    }
    free(scopes);
}

struct frame_function frame_function(struct modules *modules, const struct stack_frame *frame) {
    struct frame_function function = {0};
    uint64_t place = frame_place(frame);
    const struct module *module = modules_at(modules, place);
    Dwarf_Die *scopes;
    Dwarf_Addr bias;
    int count = modules_scopes(modules, place, &scopes, &bias);
    for (int i = 0; i < count && !function.start; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram && dwarf_diename(&scopes[i]))
            function.start = dwarf_dieoffset(&scopes[i]) + bias; /* only has to tell functions apart */
    free(scopes);
    uint64_t offset = 0;
    if (module && module_symbol(module->module, place, &offset))
        function.start = place - offset;
    struct source_name name = source_name_at(modules, place);
    if (*name.text)
        snprintf(function.name, sizeof function.name, "%s", name.text);
    else
        snprintf(function.name, sizeof function.name, "0x%" PRIx64, place);
    int number;
    const char *file;
    if (modules_line(modules, place, &file, &number))
        snprintf(function.line, sizeof function.line, "%s:%d", path_base(file), number);
    else
        snprintf(function.line, sizeof function.line, "%s", module ? module->name : "?");
    return function;
}
