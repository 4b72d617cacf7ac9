#include "models/mpi/preload/windows/window_sharing.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/shared_places.h"
#include "models/mpi/preload/windows/shared_traps.h"
#include "models/mpi/preload/windows/window_asking.h"
#include "models/mpi/preload/windows/window_exposure.h"
#include "models/mpi/preload/windows/window_passive.h"

#include <stdlib.h>
#include <string.h>

static uint32_t sharings;

/* ---- memory ---- */

uint64_t sharing_lay_out(const struct caller *caller, struct segment_place *place, int members, bool apart) {
    enum { APART = 4096, MOST_BYTES = 1 << 28 }; /* of the copies that the agent has */
    uint64_t most = MOST_BYTES / (2 * (uint64_t)rank_count() + 1), end = 0;
    for (int i = 0; i < members; i++) {
        place[i].offset = end;
        end += apart ? (place[i].size + APART - 1) / APART * APART : place[i].size;
        if (place[i].size > most || end > most)
            rank_refuse(caller->function, caller->site, "%s of more than %llu bytes among %d ranks is not supported",
                        function_name(caller->function), (unsigned long long)most, rank_count());
    }
    return end;
}

static struct window_memory one_region(char *bytes, uint64_t size) {
    struct window_memory memory = {malloc(sizeof(struct window_region)), 1};
    memory.region[0] = (struct window_region){0, size, bytes, 0};
    return memory;
}

void sharing_begin(struct window *window, const struct segment_place *place) {
    int members = window->communicator->size;
    struct sharing *sharing = calloc(1, sizeof *sharing);
    sharing->memory = calloc((size_t)members, sizeof *sharing->memory);
    sharing->published = calloc((size_t)members, sizeof *sharing->published);
    for (int i = 0; i < members; i++) {
        sharing->memory[i] = one_region((char *)window->allocated + place[i].offset, place[i].size);
        sharing->published[i] = one_region(calloc(1, place[i].size + 1), place[i].size);
    }
    window->sharing = sharing;
    sharings++;
}

void sharing_end(struct window *window) {
    if (window->sharing == NULL)
        return;
    for (int i = 0; i < window->communicator->size; i++) {
        free(window->sharing->memory[i].region);
        window_memory_free(&window->sharing->published[i]);
    }
    places_forget_log(window);
    free(window->sharing->memory);
    free(window->sharing->published);
    free(window->sharing);
    window->sharing = NULL;
    sharings--;
}

bool sharing_any(void) { return sharings > 0; }

bool sharing_holds(uintptr_t from, uintptr_t to) {
    const struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        for (int member = 0; window->sharing != NULL && member < window->communicator->size; member++) {
            const struct window_region *segment = &window->sharing->memory[member].region[0];
            if (from < (uintptr_t)segment->bytes + segment->size && (uintptr_t)segment->bytes < to)
                return true;
        }
    }
    return false;
}

/* ---- meeting the agent ---- */

static bool has_agents(const struct window *window) { return window->agents != NULL; }

/* Is every meeting made, so that what is found is a mistake? */
static bool is_exact(const struct window *window) { return !has_agents(window) || rank_agents() >= AGENTS_GENERAL; }

/* MPI_Win_sync is called again and again, and nothing else is done that others could learn of or it could learn from. */
static bool is_polled(const struct window *window) {
    enum { OFTEN = 4 };
    return window->sharing->synchronised >= OFTEN && caller_current.function == FUNCTION_MPI_Win_sync;
}

/* This process's stores, one access for each segment that has some. */
struct stores {
    char *bytes;
    size_t size;
};

static struct stores find_stores(const struct caller *caller, const struct window *window) {
    struct stores stores = {0};
    for (int i = 0; i < window->communicator->size; i++) {
        struct access *found = access_of_stores(&window->sharing->memory[i], &window->sharing->published[i], rank_number(),
                                                caller->function, caller->site);
        if (found == NULL)
            continue;
        found->op = i;
        stores.bytes = realloc(stores.bytes, stores.size + found->size);
        memcpy(stores.bytes + stores.size, found, found->size);
        stores.size += found->size;
        free(found);
    }
    return stores;
}

/* Calls `use` for each of the accesses to segments in a block. */
static void for_each(const struct window *window, const char *bytes, size_t size,
                     void (*use)(const struct window *window, const struct access *access)) {
    const struct access *end = (const struct access *)(bytes + size);
    for (const struct access *at = (const struct access *)bytes; at < end; at = access_next(at))
        use(window, at);
}

static void apply_to_published(const struct window *window, const struct access *stores) {
    access_apply(&window->sharing->published[stores->op], stores, NULL);
}

static void apply(const struct window *window, const struct access *changes) {
    access_apply(&window->sharing->memory[changes->op], changes, NULL);
    apply_to_published(window, changes);
}

/* ... by a call of another rank's, if that is known: it has a function. */
static _Noreturn void end_for_load(const struct caller *caller, const struct shared_bytes *accessed,
                                   const struct access *changes) {
    const struct wire_place place[2] = {{.site = changes->site, .rank = changes->origin, .function = changes->function}};
    if (changes->function != 0)
        rank_violation_at(
            "rma-conflict", caller->function, caller->site, place,
            "rank %d accessed bytes %llu to %llu of the shared memory of rank %d, which %s of rank %d changes at the same time",
            rank_number(), (unsigned long long)accessed->offset, (unsigned long long)(accessed->offset + accessed->size - 1),
            accessed->window->communicator->world[accessed->segment], function_name(changes->function), changes->origin);
    rank_violation(
        "rma-conflict", caller->function, caller->site,
        "rank %d accessed bytes %llu to %llu of the shared memory of rank %d, which another rank stored to at the same "
        "time",
        rank_number(), (unsigned long long)accessed->offset, (unsigned long long)(accessed->offset + accessed->size - 1),
        accessed->window->communicator->world[accessed->segment]);
}

/* What the program has accessed where that is watched is known. Elsewhere, and if it was this library that did, it is found out. */
static void note(const struct window *window, const struct access *changes) {
    for (uint64_t i = 0; i < changes->runs; i++) {
        const struct access_run *run = &access_runs(changes)[i];
        const struct shared_bytes stored = {(struct window *)window, changes->op, (uint64_t)run->offset, run->length};
        struct shared_bytes accessed;
        if (!places_logged(&stored, &accessed))
            continue;
        places_judge_conflict(&accessed);
        end_for_load(&caller_current, &accessed, changes);
    }
    exposure_note_shared(window, changes, is_exact(window));
}

static void use_reply(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size) {
    (void)caller;
    (void)target;
    uint64_t meanwhile;
    memcpy(&meanwhile, bytes, sizeof meanwhile);
    bytes += sizeof meanwhile;
    if (window->sharing->program_ran)
        for_each(window, bytes, meanwhile, note);
    for_each(window, bytes + meanwhile, size - sizeof meanwhile - meanwhile, apply);
}

/* Tells of the stores, which are freed. */
static void ask(const struct caller *caller, struct window *window, struct stores stores, struct agent_request request) {
    for_each(window, stores.bytes, stores.size, apply_to_published);
    request.verb = AGENT_SHARE;
    request.parts = (uint32_t)window->communicator->size;
    agent_ask(caller, window, 0, request, (struct agent_body){{stores.bytes, ""}, {stores.size, 0}});
    free(stores.bytes);
}

/* The same, and waits for what the agent says. `place`: see struct agent_replies. */
static void meet_for(const struct caller *caller, struct window *window, struct stores stores, struct agent_request request,
                     int place) {
    struct agent_replies replies = {.place = place};
    request.reply = AGENT_REPLY;
    ask(caller, window, stores, request);
    agent_expect(caller, window, 0, &replies);
    agent_await(caller, window, &replies, use_reply);
    places_forget_log(window);
    window->sharing->program_ran = false;
    window->sharing->waits = request.waits != 0;
    window->sharing->synchronised = 0;
    window->sharing->told = !request.delivers;
}

static void meet(const struct caller *caller, struct window *window, struct stores stores, struct agent_request request) {
    meet_for(caller, window, stores, request, 0);
}

void sharing_begin_access(const struct caller *caller, const struct shared_bytes *bytes, enum shared_how how) {
    meet_for(caller, bytes->window, find_stores(caller, bytes->window),
             (struct agent_request){.delivers = 1, .holds = how == SHARED_WRITES},
             how == SHARED_LOADS ? place_polled(bytes) : 0);
}

void sharing_end_access(const struct caller *caller, struct window *window, enum shared_how how) {
    if (how == SHARED_LOADS)
        return;
    ask(caller, window, find_stores(caller, window), (struct agent_request){.releases = how == SHARED_WRITES});
    rank_let_go();
}

/* Does the call wait after this, and learn something from it, before the program goes on? */
static bool always_waits(const struct wire_operation *operation) {
    switch (operation->function) {
    case FUNCTION_MPI_Send:
    case FUNCTION_MPI_Ssend:
    case FUNCTION_MPI_Recv: return true;
    default: return operation->kind == WIRE_COLLECTIVE && operation->request == WIRE_NO_REQUEST;
    }
}

/* ---- without agents ---- */

static _Noreturn void end_for_stores(const struct caller *caller, const struct window *window, const struct access *stores,
                                     const struct access_run *at) {
    const struct shared_bytes bytes = {(struct window *)window, stores->op, (uint64_t)at->offset, at->length};
    places_judge_conflict(&bytes);
    rank_violation(
        "rma-conflict", caller->function, caller->site,
        "rank %d stored to bytes %lld to %lld of the shared memory of rank %d, which rank %d stored to at the same time",
        rank_number(), (long long)at->offset, (long long)(at->offset + (int64_t)at->length - 1),
        window->communicator->world[stores->op], stores->origin);
}

static void require_apart(const struct caller *caller, const struct window *window, const struct stores *own,
                          const struct access *others) {
    const struct access *end = (const struct access *)(own->bytes + own->size);
    struct access_run at;
    for (const struct access *stores = (const struct access *)own->bytes; stores < end; stores = access_next(stores)) {
        if (stores->op == others->op && access_relate(stores, others, &at) == ACCESS_CONFLICT)
            end_for_stores(caller, window, others, &at);
    }
}

/* Takes what a member stored. */
static void take_stores(const struct caller *caller, const struct window *window, const struct stores *own,
                        struct collective_part part) {
    const struct access *end = (const struct access *)((const char *)part.bytes + part.size);
    for (const struct access *at = part.bytes; at < end; at = access_next(at)) {
        require_apart(caller, window, own, at);
        if (window->sharing->program_ran)
            note(window, at);
        apply(window, at);
    }
}

/* All members call this, and leave when all have. */
static void exchange(const struct caller *caller, struct window *window) {
    struct stores own = find_stores(caller, window);
    for_each(window, own.bytes, own.size, apply_to_published);
    struct collective collective = collective_of_all(caller, window->communicator);
    collective_enter(&collective, 1);
    memcpy(rank_add_part(own.size), own.bytes, own.size);
    struct collective_answer answer = collective_leave(&collective);
    for (int i = 0; i < window->communicator->size; i++) {
        if (i != window->communicator->rank)
            take_stores(caller, window, &own, collective_part(&answer, i));
    }
    free(own.bytes);
    places_forget_log(window);
    window->sharing->program_ran = false;
    window->sharing->synchronised = 0;
}

/* Something that all members have entered before any of them goes on. */
static bool meets_all(const struct wire_operation *operation) {
    return operation->kind == WIRE_COLLECTIVE && operation->mode == WIRE_ALL_TO_ALL && operation->request == WIRE_NO_REQUEST &&
           operation->capacity == 0;
}

static bool has_all_members(uint64_t context, const struct window *window) {
    const struct communicator *communicator = communicator_of_context(context);
    const struct window *other;
    for (size_t i = 0; communicator == NULL && (other = window_at(i)) != NULL; i++) {
        if (other->communicator->context == context)
            communicator = other->communicator;
    }
    if (communicator == NULL || communicator_is_inter(communicator))
        return false;
    for (int i = 0; i < window->communicator->size; i++) {
        if (communicator_rank_of(communicator, window->communicator->world[i]) == MPI_UNDEFINED)
            return false;
    }
    return true;
}

/* Everybody does this in the same calls, as the program has always run since the last one. */
static void publish_to_members(const struct caller *caller, const struct wire_operation *operation, struct window *window) {
    if (!window->sharing->program_ran || window->sharing->over)
        return;
    if (!meets_all(operation) || !has_all_members(operation->context, window))
        passive_require_agents(caller, window, AGENTS_SHARED);
    exchange(caller, window);
}

void sharing_exchange_changes(const struct caller *caller, struct window *window) {
    if (!has_agents(window))
        exchange(caller, window);
}

/* ---- when it is met ---- */

static void tell(const struct caller *caller, struct window *window, bool ran, bool waits) {
    if (window->sharing->over)
        return;
    struct stores stores = find_stores(caller, window);
    if (ran || stores.size > 0)
        meet(caller, window, stores, (struct agent_request){.waits = waits});
}

/* That the program ran, though it may have stored nothing. */
static bool has_to_say_so(const struct window *window) {
    return window->sharing->program_ran && (is_exact(window) || !window->sharing->told);
}

void sharing_publish(const struct wire_operation *operation, struct window *window) {
    const struct caller caller = {operation->function, operation->site};
    if (has_agents(window))
        tell(&caller, window, has_to_say_so(window), always_waits(operation));
    else
        publish_to_members(&caller, operation, window);
}

void sharing_wait(const struct caller *caller, struct window *window) {
    if (has_agents(window))
        tell(caller, window, has_to_say_so(window), true);
    else if (window->sharing->program_ran && !window->sharing->over)
        passive_require_agents(caller, window, AGENTS_SHARED);
}

void sharing_stop(const struct caller *caller, struct window *window) {
    if (has_agents(window))
        tell(caller, window, window->sharing->program_ran, false);
    else
        sharing_wait(caller, window);
}

void sharing_finish(const struct caller *caller, struct window *window) {
    if (!has_agents(window) && caller->function == FUNCTION_MPI_Win_free)
        exchange(caller, window);
    sharing_stop(caller, window);
    window->sharing->over = true;
}

void sharing_learn(const struct caller *caller, struct window *window) {
    if (has_agents(window) && !window->sharing->over)
        meet(caller, window, find_stores(caller, window), (struct agent_request){.delivers = 1});
}

void sharing_synchronise(const struct caller *caller, struct window *window) {
    uint32_t times = window->sharing->synchronised;
    if (is_polled(window)) {
        passive_require_agents(caller, window, AGENTS_SHARED);
        passive_synchronise(caller, window);
    } else {
        times++;
    }
    window->sharing->synchronised = times;
}

void sharing_go_on(void) {
    struct window *window;
    if (sharings == 0)
        return;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (window->sharing == NULL)
            continue;
        if (window->sharing->waits && !window->sharing->over)
            rank_refuse(caller_current.function, caller_current.site,
                        "%s that neither waits nor learns anything is not supported where there is a shared window",
                        function_name(caller_current.function));
        window->sharing->program_ran = true;
    }
    exposure_cover_shared();
    shared_traps_close();
}

void sharing_ask_creation(const struct caller *caller, struct window *window) {
    for (int i = 0; i < window->communicator->size; i++)
        passive_ask_creation(caller, window, i, &window->sharing->memory[i]);
}

/* ---- fences ---- */

char *sharing_write_batches(const struct window *window, size_t *size) {
    char *bytes = NULL;
    *size = 0;
    for (int i = 0; i < window->communicator->size; i++) {
        size_t batch_size;
        char *batch = window_batch(&window->target[i], &batch_size);
        bytes = realloc(bytes, *size + sizeof(uint64_t) + batch_size);
        memcpy(bytes + *size, &(uint64_t){batch_size}, sizeof(uint64_t));
        memcpy(bytes + *size + sizeof(uint64_t), batch, batch_size);
        *size += sizeof(uint64_t) + batch_size;
        free(batch);
    }
    return bytes;
}

const char *sharing_note_batches(const struct window *window, const char *bytes, size_t *size) {
    const char *own = bytes;
    for (int i = 0; i < window->communicator->size; i++) {
        uint64_t here;
        memcpy(&here, bytes, sizeof here);
        bytes += sizeof here;
        exposure_note_member(window, i, bytes, here);
        if (i == window->communicator->rank) {
            own = bytes;
            *size = here;
        }
        bytes += here;
    }
    return own;
}
