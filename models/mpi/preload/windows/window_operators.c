/* In an agent: which operators MPI_Fetch_and_op has been called with at which place of a window. A fetch that is complete with the
 * message that brings it is over before others' can meet it, which is what makes counters cheap. With one operator nothing is lost
 * by that; once there are two at one place, the explorer starts over with agents that let them meet (AGENTS_MEETING). */
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_agent_parts.h"

#include <stdlib.h>
#include <string.h>

static bool overlap(const struct access_run *a, const struct access_run *b) {
    return a->offset < b->offset + (int64_t)b->length && b->offset < a->offset + (int64_t)a->length;
}

static bool comes_before(const struct operator_use *a, const struct operator_use *b) {
    return a->at.offset != b->at.offset ? a->at.offset < b->at.offset : a->at.length < b->at.length;
}

/* The first that does not come before this one. */
static size_t find(const struct public_window *in, const struct operator_use *use) {
    size_t from = 0, to = in->uses;
    while (from < to) {
        const size_t middle = (from + to) / 2;
        if (comes_before(&in->used[middle], use))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Sorted, so that the order in which they came does not show. */
static void add(struct public_window *in, const struct operator_use *use) {
    const size_t at = find(in, use);
    in->used = realloc(in->used, (in->uses + 1) * sizeof *in->used);
    memmove(&in->used[at + 1], &in->used[at], (in->uses++ - at) * sizeof *in->used);
    in->used[at] = *use;
}

void agent_note_operator(struct public_window *in, const struct access *access) {
    bool over_at_once = access->function == FUNCTION_MPI_Fetch_and_op && !access_mixes_with_any(access);
    if (!over_at_once || rank_agents_meet() || in->exclusive == access->origin)
        return;
    enum { ELEMENT_MOST = 32 }; /* bytes: what begins further ahead does not reach so far */
    const struct operator_use use = {.at = *access_runs(access), .op = access->op, .type = access->type};
    const struct operator_use far = {.at = {use.at.offset - ELEMENT_MOST, 0}};
    for (size_t i = find(in, &far); i < in->uses && in->used[i].at.offset < use.at.offset + (int64_t)use.at.length; i++) {
        const struct operator_use *other = &in->used[i];
        if (!overlap(&use.at, &other->at))
            continue;
        if (use.op != other->op || use.type != other->type)
            rank_want_agents(rank_agents() | AGENTS_MEETING);
        if (!comes_before(&use, other) && !comes_before(other, &use))
            return;
    }
    add(in, &use);
}
