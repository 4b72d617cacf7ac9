#include "explorer/saved/journal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static char path[128];

static void begin(void) {
    strcpy(folder, "/tmp/journal.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/exploration.sqlite", folder);
}

static void end(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(journal, .init = begin, .fini = end);

static void add(struct journal *journal, unsigned stream, const char *text) {
    const struct journal_piece piece[] = {{text, strlen(text)}, {".", 1}};
    journal_add(journal, stream, piece, 2);
}

/* All records of a stream, one after the other. */
struct content {
    char text[256];
};

static bool take(void *context, const void *record, size_t size) {
    strncat(((struct content *)context)->text, record, size);
    return true;
}

static struct content content_of(struct journal *journal, unsigned stream, char **error) {
    struct content content = {""};
    *error = NULL;
    if (!journal_read(journal, stream, take, &content, error))
        strcpy(content.text, "damaged");
    return content;
}

static struct journal *reopen(struct journal *journal) {
    char *error = NULL;
    journal_close(journal);
    journal = journal_open(folder, &error);
    cr_assert_not_null(journal, "%s", error ? error : "no sentence");
    return journal;
}

Test(journal, streams_come_back_each_in_its_order_and_go_on) {
    char *error;
    struct journal *journal = journal_create(folder, &error);
    add(journal, 0, "one");
    add(journal, 1, "first");
    journal_settle(journal);
    add(journal, 0, "two");
    journal_settle(journal);
    journal = reopen(journal);
    cr_assert_str_eq(content_of(journal, 0, &error).text, "one.two.");
    cr_assert_str_eq(content_of(journal, 1, &error).text, "first.");
    cr_assert_str_eq(content_of(journal, 2, &error).text, "");
    add(journal, 0, "three");
    journal_settle(journal);
    journal = reopen(journal);
    cr_assert_str_eq(content_of(journal, 0, &error).text, "one.two.three.");
    journal_close(journal);
}

Test(journal, what_was_not_settled_is_gone_in_all_streams) {
    char *error;
    struct journal *journal = journal_create(folder, &error);
    add(journal, 0, "kept");
    journal_settle(journal);
    add(journal, 0, "lost");
    add(journal, 1, "lost too");
    journal = reopen(journal);
    cr_assert_str_eq(content_of(journal, 0, &error).text, "kept.");
    cr_assert_str_eq(content_of(journal, 1, &error).text, "");
    journal_close(journal);
}

Test(journal, one_changed_byte_of_a_record_is_noticed) {
    char *error, whole[1 << 18];
    struct journal *journal = journal_create(folder, &error);
    add(journal, 0, "needle");
    journal_settle(journal);
    journal_close(journal);
    FILE *file = fopen(path, "r+");
    size_t size = fread(whole, 1, sizeof whole, file);
    char *needle = memmem(whole, size, "needle", 6);
    cr_assert_not_null(needle);
    fseek(file, needle - whole, SEEK_SET);
    fputc('N', file);
    fclose(file);
    journal = journal_open(folder, &error);
    cr_assert_not_null(journal);
    cr_assert_str_eq(content_of(journal, 0, &error).text, "damaged");
    cr_assert_not_null(strstr(error, folder));
    free(error);
    journal_close(journal);
}

Test(journal, a_folder_with_something_in_it_is_left_alone) {
    char *error = NULL, other[128];
    snprintf(other, sizeof other, "%s/other", folder);
    fclose(fopen(other, "w"));
    cr_assert_null(journal_create(folder, &error));
    cr_assert_not_null(strstr(error, folder));
    free(error);
    cr_assert_neq(access(path, F_OK), 0);
}

Test(journal, what_has_records_is_not_made_anew_and_what_has_none_is) {
    char *error = NULL;
    journal_close(journal_create(folder, &error)); /* ended before anything was settled */
    struct journal *journal = journal_create(folder, &error);
    cr_assert_not_null(journal);
    add(journal, 0, "one");
    journal_settle(journal);
    journal_close(journal);
    cr_assert_null(journal_create(folder, &error));
    free(error);
}
