#include "explorer/reports/json_file.h"
#include "explorer/reports/report.h"
#include "explorer/reports/valid_text.h"
#include "models/mpi/functions.h"

#include <jansson.h>

static json_t *strings(char *const *list) {
    json_t *array = json_array();
    for (; list && *list; list++)
        json_array_append_new(array, valid_text_json(*list));
    return array;
}

static json_t *place(const struct where *where, struct sites *sites) {
    struct site site = sites_describe(sites, where->site);
    return json_pack("{s:i, s:s, s:o, s:i, s:o}", "rank", (int)where->rank, "call", function_name(where->function), "file",
                     valid_text_json(site.file), "line", site.line, "function", valid_text_json(site.function));
}

static json_t *places(const struct where *where, size_t count, struct sites *sites) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, place(&where[i], sites));
    return array;
}

static json_t *details(const struct reported_finding *reported) {
    json_t *array = json_array();
    for (size_t i = 0; i < reported->details; i++)
        json_array_append_new(array, valid_text_json(reported->detail[i]));
    return array;
}

static json_t *one_finding(const struct reported_finding *reported, struct sites *sites) {
    const struct finding *finding = reported->finding;
    json_t *object = json_pack(
        "{s:s, s:o, s:b, s:o, s:o, s:o}", "class", finding->class_name, "message", valid_text_json(finding->message), "fails",
        reported->fails, "buffered", places(finding->buffered, finding->buffereds, sites), "synchronous",
        places(finding->synchronous, finding->synchronouses, sites), "where", places(finding->where, finding->wheres, sites));
    json_object_set_new(object, "witness", reported->witness ? valid_text_json(reported->witness) : json_null());
    json_object_set_new(object, "details", details(reported));
    json_object_set_new(object, "decisions", json_integer((json_int_t)finding->witness.decisions));
    json_object_set_new(object, "differences", json_integer((json_int_t)ordering_differences(&finding->witness)));
    json_object_set_new(object, "minimal", json_boolean(finding->minimal));
    return object;
}

static json_t *statistics(const struct report *report) {
    json_t *object = json_object();
#define STATISTIC(name, unit, value, meaning) json_object_set_new(object, #name, json_integer((json_int_t)(value)));
#include "explorer/reports/statistics.def"
#undef STATISTIC
    json_object_set_new(object, "orderings", json_string(report->orderings ? report->orderings : "unknown"));
    if (report->orderings_failing)
        json_object_set_new(object, "orderings_failing", json_string(report->orderings_failing));
    json_object_set_new(object, "states_per_second", json_real(report->states_per_second));
    json_object_set_new(object, "bytes_per_state", json_real(report->bytes_per_state));
    json_object_set_new(object, "seconds", json_real(report->seconds));
    json_object_set_new(object, "checkpoint", json_string(report->options->checkpoint->name));
    json_object_set_new(object, "tracker", json_string(report->executors.tracker ? report->executors.tracker : "none"));
    return object;
}

/* Programs that run together; "program" is the first of them. */
static json_t *programs(const struct options *options) {
    json_t *array = json_array();
    for (unsigned i = 0; i < options->program_count; i++)
        json_array_append_new(array, json_pack("{s:i, s:o}", "ranks", (int)options->programs[i].ranks, "program",
                                               strings(options->programs[i].words)));
    return array;
}

static json_t *shares(const struct subset *subset) {
    json_t *array = json_array();
    for (size_t i = 0; i < subset->strategies; i++) {
        const struct subset_share *share = &subset->share[i];
        json_array_append_new(array, json_pack("{s:s, s:I, s:b}", "name", share->strategy, "orderings",
                                               (json_int_t)share->orderings, "exhausted", share->exhausted));
    }
    return array;
}

static json_t *advice(const struct report *report) {
    json_t *array = json_array();
    for (size_t i = 0; i < report->advices; i++) {
        struct site site = sites_describe(report->sites, report->advice[i].site);
        json_array_append_new(array, json_pack("{s:s, s:o, s:i, s:o, s:I}", "call", function_name(report->advice[i].function),
                                               "file", valid_text_json(site.file), "line", site.line, "function",
                                               valid_text_json(site.function), "group", (json_int_t)report->advice[i].group));
    }
    return array;
}

static json_t *poeg_count(const struct poeg_count *count) {
    json_t *object = json_pack("{s:I, s:I, s:s, s:s}", "groups", (json_int_t)count->groups, "messages",
                               (json_int_t)count->messages, "orderings", count->orderings ? count->orderings : "unknown",
                               "deliveries", count->deliveries ? count->deliveries : "unknown");
    if (count->edges)
        json_object_set_new(object, "state_graph_deliveries", json_integer((json_int_t)count->edges));
    return object;
}

static json_t *poeg(const struct counted_orders *counted) {
    const struct poeg_counts *counts = &counted->counts;
    if (!counted->known)
        return json_pack("{s:o}", "reason", valid_text_json(counted->why[0] ? counted->why : "a budget is used up"));
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:o}", "whole", poeg_count(&counts->whole), "by_rank", poeg_count(&counts->by_rank),
                  "by_subgroup", poeg_count(&counts->by_subgroup), "subset", poeg_count(&counts->subset));
    if (counts->reduced) {
        json_object_set_new(object, "by_rank_reduced", poeg_count(&counts->by_rank_reduced));
        json_object_set_new(object, "by_subgroup_reduced", poeg_count(&counts->by_subgroup_reduced));
        json_object_set_new(object, "subset_reduced", poeg_count(&counts->subset_reduced));
    }
    return object;
}

/* Sets of interchangeable ranks. */
static json_t *alike(const struct report *report) {
    json_t *sets = json_array();
    for (unsigned first = 0; first < report->options->ranks; first++) {
        json_t *set = json_array();
        for (unsigned rank = first; rank < report->options->ranks; rank++)
            if (report->first_like[rank] == first)
                json_array_append_new(set, json_integer(rank));
        if (json_array_size(set) > 1)
            json_array_append(sets, set);
        json_decref(set);
    }
    return sets;
}

static json_t *phases(const struct report *report) {
    json_t *array = json_array();
    for (size_t i = 0; i < report->phases; i++) {
        const struct phase *phase = &report->phase[i];
        json_t *object = json_pack("{s:s, s:f, s:I, s:s}", "name", phase->name, "seconds", phase->seconds, "deliveries",
                                   (json_int_t)phase->deliveries, "covered", phase->covered);
        if (phase->estimate >= 0)
            json_object_set_new(object, "estimated_share", json_real(phase->estimate));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *whole(const struct report *report) {
    json_t *findings = json_array();
    for (size_t i = 0; i < report->findings; i++)
        json_array_append_new(findings, one_finding(&report->finding[i], report->sites));
    json_t *object = json_pack("{s:i, s:s, s:o, s:i, s:s, s:b, s:o, s:s}", "schema", 1, "verdict",
                               verdict_name(report->verdict), "program", strings(report->options->program), "ranks",
                               (int)report->options->ranks, "buffering", buffering_name(report->options->buffering), "complete",
                               report->complete, "findings", findings, "proof", report_proof(report));
    if (report->options->program_count > 1)
        json_object_set_new(object, "programs", programs(report->options));
    if (report->sentence)
        json_object_set_new(object, "reason", valid_text_json(report->sentence));
    if (report->subset)
        json_object_set_new(object, "strategies", shares(report->subset));
    if (report->note)
        json_object_set_new(object, "note", json_string(report->note));
    if (report->options->advice)
        json_object_set_new(object, "advice", advice(report));
    if (report->poeg)
        json_object_set_new(object, "poeg", poeg(report->poeg));
    if (report->first_like)
        json_object_set_new(object, "interchangeable", alike(report));
    if (report->phases)
        json_object_set_new(object, "phases", phases(report));
    json_object_set_new(object, "stats", statistics(report));
    return object;
}

bool report_json(const char *path, const struct report *report) { return json_file_write(path, whole(report)); }
