/* Types as the program's debugging information describes them: which member or element of an object holds a byte, and how its value
 * is written. */
#ifndef EXPLORER_DEBUG_TYPES_H
#define EXPLORER_DEBUG_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The type of a variable, member or element, without typedefs and qualifiers. False: none is said. */
bool debug_type_of(Dwarf_Die *die, Dwarf_Die *type);
/* The bytes of an object of this type; 0 if not known. */
uint64_t debug_type_size(Dwarf_Die *type);

/* The smallest part of an object that has a name of its own. */
struct debug_leaf {
    char path[256];       /* ".sum", "[2].name" … ; "" for the whole object */
    uint64_t start, size; /* bytes of the object */
    Dwarf_Die type;
    bool typed; /* `type` holds; otherwise padding, a bit field, or part of a union */
};
/* The leaf that holds byte `offset`; `size` is the object's. An array of char is one leaf. */
struct debug_leaf debug_type_leaf(Dwarf_Die *type, uint64_t size, uint64_t offset);

/* Writes a value as a C programmer would: 3, 1.5, 'c', "text", RED, 0x7f…; bytes in hexadecimal if `type` is NULL or not known. */
void debug_type_format(Dwarf_Die *type, const void *bytes, size_t size, char *text, size_t room);

#endif
