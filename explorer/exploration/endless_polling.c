#include "explorer/exploration/endless_polling.h"

#include "explorer/containers/memory.h"
#include "explorer/local_states/state_difference.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROW_LEAST = 64, /* polls; a clock that moves on while a rank polls gives up sooner (models/mpi/preload/process/clock.c) */
    NAMED_MOST = 4, /* variables */
    ROUND_MOST = 4, /* answers in one round of a loop that asks for what is in windows */
};

enum row_kind {
    ROW_OF_POLLS,
    ROW_OF_WINDOWS, /* what is polled is what agents answer: a window's memory, or a lock's */
    ROW_OF_ROUNDS,  /* whatever is answered */
};

/* One poll of the longest row and the next one of the same call. */
struct row {
    uint32_t length;
    uint32_t local[2];
    enum row_kind kind;
};

/* The local state before; NAME_UNKNOWN: the rank begins here. */
static uint32_t reached_from(const struct step_table *table, uint32_t local) {
    const uint32_t step = step_table_origin(table, local);
    return step == NAME_UNKNOWN ? NAME_UNKNOWN : step_table_step_local(table, step);
}

/* The same, if this one was first reached by a poll that was in vain; else NAME_UNKNOWN. */
static uint32_t polled_from(const struct step_table *table, uint32_t local) {
    const uint32_t step = step_table_origin(table, local);
    const bool in_vain = step != NAME_UNKNOWN && step_table_resolution(table, step)->kind == WIRE_NOT_YET;
    return in_vain ? reached_from(table, local) : NAME_UNKNOWN;
}

/* The call in which the rank is; NULL: it has ended, or begins here. */
static const struct call *call_at(const struct step_table *table, uint32_t local) {
    uint32_t step = step_table_origin(table, local);
    const struct step_result *result = step == NAME_UNKNOWN ? NULL : step_table_result(table, step);
    return result && !result->ended ? &result->call : NULL;
}

static bool same_call(const struct step_table *table, uint32_t a, uint32_t b) {
    const struct call *one = call_at(table, a), *other = call_at(table, b);
    return one && other && one->function == other->function && one->site == other->site;
}

/* A state is reached after the one that it is reached from, so it has a higher number. */
static struct row longest_row(const struct step_table *table) {
    size_t locals = step_table_locals(table);
    uint32_t *length = memory_take_zeroed((locals + 1) * sizeof *length);
    struct row row = {0};
    for (uint32_t local = 0; local < locals; local++) {
        uint32_t from = polled_from(table, local);
        if (from < local)
            length[local] = length[from] + 1;
        if (length[local] > row.length && call_at(table, local))
            row = (struct row){length[local], {from, local}, ROW_OF_POLLS};
    }
    free(length);
    return row;
}

static bool same_operations(const struct step_result *a, const struct step_result *b) {
    bool same = a->operations == b->operations;
    for (uint32_t i = 0; same && i < a->operations; i++) {
        const struct operation *one = &a->operation[i], *other = &b->operation[i];
        same = one->kind == other->kind && one->context == other->context && one->peer == other->peer &&
               one->tag == other->tag && one->payload == other->payload;
    }
    return same;
}

static bool same_answer(const struct resolution *a, const struct resolution *b) {
    return a->kind == b->kind && a->completions == b->completions &&
           memcmp(a->completion, b->completion, a->completions * sizeof *a->completion) == 0;
}

/* Has nobody but agents answered? */
static bool is_of_agents(const struct resolution *answer, unsigned ranks) {
    bool all = answer->kind == WIRE_COMPLETED && answer->completions > 0;
    for (uint32_t i = 0; i < answer->completions; i++)
        all = all && answer->completion[i].source >= (int)ranks;
    return all;
}

/* The local state before, if this one was first reached by agents' answers; else NAME_UNKNOWN. */
static uint32_t answered_from(const struct step_table *table, uint32_t local, unsigned ranks) {
    const uint32_t step = step_table_origin(table, local);
    const bool answered =
        step != NAME_UNKNOWN && call_at(table, local) && is_of_agents(step_table_resolution(table, step), ranks);
    return answered ? step_table_step_local(table, step) : NAME_UNKNOWN;
}

/* Have the steps that led to both heard the same, and asked for the same then? */
static bool same_round(const struct step_table *table, uint32_t a, uint32_t b) {
    const uint32_t one = step_table_origin(table, a), other = step_table_origin(table, b);
    return same_call(table, a, b) && same_answer(step_table_resolution(table, one), step_table_resolution(table, other)) &&
           same_operations(step_table_result(table, one), step_table_result(table, other));
}

/* A loop around MPI_Fetch_and_op or its like that asks for the same, and hears the same, `period` answers later again. */
static struct row longest_repetition(const struct step_table *table, unsigned ranks, uint32_t period) {
    const size_t locals = step_table_locals(table);
    uint32_t *length = memory_take_zeroed((locals + 1) * sizeof *length);
    struct row row = {0};
    for (uint32_t local = 0; local < locals; local++) {
        const uint32_t from = answered_from(table, local, ranks);
        uint32_t before = from;
        for (uint32_t i = 1; i < period && before != NAME_UNKNOWN; i++)
            before = answered_from(table, before, ranks);
        if (before == NAME_UNKNOWN || from >= local || answered_from(table, before, ranks) == NAME_UNKNOWN ||
            !same_round(table, before, local))
            continue;
        length[local] = length[from] + 1;
        if (length[local] / period > row.length)
            row = (struct row){length[local] / period, {before, local}, ROW_OF_WINDOWS};
    }
    free(length);
    return row;
}

/* The state of one of the program's ranks that most steps lead to; NAME_UNKNOWN: a rank has ended, so that there is an end to what
 * ranks do. */
static uint32_t farthest_of_endless(const struct step_table *table, unsigned ranks) {
    const size_t locals = step_table_has_ends(table) ? 0 : step_table_locals(table);
    uint32_t *steps = memory_take_zeroed((locals + 1) * sizeof *steps);
    uint32_t farthest = NAME_UNKNOWN, most = 0;
    for (uint32_t local = 0; local < locals; local++) {
        const uint32_t from = reached_from(table, local);
        if (from < local)
            steps[local] = steps[from] + 1;
        if (steps[local] > most && step_table_rank(table, local) < ranks) {
            most = steps[local];
            farthest = local;
        }
    }
    free(steps);
    return farthest;
}

/* How often the rank that has come farthest was in the call in which it is there. */
static struct row longest_way(const struct step_table *table, unsigned ranks) {
    const uint32_t farthest = farthest_of_endless(table, ranks);
    struct row row = {.local = {NAME_UNKNOWN, farthest}, .kind = ROW_OF_ROUNDS};
    for (uint32_t local = farthest; local != NAME_UNKNOWN; local = reached_from(table, local))
        if (same_call(table, local, farthest) && ++row.length == 2)
            row.local[0] = local;
    return row;
}

static struct row longest(const struct exploration *exploration) {
    const struct step_table *table = programs_table(exploration->programs);
    struct row row = longest_row(table);
    for (uint32_t period = 1; exploration->agents > 0 && period <= ROUND_MOST && row.length < ROW_LEAST; period++)
        row = longest_repetition(table, exploration->options->ranks, period);
    return row.length < ROW_LEAST ? longest_way(table, exploration->options->ranks) : row;
}

/* In a loop of several polls. */
static bool find_same_call(const struct step_table *table, struct row *row) {
    while (row->kind == ROW_OF_POLLS && row->local[0] != NAME_UNKNOWN && !same_call(table, row->local[0], row->local[1]))
        row->local[0] = polled_from(table, row->local[0]);
    return row->local[0] != NAME_UNKNOWN;
}

static void tell_changes(FILE *out, struct exploration *exploration, const struct row *row) {
    const struct step_table *table = programs_table(exploration->programs);
    struct captured_memory memory = programs_memory(exploration->programs, row->local[0]);
    struct captured_state state[2];
    struct state_difference found;
    size_t named = 0;
    for (unsigned i = 0; i < 2; i++)
        if (!memory.pages || !programs_pin(exploration->programs, i, row->local[i]))
            return;
    for (int i = 0; i < 2; i++)
        state[i] = (struct captured_state){step_table_image_root(table, row->local[i]), step_table_log(table, row->local[i])};
    state_difference_find(&memory, sites_modules(exploration->sites, step_table_program(table, row->local[0])), state, &found);
    for (size_t i = 0; i < found.count && found.difference[i].kind < DIFFERENT_LIBRARY && named < NAMED_MOST; i++)
        fprintf(out, "%s%s", named++ ? ", " : "; from one to the next it changes ", found.difference[i].name);
    if (named && row->kind != ROW_OF_ROUNDS)
        fputs("; explore_ignore (explore.h) says of memory that it does not matter", out);
    else if (!named && found.count > 0)
        fputs("; from one to the next only what libraries keep changes, random numbers perhaps", out);
    state_difference_free(&found);
}

static void tell_row(FILE *out, const struct exploration *exploration, const struct row *row) {
    static const char *const does[] = {
        [ROW_OF_POLLS] = "rank %u polls in ",
        [ROW_OF_WINDOWS] = "rank %u asks for the same in ",
        [ROW_OF_ROUNDS] = "no rank has ended in any ordering yet; rank %u has come to ",
    };
    static const char *const often[] = {
        [ROW_OF_POLLS] = ", %u times in a row without coming back to a state",
        [ROW_OF_WINDOWS] = ", %u times in a row with the same answer, without coming back to a state",
        [ROW_OF_ROUNDS] = " %u times on one way, without coming back to a state",
    };
    const struct step_table *table = programs_table(exploration->programs);
    const struct call *call = call_at(table, row->local[1]);
    fprintf(out, does[row->kind], step_table_rank(table, row->local[1]));
    report_place(out, call->function, call->site, exploration->sites);
    fprintf(out, often[row->kind], row->length);
}

char *endless_polling_tell(struct exploration *exploration) {
    const struct step_table *table = programs_table(exploration->programs);
    struct row row = longest(exploration);
    char *text = NULL;
    size_t size;
    if (row.length < ROW_LEAST || !find_same_call(table, &row))
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    tell_row(out, exploration, &row);
    tell_changes(out, exploration, &row);
    fclose(out);
    return text;
}
