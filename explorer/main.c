#include "ckpt/criu_folder.h"
#include "explorer/command_line/launch_line.h"
#include "explorer/exploration/explain.h"
#include "explorer/exploration/exploration.h"
#include "explorer/exploration/poeg_file.h"
#include "explorer/machine/whole_file.h"
#include "explorer/replay/real_watcher.h"
#include "explorer/replay/record.h"
#include "explorer/replay/replay.h"
#include "explorer/replay/restore.h"
#include "explorer/saved/saved.h"
#include "explorer/steps/file_uses.h"
#include "models/mpi/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Set by Ctrl-C: the search ends at the next opportunity and what is known is reported. */
static volatile bool interrupted;

/* The second Ctrl-C does not wait for that; the processes of the program end with this one. */
static void on_interrupt(int signal) {
    (void)signal;
    if (interrupted)
        _exit(VERDICT_UNDECIDED);
    interrupted = true;
}

/* Whoever starts us with a signal ignored (nohup does) wants it so. */
static void catch_interrupts(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

/* What would otherwise end the process by a signal fails the write instead, and the exit code is the verdict's. */
static void ignore_failed_writes(void) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* A file opened later must not become stdout. */
static bool open_closed_streams(void) {
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR) != descriptor)
            return false;
    return true;
}

static bool writable(const char *path, char *sentence, size_t room) {
    if (!path || whole_file_possible(path))
        return true;
    snprintf(sentence, room, "cannot write %s: %s", path, strerror(errno));
    return false;
}

/* The default folder is looked at only when there is something to be written. */
static bool writable_folder(const char *path, char *sentence, size_t room) {
    struct stat there;
    if (strcmp(path, ".") == 0)
        return true;
    bool folder = stat(path, &there) == 0;
    if (folder && !S_ISDIR(there.st_mode))
        errno = ENOTDIR;
    if (folder && S_ISDIR(there.st_mode) && access(path, W_OK | X_OK) == 0)
        return true;
    snprintf(sentence, room, "cannot write into --output-dir %s: %s", path, strerror(errno));
    return false;
}

static bool keepable(const char *folder, char *sentence, size_t room) {
    if (!folder || written_files_can_keep(folder))
        return true;
    snprintf(sentence, room, "cannot write into %s: %s", folder, strerror(errno));
    return false;
}

/* Images of an earlier run must not be taken for this one's. */
static bool image_folder_usable(const char *path, char *sentence, size_t room) {
    if (!path || mkdir(path, 0777) == 0 || (errno == EEXIST && image_folder_is_empty(path)))
        return true;
    snprintf(sentence, room, "cannot write into --keep-images %s: %s", path, strerror(errno == EEXIST ? ENOTEMPTY : errno));
    return false;
}

static void write_report(const char *path, bool (*write)(const char *path, const struct report *report),
                         const struct report *report) {
    if (path && !write(path, report))
        fprintf(stderr, "explore: cannot write %s: %s\n", path, strerror(errno));
}

static void write_reports(const struct report *report) {
    write_report(report->options->json, report_json, report);
    write_report(report->options->junit, report_junit, report);
    write_report(report->options->sarif, report_sarif, report);
}

static bool ends_with(const char *sentence, const char *ending) {
    size_t length = strlen(sentence), of_ending = strlen(ending);
    return length >= of_ending && strcmp(sentence + length - of_ending, ending) == 0;
}

/* Is it refused only because its processes are not kept whole, and may they be? */
static bool needs_whole_processes(const struct options *options, const char *refusal) {
    return !options->checkpoint_chosen && options_may_keep(options, &backend_criu) && ends_with(refusal, WIRE_KEEP_PROCESSES);
}

/* A program that cannot be run has a report too, so that a CI job that reads it sees why. */
static int cannot_run(const struct options *options, struct sites *sites, const char *sentence) {
    struct report report = {.options = options, .verdict = VERDICT_CANNOT_RUN, .sentence = sentence, .sites = sites};
    fprintf(stderr, "explore: %s\n", sentence);
    write_reports(&report);
    return VERDICT_CANNOT_RUN;
}

static void write_poeg(struct exploration *exploration, struct report *report) {
    const struct options *options = report->options;
    char sentence[1024] = "";
    if (options->json || options->verbose || options->access) {
        proof_count_orders(exploration, &exploration->orders);
        report->poeg = &exploration->orders;
    }
    if (!poeg_file_write(exploration, sentence, sizeof sentence))
        fprintf(stderr, "explore: cannot write %s: %s\n", options->poeg, sentence[0] ? sentence : "a budget is used up");
}

/* Is it refused only because ranks use the same files, which they may do in turns? */
static bool needs_turns(const struct options *options, const char *refusal) {
    return !options->takes_turns && !options->save && !options->resumed && !options->keep_images &&
           ends_with(refusal, FILE_USES_IN_TURNS);
}

struct second_try {
    bool is_due;
    char why[1024]; /* processes are kept whole; empty if they are not */
};

static void keep_processes(struct options *options, const char *refusal, struct second_try *next) {
    snprintf(next->why, sizeof next->why, "%s", refusal);
    if (!options->quiet)
        fprintf(stderr, "explore: %s: starting over with that\n", refusal);
    options->checkpoint = &backend_criu;
    options->checkpoint_chosen = true;
}

/* Starts over with what the refusal says is needed, if anything, in the time that is left. */
static bool start_over(struct options *options, const struct exploration *exploration, const char *refusal,
                       struct second_try *next) {
    if (needs_whole_processes(options, refusal))
        keep_processes(options, refusal, next);
    else if (needs_turns(options, refusal))
        options->takes_turns = true;
    else
        return false;
    if (options->seconds > 0)
        options->seconds = fmax(options->seconds - exploration_seconds(exploration), 1e-3);
    return next->is_due = true;
}

/* The exit code. If the program turns out to need another try, `options` say what with, and nothing is reported yet. */
static int explore_once(struct options *options, struct second_try *next) {
    char sentence[2048];
    struct exploration exploration;
    size_t length = *next->why ? (size_t)snprintf(sentence, sizeof sentence, "%s: ", next->why) : 0;
    bool begun = exploration_begin(&exploration, options, &interrupted, sentence + length, sizeof sentence - length);
    if (!begun && !interrupted && !exploration.is_late) {
        int code = VERDICT_CANNOT_RUN;
        if (!start_over(options, &exploration, sentence, next))
            code = cannot_run(options, exploration.sites, sentence);
        exploration_end(&exploration);
        return code;
    }
    struct report report = {.options = options,
                            .verdict = VERDICT_UNDECIDED,
                            .sentence = exploration.is_late ? sentence : "interrupted",
                            .sites = exploration.sites};
    if (begun) {
        exploration_run(&exploration, &report);
        if (report.verdict == VERDICT_CANNOT_RUN && start_over(options, &exploration, report.sentence, next)) {
            exploration_free_report(&report);
            exploration_end(&exploration);
            return VERDICT_CANNOT_RUN;
        }
        exploration_write_witnesses(&exploration, &report);
        if (options->keep_files && report.verdict != VERDICT_CANNOT_RUN)
            exploration_keep_files(&exploration);
        if (options->poeg && report.verdict != VERDICT_CANNOT_RUN)
            write_poeg(&exploration, &report);
    }
    if (report.verdict == VERDICT_CANNOT_RUN)
        fprintf(stderr, "explore: %s\n", report.sentence);
    else if (!options->quiet)
        report_text(stdout, &report);
    write_reports(&report);
    int code = (int)report.verdict;
    if (begun && report.verdict != VERDICT_CANNOT_RUN &&
        !explain_local_states(stdout, &exploration, sentence, sizeof sentence)) {
        fflush(stdout);
        fprintf(stderr, "explore: %s\n", sentence);
        code = VERDICT_CANNOT_RUN;
    }
    exploration_free_report(&report);
    exploration_end(&exploration);
    return code;
}

static int explore(struct options *options) {
    struct second_try next = {0};
    int code;
    do {
        next.is_due = false;
        code = explore_once(options, &next);
    } while (next.is_due);
    return code;
}

/* A verdict that could not be printed is one still, but not silently. */
static void check_output(void) {
    if (fflush(stdout) != 0 && errno != EPIPE)
        fprintf(stderr, "explore: cannot write to standard output: %s\n", strerror(errno));
}

static bool usable(const struct options *options, char *sentence, size_t room) {
    return writable(options->json, sentence, room) && writable(options->junit, sentence, room) &&
           writable(options->poeg, sentence, room) && writable(options->sarif, sentence, room) &&
           writable_folder(options->output_dir, sentence, room) && keepable(options->keep_files, sentence, room) &&
           image_folder_usable(options->keep_images, sentence, room);
}

/* With --resume the exploration directory knows the rest of the command line, unless that is given again. */
static bool parse(struct options *options, int argc, char **argv, char *sentence, size_t room) {
    char *error = NULL;
    if (!options_parse(options, argc, argv, sentence, room))
        return false;
    options->command = argv + 1;
    options->command_words = argc - 1;
    if (!options->resume || options->help || options->version)
        return true;
    struct saved *saved = saved_open(options->resume, &error);
    if (!saved) {
        snprintf(sentence, room, "%s", error ? error : "the exploration directory cannot be opened");
        free(error);
        return false;
    }
    bool ok = true;
    if (!options->program[0]) {
        int words;
        char *const *earlier = saved_words(saved, &words);
        options_free(options);
        ok = options_parse_again(options, argc, argv, earlier, words, sentence, room);
    }
    options->resumed = saved;
    return ok;
}

int main(int argc, char **argv) {
    char sentence[1024];
    struct options options;
    if (!open_closed_streams())
        return VERDICT_CANNOT_RUN;
    if (argc > 1 && strcmp(argv[1], REAL_WATCHER_WORD) == 0)
        return real_watcher(argc, argv);
    ignore_failed_writes();
    if (argc < 2) {
        options_usage(stderr);
        return VERDICT_CANNOT_RUN;
    }
    if (!parse(&options, argc, argv, sentence, sizeof sentence) || !launch_line_apply(&options, sentence, sizeof sentence) ||
        !usable(&options, sentence, sizeof sentence)) {
        fprintf(stderr, "explore: %s\n", sentence);
        options_free(&options);
        return VERDICT_CANNOT_RUN;
    }
    if (options.slip && !options.quiet)
        fprintf(stderr, "explore: note: %s goes to the program; did you mean %s? After -- all words are the program's\n",
                options.slip, options.meant);
    if (options.taken && !options.quiet)
        fprintf(stderr, "explore: note: %s is taken as %s; after -- all words are the program's\n", options.taken,
                options.taken_as);
    catch_interrupts();
    int code = 0;
    if (options.help)
        options_help();
    else if (options.version)
        puts("explore " EXPLORE_VERSION);
    else
        code = options.restore  ? restore(options.restore, &interrupted)
               : options.replay ? replay(&options, &interrupted)
               : options.record ? record(&options, &interrupted)
                                : explore(&options);
    options_free(&options);
    check_output();
    return code;
}
