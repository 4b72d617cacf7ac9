#include "explorer/saved/surroundings.h"

#include "explorer/containers/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/utsname.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

extern char **environ;

/* --- hashes ------------------------------------------------------------------------------------------------------------ */

uint64_t surroundings_hash(const void *bytes, size_t size, uint64_t before) {
    return XXH3_64bits_withSeed(bytes, size, before);
}

/* Whatever the pieces were in which it was read. */
uint64_t surroundings_hash_of_stream(FILE *file) {
    XXH3_state_t *state = XXH3_createState();
    char block[1 << 16];
    XXH3_64bits_reset(state);
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;)
        XXH3_64bits_update(state, block, got);
    uint64_t hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return hash;
}

uint64_t surroundings_hash_of_file(const char *path) {
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    uint64_t hash = surroundings_hash_of_stream(file);
    fclose(file);
    return hash;
}

struct hash_text {
    char text[24];
};

static struct hash_text text_of(uint64_t hash) {
    struct hash_text text;
    snprintf(text.text, sizeof text.text, "#%016llx", (unsigned long long)hash);
    return text;
}

static struct hash_text file_text(const char *path) { return text_of(surroundings_hash_of_file(path)); }

/* --- the machine ------------------------------------------------------------------------------------------------------- */

static bool fixed(struct saved *saved, const char *label, const char *value, char **error) {
    return saved_fact(saved, FACT_FIXED, label, value, error);
}

/* Which instructions libraries choose. */
static struct hash_text processor(void) {
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[8192];
    uint64_t hash = 0;
    while (file && fgets(line, sizeof line, file) && line[0] != '\n') /* the first processor */
        if (strncmp(line, "model name", 10) == 0 || strncmp(line, "flags", 5) == 0)
            hash = surroundings_hash(line, strlen(line), hash);
    if (file)
        fclose(file);
    return text_of(hash);
}

static bool check_machine(struct saved *saved, char **error) {
    struct utsname system;
    char here[PATH_MAX];
    return uname(&system) == 0 && fixed(saved, "the kernel", system.release, error) &&
           fixed(saved, "the processor", processor().text, error) && getcwd(here, sizeof here) &&
           fixed(saved, "the working directory", here, error);
}

/* --- programs and options ---------------------------------------------------------------------------------------------- */

static char *joined(char *const *words) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (; *words; words++)
        fprintf(out, "%s%s", size || ftell(out) > 0 ? " " : "", *words);
    fclose(out);
    return text;
}

static bool check_program(struct saved *saved, unsigned number, const struct program *program, const char *path, char **error) {
    char label[64], ranks[16], *words = joined(program->words);
    snprintf(label, sizeof label, "the command line of program %u", number + 1);
    bool same = fixed(saved, label, words, error);
    free(words);
    snprintf(label, sizeof label, "the number of ranks of program %u", number + 1);
    snprintf(ranks, sizeof ranks, "%u", program->ranks);
    if (!same || !fixed(saved, label, ranks, error))
        return false;
    char *executable;
    if (asprintf(&executable, "the executable %s", path) < 0)
        return false;
    same = fixed(saved, executable, file_text(path).text, error);
    free(executable);
    return same;
}

static bool check_options(struct saved *saved, const struct options *options, char **error) {
    char step_time[32], programs[16];
    snprintf(step_time, sizeof step_time, "%g s", options->step_seconds);
    snprintf(programs, sizeof programs, "%u", options->program_count);
    return fixed(saved, "the number of programs", programs, error) &&
           fixed(saved, "--buffering", buffering_name(options->buffering), error) &&
           fixed(saved, "--race-on", options->race_on_state ? "state" : "output", error) &&
           fixed(saved, "--step-time", step_time, error) &&
           fixed(saved, "--no-reduction", options->no_reduction ? "given" : "not given", error);
}

/* --- the environment --------------------------------------------------------------------------------------------------- */

/* Differs between two terminals of one user. */
static bool of_session(const char *name) {
    static const char *const prefix[] = {"_=",   "SHLVL=", "OLDPWD=", "TERM=", "COLUMNS=", "LINES=", "WINDOWID=", "DISPLAY=",
                                         "SSH_", "XDG_",   "DBUS_",   "TMUX",  "STY=",     "TTY=",   "GPG_TTY="};
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (strncmp(name, prefix[i], strlen(prefix[i])) == 0)
            return true;
    return false;
}

static bool check_variable(struct saved *saved, const char *variable, char **error) {
    const char *equals = strchr(variable, '=');
    if (!equals || (saved_is_resumed(saved) && of_session(variable)))
        return true;
    char *label;
    if (asprintf(&label, "the environment variable %.*s", (int)(equals - variable), variable) < 0)
        return false;
    bool same = saved_fact(saved, FACT_VARIABLE, label, variable, error);
    free(label);
    return same;
}

/* In the order in which they were: where the stack begins depends on them. */
static void take_saved_environment(struct saved *saved) {
    size_t count;
    struct saved_fact *fact = saved_facts(saved, &count);
    clearenv();
    for (size_t i = 0; i < count; i++)
        if (fact[i].kind == FACT_VARIABLE) {
            char *equals = strchr(fact[i].value, '=');
            *equals = 0;
            setenv(fact[i].value, equals + 1, 1);
            *equals = '=';
            fact[i].met = fact[i].met || of_session(fact[i].value);
        }
}

static bool check_environment(struct saved *saved, char **error) {
    for (char **variable = environ; *variable; variable++)
        if (!check_variable(saved, *variable, error))
            return false;
    if (!saved_is_resumed(saved))
        return true;
    take_saved_environment(saved);
    return saved_all_met(saved, FACT_VARIABLE, error);
}

bool surroundings_check(struct saved *saved, const struct options *options, char *const *path, char **error) {
    if (!fixed(saved, "explore", file_text("/proc/self/exe").text, error) || !check_machine(saved, error) ||
        !check_options(saved, options, error))
        return false;
    for (unsigned i = 0; i < options->program_count; i++)
        if (!check_program(saved, i, &options->programs[i], path[i], error))
            return false;
    return check_environment(saved, error);
}

/* --- processes --------------------------------------------------------------------------------------------------------- */

static bool check_mapped(struct saved *saved, unsigned program, const char *path, char **error) {
    char *label;
    if (asprintf(&label, "the file %s, which program %u has loaded,", path, program + 1) < 0)
        return false;
    bool same = fixed(saved, label, file_text(path).text, error);
    free(label);
    return same;
}

static bool check_mappings(struct saved *saved, unsigned program, pid_t process, char **error) {
    char path[64], line[PATH_MAX + 256], before[PATH_MAX] = "";
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *maps = fopen(path, "re");
    bool same = maps != NULL;
    while (same && fgets(line, sizeof line, maps)) {
        char mapped[PATH_MAX] = "";
        if (sscanf(line, "%*s %*s %*s %*s %*s %4095[^\n]", mapped) != 1 || mapped[0] != '/' ||
            strncmp(mapped, "/memfd:", 7) == 0 || strncmp(mapped, "/dev/", 5) == 0 || strcmp(mapped, before) == 0)
            continue;
        strcpy(before, mapped); /* a file's mappings are neighbours */
        same = check_mapped(saved, program, mapped, error);
    }
    if (maps)
        fclose(maps);
    return same;
}

/* What is saved is of use only to a process that has everything at the same addresses. */
static bool has_fixed_layout(pid_t process) {
    char path[64];
    unsigned personality = 0;
    snprintf(path, sizeof path, "/proc/%d/personality", (int)process);
    FILE *file = fopen(path, "re");
    bool read = file && fscanf(file, "%x", &personality) == 1;
    if (file)
        fclose(file);
    return read && personality & ADDR_NO_RANDOMIZE;
}

bool surroundings_check_process(struct saved *saved, unsigned program, pid_t process, int input, char **error) {
    char path[64], label[64];
    if (!has_fixed_layout(process)) {
        *error = strdup("address-space randomisation cannot be turned off here, so what is saved could not be resumed");
        return false;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", input);
    snprintf(label, sizeof label, "the input (stdin) of program %u", program + 1);
    return fixed(saved, label, file_text(path).text, error) && check_mappings(saved, program, process, error);
}
