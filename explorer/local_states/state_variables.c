/* Data of the program and of libraries: by debugging information where there is some, else by the symbol, else by the section. */
#include "explorer/local_states/state_parts.h"

#include "explorer/containers/memory.h"
#include "explorer/debug_information/source_names.h"

#include <dwarf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the index of variables ------------------------------------------------------------------------------------------ */

struct indexing {
    struct comparison *comparison;
    struct module *module;
    uint64_t bias;         /* of the debugging information */
    uint64_t thread_block; /* where the module's thread-local variables are; 0: it has none */
};

/* Where the expression says that the variable is; 0: not at a fixed place. */
static uint64_t place_of(const struct indexing *indexing, Dwarf_Attribute *location, bool *thread_local_) {
    Dwarf_Op *operation;
    size_t count;
    if (dwarf_getlocation(location, &operation, &count) != 0 || count == 0)
        return 0;
    uint64_t number = operation[0].number;
    Dwarf_Attribute indirect;
    if (operation[0].atom == DW_OP_addrx &&
        (dwarf_getlocation_attr(location, &operation[0], &indirect) != 0 || dwarf_formaddr(&indirect, &number) != 0))
        return 0;
    uint8_t last = operation[count - 1].atom;
    *thread_local_ = count == 2 && (last == DW_OP_GNU_push_tls_address || last == DW_OP_form_tls_address);
    if (*thread_local_)
        return indexing->thread_block ? indexing->thread_block + number : 0;
    bool fixed = count == 1 && (operation[0].atom == DW_OP_addr || operation[0].atom == DW_OP_addrx);
    return fixed ? number + indexing->bias : 0;
}

static void add_variable(const struct indexing *indexing, Dwarf_Die *die) {
    struct comparison *comparison = indexing->comparison;
    Dwarf_Attribute location;
    Dwarf_Die type;
    struct static_variable variable = {.module = indexing->module, .die = *die};
    if (!dwarf_attr(die, DW_AT_location, &location))
        return;
    variable.start = place_of(indexing, &location, &variable.thread_local_);
    variable.size = debug_type_of(die, &type) ? debug_type_size(&type) : 0;
    if (variable.start == 0 || variable.size == 0)
        return;
    comparison->variable =
        memory_room(comparison->variable, &comparison->variable_room, comparison->variables, sizeof *comparison->variable);
    comparison->variable[comparison->variables++] = variable;
}

static void index_children(const struct indexing *indexing, Dwarf_Die *parent) {
    Dwarf_Die child;
    for (int more = dwarf_child(parent, &child); more == 0; more = dwarf_siblingof(&child, &child))
        switch (dwarf_tag(&child)) {
        case DW_TAG_variable: add_variable(indexing, &child); break;
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
        case DW_TAG_inlined_subroutine:
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_common_block: index_children(indexing, &child); break;
        default: break;
        }
}

static uint64_t thread_block_of(const struct comparison *comparison, const struct module *module) {
    const struct memory_layout *layout = comparison->memory->layout;
    for (uint32_t i = 0; i < layout->thread_blocks; i++)
        if (layout->thread_block[i].module == module->bias)
            return layout->thread_block[i].start;
    return 0;
}

static int by_start(const void *a, const void *b) {
    uint64_t x = ((const struct static_variable *)a)->start, y = ((const struct static_variable *)b)->start;
    return x < y ? -1 : x > y;
}

void variables_index(struct comparison *comparison) {
    size_t count = 0;
    struct module *module = comparison->modules ? modules_list(comparison->modules, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (module[i].kind == MODULE_LIBRARY)
            continue; /* its symbols must do */
        struct indexing indexing = {
            .comparison = comparison, .module = &module[i], .thread_block = thread_block_of(comparison, &module[i])};
        Dwarf_Addr bias;
        for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module[i].module, unit, &bias));) {
            indexing.bias = bias;
            index_children(&indexing, unit);
        }
    }
    if (comparison->variables)
        qsort(comparison->variable, comparison->variables, sizeof *comparison->variable, by_start);
}

static const struct static_variable *variable_at(const struct comparison *comparison, uint64_t address) {
    size_t low = 0, high = comparison->variables;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (comparison->variable[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct static_variable *variable = low ? &comparison->variable[low - 1] : NULL;
    return variable && address < variable->start + variable->size ? variable : NULL;
}

/* --- names ----------------------------------------------------------------------------------------------------------- */

static enum difference_kind kind_in(const struct module *module) {
    switch (module->kind) {
    case MODULE_PROGRAM: return DIFFERENT_VARIABLE;
    case MODULE_OWN: return DIFFERENT_OWN;
    default: return DIFFERENT_LIBRARY;
    }
}

static void compare_variable(struct comparison *comparison, const struct static_variable *variable) {
    Dwarf_Die die = variable->die, type;
    Dwarf_Attribute attribute;
    bool external = false;
    int line = 0;
    if (dwarf_attr_integrate(&die, DW_AT_external, &attribute))
        dwarf_formflag(&attribute, &external);
    dwarf_decl_line(&die, &line);
    const char *file = dwarf_decl_file(&die), *name = dwarf_diename(&die);
    char before[NAME_ROOM], after[NAME_ROOM];
    snprintf(before, sizeof before, "variable \"%s", name ? name : "(unnamed)");
    snprintf(after, sizeof after, "\" (%s, %s:%d)",
             variable->thread_local_ ? "thread-local"
             : external              ? "global"
                                     : "static",
             file ? path_base(file) : "?", line);
    struct captured_pair object = {
        {comparison->root[0], comparison->root[1]}, {variable->start, variable->start}, variable->size};
    if (debug_type_of(&die, &type))
        compare_typed(comparison, kind_in(variable->module), &object, &type, before, after);
}

/* ".bss" or another section that holds the address; "" if none does. */
static const char *section_at(const struct module *module, uint64_t address) {
    GElf_Addr bias;
    size_t names;
    Elf *elf = dwfl_module_getelf(module->module, &bias);
    if (!elf || elf_getshdrstrndx(elf, &names) != 0)
        return "";
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_ALLOC) && !(header.sh_flags & SHF_TLS) &&
            address - bias >= header.sh_addr && address - bias < header.sh_addr + header.sh_size)
            return elf_strptr(elf, names, header.sh_name);
    }
    return "";
}

static uint64_t compare_symbol(struct comparison *comparison, const struct module *module, struct captured_pair *rest) {
    uint64_t address = rest->address[0];
    uint64_t offset;
    const char *section = section_at(module, address), *name = module_symbol(module->module, address, &offset);
    rest->size = compare_run(comparison, rest, 0);
    if (name)
        compare_add(comparison, kind_in(module), rest, NULL, "%s %s, symbol \"%s\" +%" PRIu64, module->name, section,
                    source_name_of_symbol(name).text, offset);
    else
        compare_add(comparison, kind_in(module), rest, NULL, "%s %s at 0x%" PRIx64, module->name, section,
                    address - module->bias);
    return address + rest->size;
}

static const struct module *thread_local_module(const struct comparison *comparison, uint64_t address) {
    const struct memory_layout *layout = comparison->memory->layout;
    for (uint32_t i = 0; i < layout->thread_blocks; i++)
        if (comparison->modules && address >= layout->thread_block[i].start && address < layout->thread_block[i].end)
            return modules_by_bias(comparison->modules, layout->thread_block[i].module);
    return NULL;
}

uint64_t compare_static(struct comparison *comparison, uint64_t address, uint64_t end) {
    const struct static_variable *variable = variable_at(comparison, address);
    if (variable) {
        compare_variable(comparison, variable);
        return variable->start + variable->size;
    }
    struct captured_pair rest = {{comparison->root[0], comparison->root[1]}, {address, address}, end - address};
    const struct module *module = comparison->modules ? modules_at(comparison->modules, address) : NULL;
    if (module)
        return compare_symbol(comparison, module, &rest);
    rest.size = compare_run(comparison, &rest, 0);
    const struct module *owner = thread_local_module(comparison, address);
    if (owner)
        compare_add(comparison, kind_in(owner), &rest, NULL, "thread-local data of %s at 0x%" PRIx64, owner->name, address);
    else
        compare_add(comparison, DIFFERENT_LIBRARY, &rest, NULL, "memory at 0x%" PRIx64 " that is no module's", address);
    return address + rest.size;
}
