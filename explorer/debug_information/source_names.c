#include "explorer/debug_information/source_names.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the C++ runtime library, which has no header for C. A malloc'd name, or NULL. */
char *__cxa_demangle(const char *symbol, char *buffer, size_t *room, int *status);

static struct source_name text(const char *prefix, const char *separator, const char *name) {
    struct source_name result;
    snprintf(result.text, sizeof result.text, "%s%s%s", prefix, *prefix ? separator : "", name);
    return result;
}

/* gfortran's: "__grid_MOD_sweep". */
static bool of_fortran_module(const char *symbol, struct source_name *name) {
    const char *between = strncmp(symbol, "__", 2) == 0 ? strstr(symbol + 2, "_MOD_") : NULL;
    if (!between || between == symbol + 2 || !between[5])
        return false;
    snprintf(name->text, sizeof name->text, "%.*s::%s", (int)(between - symbol - 2), symbol + 2, between + 5);
    return true;
}

/* What the compiler adds to tell parts and nested functions apart: "collect.part.0", "inner.0". */
static void cut_off_part(char *name) {
    char *dot = *name ? strchr(name + 1, '.') : NULL;
    if (dot)
        *dot = 0;
}

struct source_name source_name_of_symbol(const char *symbol) {
    struct source_name name = {""};
    int status;
    char *demangled = symbol && strncmp(symbol, "_Z", 2) == 0 ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
    if (demangled || !symbol) {
        name = text("", "", demangled ? demangled : "");
        free(demangled);
        return name;
    }
    if (!of_fortran_module(symbol, &name))
        name = text("", "", symbol);
    cut_off_part(name.text);
    return name;
}

/* --- debugging information ------------------------------------------------------------------------------------------- */

/* What a function that is inlined, or defined outside its class, was declared as: that is where its scopes are. */
static Dwarf_Die declaration_of(Dwarf_Die *function) {
    static const unsigned origins[] = {DW_AT_abstract_origin, DW_AT_specification};
    Dwarf_Die die = *function;
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die origin;
        if (dwarf_attr(&die, origins[i], &attribute) && dwarf_formref_die(&attribute, &origin))
            die = origin;
    }
    return die;
}

/* NULL: not a scope that is part of a name. */
static const char *scope_name(Dwarf_Die *scope) {
    const char *name = dwarf_diename(scope);
    switch (dwarf_tag(scope)) {
    case DW_TAG_namespace: return name ? name : "(anonymous namespace)";
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type: return name ? name : "(anonymous class)";
    case DW_TAG_module:
    case DW_TAG_subprogram: return name;
    default: return NULL;
    }
}

struct source_name source_name_of(Dwarf_Die *function) {
    Dwarf_Die declaration = declaration_of(function), *scopes = NULL;
    struct source_name name = {""};
    const int count = dwarf_getscopes_die(&declaration, &scopes);
    for (int i = count - 1; i > 0; i--) {
        const char *scope = scope_name(&scopes[i]);
        if (scope)
            name = text(name.text, "::", scope);
    }
    free(scopes);
    const char *own = dwarf_diename(function);
    return own ? text(name.text, "::", own) : (struct source_name){""};
}

struct source_name source_name_at(struct modules *modules, uint64_t address) {
    Dwarf_Die *scopes;
    Dwarf_Addr bias;
    struct source_name name = {""};
    const int count = modules_scopes(modules, address, &scopes, &bias);
    for (int i = 0; i < count && !*name.text; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
            name = source_name_of(&scopes[i]);
    free(scopes);
    const struct module *module = *name.text ? NULL : modules_at(modules, address);
    uint64_t inside;
    return module ? source_name_of_symbol(module_symbol(module->module, address, &inside)) : name;
}
