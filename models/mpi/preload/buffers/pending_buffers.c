#include "models/mpi/preload/buffers/pending_buffers.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/point_to_point/request_table.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/foreign_bytes.h"
#include "models/mpi/preload/process/guarded_stores.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/own_accesses.h"
#include "models/mpi/preload/windows/window_exposure.h"
#include "models/mpi/preload/windows/window_passive.h"
#include "models/mpi/preload/windows/window_told.h"
#include "models/mpi/preload/windows/window_unseen.h"

#include <stdlib.h>
#include <string.h>

static uint32_t owners;        /* requests and accesses that own something */
static uint32_t in_windows;    /* ... and receive into a window's memory */
static uint32_t using_windows; /* ... or send from there */
static uint32_t with_pages;    /* ... and receive into memory that has pages to itself */
static uint32_t taking;        /* ... and receive anything */

/* Accesses to windows, by slot: what they own until their epoch completes them; and split ones to files, until they are ended. */
struct access_buffers {
    bool used;
    bool goes;  /* the access is going to be complete */
    bool split; /* it is one to a file */
    struct buffers buffers;
    struct caller maker;
};
static struct access_buffers *accessing;
/* Theirs, side by side, as a long list is gone through often; and those of BLOCK of these each, and of BLOCK of those, so that most of
 * the list need not be looked at. */
enum { LEVELS = 3, BLOCK = 64 };
static struct buffers_bounds *within[LEVELS];
static uint32_t accesses;
static uint32_t first_free; /* slot: it must tell no more of the past than the slots do */
static uint32_t fetching;   /* accesses that receive something */

/* Where numbers of accesses begin, those of requests being below. */
#define FIRST_ACCESS (1u << 31)

/* What owns something. */
struct owner {
    uint32_t number;
    struct buffers *buffers;
    const struct caller *maker;
};

void buffers_free(struct buffers *buffers) {
    footprint_free(&buffers->given);
    footprint_free(&buffers->taken);
    footprint_free(&buffers->told);
    *buffers = (struct buffers){0};
}

static struct buffers_bounds bounds_of(const struct buffers *buffers) {
    const struct bounds kept[] = {footprint_bounds(&buffers->given), footprint_bounds(&buffers->told)};
    return (struct buffers_bounds){footprint_bounds(&buffers->taken), bounds_of_all(kept, sizeof kept / sizeof *kept)};
}

static bool owns(const struct buffers *buffers) {
    return buffers->given.combs > 0 || buffers->taken.combs > 0 || buffers->told.combs > 0;
}

/* What may be in the way: an owner that receives into what is read here, or owns what is changed. Buffers to send from and to
 * receive into often lie side by side in two arrays, so that those between the two would be most others. */
struct near {
    struct bounds read, changed;
};
static const struct near anything = {.changed = {0, UINTPTR_MAX}};

static struct near change_of(uintptr_t from, uintptr_t to) { return (struct near){.changed = {from, to}}; }

static bool is_near(const struct buffers_bounds *within, const struct near *near) {
    return bounds_meet(within->taken, near->changed) || bounds_meet(within->kept, near->changed) ||
           bounds_meet(within->taken, near->read);
}

/* The first from `at` on that is not far from there; `end` if there is none. */
static uint32_t find_near(const struct buffers_bounds *within, uint32_t at, uint32_t end, const struct near *near) {
    while (at < end && !is_near(&within[at], near))
        at++;
    return at;
}

/* How many slots one of a level is about. */
static uint32_t slots_of(unsigned level) { return level == 0 ? 1 : BLOCK * slots_of(level - 1); }

static uint32_t count_of(unsigned level, uint32_t slots) { return (slots + slots_of(level) - 1) / slots_of(level); }

/* The same among accesses. */
static uint32_t find_access_near(uint32_t at, const struct near *near) {
    unsigned level = 1;
    while (at < accesses && level > 0) {
        level = LEVELS;
        while (level > 0 && is_near(&within[level - 1][at / slots_of(level - 1)], near))
            level--;
        at = level > 0 ? (at / slots_of(level - 1) + 1) * slots_of(level - 1) : at;
    }
    return at < accesses ? at : accesses;
}

static struct buffers_bounds bounds_of_block(const struct buffers_bounds *of, uint32_t count) {
    struct bounds taken[BLOCK], kept[BLOCK];
    for (uint32_t i = 0; i < count; i++) {
        taken[i] = of[i].taken;
        kept[i] = of[i].kept;
    }
    return (struct buffers_bounds){bounds_of_all(taken, count), bounds_of_all(kept, count)};
}

/* What a slot holds has changed. */
static void set_within(uint32_t slot, struct buffers_bounds bounds) {
    within[0][slot] = bounds;
    for (unsigned level = 1; level < LEVELS; level++) {
        const uint32_t block = slot / slots_of(level), first = block * BLOCK, left = count_of(level - 1, accesses) - first;
        within[level][block] = bounds_of_block(within[level - 1] + first, left < BLOCK ? left : BLOCK);
    }
}

/* The next that owns something not far from there; *next is 0 at first. */
static bool next_owner_near(uint32_t *next, struct owner *owner, const struct near *near) {
    const uint32_t slots = owners > 0 ? request_slots() : 0;
    if (*next < slots)
        *next = find_near(request_bounds(), *next, slots, near);
    if (*next < slots) {
        struct request *request = request_numbered(*next);
        *owner = (struct owner){(*next)++, &request->buffers, &request->maker};
        return true;
    }
    const uint32_t slot = find_access_near(*next < FIRST_ACCESS ? 0 : *next - FIRST_ACCESS, near);
    if (slot >= accesses)
        return false;
    struct access_buffers *found = &accessing[slot];
    *owner = (struct owner){FIRST_ACCESS + slot, &found->buffers, &found->maker};
    *next = FIRST_ACCESS + slot + 1;
    return true;
}

static bool next_owner(uint32_t *next, struct owner *owner) { return next_owner_near(next, owner, &anything); }

static bool is_of_slot(const struct owner *owner) { return owner->number >= FIRST_ACCESS; }

/* Of an access to a window the rules are those of one-sided communication. */
static const char *class_of(const struct owner *owner) {
    return is_of_slot(owner) && !accessing[owner->number - FIRST_ACCESS].split ? "rma-conflict" : "buffer-in-use";
}

bool pending_buffers_any(void) { return owners > 0; }

bool pending_buffers_matter(void) { return owners > 0 || own_accesses_any() || told_wanted(); }

/* The call that owns the buffer, as a part of the violation. */
struct places {
    struct wire_place list[2];
};

static struct places place_of(const struct owner *owner) {
    return (struct places){{{.site = owner->maker->site, .rank = rank_number(), .function = owner->maker->function}}};
}

/* --- owning ---------------------------------------------------------------------------------------------------------- */

/* What lies in a window's memory has a time of its own: the library reads that itself, to tell others what is there. */
/* In a window it is done with all that is there. */
static void cover(const struct owner *owner, bool all_is_done) {
    const struct footprint *taken = &owner->buffers->taken;
    if (taken->combs > 0 && (!owner->buffers->in_window || all_is_done))
        foreign_bytes_put(owner->number, taken, owner->maker, rank_number());
}

static void note_use(const struct owner *owner) {
    using_windows += !owner->buffers->uses_window;
    owner->buffers->uses_window = true;
}

static void move_into_window(const struct owner *owner) {
    in_windows += !owner->buffers->in_window;
    owner->buffers->in_window = true;
    note_use(owner);
}

void pending_buffers_uncover(uintptr_t from, uintptr_t to) {
    const struct near near = change_of(from, to);
    struct owner owner;
    for (uint32_t next = 0; next_owner_near(&next, &owner, &near);) {
        if (footprint_enters(&owner.buffers->given, from, to))
            note_use(&owner);
        if (!footprint_enters(&owner.buffers->taken, from, to))
            continue;
        foreign_bytes_withdraw(owner.number, &owner.buffers->taken);
        move_into_window(&owner);
    }
}

bool pending_buffers_in_windows(void) { return in_windows > 0; }

void pending_buffers_cover_windows(void) {
    struct owner owner;
    for (uint32_t next = 0; in_windows > 0 && next_owner(&next, &owner);) {
        if (owner.buffers->in_window)
            foreign_bytes_put(owner.number, &owner.buffers->taken, owner.maker, rank_number());
    }
}

static struct stack_frame frame_of(const struct footprint *footprint) {
    return footprint->combs > 0 ? stack_frame_of((const void *)footprint->first.at) : (struct stack_frame){0};
}

static void note_content(struct buffers *buffers) {
    buffers->content = footprint_hash(&buffers->given);
    buffers->told_content = footprint_hash(&buffers->told);
}

/* From the first to behind the last of the pages in which there is nothing else; from 0 to 0: there is none. */
static struct bounds pages_in(const struct footprint *taken) {
    const struct bounds all = taken->combs == 1 && taken->first.pieces == 1 ? footprint_bounds(taken) : (struct bounds){0, 0};
    const struct bounds pages = {(all.from + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES, all.to / PAGE_BYTES * PAGE_BYTES};
    return pages.from < pages.to ? pages : (struct bounds){0, 0};
}

static void begin(const struct owner *owner) {
    owners++;
    taking += owner->buffers->taken.combs > 0;
    if (owner->number < FIRST_ACCESS)
        request_bounds()[owner->number] = bounds_of(owner->buffers);
    owner->buffers->given_frame = frame_of(&owner->buffers->given);
    owner->buffers->taken_frame = frame_of(&owner->buffers->taken);
    owner->buffers->told_frame = frame_of(&owner->buffers->told);
    note_content(owner->buffers);
    owner->buffers->has_pages = pages_in(&owner->buffers->taken).to > 0;
    with_pages += owner->buffers->has_pages;
    if (owner->buffers->taken.combs > 0 && windows_hold(&owner->buffers->taken))
        move_into_window(owner);
    if (owner->buffers->given.combs > 0 && windows_hold(&owner->buffers->given))
        note_use(owner);
    if (owner->buffers->taken.combs > 0)
        guarded_stores_note_more(owner->number);
    cover(owner, own_accesses_are_laid());
}

static void end(const struct owner *owner) {
    owners--;
    taking -= owner->buffers->taken.combs > 0;
    in_windows -= owner->buffers->in_window;
    using_windows -= owner->buffers->uses_window;
    with_pages -= owner->buffers->has_pages;
    if (owner->buffers->taken.combs > 0)
        guarded_stores_note_less();
    foreign_bytes_withdraw(owner->number, &owner->buffers->taken);
    buffers_free(owner->buffers);
    if (owner->number < FIRST_ACCESS)
        request_bounds()[owner->number] = (struct buffers_bounds){0};
}

static struct owner request_owner(uint32_t number) {
    struct request *request = request_numbered(number);
    return (struct owner){number, &request->buffers, &request->maker};
}

void pending_buffers_own(uint32_t number) {
    const struct owner owner = request_owner(number);
    if (owns(owner.buffers))
        begin(&owner);
}

void pending_buffers_release(uint32_t number) {
    const struct owner owner = request_owner(number);
    if (owns(owner.buffers))
        end(&owner);
}

/* Makes room for one more. */
static void grow(void) {
    enum { FIRST_SLOTS = 4 };
    if (first_free < accesses)
        return;
    const uint32_t grown = accesses == 0 ? FIRST_SLOTS : 2 * accesses;
    accessing = realloc(accessing, grown * sizeof *accessing);
    memset(accessing + accesses, 0, (grown - accesses) * sizeof *accessing);
    for (unsigned level = 0; level < LEVELS; level++) {
        const uint32_t count = count_of(level, accesses), more = count_of(level, grown);
        within[level] = realloc(within[level], more * sizeof *within[level]);
        memset(within[level] + count, 0, (more - count) * sizeof *within[level]);
    }
    accesses = grown;
}

static void pass_used(void) {
    while (first_free < accesses && accessing[first_free].used)
        first_free++;
}

static struct owner slot_owner(uint32_t slot) {
    return (struct owner){FIRST_ACCESS + slot, &accessing[slot].buffers, &accessing[slot].maker};
}

static uint32_t own_in_slot(const struct access_buffers *access) {
    grow();
    const uint32_t slot = first_free;
    accessing[slot] = *access;
    pass_used();
    set_within(slot, bounds_of(&access->buffers));
    fetching += access->buffers.taken.combs > 0;
    const struct owner owner = slot_owner(slot);
    begin(&owner);
    return slot;
}

uint32_t pending_buffers_own_access(const struct caller *caller, const struct buffers *buffers) {
    if (!owns(buffers))
        return PENDING_BUFFERS_NONE;
    if (buffers->taken.combs > 0 || fetching > 0 || own_accesses_any())
        pending_buffers_require_free(caller, buffers);
    return own_in_slot(&(struct access_buffers){.used = true, .buffers = *buffers, .maker = *caller});
}

uint32_t pending_buffers_own_split(const struct caller *caller, const struct buffers *buffers) {
    if (!owns(buffers))
        return PENDING_BUFFERS_NONE;
    return own_in_slot(&(struct access_buffers){.used = true, .split = true, .buffers = *buffers, .maker = *caller});
}

void pending_buffers_release_access(uint32_t slot) {
    if (slot == PENDING_BUFFERS_NONE)
        return;
    fetching -= accessing[slot].buffers.taken.combs > 0;
    const struct owner owner = slot_owner(slot);
    end(&owner);
    memset(&accessing[slot], 0, sizeof accessing[slot]);
    set_within(slot, (struct buffers_bounds){0});
    first_free = slot < first_free ? slot : first_free;
    if (owners > 0)
        return;
    free(accessing);
    accessing = NULL;
    for (unsigned level = 0; level < LEVELS; level++) {
        free(within[level]);
        within[level] = NULL;
    }
    accesses = first_free = 0;
}

void pending_buffers_let_access_go(uint32_t slot) {
    if (slot == PENDING_BUFFERS_NONE)
        return;
    accessing[slot].goes = true;
    guarded_stores_note_less();
}

bool pending_buffers_goes(uint32_t slot) { return slot != PENDING_BUFFERS_NONE && accessing[slot].goes; }

/* Is it an access to a window, which is not going to be complete yet? Requests of accesses own their buffers themselves. */
static bool is_of_access(const struct owner *owner) {
    if (!is_of_slot(owner))
        return request_numbered(owner->number)->of_window;
    const struct access_buffers *access = &accessing[owner->number - FIRST_ACCESS];
    return !access->goes && !access->split;
}

void pending_buffers_for_each_access(void (*use)(const struct caller *maker, const struct buffers *buffers, void *context),
                                     void *context) {
    struct owner owner;
    for (uint32_t next = 0; using_windows > 0 && next_owner(&next, &owner);) {
        if (is_of_access(&owner))
            use(owner.maker, owner.buffers, context);
    }
}

/* Messages are received so often that what else is in the same pages would cost too much. */
static bool is_guarded(const struct owner *owner) {
    return owner->buffers->has_pages || (is_of_access(owner) && owner->buffers->taken.combs > 0);
}

bool pending_buffers_forbid(void) {
    struct owner owner;
    for (uint32_t next = 0; with_pages == 0 && taking > 0 && window_at(0) != NULL && next_owner(&next, &owner);) {
        if (is_of_slot(&owner) && fetching == 0)
            return false;
        if (is_guarded(&owner))
            return true;
    }
    return with_pages > 0;
}

static void guard(const struct owner *owner) {
    const struct bounds pages = pages_in(&owner->buffers->taken);
    const struct footprint within = {.first = {(intptr_t)pages.from, pages.to - pages.from, 0, 1}, .combs = 1};
    guarded_stores_add(is_of_access(owner) ? &owner->buffers->taken : &within);
}

void pending_buffers_guard(void) {
    struct owner owner;
    for (uint32_t next = 0; taking > 0 && next_owner(&next, &owner);) {
        if (is_guarded(&owner))
            guard(&owner);
    }
}

void pending_buffers_guard_one(uint32_t number) {
    const struct owner owner = number < FIRST_ACCESS ? request_owner(number) : slot_owner(number - FIRST_ACCESS);
    if (is_guarded(&owner))
        guard(&owner);
}

void pending_buffers_check_store(uintptr_t from, uintptr_t to, const void *context) {
    struct owner owner;
    for (uint32_t next = 0; next_owner(&next, &owner);) {
        if (footprint_enters(&owner.buffers->taken, from, to))
            guarded_stores_end(class_of(&owner), &place_of(&owner).list[0], context,
                               "the buffer of %zu bytes that %s receives into is changed before that is complete",
                               footprint_bytes(&owner.buffers->taken), function_name(owner.maker->function));
    }
}

/* --- the program's accesses ------------------------------------------------------------------------------------------ */

/* `buffer`: which one of the owner's it happened to. */
static _Noreturn void end_for_access(const struct wire_call *call, const struct owner *owner, const struct footprint *buffer,
                                     const char *happened) {
    const char *use = buffer == &owner->buffers->taken ? "receives into" : "sends";
    rank_violation_at(class_of(owner), call->function, call->site, place_of(owner).list,
                      "the buffer of %zu bytes that %s %s %s before that is complete", footprint_bytes(buffer),
                      function_name(owner->maker->function), use, happened);
}

static _Noreturn void end_for_array(const struct wire_call *call, const struct owner *owner, const char *happened) {
    rank_violation_at("buffer-in-use", call->function, call->site, place_of(owner).list,
                      "an array of counts, displacements or types that %s was given %s before that is complete",
                      function_name(owner->maker->function), happened);
}

static bool was_left(const struct footprint *footprint, const struct stack_frame *frame) {
    if (stack_frame_is_left(frame))
        return true;
    const uintptr_t low = control->image.stack_low, left_to = stack_left_to();
    return left_to > low && footprint_enters(footprint, low, left_to);
}

static bool was_freed(const struct footprint *footprint) {
    for (uint32_t i = 0; i < footprint->combs; i++) {
        if (arena_is_free((const void *)footprint_comb(footprint, i)->at))
            return true;
    }
    return false;
}

void pending_buffers_note_freed(uintptr_t from, uintptr_t to) {
    const struct near near = change_of(from, to);
    struct owner owner;
    for (uint32_t next = 0; owners > 0 && next_owner_near(&next, &owner, &near);) {
        owner.buffers->given_freed |= footprint_enters(&owner.buffers->given, from, to);
        owner.buffers->taken_freed |= footprint_enters(&owner.buffers->taken, from, to);
        owner.buffers->told_freed |= footprint_enters(&owner.buffers->told, from, to);
    }
}

/* Why the memory is not there any more; NULL if it is. */
static const char *gone(const struct footprint *footprint, const struct stack_frame *frame, bool freed) {
    if (was_left(footprint, frame))
        return "is on the stack of a function that has returned";
    return freed || was_freed(footprint) ? "is freed" : NULL;
}

static void check_there(const struct wire_call *call, const struct owner *owner) {
    const struct buffers *buffers = owner->buffers;
    const char *taken = gone(&buffers->taken, &buffers->taken_frame, buffers->taken_freed);
    const char *given = gone(&buffers->given, &buffers->given_frame, buffers->given_freed);
    const char *told = gone(&buffers->told, &buffers->told_frame, buffers->told_freed);
    if (taken != NULL)
        end_for_access(call, owner, &owner->buffers->taken, taken);
    if (given != NULL)
        end_for_access(call, owner, &owner->buffers->given, given);
    if (told != NULL)
        end_for_array(call, owner, told);
}

static void check_unchanged(const struct wire_call *call, const struct owner *owner) {
    if (footprint_hash(&owner->buffers->given) != owner->buffers->content)
        end_for_access(call, owner, &owner->buffers->given, "is changed");
    if (footprint_hash(&owner->buffers->told) != owner->buffers->told_content)
        end_for_array(call, owner, "is changed");
}

static void check_content(const struct wire_call *call, const struct owner *owner) {
    if (!foreign_bytes_take_out(owner->number, &owner->buffers->taken))
        end_for_access(call, owner, &owner->buffers->taken, "is changed");
    check_unchanged(call, owner);
}

/* --- two operations -------------------------------------------------------------------------------------------------- */

static _Noreturn void end_for_overlap(const struct caller *caller, const struct owner *owner, const char *what) {
    rank_violation_at(class_of(owner), caller->function, caller->site, place_of(owner).list,
                      "%s was called with a buffer that overlaps the one that %s %s, which is not complete",
                      function_name(caller->function), function_name(owner->maker->function), what);
}

/* Memory that was freed while an operation owned it may be another block by now: that it was freed is the mistake. */
static _Noreturn void end_for_use(const struct caller *caller, const struct owner *owner, const char *what) {
    const struct wire_call here = {.function = caller->function, .site = caller->site};
    if (owner->buffers->given_freed || owner->buffers->taken_freed)
        check_there(&here, owner);
    end_for_overlap(caller, owner, what);
}

void pending_buffers_require_free(const struct caller *caller, const struct buffers *buffers) {
    told_note(caller, &buffers->given);
    own_accesses_require_free(caller, buffers);
    const struct near near = {footprint_bounds(&buffers->given), footprint_bounds(&buffers->taken)};
    struct owner owner;
    for (uint32_t next = 0; next_owner_near(&next, &owner, &near);) {
        const struct buffers *owned = owner.buffers;
        if (footprints_meet(&buffers->given, &owned->taken) || footprints_meet(&buffers->taken, &owned->taken))
            end_for_use(caller, &owner, "receives into");
        if (footprints_meet(&buffers->taken, &owned->given))
            end_for_use(caller, &owner, "sends");
        if (footprints_meet(&buffers->taken, &owned->told))
            end_for_overlap(caller, &owner, "was given as an array of counts, displacements or types");
    }
}

void pending_buffers_require_free_send(const struct caller *caller, const void *buffer, MPI_Count count, MPI_Datatype type) {
    if (!pending_buffers_matter())
        return;
    struct buffers buffers = {0};
    footprint_add(&buffers.given, buffer, count, type);
    pending_buffers_require_free(caller, &buffers);
    buffers_free(&buffers);
}

const struct caller *pending_buffers_find(uintptr_t from, uintptr_t to, bool changes) {
    const struct near near = changes ? change_of(from, to) : (struct near){.read = {from, to}};
    struct owner owner;
    for (uint32_t next = 0; next_owner_near(&next, &owner, &near);) {
        if (footprint_enters(&owner.buffers->taken, from, to) || (changes && footprint_enters(&owner.buffers->given, from, to)))
            return owner.maker;
    }
    return NULL;
}

/* --- when the rank blocks ------------------------------------------------------------------------------------------- */

void pending_buffers_check_given(uint32_t number) {
    const struct owner owner = request_owner(number);
    const struct wire_call here = {.function = caller_current.function, .site = caller_current.site};
    if (!owns(owner.buffers))
        return;
    check_there(&here, &owner);
    check_unchanged(&here, &owner);
}

void pending_buffers_check_split(uint32_t slot) {
    if (slot == PENDING_BUFFERS_NONE)
        return;
    const struct owner owner = slot_owner(slot);
    const struct wire_call here = {.function = caller_current.function, .site = caller_current.site};
    check_there(&here, &owner);
    check_content(&here, &owner);
}

void pending_buffers_check(const struct wire_call *call) {
    exposure_uncover();
    struct owner owner;
    for (uint32_t next = 0; next_owner(&next, &owner);)
        check_there(call, &owner);
    for (uint32_t next = 0; next_owner(&next, &owner);)
        check_content(call, &owner);
}

void pending_buffers_uncover_windows(void) {
    const struct wire_call here = {.function = caller_current.function, .site = caller_current.site};
    struct owner owner, changed;
    bool any = false;
    for (uint32_t next = 0; in_windows > 0 && next_owner(&next, &owner);) {
        if (!owner.buffers->in_window || foreign_bytes_take_out(owner.number, &owner.buffers->taken))
            continue;
        changed = owner;
        any = true;
    }
    if (any)
        end_for_access(&here, &changed, &changed.buffers->taken, "is changed");
}

void pending_buffers_note_content(void) {
    struct owner owner;
    for (uint32_t next = 0; next_owner(&next, &owner);)
        note_content(owner.buffers);
}

/* Of each request whether it is complete now; to be freed. */
static bool *list_complete(const uint32_t *request, const struct wire_resolution *answer) {
    bool *complete = calloc(request_slots(), sizeof *complete);
    const struct wire_completion *completion = rank_completion(answer, 0);
    for (uint32_t i = 0; i < answer->completions; i += 1 + completion->parts, completion = rank_completion_past(completion)) {
        if (request[completion->index] < request_slots())
            complete[request[completion->index]] = true;
    }
    return complete;
}

void pending_buffers_go_on(const struct wire_call *call, const uint32_t *request, const struct wire_resolution *answer) {
    bool *complete = owners > 0 && call->requests > 0 ? list_complete(request, answer) : NULL;
    struct owner owner;
    for (uint32_t next = 0; next_owner(&next, &owner);) {
        /* Accesses are no requests: among those of the library itself, one may have such a number. */
        if (owner.number >= FIRST_ACCESS || complete == NULL || !complete[owner.number])
            cover(&owner, false);
    }
    free(complete);
    told_heard(answer != NULL && window_at(0) != NULL && !unseen_looks() && passive_is_told(call, request, answer));
    exposure_cover(call->function);
}

void pending_buffers_go_on_covered(const struct wire_call *call) {
    told_heard(false);
    exposure_cover(call->function);
}
