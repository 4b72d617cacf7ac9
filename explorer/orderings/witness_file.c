#include "explorer/orderings/witness_file.h"

#include "explorer/containers/memory.h"
#include "explorer/machine/whole_file.h"
#include "explorer/reports/report.h"
#include "explorer/reports/valid_text.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { WITNESS_BYTES_MOST = 256 << 20, ARGUMENT_BYTES_MOST = 1 << 21 };

/* --- the program --------------------------------------------------------------------------------------------------------- */

/* A hash of a file after others; 0 if it cannot be read. */
static uint64_t hash_file(const char *path, uint64_t hash) {
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    char block[1 << 16];
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;)
        hash = XXH3_64bits_withSeed(block, got, hash);
    fclose(file);
    return hash;
}

/* Of all executables, to tell builds apart. */
static uint64_t build_of(char *const *path, unsigned count) {
    uint64_t hash = 0;
    for (unsigned i = 0; i < count; i++)
        hash = hash_file(path[i], hash);
    return hash;
}

bool witness_is_of(const struct witness_file *witness, char *const *path) {
    return witness->build == 0 || witness->build == build_of(path, witness->program_count);
}

/* An argument as JSON: a string, or, where its bytes are no UTF-8, {"bytes": [1, 2, ...]}. */
static json_t *argument(const char *word) {
    json_t *string = json_string(word);
    if (string)
        return string;
    json_t *bytes = json_array();
    for (; *word; word++)
        json_array_append_new(bytes, json_integer((unsigned char)*word));
    return json_pack("{s:o}", "bytes", bytes);
}

static char *read_argument(const json_t *value) {
    const char *word = json_string_value(value);
    const json_t *bytes = json_object_get(value, "bytes");
    size_t count = json_array_size(bytes);
    if (word)
        return strdup(word);
    if (!json_is_array(bytes) || count > ARGUMENT_BYTES_MOST)
        return NULL;
    char *copy = memory_take_zeroed(count + 1);
    for (size_t i = 0; i < count; i++)
        copy[i] = (char)json_integer_value(json_array_get(bytes, i));
    return copy;
}

/* --- writing ------------------------------------------------------------------------------------------------------------- */

static json_t *one_decision(const struct decision *decision, struct sites *sites) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    report_decision(out, decision, sites);
    fclose(out);
    const struct transition *transition = &decision->transition;
    json_t *object = json_pack("{s:o, s:i, s:i, s:i, s:I, s:I, s:i, s:i, s:b}", "text", valid_text_json(text), "kind",
                               (int)transition->kind, "owner", (int)transition->owner, "partner", (int)transition->partner, "a",
                               (json_int_t)transition->a, "b", (json_int_t)transition->b, "choice", (int)decision->choice,
                               "choices", (int)decision->choices, "differs", (int)decision->differs);
    json_object_set_new(object, "owner_site", valid_text_json(sites_text(sites, decision->story.site)));
    json_object_set_new(object, "partner_site", valid_text_json(sites_text(sites, decision->story.partner_site)));
    free(text);
    return object;
}

static json_t *decisions(const struct ordering *ordering, struct sites *sites) {
    json_t *array = json_array();
    for (size_t i = 0; i < ordering->decisions; i++)
        json_array_append_new(array, one_decision(&ordering->decision[i], sites));
    return array;
}

static void add_variable(json_t *object, const char *variable) {
    if (!json_object_get(object, "environment"))
        json_object_set_new(object, "environment", json_array());
    json_array_append_new(json_object_get(object, "environment"), argument(variable));
}

/* The program may have threads, which only such a backend keeps. */
static void add_threads(json_t *object) {
    const char *threads = getenv("OMP_NUM_THREADS");
    char variable[64];
    json_object_set_new(object, "threads", json_true());
    if (threads && snprintf(variable, sizeof variable, "OMP_NUM_THREADS=%s", threads) < (int)sizeof variable)
        add_variable(object, variable);
}

static json_t *words_of(const struct program *program) {
    json_t *words = json_array();
    for (char **word = program->words; *word; word++)
        json_array_append_new(words, argument(*word));
    return words;
}

/* Programs that run together; "program" is the first of them. */
static json_t *programs_of(const struct options *options) {
    json_t *list = json_array();
    for (unsigned i = 0; i < options->program_count; i++) {
        const struct program *program = &options->programs[i];
        json_array_append_new(list, json_pack("{s:i, s:o}", "ranks", (int)program->ranks, "program", words_of(program)));
    }
    return list;
}

/* What all files have: the programs and how they were run. */
static json_t *run_object(const struct options *options, char *const *path, const char *format) {
    json_t *object =
        json_pack("{s:s, s:i, s:o, s:i, s:s}", "format", format, "schema", 1, "program", words_of(&options->programs[0]),
                  "ranks", (int)options->ranks, "buffering", buffering_name(options->buffering));
    char build[24];
    snprintf(build, sizeof build, "%016llx", (unsigned long long)build_of(path, options->program_count));
    json_object_set_new(object, "build", json_string(build));
    if (options->program_count > 1)
        json_object_set_new(object, "programs", programs_of(options));
    if (options->directory)
        json_object_set_new(object, "directory", argument(options->directory));
    for (unsigned i = 0; i < options->variables; i++)
        add_variable(object, options->variable[i]);
    if (options->checkpoint->sleeps)
        add_threads(object);
    return object;
}

static json_t *hurries(const struct expectations *expected) {
    if (expected->hurries > HURRIES_MOST)
        return json_true();
    json_t *list = json_array();
    for (uint32_t i = 0; i < expected->hurries; i++)
        json_array_append_new(list,
                              json_pack("[i, i, i]", expected->hurry[i].from, expected->hurry[i].to, expected->hurry[i].mode));
    return list;
}

static json_t *cancellings(const struct expectations *expected) {
    if (expected->cancels > CANCELS_MOST)
        return json_true();
    json_t *list = json_array();
    for (uint32_t i = 0; i < expected->cancels; i++) {
        const struct cancelling *cancelling = &expected->cancelling[i];
        json_array_append_new(list, json_pack("[i, i, i]", cancelling->rank, cancelling->kind, cancelling->tag));
    }
    return list;
}

static void add_expectations(json_t *object, const struct expectations *expected) {
    if (expected->cancels > 0)
        json_object_set_new(object, "cancels", cancellings(expected));
    if (expected->hurries > 0)
        json_object_set_new(object, "hurries", hurries(expected));
}

static json_t *whole(const struct options *options, char *const *path, const struct finding *finding, struct sites *sites) {
    json_t *object = run_object(options, path, "explore witness");
    json_object_set_new(object, "class", json_string(finding->class_name));
    json_object_set_new(object, "message", valid_text_json(finding->message));
    json_object_set_new(object, "decisions", decisions(&finding->witness, sites));
    if (finding->agents != AGENTS_NONE)
        json_object_set_new(object, "agents", json_integer(finding->agents));
    if (finding->places)
        json_object_set_new(object, "places", json_string(finding->places));
    add_expectations(object, &finding->expected);
    if (finding->race)
        json_object_set_new(object, "other", decisions(&finding->other, sites));
    return object;
}

/* What comes before the number in a file's name. malloc'd. */
static char *numbered_name(const struct options *options, const char *kind) {
    const char *slash = strrchr(options->program[0], '/');
    const char *base = slash ? slash + 1 : options->program[0];
    char *before = NULL;
    return asprintf(&before, "%s/%s.%s-", options->output_dir, base, kind) < 0 ? NULL : before;
}

/* To `path`, or if that is NULL under the first free name, so that no file of the user's is overwritten. */
static char *write_object(json_t *object, const char *path, char *before) {
    struct whole_file file;
    bool ok = before && whole_file_open(&file, path ? path : before);
    if (ok) {
        json_dumpf(object, file.file, JSON_INDENT(2));
        fputc('\n', file.file);
        ok = path ? whole_file_close(&file) : whole_file_close_numbered(&file, before, ".json");
    }
    json_decref(object);
    free(before);
    return ok ? strdup(file.path) : NULL;
}

char *witness_write(const struct options *options, char *const *path, const struct finding *finding, struct sites *sites) {
    return write_object(whole(options, path, finding, sites), NULL, numbered_name(options, finding->class_name));
}

static json_t *choices_of_rank(const struct choices *choices) {
    json_t *array = json_array();
    for (size_t i = 0; i < choices->count; i++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        choice_write(out, &choices->choice[i]);
        fclose(out);
        json_array_append_new(array, json_string(text));
        free(text);
    }
    return array;
}

char *ordering_write(const struct options *options, char *const *path, const struct choices *choices) {
    json_t *object = run_object(options, path, "explore ordering"), *ranks = json_array();
    for (unsigned rank = 0; rank < options->ranks; rank++)
        json_array_append_new(ranks, choices_of_rank(&choices[rank]));
    json_object_set_new(object, "choices", ranks);
    return write_object(object, options->output, numbered_name(options, "ordering"));
}

/* --- reading ------------------------------------------------------------------------------------------------------------- */

static bool read_ordering(const json_t *array, struct ordering *ordering) {
    if (!json_is_array(array))
        return false;
    ordering->decision = memory_take_zeroed((json_array_size(array) + 1) * sizeof *ordering->decision);
    for (size_t i = 0; i < json_array_size(array); i++) {
        int kind, owner, partner, differs = 0;
        json_int_t a, b;
        if (json_unpack(json_array_get(array, i), "{s:i, s:i, s:i, s:I, s:I, s?b}", "kind", &kind, "owner", &owner, "partner",
                        &partner, "a", &a, "b", &b, "differs", &differs) != 0)
            return false;
        struct decision *decision = &ordering->decision[ordering->decisions++];
        decision->transition = (struct transition){
            .kind = (uint8_t)kind, .owner = (uint16_t)owner, .partner = (uint16_t)partner, .a = (uint32_t)a, .b = (uint32_t)b};
        decision->differs = differs;
    }
    return true;
}

/* Adds a program; `at` is where its words go. The word after its last one is NULL. */
static bool read_program(const json_t *array, json_int_t ranks, struct witness_file *witness, char **at) {
    size_t count = json_array_size(array);
    if (count == 0 || ranks < 1 || ranks > MAX_RANKS || witness->program_count == PROGRAMS_MOST)
        return false;
    for (size_t i = 0; i < count; i++) {
        at[i] = read_argument(json_array_get(array, i));
        if (!at[i])
            return false;
    }
    witness->programs[witness->program_count++] = (struct program){(unsigned)ranks, at};
    return true;
}

static bool read_programs(const json_t *program, const json_t *list, struct witness_file *witness) {
    size_t count = list ? json_array_size(list) : 1, words = json_array_size(program);
    for (size_t i = 0; list && i < count; i++)
        words += json_array_size(json_object_get(json_array_get(list, i), "program"));
    witness->words = words + count;
    witness->program = memory_take_zeroed((witness->words + 1) * sizeof *witness->program);
    if (!list)
        return read_program(program, witness->ranks, witness, witness->program);
    char **at = witness->program;
    json_int_t ranks = 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(list, i), *own = json_object_get(one, "program");
        json_int_t own_ranks = json_integer_value(json_object_get(one, "ranks"));
        if (!read_program(own, own_ranks, witness, at))
            return false;
        at += json_array_size(own) + 1;
        ranks += own_ranks;
    }
    return ranks == witness->ranks;
}

/* What mpiexec's command line had set. */
static bool read_surroundings(const json_t *object, struct witness_file *witness) {
    const json_t *directory = json_object_get(object, "directory"), *environment = json_object_get(object, "environment");
    size_t count = json_array_size(environment);
    if (directory && !(witness->directory = read_argument(directory)))
        return false;
    for (size_t i = 0; i < count && i < VARIABLES_MOST; i++) {
        char *variable = read_argument(json_array_get(environment, i));
        if (!variable)
            return false;
        witness->variable[witness->variables++] = variable;
        if (!strchr(variable, '='))
            return false;
    }
    return true;
}

static bool read_buffering(const char *word, enum buffering *buffering) {
    for (int i = 0; i < 3; i++)
        if (strcmp(word, buffering_name((enum buffering)i)) == 0) {
            *buffering = (enum buffering)i;
            return true;
        }
    return false;
}

static bool read_run(json_t *object, struct witness_file *witness) {
    const char *buffering, *build = "0", *places = "";
    int ranks, agents = AGENTS_NONE;
    json_t *program, *programs = NULL;
    if (json_unpack(object, "{s:o, s:i, s:s, s?o, s?s, s?i, s?s}", "program", &program, "ranks", &ranks, "buffering",
                    &buffering, "programs", &programs, "build", &build, "agents", &agents, "places", &places) != 0 ||
        ranks < 1 || ranks > MAX_RANKS || agents < AGENTS_NONE || agents > AGENTS_MOST ||
        (agents != AGENTS_NONE && 2 * ranks > MAX_RANKS))
        return false;
    witness->ranks = (unsigned)ranks;
    witness->agents = agents;
    witness->places = memory_copy(places, strlen(places) + 1);
    witness->build = strtoull(build, NULL, 16);
    return read_buffering(buffering, &witness->buffering) && read_programs(program, programs, witness) &&
           read_surroundings(object, witness);
}

static void read_cancellings(const json_t *list, struct expectations *expected) {
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry) {
        int rank, kind, tag;
        if (expected->cancels < CANCELS_MOST && json_unpack(entry, "[i, i, i]", &rank, &kind, &tag) == 0 && rank >= 0 &&
            rank < MAX_RANKS)
            expected->cancelling[expected->cancels++] = (struct cancelling){(uint16_t)rank, (uint16_t)kind, tag};
    }
    if (json_is_true(list))
        expected->cancels = CANCELS_MOST + 1;
}

static void read_expectations(json_t *object, struct expectations *expected) {
    const json_t *hurries = json_object_get(object, "hurries");
    size_t i;
    json_t *pair;
    read_cancellings(json_object_get(object, "cancels"), expected);
    json_array_foreach(hurries, i, pair) {
        int from, to, mode;
        if (expected->hurries < HURRIES_MOST && json_unpack(pair, "[i, i, i]", &from, &to, &mode) == 0 && from >= 0 &&
            to >= 0 && from < MAX_RANKS && to < MAX_RANKS)
            expected->hurry[expected->hurries++] = (struct hurry){(uint16_t)from, (uint16_t)to, (uint16_t)mode};
    }
    if (json_is_true(hurries))
        expected->hurries = HURRIES_MOST + 1;
}

static bool read_found(json_t *object, struct witness_file *witness) {
    const char *class_name, *message;
    json_t *list, *other = NULL;
    if (json_unpack(object, "{s:s, s:s, s:o, s?o}", "class", &class_name, "message", &message, "decisions", &list, "other",
                    &other) != 0)
        return false;
    snprintf(witness->class_name, sizeof witness->class_name, "%s", class_name);
    witness->message = strdup(message);
    witness->race = other != NULL;
    witness->threads = json_is_true(json_object_get(object, "threads"));
    read_expectations(object, &witness->expected);
    witness->ordering.endless = strcmp(class_name, "livelock") == 0;
    return read_ordering(list, &witness->ordering) && (!other || read_ordering(other, &witness->other));
}

static bool read_recorded(json_t *object, struct witness_file *witness) {
    const json_t *ranks = json_object_get(object, "choices");
    if (!json_is_array(ranks) || json_array_size(ranks) != witness->ranks)
        return false;
    witness->choices = memory_take_zeroed(witness->ranks * sizeof *witness->choices);
    for (unsigned rank = 0; rank < witness->ranks; rank++) {
        const json_t *list = json_array_get(ranks, rank);
        if (!json_is_array(list))
            return false;
        for (size_t i = 0; i < json_array_size(list); i++) {
            const char *line = json_string_value(json_array_get(list, i));
            if (!line || !choice_read(&witness->choices[rank], line))
                return false;
        }
    }
    return true;
}

/* Keys that are not known are left alone: later versions add some. */
static bool read_whole(json_t *object, bool recorded, struct witness_file *witness) {
    return read_run(object, witness) && (recorded ? read_recorded : read_found)(object, witness);
}

static bool wrong(char *sentence, size_t room, const char *path, const char *why) {
    snprintf(sentence, room, "%s %s", path, why);
    return false;
}

static json_t *load(const char *path, char *sentence, size_t room) {
    struct stat information;
    FILE *file = fopen(path, "re");
    if (!file || fstat(fileno(file), &information) != 0) {
        snprintf(sentence, room, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    json_error_t error = {0};
    json_t *object = NULL;
    if (S_ISDIR(information.st_mode))
        wrong(sentence, room, path, "is a directory, not a witness file");
    else if (information.st_size > WITNESS_BYTES_MOST)
        wrong(sentence, room, path, "is too large to be a witness file");
    else if (S_ISREG(information.st_mode) && information.st_size == 0)
        wrong(sentence, room, path, "is empty");
    else if (!(object = json_loadf(file, 0, &error)))
        snprintf(sentence, room, "%s is not a witness file, or not a whole one: line %d is not JSON", path, error.line);
    fclose(file);
    return object;
}

static bool read_object(json_t *object, const char *path, struct witness_file *witness, char *sentence, size_t room) {
    const char *format = json_string_value(json_object_get(object, "format"));
    bool recorded = format && strcmp(format, "explore ordering") == 0;
    if (!format || (!recorded && strcmp(format, "explore witness") != 0))
        return wrong(sentence, room, path, "is JSON, but not a witness file");
    if (json_integer_value(json_object_get(object, "schema")) != 1)
        return wrong(sentence, room, path, "is a witness file of another version of explore");
    return read_whole(object, recorded, witness) ||
           wrong(sentence, room, path, "is a witness file in which something is missing or wrong");
}

bool witness_read(const char *path, struct witness_file *witness, char *sentence, size_t room) {
    *witness = (struct witness_file){0};
    json_t *object = load(path, sentence, room);
    bool ok = object && read_object(object, path, witness, sentence, room);
    json_decref(object);
    if (!ok)
        witness_free(witness);
    return ok;
}

void witness_free(struct witness_file *witness) {
    for (size_t i = 0; witness->program && i < witness->words; i++)
        free(witness->program[i]);
    free(witness->program);
    for (unsigned i = 0; i < witness->variables; i++)
        free(witness->variable[i]);
    for (unsigned rank = 0; witness->choices && rank < witness->ranks; rank++)
        choices_free(&witness->choices[rank]);
    free(witness->choices);
    free(witness->directory);
    free(witness->message);
    free(witness->places);
    free(witness->ordering.decision);
    free(witness->other.decision);
    *witness = (struct witness_file){0};
}
