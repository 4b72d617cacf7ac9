/* The differential test of the explorer: random programs, brute force on one side, model and search on the other.
 *
 *     differential [--count N] [--seed S] [--limit STATES] [--cancel] [--loops] [--phases] [--groups] [--apart] [--agents] [--hurry]
 *                  [--alike] [--unreduced] [--plain]                exit 1 if they differ anywhere
 *     differential --once ...                                           the same, ends at the first difference, as it is
 *     differential --program FILE                                       one program, as printed
 *     differential --emit DIR [--count N] [--seed S]                    p<seed>.c and p<seed>.expected for the whole tool
 */
#include "tests/oracle/compare.h"
#include "tests/oracle/emit_c.h"
#include "tests/oracle/generator.h"
#include "tests/oracle/shrink.h"

#include <getopt.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERINGS 3
#define FAILURES_SHOWN 10
#define SMALLER_MOST 4 /* how often a program is made smaller */
/* Tables that a search hardly begins to fill are the kernel's zeros each time: malloc would keep them and zero them by hand. */
#define LARGE_TABLE (128 << 10)
/* Other memory is kept for the next program's searches, those of several threads too: to get it from the kernel and give it back each
 * time takes a sixth of it all. */
#define KEPT_MEMORY (64 << 20)
#define MEMORY_AT_ONCE (8 << 20)

struct settings {
    uint64_t count, seed, limit;
    bool plain, unreduced, alike, cancels, loops, phases, groups, hurry, apart, agents, locks, asks, awaits, verbose, once;
    const char *program_file;
    const char *emit_directory;
};

/* How the programs behave with buffering "all": a generator that has become trivial is noticed. */
struct tally {
    uint64_t passed, failed, skipped, complete, deadlock, race, crash;
    uint64_t too_large; /* programs in whose place a smaller one was generated */
    uint64_t brute_states, search_states, reduced_states, merged_states, merged, mistakes;
    uint64_t clean, alike, proved, inequivalent, reversed; /* with some buffering */
    uint64_t reversed_states, persistent_states;           /* of those */
    struct advice_count advice;
};

struct failure {
    enum brute_buffering buffering;
    const struct settings *settings;
};

static struct reference reference_of(const struct settings *settings) {
    return (struct reference){settings->limit, settings->plain, settings->alike, settings->unreduced};
}

static bool still_fails(void *context, const struct program *program) {
    const struct failure *failure = context;
    struct comparison comparison;
    compare(program, failure->buffering, reference_of(failure->settings), &comparison);
    bool fails = comparison.verdict == VERDICT_DIFFER;
    comparison_clear(&comparison);
    return fails;
}

static void print_failure(const struct program *program, const struct failure *failure) {
    struct comparison comparison;
    compare(program, failure->buffering, reference_of(failure->settings), &comparison);
    printf("  %s\n", comparison.difference ? comparison.difference : "(gone)");
    program_print(program, stdout);
    printf("  brute force:\n");
    behaviours_print(&comparison.brute, stdout);
    printf("  search:\n");
    behaviours_print(&comparison.search, stdout);
    fflush(stdout);
    comparison_clear(&comparison);
}

static void report_failure(const struct program *program, const char *name, struct failure failure) {
    printf("%s differs with buffering %s; shrunk:\n", name, buffering_name(failure.buffering));
    struct program small = *program;
    shrink(&small, still_fails, &failure);
    print_failure(&small, &failure);
}

static void count_behaviours(struct tally *tally, const struct comparison *comparison) {
    size_t completed = behaviours_of(&comparison->brute, "completed");
    tally->complete += completed > 0;
    tally->race += completed > 1;
    tally->deadlock += behaviours_of(&comparison->brute, "deadlock") > 0;
    tally->crash += behaviours_of(&comparison->brute, "crash") > 0;
}

/* False: it is too large for the reference. */
static bool test_program(const struct program *program, const char *name, const struct settings *settings,
                         struct tally *tally) {
    for (enum brute_buffering buffering = 0; buffering < BUFFERINGS; buffering++) {
        struct comparison comparison;
        compare(program, buffering, reference_of(settings), &comparison);
        if (comparison.verdict == VERDICT_AGREE && buffering == BRUTE_ALL)
            count_behaviours(tally, &comparison);
        tally->brute_states += comparison.brute_states;
        tally->search_states += comparison.search_states;
        tally->reduced_states += comparison.reduced_states;
        tally->merged_states += comparison.merged_states;
        tally->merged += comparison.merged;
        tally->mistakes += comparison.mistakes;
        tally->clean += comparison.clean;
        tally->proved += comparison.proved;
        tally->alike += comparison.alike;
        tally->inequivalent += comparison.inequivalent;
        tally->reversed += comparison.reversed;
        if (comparison.reversed) {
            tally->reversed_states += comparison.reversed_states;
            tally->persistent_states += comparison.reduced_states;
        }
        tally->advice.useless += comparison.advice.useless;
        tally->advice.named += comparison.advice.named;
        tally->advice.useless_barriers += comparison.advice.useless_barriers;
        tally->advice.named_barriers += comparison.advice.named_barriers;
        tally->advice.useless_groups += comparison.advice.useless_groups;
        tally->advice.named_groups += comparison.advice.named_groups;
        if (settings->verbose)
            behaviours_print(&comparison.brute, stdout);
        comparison_clear(&comparison);
        if (comparison.verdict == VERDICT_BEYOND)
            return false;
        if (comparison.verdict == VERDICT_DIFFER) {
            if (settings->once)
                printf("%s differs with buffering %s\n", name, buffering_name(buffering));
            if (tally->failed++ < FAILURES_SHOWN && !settings->once)
                report_failure(program, name, (struct failure){buffering, settings});
            return true;
        }
    }
    tally->passed++;
    return true;
}

static bool is_rare(const char *what, uint64_t seen, uint64_t least_percent, const struct tally *tally) {
    if (seen * 100 >= tally->passed * least_percent)
        return false;
    printf("the generator makes too few programs that %s: %lu\n", what, (unsigned long)seen);
    return true;
}

/* Steered to what the reference can do, it makes hardly any that are too large. */
static bool skips_many(const struct tally *tally, uint64_t count) {
    if (tally->skipped * 100 <= count)
        return false;
    printf("the generator makes too many programs that are too large: %lu\n", (unsigned long)tally->skipped);
    return true;
}

static bool is_trivial(const struct tally *tally) {
    bool rare = is_rare("complete", tally->complete, 3, tally);
    rare |= is_rare("deadlock", tally->deadlock, 3, tally);
    rare |= is_rare("race", tally->race, 3, tally);
    return rare | is_rare("crash", tally->crash, 1, tally);
}

static struct generator_options generator_options(const struct settings *settings) {
    return (struct generator_options){.cancels = settings->cancels,
                                      .loops = settings->loops,
                                      .phases = settings->phases,
                                      .large = settings->unreduced,
                                      .groups = settings->groups,
                                      .hurry = settings->hurry,
                                      .apart = settings->apart,
                                      .agents = settings->agents,
                                      .locks = settings->locks,
                                      .asks = settings->asks,
                                      .awaits = settings->awaits,
                                      .alike = settings->alike};
}

/* The program of that seed, or a smaller one of it if that is too large. */
static void test_seed(uint64_t seed, const struct settings *settings, struct tally *tally) {
    struct generator_options options = generator_options(settings);
    char name[64];
    snprintf(name, sizeof name, "seed %lu", (unsigned long)seed);
    for (; options.smaller <= SMALLER_MOST; options.smaller++) {
        struct program program;
        generate(&program, seed, &options);
        if (test_program(&program, name, settings, tally))
            return;
        tally->too_large++;
    }
    tally->skipped++;
}

static int run_random(const struct settings *settings) {
    struct tally tally = {0};
    for (uint64_t i = 0; i < settings->count && !(settings->once && tally.failed); i++)
        test_seed(settings->seed + i, settings, &tally);
    printf("%lu times a program was too large, and a smaller one taken\n", (unsigned long)tally.too_large);
    printf("%lu complete, %lu deadlock, %lu race, %lu crash; states: %lu by brute force, %lu searched, %lu reduced\n",
           (unsigned long)tally.complete, (unsigned long)tally.deadlock, (unsigned long)tally.race, (unsigned long)tally.crash,
           (unsigned long)tally.brute_states, (unsigned long)tally.search_states, (unsigned long)tally.reduced_states);
    printf("%lu times free of races and errors, %lu times of these proved by parts\n", (unsigned long)tally.clean,
           (unsigned long)tally.proved);
    if (!settings->alike)
        printf("%lu states of these where those of ranks that behave alike are one; %lu were taken for others, %lu searches "
               "were done "
               "again for that\n",
               (unsigned long)tally.merged_states, (unsigned long)tally.merged, (unsigned long)tally.mistakes);
    if (settings->alike)
        printf("%lu times of these without telling ranks apart\n", (unsigned long)tally.alike);
    printf("%lu times optimal reduction was compared with all orderings\n", (unsigned long)tally.inequivalent);
    printf("%lu times the reversal of races was: %lu states, where persistent sets leave %lu\n", (unsigned long)tally.reversed,
           (unsigned long)tally.reversed_states, (unsigned long)tally.persistent_states);
    printf("%lu synchronous sends decide nothing, %lu of them are named; of programs' barriers %lu and %lu, of single ones %lu "
           "and %lu\n",
           (unsigned long)tally.advice.useless, (unsigned long)tally.advice.named, (unsigned long)tally.advice.useless_barriers,
           (unsigned long)tally.advice.named_barriers, (unsigned long)tally.advice.useless_groups,
           (unsigned long)tally.advice.named_groups);
    bool trivial = settings->count >= 500 && (is_trivial(&tally) | skips_many(&tally, settings->count));
    printf("%lu passed, %lu failed, %lu skipped\n", (unsigned long)tally.passed, (unsigned long)tally.failed,
           (unsigned long)tally.skipped);
    return tally.failed || trivial;
}

static int run_file(const struct settings *settings) {
    struct program program;
    struct tally tally = {0};
    FILE *file = fopen(settings->program_file, "r");
    if (!file || !program_parse(&program, file)) {
        fprintf(stderr, "cannot read the program %s\n", settings->program_file);
        return 2;
    }
    fclose(file);
    tally.skipped = !test_program(&program, settings->program_file, settings, &tally);
    printf("%lu passed, %lu failed, %lu skipped\n", (unsigned long)tally.passed, (unsigned long)tally.failed,
           (unsigned long)tally.skipped);
    return tally.failed != 0;
}

static void write_expected(const struct behaviours *set, FILE *out) {
    static const char *const class_name[] = {
        "collective-mismatch", "crash",        "deadlock",          "invalid-argument", "livelock",
        "race-output",         "request-leak", "unreceived-message"};
    bool clean = set->count == 1 && behaviours_of(set, "completed") == 1;
    fprintf(out, clean ? "race-free" : "found");
    for (size_t i = 0; i < sizeof class_name / sizeof *class_name; i++) {
        bool races = strcmp(class_name[i], "race-output") == 0;
        if (races ? behaviours_of(set, "completed") > 1 : behaviours_of(set, class_name[i]) > 0)
            fprintf(out, " %s", class_name[i]);
    }
    fputc('\n', out);
}

static FILE *create(const struct settings *settings, uint64_t seed, const char *suffix) {
    char path[4096];
    snprintf(path, sizeof path, "%s/p%lu.%s", settings->emit_directory, (unsigned long)seed, suffix);
    FILE *file = fopen(path, "w");
    if (!file)
        perror(path);
    return file;
}

/* The program of that seed, as large as brute force can do, and what it does. False: there is none. */
static bool generate_known(const struct settings *settings, uint64_t seed, struct program *program, struct behaviours *set) {
    struct generator_options generator = generator_options(settings);
    const struct brute_options brute = {.buffering = BRUTE_ALL, .states = settings->limit};
    uint64_t states;
    for (; generator.smaller <= SMALLER_MOST; generator.smaller++) {
        generate(program, seed, &generator);
        if (brute_run(program, &brute, set, &states))
            return true;
        behaviours_clear(set);
    }
    return false;
}

/* Writes both files; a program beyond brute force is left out. */
static bool emit_one(const struct settings *settings, uint64_t seed) {
    struct program program;
    struct behaviours set = {0};
    if (!generate_known(settings, seed, &program, &set))
        return true;
    FILE *source = create(settings, seed, "c"), *expected = create(settings, seed, "expected");
    if (!source || !expected)
        return false;
    emit_c(&program, source);
    write_expected(&set, expected);
    behaviours_clear(&set);
    bool written = !ferror(source) && !ferror(expected);
    written &= fclose(source) == 0;
    return (fclose(expected) == 0) && written;
}

static int run_emit(const struct settings *settings) {
    for (uint64_t i = 0; i < settings->count; i++)
        if (!emit_one(settings, settings->seed + i))
            return 2;
    return 0;
}

static bool parse_arguments(int argc, char **argv, struct settings *settings) {
    static const struct option options[] = {{"count", required_argument, NULL, 'c'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"limit", required_argument, NULL, 'l'},
                                            {"program", required_argument, NULL, 'p'},
                                            {"emit", required_argument, NULL, 'e'},
                                            {"plain", no_argument, NULL, 'n'},
                                            {"cancel", no_argument, NULL, 'x'},
                                            {"verbose", no_argument, NULL, 'v'},
                                            {"loops", no_argument, NULL, 'o'},
                                            {"apart", no_argument, NULL, 'a'},
                                            {"agents", no_argument, NULL, 'g'},
                                            {"locks", no_argument, NULL, 'k'},
                                            {"asks", no_argument, NULL, 'q'},
                                            {"awaits", no_argument, NULL, 'w'},
                                            {"once", no_argument, NULL, '1'},
                                            {"phases", no_argument, NULL, 'h'},
                                            {"groups", no_argument, NULL, 'r'},
                                            {"unreduced", no_argument, NULL, 'u'},
                                            {"alike", no_argument, NULL, 'i'},
                                            {"hurry", no_argument, NULL, 'y'},
                                            {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (option) {
        case 'c': settings->count = strtoull(optarg, NULL, 10); break;
        case 's': settings->seed = strtoull(optarg, NULL, 10); break;
        case 'l': settings->limit = strtoull(optarg, NULL, 10); break;
        case 'p': settings->program_file = optarg; break;
        case 'e': settings->emit_directory = optarg; break;
        case 'n': settings->plain = true; break;
        case 'x': settings->cancels = true; break;
        case 'o': settings->loops = true; break;
        case 'h': settings->phases = true; break;
        case 'r': settings->groups = true; break;
        case 'y': settings->hurry = true; break;
        case 'i': settings->alike = true; break;
        case 'u': settings->unreduced = true; break;
        case 'a': settings->apart = true; break;
        case 'g': settings->agents = true; break;
        case 'k': settings->locks = true; break;
        case 'q': settings->asks = true; break;
        case 'w': settings->awaits = true; break;
        case '1': settings->once = true; break;
        case 'v': settings->verbose = true; break;
        default: return false;
        }
    return optind == argc;
}

int main(int argc, char **argv) {
    mallopt(M_MMAP_THRESHOLD, LARGE_TABLE);
    mallopt(M_TRIM_THRESHOLD, KEPT_MEMORY);
    mallopt(M_TOP_PAD, MEMORY_AT_ONCE);
    mallopt(M_ARENA_MAX, 1);
    struct settings settings = {.count = 2000, .seed = 1, .limit = 20000};
    if (!parse_arguments(argc, argv, &settings)) {
        fprintf(
            stderr,
            "usage: differential [--count N] [--seed S] [--limit STATES] [--cancel] [--loops] [--phases] [--groups] [--apart]\n"
            "                    [--agents] [--locks] [--asks] [--awaits] [--hurry] [--alike] [--unreduced] [--plain] "
            "[--verbose] "
            "[--once]\n"
            "                    [--program FILE | --emit DIRECTORY]\n");
        return 2;
    }
    if (settings.emit_directory)
        return run_emit(&settings);
    return settings.program_file ? run_file(&settings) : run_random(&settings);
}
