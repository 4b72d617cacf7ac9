/* A step source over an abstract program: local states are interned interpreter states, steps are interpreted once and
 * remembered. Stands in for real processes, so that the real model and the real search are under test. */
#ifndef TESTS_ORACLE_INTERPRETER_H
#define TESTS_ORACLE_INTERPRETER_H

#include "explorer/steps/step_source.h"
#include "tests/oracle/program.h"

struct interpreter;

/* `program` must outlive the interpreter. */
struct interpreter *interpreter_create(const struct program *program);
/* Payload size in bytes, for mpi_model_create: all messages of these programs have one size, only blocks of
 * collectives may be empty. */
uint64_t interpreter_payload_size(void *context, uint32_t payload);
/* Makes the program's communicators known to the model. Call before the search begins. */
void interpreter_bind(struct interpreter *interpreter, struct mpi_model *model);
/* Before the first step: instructions of the same number are in one place of the program, whichever ranks'. */
void interpreter_join_places(struct interpreter *interpreter);
/* Before the first step: all barriers are in one place of the program, PERFORM_BARRIER_SITE. */
void interpreter_join_barriers(struct interpreter *interpreter);
/* Valid as long as the interpreter. */
const struct step_source *interpreter_steps(const struct interpreter *interpreter);
const struct process *interpreter_process(const struct interpreter *interpreter, uint32_t local);
/* The step result of a number, for mpi_model_load. */
const struct step_result *interpreter_result(void *interpreter, uint32_t number);
void interpreter_destroy(struct interpreter *interpreter);

#endif
