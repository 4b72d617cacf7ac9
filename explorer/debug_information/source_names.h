/* How the source calls a function: `collect`, `app::Exchange<int>::collect` in C++, `grid::sweep` for a procedure of a Fortran
 * module, without parameters. Without debugging information what the symbol says, in C++ with the types of the parameters. */
#ifndef EXPLORER_SOURCE_NAMES_H
#define EXPLORER_SOURCE_NAMES_H

#include "explorer/debug_information/modules.h"

enum { SOURCE_NAME_ROOM = 256 };

struct source_name {
    char text[SOURCE_NAME_ROOM]; /* cut off if it is longer; "": not known */
};

/* The function whose code is at this address; where it was inlined, the one that it was inlined into. */
struct source_name source_name_at(struct modules *modules, uint64_t address);
/* A function of the debugging information. */
struct source_name source_name_of(Dwarf_Die *function);
/* What a linker's symbol stands for. */
struct source_name source_name_of_symbol(const char *symbol);

#endif
