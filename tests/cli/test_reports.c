/* Reports and witness files of an invented finding. */
#include "explorer/orderings/witness_file.h"
#include "explorer/reports/report.h"
#include "tests/cli/json_schema.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct decision decisions[] = {
    {.transition = {.kind = 0, .owner = 0, .partner = 2, .a = 1, .b = 3},
     .story = {.verb = "receives from", .owner = 0, .partner = 2, .tag = 5},
     .choice = 1,
     .choices = 2,
     .differs = true},
    {.transition = {.kind = 6, .miss = true, .owner = 1, .partner = 1},
     .story = {.verb = "is told <&\"", .owner = 1, .tag = -1}},
};
static struct where where = {.rank = 1};
static struct finding finding = {.class_name = "race-output",
                                 .message = "the output of rank 0 depends on <order> & \"more\"",
                                 .wheres = 1,
                                 .where = &where,
                                 .witness = {2, decisions},
                                 .race = true,
                                 .other = {1, decisions}};
static char folder[] = "/tmp/explore_reports.XXXXXX";
static const struct phase phases[] = {{.name = "reference", .seconds = 0.25, .deliveries = 7, .covered = "all", .estimate = -1},
                                      {.name = "graph", .covered = "some \"states\"", .estimate = 0.5}};
static struct options options;
static struct report report;
static struct reported_finding reported;

static char *const paths[] = {"./app", "./other"};

static void set_up(void) {
    static char *program[] = {"./app", "in.txt", NULL};
    cr_assert_not_null(mkdtemp(folder));
    options = (struct options){.ranks = 3,
                               .program = program,
                               .program_count = 1,
                               .programs = {{3, program}},
                               .checkpoint = &backend_pages,
                               .output_dir = folder};
    static char *details[] = {"variable \"x\" (static, app.c:3): 1 and 2"};
    reported = (struct reported_finding){.finding = &finding, .fails = true, .detail = details, .details = 1};
    report = (struct report){.options = &options,
                             .verdict = VERDICT_FOUND,
                             .findings = 1,
                             .finding = &reported,
                             .sites = sites_create(),
                             .phase = phases,
                             .phases = 2,
                             .seconds = 0.5};
}
static void tear_down(void) {
    char command[64];
    sites_destroy(report.sites);
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}
TestSuite(reports, .init = set_up, .fini = tear_down);

static void in_folder(char *path, const char *name) { sprintf(path, "%s/%s", folder, name); }

Test(reports, json_follows_the_schema) {
    char path[128], why[128] = "";
    in_folder(path, "r.json");
    cr_assert(report_json(path, &report));
    json_t *value = json_load_file(path, 0, NULL), *schema = json_load_file(REPORT_SCHEMA, 0, NULL);
    cr_assert(value && schema);
    cr_assert(json_valid(schema, schema, value, why), "%s", why);
    report.verdict = VERDICT_CANNOT_RUN;
    report.sentence = "because";
    report.findings = 0;
    cr_assert(report_json(path, &report));
    json_decref(value);
    value = json_load_file(path, 0, NULL);
    cr_assert(json_valid(schema, schema, value, why), "%s", why);
    json_object_del(value, "verdict");
    cr_assert_not(json_valid(schema, schema, value, why), "the validator notices");
    json_decref(value);
    json_decref(schema);
}

static void counts_follow_the_schema(const struct counted_orders *counted) {
    char path[128], why[128] = "";
    in_folder(path, "r.json");
    report.poeg = counted;
    cr_assert(report_json(path, &report));
    json_t *value = json_load_file(path, 0, NULL), *schema = json_load_file(REPORT_SCHEMA, 0, NULL);
    cr_assert(value && schema && json_object_get(value, "poeg"));
    cr_assert(json_valid(schema, schema, value, why), "%s", why);
    json_decref(value);
    json_decref(schema);
}

Test(reports, counts_of_a_partial_order_follow_the_schema) {
    const struct poeg_count some = {2, 5, "7", "19", 11}, too_many = {1, 5, NULL, NULL, 0};
    struct counted_orders counted = {.known = true,
                                     .counts = {.whole = too_many, .by_rank = some, .by_subgroup = some, .subset = some}};
    counts_follow_the_schema(&counted);
    counted.counts.reduced = true;
    counted.counts.by_rank_reduced = counted.counts.by_subgroup_reduced = counted.counts.subset_reduced = some;
    counts_follow_the_schema(&counted);
    counts_follow_the_schema(&(struct counted_orders){.why = "rank 0 tests for messages"});
}

Test(reports, junit_escapes_what_xml_needs) {
    char path[128], text[2048] = "";
    in_folder(path, "r.xml");
    cr_assert(report_junit(path, &report));
    FILE *file = fopen(path, "r");
    cr_assert_gt(fread(text, 1, sizeof text - 1, file), 0);
    fclose(file);
    cr_assert_not_null(strstr(text, "depends on &lt;order&gt; &amp; &quot;more&quot;"));
    cr_assert_not_null(strstr(text, "failures=\"1\""));
    const char *body = strstr(text, ">race-output: the output of rank 0 depends on &lt;order&gt; &amp; &quot;more&quot;\n");
    cr_assert_not_null(body);
    cr_assert_not_null(strstr(body, "  variable &quot;x&quot; (static, app.c:3): 1 and 2\n"));
    cr_assert_not_null(strstr(body, "is told &lt;&amp;&quot;"));
}

/* The parts that SARIF 2.1.0 requires, and that a code scanning service reads. */
Test(reports, sarif_has_the_required_structure) {
    char path[128];
    in_folder(path, "r.sarif");
    cr_assert(report_sarif(path, &report));
    json_t *value = json_load_file(path, 0, NULL), *rules, *result, *steps;
    cr_assert_not_null(value);
    cr_assert_str_eq(json_string_value(json_object_get(value, "version")), "2.1.0");
    cr_assert_eq(json_array_size(json_object_get(value, "runs")), 1);
    const json_t *run = json_array_get(json_object_get(value, "runs"), 0);
    const json_t *driver = json_object_get(json_object_get(run, "tool"), "driver");
    cr_assert_str_eq(json_string_value(json_object_get(driver, "name")), "explore");
    rules = json_object_get(driver, "rules");
    for (size_t i = 0; i < json_array_size(rules); i++)
        cr_assert_not_null(json_object_get(json_object_get(json_array_get(rules, i), "shortDescription"), "text"));
    cr_assert_eq(json_array_size(json_object_get(run, "results")), 1);
    result = json_array_get(json_object_get(run, "results"), 0);
    const char *rule = json_string_value(json_object_get(result, "ruleId"));
    json_int_t index = json_integer_value(json_object_get(result, "ruleIndex"));
    cr_assert_str_eq(rule, "race-output");
    cr_assert_str_eq(json_string_value(json_object_get(json_array_get(rules, (size_t)index), "id")), rule);
    cr_assert_str_eq(json_string_value(json_object_get(result, "level")), "error");
    cr_assert_not_null(json_object_get(json_object_get(result, "message"), "text"));
    cr_assert_eq(json_array_size(json_object_get(result, "locations")), 1);
    cr_assert_eq(json_array_size(json_object_get(result, "codeFlows")), 2, "a race is two orderings");
    const json_t *flow = json_array_get(json_object_get(result, "codeFlows"), 0);
    steps = json_object_get(json_array_get(json_object_get(flow, "threadFlows"), 0), "locations");
    cr_assert_eq(json_array_size(steps), 2);
    json_decref(value);
}

Test(reports, bytes_that_are_no_text_lose_nothing_else) {
    char path[128];
    static char *program[] = {"./app\xff", "\n\"", NULL};
    options.program = options.programs[0].words = program;
    report.sentence = "because \xfe";
    static bool (*const write[])(const char *, const struct report *) = {report_json, report_sarif};
    for (size_t i = 0; i < 2; i++) {
        in_folder(path, "bytes");
        cr_assert(write[i](path, &report));
        json_t *value = json_load_file(path, 0, NULL);
        cr_assert_not_null(value);
        cr_assert(i == 1 || json_object_get(value, "reason"));
        json_decref(value);
    }
    struct witness_file witness;
    char sentence[256], *written = witness_write(&options, paths, &finding, report.sites);
    cr_assert_not_null(written);
    cr_assert(witness_read(written, &witness, sentence, sizeof sentence), "%s", sentence);
    cr_assert_str_eq(witness.program[0], program[0], "the program that is replayed is the same, byte for byte");
    cr_assert_str_eq(witness.program[1], program[1]);
    witness_free(&witness);
    free(written);
}

Test(reports, a_witness_follows_the_schema) {
    char why[128] = "", *path = witness_write(&options, paths, &finding, report.sites);
    json_t *value = json_load_file(path, 0, NULL), *schema = json_load_file(WITNESS_SCHEMA, 0, NULL);
    cr_assert(value && schema);
    cr_assert(json_valid(schema, schema, value, why), "%s", why);
    json_object_del(json_array_get(json_object_get(value, "decisions"), 0), "owner");
    cr_assert_not(json_valid(schema, schema, value, why), "the validator notices");
    json_decref(value);
    json_decref(schema);
    free(path);
}

Test(reports, a_witness_is_read_back_as_it_was_written) {
    char *path = witness_write(&options, paths, &finding, report.sites);
    struct witness_file witness;
    char sentence[256];
    cr_assert_not_null(path);
    cr_assert(witness_read(path, &witness, sentence, sizeof sentence));
    cr_assert(witness.ranks == 3 && witness.race && witness.ordering.decisions == 2 && witness.other.decisions == 1);
    cr_assert_str_eq(witness.program[1], "in.txt");
    cr_assert(witness.ordering.decision[0].transition.partner == 2 && witness.ordering.decision[0].transition.b == 3);
    witness_free(&witness);
    free(path);
}

Test(reports, a_witness_of_several_programs_has_them_all) {
    static char *words[] = {"./app", "in.txt", NULL, "./other", NULL};
    options.program = words;
    options.program_count = 2;
    options.programs[0] = (struct program){1, words};
    options.programs[1] = (struct program){2, words + 3};
    char *path = witness_write(&options, paths, &finding, report.sites);
    struct witness_file witness;
    char sentence[256];
    cr_assert_not_null(path);
    cr_assert(witness_read(path, &witness, sentence, sizeof sentence));
    cr_assert(witness.ranks == 3 && witness.program_count == 2);
    cr_assert(witness.programs[0].ranks == 1 && witness.programs[1].ranks == 2);
    cr_assert_str_eq(witness.programs[0].words[1], "in.txt");
    cr_assert_null(witness.programs[0].words[2]);
    cr_assert_str_eq(witness.programs[1].words[0], "./other");
    cr_assert_null(witness.programs[1].words[1]);
    witness_free(&witness);
    free(path);
}

Test(reports, a_witness_never_replaces_a_file) {
    char *first = witness_write(&options, paths, &finding, report.sites),
         *second = witness_write(&options, paths, &finding, report.sites);
    cr_assert(first && second && strcmp(first, second) != 0);
    free(first);
    free(second);
}

Test(reports, a_file_that_is_no_witness_is_refused) {
    char path[128], sentence[256];
    struct witness_file witness;
    in_folder(path, "x.json");
    static const char *const contents[] = {"", "{", "[]", "{\"format\": \"explore witness\", \"schema\": 2}", "\xff\xfe"};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        FILE *file = fopen(path, "w");
        fputs(contents[i], file);
        fclose(file);
        cr_assert_not(witness_read(path, &witness, sentence, sizeof sentence));
    }
    cr_assert_not(witness_read("/nowhere", &witness, sentence, sizeof sentence));
}
