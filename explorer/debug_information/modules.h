/* The executable and libraries that a process has loaded: which of them an address belongs to, and whether that one is the user's
 * program, a library of the system, or this tool's own. */
#ifndef EXPLORER_MODULES_H
#define EXPLORER_MODULES_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum module_kind {
    MODULE_PROGRAM, /* the executable, and libraries outside the system's folders */
    MODULE_LIBRARY, /* of the system */
    MODULE_OWN,     /* the preloaded library */
};

struct module {
    Dwfl_Module *module;
    enum module_kind kind;
    const char *name;   /* base name of its file */
    uint64_t low, high; /* addresses it is loaded at, .bss included */
    uint64_t bias;      /* address - address in the ELF file */
};

struct modules;

/* Those of process `pid`, as they are now. NULL: they cannot be read. */
struct modules *modules_load(pid_t pid);
void modules_free(struct modules *modules);

Dwfl *modules_dwfl(const struct modules *modules);
/* For stack_walk only: a place that lives as long as the modules. */
void **modules_walk_place(struct modules *modules);
/* All of them; the count in *count. */
struct module *modules_list(struct modules *modules, size_t *count);
/* The one loaded at `address`, or NULL. */
struct module *modules_at(struct modules *modules, uint64_t address);
/* The one with this load bias, or NULL. */
const struct module *modules_by_bias(const struct modules *modules, uint64_t bias);
/* Does the code at this address belong to the user's program? */
bool modules_in_program(struct modules *modules, uint64_t address);

/* Does this code allocate heap blocks for the program: its own code, or the C++ library's operator new? */
bool modules_allocates_for_program(struct modules *modules, uint64_t address);
/* The symbol that the address is in, and how far; NULL: in none that is known. The nearest one below would often be a lie. */
const char *module_symbol(Dwfl_Module *module, uint64_t address, uint64_t *offset);

/* The compilation unit of the code at this address, and the bias of its debugging information; NULL: none is known. */
Dwarf_Die *modules_unit(struct modules *modules, uint64_t address, Dwarf_Addr *bias);
/* The scopes around it, innermost first: lexical blocks, inlined functions, the function itself. Their number; the list, which is
 * malloc'd or NULL, in *scopes. */
int modules_scopes(struct modules *modules, uint64_t address, Dwarf_Die **scopes, Dwarf_Addr *bias);
/* Its source line, of what is inlined from a header of the system where that was called; false if it is not known. `file` is a path
 * that lives as long as the modules. */
bool modules_line(struct modules *modules, uint64_t address, const char **file, int *line);

/* Is that a line of a header of the system, as of a template's instance? */
bool modules_line_of_system(struct modules *modules, uint64_t address);

const char *path_base(const char *path);

#endif
