#include "explorer/command_line/launch_line.h"
#include "explorer/command_line/spelling.h"
#include "explorer/reports/valid_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct options options;
static char sentence[512];

#define PARSE(...)                                                                       \
    options_parse(&options, sizeof((char *[]){"explore", __VA_ARGS__}) / sizeof(char *), \
                  (char *[]){"explore", __VA_ARGS__, NULL}, sentence, sizeof sentence)

Test(launch_line, gives_ranks_program_and_arguments) {
    cr_assert(
        PARSE("--quiet", "/usr/bin/mpiexec", "-np", "6", "-l", "--ppn", "2", "-hosts", "a,b", "./app", "-n", "3", "--quiet"));
    cr_assert(options.ranks == 6 && options.quiet && options.program_count == 1);
    const char *expected[] = {"./app", "-n", "3", "--quiet"};
    for (int i = 0; i < 4; i++)
        cr_assert_str_eq(options.program[i], expected[i]);
    cr_assert_null(options.program[4]);
    options_free(&options);
}

Test(launch_line, sets_variables_and_directory) {
    cr_assert(PARSE("mpirun", "-genv", "EXPLORE_A", "one", "-env", "EXPLORE_B=two=2", "-wdir", "/", "./app"));
    cr_assert(launch_line_apply(&options, sentence, sizeof sentence), "%s", sentence);
    cr_assert_str_eq(getenv("EXPLORE_A"), "one");
    cr_assert_str_eq(getenv("EXPLORE_B"), "two=2");
    char *here = realpath(".", NULL);
    cr_assert_str_eq(here, "/");
    cr_assert_eq(options.output_dir[0], '/', "witnesses go to where they would have gone");
    free(here);
    options_free(&options);
}

static unsigned ranks_of_line(bool parsed) {
    cr_assert(parsed, "%s", sentence);
    cr_assert_str_eq(options.programs[0].words[0], "./app");
    unsigned ranks = options.ranks;
    options_free(&options);
    return ranks;
}

Test(launch_line, each_launcher_has_its_own_options) {
    cr_assert_eq(ranks_of_line(PARSE("mpiexec", "-n=4", "-launcher=fork", "-print-all-exitcodes", "./app")), 4);
    cr_assert_eq(ranks_of_line(PARSE("mpirun", "-np4", "--oversubscribe", "--allow-run-as-root", "--bind-to", "core", "--mca",
                                     "btl", "self,tcp", "-H", "a:4,b", "./app")),
                 4);
    cr_assert_eq(
        ranks_of_line(PARSE("/opt/slurm/bin/srun", "-N2", "--ntasks=8", "--mpi=pmi2", "-p", "short", "-c", "4", "-l", "./app")),
        8);
    cr_assert_eq(ranks_of_line(PARSE("srun", "-n4", "--", "./app", "-n", "7")), 4);
    cr_assert_eq(ranks_of_line(PARSE("mpirun", "-c", "4", "./app")), 4, "Open MPI's, srun's -c counts processors");
}

/* As mpiexec and srun do if nothing is said; explore's own number is said. */
Test(launch_line, without_a_number_a_program_has_one_rank) {
    cr_assert_eq(ranks_of_line(PARSE("mpiexec", "./app")), 1);
    cr_assert_eq(ranks_of_line(PARSE("--ranks", "3", "mpiexec", "./app")), 3);
    cr_assert_eq(ranks_of_line(PARSE("mpiexec", "-n", "2", "./app", ":", "./b")), 3);
}

Test(launch_line, a_number_of_ranks_for_each_place_is_none) {
    cr_assert_not(PARSE("srun", "-N", "2", "--ntasks-per-node=4", "./app"));
    cr_assert_not_null(strstr(sentence, "--ntasks-per-node=4"));
    cr_assert_eq(ranks_of_line(PARSE("srun", "-N", "2", "-n", "8", "./app")), 8);
    cr_assert_eq(ranks_of_line(PARSE("-n", "8", "srun", "-N", "2", "./app")), 8);
}

Test(launch_line, exported_variables_are_set) {
    cr_assert(PARSE("srun", "--export=ALL,EXPLORE_C=1,HOME,EXPLORE_D=", "./app"));
    cr_assert(launch_line_apply(&options, sentence, sizeof sentence), "%s", sentence);
    cr_assert_str_eq(getenv("EXPLORE_C"), "1");
    cr_assert_str_eq(getenv("EXPLORE_D"), "");
    options_free(&options);
    cr_assert(PARSE("mpirun", "-x", "HOME", "-x", "EXPLORE_E=a,b", "./app"));
    cr_assert(launch_line_apply(&options, sentence, sizeof sentence), "%s", sentence);
    cr_assert_str_eq(getenv("EXPLORE_E"), "a,b", "only srun separates by commas");
    options_free(&options);
    cr_assert_not(PARSE("srun", "--export=NONE", "./app"));
    cr_assert_not(PARSE("mpiexec", "-genv", "=1", "./app"));
}

/* mpiexec gives them to the one program that they are said of, and explore has one environment and directory for all. */
Test(launch_line, what_is_said_of_one_of_several_programs_is_refused) {
    cr_assert_not(PARSE("mpiexec", "-n", "1", "-env", "KEY", "1", "./a", ":", "./b"));
    cr_assert_not_null(strstr(sentence, "KEY"));
    cr_assert_not(PARSE("mpiexec", "./a", ":", "-wdir", "/tmp", "./b"));
    cr_assert_not_null(strstr(sentence, "/tmp"));
    cr_assert(PARSE("mpiexec", "-genv", "KEY", "1", "-n", "1", "./a", ":", "./b"));
    options_free(&options);
}

Test(launch_line, paths_of_explores_own_options_stay_where_they_are) {
    cr_assert(PARSE("--save", "d", "--reference", "r", "--json", "j", "mpiexec", "-wdir", "/", "./app"));
    cr_assert(launch_line_apply(&options, sentence, sizeof sentence), "%s", sentence);
    cr_assert(options.save[0] == '/' && options.reference[0] == '/' && options.json[0] == '/');
    options_free(&options);
}

Test(launch_line, what_is_not_understood_is_named) {
    cr_assert_not(PARSE("srun", "-zebra", "./app"));
    cr_assert_not_null(strstr(sentence, "srun's option -zebra"));
    cr_assert_not(PARSE("mpiexec", "-l4", "./app"), "takes no value");
    cr_assert_not(PARSE("mpirun", "--mca", "btl"));
    cr_assert_not(PARSE("mpiexec", "-zebra", "./app"));
    cr_assert_not_null(strstr(sentence, "-zebra"));
    cr_assert_not(PARSE("mpiexec", "-n", "0", "./app"));
    cr_assert_not(PARSE("mpiexec", "-n"));
    cr_assert_not(PARSE("mpiexec", "-n", "2"));
    cr_assert_not(PARSE("mpiexec", "-genv", "KEY"));
    cr_assert_not(PARSE("mpiexec", ":", "./app"));
}

/* As mpiexec has them, or without it. */
static void check_two_programs(void) {
    cr_assert_eq(options.program_count, 2);
    cr_assert(options.programs[0].ranks == 2 && options.programs[1].ranks == 3 && options.ranks == 5);
    cr_assert_str_eq(options.programs[0].words[0], "./a");
    cr_assert_null(options.programs[0].words[1]);
    cr_assert_str_eq(options.programs[1].words[0], "./b");
    cr_assert_str_eq(options.programs[1].words[1], "x");
    cr_assert_null(options.programs[1].words[2]);
    options_free(&options);
}

Test(programs, are_separated_by_colons) {
    cr_assert(PARSE("-n", "2", "./a", ":", "-n", "3", "./b", "x"));
    check_two_programs();
    cr_assert(PARSE("mpiexec", "-n", "2", "./a", ":", "-n", "3", "./b", "x"));
    check_two_programs();
    cr_assert(PARSE("./a", "--", ":", "x") && options.program_count == 1, "a colon after -- is an argument");
    cr_assert_not(PARSE("./a", ":"));
    cr_assert_not(PARSE("-n", "1000", "./a", ":", "./b"), "more than 1024 ranks together");
}

Test(spelling, distance_counts_letters_put_in_left_out_replaced_and_swapped) {
    cr_assert_eq(spelling_distance("", ""), 0);
    cr_assert_eq(spelling_distance("--ranks", "--ranks"), 0);
    cr_assert_eq(spelling_distance("--rnaks", "--ranks"), 1);
    cr_assert_eq(spelling_distance("--rank", "--ranks"), 1);
    cr_assert_eq(spelling_distance("kitten", "sitting"), 3);
    cr_assert_gt(spelling_distance("--a-word-of-more-than-forty-letters-is-never-near", "--ranks"), 40);
}

Test(options, an_unknown_one_suggests_the_nearest) {
    cr_assert_not(PARSE("--jsno", "f", "./app"));
    cr_assert_not_null(strstr(sentence, "--json"));
    cr_assert_not(PARSE("--zebra", "./app"));
    cr_assert_null(strstr(sentence, "did you mean"));
}

Test(options, ranks_may_be_spelled_as_launchers_do) {
    cr_assert_eq(ranks_of_line(PARSE("-n4", "./app")), 4);
    cr_assert_eq(ranks_of_line(PARSE("-n=4", "./app")), 4);
    cr_assert_eq(ranks_of_line(PARSE("-np", "4", "./app")), 4);
    cr_assert_eq(ranks_of_line(PARSE("-np4", "./app")), 4);
    cr_assert_eq(ranks_of_line(PARSE("--np=4", "./app")), 4);
    cr_assert_eq(ranks_of_line(PARSE("--ranks=4", "./app")), 4);
    cr_assert_eq(ranks_of_line(PARSE("./app", "-np", "4")), 4);
    cr_assert_not(PARSE("-n0", "./app"));
    cr_assert_not(PARSE("-n4x", "./app"));
    cr_assert_not(PARSE("-n=", "./app"));
}

Test(options, an_attached_number_after_the_program_is_the_programs) {
    cr_assert(PARSE("./app", "-n4", "--n=3") && options.ranks == 2);
    cr_assert_str_eq(options.program[1], "-n4");
    cr_assert_str_eq(options.program[2], "--n=3");
    options_free(&options);
}

Test(options, a_replay_refuses_what_it_cannot_honour) {
    cr_assert_not(PARSE("replay", "w.json", "--json", "r.json"));
    cr_assert_not_null(strstr(sentence, "--json"));
    cr_assert_not(PARSE("replay", "w.json", "--ranks", "3"));
    cr_assert_not(PARSE("replay", "-np4", "w.json"));
    cr_assert(PARSE("replay", "w.json", "--verbose", "--step-time", "2s"));
}

Test(valid_text, keeps_characters_and_replaces_other_bytes) {
    static const struct {
        const char *text, *valid;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"a\xff"
         "b",
         "a\xef\xbf\xbd"
         "b"},
        {"\xc3", "\xef\xbf\xbd"},
        {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},                                 /* longer than need be */
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                 /* half a surrogate pair */
        {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* beyond Unicode */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *valid = valid_text(cases[i].text);
        cr_assert_str_eq(valid, cases[i].valid);
        free(valid);
        json_t *string = valid_text_json(cases[i].text);
        cr_assert(json_is_string(string));
        json_decref(string);
    }
}
