#include "tests/oracle/advice.h"

#include "tests/oracle/brute.h"
#include "tests/oracle/explore_program.h"
#include "tests/oracle/perform.h"

#include <stdlib.h>

static bool is_send(const struct instruction *instruction) { return instruction->op == OP_SEND || instruction->op == OP_ISEND; }

static void tighten(struct instruction *instruction, unsigned *sends) {
    if (is_send(instruction) && (*sends)++ % 3 < 2)
        instruction->mode = MODE_SYNCHRONOUS;
    if (opcode_is_collective(instruction->op) && !opcode_is_nonblocking_collective(instruction->op))
        *instruction = (struct instruction){.op = OP_BARRIER, .comm = collective_comm(instruction)};
}

/* Of sends two of three; each blocking collective becomes a barrier. */
static void make_synchronous(struct program *program) {
    unsigned sends = 0;
    for (unsigned rank = 0; rank < program->ranks; rank++)
        for (unsigned i = 0; i < program->length[rank]; i++)
            tighten(&program->instruction[rank][i], &sends);
}

/* Which receive can match which send. */
static bool find_matches(const struct program *program, uint64_t limit, struct behaviours *matches) {
    const struct brute_options options = {.buffering = BRUTE_ALL, .states = limit, .matches = true};
    uint64_t states;
    return brute_run(program, &options, matches, &states);
}

/* Can the program, which is another one that waits less, match the same? *known: it is small enough to say so. */
static bool matches_the_same(const struct program *program, uint64_t limit, const struct behaviours *with, bool *known) {
    struct behaviours without = {0};
    *known = find_matches(program, limit, &without);
    bool same = *known && behaviours_agree(with, &without, "match");
    behaviours_clear(&without);
    return same;
}

static bool holds_of_send(const struct program *program, unsigned rank, unsigned index, uint64_t limit,
                          const struct behaviours *with, struct advice_count *count) {
    struct program loose = *program;
    bool known;
    loose.instruction[rank][index].mode = MODE_STANDARD;
    bool same = matches_the_same(&loose, limit, with, &known), named = known && is_named_useless(program, rank, index);
    count->useless += same;
    count->named += named;
    return same || !named;
}

/* Instead of each blocking barrier, nothing. Returns whether there was one. */
static bool remove_barriers(struct program *program) {
    bool any = false;
    for (unsigned rank = 0; rank < program->ranks; rank++)
        for (unsigned i = 0; i < program->length[rank]; i++) {
            if (program->instruction[rank][i].op != OP_BARRIER)
                continue;
            program->instruction[rank][i] = (struct instruction){.op = OP_SET, .into = NO_REGISTER};
            any = true;
        }
    return any;
}

static bool holds_of_barriers(const struct program *program, uint64_t limit, const struct behaviours *with,
                              struct advice_count *count) {
    struct program loose = *program;
    bool known;
    if (!remove_barriers(&loose))
        return true;
    bool same = matches_the_same(&loose, limit, with, &known), named = known && are_barriers_named_useless(program);
    count->useless_barriers += same;
    count->named_barriers += named;
    return same || !named;
}

static bool has(const struct apart_call *call, size_t calls, uint32_t group, uint32_t site) {
    for (size_t i = 0; i < calls; i++)
        if (call[i].group == group && call[i].site == site)
            return true;
    return false;
}

static bool is_first_of_group(const struct apart_call *call, size_t number) {
    for (size_t i = 0; i < number; i++)
        if (call[i].group == call[number].group)
            return false;
    return true;
}

/* Instead of each barrier of the group, nothing. */
static void remove_group(struct program *program, const struct apart_call *call, size_t calls, uint32_t group) {
    for (unsigned rank = 0; rank < program->ranks; rank++)
        for (unsigned i = 0; i < program->length[rank]; i++)
            if (program->instruction[rank][i].op == OP_BARRIER && has(call, calls, group, instruction_site(rank, i)))
                program->instruction[rank][i] = (struct instruction){.op = OP_SET, .into = NO_REGISTER};
}

/* Each barrier is called in a place of its own by each rank. */
static bool holds_of_groups(const struct program *program, uint64_t limit, const struct behaviours *with,
                            struct advice_count *count) {
    struct apart_call *call;
    size_t calls = find_barriers(program, &call);
    bool holds = true;
    for (size_t i = 0; i < calls; i++) {
        struct program loose = *program;
        bool known;
        if (!is_first_of_group(call, i))
            continue;
        remove_group(&loose, call, calls, call[i].group);
        bool same = matches_the_same(&loose, limit, with, &known);
        bool named = known && is_group_named_useless(program, call, calls, call[i].group);
        count->useless_groups += same;
        count->named_groups += named;
        holds = holds && (same || !named);
    }
    free(call);
    return holds;
}

bool advice_holds(const struct program *program, uint64_t limit, struct advice_count *count) {
    struct program synchronous = *program;
    struct behaviours with = {0};
    make_synchronous(&synchronous);
    bool judged = prove_program(&synchronous, BUFFERING_ALL) && find_matches(&synchronous, limit, &with);
    bool holds = !judged || holds_of_barriers(&synchronous, limit, &with, count);
    holds = (!judged || holds_of_groups(&synchronous, limit, &with, count)) && holds;
    for (unsigned rank = 0; judged && rank < program->ranks; rank++)
        for (unsigned i = 0; i < program->length[rank]; i++)
            if (is_send(&synchronous.instruction[rank][i]) && synchronous.instruction[rank][i].mode == MODE_SYNCHRONOUS)
                holds = holds_of_send(&synchronous, rank, i, limit, &with, count) && holds;
    behaviours_clear(&with);
    return holds;
}
