/* Which uses of files by two ranks go together, in either order. */
#include "explorer/file_uses.h"
#include "models/mpi/protocol.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct use {
    const char *path;
    unsigned use;
};

static char *add(struct file_uses *uses, unsigned rank, const struct use *use) {
    return file_uses_add(uses, rank, use->path, strlen(use->path), use->use);
}

/* Do the uses of two ranks conflict? Asked both ways. */
static bool conflict(struct use a, struct use b) {
    bool conflicts[2];
    for (int turn = 0; turn < 2; turn++) {
        struct file_uses uses = {0};
        cr_assert_null(add(&uses, turn ? 1 : 0, turn ? &b : &a));
        char *sentence = add(&uses, turn ? 0 : 1, turn ? &a : &b);
        conflicts[turn] = sentence != NULL;
        if (sentence)
            cr_assert(strstr(sentence, "rank 0") && strstr(sentence, "rank 1"), "%s", sentence);
        free(sentence);
        file_uses_free(&uses);
    }
    cr_assert(conflicts[0] == conflicts[1], "%s and %s: the order matters", a.path, b.path);
    return conflicts[0];
}

enum { READ = WIRE_USE_READ, WRITTEN = WIRE_USE_WRITTEN, LISTED = WIRE_USE_LISTED, ENTRY = WIRE_USE_ENTRY };

Test(file_uses, of_different_files_go_together) {
    cr_assert_not(conflict((struct use){"/d/a", WRITTEN}, (struct use){"/d/b", WRITTEN}));
    cr_assert_not(conflict((struct use){"/d/a", WRITTEN}, (struct use){"/d/ab", READ}));
    cr_assert_not(conflict((struct use){"/d/a", WRITTEN}, (struct use){"/d", READ}));
}

Test(file_uses, that_only_look_go_together) {
    cr_assert_not(conflict((struct use){"/d/a", READ}, (struct use){"/d/a", READ}));
    cr_assert_not(conflict((struct use){"/d", LISTED}, (struct use){"/d", LISTED | READ}));
}

Test(file_uses, do_not_go_with_a_change) {
    cr_assert(conflict((struct use){"/d/a", WRITTEN}, (struct use){"/d/a", READ}));
    cr_assert(conflict((struct use){"/d/a", WRITTEN}, (struct use){"/d/a", WRITTEN}));
}

Test(file_uses, new_names_go_with_each_other_but_not_with_a_listing) {
    cr_assert_not(conflict((struct use){"/d", ENTRY}, (struct use){"/d", ENTRY}));
    cr_assert(conflict((struct use){"/d", ENTRY}, (struct use){"/d", LISTED}));
    cr_assert_not(conflict((struct use){"/d", ENTRY}, (struct use){"/d/e", LISTED}));
}

Test(file_uses, of_agents_are_those_of_one_user) {
    struct file_uses uses = {0};
    const struct use by_agent = {"/d/a", WRITTEN | WIRE_USE_BY_AGENT};
    cr_assert_null(add(&uses, 2, &by_agent));
    cr_assert_null(add(&uses, 3, &by_agent));
    char *sentence = add(&uses, 0, &(struct use){"/d/a", READ});
    cr_assert(sentence && strstr(sentence, "rank 0 reads \"/d/a\", which MPI-IO writes"), "%s", sentence);
    free(sentence);
    file_uses_free(&uses);
}

Test(file_uses, depend_on_every_directory_above) {
    cr_assert(conflict((struct use){"/d", WRITTEN}, (struct use){"/d/e/f", READ}));
    cr_assert(conflict((struct use){"/d", WRITTEN}, (struct use){"/d/e", ENTRY}));
    cr_assert_not(conflict((struct use){"/d", WRITTEN}, (struct use){"/de/f", WRITTEN}));
}

Test(file_uses, of_one_rank_always_go_together_and_a_third_rank_is_seen) {
    struct file_uses uses = {0};
    const struct use use[] = {{"/d/a", READ}, {"/d/a", WRITTEN}, {"/d", ENTRY | LISTED}, {"/d", WRITTEN}};
    for (int i = 0; i < 4; i++)
        cr_assert_null(add(&uses, 5, &use[i]));
    file_uses_free(&uses);
    for (unsigned rank = 0; rank < 4; rank++)
        cr_assert_null(add(&uses, rank, &use[0]));
    char *sentence = add(&uses, 0, &use[1]);
    cr_assert_str_eq(sentence, "rank 1 reads \"/d/a\", which rank 0 writes: communication through files is not supported");
    free(sentence);
    file_uses_free(&uses);
}
