#include "tests/oracle/explore_program.h"

#include "explorer/parts_of_program.h"
#include "tests/oracle/interpreter.h"
#include "tests/oracle/perform.h"

#include <stdlib.h>
#include <string.h>

struct collector {
    const struct interpreter *interpreter;
    struct behaviours *set;
    unsigned ranks;
};

static void collect_terminal(void *context, const uint32_t *locals) {
    const struct collector *collector = context;
    const struct process *process[PROGRAM_RANKS];
    for (unsigned rank = 0; rank < collector->ranks; rank++) {
        process[rank] = interpreter_process(collector->interpreter, locals[rank]);
        if (process[rank]->end != PROCESS_EXITED)
            return; /* not a completed execution: there is a finding for it */
    }
    behaviours_add_completed(collector->set, process, collector->ranks);
}

static void collect_deadlock(struct behaviours *set, const struct finding *finding, unsigned ranks) {
    int blocked[PROGRAM_RANKS];
    memset(blocked, -1, sizeof blocked);
    for (size_t i = 0; i < finding->wheres; i++)
        if (finding->where[i].site)
            blocked[site_rank(finding->where[i].site)] = (int)site_pc(finding->where[i].site);
    behaviours_add_deadlock(set, blocked, ranks);
}

static void collect_finding(struct exploration *exploration, const struct finding *finding, unsigned ranks) {
    char line[32];
    if (strncmp(finding->class_name, "race-", 5) == 0)
        exploration->races++;
    else if (strcmp(finding->class_name, "deadlock") == 0)
        collect_deadlock(&exploration->set, finding, ranks);
    else if (strcmp(finding->class_name, "crash") == 0 && finding->wheres) {
        snprintf(line, sizeof line, "crash %u", finding->where[0].rank);
        behaviours_add(&exploration->set, line);
    } else
        behaviours_add(&exploration->set, finding->class_name);
}

/* One search. False: a request was cancelled unexpectedly, so that it proves nothing. */
static bool search_program(const struct program *program, const struct search_options *options, bool expect_cancel,
                           struct exploration *exploration) {
    struct interpreter *interpreter = interpreter_create(program);
    struct mpi_model *model = mpi_model_create(program->ranks, options->buffering, interpreter_payload_size, interpreter);
    if (expect_cancel)
        mpi_model_expect_cancel(model);
    interpreter_bind(interpreter, model);
    struct collector collector = {interpreter, &exploration->set, program->ranks};
    struct search_options full = *options;
    full.terminal = collect_terminal;
    full.terminal_context = &collector;
    struct search *search = search_create(program->ranks, model, interpreter_steps(interpreter), &full, NULL, NULL, NULL, NULL);
    exploration->end = search_run(search);
    const struct finding *finding;
    size_t findings = search_findings(search, &finding);
    for (size_t i = 0; i < findings; i++)
        collect_finding(exploration, &finding[i], program->ranks);
    const uint64_t *outcome;
    exploration->outcomes = search_outcomes(search, &outcome);
    exploration->states = search_statistics(search)->states;
    bool proves = !mpi_model_surprised(model);
    search_destroy(search);
    mpi_model_destroy(model);
    interpreter_destroy(interpreter);
    return proves;
}

static bool has_cancel(const struct program *program) {
    for (unsigned rank = 0; rank < program->ranks; rank++)
        for (unsigned i = 0; i < program->length[rank]; i++)
            if (program->instruction[rank][i].op == OP_CANCEL)
                return true;
    return false;
}

void explore_program(const struct program *program, const struct search_options *options, struct exploration *exploration) {
    *exploration = (struct exploration){0};
    if (search_program(program, options, false, exploration)) {
        bool error = behaviours_of(&exploration->set, "crash") || behaviours_of(&exploration->set, "collective-mismatch");
        exploration->hides_cancel = error && has_cancel(program);
        return;
    }
    behaviours_clear(&exploration->set);
    *exploration = (struct exploration){0};
    search_program(program, options, true, exploration);
}

bool prove_program(const struct program *program, enum buffering buffering) {
    struct interpreter *interpreter = interpreter_create(program);
    struct mpi_model *model = mpi_model_create(program->ranks, buffering, interpreter_payload_size, interpreter);
    interpreter_bind(interpreter, model);
    const struct parts_options options = {.ranks = program->ranks, .most_states = 100000};
    struct parts_proof proof;
    bool proved = parts_of_program(model, interpreter_steps(interpreter), &options, &proof);
    free(proof.barrier);
    mpi_model_destroy(model);
    interpreter_destroy(interpreter);
    return proved;
}
