#include "tests/oracle/inequivalent_program.h"

#include "tests/oracle/interpreter.h"

/* A program, and a model of its own. Programs that surprise it are those that are unsuited. */
struct subject {
    struct interpreter *interpreter;
    struct mpi_model *model;
    struct inequivalent how;
};

static struct subject begin(const struct program *program, enum buffering buffering) {
    struct subject subject = {.interpreter = interpreter_create(program)};
    subject.model = mpi_model_create(program->ranks, buffering, interpreter_payload_size, subject.interpreter);
    interpreter_bind(subject.interpreter, subject.model);
    subject.how =
        (struct inequivalent){.ranks = program->ranks, .model = subject.model, .steps = interpreter_steps(subject.interpreter)};
    return subject;
}

static void end(struct subject *subject) {
    mpi_model_destroy(subject->model);
    interpreter_destroy(subject->interpreter);
}

struct classes_comparison inequivalent_compare(const struct program *program, enum buffering buffering, uint64_t most) {
    struct subject subject = begin(program, buffering);
    struct classes_comparison comparison = classes_compare(&subject.how, most);
    end(&subject);
    return comparison;
}

struct classes_comparison inequivalent_compare_merged(const struct program *program, enum buffering buffering, uint64_t most) {
    struct subject subject = begin(program, buffering);
    struct classes_comparison comparison = classes_compare_merged(&subject.how, program->servers, most);
    end(&subject);
    return comparison;
}
