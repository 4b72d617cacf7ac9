#include "tests/oracle/inequivalent_program.h"

#include "tests/oracle/interpreter.h"

typedef struct classes_comparison compare_how(const struct inequivalent *how, uint64_t most);

/* With a model of its own. Programs that surprise it are those that are unsuited. */
static struct classes_comparison compare(compare_how *how, const struct program *program, enum buffering buffering, uint64_t most) {
    struct interpreter *interpreter = interpreter_create(program);
    struct mpi_model *model = mpi_model_create(program->ranks, buffering, interpreter_payload_size, interpreter);
    interpreter_bind(interpreter, model);
    const struct inequivalent runs = {.ranks = program->ranks, .model = model, .steps = interpreter_steps(interpreter)};
    struct classes_comparison comparison = how(&runs, most);
    mpi_model_destroy(model);
    interpreter_destroy(interpreter);
    return comparison;
}

struct classes_comparison inequivalent_compare(const struct program *program, enum buffering buffering, uint64_t most) {
    return compare(classes_compare, program, buffering, most);
}

struct classes_comparison inequivalent_compare_merged(const struct program *program, enum buffering buffering, uint64_t most) {
    return compare(classes_compare_merged, program, buffering, most);
}
