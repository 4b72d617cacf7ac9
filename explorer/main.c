#include "explorer/explain.h"
#include "explorer/exploration.h"
#include "explorer/replay.h"
#include "explorer/whole_file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Set by Ctrl-C: the search ends at the next opportunity and what is known is reported. */
static volatile bool interrupted;

static void on_interrupt(int signal) {
    (void)signal;
    interrupted = true;
}

static void catch_interrupts(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_interrupt};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

static bool writable(const char *path, char *sentence, size_t room) {
    if (!path || whole_file_possible(path))
        return true;
    snprintf(sentence, room, "cannot write %s: %s", path, strerror(errno));
    return false;
}

static bool keepable(const char *folder, char *sentence, size_t room) {
    if (!folder || written_files_can_keep(folder))
        return true;
    snprintf(sentence, room, "cannot write into %s: %s", folder, strerror(errno));
    return false;
}

static void write_reports(const struct report *report) {
    const struct options *options = report->options;
    if (options->json && !report_json(options->json, report))
        fprintf(stderr, "explore: cannot write %s: %s\n", options->json, strerror(errno));
    if (options->junit && !report_junit(options->junit, report))
        fprintf(stderr, "explore: cannot write %s: %s\n", options->junit, strerror(errno));
}

/* A program that cannot be run has a report too, so that a CI job that reads it sees why. */
static int cannot_run(const struct options *options, struct sites *sites, const char *sentence) {
    struct report report = {
        .options = options, .verdict = VERDICT_CANNOT_RUN, .sentence = sentence, .sites = sites};
    fprintf(stderr, "explore: %s\n", sentence);
    write_reports(&report);
    return VERDICT_CANNOT_RUN;
}

static int explore(const struct options *options) {
    char sentence[1024];
    struct exploration exploration;
    bool begun = exploration_begin(&exploration, options, &interrupted, sentence, sizeof sentence);
    if (!begun && !interrupted) {
        int code = cannot_run(options, exploration.sites, sentence);
        exploration_end(&exploration);
        return code;
    }
    struct report report = {
        .options = options, .verdict = VERDICT_UNDECIDED, .sentence = "interrupted", .sites = exploration.sites};
    if (begun) {
        exploration_run(&exploration, &report);
        exploration_write_witnesses(&exploration, &report);
        if (options->keep_files && report.verdict != VERDICT_CANNOT_RUN)
            exploration_keep_files(&exploration);
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

int main(int argc, char **argv) {
    char sentence[1024];
    struct options options;
    if (!options_parse(&options, argc, argv, sentence, sizeof sentence) ||
        !writable(options.json, sentence, sizeof sentence) || !writable(options.junit, sentence, sizeof sentence) ||
        !keepable(options.keep_files, sentence, sizeof sentence)) {
        fprintf(stderr, "explore: %s\n", sentence);
        free(options.program);
        return VERDICT_CANNOT_RUN;
    }
    catch_interrupts();
    int code = 0;
    if (options.help)
        options_help();
    else if (options.version)
        puts("explore " EXPLORE_VERSION);
    else
        code = options.replay ? replay(&options, &interrupted) : explore(&options);
    free(options.program);
    return code;
}
