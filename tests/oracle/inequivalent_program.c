#include "tests/oracle/inequivalent_program.h"

#include "tests/oracle/interpreter.h"
#include "tests/por/classes.h"

/* A receive has another name once its request is freed. */
static bool frees(const struct program *program) {
    for (unsigned rank = 0; rank < program->ranks; rank++)
        for (unsigned i = 0; i < program->length[rank]; i++)
            if (program->instruction[rank][i].op == OP_FREE)
                return true;
    return false;
}

const char *inequivalent_difference(const struct program *program, enum buffering buffering, uint64_t most, bool *compared) {
    struct interpreter *interpreter = interpreter_create(program);
    struct mpi_model *model = mpi_model_create(program->ranks, buffering, interpreter_payload_size, interpreter);
    interpreter_bind(interpreter, model);
    const struct inequivalent how = {.ranks = program->ranks, .model = model, .steps = interpreter_steps(interpreter)};
    /* Those that surprise the model are those that are unsuited. */
    struct classes_comparison comparison = classes_compare(&how, !frees(program), most);
    mpi_model_destroy(model);
    interpreter_destroy(interpreter);
    *compared = comparison.compared;
    return comparison.difference;
}
