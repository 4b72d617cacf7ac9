/* Explores each litmus program with and without reduction, and compares every number with the one derived by hand. */
#include "tests/litmus/programs.h"

#include "explorer/search.h"
#include "tests/search/toy_ranks.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTRUCTIONS = 64, LAST_VALUE = 0, OTHER_VALUE = 1, FOLDED = 2, FLAG = 3 };

/* ---- text to instructions ---- */

struct world {
    unsigned ranks;
    struct toy_instruction program[LITMUS_RANKS][INSTRUCTIONS];
    const struct toy_instruction *programs[LITMUS_RANKS];
    unsigned length; /* of the last rank's */
};

static void add(struct world *world, int kind, int a, int b, int c, int d) {
    assert(world->length < INSTRUCTIONS);
    world->program[world->ranks - 1][world->length++] = (struct toy_instruction){kind, a, b, c, d};
}

static void add_fold(struct world *world, int variable) { add(world, TOY_FOLD, FOLDED, variable, 0, 0); }

/* What follows the letter: "*.1:a". */
struct arguments {
    int peer, tag, request;
    int communicator; /* to be added to the kind */
    bool again;
};

static int number_or_any(const char **at, int any) {
    if (**at != '*')
        return (int)strtol(*at, (char **)at, 10);
    ++*at;
    return any;
}

static struct arguments parse_arguments(const char *at) {
    struct arguments arguments = {0};
    if (*at == '*' || (*at >= '0' && *at <= '9'))
        arguments.peer = number_or_any(&at, WIRE_ANY_SOURCE);
    if (*at == '.') {
        at++;
        arguments.tag = number_or_any(&at, WIRE_ANY_TAG);
    }
    if (*at == ':')
        at++;
    while (*at == 'a' || *at == 'b')
        arguments.request = *at++ - 'a';
    if (*at == '@') {
        at++;
        arguments.again = true;
    }
    if (*at == '\'') {
        at++;
        arguments.communicator = TOY_OTHER_COMMUNICATOR;
    }
    assert(!*at);
    return arguments;
}

/* Tests and probes that may say "not yet". */
static void add_question(struct world *world, int kind, int a, int b, int request, bool again) {
    int here = (int)world->length;
    add(world, kind, a, b, FLAG, request);
    if (again)
        add(world, TOY_JUMP_IF, here, FLAG, 0, 0);
    else
        add_fold(world, FLAG);
}

static void add_word(struct world *world, const char *word) {
    const struct arguments given = parse_arguments(word + 1);
    int value = (int)world->ranks, peer = given.peer, tag = given.tag, request = given.request, other = given.communicator;
    switch (*word) {
    case 's': add(world, TOY_SEND + other, peer, tag, value, 0); return;
    case 'S': add(world, TOY_SSEND + other, peer, tag, value, 0); return;
    case 'i': add(world, TOY_ISEND + other, peer, tag, value, request); return;
    case 'I': add(world, TOY_ISSEND + other, peer, tag, value, request); return;
    case 'j': add(world, TOY_IRECV + other, peer, tag, 0, request); return;
    case 'P': add(world, TOY_PROBE + other, peer, tag, 0, 0); return;
    case 'b': add(world, TOY_BARRIER + other, 0, 0, 0, 0); return;
    case 'c': add(world, TOY_BCAST + other, peer, 0, 0, 0); return;
    case 'd': add(world, TOY_REDUCE + other, peer, 0, 0, 0); return;
    case 'x': add(world, TOY_CRASH_IF, LAST_VALUE, peer, 0, 0); return;
    case 'p': add_question(world, TOY_IPROBE + other, peer, tag, 0, given.again); return;
    case 't': add_question(world, TOY_TEST, 0, 0, request, given.again); return;
    case 'q':
        add(world, TOY_RECV + other, peer, tag, FLAG, TOY_NOWHERE);
        add(world, TOY_SET, FLAG, 0, 0, 0);
        return;
    case 'r':
        add(world, TOY_RECV + other, peer, tag, LAST_VALUE, TOY_NOWHERE);
        add_fold(world, LAST_VALUE);
        return;
    case 'w':
        add(world, TOY_WAIT, 0, 0, LAST_VALUE, request);
        add_fold(world, LAST_VALUE);
        return;
    case 'W':
        add(world, TOY_WAIT_ALL, 0, 0, 0, 1);
        add_fold(world, LAST_VALUE);
        add_fold(world, OTHER_VALUE);
        return;
    case 'A':
    case 'M':
        add(world, *word == 'A' ? TOY_WHICH : TOY_SOME, FLAG, 0, 0, 1);
        add_fold(world, FLAG);
        return;
    default: assert(!"a word");
    }
}

static void end_rank(struct world *world) {
    add(world, TOY_PRINT, FOLDED, 0, 0, 0);
    add(world, TOY_EXIT, 0, 0, 0, 0);
}

static void parse(struct world *world, const char *program) {
    char text[512], *rest = NULL;
    *world = (struct world){.ranks = 1};
    assert(strlen(program) < sizeof text);
    strcpy(text, program);
    for (const char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (*word != '|') {
            add_word(world, word);
            continue;
        }
        end_rank(world);
        world->ranks++;
        world->length = 0;
        assert(world->ranks <= LITMUS_RANKS);
    }
    end_rank(world);
    for (unsigned rank = 0; rank < world->ranks; rank++)
        world->programs[rank] = world->program[rank];
}

/* ---- exploring ---- */

struct seen {
    bool complete;
    uint64_t states, transitions, outcomes;
    char orderings[64], findings[128];
};

static void note_findings(struct seen *seen, const struct search *search) {
    static const char *const classes[] = {"crash", "deadlock", "livelock", "race-output", "unreceived-message"};
    const struct finding *list;
    size_t count = search_findings(search, &list), known = 0;
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
        size_t of_class = 0;
        for (size_t i = 0; i < count; i++)
            of_class += !strcmp(list[i].class_name, classes[k]);
        known += of_class;
        if (of_class)
            snprintf(seen->findings + strlen(seen->findings), sizeof seen->findings - strlen(seen->findings), "%s%s",
                     *seen->findings ? " " : "", classes[k]);
    }
    if (known < count)
        strcpy(seen->findings, "others");
}

static struct seen explore(const struct litmus *test, bool no_reduction) {
    struct world world;
    parse(&world, test->program);
    struct toy *toy = toy_create(world.ranks, world.programs);
    struct step_source steps = toy_steps(toy);
    struct mpi_model *model = mpi_model_create(world.ranks, test->buffering, toy_payload_size, NULL);
    int32_t members[LITMUS_RANKS];
    for (int32_t i = 0; i < LITMUS_RANKS; i++)
        members[i] = i;
    mpi_model_context(model, WIRE_WORLD_CONTEXT, members, world.ranks);
    mpi_model_context(model, WIRE_WORLD_CONTEXT + 1, members, world.ranks);
    struct search_options options = {.buffering = test->buffering, .keep_going = true, .no_reduction = no_reduction};
    struct search *search = search_create(world.ranks, model, &steps, &options, NULL, NULL, NULL, NULL);

    struct seen seen = {.complete = search_run(search) == SEARCH_COMPLETE};
    bool all;
    char *orderings = search_count_orderings(search, true, &all);
    snprintf(seen.orderings, sizeof seen.orderings, "%s", orderings);
    free(orderings);
    const uint64_t *list;
    seen.outcomes = search_outcomes(search, &list);
    seen.states = search_statistics(search)->states;
    seen.transitions = search_statistics(search)->transitions;
    note_findings(&seen, search);

    search_destroy(search);
    mpi_model_destroy(model);
    toy_destroy(toy);
    return seen;
}

/* ---- comparing ---- */

static bool is_equal(const char *what, uint64_t expected, uint64_t seen) {
    if (expected == seen)
        return true;
    printf("    %s: %lu, expected %lu\n", what, (unsigned long)seen, (unsigned long)expected);
    return false;
}

static bool is_same(const char *what, const char *expected, const char *seen) {
    if (!strcmp(expected, seen))
        return true;
    printf("    %s: %s, expected %s\n", what, seen, expected);
    return false;
}

static bool passes(const struct litmus *test) {
    struct seen reduced = explore(test, false), whole = explore(test, true);
    bool good = is_equal("complete", 2, (uint64_t)reduced.complete + whole.complete);
    good &= is_equal("states", test->states, reduced.states);
    good &= is_equal("transitions", test->transitions, reduced.transitions);
    good &= is_equal("states without reduction", test->all_states, whole.states);
    good &= is_same("orderings", test->orderings, reduced.orderings);
    good &= is_equal("outcomes", test->outcomes, reduced.outcomes);
    good &= is_equal("outcomes without reduction", test->outcomes, whole.outcomes);
    good &= is_same("findings", test->findings, reduced.findings);
    good &= is_same("findings without reduction", test->findings, whole.findings);
    return good;
}

int main(void) {
    static const char *const buffering[] = {
        [BUFFERING_ALL] = "all", [BUFFERING_NONE] = "none", [BUFFERING_INFINITE] = "infinite"};
    unsigned failed = 0;
    for (unsigned i = 0; i < litmus_count; i++) {
        if (passes(&litmus[i]))
            continue;
        failed++;
        printf("FAIL  %s (%s): %s\n", litmus[i].program, buffering[litmus[i].buffering], litmus[i].why);
    }
    printf("%u passed, %u failed\n", litmus_count - failed, failed);
    return failed != 0;
}
