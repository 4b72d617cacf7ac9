#include "tests/oracle/shrink.h"

/* Tries to do without each instruction once, from the end. */
static bool shrink_once(struct program *program, bool (*fails)(void *context, const struct program *program), void *context) {
    bool smaller = false;
    for (unsigned rank = 0; rank < program->ranks; rank++)
        for (unsigned index = program->length[rank]; index-- > 0;) {
            struct program candidate = *program;
            program_delete(&candidate, rank, index);
            if (!fails(context, &candidate))
                continue;
            *program = candidate;
            smaller = true;
        }
    return smaller;
}

/* Does without the last rank if it has nothing to do. */
static void drop_idle_ranks(struct program *program, bool (*fails)(void *context, const struct program *program),
                            void *context) {
    while (program->ranks > 2 && program->length[program->ranks - 1] == 0) {
        struct program candidate = *program;
        candidate.ranks--;
        if (!fails(context, &candidate))
            return;
        *program = candidate;
    }
}

void shrink(struct program *program, bool (*fails)(void *context, const struct program *program), void *context) {
    while (shrink_once(program, fails, context))
        continue;
    drop_idle_ranks(program, fails, context);
}
