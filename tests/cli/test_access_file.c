/* What is read from files for --access, and which messages they say may be exchanged. */
#include "explorer/exploration/access_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/test_access_file.XXXXXX";
static struct access_file *file;
static char sentence[512];

static void read_text(const char *text) {
    int created = mkstemp(path);
    cr_assert_geq(created, 0);
    cr_assert_eq(write(created, text, strlen(text)), (ssize_t)strlen(text));
    close(created);
    file = access_file_read(path, sentence, sizeof sentence);
    unlink(path);
}
static void tear_down(void) { access_file_free(file); }
TestSuite(access_file, .fini = tear_down);

static void is_wrong(const char *text, const char *why) {
    read_text(text);
    cr_assert_null(file);
    cr_assert(strstr(sentence, why), "%s", sentence);
}

Test(access_file, messages_may_be_exchanged_unless_one_writes_what_the_other_uses) {
    read_text("# a comment\n"
              "uses look a r\n"
              "uses change a w # behind a line\n"
              "\n"
              "uses count b w\n"
              "uses both a r\n"
              "uses both b r\n"
              "message 1 1 look here -\n"
              "message 1 2 look here -\n"
              "message 1 3 change here -\n"
              "message 1 4 count here -\n"
              "message 1 5 both here -\n"
              "message 1 6 nothing here -\n"
              "message 1 7 change there -\n"
              "message 2 1 look here -\n");
    cr_assert(file, "%s", sentence);
    cr_assert(access_file_exchangeable(file, 1, 1, 2), "two that read");
    cr_assert(!access_file_exchangeable(file, 1, 1, 3) && !access_file_exchangeable(file, 1, 3, 1), "one writes, one reads");
    cr_assert(!access_file_exchangeable(file, 1, 3, 3), "both write");
    cr_assert(access_file_exchangeable(file, 1, 3, 4), "different members");
    cr_assert(!access_file_exchangeable(file, 1, 5, 4) && !access_file_exchangeable(file, 1, 5, 3), "one of two members");
    cr_assert(access_file_exchangeable(file, 1, 6, 3), "one uses nothing");
    cr_assert(access_file_exchangeable(file, 1, 7, 3), "different places");
    cr_assert(!access_file_exchangeable(file, 2, 1, 2), "nothing is told of the second one to this rank");
}

Test(access_file, what_was_read_once_and_written_once_is_written) {
    read_text("uses some a r\nuses some a w\nuses some a r\nmessage 0 1 some p -\nmessage 0 2 some p -\n");
    cr_assert(file && !access_file_exchangeable(file, 0, 1, 2));
}

Test(access_file, messages_of_one_instance_are_not_exchanged) {
    read_text("message 0 1 merge p m1\nmessage 0 2 merge p m1\nmessage 0 3 merge p m2\nmessage 0 3 merge p m2\n");
    cr_assert(file, "the same twice: %s", sentence);
    cr_assert(!access_file_exchangeable(file, 0, 1, 2));
    cr_assert(access_file_exchangeable(file, 0, 1, 3));
}

Test(access_file, wrong_lines_are_named) { is_wrong("uses a b r\nuses a b x\n", "line 2 is"); }
Test(access_file, a_message_needs_all_its_words) { is_wrong("message 0 1 a b\n", "line 1 is"); }
Test(access_file, more_words_are_wrong) { is_wrong("message 0 1 a b c d e f\n", "line 1 is"); }
Test(access_file, numbers_are_numbers) { is_wrong("message x 1 a b c\n", "line 1 is"); }
Test(access_file, contradictions_are_named) {
    is_wrong("message 0 1f a p -\nmessage 0 1f b p -\n", "says two things of the message 000000000000001f to rank 0");
}
Test(access_file, a_file_that_is_not_there_is_named) {
    cr_assert_null(access_file_read("/nowhere/file", sentence, sizeof sentence));
    cr_assert_str_eq(sentence, "cannot read /nowhere/file: No such file or directory");
}

Test(access_file, hashes_are_fnv_1a) {
    /* From its definition: the offset basis; of "a", the published value. */
    cr_assert_eq(access_file_hash("", 0), 0xcbf29ce484222325);
    cr_assert_eq(access_file_hash("a", 1), 0xaf63dc4c8601ec8c);
}
