#include "explorer/saved/saved_steps.h"

#include "explorer/containers/memory.h"

#include <stdio.h>
#include <string.h>

/* A record: this, the resolution, the report, and for a step that did two different things two executions. */
struct step_head {
    uint32_t kind; /* SAVED_STEP */
    uint32_t local;
    uint32_t outcome, end;
    uint32_t image, log;
    uint32_t reached; /* number of the local state, to see that numbers are given out as before; NAME_UNKNOWN: none */
    uint32_t executions;
    uint64_t resolution_size, report_size;
};

struct execution_head {
    uint32_t program, back, blocked, root;
    uint64_t size;
};

struct root_mark {
    uint32_t kind, program, variant, rank;
};

static size_t padded(size_t size) { return (size + 7) / 8 * 8; }

/* --- writing ----------------------------------------------------------------------------------------------------------- */

static uint32_t reached_by(const struct step_table *table, uint32_t step) {
    const struct step_result *result = step_table_result(table, step);
    return result ? result->local : NAME_UNKNOWN;
}

void saved_steps_add(struct saved *saved, const struct step_table *table, const struct saved_step *step) {
    static const char zeros[8];
    const struct resolution *resolution = step_table_resolution(table, step->step);
    const size_t bytes = resolution_size(resolution);
    const struct step_head head = {
        .kind = SAVED_STEP,
        .local = step_table_step_local(table, step->step),
        .outcome = step->outcome,
        .end = step->end,
        .image = step->image,
        .log = step->log,
        .reached = reached_by(table, step->step),
        .executions = step->divergence ? 2 : 0,
        .resolution_size = bytes,
        .report_size = step->size,
    };
    struct journal_piece piece[9] = {{&head, sizeof head},
                                     {resolution, bytes},
                                     {zeros, padded(bytes) - bytes},
                                     {step->report, step->size},
                                     {zeros, padded(step->size) - step->size}};
    size_t pieces = 5;
    struct execution_head execution_head[2];
    for (uint32_t i = 0; i < head.executions; i++) {
        const struct execution *execution = &step->divergence->execution[i];
        execution_head[i] = (struct execution_head){execution->program, execution->back, execution->blocked, execution->root,
                                                    padded(execution->size)};
        piece[pieces++] = (struct journal_piece){&execution_head[i], sizeof execution_head[i]};
        piece[pieces++] = (struct journal_piece){execution->report, execution->size};
    }
    journal_add(saved_journal(saved), SAVED_STEPS, piece, pieces);
}

/* --- reading ----------------------------------------------------------------------------------------------------------- */

struct reading {
    const struct saved_reader *reader;
    bool ok;
};

static struct execution take_execution(const char **at) {
    struct execution_head head;
    memcpy(&head, *at, sizeof head);
    *at += sizeof head;
    struct execution execution = {.program = head.program,
                                  .back = head.back,
                                  .blocked = head.blocked,
                                  .root = head.root,
                                  .report = memory_copy(*at, head.size),
                                  .size = head.size};
    *at += head.size;
    return execution;
}

static bool take_report(const struct saved_reader *reader, uint32_t step, const struct step_head *head, const char *report) {
    struct step_table *table = reader->table;
    struct saved_memory *memory = reader->memory(reader->context, step_table_program(table, head->local));
    if (!saved_memory_holds(memory, head->image) || !saved_memory_holds(memory, head->log))
        return false;
    bool taken = step_table_finish(table, step, head->image, report, head->report_size);
    if (taken && head->image != BLOCK_NONE)
        step_table_set_log(table, step_table_result(table, step)->local, head->log);
    return taken == (head->outcome == OUTCOME_REPORT);
}

static bool take_step(const struct saved_reader *reader, const struct step_head *head) {
    struct step_table *table = reader->table;
    const struct resolution *resolution = (const void *)(head + 1);
    const char *report = (const char *)resolution + padded(head->resolution_size);
    const char *executions = report + padded(head->report_size);
    if (head->local >= step_table_locals(table))
        return false;
    uint32_t step = step_table_step(table, head->local, resolution);
    if (head->executions) {
        struct execution first = take_execution(&executions);
        reader->diverged(reader->context, (struct divergence){step, {first, take_execution(&executions)}});
    }
    if (head->outcome == OUTCOME_LOST)
        step_table_finish_lost(table, step, head->end);
    else if (!take_report(reader, step, head, report))
        return false;
    return reached_by(table, step) == head->reached;
}

static bool take(void *context, const void *record, size_t size) {
    struct reading *reading = context;
    const struct root_mark *mark = record;
    const struct saved_reader *reader = reading->reader;
    (void)size;
    reading->ok = mark->kind == SAVED_ROOT_MARK ? reader->root(reader->context, mark->program, mark->variant, mark->rank)
                                                : take_step(reader, record);
    return reading->ok;
}

bool saved_steps_read(struct saved *saved, const struct saved_reader *reader, char **error) {
    struct reading reading = {reader, true};
    if (!journal_read(saved_journal(saved), SAVED_STEPS, take, &reading, error))
        return false;
    if (!reading.ok && asprintf(error, "the exploration in %s is damaged: some of it is missing", saved_folder(saved)) < 0)
        *error = NULL;
    return reading.ok;
}
