#include "explorer/command_line/launch_line.h"

#include "explorer/containers/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- options --------------------------------------------------------------------------------------------------------- */

/* What becomes of an option: most say where ranks run, or how their output looks, and have no effect here. */
enum effect { NO_EFFECT, NO_EFFECT_VALUE, NO_EFFECT_PAIR, RANKS, RANKS_A_PLACE, DIRECTORY, VARIABLE, OWN_VARIABLE, EXPORTED };

/* Names without their one or two dashes, each between two blanks. */
struct known {
    enum effect effect;
    const char *names;
};

/* MPICH's, and what others call mpiexec too. */
static const struct known of_mpiexec[] = {
    {RANKS, " n np c "},
    {RANKS_A_PLACE, " N npernode npersocket "},
    {DIRECTORY, " wdir wd "},
    {VARIABLE, " genv "},
    {OWN_VARIABLE, " env "},
    {EXPORTED, " x "},
    {NO_EFFECT,
     " l prepend-rank envall genvall v verbose nolocal disable-auto-cleanup print-all-exitcodes enable-x disable-x "
     "skip-launch-node disable-hostname-propagation "
     "q quiet oversubscribe nooversubscribe allow-run-as-root tag-output timestamp-output report-bindings display-map "
     "display-allocation use-hwthread-cpus bind-to-core bind-to-none bycore bynode byslot "},
    {NO_EFFECT_VALUE, " ppn perhost grr rr hosts host H f hostfile machinefile machine envlist genvlist bind-to map-by rank-by "
                      "membind topolib launcher launcher-exec bootstrap bootstrap-exec rmk iface prepend-pattern usize demux "
                      "localhost order-nodes gpus-per-proc prefix timeout "},
    {NO_EFFECT_PAIR, " mca gmca "},
    {NO_EFFECT, NULL},
};

static const struct known of_srun[] = {
    {RANKS, " n ntasks "},
    {RANKS_A_PLACE, " N nodes ntasks-per-node gpus-per-task "},
    {DIRECTORY, " D chdir "},
    {EXPORTED, " export "},
    {NO_EFFECT,
     " l label u unbuffered v verbose Q quiet K kill-on-bad-exit exclusive O overcommit s oversubscribe overlap exact "},
    {NO_EFFECT_VALUE, " c cpus-per-task p partition t time A account J job-name w nodelist x exclude C constraint q qos "
                      "mem mem-per-cpu mpi cpu-bind distribution m gres gpus hint reservation jobid "},
    {NO_EFFECT, NULL},
};

struct launcher {
    const char *name;
    const struct known *known;
};

static const struct launcher launchers[] = {
    {"mpiexec", of_mpiexec},
    {"mpirun", of_mpiexec},
    {"mpiexec.mpich", of_mpiexec},
    {"mpirun.mpich", of_mpiexec},
    {"mpiexec.hydra", of_mpiexec},
    {"mpirun.hydra", of_mpiexec},
    {"mpiexec.openmpi", of_mpiexec},
    {"mpirun.openmpi", of_mpiexec},
    {"orterun", of_mpiexec},
    {"srun", of_srun},
    {NULL, NULL},
};

static const struct launcher *launcher_named(const char *word) {
    const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;
    const struct launcher *launcher = launchers;
    while (launcher->name && strcmp(launcher->name, name) != 0)
        launcher++;
    return launcher->name ? launcher : NULL;
}

bool launch_line_begins(const char *word) { return launcher_named(word) != NULL; }

static const struct known *find_known(const struct known *known, const char *name, size_t length) {
    char between[48];
    if (length == 0 || length + 3 > sizeof between)
        return NULL;
    snprintf(between, sizeof between, " %.*s ", (int)length, name);
    for (; known->names; known++)
        if (strstr(known->names, between))
            return known;
    return NULL;
}

/* An option, and the value that is part of its word: -n=4, -n4. NULL: not known. */
static const struct known *take_apart(const struct launcher *launcher, const char *word, const char **value) {
    const char *name = strncmp(word, "--", 2) == 0 ? word + 2 : word + 1;
    const size_t letters = strcspn(name, "0123456789="), digits = strspn(name + letters, "0123456789");
    const bool equals = name[letters] == '=', number = digits > 0 && name[letters + digits] == 0;
    *value = equals ? name + letters + 1 : number ? name + letters : NULL;
    return find_known(launcher->known, name, *value ? letters : strlen(name));
}

/* --- what they do ---------------------------------------------------------------------------------------------------- */

struct line {
    struct options *options;
    const struct launcher *launcher;
    char **words;
    size_t at;          /* the word at hand */
    bool ranks_said;    /* of the program at hand */
    const char *place;  /* an option that says how many ranks a place has, of how many places is not known */
    const char *of_one; /* an option that only one program has, and for which there is one place for all of them */
    char *sentence;
    size_t room;
};

static bool wrong(struct line *line, const char *format, const char *a, const char *b) {
    snprintf(line->sentence, line->room, format, a, b);
    return false;
}

static bool add_variable(struct line *line, const char *text, size_t length) {
    struct options *options = line->options;
    if (length == 0 || *text == '=')
        return wrong(line, "%s sets an environment variable without a name%s", line->launcher->name, "");
    if (options->variables == VARIABLES_MOST)
        return wrong(line, "too many environment variables, from %s on%s", text, "");
    return (options->variable[options->variables] = strndup(text, length)) && ++options->variables;
}

/* KEY VALUE or KEY=VALUE. */
static bool take_variable(struct line *line, const char *key) {
    char *variable;
    if (strchr(key, '='))
        return add_variable(line, key, strlen(key));
    if (!line->words[line->at + 1])
        return wrong(line, "%s's option for %s needs a value", line->launcher->name, key);
    if (asprintf(&variable, "%s=%s", key, line->words[++line->at]) < 0)
        return wrong(line, "%s: out of memory%s", key, "");
    bool added = add_variable(line, variable, strlen(variable));
    free(variable);
    return added;
}

/* Names of variables, which the program has anyway, and KEY=VALUE. A comma separates srun's, and is a part of others. */
static bool take_exported(struct line *line, const char *list) {
    const char *const separator = line->launcher->known == of_srun ? "," : "";
    for (size_t length; *list; list += length + (list[length] != 0)) {
        length = strcspn(list, separator);
        if (strncmp(list, "NONE", length) == 0 && length == 4)
            return wrong(line, "%s's option --export=NONE is not supported: the program has the environment of explore%s",
                         line->launcher->name, "");
        if (memchr(list, '=', length) && !add_variable(line, list, length))
            return false;
    }
    return true;
}

static bool take_ranks(struct line *line, const char *value) {
    line->ranks_said = true;
    return options_read_ranks(value, &line->options->ranks) ||
           wrong(line, "%s's number of ranks must be a number from 1 to 1024, not \"%s\"", line->launcher->name, value);
}

static bool apply(struct line *line, enum effect effect, const char *word, const char *value) {
    switch (effect) {
    case RANKS: return take_ranks(line, value);
    case RANKS_A_PLACE: line->place = word; return true;
    case DIRECTORY: line->of_one = line->options->directory = value; return true;
    case OWN_VARIABLE: line->of_one = value; return take_variable(line, value);
    case VARIABLE: return take_variable(line, value);
    case EXPORTED: return take_exported(line, value);
    default: return true;
    }
}

/* The option at hand, and its value; the line is left at its last word. */
static bool take_option(struct line *line) {
    const char *word = line->words[line->at], *name = line->launcher->name, *value;
    const struct known *known = take_apart(line->launcher, word, &value);
    if (!known)
        return wrong(line, "%s's option %s is not known to explore: leave it out, or give the program alone", name, word);
    if (known->effect == NO_EFFECT)
        return !value || wrong(line, "%s's option %s takes no value", name, word);
    for (int more = (known->effect == NO_EFFECT_PAIR) + !value; more > 0; more--)
        if (!(value = line->words[++line->at]))
            return wrong(line, "%s's option %s needs a value", name, word);
    return apply(line, known->effect, word, value);
}

/* All programs are started in one directory and with one environment. */
static bool shared_by_all(struct line *line) {
    return !line->of_one || wrong(line,
                                  "a directory or variable of one of several programs (%s) is not supported: start explore in "
                                  "that directory, or give the variable to all of them (-genv)%s",
                                  line->of_one, "");
}

/* The program at hand is complete. */
static bool end_program(struct line *line) {
    if (line->place && !line->ranks_said)
        return wrong(line, "how many ranks are there? %s's option %s does not tell explore: add -n", line->launcher->name,
                     line->place);
    line->place = NULL;
    line->ranks_said = line->options->ranks_chosen;
    return true;
}

static bool next_program(struct line *line, unsigned ranks) {
    if (!end_program(line))
        return false;
    options_end_program(line->options);
    line->options->ranks = ranks;
    return line->options->program_count < PROGRAMS_MOST || wrong(line, "too many programs%s%s", "", "");
}

bool launch_line_parse(struct options *options, char **words, char *sentence, size_t room) {
    struct line line = {.options = options,
                        .launcher = launcher_named(words[0]),
                        .words = words,
                        .ranks_said = options->ranks_chosen,
                        .sentence = sentence,
                        .room = room};
    const unsigned ranks = options->ranks_chosen ? options->ranks : 1; /* launchers start one if they are not told */
    bool in_program = false;
    options->ranks = ranks;
    for (line.at = 1; words[line.at]; line.at++) {
        char *word = words[line.at];
        bool colon = strcmp(word, ":") == 0;
        if (colon && !in_program)
            return wrong(&line, "there is no program before the %s of %s's command line", word, line.launcher->name);
        if (colon && !next_program(&line, ranks))
            return false;
        if (!colon && (in_program || word[0] != '-'))
            options_add_word(options, word);
        else if (!colon && strcmp(word, "--") != 0 && !take_option(&line))
            return false;
        in_program = !colon && (in_program || word[0] != '-');
    }
    if (!in_program)
        return wrong(&line, "%s is given no program to run%s", line.launcher->name, "");
    return end_program(&line) && (options->program_count == 0 || shared_by_all(&line));
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
    const char **paths[] = {&options->json,       &options->junit,     &options->sarif,     &options->output_dir,
                            &options->keep_files, &options->spill_dir, &options->input,     &options->keep_images,
                            &options->poeg,       &options->save,      &options->reference, &options->output,
                            &options->access};
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
            return snprintf(sentence, room, "the environment variable \"%s\" cannot be set", options->variable[i]), false;
    }
    if (!options->directory || enter(options))
        return true;
    snprintf(sentence, room, "cannot enter the directory %s: %s", options->directory, strerror(errno));
    return false;
}
