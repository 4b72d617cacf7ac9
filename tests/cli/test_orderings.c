/* What ranks choose, as text; the files that keep it; and what a recording says of each choice. */
#include "explorer/orderings/witness_file.h"
#include "models/mpi/functions.h"
#include "tests/cli/json_schema.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool reads(const char *line) {
    struct choices choices = {0};
    bool read = choice_read(&choices, line);
    cr_assert_eq(choices.count, read, "a line is a choice or nothing");
    choices_free(&choices);
    return read;
}

Test(orderings, a_choice_is_written_as_it_was_read) {
    static const char *const lines[] = {"receive MPI_Irecv 2",    "receive MPI_Recv none",       "receive MPI_Irecv cancelled",
                                        "send MPI_Send 1",        "send MPI_Isend 0 buffered",   "send MPI_Start 3 synchronous",
                                        "probe MPI_Iprobe none",  "probe MPI_Mprobe 1023",       "probe MPI_Probe pending",
                                        "complete MPI_Waitany 1", "complete MPI_Testall all",    "complete MPI_Waitsome 0,2,11",
                                        "collective MPI_Bcast",   "collective MPI_Reduce early", "complete MPI_Test none"};
    struct choices choices = {0};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[100] = "";
        cr_assert(choice_read(&choices, lines[i]), "%s", lines[i]);
        FILE *out = fmemopen(text, sizeof text, "w");
        choice_write(out, &choices.choice[i]);
        fclose(out);
        cr_assert_str_eq(text, lines[i]);
    }
    choices_free(&choices);
}

Test(orderings, what_is_no_choice_is_refused) {
    static const char *const lines[] = {"",
                                        "receive",
                                        "receive MPI_Irecv",
                                        "receive MPI_Nothing 1",
                                        "take MPI_Recv 1",
                                        "receive MPI_Recv 1,2",
                                        "receive MPI_Recv -1",
                                        "receive MPI_Recv 1 buffered",
                                        "receive MPI_Recv 99999999999",
                                        "send MPI_Send buffered",
                                        "complete MPI_Waitany",
                                        "complete MPI_Waitsome 0,",
                                        "complete MPI_Waitsome ,0",
                                        "complete MPI_Waitany 1 none",
                                        "complete MPI_Waitany 1 all all",
                                        "collective MPI_Bcast 1",
                                        "collective MPI_Bcast none"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_assert_not(reads(lines[i]), "\"%s\"", lines[i]);
}

Test(orderings, the_kth_choice_is_counted_by_class) {
    struct choices choices = {0};
    static const char *const lines[] = {"receive MPI_Recv 2", "send MPI_Send 1", "receive MPI_Irecv 1",
                                        "complete MPI_Waitany 0"};
    for (size_t i = 0; i < 4; i++)
        cr_assert(choice_read(&choices, lines[i]));
    cr_assert_eq(choices_get(&choices, CHOICE_RECEIVE, 1)->number[0], 1);
    cr_assert_eq(choices_get(&choices, CHOICE_RECEIVE, 1)->function, FUNCTION_MPI_Irecv);
    cr_assert_null(choices_get(&choices, CHOICE_RECEIVE, 2), "it never came to a third receive");
    cr_assert_null(choices_get(&choices, CHOICE_PROBE, 0));
    struct choice_cursor cursor = {{0}};
    cr_assert_eq(choices_next(&choices, &cursor, CHOICE_RECEIVE)->number[0], 2);
    cr_assert_eq(choices_next(&choices, &cursor, CHOICE_SEND)->number[0], 1);
    cr_assert_eq(choices_next(&choices, &cursor, CHOICE_RECEIVE)->number[0], 1);
    cr_assert_null(choices_next(&choices, &cursor, CHOICE_RECEIVE));
    choices_free(&choices);
}

static void is_valid(const char *path) {
    char why[128] = "";
    json_t *value = json_load_file(path, 0, NULL), *schema = json_load_file(WITNESS_SCHEMA, 0, NULL);
    cr_assert(value && schema);
    cr_assert(json_valid(schema, schema, value, why), "%s", why);
    json_object_del(value, "build");
    cr_assert_not(json_valid(schema, schema, value, why), "the validator notices");
    json_decref(value);
    json_decref(schema);
}

Test(orderings, files_follow_the_schema_and_are_read_back) {
    static char *program[] = {"./app", "a", NULL}, *paths[] = {"./app"};
    char path[] = "/tmp/explore_ordering.XXXXXX", sentence[256];
    close(mkstemp(path));
    struct options options = {.ranks = 2,
                              .program = program,
                              .programs = {{2, program}},
                              .program_count = 1,
                              .output_dir = ".",
                              .output = path,
                              .checkpoint = &backend_pages};
    struct choices choices[2] = {{0}};
    cr_assert(choice_read(&choices[1], "receive MPI_Recv 0"));
    char *written = ordering_write(&options, paths, choices);
    cr_assert_str_eq(written, path);
    is_valid(path);
    struct witness_file file;
    cr_assert(witness_read(path, &file, sentence, sizeof sentence), "%s", sentence);
    cr_assert_eq(file.ranks, 2);
    cr_assert_str_eq(file.class_name, "", "an ordering has no finding");
    cr_assert_eq(file.choices[0].count, 0);
    cr_assert_eq(choices_get(&file.choices[1], CHOICE_RECEIVE, 0)->number[0], 0);
    witness_free(&file);
    choices_free(&choices[1]);
    unlink(path);
    free(written);
}
