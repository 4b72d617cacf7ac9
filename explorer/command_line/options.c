#include "explorer/command_line/options.h"

#include "ckpt/image.h"
#include "explorer/command_line/launch_line.h"
#include "explorer/command_line/spelling.h"
#include "explorer/containers/memory.h"
#include "heuristics/strategy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct parser {
    struct options *options;
    char *sentence;
    size_t room;
    const char *second; /* value of the option at hand, if it takes two */
    bool ranks_said;    /* for this program */
};

static bool wrong(struct parser *parser, const char *format, const char *a, const char *b) {
    snprintf(parser->sentence, parser->room, format, a, b);
    return false;
}

/* --- values ---------------------------------------------------------------------------------------------------------- */

/* A whole positive number of at most `most`. */
static bool read_count(const char *text, uint64_t most, uint64_t *value) {
    char *end;
    errno = 0;
    if (*text < '0' || *text > '9')
        return false;
    unsigned long long number = strtoull(text, &end, 10);
    *value = number;
    return errno == 0 && *end == 0 && number >= 1 && number <= most;
}

struct unit {
    const char *name;
    double factor;
};

static bool read_amount(const char *text, const struct unit *unit, double *value) {
    char *end;
    if ((*text < '0' || *text > '9') && *text != '.')
        return false;
    double number = strtod(text, &end);
    for (; unit->name; unit++)
        if (strcmp(end, unit->name) == 0) {
            *value = number * unit->factor;
            return *value > 0 && *value < 1e18;
        }
    return false;
}

static bool read_time(const char *text, double *seconds) {
    static const struct unit units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}, {NULL, 0}};
    return read_amount(text, units, seconds);
}

static bool read_size(const char *text, uint64_t *bytes) {
    static const struct unit units[] = {
        {"", 1},         {"K", 1024},        {"M", 1048576}, {"G", 1073741824}, {"T", 1099511627776.0}, {"KB", 1024},
        {"MB", 1048576}, {"GB", 1073741824}, {"KiB", 1024},  {"MiB", 1048576},  {"GiB", 1073741824},    {NULL, 0}};
    double value;
    if (!read_amount(text, units, &value) || value < 1)
        return false;
    *bytes = (uint64_t)value;
    return true;
}

static bool read_word(const char *text, const char *const *words, int *index) {
    for (*index = 0; words[*index]; ++*index)
        if (strcmp(text, words[*index]) == 0)
            return true;
    return false;
}

static const char *const buffering_words[] = {"all", "none", "infinite", NULL};
static const char *const tracker_words[] = {"auto", "userfaultfd", "mprotect", NULL};
static const char *const race_words[] = {"output", "state", NULL};
static const char *const checkpoint_words[] = {"pages", "fork", "criu", "replay", NULL};
static const struct backend *const checkpoint_backends[] = {&backend_pages, &backend_fork, &backend_criu, &backend_replay};

const char *buffering_name(enum buffering buffering) { return buffering_words[buffering]; }

/* --- the table ------------------------------------------------------------------------------------------------------- */

bool options_read_ranks(const char *text, unsigned *ranks) {
    uint64_t number;
    if (!read_count(text, MAX_RANKS, &number))
        return false;
    *ranks = (unsigned)number;
    return true;
}

static bool set_ranks(struct parser *parser, const char *value) {
    parser->options->ranks_chosen = true;
    return options_read_ranks(value, &parser->options->ranks) ||
           wrong(parser, "--ranks must be a number from 1 to 1024, not \"%s\"%s", value, "");
}
static bool set_jobs(struct parser *parser, const char *value) {
    uint64_t jobs;
    if (!read_count(value, 64, &jobs))
        return wrong(parser, "--jobs must be a number from 1 to 64, not \"%s\"%s", value, "");
    parser->options->jobs = (unsigned)jobs;
    return true;
}
static bool set_time(struct parser *parser, const char *value) {
    return read_time(value, &parser->options->seconds) ||
           wrong(parser, "--time must be a duration such as 60s, 5m or 1h, not \"%s\"%s", value, "");
}
static bool set_step_time(struct parser *parser, const char *value) {
    return read_time(value, &parser->options->step_seconds) ||
           wrong(parser, "--step-time must be a duration such as 10s or 500ms, not \"%s\"%s", value, "");
}
static bool set_memory(struct parser *parser, const char *value) {
    return read_size(value, &parser->options->memory_bytes) ||
           wrong(parser, "--memory must be a size such as 512M or 2G, not \"%s\"%s", value, "");
}
static bool set_states(struct parser *parser, const char *value) {
    return read_count(value, UINT32_MAX - 2u, &parser->options->states) ||
           wrong(parser, "--states must be a positive number, not \"%s\"%s", value, "");
}
static const char *const proof_names[] = {"auto", "decomposition", "state-graph", "orderings", "reversal", NULL};

static bool set_proof(struct parser *parser, const char *value) {
    int index;
    if (!read_word(value, proof_names, &index))
        return wrong(parser, "--proof must be decomposition, state-graph, orderings, reversal or auto, not \"%s\"%s", value,
                     "");
    parser->options->proof = (enum proof_wanted)index;
    return true;
}
static bool set_symmetry(struct parser *parser, const char *value) {
    static const char *const names[] = {"auto", "always", "never", NULL};
    int index;
    if (!read_word(value, names, &index))
        return wrong(parser, "--symmetry must be auto, always or never, not \"%s\"%s", value, "");
    parser->options->symmetry = (enum symmetry_wanted)index;
    return true;
}
static bool set_strategy(struct parser *parser, const char *value) {
    const struct strategy *list[STRATEGIES_MOST];
    parser->options->strategy = value;
    return strategies_named(value, list) || wrong(parser,
                                                  "--strategy must be portfolio, or some of breadth-first, depth-first, late, "
                                                  "adjacent, delay-bounded, random and pct,"
                                                  " separated by commas, not \"%s\"%s",
                                                  value, "");
}
static bool set_seed(struct parser *parser, const char *value) {
    return read_count(value, UINT64_MAX, &parser->options->seed) ||
           wrong(parser, "--seed must be a positive number, not \"%s\"%s", value, "");
}
static bool set_orderings(struct parser *parser, const char *value) {
    return read_count(value, UINT64_MAX, &parser->options->orderings) ||
           wrong(parser, "--orderings must be a positive number, not \"%s\"%s", value, "");
}
static bool set_reference(struct parser *parser, const char *value) {
    parser->options->reference = value;
    return *value || wrong(parser, "--reference needs a file that explore record has written%s%s", "", "");
}
static bool set_buffering(struct parser *parser, const char *value) {
    int index;
    if (!read_word(value, buffering_words, &index))
        return wrong(parser, "--buffering must be none, infinite or all, not \"%s\"%s", value, "");
    parser->options->buffering = (enum buffering)index;
    return true;
}
static bool set_tracker(struct parser *parser, const char *value) {
    return read_word(value, tracker_words, &parser->options->tracker) ||
           wrong(parser, "--tracker must be auto, userfaultfd or mprotect, not \"%s\"%s", value, "");
}
static bool set_checkpoint(struct parser *parser, const char *value) {
    int index;
    if (!read_word(value, checkpoint_words, &index))
        return wrong(parser, "--checkpoint must be pages, fork, criu or replay, not \"%s\"%s", value, "");
    parser->options->checkpoint = checkpoint_backends[index];
    parser->options->checkpoint_chosen = true;
    return true;
}
static bool set_json(struct parser *parser, const char *value) {
    parser->options->json = value;
    return true;
}
static bool set_junit(struct parser *parser, const char *value) {
    parser->options->junit = value;
    return true;
}
static bool set_sarif(struct parser *parser, const char *value) {
    parser->options->sarif = value;
    return true;
}
static bool set_output_dir(struct parser *parser, const char *value) {
    parser->options->output_dir = value;
    return true;
}

static bool set_spill(struct parser *parser, const char *value) {
    parser->options->spill_dir = value;
    return true;
}

#define FINDING_CLASS(name, cuts, meaning) name,
static const char *const class_names[] = {
#include "explorer/reports/finding_classes.def"
    NULL};
#undef FINDING_CLASS

static bool add_class(struct parser *parser, const char *value, const char **list, unsigned *count) {
    int index;
    if (!read_word(value, class_names, &index))
        return wrong(parser, "\"%s\" is not a class of findings%s", value, "");
    if (*count == CLASSES_MOST)
        return wrong(parser, "too many --allow or --deny%s%s", "", "");
    list[(*count)++] = value;
    return true;
}
static bool add_allow(struct parser *parser, const char *value) {
    return add_class(parser, value, parser->options->allow, &parser->options->allows);
}
static bool add_deny(struct parser *parser, const char *value) {
    return add_class(parser, value, parser->options->deny, &parser->options->denies);
}
static bool set_poeg(struct parser *parser, const char *value) {
    parser->options->poeg = value;
    return true;
}
static bool set_access(struct parser *parser, const char *value) {
    parser->options->access = value;
    return true;
}
static bool set_keep_files(struct parser *parser, const char *value) {
    parser->options->keep_files = value;
    return *value || wrong(parser, "--keep-files needs a directory%s%s", "", "");
}
static bool set_keep_images(struct parser *parser, const char *value) {
    parser->options->keep_images = value;
    return true;
}
static bool set_save(struct parser *parser, const char *value) {
    parser->options->save = value;
    return *value || wrong(parser, "--save needs a directory%s%s", "", "");
}
static bool set_resume(struct parser *parser, const char *value) {
    parser->options->resume = value;
    return *value || wrong(parser, "--resume needs a directory%s%s", "", "");
}
static bool set_input(struct parser *parser, const char *value) {
    parser->options->input = value;
    return true;
}
static bool set_keep_going(struct parser *parser, const char *value) {
    (void)value;
    return parser->options->keep_going = true;
}
static bool set_advice(struct parser *parser, const char *value) {
    (void)value;
    return parser->options->advice = true;
}
static bool set_count_orderings(struct parser *parser, const char *value) {
    (void)value;
    return parser->options->count_orderings = true;
}

static bool set_rerun(struct parser *parser, const char *value) {
    (void)value;
    return parser->options->rerun = true;
}
static bool set_no_reduction(struct parser *parser, const char *value) {
    (void)value;
    return parser->options->no_reduction = true;
}
static bool set_race_on(struct parser *parser, const char *value) {
    int index;
    if (!read_word(value, race_words, &index))
        return wrong(parser, "--race-on must be output or state, not \"%s\"%s", value, "");
    parser->options->race_on_state = index == 1;
    return true;
}
static bool set_list_states(struct parser *parser, const char *value) {
    (void)value;
    return parser->options->list_states = true;
}
static bool set_explain(struct parser *parser, const char *value) {
    uint64_t a, b;
    if (!read_count(value, UINT32_MAX, &a) || !read_count(parser->second, UINT32_MAX, &b) || a == b)
        return wrong(parser, "--explain-state needs the numbers of two local states (see --list-states), not \"%s\" and \"%s\"",
                     value, parser->second);
    parser->options->explain[0] = (uint32_t)a;
    parser->options->explain[1] = (uint32_t)b;
    return true;
}
static bool set_mpiexec(struct parser *parser, const char *value) {
    (void)value;
    return parser->options->under_mpiexec = true;
}
static bool set_step(struct parser *parser, const char *value) {
    (void)value;
    return parser->options->step = true;
}
static bool set_decision(struct parser *parser, const char *value, const char *name, uint32_t *number) {
    uint64_t count;
    if (!read_count(value, UINT32_MAX, &count))
        return wrong(parser, "%s needs the number of a decision, not \"%s\"", name, value);
    *number = (uint32_t)count;
    return true;
}
static bool set_until(struct parser *parser, const char *value) {
    return set_decision(parser, value, "--until", &parser->options->until);
}
static bool set_gdb(struct parser *parser, const char *value) {
    return set_decision(parser, value, "--gdb", &parser->options->gdb);
}
static bool set_export(struct parser *parser, const char *value) {
    parser->options->export_to = value;
    return *value || wrong(parser, "--export needs a file, or - for standard output%s%s", "", "");
}
static bool set_output(struct parser *parser, const char *value) {
    parser->options->output = value;
    return *value || wrong(parser, "--output needs a file%s%s", "", "");
}
static bool set_hold(struct parser *parser, const char *value) {
    (void)value;
    return parser->options->hold = true;
}
static bool set_verbose(struct parser *parser, const char *value) {
    (void)value;
    return parser->options->verbose = true;
}
static bool set_quiet(struct parser *parser, const char *value) {
    (void)value;
    return parser->options->quiet = true;
}
static bool set_help(struct parser *parser, const char *value) {
    (void)value;
    return parser->options->help = true;
}
static bool set_version(struct parser *parser, const char *value) {
    (void)value;
    return parser->options->version = true;
}

static const struct option {
    const char *name, *letter; /* "--ranks", "-n" or NULL */
    const char *value;         /* how --help calls it; NULL: takes none */
    const char *help;
    bool (*set)(struct parser *parser, const char *value);
} option_table[] = {
    {"--ranks", "-n", "N", "number of ranks, 1 to 1024 (default 2)", set_ranks},
    {"--np", "-np", "N", "the same, as some launchers have it", set_ranks},
    {"--time", NULL, "D", "stop after this long: 60s, 5m, 1h", set_time},
    {"--memory", NULL, "SIZE", "stop when this much memory is used: 512M, 2G (default: 70% of the machine's)", set_memory},
    {"--spill", NULL, "DIR", "keep pages that --memory has no room for in DIR", set_spill},
    {"--states", NULL, "N", "stop after this many global states", set_states},
    {"--buffering", NULL, "B", "standard sends: none, infinite, all (default)", set_buffering},
    {"--proof", NULL, "P",
     "how to prove race-free: decomposition, state-graph, orderings (one by one), reversal (of races), auto (default): what is "
     "quicker",
     set_proof},
    {"--symmetry", NULL, "W", "look for ranks that are interchangeable: always, never, auto (default): in large graphs",
     set_symmetry},
    {"--strategy", NULL, "S", "only orderings that S gives, a name or several with commas (see README), or portfolio: all",
     set_strategy},
    {"--orderings", NULL, "N", "with --strategy: stop after so many (default: 10000, or by --time)", set_orderings},
    {"--seed", NULL, "N", "of the strategies that draw lots (default 1)", set_seed},
    {"--reference", NULL, "FILE", "the reference ordering is what explore record wrote into FILE", set_reference},
    {"--race-on", NULL, "W", "what may not depend on order: output (default) or state", set_race_on},
    {"--keep-going", NULL, NULL, "collect every distinct finding, not only the first", set_keep_going},
    {"--poeg", NULL, "FILE", "write the partial order of one run, as a graph for Graphviz's dot", set_poeg},
    {"--access", NULL, "FILE",
     "with --poeg: which messages need no order, as FILE tells what operations read and write (see README)", set_access},
    {"--advice", NULL, NULL, "if it is race-free: name barriers and synchronous sends that order no messages", set_advice},
    {"--allow", NULL, "CLASS", "findings of this class do not fail the run", add_allow},
    {"--deny", NULL, "CLASS", "findings of this class do", add_deny},
    {"--json", NULL, "FILE", "write a report as JSON", set_json},
    {"--junit", NULL, "FILE", "write a report as JUnit XML", set_junit},
    {"--sarif", NULL, "FILE", "write a report as SARIF 2.1.0", set_sarif},
    {"--output-dir", NULL, "DIR", "where witnesses are written (default .)", set_output_dir},
    {"--keep-files", NULL, "DIR", "write there what the reference ordering writes", set_keep_files},
    {"--save", NULL, "DIR", "keep the exploration in DIR, so that it can be resumed", set_save},
    {"--resume", NULL, "DIR", "go on with the exploration in DIR; the program need not be named", set_resume},
    {"--keep-images", NULL, "DIR", "with --checkpoint criu: leave the local states' images there", set_keep_images},
    {"--stdin", NULL, "FILE", "rank 0's input, - for this one (default: if a file)", set_input},
    {"--jobs", NULL, "N", "processes that run ranks at a time (default: one a core)", set_jobs},
    {"--step-time", NULL, "D", "longest time between two MPI calls (default 10s)", set_step_time},
    {"--checkpoint", NULL, "C", "how local states are kept: pages (default), fork, criu, replay", set_checkpoint},
    {"--tracker", NULL, "T", "written pages by userfaultfd, mprotect or auto", set_tracker},
    {"--count-orderings", NULL, NULL, "count the orderings of a large graph too", set_count_orderings},
    {"--rerun", NULL, NULL, "with --proof orderings: run all ranks anew for each (to measure that)", set_rerun},
    {"--no-reduction", NULL, NULL, "visit every state (to check the reduction)", set_no_reduction},
    {"--list-states", NULL, NULL, "print a table of the ranks' local states", set_list_states},
    {"--explain-state", NULL, "A B", "say in what local states A and B differ", set_explain},
    {"--step", NULL, NULL, "replay: wait for Enter before each decision", set_step},
    {"--until", NULL, "N", "replay: stop after decision N, say where each rank is", set_until},
    {"--gdb", NULL, "N", "replay: gdb before decision N; words after -- go to gdb", set_gdb},
    {"--export", NULL, "FILE", "replay: write the ordering as text, - to stdout", set_export},
    {"--mpiexec", NULL, NULL, "replay: under real MPI; words after -- go before the program", set_mpiexec},
    {"--hold", NULL, NULL, "replay: leave blocked ranks for a debugger", set_hold},
    {"--output", "-o", "FILE", "record: where the ordering is written", set_output},
    {"--verbose", "-v", NULL, "print all statistics; in a replay, every move", set_verbose},
    {"--quiet", "-q", NULL, "print nothing but errors", set_quiet},
    {"--help", "-h", NULL, "this", set_help},
    {"--version", NULL, NULL, "print the version", set_version},
};
enum { OPTIONS = sizeof option_table / sizeof *option_table };

void options_usage(FILE *out) {
    fputs("Usage: explore [options] PROGRAM [options] [arguments] [-- arguments]\n"
          "  or:  explore [options] mpiexec|mpirun|srun -n N PROGRAM [arguments]\n"
          "  or:  explore replay [options] FILE [PROGRAM [arguments]]\n"
          "  or:  explore record [options] PROGRAM [arguments]\n"
          "  or:  explore restore DIR/STATE\n"
          "  or:  explore --help\n",
          out);
}

void options_help(void) {
    options_usage(stdout);
    puts("\nOptions:");
    for (int i = 0; i < OPTIONS; i++) {
        char left[40];
        const struct option *option = &option_table[i];
        snprintf(left, sizeof left, "%s%s%s%s%s", option->letter ? option->letter : "", option->letter ? ", " : "",
                 option->name, option->value ? " " : "", option->value ? option->value : "");
        printf("  %-20s %s\n", left, option->help);
    }
    puts("\nexit: 0 race-free, 1 found, 2 undecided, 3 cannot run");
}

/* --- parsing --------------------------------------------------------------------------------------------------------- */

/* Only before the program, as it may well have such an option itself: -n4, -np4, -n=4, -np=4. */
static const struct option *find_attached(const char *word, const char **attached) {
    const size_t letters = strncmp(word, "-np", 3) == 0 ? 3 : strncmp(word, "-n", 2) == 0 ? 2 : 0;
    const char *rest = word + letters;
    *attached = rest + (*rest == '=');
    return letters && (*rest == '=' || (*rest >= '0' && *rest <= '9')) ? option_table : NULL;
}

static const struct option *find_option(const char *word, const char **attached) {
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    *attached = equals ? equals + 1 : NULL;
    for (int i = 0; i < OPTIONS; i++) {
        const struct option *option = &option_table[i];
        bool named = strlen(option->name) == length && strncmp(option->name, word, length) == 0;
        if (named || (option->letter && strcmp(option->letter, word) == 0))
            return option;
    }
    return NULL;
}

/* The option whose name is nearest to a word that is none, at most so many letters away; NULL if none is near. */
static const char *nearest_option(const char *word, size_t most) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *nearest = NULL;
    size_t least = most + 1;
    for (int i = 0; i < OPTIONS; i++) {
        size_t distance = spelling_distance(name, option_table[i].name);
        if (distance < least && distance * 2 < strlen(option_table[i].name)) {
            least = distance;
            nearest = option_table[i].name;
        }
    }
    return nearest;
}

static bool unknown_option(struct parser *parser, const char *word) {
    const char *nearest = nearest_option(word, 3);
    return nearest ? wrong(parser, "unknown option %s; did you mean %s?", word, nearest)
                   : wrong(parser, "unknown option %s; see explore --help%s", word, "");
}

/* A word that the program is given, but may have been meant for us. */
static void note_slip(struct options *options, const char *word) {
    if (options->slip || strncmp(word, "--", 2) != 0)
        return;
    options->meant = nearest_option(word, 1);
    options->slip = options->meant ? word : NULL;
}

static bool is_for(const char *command, const struct option *option) {
    size_t length = strlen(command);
    return strncmp(option->help, command, length) == 0 && strncmp(option->help + length, ": ", 2) == 0;
}

/* A replay does what the witness says, and reports nothing but whether it came to the same. */
static bool has_meaning(const struct options *options, const struct option *option) {
    static const char *const not_in_replay[] = {"--ranks",        "--np",         "--states",
                                                "--buffering",    "--race-on",    "--keep-going",
                                                "--allow",        "--advice",     "--poeg",
                                                "--access",       "--deny",       "--json",
                                                "--junit",        "--sarif",      "--output-dir",
                                                "--no-reduction", "--keep-files", "--strategy",
                                                "--orderings",    "--seed",       "--proof",
                                                "--reference",    "--save",       "--resume",
                                                "--rerun",        "--symmetry",   NULL};
    int index;
    return !options->replay || !read_word(option->name, not_in_replay, &index);
}

/* Takes one option and its value; *at is left at its last word. */
static bool take_option(struct parser *parser, const struct option *option, const char *attached, int argc, char **argv,
                        int *at) {
    if (!has_meaning(parser->options, option))
        return wrong(parser, "%s has no meaning in a replay, which does what the witness says and writes no report%s",
                     option->name, "");
    if (!parser->options->replay && is_for("replay", option))
        return wrong(parser, "%s is for replays: explore replay %s FILE", option->name, option->name);
    if (!parser->options->record && is_for("record", option))
        return wrong(parser, "%s is for explore record%s", option->name, "");
    if (!option->value)
        return attached ? wrong(parser, "%s takes no value%s", option->name, "") : option->set(parser, NULL);
    if (!attached && *at + 1 >= argc)
        return wrong(parser, "%s needs a value%s", option->name, "");
    const char *value = attached ? attached : argv[++*at];
    parser->second = NULL;
    if (strchr(option->value, ' ')) {
        if (*at + 1 >= argc)
            return wrong(parser, "%s needs two values%s", option->name, "");
        parser->second = argv[++*at];
    }
    return option->set(parser, value);
}

void options_add_word(struct options *options, char *word) {
    struct program *program = &options->programs[options->program_count];
    if (!program->words)
        program->words = &options->program[options->words];
    options->program[options->words++] = word;
}

/* The words of a program are followed by NULL, which the array has room for: the ":" that stood there is no word. */
void options_end_program(struct options *options) {
    options->programs[options->program_count++].ranks = options->ranks;
    options->words++;
}

static bool next_program(struct parser *parser) {
    parser->ranks_said = false;
    options_end_program(parser->options);
    return parser->options->program_count < PROGRAMS_MOST || wrong(parser, "too many programs%s%s", "", "");
}

/* Many programs have an option -n of their own: one after the program is ours only if there is no other one. */
static bool may_be_the_programs(struct parser *parser, const struct option *option, const char *word, bool begun) {
    const bool was_said = parser->ranks_said;
    if (option->set != set_ranks)
        return false;
    parser->ranks_said = true;
    return was_said && begun && word[1] != '-';
}

/* Of our options with one dash, one that stands behind words of the program's may be its own too. Where the -o of `record` stands is
 * said so. */
static bool follows_words(const struct options *options) {
    return !options->record && &options->program[options->words] > options->programs[options->program_count].words + 1;
}

/* Of an option that stands behind the program's name. */
static bool take_option_behind(struct parser *parser, const struct option *option, const char *attached, int argc, char **argv,
                               int *at) {
    struct options *options = parser->options;
    const char *word = argv[*at];
    const bool one_dash = word[1] != '-';
    if (one_dash && !options->taken && follows_words(options)) {
        options->taken = word;
        options->taken_as = option->name;
    }
    if (take_option(parser, option, attached, argc, argv, at))
        return true;
    const size_t length = strlen(parser->sentence);
    if (one_dash)
        snprintf(parser->sentence + length, parser->room - length, "; after -- all words are the program's");
    return false;
}

/* Own options are taken before and after the program up to "--"; unknown words after the program are its own. */
static bool parse_words(struct parser *parser, int argc, char **argv, int at) {
    struct options *options = parser->options;
    bool own = true;
    if (!options->program)
        options->program = memory_take_zeroed(((size_t)argc + 1) * sizeof *options->program);
    for (; at < argc; at++) {
        const char *attached;
        const struct option *option = own ? find_option(argv[at], &attached) : NULL;
        const bool begun = options->programs[options->program_count].words != NULL;
        if (own && !begun && !option)
            option = find_attached(argv[at], &attached);
        if (own && strcmp(argv[at], "--") == 0 && (options->under_mpiexec || options->gdb)) {
            options->prefix = argv[at + 1] ? &argv[at + 1] : NULL;
            return true;
        }
        if (own && strcmp(argv[at], "--") == 0)
            own = false;
        else if (option && may_be_the_programs(parser, option, argv[at], begun))
            return wrong(parser,
                         "the number of ranks is said twice; if %s is the program's own option, \"--\" must come before it%s",
                         argv[at], "");
        else if (option && !(begun ? take_option_behind : take_option)(parser, option, attached, argc, argv, &at))
            return false;
        else if (option)
            continue;
        else if (!begun && own && argv[at][0] == '-')
            return unknown_option(parser, argv[at]);
        else if (options->replay && !options->witness)
            options->witness = argv[at];
        else if (!begun && own && !options->replay && launch_line_begins(argv[at]))
            return launch_line_parse(options, argv + at, parser->sentence, parser->room);
        else if (begun && own && strcmp(argv[at], ":") == 0) {
            if (!next_program(parser))
                return false;
        } else {
            if (own)
                note_slip(options, argv[at]);
            options_add_word(options, argv[at]);
        }
    }
    return true;
}

/* The last program, and the sum of all ranks. */
static bool finish_programs(struct parser *parser) {
    struct options *options = parser->options;
    if (!options->programs[options->program_count].words)
        return options->program_count == 0 || wrong(parser, "there is no program after the last \"%s\"%s", ":", "");
    if (options->program_count > 0 && options->replay)
        return wrong(parser, "a replay runs one program%s%s", "", "");
    options_end_program(options);
    options->ranks = 0;
    for (unsigned i = 0; i < options->program_count; i++)
        options->ranks += options->programs[i].ranks;
    return options->ranks <= MAX_RANKS || wrong(parser, "the programs have more than 1024 ranks together%s%s", "", "");
}

void options_free(struct options *options) {
    for (unsigned i = 0; i < options->variables; i++)
        free(options->variable[i]);
    for (unsigned i = 0; i < options->owns; i++)
        free(options->owned[i]);
    free(options->program);
    options->program = NULL;
}

static void set_defaults(struct options *options) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *options = (struct options){.ranks = 2,
                                .checkpoint = &backend_pages,
                                .jobs = cores < 1    ? 1
                                        : cores > 64 ? 64
                                                     : (unsigned)cores,
                                .step_seconds = 10,
                                .seed = 1,
                                .output_dir = "."};
}

static bool check_saving(struct parser *parser) {
    const struct options *options = parser->options;
    if (options->save && options->resume)
        return wrong(parser, "--save and --resume exclude each other: --resume DIR goes on saving into DIR%s%s", "", "");
    return !options->record || !(options->save || options->resume) ||
           wrong(parser, "%s has no meaning with explore record%s", options->save ? "--save" : "--resume", "");
}

/* The option that the memory of local states is needed for; NULL: there is none. */
static const char *pages_needed_for(const struct options *options) {
    return options->save            ? "--save"
           : options->resume        ? "--resume"
           : options->explain[0]    ? "--explain-state"
           : options->race_on_state ? "--race-on state"
                                    : NULL;
}

bool options_may_keep(const struct options *options, const struct backend *checkpoint) {
    return (checkpoint->keeps_pages || !pages_needed_for(options)) && (checkpoint->sleeps || !options->keep_images);
}

/* What goes together. */
static bool check(struct parser *parser) {
    const struct options *options = parser->options;
    if (options->help || options->version)
        return true;
    if (!check_saving(parser))
        return false;
    if (pages_needed_for(options) && !options->checkpoint->keeps_pages)
        return wrong(parser, "%s needs the memory of local states, which only --checkpoint pages keeps%s",
                     pages_needed_for(options), "");
    if (options->step + (options->until != 0) + (options->gdb != 0) + (options->export_to != NULL) + options->under_mpiexec > 1)
        return wrong(parser, "--step, --until, --gdb, --export and --mpiexec exclude each other%s%s", "", "");
    if (options->access && !options->poeg)
        return wrong(parser, "--access goes with --poeg%s%s", "", "");
    if (options->rerun && options->proof != PROOF_ORDERINGS)
        return wrong(parser, "--rerun goes with --proof orderings%s%s", "", "");
    if (options->orderings && !options->strategy)
        return wrong(parser, "--orderings goes with --strategy%s%s", "", "");
    const char *proof = proof_names[options->proof];
    if (options_orders_all(options) && options->buffering == BUFFERING_ALL)
        return wrong(parser,
                     "--proof %s takes --buffering none or infinite: with sends that may or may not be buffered "
                     "orderings have no classes%s",
                     proof, "");
    if (options_orders_all(options) && options->no_reduction)
        return wrong(parser, "--proof %s and --no-reduction exclude each other%s", proof, "");
    bool one_way = options->proof == PROOF_DECOMPOSITION || options_orders_all(options);
    if (one_way && (options->strategy || options->keep_files))
        return wrong(parser, "--proof %s and %s exclude each other", proof, options->strategy ? "--strategy" : "--keep-files");
    if (options->hold && !options->under_mpiexec)
        return wrong(parser, "--hold goes with --mpiexec%s%s", "", "");
    if (options->keep_images && !options->checkpoint->sleeps && !(options->replay && !options->checkpoint_chosen))
        return wrong(parser, "--keep-images needs images of processes, which only --checkpoint criu makes%s%s", "", "");
    if (options->replay)
        return options->witness || wrong(parser, "replay needs a witness file%s%s", "", "");
    return options->program[0] || options->resume || wrong(parser, "which program? See explore --help%s%s", "", "");
}

bool options_parse(struct options *options, int argc, char **argv, char *sentence, size_t room) {
    set_defaults(options);
    struct parser parser = {options, sentence, room, NULL, false};
    if (argc > 1 && strcmp(argv[1], "restore") == 0) {
        options->restore = argc == 3 ? argv[2] : NULL;
        return options->restore || wrong(&parser, "restore needs the folder of one image%s%s", "", "");
    }
    options->replay = argc > 1 && strcmp(argv[1], "replay") == 0;
    options->record = argc > 1 && strcmp(argv[1], "record") == 0;
    if (!parse_words(&parser, argc, argv, options->replay || options->record ? 2 : 1) || !finish_programs(&parser))
        return false;
    return check(&parser);
}

bool options_parse_again(struct options *options, int argc, char **argv, char *const *earlier, int earlier_words,
                         char *sentence, size_t room) {
    set_defaults(options);
    struct parser parser = {options, sentence, room, NULL, false};
    if (!parse_words(&parser, earlier_words, (char **)earlier, 0))
        return false;
    options->save = NULL;
    parser.ranks_said = false;
    return parse_words(&parser, argc, argv, 1) && finish_programs(&parser) && check(&parser);
}

static bool listed(const char *const *list, unsigned count, const char *class_name) {
    for (unsigned i = 0; i < count; i++)
        if (strcmp(list[i], class_name) == 0)
            return true;
    return false;
}

bool options_orders_all(const struct options *options) {
    return options->proof == PROOF_ORDERINGS || options->proof == PROOF_REVERSAL;
}

bool options_fails(const struct options *options, const char *class_name) {
    if (listed(options->deny, options->denies, class_name))
        return true;
    return strcmp(class_name, "race-messages") != 0 && !listed(options->allow, options->allows, class_name);
}
