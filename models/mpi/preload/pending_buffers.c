#include "models/mpi/preload/pending_buffers.h"

#include "models/mpi/preload/control.h"
#include "models/mpi/preload/foreign_bytes.h"
#include "models/mpi/preload/names.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/request_table.h"
#include "models/mpi/preload/windows.h"

#include <string.h>

static uint32_t owners; /* requests that own something */

void buffers_free(struct buffers *buffers) {
    footprint_free(&buffers->given);
    footprint_free(&buffers->taken);
    buffers->content = 0;
}

static bool owns(const struct request *request) { return request->buffers.given.combs > 0 || request->buffers.taken.combs > 0; }

bool pending_buffers_any(void) { return owners > 0; }

/* The call that owns the buffer, as a part of the violation. */
struct places {
    struct wire_place list[2];
};

static struct places place_of(const struct request *owner) {
    return (struct places){{{.site = owner->maker.site, .rank = rank_number(), .function = owner->maker.function}}};
}

/* --- two operations -------------------------------------------------------------------------------------------------- */

static _Noreturn void end_for_overlap(const struct caller *caller, const struct request *owner, const char *what) {
    rank_violation_at("buffer-in-use", caller->function, caller->site, place_of(owner).list,
                      "%s was called with a buffer that overlaps the one that %s %s, which is not complete",
                      function_name(caller->function), function_name(owner->maker.function), what);
}

void pending_buffers_require_free(const struct caller *caller, const struct buffers *buffers) {
    const struct request *owner;
    for (uint32_t number = 0; owners > 0 && (owner = request_numbered(number)) != NULL; number++) {
        if (footprints_meet(&buffers->given, &owner->buffers.taken) || footprints_meet(&buffers->taken, &owner->buffers.taken))
            end_for_overlap(caller, owner, "receives into");
        if (footprints_meet(&buffers->taken, &owner->buffers.given))
            end_for_overlap(caller, owner, "sends");
    }
}

void pending_buffers_require_free_send(const struct caller *caller, const void *buffer, MPI_Count count, MPI_Datatype type) {
    if (!pending_buffers_any())
        return;
    struct buffers buffers = {0};
    footprint_add(&buffers.given, buffer, count, type);
    pending_buffers_require_free(caller, &buffers);
    buffers_free(&buffers);
}

/* --- owning ---------------------------------------------------------------------------------------------------------- */

/* Not where it lies in a window's memory: the library reads that itself, to tell others what is there. */
static void cover(uint32_t number, const struct request *owner) {
    const struct footprint *taken = &owner->buffers.taken;
    if (taken->combs > 0 && !windows_hold(taken))
        foreign_bytes_put(number, taken, &owner->maker);
}

void pending_buffers_uncover(uintptr_t from, uintptr_t to) {
    const struct request *owner;
    for (uint32_t number = 0; owners > 0 && (owner = request_numbered(number)) != NULL; number++) {
        if (footprint_enters(&owner->buffers.taken, from, to))
            foreign_bytes_withdraw(number, &owner->buffers.taken);
    }
}

void pending_buffers_own(uint32_t number) {
    struct request *request = request_numbered(number);
    struct buffers *buffers = &request->buffers;
    if (!owns(request))
        return;
    owners++;
    buffers->content = footprint_hash(&buffers->given);
    cover(number, request);
}

void pending_buffers_release(uint32_t number) {
    struct request *request = request_numbered(number);
    if (!owns(request))
        return;
    owners--;
    foreign_bytes_withdraw(number, &request->buffers.taken);
    buffers_free(&request->buffers);
}

/* --- the program's accesses ------------------------------------------------------------------------------------------ */

static _Noreturn void end_for_access(const struct wire_call *call, const struct request *owner, const char *what,
                                     const char *happened) {
    rank_violation_at("buffer-in-use", call->function, call->site, place_of(owner).list,
                      "the buffer of %zu bytes that %s %s %s before that is complete",
                      footprint_bytes(&owner->buffers.given) + footprint_bytes(&owner->buffers.taken),
                      function_name(owner->maker.function), what, happened);
}

static bool is_gone(const struct footprint *footprint) {
    uintptr_t low = control->image.stack_low, high = control->image.stack_high;
    bool on_stack = caller_stack >= low && caller_stack < high;
    return on_stack && footprint_enters(footprint, low, caller_stack);
}

static void check_there(const struct wire_call *call, const struct request *owner) {
    const struct buffers *buffers = &owner->buffers;
    const char *left = "is on the stack of a function that has returned";
    if (is_gone(&buffers->taken))
        end_for_access(call, owner, "receives into", left);
    if (is_gone(&buffers->given))
        end_for_access(call, owner, "sends", left);
}

static void check_content(const struct wire_call *call, uint32_t number, const struct request *owner) {
    if (!foreign_bytes_take_out(number, &owner->buffers.taken))
        end_for_access(call, owner, "receives into", "is changed");
    if (footprint_hash(&owner->buffers.given) != owner->buffers.content)
        end_for_access(call, owner, "sends", "is changed");
}

void pending_buffers_check(const struct wire_call *call) {
    const struct request *owner;
    for (uint32_t number = 0; owners > 0 && (owner = request_numbered(number)) != NULL; number++) {
        if (owns(owner))
            check_there(call, owner);
    }
    for (uint32_t number = 0; owners > 0 && (owner = request_numbered(number)) != NULL; number++) {
        if (owns(owner))
            check_content(call, number, owner);
    }
}

void pending_buffers_note_content(void) {
    struct request *owner;
    for (uint32_t number = 0; owners > 0 && (owner = request_numbered(number)) != NULL; number++)
        owner->buffers.content = footprint_hash(&owner->buffers.given);
}

static bool completes(uint32_t number, const uint32_t *request, const struct wire_resolution *answer) {
    const struct wire_completion *completion = rank_completion(answer, 0);
    uint32_t parts = 0;
    for (uint32_t i = 0; i < answer->completions; i++, completion = rank_completion_next(completion)) {
        if (parts > 0) {
            parts--;
            continue;
        }
        parts = completion->parts;
        if (request[completion->index] == number)
            return true;
    }
    return false;
}

void pending_buffers_go_on(const struct wire_call *call, const uint32_t *request, const struct wire_resolution *answer) {
    const struct request *owner;
    for (uint32_t number = 0; owners > 0 && (owner = request_numbered(number)) != NULL; number++) {
        if (call->requests == 0 || !completes(number, request, answer))
            cover(number, owner);
    }
}
