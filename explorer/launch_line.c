#include "explorer/launch_line.h"

#include "explorer/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wrong(char *sentence, size_t room, const char *format, const char *detail) {
    snprintf(sentence, room, format, detail);
    return false;
}

static bool listed(const char *word, const char *const *list) {
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

bool launch_line_begins(const char *word) {
    static const char *const names[] = {"mpiexec",      "mpirun", "mpiexec.mpich", "mpirun.mpich", "mpiexec.hydra",
                                        "mpirun.hydra", NULL};
    const char *slash = strrchr(word, '/');
    return listed(slash ? slash + 1 : word, names);
}

/* --- options --------------------------------------------------------------------------------------------------------- */

static const char *const ranks_options[] = {"-n", "-np", NULL};
static const char *const directory_options[] = {"-wdir", "-wd", NULL};
static const char *const variable_options[] = {"-env", "-genv", NULL};
static const char *const without_effect[] = {"-l",       "-prepend-rank",         "-envall", "-genvall", "-v", "-verbose",
                                             "-nolocal", "-disable-auto-cleanup", NULL};
static const char *const value_without_effect[] = {"-ppn",
                                                   "-perhost",
                                                   "-grr",
                                                   "-rr",
                                                   "-hosts",
                                                   "-host",
                                                   "-f",
                                                   "-hostfile",
                                                   "-machinefile",
                                                   "-machine",
                                                   "-envlist",
                                                   "-genvlist",
                                                   "-bind-to",
                                                   "-map-by",
                                                   "-membind",
                                                   "-launcher",
                                                   "-launcher-exec",
                                                   "-bootstrap",
                                                   "-bootstrap-exec",
                                                   "-rmk",
                                                   "-iface",
                                                   "-prepend-pattern",
                                                   "-usize",
                                                   NULL};

static bool take_ranks(struct options *options, const char *value, char *sentence, size_t room) {
    return options_read_ranks(value, &options->ranks) ||
           wrong(sentence, room, "mpiexec's number of ranks must be a number from 1 to 1024, not \"%s\"", value);
}

/* KEY VALUE or KEY=VALUE; *at is left at the last word taken. */
static bool take_variable(struct options *options, char **words, size_t *at, char *sentence, size_t room) {
    const char *key = words[*at];
    bool joined = strchr(key, '=') != NULL;
    if (!joined && !words[*at + 1])
        return wrong(sentence, room, "mpiexec's option for %s needs a value", key);
    if (options->variables == VARIABLES_MOST)
        return wrong(sentence, room, "too many environment variables, from %s on", key);
    char *variable;
    if (asprintf(&variable, "%s%s%s", key, joined ? "" : "=", joined ? "" : words[*at + 1]) < 0)
        return wrong(sentence, room, "%s: out of memory", key);
    options->variable[options->variables++] = variable;
    *at += !joined;
    return true;
}

/* The option at *at and its value. */
static bool take_option(struct options *options, char **words, size_t *at, char *sentence, size_t room) {
    const char *word = words[*at], *name = strncmp(word, "--", 2) == 0 ? word + 1 : word;
    if (listed(name, without_effect))
        return true;
    bool ranks = listed(name, ranks_options), directory = listed(name, directory_options);
    bool variable = listed(name, variable_options);
    if (!ranks && !directory && !variable && !listed(name, value_without_effect))
        return wrong(sentence, room, "mpiexec's option %s is not known to explore: leave it out, or give the program alone",
                     word);
    if (!words[*at + 1])
        return wrong(sentence, room, "mpiexec's option %s needs a value", word);
    ++*at;
    if (variable)
        return take_variable(options, words, at, sentence, room);
    if (directory)
        options->directory = words[*at];
    return !ranks || take_ranks(options, words[*at], sentence, room);
}

bool launch_line_parse(struct options *options, char **words, char *sentence, size_t room) {
    bool in_program = false;
    for (size_t i = 0; words[i]; i++) {
        bool colon = strcmp(words[i], ":") == 0;
        if (colon && !in_program)
            return wrong(sentence, room, "there is no program before the %s of mpiexec's command line", words[i]);
        if (colon) {
            options_end_program(options);
            in_program = false;
        } else if (in_program || words[i][0] != '-') {
            options_add_word(options, words[i]);
            in_program = true;
        } else if (!take_option(options, words, &i, sentence, room)) {
            return false;
        }
    }
    return in_program || wrong(sentence, room, "%s is given no program to run", "mpiexec");
}

/* --- effects --------------------------------------------------------------------------------------------------------- */

static bool own(struct options *options, const char **path, char *copy) {
    if (!copy)
        return false;
    options->owned[options->owns++] = copy;
    *path = copy;
    return true;
}

static bool make_absolute(struct options *options, const char **path, const char *folder) {
    char *absolute;
    if (!*path || **path == '/' || strcmp(*path, "-") == 0)
        return true;
    return own(options, path, asprintf(&absolute, "%s/%s", folder, *path) < 0 ? NULL : absolute);
}

static bool enter(struct options *options) {
    char here[PATH_MAX];
    const char **paths[] = {&options->json,       &options->junit,       &options->sarif,
                            &options->output_dir, &options->keep_files,  &options->spill_dir,
                            &options->input,      &options->keep_images, &options->poeg};
    _Static_assert(sizeof paths / sizeof *paths < OWNED_MOST, "room for every path and the directory");
    if (!getcwd(here, sizeof here))
        return false;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (!make_absolute(options, paths[i], here))
            return false;
    return chdir(options->directory) == 0 && own(options, &options->directory, getcwd(NULL, 0));
}

bool launch_line_apply(struct options *options, char *sentence, size_t room) {
    for (unsigned i = 0; i < options->variables; i++) {
        char *equals = strchr(options->variable[i], '=');
        char *name = strndup(options->variable[i], (size_t)(equals - options->variable[i]));
        bool set = name && setenv(name, equals + 1, 1) == 0;
        free(name);
        if (!set)
            return wrong(sentence, room, "the environment variable \"%s\" cannot be set", options->variable[i]);
    }
    if (!options->directory || enter(options))
        return true;
    snprintf(sentence, room, "cannot enter the directory %s: %s", options->directory, strerror(errno));
    return false;
}
