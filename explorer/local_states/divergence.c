#include "explorer/local_states/divergence.h"

#include "explorer/containers/memory.h"
#include "explorer/local_states/state_difference.h"
#include "explorer/reports/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES_NAMED = 5, OUTPUT_SHOWN = 60 };

struct lines {
    char **line;
    size_t count, room;
};

static void add_line(struct lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_line(struct lines *lines, const char *format, ...) {
    char *line;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&line, format, arguments) < 0)
        line = strdup("");
    va_end(arguments);
    lines->line = memory_room(lines->line, &lines->room, lines->count, sizeof *lines->line);
    lines->line[lines->count++] = line;
}

/* --- records --------------------------------------------------------------------------------------------------------- */

/* The record at `*at`, which moves on; NULL at the end, or if what is there makes no sense. */
static const struct wire_record *next_record(const struct execution *execution, size_t *at) {
    const struct wire_record *record = (const void *)(execution->report + *at);
    if (execution->size < *at + sizeof *record || record->size < sizeof *record || record->size > execution->size - *at ||
        record->size % 8)
        return NULL;
    *at += record->size;
    return record;
}

/* The body of a record of that kind, if it is long enough for it. */
static const void *body_of(const struct wire_record *record, enum wire_record_kind kind, size_t size) {
    return record && record->kind == (uint32_t)kind && record->size >= sizeof *record + size ? record + 1 : NULL;
}

static void put_output(FILE *out, const struct wire_record *record, const struct wire_output *output) {
    const char *text = (const char *)(output + 1);
    size_t size = record->size - sizeof *record - sizeof *output;
    size = output->size < size ? output->size : size;
    fputs("writes \"", out);
    for (size_t i = 0; i < size && i < OUTPUT_SHOWN && text[i] != '\n'; i++)
        fputc((unsigned char)text[i] < 32 ? '?' : text[i], out);
    fprintf(out, "\" to %s", output->stream == 1 ? "stdout" : "stderr");
}

static void put_record(FILE *out, const struct wire_record *record, unsigned program, struct sites *sites) {
    const struct wire_operation *operation = body_of(record, WIRE_OPERATION, sizeof *operation);
    const struct wire_call *call = body_of(record, WIRE_CALL, sizeof *call);
    const struct wire_end *end = body_of(record, WIRE_END, sizeof *end);
    const struct wire_output *output = body_of(record, WIRE_OUTPUT, sizeof *output);
    if (operation) {
        fputs("calls ", out);
        report_place(out, operation->function, sites_intern(sites, program, operation->site), sites);
        if (operation->kind == WIRE_SEND)
            fprintf(out, " to rank %d with tag %d", operation->peer, operation->tag);
    } else if (call) {
        fputs("comes to ", out);
        report_place(out, call->function, sites_intern(sites, program, call->site), sites);
    } else if (end) {
        fputs(end->kind == WIRE_CRASH ? "crashes" : "ends", out);
    } else if (output) {
        put_output(out, record, output);
    } else {
        fputs(record ? "does something else" : "does nothing more", out);
    }
}

static char *record_text(const struct wire_record *record, unsigned program, struct sites *sites) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return strdup("");
    put_record(out, record, program, sites);
    fclose(out);
    return text;
}

static bool same_record(const struct wire_record *a, const struct wire_record *b) {
    return a && b && a->size == b->size && memcmp(a, b, a->size) == 0;
}

/* The first record that differs; false: all are the same. */
static bool add_first_difference(struct lines *lines, const struct execution execution[2], struct sites *sites) {
    size_t at[2] = {0, 0};
    const struct wire_record *record[2];
    do {
        for (int i = 0; i < 2; i++)
            record[i] = next_record(&execution[i], &at[i]);
    } while (same_record(record[0], record[1]));
    if (!record[0] && !record[1])
        return false;
    char *text[2] = {record_text(record[0], execution[0].program, sites), record_text(record[1], execution[1].program, sites)};
    if (strcmp(text[0], text[1]) == 0)
        add_line(lines, "it %s both times, with other data", text[0]);
    else
        add_line(lines, "the first time it %s, the second time it %s", text[0], text[1]);
    free(text[0]);
    free(text[1]);
    return true;
}

/* --- from where to where --------------------------------------------------------------------------------------------- */

static char *last_record_text(const struct execution *execution, struct sites *sites) {
    const struct wire_record *last = NULL, *record;
    for (size_t at = 0; (record = next_record(execution, &at));)
        last = record;
    return execution->back ? record_text(last, execution->program, sites) : strdup("does not come back in time");
}

static char *place_text(uint16_t function, uint32_t site, struct sites *sites) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return strdup("");
    report_place(out, function, site, sites);
    fclose(out);
    return text;
}

static void add_ends(struct lines *lines, const struct divergence *divergence, const struct step_table *table,
                     struct sites *sites) {
    struct local_story story = step_table_story(table, step_table_step_local(table, divergence->step));
    char *from = place_text(story.function, story.site, sites);
    char *to[2] = {last_record_text(&divergence->execution[0], sites), last_record_text(&divergence->execution[1], sites)};
    if (strcmp(to[0], to[1]) == 0)
        add_line(lines, "from %s it %s both times", from, to[0]);
    else
        add_line(lines, "from %s it %s the first time and %s the second time", from, to[0], to[1]);
    free(to[0]);
    free(to[1]);
    free(from);
}

/* False: it could be looked, and there was nothing that has a name. */
static bool add_variables(struct lines *lines, const struct execution execution[2], struct sites *sites,
                          const struct captured_memory *memory) {
    if (!memory->pages || !execution[0].blocked || !execution[1].blocked)
        return true;
    const struct captured_state state[2] = {{execution[0].root, BLOCK_NONE}, {execution[1].root, BLOCK_NONE}};
    struct state_difference found;
    state_difference_find(memory, sites_modules(sites, execution[0].program), state, &found);
    for (size_t i = 0; i < found.count && i < VARIABLES_NAMED; i++) {
        char *text = difference_text(&found.difference[i]);
        add_line(lines, "%s", text);
        free(text);
    }
    if (found.count > VARIABLES_NAMED)
        add_line(lines, "and %zu more differences in memory", found.count - VARIABLES_NAMED);
    const bool any = found.count > 0;
    state_difference_free(&found);
    return any;
}

char **divergence_lines(const struct divergence *divergence, const struct step_table *table, struct sites *sites,
                        const struct captured_memory *memory, size_t *count) {
    struct lines lines = {0};
    add_ends(&lines, divergence, table, sites);
    const bool only_memory = divergence->execution[1].back && !add_first_difference(&lines, divergence->execution, sites);
    if (only_memory)
        add_line(&lines, "what it sent and wrote was the same, but not its memory:");
    if (!add_variables(&lines, divergence->execution, sites, memory) && only_memory)
        add_line(&lines,
                 "no variable or heap block of the program, but registers, what is left over on its stack, or a library's");
    *count = lines.count;
    return lines.line;
}

void divergence_free(struct divergence *divergence) {
    free(divergence->execution[0].report);
    free(divergence->execution[1].report);
}
