#include "explorer/exploration/judgement.h"

#include "explorer/containers/memory.h"
#include "explorer/exploration/doubted_places.h"
#include "explorer/exploration/endless_polling.h"
#include "explorer/exploration/open_cycles.h"
#include "explorer/exploration/outcomes.h"
#include "explorer/exploration/phases.h"
#include "explorer/exploration/searches.h"
#include "explorer/exploration/told_apart.h"
#include "explorer/exploration/unexplored_threads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of a race; where files differ its sentence says so. */
static struct output_difference compare_outcomes(struct exploration *exploration, size_t number,
                                                 const struct finding *finding) {
    unsigned rank = finding->difference.rank;
    struct output_difference difference =
        outcomes_compare(exploration->programs, finding->difference.local, finding->difference.other_local);
    if (difference.file)
        search_set_message(exploration->search, number,
                           outcomes_message_of_file(&difference, rank < exploration->options->ranks ? (int)rank : -1));
    return difference;
}

/* A program that fails often says why. */
static void add_last_words(struct exploration *exploration, struct reported_finding *reported) {
    const struct finding *finding = reported->finding;
    int stream;
    char *line = outcomes_last_line(exploration->programs, finding->step->local, &stream), *told;
    if (!line)
        return;
    reported->detail = memory_take_zeroed(sizeof *reported->detail);
    if (asprintf(&told, "%s ends with: %s", stream == WIRE_STDERR ? "stderr" : "stdout", line) >= 0)
        reported->detail[reported->details++] = told;
    free(line);
}

static bool is_failure(const struct finding *finding) {
    return finding->step && (strcmp(finding->class_name, "crash") == 0 || strcmp(finding->class_name, "abort") == 0 ||
                             strcmp(finding->class_name, "exit-status") == 0);
}

static void add_details(struct exploration *exploration, struct reported_finding *reported) {
    const struct step_result *step = reported->finding->step;
    const struct divergence *divergence = step ? programs_divergence(exploration->programs, step) : NULL;
    if (divergence) {
        struct captured_memory memory = programs_memory(exploration->programs, step->local);
        reported->detail = divergence_lines(divergence, programs_table(exploration->programs), exploration->sites, &memory,
                                            &reported->details);
    } else if (is_failure(reported->finding))
        add_last_words(exploration, reported);
}

static void collect_findings(struct exploration *exploration, struct report *report) {
    const struct finding *finding;
    report->findings = search_findings(exploration->search, &finding);
    report->finding = memory_take_zeroed((report->findings + 1) * sizeof *report->finding);
    for (size_t i = 0; i < report->findings; i++) {
        struct reported_finding *reported = &report->finding[i];
        reported->finding = &finding[i];
        reported->fails = options_fails(report->options, finding[i].class_name);
        add_details(exploration, reported);
        if (finding[i].race)
            reported->difference = compare_outcomes(exploration, i, &finding[i]);
    }
}

static bool any_fails(const struct report *report) {
    for (size_t i = 0; i < report->findings; i++)
        if (report->finding[i].fails)
            return true;
    return false;
}

/* Is it mostly the ranks' pages that took the memory, which might be on disk? */
static bool would_spill(const struct exploration *exploration) {
    const bool many = programs_page_bytes(exploration->programs) > exploration->memory_bytes / 2;
    return !exploration->options->spill_dir && (many || programs_crawl(exploration->programs));
}

static const char *memory_used_up(const struct exploration *exploration) {
    return would_spill(exploration) ? "the memory budget is used up, mostly by the ranks' memory, which --spill keeps on disk"
                                    : "the memory budget is used up";
}

static const char *why_undecided(const struct exploration *exploration, enum search_end end) {
    bool glimpsed = search_has_glimpsed(exploration->search);
    switch (end) {
    case SEARCH_TIME:
        return glimpsed ? "the time budget is used up, on the way to a finding that was met before"
                        : "the time budget is used up";
    case SEARCH_MEMORY:
        return glimpsed ? "the memory budget is used up, on the way to a finding that was met before"
                        : memory_used_up(exploration);
    case SEARCH_STATES: return "the budget of states is used up";
    default: return "interrupted";
    }
}

/* A step was not made, and nothing is wrong. */
static const char *why_step_missing(const struct exploration *exploration) {
    if (programs_store_full(exploration->programs))
        return memory_used_up(exploration);
    const bool interrupted = exploration->interrupt && *exploration->interrupt;
    return why_undecided(exploration,
                         !interrupted && exploration_time_is_up(exploration, 100) ? SEARCH_TIME : SEARCH_INTERRUPTED);
}

static bool cuts(const char *class_name) {
    static const struct {
        const char *name;
        bool cuts;
    } classes[] = {
#define FINDING_CLASS(name, cuts, meaning) {name, cuts},
#include "explorer/reports/finding_classes.def"
#undef FINDING_CLASS
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(class_name, classes[i].name) == 0)
            return classes[i].cuts;
    return true;
}

/* A rank that leaves without MPI_Finalize takes the others with it. */
static bool ends_all(const struct finding *finding) {
    return strcmp(finding->class_name, "exit-status") == 0 && !(finding->step && finding->step->end.finalized);
}

/* The class of a finding after which there may be more, which was not looked at; NULL: there is none. */
static const char *cut_short_by(const struct report *report) {
    for (size_t i = 0; i < report->findings; i++) {
        const struct finding *finding = report->finding[i].finding;
        if (cuts(finding->class_name) && !ends_all(finding))
            return finding->class_name;
    }
    return NULL;
}

static void tell_cut_short(struct exploration *exploration, struct report *report, const char *class_name) {
    report->complete = false;
    report->verdict = VERDICT_UNDECIDED;
    snprintf(exploration->reason, sizeof exploration->reason,
             "orderings were not looked at beyond a finding that is allowed, %s, though the program may go on", class_name);
    report->sentence = exploration->reason;
}

static void decide(struct exploration *exploration, struct report *report, enum search_end end) {
    const char *failure = programs_failure(exploration->programs);
    report->complete = end == SEARCH_COMPLETE;
    switch (end) {
    case SEARCH_COMPLETE: report->verdict = VERDICT_RACE_FREE; break;
    case SEARCH_FOUND: report->verdict = VERDICT_FOUND; break;
    case SEARCH_REFUSED:
        report->verdict = VERDICT_CANNOT_RUN;
        report->sentence = search_refusal(exploration->search);
        break;
    case SEARCH_FAILED:
        if (exploration->damaged)
            failure = "the graph in the exploration directory is not one of its steps";
        report->verdict = failure ? VERDICT_CANNOT_RUN : VERDICT_UNDECIDED;
        report->sentence = failure ? failure : why_step_missing(exploration);
        break;
    default: report->verdict = VERDICT_UNDECIDED; report->sentence = why_undecided(exploration, end);
    }
    if (any_fails(report))
        report->verdict = VERDICT_FOUND;
    const char *class_name = cut_short_by(report);
    if (report->verdict == VERDICT_RACE_FREE && class_name)
        tell_cut_short(exploration, report, class_name);
}

static void tell_not_proved(struct exploration *exploration, struct report *report) {
    report->complete = false;
    report->verdict = VERDICT_UNDECIDED;
    snprintf(exploration->reason, sizeof exploration->reason, "looking at each rank alone proves nothing here: %s",
             exploration->proof.why);
    report->sentence = exploration->reason;
}

/* Some orderings are no proof; what was covered is part of the reason. */
static void limit_to_subset(struct exploration *exploration, struct report *report, enum search_end end) {
    char tried[sizeof exploration->reason / 2], share[64];
    report->complete = false;
    if (report->verdict == VERDICT_FOUND)
        return;
    report->verdict = VERDICT_UNDECIDED;
    subset_tell(&exploration->subset, tried, sizeof tried);
    const char *why = end == SEARCH_COMPLETE ? "there may be more orderings" : report->sentence;
    if (exploration->subset.unsuited)
        snprintf(exploration->reason, sizeof exploration->reason, "%s is not enough for this program: %s",
                 exploration->subset.is_merged ? "what the reversal of races comes to"
                                               : "one ordering of each class of equivalent ones",
                 exploration->subset.unsuited);
    else if (exploration->options->strategy || options_orders_all(exploration->options))
        snprintf(exploration->reason, sizeof exploration->reason, "%s; tried were %s", why, tried);
    else
        snprintf(exploration->reason, sizeof exploration->reason,
                 "%s: %" PRIu64 " states of the graph, which has more, with %d%% of it%s; then orderings, %s", why,
                 report->search.states, GRAPH_TIME_PERCENT, phases_tell_estimate(exploration, share, sizeof share), tried);
    report->sentence = exploration->reason;
}

/* A graph that a budget ended. */
static void say_how_far(struct exploration *exploration, struct report *report) {
    char share[64];
    if (!*phases_tell_estimate(exploration, share, sizeof share) || report->verdict != VERDICT_UNDECIDED)
        return;
    snprintf(exploration->reason, sizeof exploration->reason, "%s%s", report->sentence, share);
    report->sentence = exploration->reason;
}

/* Numbers longer than this are shortened to a few digits and an exponent. */
enum { ORDERINGS_DIGITS = 40 };

static char *shorten(char *digits) {
    size_t length = strlen(digits);
    if (length <= ORDERINGS_DIGITS || strcmp(digits, "infinite") == 0)
        return digits;
    char *shortened;
    if (asprintf(&shortened, "%c.%.6se%zu", digits[0], digits + 1, length - 1) < 0)
        return digits;
    free(digits);
    return shortened;
}

/* In a graph in which every state but the last ones has a successor, each edge beyond the first one of its state adds at least one
 * path. */
void judgement_count_orderings(struct exploration *exploration, struct report *report) {
    const struct search_statistics *statistics = search_statistics(exploration->search);
    struct ordering_count count = search_count_orderings(exploration->search, exploration->options->count_orderings,
                                                         exploration_seconds_left(exploration, 100));
    if (count.failing)
        report->orderings_failing = shorten(count.failing);
    if (count.all && (count.is_exact || strcmp(count.all, "infinite") == 0)) {
        report->orderings = shorten(count.all);
        return;
    }
    uint64_t least = statistics->transitions > statistics->states ? statistics->transitions - statistics->states : 1;
    char *text;
    int made = count.all ? asprintf(&text, ">= %s", count.all = shorten(count.all)) : asprintf(&text, ">= %" PRIu64, least);
    free(count.all);
    report->orderings = made < 0 ? NULL : text;
}

static bool has_livelock(const struct report *report) {
    for (size_t i = 0; i < report->findings; i++)
        if (strcmp(report->finding[i].finding->class_name, "livelock") == 0)
            return true;
    return false;
}

void judgement_make(struct exploration *exploration, struct report *report, enum search_end end) {
    collect_findings(exploration, report);
    decide(exploration, report, end);
    if (exploration->options->proof == PROOF_DECOMPOSITION && !exploration->by_parts && report->verdict == VERDICT_RACE_FREE)
        tell_not_proved(exploration, report);
    if (exploration->tries_some && !exploration->subset.is_all && report->verdict <= VERDICT_UNDECIDED)
        limit_to_subset(exploration, report, end);
    else
        say_how_far(exploration, report);
    if (report->verdict == VERDICT_UNDECIDED)
        report->note = doubted_places_tell(exploration);
    if (report->verdict == VERDICT_UNDECIDED && !report->note)
        report->note = endless_polling_tell(exploration);
    if (report->verdict == VERDICT_UNDECIDED && !report->note)
        report->note = told_apart_tell(exploration);
    if (report->verdict == VERDICT_RACE_FREE || has_livelock(report))
        report->note = unexplored_threads_tell(exploration);
    if (report->verdict == VERDICT_RACE_FREE && !report->note)
        report->note = open_cycles_tell(exploration);
}
