#include "models/dps/members.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} basic[] = {
    [DPS_BOOL] = {"bool", sizeof(bool)}, [DPS_CHAR] = {"char", 1},     [DPS_INT8] = {"int8", 1},   [DPS_UINT8] = {"uint8", 1},
    [DPS_INT16] = {"int16", 2},          [DPS_UINT16] = {"uint16", 2}, [DPS_INT32] = {"int32", 4}, [DPS_UINT32] = {"uint32", 4},
    [DPS_INT64] = {"int64", 8},          [DPS_UINT64] = {"uint64", 8}, [DPS_FLOAT] = {"float", 4}, [DPS_DOUBLE] = {"double", 8},
};

size_t member_element_size(const struct dps_member *member) {
    return member->element == DPS_OBJECT ? member->type->size : basic[member->element].size;
}

const char *member_type_name(const struct dps_member *member) {
    return member->element == DPS_OBJECT ? member->type->name : basic[member->element].name;
}

bool member_varies(const struct dps_member *member) { return member->shape != DPS_ONE && member->shape != DPS_ARRAY; }

struct elements member_elements(const struct dps_member *member, const void *object) {
    const unsigned char *place = (const unsigned char *)object + member->offset;
    struct elements elements = {place, 1, member_element_size(member)};
    if (member->shape == DPS_ARRAY)
        elements.count = member->count;
    if (!member_varies(member))
        return elements;
    memcpy(&elements.at, place, sizeof elements.at);
    if (member->shape == DPS_POINTED) {
        uint32_t count;
        memcpy(&count, (const unsigned char *)object + member->count_offset, sizeof count);
        elements.count = count;
    } else if (!elements.at) {
        elements.count = 0;
    } else if (member->shape == DPS_STRING) {
        elements.count = strlen((const char *)elements.at) + 1;
    }
    return elements;
}

#define AS(type) (*(const type *)element)

void member_value_text(const struct dps_member *member, const void *element, char *text, size_t size) {
    switch (member->element) {
    case DPS_BOOL: snprintf(text, size, "%s", AS(bool) ? "true" : "false"); break;
    case DPS_CHAR: snprintf(text, size, AS(char) >= ' ' && AS(char) < 127 ? "'%c'" : "'\\%03hho'", AS(char)); break;
    case DPS_INT8: snprintf(text, size, "%" PRId8, AS(int8_t)); break;
    case DPS_UINT8: snprintf(text, size, "%" PRIu8, AS(uint8_t)); break;
    case DPS_INT16: snprintf(text, size, "%" PRId16, AS(int16_t)); break;
    case DPS_UINT16: snprintf(text, size, "%" PRIu16, AS(uint16_t)); break;
    case DPS_INT32: snprintf(text, size, "%" PRId32, AS(int32_t)); break;
    case DPS_UINT32: snprintf(text, size, "%" PRIu32, AS(uint32_t)); break;
    case DPS_INT64: snprintf(text, size, "%" PRId64, AS(int64_t)); break;
    case DPS_UINT64: snprintf(text, size, "%" PRIu64, AS(uint64_t)); break;
    case DPS_FLOAT: snprintf(text, size, "%.9g", (double)AS(float)); break;
    case DPS_DOUBLE: snprintf(text, size, "%.17g", AS(double)); break;
    case DPS_OBJECT: snprintf(text, size, "%s", member->type->name); break;
    }
}
