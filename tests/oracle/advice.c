#include "tests/oracle/advice.h"

#include "tests/oracle/brute.h"
#include "tests/oracle/explore_program.h"

static bool is_send(const struct instruction *instruction) { return instruction->op == OP_SEND || instruction->op == OP_ISEND; }

/* About half of them. */
static void make_synchronous(struct program *program) {
    unsigned sends = 0;
    for (unsigned rank = 0; rank < program->ranks; rank++)
        for (unsigned i = 0; i < program->length[rank]; i++)
            if (is_send(&program->instruction[rank][i]) && sends++ % 3 < 2)
                program->instruction[rank][i].mode = MODE_SYNCHRONOUS;
}

/* Which receive can match which send. */
static bool find_matches(const struct program *program, uint64_t limit, struct behaviours *matches) {
    const struct brute_options options = {.buffering = BRUTE_ALL, .states = limit, .matches = true};
    uint64_t states;
    return brute_run(program, &options, matches, &states);
}

static bool decides_nothing(const struct program *program, unsigned rank, unsigned index, uint64_t limit,
                            const struct behaviours *with, bool *known) {
    struct program loose = *program;
    struct behaviours without = {0};
    loose.instruction[rank][index].mode = MODE_STANDARD;
    *known = find_matches(&loose, limit, &without);
    bool same = *known && behaviours_agree(with, &without, "match");
    behaviours_clear(&without);
    return same;
}

static bool holds_of_send(const struct program *program, unsigned rank, unsigned index, uint64_t limit,
                          const struct behaviours *with, struct advice_count *count) {
    bool known, same = decides_nothing(program, rank, index, limit, with, &known);
    bool named = known && is_named_useless(program, rank, index);
    count->useless += same;
    count->named += named;
    return same || !named;
}

bool advice_holds(const struct program *program, uint64_t limit, struct advice_count *count) {
    struct program synchronous = *program;
    struct behaviours with = {0};
    make_synchronous(&synchronous);
    bool holds = true, judged = prove_program(&synchronous, BUFFERING_ALL) && find_matches(&synchronous, limit, &with);
    for (unsigned rank = 0; judged && rank < program->ranks; rank++)
        for (unsigned i = 0; i < program->length[rank]; i++)
            if (is_send(&synchronous.instruction[rank][i]) && synchronous.instruction[rank][i].mode == MODE_SYNCHRONOUS)
                holds = holds_of_send(&synchronous, rank, i, limit, &with, count) && holds;
    behaviours_clear(&with);
    return holds;
}
