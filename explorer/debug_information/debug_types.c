#include "explorer/debug_information/debug_types.h"

#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool debug_type_of(Dwarf_Die *die, Dwarf_Die *type) {
    Dwarf_Attribute attribute;
    Dwarf_Die named;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, &named) &&
           dwarf_peel_type(&named, type) == 0;
}

uint64_t debug_type_size(Dwarf_Die *type) {
    Dwarf_Word size;
    return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

/* --- from an object to the part that holds a byte --------------------------------------------------------------------- */

static void append(struct debug_leaf *leaf, const char *format, const char *name, uint64_t number) {
    size_t used = strlen(leaf->path);
    if (name)
        snprintf(leaf->path + used, sizeof leaf->path - used, format, name);
    else
        snprintf(leaf->path + used, sizeof leaf->path - used, format, number);
}

static bool constant(Dwarf_Die *die, unsigned name, uint64_t *value) {
    Dwarf_Attribute attribute;
    Dwarf_Word word;
    if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &word) != 0)
        return false;
    *value = word;
    return true;
}

static bool is_character(Dwarf_Die *type) {
    uint64_t encoding;
    return dwarf_tag(type) == DW_TAG_base_type && debug_type_size(type) == 1 && constant(type, DW_AT_encoding, &encoding) &&
           (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
}

enum { DIMENSIONS = 8 };

struct dimension {
    uint64_t first, count; /* first index; number of elements, UINT64_MAX if not known */
};

/* Indices begin at 1, and the first one varies fastest. */
static bool is_fortran(Dwarf_Die *die) {
    Dwarf_Die unit;
    switch (dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08: return true;
    default: return false;
    }
}

static unsigned dimensions_of(Dwarf_Die *array, struct dimension dimension[DIMENSIONS]) {
    unsigned count = 0;
    Dwarf_Die child;
    for (int more = dwarf_child(array, &child); more == 0 && count < DIMENSIONS; more = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_subrange_type)
            continue;
        struct dimension *here = &dimension[count++];
        uint64_t last;
        *here = (struct dimension){is_fortran(array), UINT64_MAX};
        constant(&child, DW_AT_lower_bound, &here->first);
        if (constant(&child, DW_AT_upper_bound, &last))
            here->count = last - here->first + 1;
        else
            constant(&child, DW_AT_count, &here->count);
    }
    return count;
}

/* The index in one dimension, the last of the dimensions that vary faster having been taken from `number`. */
static uint64_t take_index(const struct dimension *dimension, uint64_t *number) {
    uint64_t rest = *number;
    if (dimension->count == 0 || dimension->count == UINT64_MAX) {
        *number = 0;
        return dimension->first + rest;
    }
    *number = rest / dimension->count;
    return dimension->first + rest % dimension->count;
}

static void enter_array(struct debug_leaf *leaf, Dwarf_Die *element, uint64_t offset) {
    struct dimension dimension[DIMENSIONS];
    unsigned dimensions = dimensions_of(&leaf->type, dimension);
    uint64_t size = debug_type_size(element), number = (offset - leaf->start) / size, index[DIMENSIONS];
    bool fortran = is_fortran(&leaf->type);
    leaf->start += number * size;
    leaf->size = size;
    for (unsigned i = 0; i < dimensions; i++) {
        unsigned fastest = fortran ? i : dimensions - 1 - i;
        index[fastest] = take_index(&dimension[fastest], &number);
    }
    for (unsigned i = 0; i < dimensions; i++)
        append(leaf, fortran ? (i ? ",%" PRIu64 : "(%" PRIu64) : "[%" PRIu64 "]", NULL, index[i]);
    if (fortran && dimensions)
        append(leaf, "%s", ")", 0);
    leaf->type = *element;
}

/* Padding reaches to the next member. */
static void enter_padding(struct debug_leaf *leaf, uint64_t start, uint64_t end) {
    append(leaf, "%s", " (padding)", 0);
    leaf->start = start;
    leaf->size = end - start;
    leaf->typed = false;
}

static void enter_structure(struct debug_leaf *leaf, uint64_t offset) {
    uint64_t end = leaf->start + leaf->size;
    Dwarf_Die child, type;
    for (int more = dwarf_child(&leaf->type, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
        uint64_t at = 0, bits = 0;
        int tag = dwarf_tag(&child);
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || dwarf_hasattr(&child, DW_AT_external) ||
            !debug_type_of(&child, &type))
            continue;
        constant(&child, DW_AT_data_member_location, &at);
        bool bit_field = constant(&child, DW_AT_data_bit_offset, &bits) || dwarf_hasattr(&child, DW_AT_bit_size);
        uint64_t start = leaf->start + at + bits / 8, size = bit_field ? 1 : debug_type_size(&type);
        if (bit_field) {
            uint64_t width = 8;
            constant(&child, DW_AT_bit_size, &width);
            size = (bits % 8 + width + 7) / 8;
        }
        if (start > offset) {
            end = start < end ? start : end;
            continue;
        }
        if (offset >= start + size)
            continue;
        const char *name = dwarf_diename(&child);
        if (name)
            append(leaf, is_fortran(&leaf->type) ? "%%%s" : ".%s", name, 0);
        leaf->start = start;
        leaf->size = size;
        leaf->type = type;
        leaf->typed = !bit_field;
        return;
    }
    enter_padding(leaf, offset, end);
}

struct debug_leaf debug_type_leaf(Dwarf_Die *type, uint64_t size, uint64_t offset) {
    struct debug_leaf leaf = {.size = size, .type = *type, .typed = true};
    for (;;) {
        Dwarf_Die element;
        switch (leaf.typed ? dwarf_tag(&leaf.type) : DW_TAG_base_type) {
        case DW_TAG_array_type:
            if (!debug_type_of(&leaf.type, &element) || debug_type_size(&element) == 0)
                return leaf;
            if (is_character(&element))
                return leaf;
            enter_array(&leaf, &element, offset);
            break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type: enter_structure(&leaf, offset); break;
        case DW_TAG_union_type: leaf.typed = false; return leaf;
        default: return leaf;
        }
    }
}

/* --- values ---------------------------------------------------------------------------------------------------------- */

enum { SHOWN_BYTES = 16, SHOWN_CHARACTERS = 60 };

static void format_bytes(const unsigned char *bytes, size_t size, char *text, size_t room) {
    size_t used = 0;
    *text = 0;
    for (size_t i = 0; i < size && i < SHOWN_BYTES && used + 4 < room; i++)
        used += (size_t)snprintf(text + used, room - used, i ? " %02x" : "%02x", bytes[i]);
    if (size > SHOWN_BYTES)
        snprintf(text + used, room - used, " …");
}

static void format_characters(const char *bytes, size_t size, char *text, size_t room) {
    size_t length = strnlen(bytes, size), used = 0;
    for (size_t i = 0; i < length; i++)
        if (!isprint((unsigned char)bytes[i]) && !isspace((unsigned char)bytes[i])) {
            format_bytes((const unsigned char *)bytes, size, text, room);
            return;
        }
    used += (size_t)snprintf(text, room, "\"");
    for (size_t i = 0; i < length && i < SHOWN_CHARACTERS; i++) {
        const char *escape = bytes[i] == '\n' ? "\\n" : bytes[i] == '\t' ? "\\t" : NULL;
        used += (size_t)(escape ? snprintf(text + used, room - used, "%s", escape)
                                : snprintf(text + used, room - used, "%c", bytes[i]));
    }
    snprintf(text + used, room - used, length > SHOWN_CHARACTERS ? "…\"" : "\"");
}

static int64_t signed_value(const void *bytes, size_t size) {
    uint64_t value = 0;
    memcpy(&value, bytes, size);
    unsigned unused = 64 - 8 * (unsigned)size;
    return (int64_t)(value << unused) >> unused;
}

static uint64_t unsigned_value(const void *bytes, size_t size) {
    uint64_t value = 0;
    memcpy(&value, bytes, size);
    return value;
}

/* False: not a floating-point type of C. */
static bool format_float(const void *bytes, size_t size, char *text, size_t room) {
    float single;
    double value;
    long double extended;
    switch (size) {
    case sizeof single:
        memcpy(&single, bytes, size);
        snprintf(text, room, "%.9g", (double)single);
        return true;
    case sizeof value:
        memcpy(&value, bytes, size);
        snprintf(text, room, "%.15g", value);
        if (strtod(text, NULL) != value)
            snprintf(text, room, "%.17g", value);
        return true;
    case sizeof extended:
        memcpy(&extended, bytes, size);
        snprintf(text, room, "%.21Lg", extended);
        return true;
    default: return false;
    }
}

static bool format_base(Dwarf_Die *type, const void *bytes, size_t size, char *text, size_t room) {
    uint64_t encoding;
    if (!constant(type, DW_AT_encoding, &encoding))
        return false;
    if (encoding == DW_ATE_float)
        return format_float(bytes, size, text, room);
    if (size > 8 || size == 0)
        return false;
    uint64_t value = unsigned_value(bytes, size);
    if (encoding == DW_ATE_signed_char && isprint((int)value)) {
        snprintf(text, room, "'%c'", (int)value);
        return true;
    }
    switch (encoding) {
    case DW_ATE_boolean: snprintf(text, room, "%s", value ? "true" : "false"); return true;
    case DW_ATE_signed_char:
    case DW_ATE_signed: snprintf(text, room, "%" PRId64, signed_value(bytes, size)); return true;
    case DW_ATE_unsigned_char:
    case DW_ATE_unsigned: snprintf(text, room, "%" PRIu64, value); return true;
    default: return false;
    }
}

static void format_enumeration(Dwarf_Die *type, const void *bytes, size_t size, char *text, size_t room) {
    int64_t value = signed_value(bytes, size);
    Dwarf_Die child;
    for (int more = dwarf_child(type, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
        Dwarf_Attribute attribute;
        Dwarf_Sword number;
        if (dwarf_tag(&child) == DW_TAG_enumerator && dwarf_attr(&child, DW_AT_const_value, &attribute) &&
            dwarf_formsdata(&attribute, &number) == 0 && number == value) {
            snprintf(text, room, "%s", dwarf_diename(&child));
            return;
        }
    }
    snprintf(text, room, "%" PRId64, value);
}

void debug_type_format(Dwarf_Die *type, const void *bytes, size_t size, char *text, size_t room) {
    Dwarf_Die element;
    switch (type ? dwarf_tag(type) : 0) {
    case DW_TAG_base_type:
        if (format_base(type, bytes, size, text, room))
            return;
        break;
    case DW_TAG_enumeration_type:
        if (size <= 8 && size > 0) {
            format_enumeration(type, bytes, size, text, room);
            return;
        }
        break;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
        if (size == 8) {
            if (unsigned_value(bytes, 8))
                snprintf(text, room, "0x%" PRIx64, unsigned_value(bytes, 8));
            else
                snprintf(text, room, "NULL");
            return;
        }
        break;
    case DW_TAG_array_type:
        if (debug_type_of(type, &element) && is_character(&element)) {
            format_characters(bytes, size, text, room);
            return;
        }
        break;
    default: break;
    }
    format_bytes(bytes, size, text, room);
}
