/* SARIF 2.1.0, as code scanning services read it: a rule for each class of findings, a result for each finding, its ordering as a
 * code flow. */
#include "explorer/reports/json_file.h"
#include "explorer/reports/report.h"
#include "explorer/reports/valid_text.h"
#include "models/mpi/functions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct rule {
    const char *name, *meaning;
} rules[] = {
#define FINDING_CLASS(name, cuts, meaning) {name, meaning},
#include "explorer/reports/finding_classes.def"
#undef FINDING_CLASS
};
enum { RULES = sizeof rules / sizeof *rules };

static json_t *message(const char *text) { return json_pack("{s:o}", "text", valid_text_json(text)); }

/* --- places ---------------------------------------------------------------------------------------------------------- */

/* Writes text with %-escapes where a URI needs them. */
static void put_escaped(FILE *out, const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        bool plain = c < 128 && (isalnum(c) || strchr("/-._~", c));
        fprintf(out, plain ? "%c" : "%%%02X", c);
    }
}

/* Relative to the working directory, which is where a service looks for sources, if the path is below it. */
static char *uri_of(const char *path) {
    char *uri = NULL, *here = getcwd(NULL, 0);
    size_t size, length = here ? strlen(here) : 0;
    bool below = length > 1 && strncmp(path, here, length) == 0 && path[length] == '/';
    FILE *out = open_memstream(&uri, &size);
    if (!below && *path == '/')
        fputs("file://", out);
    put_escaped(out, below ? path + length + 1 : path);
    fclose(out);
    free(here);
    return uri;
}

static json_t *physical_location(const struct site *site) {
    char *uri = uri_of(site->path);
    json_t *location = json_pack("{s:{s:s}}", "artifactLocation", "uri", uri);
    if (site->line > 0)
        json_object_set_new(location, "region", json_pack("{s:i}", "startLine", site->line));
    free(uri);
    return location;
}

static json_t *location(uint32_t number, struct sites *sites, const char *text) {
    struct site site = sites_describe(sites, number);
    json_t *object = json_pack("{s:o}", "message", message(text));
    if (*site.path)
        json_object_set_new(object, "physicalLocation", physical_location(&site));
    if (*site.function)
        json_object_set_new(object, "logicalLocations",
                            json_pack("[{s:o, s:s}]", "name", valid_text_json(site.function), "kind", "function"));
    return object;
}

static json_t *place(const struct where *where, struct sites *sites, const char *remark) {
    char text[256];
    const char *function = function_name(where->function);
    snprintf(text, sizeof text, "rank %u%s%s%s", where->rank, *function ? " in " : "", function, remark);
    return location(where->site, sites, text);
}

static void add_places(json_t *array, const struct where *where, size_t from, size_t count, struct sites *sites) {
    for (size_t i = from; i < count; i++)
        json_array_append_new(array, place(&where[i], sites, ""));
}

static void add_conditions(json_t *array, bool met, const struct where *where, size_t count, struct sites *sites) {
    char remark[40];
    for (size_t i = 0; i < count; i++) {
        snprintf(remark, sizeof remark, ", %s", report_condition(&where[i], met));
        json_array_append_new(array, place(&where[i], sites, remark));
    }
}

/* --- findings -------------------------------------------------------------------------------------------------------- */

static json_t *step(const struct decision *decision, struct sites *sites) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    report_decision(out, decision, sites);
    fclose(out);
    json_t *object = json_pack("{s:o, s:s}", "location", location(decision->story.site, sites, text), "importance",
                               decision->differs ? "essential" : "important");
    free(text);
    return object;
}

static json_t *flow(const struct ordering *ordering, struct sites *sites, const char *title) {
    json_t *steps = json_array();
    for (size_t i = 0; i < ordering->decisions; i++)
        json_array_append_new(steps, step(&ordering->decision[i], sites));
    return json_pack("{s:o, s:[{s:o}]}", "message", message(title), "threadFlows", "locations", steps);
}

static void add_flows(json_t *result, const struct finding *finding, struct sites *sites) {
    json_t *flows = json_array();
    if (finding->witness.decisions)
        json_array_append_new(flows, flow(&finding->witness, sites, "the ordering that leads to it"));
    if (finding->race && finding->other.decisions)
        json_array_append_new(flows, flow(&finding->other, sites, "the ordering with the other outcome"));
    if (json_array_size(flows))
        json_object_set(result, "codeFlows", flows);
    json_decref(flows);
}

static int rule_of(const char *class_name) {
    int index = 0;
    while (index < RULES - 1 && strcmp(rules[index].name, class_name) != 0)
        index++;
    return index;
}

/* SARIF knows one place where a finding is; the others are related to it. */
static json_t *one_result(const struct reported_finding *reported, struct sites *sites) {
    const struct finding *finding = reported->finding;
    json_t *result = json_pack("{s:s, s:i, s:s, s:o}", "ruleId", finding->class_name, "ruleIndex", rule_of(finding->class_name),
                               "level", reported->fails ? "error" : "note", "message", message(finding->message));
    json_t *first = json_array(), *related = json_array();
    add_places(first, finding->where, 0, finding->wheres ? 1 : 0, sites);
    add_places(related, finding->where, 1, finding->wheres, sites);
    add_conditions(related, true, finding->buffered, finding->buffereds, sites);
    add_conditions(related, false, finding->synchronous, finding->synchronouses, sites);
    json_object_set_new(result, "locations", first);
    json_object_set_new(result, "relatedLocations", related);
    add_flows(result, finding, sites);
    if (reported->witness)
        json_object_set_new(result, "properties", json_pack("{s:o}", "witness", valid_text_json(reported->witness)));
    return result;
}

/* --- the whole ------------------------------------------------------------------------------------------------------- */

static json_t *all_rules(void) {
    json_t *array = json_array();
    for (int i = 0; i < RULES; i++)
        json_array_append_new(array, json_pack("{s:s, s:o, s:{s:s}}", "id", rules[i].name, "shortDescription",
                                               message(rules[i].meaning), "defaultConfiguration", "level",
                                               strcmp(rules[i].name, "race-messages") == 0 ? "note" : "error"));
    return array;
}

static json_t *invocation(const struct report *report) {
    json_t *object =
        json_pack("{s:b, s:i}", "executionSuccessful", report->verdict != VERDICT_CANNOT_RUN, "exitCode", (int)report->verdict);
    if (report->sentence)
        json_object_set_new(object, "toolExecutionNotifications",
                            json_pack("[{s:s, s:o}]", "level", report->verdict == VERDICT_CANNOT_RUN ? "error" : "warning",
                                      "message", message(report->sentence)));
    return object;
}

static json_t *whole(const struct report *report) {
    json_t *results = json_array();
    for (size_t i = 0; i < report->findings; i++)
        json_array_append_new(results, one_result(&report->finding[i], report->sites));
    json_t *driver = json_pack("{s:s, s:s, s:o}", "name", "explore", "version", EXPLORE_VERSION, "rules", all_rules());
    json_t *run = json_pack("{s:{s:o}, s:[o], s:o, s:{s:s}}", "tool", "driver", driver, "invocations", invocation(report),
                            "results", results, "properties", "verdict", verdict_name(report->verdict));
    return json_pack("{s:s, s:s, s:[o]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
                     "runs", run);
}

bool report_sarif(const char *path, const struct report *report) { return json_file_write(path, whole(report)); }
