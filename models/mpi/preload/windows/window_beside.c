#include "models/mpi/preload/windows/window_beside.h"

#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_passive.h"
#include "models/mpi/preload/windows/window_told.h"

#include <stdlib.h>
#include <string.h>

enum made {
    IN_EPOCH,  /* of fences or post, which is over */
    WITH_LOCK, /* or by a request, and complete */
    IN_PROGRESS,
};

/* Equal ones count once, as the last. */
struct beside {
    struct access *access; /* without data, as the window has its bytes */
    size_t own;            /* IN_EPOCH: accesses of this process to itself that it had issued before */
    uint8_t made;          /* enum made */
    uint8_t barriers;      /* that this process had left in the epoch before; WITH_LOCK: UINT8_MAX if it is not known */
};

/* What the access through another window is to in this one; to be freed. NULL: nothing. */
static struct access *place_in(const struct window *window, const struct window *through, const struct access *access) {
    struct access *place = access_place_in(&window->memory, &through->memory, access);
    if (place != NULL)
        place->heard = 0;
    return place;
}

/* Where it is noted. */
static struct beside *room_for(struct window *window, struct access *place, enum made made) {
    for (size_t i = 0; i < window->beside_count; i++) {
        struct beside *beside = &window->beside[i];
        if (beside->made != made || beside->access->size != place->size || memcmp(beside->access, place, place->size) != 0)
            continue;
        free(beside->access);
        return beside;
    }
    window->beside = realloc(window->beside, (window->beside_count + 1) * sizeof *window->beside);
    return &window->beside[window->beside_count++];
}

/* Takes `place`. */
static void add(struct window *window, struct access *place, enum made made, uint8_t barriers) {
    struct beside *beside = room_for(window, place, made);
    memset(beside, 0, sizeof *beside);
    beside->access = place;
    beside->own = made == IN_EPOCH ? window->target[window->communicator->rank].issued_count : 0;
    beside->made = (uint8_t)made;
    beside->barriers = barriers;
}

static void note(struct window *window, const struct window *through, const struct access *access) {
    struct access *place = place_in(window, through, access);
    if (place == NULL)
        return;
    if (!access_only_reads(place)) /* it is no store of the owner's */
        window_memory_copy_runs(&window->memory, &window->shadow, 0, access_runs(place), place->runs);
    add(window, place, IN_EPOCH, window->barriers);
}

void beside_note(const struct window *through, const char *batch, size_t size) {
    const struct access *end = (const struct access *)(batch + size);
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (window == through || !window_is_target(window))
            continue;
        for (const struct access *access = (const struct access *)batch; access < end; access = access_next(access))
            note(window, through, access);
    }
}

/* ---- accesses under locks ---- */

/* All that were in progress when the agent was asked last. */
static void forget_in_progress(struct window *window) {
    size_t kept = 0;
    for (size_t i = 0; i < window->beside_count; i++) {
        if (window->beside[i].made == IN_PROGRESS)
            free(window->beside[i].access);
        else
            window->beside[kept++] = window->beside[i];
    }
    if (kept == window->beside_count)
        return;
    window->beside_count = kept;
    window->beside = realloc(window->beside, (kept + (kept == 0)) * sizeof *window->beside);
}

static void note_passed(struct window *window, const struct window *through, const struct access *access) {
    struct access *place = place_in(window, through, access);
    if (place == NULL)
        return;
    if (access->heard == PASSED_OPEN)
        add(window, place, IN_PROGRESS, 0);
    else
        add(window, place, WITH_LOCK, told_barriers_before(window, through, access->heard));
}

static void take_passed(const struct caller *caller, struct window *through, int target, const char *bytes, size_t size) {
    (void)caller;
    (void)target;
    const struct access *end = (const struct access *)(bytes + size);
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (window == through || !window_is_target(window))
            continue;
        for (const struct access *access = (const struct access *)bytes; access < end; access = access_next(access))
            note_passed(window, through, access);
    }
}

static bool have_common_memory(const struct window *window, const struct window *other) {
    for (size_t i = 0; i < window->memory.regions; i++) {
        if (window_has_memory_of(other, &window->memory.region[i]))
            return true;
    }
    return false;
}

void beside_ask(const struct caller *caller, struct window *window) {
    struct window *other;
    for (size_t i = 0; (other = window_at(i)) != NULL; i++)
        forget_in_progress(other);
    for (size_t i = 0; window->sharing == NULL && (other = window_at(i)) != NULL; i++) {
        if (other != window && other->sharing == NULL && passive_holds_memory(other) && have_common_memory(window, other))
            passive_ask_passed(caller, other, take_passed);
    }
}

/* ---- what meets them ---- */

/* Has its origin heard of something of which it is not known whether it says that the other one is complete? */
static bool may_have_heard(const struct access *access, const struct beside *beside) {
    return access->origin == beside->access->origin || told_more(access->heard) ||
           (beside->barriers == UINT8_MAX && access->heard != 0);
}

/* `own`: as many accesses of this process to itself come before it. */
static bool comes_after(const struct access *access, size_t own, const struct beside *beside) {
    if (beside->made == IN_EPOCH && access->origin == rank_number())
        return own >= beside->own;
    return beside->made != IN_PROGRESS && told_barriers(access->heard) > beside->barriers;
}

static _Noreturn void refuse(const struct caller *caller) {
    rank_refuse(
        caller->function, caller->site,
        "accesses to the same memory through two windows, of the one under a lock and of the other in the same epoch of "
        "fences or post, are not supported if something else than a barrier of all comes between them");
}

static void check(const struct caller *caller, const struct window *window, const struct access *access, size_t own) {
    struct access_run at;
    for (size_t i = 0; i < window->beside_count; i++) {
        const struct beside *beside = &window->beside[i];
        const bool both_read = access_only_reads(beside->access) && access_only_reads(access);
        if (both_read || !accesses_meet(beside->access, access, &at) || comes_after(access, own, beside))
            continue;
        if (beside->made == WITH_LOCK && may_have_heard(access, beside))
            refuse(caller);
        else
            window_conflict(caller, rank_number(), beside->access, access, &at);
    }
}

void beside_check(const struct caller *caller, const struct window *window, const char *batch, size_t size) {
    const struct access *end = (const struct access *)(batch + size);
    size_t own = 0;
    for (const struct access *access = (const struct access *)batch; access < end; access = access_next(access)) {
        check(caller, window, access, own);
        own += access->origin == rank_number();
    }
}

void beside_forget(struct window *window) {
    for (size_t i = 0; i < window->beside_count; i++)
        free(window->beside[i].access);
    free(window->beside);
    window->beside = NULL;
    window->beside_count = 0;
}
