#include "explorer/reports/report.h"

#include "models/mpi/functions.h"

#include <inttypes.h>
#include <string.h>

const char *verdict_name(enum verdict verdict) {
    static const char *const names[] = {"race-free", "found", "undecided", "cannot-run"};
    return names[verdict];
}

const char *report_proof(const struct report *report) {
    if (report->verdict != VERDICT_RACE_FREE)
        return "none";
    if (report->by_orderings)
        return report->subset->is_merged ? "reversal" : "orderings";
    return report->by_parts ? "decomposition" : "state-graph";
}

const char *report_condition(const struct where *where, bool met) {
    if (where->early)
        return met ? "if this is left early" : "if this is not left early";
    return met ? "if this is buffered" : "if this is not buffered";
}

void report_place(FILE *out, uint16_t function, uint32_t site, struct sites *sites) {
    const char *where = sites_text(sites, site), *name = function_name(function);
    if (!*name)
        name = sites_describe(sites, site).function;
    if (!*name)
        name = "the program";
    fprintf(out, "%s%s%s%s", name, *where ? " (" : "", where, *where ? ")" : "");
}

void report_decision(FILE *out, const struct decision *decision, struct sites *sites) {
    const struct transition_story *story = &decision->story;
    if (decision->choices == 0) { /* a step: "goes on to" a call, or "ends" */
        fprintf(out, "rank %u %s", story->owner, story->verb);
        if (story->function) {
            fputc(' ', out);
            report_place(out, story->function, story->site, sites);
        }
        return;
    }
    fprintf(out, "rank %u in ", story->owner);
    report_place(out, story->function, story->site, sites);
    fprintf(out, " %s", story->verb);
    if (story->partner_function || story->partner != story->owner) {
        fprintf(out, " rank %u in ", story->partner);
        report_place(out, story->partner_function, story->partner_site, sites);
    }
    if (story->detail[0])
        fprintf(out, " %s", story->detail);
    if (story->tag >= 0)
        fprintf(out, ", tag %d", story->tag);
}

/* The number of the local state in which the rank then is, for --explain-state. */
static void put_local(FILE *out, const struct report *report, const struct decision *decision) {
    if (report->options->verbose && report->locals)
        fprintf(out, "  (local state %u)", step_table_story(report->locals, decision->local).number);
}

/* What is after the number. */
static void put_decision(FILE *out, const struct decision *decision, const struct report *report) {
    fprintf(out, "%s ", decision->differs ? "*" : " ");
    report_decision(out, decision, report->sites);
    if (decision->choices > 1)
        fprintf(out, "  [%u of %u]", decision->choice + 1, decision->choices);
    put_local(out, report, decision);
    fputc('\n', out);
}

static void put_ordering(FILE *out, const char *title, const struct ordering *ordering, size_t to,
                         const struct report *report) {
    if (to)
        fprintf(out, "  %s\n", title);
    for (size_t i = 0; i < to; i++) {
        fprintf(out, "    %3zu. ", i + 1);
        put_decision(out, &ordering->decision[i], report);
    }
}

static size_t common_prefix(const struct ordering *a, const struct ordering *b) {
    size_t at = 0;
    while (at < a->decisions && at < b->decisions &&
           memcmp(&a->decision[at].transition, &b->decision[at].transition, sizeof(struct transition)) == 0)
        at++;
    return at;
}

/* Decision after decision, each ordering's below the other's. */
static void put_side_by_side(FILE *out, const struct ordering *here, const struct ordering *there, size_t from,
                             const struct report *report) {
    for (size_t i = from; i < here->decisions || i < there->decisions; i++) {
        if (i < here->decisions) {
            fprintf(out, "    %3zu. < ", i + 1);
            put_decision(out, &here->decision[i], report);
        }
        if (i < there->decisions) {
            if (i < here->decisions)
                fprintf(out, "         > ");
            else
                fprintf(out, "    %3zu. > ", i + 1);
            put_decision(out, &there->decision[i], report);
        }
    }
}

static void put_race(FILE *out, const struct finding *finding, const struct report *report) {
    size_t common = common_prefix(&finding->witness, &finding->other);
    put_ordering(out, "both orderings begin (* differs from the reference ordering):", &finding->witness, common, report);
    fprintf(out, "  %s this ordering (<%s) and the other (>):\n", common ? "then they part," : "they part at once,",
            finding->minimal ? ", minimal" : "");
    put_side_by_side(out, &finding->witness, &finding->other, common, report);
}

static void put_wheres(FILE *out, const char *title, const struct where *where, size_t count, struct sites *sites) {
    for (size_t i = 0; i < count; i++) {
        const char *function = sites_describe(sites, where[i].site).function;
        fprintf(out, "  %s rank %u in ", title, where[i].rank);
        report_place(out, where[i].function, where[i].site, sites);
        if (where[i].function && *function)
            fprintf(out, ", called by %s", function);
        fputc('\n', out);
    }
}

static void put_conditions(FILE *out, bool met, const struct where *where, size_t count, struct sites *sites) {
    char title[40];
    for (size_t i = 0; i < count; i++) {
        snprintf(title, sizeof title, "%s:", report_condition(&where[i], met));
        put_wheres(out, title, &where[i], 1, sites);
    }
}

static const char *stream_name(int stream) {
    return stream == WIRE_STDOUT ? "stdout" : stream == WIRE_STDERR ? "stderr" : "observations";
}

/* `rank`: whose output it is; an MPI file is nobody's. */
static void put_difference(FILE *out, const struct output_difference *difference, unsigned rank, unsigned ranks) {
    if (!difference->stream && !difference->file)
        return;
    const char *end = "(nothing more)";
    fprintf(out, "  ");
    if (rank < ranks)
        fprintf(out, "rank %u, ", rank);
    fprintf(out, "%s,", difference->file ? difference->file : stream_name(difference->stream));
    if (difference->binary)
        fprintf(out, " from byte %" PRIu64 ",", difference->byte);
    else if (difference->line)
        fprintf(out, " line %u,", difference->line);
    fprintf(out, " reads\n    in this ordering:  %s\n    in the other:      %s\n", difference->here ? difference->here : end,
            difference->there ? difference->there : end);
}

void report_finding(FILE *out, const struct report *report, const struct reported_finding *reported) {
    const struct finding *finding = reported->finding;
    fprintf(out, "%s%s: %s\n", finding->class_name, reported->fails ? "" : " (allowed)", finding->message);
    put_wheres(out, "at", finding->where, finding->wheres, report->sites);
    put_conditions(out, true, finding->buffered, finding->buffereds, report->sites);
    put_conditions(out, false, finding->synchronous, finding->synchronouses, report->sites);
    for (size_t k = 0; k < reported->details; k++)
        fprintf(out, "  %s\n", reported->detail[k]);
    put_difference(out, &reported->difference, finding->difference.rank, report->options->ranks);
    if (finding->race)
        put_race(out, finding, report);
    else
        put_ordering(out,
                     finding->minimal ? "ordering (minimal; * differs from the reference ordering):"
                                      : "ordering (* differs from the reference ordering):",
                     &finding->witness, finding->witness.decisions, report);
    if (ordering_differences(&finding->witness) == 0)
        fprintf(out, "  it happens in the reference ordering already\n");
    if (reported->witness)
        fprintf(out, "  replay: explore replay %s\n", reported->witness);
}

static void put_race_free(FILE *out, const struct options *options) {
    bool alone = options->program_count < 2;
    fprintf(out, ": %s", options->program[0]);
    for (unsigned i = 1; i < options->program_count; i++)
        fprintf(out, " : %s", options->programs[i].words[0]);
    fprintf(out, " end%s the same in every ordering of %s messages on %u rank%s", alone ? "s" : "", alone ? "its" : "their",
            options->ranks, options->ranks == 1 ? "" : "s");
}

static void put_verdict(FILE *out, const struct report *report) {
    fprintf(out, "%s", verdict_name(report->verdict));
    if (report->verdict == VERDICT_RACE_FREE)
        put_race_free(out, report->options);
    else if (report->verdict == VERDICT_FOUND)
        fprintf(out, ": %zu finding%s", report->findings, report->findings == 1 ? "" : "s");
    if (report->sentence)
        fprintf(out, ": %s", report->sentence);
    if (report->verdict == VERDICT_RACE_FREE && report->options->buffering != BUFFERING_ALL)
        fprintf(out, " (with --buffering %s only)", buffering_name(report->options->buffering));
    fputc('\n', out);
}

static void put_phases(FILE *out, const struct report *report) {
    for (size_t i = 0; i < report->phases; i++) {
        const struct phase *phase = &report->phase[i];
        fprintf(out, "  %-20s %12.3f %-6s %s\n", phase->name, phase->seconds, "s", phase->covered);
    }
}

static void put_statistics(FILE *out, const struct report *report) {
#define STATISTIC(name, unit, value, meaning) \
    fprintf(out, "  %-20s %12" PRIu64 " %-6s %s\n", #name, (uint64_t)(value), unit, meaning);
#include "explorer/reports/statistics.def"
#undef STATISTIC
    fprintf(out, "  %-20s %12.0f %-6s %s\n", "states_per_second", report->states_per_second, "", "steps waited for included");
    fprintf(out, "  %-20s %12.1f %-6s %s\n", "bytes_per_state", report->bytes_per_state, "bytes",
            "of the memory of global states");
    fprintf(out, "  %-20s %12.3f %-6s %s\n", "seconds", report->seconds, "s", "from start to verdict");
    fprintf(out, "  %-20s %12s %-6s %s\n", "tracker", report->executors.tracker ? report->executors.tracker : "none", "",
            "how written pages were found");
}

static void put_poeg_count(FILE *out, const char *label, const struct poeg_count *count) {
    fprintf(out, "  %-20s %s orderings of %zu messages in %zu group%s; deliveries to test all: %s", label,
            count->orderings ? count->orderings : "too many", count->messages, count->groups, count->groups == 1 ? "" : "s",
            count->deliveries ? count->deliveries : "more than can be counted");
    if (count->edges)
        fprintf(out, ", as state graphs: %" PRIu64, count->edges);
    fputc('\n', out);
}

static void put_poeg(FILE *out, const struct counted_orders *counted) {
    if (!counted->known) {
        fprintf(out, "  orderings of the partial order are not counted: %s\n",
                counted->why[0] ? counted->why : "a budget is used up");
        return;
    }
    put_poeg_count(out, "poeg", &counted->counts.whole);
    put_poeg_count(out, "poeg by rank", &counted->counts.by_rank);
    put_poeg_count(out, "poeg by subgroup", &counted->counts.by_subgroup);
    put_poeg_count(out, "subset of that", &counted->counts.subset);
    if (!counted->counts.reduced)
        return;
    put_poeg_count(out, "reduced, by rank", &counted->counts.by_rank_reduced);
    put_poeg_count(out, "reduced, by subgroup", &counted->counts.by_subgroup_reduced);
    put_poeg_count(out, "subset of that", &counted->counts.subset_reduced);
}

static void put_advice(FILE *out, const struct report *report) {
    for (size_t i = 0, calls; i < report->advices; i += calls) {
        const struct apart_call *call = &report->advice[i];
        fputs("advice: ", out);
        for (calls = 0; i + calls < report->advices && call[calls].group == call->group; calls++) {
            fputs(calls ? " and " : "", out);
            report_place(out, call[calls].function, call[calls].site, report->sites);
        }
        const char *else_what = calls > 1                                ? "without them"
                                : call->function == FUNCTION_MPI_Barrier ? "without it"
                                                                         : "if it did not wait";
        fprintf(out, " %s no messages: %s, each receive could match just what it can match now\n",
                calls > 1 ? "order" : "orders", else_what);
    }
}

/* An undecided verdict has it in its reason. */
static void put_subset(FILE *out, const struct report *report) {
    char sentence[512];
    if (!report->subset || report->verdict != VERDICT_FOUND)
        return;
    subset_tell(report->subset, sentence, sizeof sentence);
    fprintf(out, "orderings tried: %s\n", sentence);
}

static void put_note(FILE *out, const struct report *report) {
    if (report->note)
        fprintf(out, "note: %s\n", report->note);
}

static void put_resumption(FILE *out, const struct report *report) {
    const char *folder = report->options->save ? report->options->save : report->options->resume;
    if (folder && report->verdict == VERDICT_UNDECIDED)
        fprintf(out, "saved; to go on: explore --resume %s\n", folder);
}

static unsigned count_alike(const struct report *report, unsigned first) {
    unsigned count = 0;
    for (unsigned rank = first; rank < report->options->ranks; rank++)
        count += report->first_like[rank] == first;
    return count;
}

static void put_alike(FILE *out, const struct report *report) {
    for (unsigned first = 0; report->first_like && first < report->options->ranks; first++) {
        unsigned left = count_alike(report, first);
        if (left < 2)
            continue;
        fprintf(out, "ranks %u", first);
        for (unsigned rank = first + 1; rank < report->options->ranks; rank++)
            if (report->first_like[rank] == first)
                fprintf(out, "%s %u", --left > 1 ? "," : " and", rank);
        fputs(" are interchangeable: states that differ only in which of them is which were visited once\n", out);
    }
}

void report_text(FILE *out, const struct report *report) {
    put_verdict(out, report);
    put_note(out, report);
    put_resumption(out, report);
    for (size_t i = 0; i < report->findings; i++) {
        fputc('\n', out);
        report_finding(out, report, &report->finding[i]);
    }
    put_subset(out, report);
    put_advice(out, report);
    put_alike(out, report);
    if (report->options->verbose) {
        fputc('\n', out);
        put_phases(out, report);
        put_statistics(out, report);
        if (report->poeg)
            put_poeg(out, report->poeg);
        return;
    }
    if (report->by_parts)
        fprintf(out, "by looking at each rank alone: ");
    if (report->by_orderings && report->subset->is_merged)
        fprintf(out, "by the reversal of races: ");
    else if (report->by_orderings)
        fprintf(out, "by %" PRIu64 " orderings, one of each class of equivalent ones: ", report->subset->orderings);
    if (report->orderings)
        fprintf(out, "%s orderings%s%s: ", report->orderings, report->orderings_failing ? ", failing " : "",
                report->orderings_failing ? report->orderings_failing : "");
    fprintf(out,
            "%" PRIu64 " states, %" PRIu64 " transitions; %" PRIu64 " steps executed, %" PRIu64 " reused; %.1f MB; %.2f s\n",
            report->search.states, report->search.transitions, report->executors.steps_executed, report->executors.steps_reused,
            (double)report->peak_memory_bytes / 1e6, report->seconds);
}
