/* Which uses of files by two ranks go together, in either order. */
#include "explorer/steps/file_uses.h"
#include "models/mpi/protocol.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct use {
    const char *path;
    unsigned use;
};

static char *add_in_turn(struct file_uses *uses, unsigned rank, const struct use *use, uint64_t turn) {
    return file_uses_add(uses, rank, use->path, strlen(use->path), use->use, turn);
}

static char *add(struct file_uses *uses, unsigned rank, const struct use *use) { return add_in_turn(uses, rank, use, 0); }

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

/* A file that the group {0, 2} opens and MPI-IO writes; then, or before, a rank writes it by calls of its own. */
static bool beside_mpi_io(unsigned rank, bool before, bool another_group) {
    const int32_t group[] = {2, 0}, other[] = {2};
    const struct use by_agent = {"/d/a", WRITTEN | READ | WIRE_USE_BY_AGENT}, own = {"/d/a", WRITTEN};
    struct file_uses uses = {0};
    char *sentence[5] = {NULL};
    sentence[0] = before ? add(&uses, rank, &own) : NULL;
    sentence[1] = file_uses_add_opening(&uses, "/d/a", 4, group, 2);
    sentence[2] = add(&uses, 1, &by_agent);
    sentence[3] = before ? NULL : add(&uses, rank, &own);
    sentence[4] = another_group ? file_uses_add_opening(&uses, "/d/a", 4, other, 1) : NULL;
    bool conflicts = false;
    for (int i = 0; i < 5; i++) {
        conflicts = conflicts || sentence[i];
        free(sentence[i]);
    }
    file_uses_free(&uses);
    return conflicts;
}

Test(file_uses, of_those_who_open_a_file_together_go_with_mpi_io) {
    for (int before = 0; before < 2; before++) {
        cr_assert_not(beside_mpi_io(0, before, false));
        cr_assert_not(beside_mpi_io(2, before, false));
        cr_assert(beside_mpi_io(1, before, false), "it does not open the file");
        cr_assert(beside_mpi_io(0, before, true), "it does not always open the file");
        cr_assert(beside_mpi_io(2, before, true), "rank 2 opens it alone too: then rank 0 does not know what it is");
    }
}

Test(file_uses, of_others_do_not_go_with_deleting) {
    cr_assert(conflict((struct use){"/d/a", WIRE_USE_DELETED}, (struct use){"/d/a", READ}));
    cr_assert(conflict((struct use){"/d/a", WIRE_USE_DELETED}, (struct use){"/d/a", WRITTEN}));
    cr_assert_not(conflict((struct use){"/d/a", WIRE_USE_DELETED}, (struct use){"/d/a", WIRE_USE_DELETED}));
    struct file_uses uses = {0};
    cr_assert_null(add(&uses, 0, &(struct use){"/d/a", WRITTEN}));
    cr_assert_null(add(&uses, 0, &(struct use){"/d/a", WIRE_USE_DELETED}));
    cr_assert_null(add(&uses, 1, &(struct use){"/d/a", WRITTEN | WIRE_USE_BY_AGENT}), "the home has deleted it");
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

static bool conflict_in_turns(struct use first, struct use second, uint64_t second_turn) {
    struct file_uses uses = {0};
    cr_assert_null(add_in_turn(&uses, 0, &first, 1));
    char *sentence = add_in_turn(&uses, 1, &second, second_turn);
    bool conflicts = sentence != NULL;
    free(sentence);
    file_uses_free(&uses);
    return conflicts;
}

Test(file_uses, conflict_in_the_same_turn_only) {
    const struct use pairs[][2] = {{{"/d/a", WRITTEN}, {"/d/a", READ}},
                                   {{"/d/a", WRITTEN}, {"/d/a", WRITTEN}},
                                   {{"/d", LISTED}, {"/d", ENTRY}},
                                   {{"/d", WRITTEN}, {"/d/e/f", READ}},
                                   {{"/d/e/f", READ}, {"/d", WRITTEN}}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        cr_assert(conflict_in_turns(pairs[i][0], pairs[i][1], 1), "pair %zu in one turn", i);
        cr_assert_not(conflict_in_turns(pairs[i][0], pairs[i][1], 2), "pair %zu in two turns", i);
    }
}

/* How a sentence ends decides whether the explorer tries it in turns. */
static bool offers_turns(struct use first, struct use second, uint64_t turn) {
    const char *ending = FILE_USES_IN_TURNS;
    struct file_uses uses = {0};
    cr_assert_null(add_in_turn(&uses, 0, &first, turn));
    char *sentence = add_in_turn(&uses, 1, &second, turn);
    cr_assert_not_null(sentence);
    bool offers = strlen(sentence) > strlen(ending) && strcmp(sentence + strlen(sentence) - strlen(ending), ending) == 0;
    free(sentence);
    file_uses_free(&uses);
    return offers;
}

Test(file_uses, may_be_in_turns_if_none_are_taken_and_mpi_io_has_no_part) {
    cr_assert(offers_turns((struct use){"/d/a", WRITTEN}, (struct use){"/d/a", READ}, 0));
    cr_assert_not(offers_turns((struct use){"/d/a", WRITTEN}, (struct use){"/d/a", READ}, 1));
    cr_assert_not(offers_turns((struct use){"/d/a", READ}, (struct use){"/d/a", WRITTEN | WIRE_USE_BY_AGENT}, 0));
    cr_assert_not(offers_turns((struct use){"/d/a", READ}, (struct use){"/d/a", WIRE_USE_DELETED}, 0));
}
