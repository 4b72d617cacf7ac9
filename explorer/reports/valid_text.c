#include "explorer/reports/valid_text.h"

#include "explorer/containers/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd";

static bool continues(unsigned char byte) { return (byte & 0xc0) == 0x80; }

size_t valid_text_character(const char *text) {
    const unsigned char *byte = (const unsigned char *)text;
    size_t length = byte[0] < 0x80 ? 1 : byte[0] < 0xc2 ? 0 : byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : byte[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if (!continues(byte[i]))
            return 0;
    if (length < 3)
        return length;
    /* Neither longer than need be, nor half a surrogate pair, nor beyond Unicode. */
    uint32_t first = (uint32_t)byte[0] << 8 | byte[1];
    bool wrong = (first >= 0xe080 && first <= 0xe09f) || (first >= 0xeda0 && first <= 0xedbf) ||
                 (first >= 0xf080 && first <= 0xf08f) || (first >= 0xf490 && first <= 0xf4bf);
    return wrong ? 0 : length;
}

char *valid_text(const char *text) {
    char *copy = memory_take(strlen(text) * (sizeof replacement - 1) + 1), *end = copy;
    while (*text) {
        size_t length = valid_text_character(text);
        memcpy(end, length ? text : replacement, length ? length : sizeof replacement - 1);
        end += length ? length : sizeof replacement - 1;
        text += length ? length : 1;
    }
    *end = 0;
    return copy;
}

json_t *valid_text_json(const char *text) {
    char *copy = valid_text(text);
    json_t *string = json_string(copy);
    free(copy);
    return string;
}
