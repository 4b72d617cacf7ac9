#include "explorer/debug_information/modules.h"

#include "explorer/containers/memory.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

struct modules {
    Dwfl *dwfl;
    struct module *module;
    size_t count, room;
    void *walk;
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_linux_proc_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
};

const char *path_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool begins_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static enum module_kind kind_of(const char *path, bool executable) {
    static const char *const folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/local/lib/", "["};
    if (executable)
        return MODULE_PROGRAM;
    if (strcmp(path_base(path), "libexplore_mpi.so") == 0)
        return MODULE_OWN;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (begins_with(path, folders[i]))
            return MODULE_LIBRARY;
    return MODULE_PROGRAM;
}

/* The addresses of all loaded segments: the mappings of the file end where .bss begins. */
static void find_extent(struct module *module) {
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(module->module, &bias);
    size_t headers = 0;
    if (!elf || elf_getphdrnum(elf, &headers) != 0)
        return;
    module->bias = bias;
    for (size_t i = 0; i < headers; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
            continue;
        uint64_t start = header.p_vaddr + bias, end = start + header.p_memsz;
        module->low = start < module->low ? start : module->low;
        module->high = end > module->high ? end : module->high;
    }
}

static int add_module(Dwfl_Module *found, void **user, const char *name, Dwarf_Addr start, void *context) {
    (void)user;
    struct modules *modules = context;
    Dwarf_Addr end;
    const char *path = dwfl_module_info(found, NULL, NULL, &end, NULL, NULL, NULL, NULL);
    path = path ? path : name;
    modules->module = memory_room(modules->module, &modules->room, modules->count, sizeof *modules->module);
    struct module *module = &modules->module[modules->count];
    /* The executable is mapped lowest. */
    *module = (struct module){.module = found, .kind = kind_of(path, modules->count == 0), .low = start, .high = end};
    module->name = path_base(path);
    modules->count++;
    find_extent(module);
    return DWARF_CB_OK;
}

struct modules *modules_load(pid_t pid) {
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (!dwfl)
        return NULL;
    dwfl_report_begin(dwfl);
    if (dwfl_linux_proc_report(dwfl, pid) != 0 || dwfl_report_end(dwfl, NULL, NULL) != 0) {
        dwfl_end(dwfl);
        return NULL;
    }
    struct modules *modules = memory_take_zeroed(sizeof *modules);
    modules->dwfl = dwfl;
    dwfl_getmodules(dwfl, add_module, modules, 0);
    return modules;
}

void modules_free(struct modules *modules) {
    if (!modules)
        return;
    dwfl_end(modules->dwfl);
    free(modules->module);
    free(modules);
}

Dwfl *modules_dwfl(const struct modules *modules) { return modules->dwfl; }

void **modules_walk_place(struct modules *modules) { return &modules->walk; }

struct module *modules_list(struct modules *modules, size_t *count) {
    *count = modules->count;
    return modules->module;
}

struct module *modules_at(struct modules *modules, uint64_t address) {
    for (size_t i = 0; i < modules->count; i++)
        if (address >= modules->module[i].low && address < modules->module[i].high)
            return &modules->module[i];
    return NULL;
}

bool modules_allocates_for_program(struct modules *modules, uint64_t address) {
    const struct module *module = modules_at(modules, address);
    return module && (module->kind == MODULE_PROGRAM || begins_with(module->name, "libstdc++."));
}

const struct module *modules_by_bias(const struct modules *modules, uint64_t bias) {
    for (size_t i = 0; i < modules->count; i++)
        if (modules->module[i].bias == bias)
            return &modules->module[i];
    return NULL;
}

bool modules_in_program(struct modules *modules, uint64_t address) {
    const struct module *module = modules_at(modules, address);
    return module && module->kind == MODULE_PROGRAM;
}

const char *module_symbol(Dwfl_Module *module, uint64_t address, uint64_t *offset) {
    GElf_Off inside;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(module, address, &inside, &symbol, NULL, NULL, NULL);
    if (!name || inside >= symbol.st_size)
        return NULL;
    *offset = inside;
    return name;
}

/* The quick way needs a section (.debug_aranges) that not all compilers write. */
Dwarf_Die *modules_unit(struct modules *modules, uint64_t address, Dwarf_Addr *bias) {
    const struct module *module = modules_at(modules, address);
    Dwarf_Die *unit = module ? dwfl_module_addrdie(module->module, address, bias) : NULL;
    if (unit || !module)
        return unit;
    while ((unit = dwfl_module_nextcu(module->module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) == 1)
            return unit;
    return NULL;
}

int modules_scopes(struct modules *modules, uint64_t address, Dwarf_Die **scopes, Dwarf_Addr *bias) {
    Dwarf_Die *unit = modules_unit(modules, address, bias), *containing, innermost;
    *scopes = NULL;
    if (!unit || dwarf_getscopes(unit, address - *bias, &containing) <= 0)
        return 0;
    /* Those of an inlined function would go on where it was written, not where it was inlined. */
    innermost = containing[0];
    free(containing);
    int count = dwarf_getscopes_die(&innermost, scopes);
    return count < 0 ? 0 : count;
}

/* What comes with a compiler or a library. */
static bool in_system_header(const char *file) {
    return strncmp(file, "/usr/include/", 13) == 0 || strncmp(file, "/usr/lib/", 9) == 0;
}

/* Where an inlined function was called. */
static bool line_of_call(Dwarf_Die *inlined, const char **file, int *line) {
    Dwarf_Attribute attribute;
    Dwarf_Word number_of_file, number;
    Dwarf_Die unit;
    Dwarf_Files *files;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &number_of_file) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) != 0 ||
        !dwarf_diecu(inlined, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, NULL) != 0)
        return false;
    const char *path = dwarf_filesrc(files, number_of_file, NULL, NULL);
    if (!path)
        return false;
    *file = path;
    *line = (int)number;
    return true;
}

static void leave_system_headers(struct modules *modules, uint64_t address, const char **file, int *line) {
    Dwarf_Addr bias;
    Dwarf_Die *scope;
    int scopes = modules_scopes(modules, address, &scope, &bias);
    for (int i = 0; i < scopes && in_system_header(*file); i++)
        if (dwarf_tag(&scope[i]) == DW_TAG_inlined_subroutine && !line_of_call(&scope[i], file, line))
            break;
    free(scope);
}

bool modules_line(struct modules *modules, uint64_t address, const char **file, int *line) {
    Dwarf_Addr bias;
    Dwarf_Die *unit = modules_unit(modules, address, &bias);
    Dwarf_Line *found = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
    *file = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
    if (!*file || dwarf_lineno(found, line) != 0)
        return false;
    if (in_system_header(*file))
        leave_system_headers(modules, address, file, line);
    return true;
}

bool modules_line_of_system(struct modules *modules, uint64_t address) {
    const char *file;
    int line;
    return modules_line(modules, address, &file, &line) && in_system_header(file);
}
