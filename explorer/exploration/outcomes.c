#include "explorer/exploration/outcomes.h"

#include "explorer/containers/memory.h"
#include "explorer/steps/file_uses.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_OF_LINE = 200, SHOWN_BEFORE = 40, SHOWN_BYTES = 16 };

static char *copy_line(const char *text, size_t size) {
    size_t length = 0;
    while (length < size && text[length] != '\n' && length < SHOWN_OF_LINE)
        length++;
    char *line = memory_take(length + 1);
    for (size_t i = 0; i < length; i++)
        line[i] = (unsigned char)text[i] < 32 && text[i] != '\t' ? '?' : text[i];
    line[length] = 0;
    return line;
}

/* No text has control characters but those of terminals. */
static bool is_binary(const char *bytes, size_t size) {
    for (size_t i = 0; i < size && i < SHOWN_OF_LINE && bytes[i] != '\n'; i++)
        if ((unsigned char)bytes[i] < 32 && !memchr("\t\r\b\f\033", bytes[i], 5))
            return true;
    return false;
}

static char *copy_bytes(const char *bytes, size_t size) {
    const size_t shown = size < SHOWN_BYTES ? size : SHOWN_BYTES;
    char *text = memory_take(4 * shown + sizeof "…"), *end = text;
    for (size_t i = 0; i < shown; i++)
        end += sprintf(end, i ? " %02x" : "%02x", (unsigned char)bytes[i]);
    strcpy(end, shown < size ? " …" : "");
    return text;
}

/* From the line's begin if that shows the difference, else from a little before it. */
static char *copy_around(const char *text, size_t size, size_t line, size_t at) {
    if (line >= size)
        return NULL;
    if (at - line < SHOWN_OF_LINE - SHOWN_BEFORE)
        return copy_line(text + line, size - line);
    size_t from = at - SHOWN_BEFORE;
    while (from < at && ((unsigned char)text[from] & 0xc0) == 0x80) /* no piece of a character in UTF-8 */
        from++;
    char *rest = copy_line(text + from, size - from), *shown = NULL;
    if (asprintf(&shown, "… %s", rest) < 0)
        return rest;
    free(rest);
    return shown;
}

/* The first line in which two texts differ, or the first bytes that do. False: they are equal. */
static bool first_difference(const char *a, size_t a_size, const char *b, size_t b_size, struct output_difference *difference) {
    size_t at = 0, line = 0;
    *difference = (struct output_difference){.line = 1};
    while (at < a_size && at < b_size && a[at] == b[at])
        if (a[at++] == '\n') {
            difference->line++;
            line = at;
        }
    if (at == a_size && at == b_size)
        return false;
    difference->byte = at + 1;
    const size_t near = at - line < SHOWN_BEFORE ? line : at - SHOWN_BEFORE;
    difference->binary = is_binary(a + near, a_size - near) || is_binary(b + near, b_size - near);
    if (difference->binary) {
        difference->here = at < a_size ? copy_bytes(a + at, a_size - at) : NULL;
        difference->there = at < b_size ? copy_bytes(b + at, b_size - at) : NULL;
    } else {
        difference->here = copy_around(a, a_size, line, at);
        difference->there = copy_around(b, b_size, line, at);
    }
    return true;
}

struct output_difference outcomes_compare_outputs(struct programs *programs, uint32_t here, uint32_t there) {
    struct output_difference difference = {0};
    for (int stream = 1; stream < WIRE_STREAMS_END && !difference.stream; stream++) {
        size_t a_size, b_size;
        char *a = programs_output(programs, here, stream, &a_size), *b = programs_output(programs, there, stream, &b_size);
        if (first_difference(a, a_size, b, b_size, &difference))
            difference.stream = stream;
        free(a);
        free(b);
    }
    return difference;
}

/* Where the last line begins that is not blank; `size`: all are. Then `end` is where it ends. */
static size_t last_line(const char *text, size_t size, size_t *end) {
    *end = size;
    while (*end > 0 && (text[*end - 1] == '\n' || text[*end - 1] == '\r' || text[*end - 1] == ' '))
        --*end;
    size_t begin = *end;
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    return *end ? begin : size;
}

char *outcomes_last_line(struct programs *programs, uint32_t local, int *stream) {
    static const int streams[] = {WIRE_STDERR, WIRE_STDOUT};
    char *line = NULL;
    for (unsigned i = 0; i < sizeof streams / sizeof *streams && !line; i++) {
        size_t size, end;
        char *text = programs_output(programs, local, streams[i], &size);
        const size_t begin = last_line(text, size, &end);
        if (begin < size)
            line = copy_line(text + begin, end - begin);
        *stream = streams[i];
        free(text);
    }
    return line;
}

static const char *kind_of(const struct written_file *file) {
    if (!file)
        return "(as it was before)";
    return file->state == WIRE_FILE_CONTENT ? "(a file)" : file->state == WIRE_FILE_DIRECTORY ? "(a directory)" : "(removed)";
}

/* One name, as two orderings leave it; NULL: as it was. */
static bool files_differ(const struct written_file *a, const struct written_file *b, struct output_difference *difference) {
    bool differ = true;
    if (a && b && a->state == b->state)
        differ = first_difference(a->bytes, a->size, b->bytes, b->size, difference);
    else
        *difference = (struct output_difference){.here = strdup(kind_of(a)), .there = strdup(kind_of(b))};
    if (differ)
        difference->file = file_printable(strdup(file_shown_path(a ? a->path : b->path)));
    return differ;
}

static struct output_difference compare_files(struct programs *programs, uint32_t here, uint32_t there) {
    struct output_difference difference = {0};
    struct written_files a = programs_files(programs, here), b = programs_files(programs, there);
    bool differ = false;
    for (size_t i = 0, j = 0; !differ && (i < a.count || j < b.count);) {
        int order = i == a.count ? 1 : j == b.count ? -1 : strcmp(a.file[i].path, b.file[j].path);
        differ = files_differ(order <= 0 ? &a.file[i] : NULL, order >= 0 ? &b.file[j] : NULL, &difference);
        i += order <= 0;
        j += order >= 0;
    }
    written_files_free(&a);
    written_files_free(&b);
    return differ ? difference : (struct output_difference){0};
}

struct output_difference outcomes_compare(struct programs *programs, uint32_t here, uint32_t there) {
    struct output_difference difference = outcomes_compare_outputs(programs, here, there);
    return difference.stream ? difference : compare_files(programs, here, there);
}

/* "line 3 (byte 40) differs" */
static void write_where(char *text, size_t room, const struct output_difference *difference) {
    if (difference->binary)
        snprintf(text, room, "byte %" PRIu64 " differs", difference->byte);
    else
        snprintf(text, room, "line %u (byte %" PRIu64 ") differs", difference->line, difference->byte);
}

static char *message_of_shared_file(const struct output_difference *difference) {
    char *message, where[80];
    write_where(where, sizeof where, difference);
    int made = difference->line
                   ? asprintf(&message, "the file \"%s\" depends on the order of accesses: %s", difference->file, where)
                   : asprintf(&message, "what becomes of the file \"%s\" depends on the order of accesses", difference->file);
    return made < 0 ? strdup("a file depends on the order of accesses") : file_printable(message);
}

static char *message_of_own_file(const struct output_difference *difference, unsigned rank) {
    char *message, where[80];
    write_where(where, sizeof where, difference);
    int made = difference->line ? asprintf(&message, "the file \"%s\" that rank %u writes depends on the order of messages: %s",
                                           difference->file, rank, where)
                                : asprintf(&message, "what rank %u makes of the file \"%s\" depends on the order of messages",
                                           rank, difference->file);
    return made < 0 ? strdup("a file depends on the order of messages") : file_printable(message);
}

char *outcomes_message_of_file(const struct output_difference *difference, int rank) {
    return rank < 0 ? message_of_shared_file(difference) : message_of_own_file(difference, (unsigned)rank);
}

void output_difference_free(struct output_difference *difference) {
    free(difference->file);
    free(difference->here);
    free(difference->there);
}
