#include "explorer/command_line/options.h"

#include "ckpt/image.h"

#include <criterion/criterion.h>
#include <string.h>

static struct options options;
static char sentence[512];

#define PARSE(...)                                                                       \
    options_parse(&options, sizeof((char *[]){"explore", __VA_ARGS__}) / sizeof(char *), \
                  (char *[]){"explore", __VA_ARGS__, NULL}, sentence, sizeof sentence)

Test(options, are_taken_before_and_after_the_program_and_other_words_are_its_own) {
    cr_assert(PARSE("--ranks", "8", "./app", "in.txt", "--time", "60s", "-x", "--", "--ranks", "3"));
    cr_assert(options.ranks == 8 && options.seconds == 60);
    const char *expected[] = {"./app", "in.txt", "-x", "--ranks", "3"};
    for (int i = 0; i < 5; i++)
        cr_assert_str_eq(options.program[i], expected[i]);
    cr_assert_null(options.program[5]);
}

Test(options, a_second_number_of_ranks_may_be_an_option_of_the_program) {
    cr_assert(PARSE("./app", "-n", "8") && options.ranks == 8);
    cr_assert(PARSE("--ranks", "4", "./app", "--ranks", "8") && options.ranks == 8);
    cr_assert_not(PARSE("--ranks", "4", "./app", "-n", "8"));
    cr_assert(strstr(sentence, "twice") && strstr(sentence, "-n"));
    cr_assert_not(PARSE("./app", "-n", "4", "in.txt", "-np", "8"));
    cr_assert(PARSE("--ranks", "4", "./app", "--", "-n", "8") && options.ranks == 4);
    cr_assert(PARSE("-n", "4", "./app", ":", "-n", "8", "./app") && options.ranks == 12);
    cr_assert(PARSE("-n", "4", "./app", ":", "./app", "-n", "8") && options.ranks == 12);
}

Test(options, words_of_the_program_that_are_nearly_options_are_noted) {
    cr_assert(PARSE("./app", "--verbos", "--rank", "8"));
    cr_assert_str_eq(options.slip, "--verbos");
    cr_assert_str_eq(options.meant, "--verbose");
    cr_assert(PARSE("./app", "--rank=8") && options.slip && strcmp(options.meant, "--ranks") == 0);
    cr_assert(PARSE("./app", "--", "--rank", "8") && !options.slip);
    cr_assert(PARSE("./app", "--size", "rank", "-rank") && !options.slip);
}

/* `-n 4` there may well be the program's: it is still taken, as it always was, but said. */
Test(options, options_with_one_dash_among_the_programs_words_are_noted) {
    cr_assert(PARSE("./app", "-x", "in.txt", "-n", "4") && options.ranks == 4);
    cr_assert_str_eq(options.taken, "-n");
    cr_assert_str_eq(options.taken_as, "--ranks");
    cr_assert(PARSE("./app", "in.txt", "-v") && options.taken && strcmp(options.taken_as, "--verbose") == 0);
    cr_assert(PARSE("./app", "-n", "4") && !options.taken);
    cr_assert(PARSE("-n", "4", "./app", "in.txt", "--verbose") && !options.taken);
    cr_assert(PARSE("./app", "-n", "4", ":", "./other", "-n", "2") && !options.taken);
    cr_assert(PARSE("--ranks", "2", "./app", "in.txt", "--", "-n", "4") && !options.taken);
}

Test(options, what_is_wrong_with_one_that_may_be_the_programs_says_so) {
    cr_assert_not(PARSE("./app", "-n", "T2"));
    cr_assert_str_eq(sentence, "--ranks must be a number from 1 to 1024, not \"T2\"; after -- all words are the program's");
    cr_assert_not(PARSE("./app", "-i", "in.txt", "-o", "n"));
    cr_assert_str_eq(sentence, "--output is for explore record; after -- all words are the program's");
    cr_assert_not(PARSE("-n", "T2", "./app"));
    cr_assert_null(strstr(sentence, "after --"));
}

Test(options, values_may_be_attached) {
    cr_assert(PARSE("--ranks=3", "./app", "--memory=2G", "--buffering=none"));
    cr_assert(options.ranks == 3 && options.memory_bytes == 2ull << 30 && options.buffering == BUFFERING_NONE);
}

Test(options, files_and_input_are_for_a_run_and_only_input_for_a_replay) {
    cr_assert(PARSE("./app", "--keep-files", "kept", "--stdin", "-"));
    cr_assert_str_eq(options.keep_files, "kept");
    cr_assert_str_eq(options.input, "-");
    cr_assert(PARSE("replay", "race.json", "--stdin", "in.txt"));
    cr_assert_not(PARSE("replay", "race.json", "--keep-files", "kept"));
    cr_assert(PARSE("./app") && !options.keep_files && !options.input);
}

Test(options, durations_and_sizes_have_units) {
    cr_assert(PARSE("--time", "1.5h", "--step-time", "250ms", "--memory", "512M", "./app"));
    cr_assert(options.seconds == 5400 && options.step_seconds == 0.25 && options.memory_bytes == 512ull << 20);
}

Test(options, what_is_wrong_is_said_in_one_sentence) {
    static const char *const bad[][2] = {{"--ranks", "0"},      {"--ranks", "-1"},   {"--ranks", "1e9"},
                                         {"--ranks", "four"},   {"--ranks", "1025"}, {"--ranks", "99999999999999999999"},
                                         {"--time", "soon"},    {"--time", "-3s"},   {"--time", "0s"},
                                         {"--memory", "2Q"},    {"--memory", "0"},   {"--states", "0"},
                                         {"--buffering", "x"},  {"--tracker", "y"},  {"--checkpoint", "z"},
                                         {"--allow", "colour"}, {"--jobs", "0"},     {"--race-on", "weather"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_not(PARSE((char *)bad[i][0], (char *)bad[i][1], "./app"), "%s %s", bad[i][0], bad[i][1]);
        cr_assert(sentence[0] && !strchr(sentence, '\n'));
    }
    cr_assert_not(PARSE("--nonsense", "./app"));
    cr_assert_not(PARSE("./app", "--ranks"));
    cr_assert_not(PARSE("--keep-going=yes", "./app"));
    cr_assert_not(PARSE("--ranks", "2"));
    cr_assert_not(PARSE("replay"));
}

Test(options, an_explanation_takes_two_numbers) {
    cr_assert(PARSE("--explain-state", "7", "12", "./app", "--list-states"));
    cr_assert(options.explain[0] == 7 && options.explain[1] == 12 && options.list_states);
    cr_assert_str_eq(options.program[0], "./app");
    cr_assert(PARSE("--explain-state=7", "12", "./app"));
    cr_assert(options.explain[0] == 7 && options.explain[1] == 12);
    cr_assert_not(PARSE("./app", "--explain-state", "7"));
    cr_assert_not(PARSE("./app", "--explain-state", "0", "7"));
    cr_assert_not(PARSE("./app", "--explain-state", "7", "7"));
}

Test(options, what_no_backend_keeps_cannot_be_asked_of_it) {
    cr_assert(PARSE("--race-on", "state", "./app"));
    cr_assert(options.race_on_state);
    cr_assert_not(PARSE("--race-on", "state", "--checkpoint", "fork", "./app"));
    cr_assert_not(PARSE("--explain-state", "7", "8", "--checkpoint", "replay", "./app"));
    cr_assert(PARSE("--race-on", "output", "--checkpoint", "fork", "./app"));
    cr_assert_not(options.race_on_state);
}

Test(options, an_exploration_is_saved_or_resumed_and_not_both) {
    cr_assert(PARSE("--save", "d", "./app"));
    cr_assert(PARSE("--resume", "d"));
    cr_assert_not(PARSE("--save", "d"));
    cr_assert_not(PARSE("--save", "d", "--resume", "e", "./app"));
    cr_assert_not(PARSE("--checkpoint", "fork", "--save", "d", "./app"));
    cr_assert_not(PARSE("replay", "--save", "d", "w.json"));
}

Test(options, those_given_to_a_resume_go_over_the_earlier_ones) {
    char *const earlier[] = {"--save", "d", "--ranks", "5", "--time", "10s", "./app", "in.txt"};
    char *given[] = {"explore", "--resume", "d", "--time", "1h", NULL};
    cr_assert(options_parse_again(&options, 5, given, earlier, 8, sentence, sizeof sentence), "%s", sentence);
    cr_assert(options.ranks == 5 && options.seconds == 3600 && !options.save);
    cr_assert_str_eq(options.resume, "d");
    cr_assert_str_eq(options.program[0], "./app");
    cr_assert_str_eq(options.program[1], "in.txt");
    cr_assert_null(options.program[2]);
}

Test(options, replay_takes_a_file_and_perhaps_a_program) {
    cr_assert(PARSE("replay", "w.json", "./app", "--verbose"));
    cr_assert(options.replay && options.verbose);
    cr_assert_str_eq(options.witness, "w.json");
    cr_assert_str_eq(options.program[0], "./app");
}

Test(gate, everything_fails_but_messages_unless_told_otherwise) {
    cr_assert(PARSE("./app", "--allow", "crash", "--deny", "race-messages"));
    cr_assert(options_fails(&options, "deadlock") && !options_fails(&options, "crash"));
    cr_assert(options_fails(&options, "race-messages"));
    cr_assert(PARSE("./app"));
    cr_assert_not(options_fails(&options, "race-messages"));
}
