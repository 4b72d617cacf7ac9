#include "models/mpi/preload/collectives/operators.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/memory/stack_room.h"
#include "models/mpi/preload/objects.h"
#include "models/mpi/preload/process/freed_objects.h"
#include "models/mpi/preload/rank.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Where it lies in its module; 0: in none, but on the stack, say, as functions within functions do. */
static uintptr_t place_of(const void *function) {
    Dl_info module;
    return dladdr(function, &module) != 0 ? (uintptr_t)function - (uintptr_t)module.dli_fbase : 0;
}

void operator_made(MPI_Op op, const void *function, bool commutes) {
    const uint64_t known[] = {commutes, rank_program_is_only() ? place_of(function) : 0};
    *object_signature(OBJECT_OPERATOR, op) = XXH3_64bits(known, sizeof known);
}

_Static_assert((uint32_t)MPI_MAX == WIRE_FIRST_OPERATOR, "their order is that of mpi.h");
_Static_assert((uint32_t)MPI_NO_OP == WIRE_FIRST_OPERATOR + 13, "their order is that of mpi.h");

uint32_t operator_identity(MPI_Op op) {
    if (op == MPI_OP_NULL || real_is_predefined(op))
        return op == MPI_OP_NULL ? 0 : (uint32_t)op;
    const uint64_t *known = object_signature(OBJECT_OPERATOR, op);
    return known ? (uint32_t)(*known >> 32) : 0;
}

/* The user's operators that pending reductions hold. */
static struct held {
    MPI_Op op;
    uint32_t holders;
    bool freed; /* by the program */
} * table;
static size_t entries;

static struct held *find(MPI_Op op) {
    for (size_t i = 0; i < entries; i++) {
        if (table[i].op == op)
            return &table[i];
    }
    return NULL;
}

void operator_hold(MPI_Op op) {
    if (real_is_predefined(op))
        return;
    struct held *held = find(op);
    if (held == NULL) {
        table = realloc(table, (entries + 1) * sizeof *table);
        held = &table[entries++];
        memset(held, 0, sizeof *held);
        held->op = op;
    }
    held->holders++;
}

void operator_release(MPI_Op op) {
    struct held *held = find(op);
    if (held == NULL || --held->holders > 0)
        return;
    if (held->freed)
        freed_operator(&op);
    *held = table[--entries];
    table = realloc(table, entries * sizeof *table);
}

/* How many run, one within the other, and the call for which the first of them does. */
static uint32_t running;
static struct caller reducing;
static struct stack_frame running_in;

static void forget(void) {
    running = 0;
    reducing = (struct caller){0};
    running_in = (struct stack_frame){0};
}

/* One may have been left without an end, by longjmp or an exception. */
static bool is_running(void) {
    if (running > 0 && stack_frame_is_gone(&running_in))
        forget();
    return running > 0;
}

void operator_begin(const void *frame) {
    if (!is_running()) {
        reducing = caller_current;
        running_in = stack_frame_at(frame);
    }
    running++;
}

void operator_end(void) {
    if (--running == 0)
        forget();
}

void operator_require_none(uint16_t function, uint64_t site) {
    if (!is_running())
        return;
    const struct wire_place place[2] = {{.site = reducing.site, .rank = rank_number(), .function = reducing.function}};
    rank_violation_at("invalid-argument", function, site, place,
                      "%s was called by a function given to MPI_Op_create, which must not communicate",
                      function_name(function));
}

EXPORT(Op_free)
int MPI_Op_free(MPI_Op *op) {
    ENTER(Op_free, op);
    int error = check_object(caller, OBJECT_OPERATOR, *op);
    if (error != MPI_SUCCESS)
        return error;
    MPI_Op freed = *op;
    struct held *held = find(freed);
    error = held == NULL ? freed_operator(op) : MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        return error;
    object_freed(OBJECT_OPERATOR, freed);
    if (held != NULL)
        held->freed = true;
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}
