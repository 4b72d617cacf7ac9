/* The textual form of described objects: names, types and values. */
#include "models/dps/members.h"

#include <string.h>

enum { INDENT = 4 };

static void write_members(const struct dps_type *type, const void *object, FILE *file, int indent);

static void write_values(const struct dps_member *member, struct elements elements, FILE *file) {
    for (size_t i = 0; i < elements.count; i++) {
        char text[64];
        member_value_text(member, elements.at + i * elements.size, text, sizeof text);
        fprintf(file, " %s", text);
    }
}

/* Between quotes, in one line. */
static void write_string(const char *text, FILE *file) {
    fputs(" \"", file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < ' ' || *text == 127)
            fprintf(file, "\\%03hho", *text);
        else
            fputc(*text, file);
    }
    fputs("\"\n", file);
}

static void write_member(const struct dps_member *member, const void *object, FILE *file, int indent) {
    struct elements elements = member_elements(member, object);
    fprintf(file, "%*s%s: %s", indent, "", member->name, member_type_name(member));
    if (member->shape == DPS_STRING) {
        if (elements.at)
            write_string((const char *)elements.at, file);
        else
            fputs(" null\n", file);
        return;
    }
    if (member->shape == DPS_ARRAY || member->shape == DPS_POINTED)
        fprintf(file, "[%zu]", elements.count);
    if (member->shape == DPS_REFERENCE && elements.count == 0)
        fputs(" null", file);
    if (member->element != DPS_OBJECT)
        write_values(member, elements, file);
    fputc('\n', file);
    for (size_t i = 0; member->element == DPS_OBJECT && i < elements.count; i++) {
        if (elements.count > 1)
            fprintf(file, "%*s[%zu]\n", indent + INDENT, "", i);
        write_members(member->type, elements.at + i * elements.size, file, indent + INDENT * (elements.count > 1 ? 2 : 1));
    }
}

static void write_members(const struct dps_type *type, const void *object, FILE *file, int indent) {
    for (size_t i = 0; i < type->members; i++)
        write_member(&type->member[i], object, file, indent);
}

void dps_write_text(const struct dps_type *type, const void *object, FILE *file) {
    fprintf(file, "%s\n", type->name);
    write_members(type, object, file, INDENT);
}
