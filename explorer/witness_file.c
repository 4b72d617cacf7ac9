#include "explorer/witness_file.h"

#include "explorer/memory.h"
#include "explorer/report.h"
#include "explorer/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *one_decision(const struct decision *decision, struct sites *sites) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    report_decision(out, decision, sites);
    fclose(out);
    const struct transition *transition = &decision->transition;
    json_t *object = json_pack("{s:s, s:i, s:i, s:i, s:I, s:I, s:i, s:i, s:b}", "text", text, "kind",
                               (int)transition->kind, "owner", (int)transition->owner, "partner",
                               (int)transition->partner, "a", (json_int_t)transition->a, "b", (json_int_t)transition->b,
                               "choice", (int)decision->choice, "choices", (int)decision->choices, "differs",
                               (int)decision->differs);
    json_object_set_new(object, "owner_site", json_string(sites_text(sites, decision->story.site)));
    json_object_set_new(object, "partner_site", json_string(sites_text(sites, decision->story.partner_site)));
    free(text);
    return object;
}

static json_t *decisions(const struct ordering *ordering, struct sites *sites) {
    json_t *array = json_array();
    for (size_t i = 0; i < ordering->decisions; i++)
        json_array_append_new(array, one_decision(&ordering->decision[i], sites));
    return array;
}

static json_t *whole(const struct options *options, const struct finding *finding, struct sites *sites) {
    json_t *program = json_array();
    for (char **word = options->program; *word; word++) {
        json_t *string = json_string(*word);
        json_array_append_new(program, string ? string : json_string(""));
    }
    json_t *object =
        json_pack("{s:s, s:i, s:o, s:i, s:s, s:s, s:s, s:o}", "format", "explore witness", "schema", 1, "program", program,
                  "ranks", (int)options->ranks, "buffering", buffering_name(options->buffering), "class",
                  finding->class_name, "message", finding->message, "decisions", decisions(&finding->witness, sites));
    if (finding->agents != AGENTS_NONE)
        json_object_set_new(object, "agents", json_integer(finding->agents));
    if (finding->race)
        json_object_set_new(object, "other", decisions(&finding->other, sites));
    return object;
}

/* Takes the first free name, so that no file of the user's is overwritten. */
static int take_name(const struct options *options, const char *class_name, char **path) {
    const char *slash = strrchr(options->program[0], '/');
    const char *base = slash ? slash + 1 : options->program[0];
    for (int k = 1; k < 100000; k++) {
        if (asprintf(path, "%s/%s.%s-%d.json", options->output_dir, base, class_name, k) < 0)
            return -1;
        int file = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (file >= 0 || errno != EEXIST)
            return file;
        free(*path);
    }
    errno = EEXIST;
    *path = NULL;
    return -1;
}

char *witness_write(const struct options *options, const struct finding *finding, struct sites *sites) {
    char *path = NULL;
    int placeholder = take_name(options, finding->class_name, &path);
    if (placeholder < 0) {
        free(path);
        return NULL;
    }
    close(placeholder);
    struct whole_file file;
    bool ok = whole_file_open(&file, path);
    if (ok) {
        json_t *object = whole(options, finding, sites);
        json_dumpf(object, file.file, JSON_INDENT(2));
        fputc('\n', file.file);
        json_decref(object);
        ok = whole_file_close(&file);
    }
    if (ok)
        return path;
    unlink(path);
    free(path);
    return NULL;
}

static bool read_ordering(const json_t *array, struct ordering *ordering) {
    if (!json_is_array(array))
        return false;
    ordering->decision = memory_take_zeroed((json_array_size(array) + 1) * sizeof *ordering->decision);
    for (size_t i = 0; i < json_array_size(array); i++) {
        int kind, owner, partner;
        json_int_t a, b;
        if (json_unpack(json_array_get(array, i), "{s:i, s:i, s:i, s:I, s:I}", "kind", &kind, "owner", &owner, "partner",
                        &partner, "a", &a, "b", &b) != 0)
            return false;
        ordering->decision[ordering->decisions++].transition = (struct transition){
            .kind = (uint8_t)kind, .owner = (uint16_t)owner, .partner = (uint16_t)partner, .a = (uint32_t)a, .b = (uint32_t)b};
    }
    return true;
}

static bool read_program(const json_t *array, struct witness_file *witness) {
    size_t count = json_array_size(array);
    witness->program = memory_take_zeroed((count + 1) * sizeof *witness->program);
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(array, i));
        if (!word)
            return false;
        witness->program[i] = strdup(word);
    }
    return count > 0;
}

static bool read_whole(json_t *object, struct witness_file *witness) {
    const char *format, *buffering, *class_name, *message;
    int schema, ranks, agents = AGENTS_NONE;
    json_t *program, *list, *other = NULL;
    if (json_unpack(object, "{s:s, s:i, s:o, s:i, s:s, s:s, s:s, s:o, s?i, s?o}", "format", &format, "schema", &schema,
                    "program", &program, "ranks", &ranks, "buffering", &buffering, "class", &class_name, "message",
                    &message, "decisions", &list, "agents", &agents, "other", &other) != 0 ||
        strcmp(format, "explore witness") != 0 || schema != 1 || ranks < 1 || ranks > MAX_RANKS ||
        agents < AGENTS_NONE || agents > AGENTS_GENERAL || (agents != AGENTS_NONE && 2 * ranks > MAX_RANKS))
        return false;
    int at = 0;
    while (at < 3 && strcmp(buffering, buffering_name((enum buffering)at)) != 0)
        at++;
    witness->ranks = (unsigned)ranks;
    witness->agents = agents;
    witness->buffering = (enum buffering)at;
    snprintf(witness->class_name, sizeof witness->class_name, "%s", class_name);
    witness->message = strdup(message);
    witness->race = other != NULL;
    return at < 3 && read_program(program, witness) && read_ordering(list, &witness->ordering) &&
           (!other || read_ordering(other, &witness->other));
}

bool witness_read(const char *path, struct witness_file *witness, char *sentence, size_t room) {
    *witness = (struct witness_file){0};
    FILE *file = fopen(path, "re");
    if (!file) {
        snprintf(sentence, room, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    json_error_t error;
    json_t *object = json_loadf(file, 0, &error);
    fclose(file);
    bool ok = object && read_whole(object, witness);
    json_decref(object);
    if (ok)
        return true;
    snprintf(sentence, room, "%s is not a witness file of this version", path);
    witness_free(witness);
    return false;
}

void witness_free(struct witness_file *witness) {
    for (char **word = witness->program; word && *word; word++)
        free(*word);
    free(witness->program);
    free(witness->message);
    free(witness->ordering.decision);
    free(witness->other.decision);
    *witness = (struct witness_file){0};
}
