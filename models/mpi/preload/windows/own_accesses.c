#include "models/mpi/preload/windows/own_accesses.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/point_to_point/request_table.h"
#include "models/mpi/preload/process/foreign_bytes.h"
#include "models/mpi/preload/process/guarded_stores.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_sharing.h"
#include "models/mpi/preload/windows/window_told.h"
#include "models/mpi/preload/windows/window_unseen.h"

#include <stdlib.h>
#include <string.h>

struct own_access {
    const struct window *window;
    struct footprint bytes;
    uint64_t content; /* while laid: hash of what it reads; else 0, as it differs between variants */
    uint32_t request;
    int rank; /* whose it is */
    bool reads, may_be_loaded;
    bool may_be_over; /* it is complete, which is not known as long as nothing is heard in the phase that it was made in */
    bool is_lonely;   /* ... and then it is not known either whether what is heard comes after it, nor could they have met */
    bool is_doubtful; /* that is so now: if the program does not leave it alone, agents must let them meet */
    uint8_t phase;
    struct caller maker;
};
static struct own_access *list; /* in the order of their calls */
static size_t count;
static bool laid;
static size_t before_unseen; /* while laid: so many were before windows that are unseen, the others are of calls since then */

bool own_accesses_any(void) { return count > 0 || unseen_any(); }

static void add_run(struct footprint *bytes, const struct window *window, struct access_run run) {
    uint64_t length; /* the window will say so if it goes on outside */
    for (const char *at; (at = window_memory_take(&window->memory, &run, &length)) != NULL;)
        footprint_add(bytes, at, (MPI_Count)length, MPI_BYTE);
}

static bool is_own(const struct own_access *access) { return access->rank == rank_number(); }

/* Are other bytes put there? */
static bool is_covered(const struct own_access *access) {
    return !access->reads && !access->may_be_loaded && access->bytes.combs > 0;
}

static _Noreturn void end_for(const struct caller *caller, const struct own_access *access, const char *how) {
    const struct wire_place place[2] = {{.site = access->maker.site, .rank = access->rank, .function = access->maker.function}};
    if (access->is_doubtful)
        rank_want_agents(AGENTS_GENERAL | AGENTS_MEETING);
    rank_violation_at("rma-conflict", caller->function, caller->site, place,
                      "what %s of rank %d accesses of the window of rank %d %s", function_name(access->maker.function),
                      access->rank, rank_number(), how);
}

/* The call of a pending operation that needs some of the bytes. */
static const struct caller *find_pending(const struct footprint *bytes, bool changes) {
    const struct caller *pending = NULL;
    for (uint32_t i = 0; i < bytes->combs && pending == NULL; i++) {
        const struct comb *comb = footprint_comb(bytes, i);
        for (size_t k = 0; k < comb->pieces && pending == NULL; k++) {
            const uintptr_t from = (uintptr_t)(comb->at + (ptrdiff_t)k * comb->distance);
            pending = pending_buffers_find(from, from + comb->size, changes);
        }
    }
    return pending;
}

static void require_free_of_pending(const struct own_access *own) {
    const struct caller *pending = find_pending(&own->bytes, !own->reads);
    if (pending != NULL)
        end_for(pending, own,
                own->may_be_over ? "is in the buffer of this call, which is not complete"
                                 : "is in the buffer of this call, and neither is complete");
}

static void lay(size_t i) {
    struct own_access *access = &list[i];
    access->content = access->reads ? footprint_hash(&access->bytes) : 0;
    if (is_covered(access))
        foreign_bytes_put(FOREIGN_IN_WINDOW + (uint32_t)i, &access->bytes, &access->maker,
                          access->is_doubtful ? WIRE_RANK_DOUBTED : access->rank);
    guarded_stores_note_more(FOREIGN_IN_WINDOW + (uint32_t)i);
}

/* False: the program has touched it. */
static bool lift(size_t i) {
    struct own_access *access = &list[i];
    const bool as_it_was = !access->reads || footprint_hash(&access->bytes) == access->content;
    access->content = 0;
    return as_it_was && (!is_covered(access) || foreign_bytes_take_out(FOREIGN_IN_WINDOW + (uint32_t)i, &access->bytes));
}

static void add(struct own_access access, const struct access *to) {
    for (uint64_t i = 0; i < to->runs; i++)
        add_run(&access.bytes, access.window, access_runs(to)[i]);
    /* Also if it is over: what is pending now was so before anything could be heard of it, as what is in a window's memory has
     * it looked at whenever something is heard. */
    require_free_of_pending(&access);
    list = realloc(list, (count + 1) * sizeof *list);
    list[count++] = access;
    if (laid)
        lay(count - 1);
}

void own_accesses_add(const struct caller *caller, const struct window *window, const struct access *access, uint32_t request) {
    struct own_access own = {
        .window = window, .request = request, .rank = rank_number(), .reads = access_only_reads(access), .maker = *caller};
    if (!window_is_for_others_to_load(window))
        add(own, access);
}

/* With them lifted. */
static void drop(size_t i) {
    footprint_free(&list[i].bytes);
    memmove(&list[i], &list[i + 1], (--count - i) * sizeof *list);
    memset(&list[count], 0, sizeof *list);
    if (count > 0)
        return;
    free(list);
    list = NULL;
}

void own_accesses_end(const struct window *window, bool at_origin) {
    own_accesses_lift();
    for (size_t i = count; i-- > 0;) {
        if (list[i].window == window && is_own(&list[i]) &&
            (!at_origin || (list[i].reads && list[i].request == OWN_ACCESS_OF_EPOCH)))
            drop(i);
    }
}

void own_accesses_of_others(const struct window *window, const char *bytes, size_t size) {
    own_accesses_lift();
    for (size_t i = count; i-- > 0;) {
        if (list[i].window == window && !is_own(&list[i]))
            drop(i);
    }
    const struct access *end = (const struct access *)(bytes + size);
    for (const struct access *access = (const struct access *)bytes; access < end; access = access_next(access))
        add((struct own_access){.window = window,
                                .request = OWN_ACCESS_OF_EPOCH,
                                .rank = access->origin,
                                .may_be_loaded = access_is_atomic(access),
                                .may_be_over = access->kind == ACCESS_COMPLETE_PUT || access->kind == ACCESS_LONELY_PUT,
                                .is_lonely = access->kind == ACCESS_LONELY_PUT,
                                .phase = access->heard,
                                .maker = {access->function, access->site}},
            access);
}

void own_accesses_of_changes(const struct window *window, const struct access *changes) {
    struct footprint bytes = {0};
    for (uint64_t i = 0; i < changes->runs; i++)
        add_run(&bytes, window, access_runs(changes)[i]);
    const struct caller *pending = find_pending(&bytes, true);
    if (pending != NULL)
        rank_violation("rma-conflict", pending->function, pending->site,
                       "others changed what is in the buffer of this call, which is not complete, in the window of rank %d",
                       rank_number());
    footprint_free(&bytes);
}

void own_accesses_forget(const struct window *window) {
    own_accesses_lift();
    for (size_t i = count; i-- > 0;) {
        if (list[i].window == window)
            drop(i);
    }
}

static bool holds_own_lock(const struct window *window) { return window->target[window->communicator->rank].lock != 0; }

/* Those stay of which the process cannot know that they are complete, and those that are in doubt. Who holds a lock on the window has
 * got it after them. */
static void drop_over(void) {
    for (size_t i = count; i-- > 0;) {
        struct own_access *access = &list[i];
        if (!access->may_be_over)
            continue;
        const bool may_go_on = told_may_go_on(access->window, access->phase);
        access->is_doubtful = access->is_lonely && !may_go_on && access->phase == access->window->phase &&
                              !holds_own_lock(access->window) && !rank_agents_meet();
        if (may_go_on)
            require_free_of_pending(access);
        else if (!access->is_doubtful)
            drop(i);
    }
}

static void drop_completed(void) {
    for (size_t i = count; i-- > 0;) {
        const struct request *request = list[i].request == OWN_ACCESS_OF_EPOCH ? NULL : request_numbered(list[i].request);
        if (request != NULL && request->state != REQUEST_ACTIVE)
            drop(i);
    }
}

void own_accesses_require_free(const struct caller *caller, const struct buffers *buffers) {
    unseen_note_use(buffers);
    for (size_t i = 0; i < count; i++) {
        bool meets = footprints_meet(&buffers->taken, &list[i].bytes) ||
                     (!list[i].reads && footprints_meet(&buffers->given, &list[i].bytes));
        if (meets)
            end_for(caller, &list[i], "is used by another call before that is complete");
    }
}

bool own_accesses_are_laid(void) { return laid; }

void own_accesses_lay(void) {
    if (laid || sharing_any())
        return;
    drop_completed();
    drop_over();
    laid = count > 0 || pending_buffers_in_windows() || unseen_any();
    if (!laid)
        return;
    pending_buffers_cover_windows();
    for (size_t i = 0; i < count; i++)
        lay(i);
    before_unseen = count;
    unseen_lay();
}

/* Lifts those from number `from` to before `end`. The first that the program has touched; SIZE_MAX: none. */
static size_t lift_from(size_t from, size_t end) {
    size_t touched = SIZE_MAX;
    for (size_t i = end; i-- > from;) {
        if (!lift(i))
            touched = i;
    }
    return touched;
}

void own_accesses_lift(void) {
    if (!laid)
        return;
    guarded_stores_note_less();
    /* They may overlap: what was laid last is lifted first. */
    const size_t late = lift_from(before_unseen, count);
    unseen_lift();
    const size_t early = lift_from(0, before_unseen);
    const size_t touched = early < late ? early : late;
    pending_buffers_uncover_windows();
    laid = false;
    before_unseen = 0;
    if (touched != SIZE_MAX)
        end_for(&caller_current, &list[touched], "is stored to before that is complete");
}

bool own_accesses_forbid(void) {
    size_t i = 0;
    while (laid && i < count && list[i].reads)
        i++;
    return laid && i < count;
}

static void guard(size_t i) {
    if (!list[i].reads && !list[i].is_doubtful)
        guarded_stores_add(&list[i].bytes);
}

void own_accesses_guard(void) {
    for (size_t i = 0; i < count && laid; i++)
        guard(i);
}

void own_accesses_guard_one(uint32_t number) { guard(number - FOREIGN_IN_WINDOW); }

void own_accesses_check_store(uintptr_t from, uintptr_t to, const void *context) {
    for (size_t i = 0; i < count && laid; i++) {
        const struct own_access *access = &list[i];
        const struct wire_place place = {.site = access->maker.site, .rank = access->rank, .function = access->maker.function};
        if (!access->reads && !access->is_doubtful && footprint_enters(&access->bytes, from, to))
            guarded_stores_end("rma-conflict", &place, context,
                               "what %s of rank %d accesses of the window of rank %d is stored to before that is complete",
                               function_name(access->maker.function), access->rank, rank_number());
    }
}
