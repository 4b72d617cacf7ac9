/* Text to instructions. */
#include "tests/litmus/world.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_VALUE = 0, OTHER_VALUE = 1, FOLDED = 2, FLAG = 3 };

static void add(struct world *world, int kind, int a, int b, int c, int d) {
    assert(world->length < LITMUS_INSTRUCTIONS);
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
    case 'k': add(world, TOY_RECV + other, peer, tag, LAST_VALUE, TOY_NOWHERE); return;
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

void world_begin(struct world *world, const char *program, enum buffering buffering) {
    int32_t members[LITMUS_RANKS];
    parse(world, program);
    world->toy = toy_create(world->ranks, world->programs);
    world->steps = toy_steps(world->toy);
    world->model = mpi_model_create(world->ranks, buffering, toy_payload_size, NULL);
    for (int32_t i = 0; i < LITMUS_RANKS; i++)
        members[i] = i;
    mpi_model_context(world->model, WIRE_WORLD_CONTEXT, members, world->ranks);
    mpi_model_context(world->model, WIRE_WORLD_CONTEXT + 1, members, world->ranks);
}

void world_end(struct world *world) {
    mpi_model_destroy(world->model);
    toy_destroy(world->toy);
}
