#include "models/mpi/preload/memory/list_room.h"
#include "models/mpi/preload/point_to_point/hidden_messages.h"
#include "models/mpi/preload/windows/window_agent_parts.h"

#include "models/mpi/preload/mpi_files/file_server.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_asking.h"
#include "models/mpi/preload/windows/window_touches.h"

#include <stdlib.h>
#include <string.h>

/* A request that has to wait for a lock, in `struct public_window.waiting`: the request and what follows it come after
 * this. */
struct waiting_request {
    uint64_t size; /* of all of it */
    int64_t origin;
};

static struct public_window *window;
static size_t windows;

static int holder = -1; /* the rank that alone is listened to */

void agent_listen_to(int origin) { holder = origin; }

static int owner(void) { return rank_number() - rank_count(); }

static void resize(struct records *records, size_t size) {
    enum { LEAST = 256 };
    if (size < records->size)
        memset(records->bytes + size, 0, records->size - size);
    records->bytes = list_fit(records->bytes, records->size, size, LEAST, 1);
    records->size = size;
}

/* Zero. */
static char *make_room(struct records *records, size_t at, size_t size) {
    size_t behind = records->size - at;
    resize(records, records->size + size);
    memmove(records->bytes + at + size, records->bytes + at, behind);
    return memset(records->bytes + at, 0, size);
}

void agent_insert(struct records *records, size_t at, const void *bytes, size_t size) {
    memcpy(make_room(records, at, size), bytes, size);
}

void agent_cut(struct records *records, size_t at, size_t size) {
    memmove(records->bytes + at, records->bytes + at + size, records->size - at - size);
    resize(records, records->size - size);
}

const struct access *agent_access_of(const struct open_access *open) { return (const struct access *)(open + 1); }

static char *result_of(const struct open_access *open) { return (char *)access_next(agent_access_of(open)); }

struct public_window *agent_find_window(uint64_t name) {
    for (size_t i = 0; i < windows; i++) {
        if (window[i].name == name)
            return &window[i];
    }
    return NULL;
}

const struct public_window *agent_window_at(size_t i) { return i < windows ? &window[i] : NULL; }

/* ---- replies ---- */

void agent_reply(int origin, const struct agent_request *request, const struct agent_reply *head, const void *bytes) {
    if (request->reply == 0)
        return;
    size_t before = request->bare ? 0 : sizeof *head;
    char *part = hidden_send(NULL, request->replies, origin, (int)request->reply, before + head->size);
    memcpy(part, head, before);
    memcpy(part + before, bytes, head->size);
}

void agent_note_fault(struct public_window *in, int origin, uint64_t kind, const struct access *first,
                      const struct access *second, const struct access_run *at) {
    size_t place = 0;
    while (place < in->faults && in->fault[place].origin < origin)
        place++;
    if (place < in->faults && in->fault[place].origin == origin)
        return; /* the first one counts */
    in->fault = realloc(in->fault, (in->faults + 1) * sizeof *in->fault);
    memmove(&in->fault[place + 1], &in->fault[place], (in->faults++ - place) * sizeof *in->fault);
    in->fault[place] = (struct noted_fault){.origin = origin, .fault = {.fault = kind, .at = *at}};
    if (first != NULL)
        in->fault[place].fault.first = *first;
    in->fault[place].fault.second = *second;
}

struct agent_reply agent_take_fault(struct public_window *in, int origin) {
    struct agent_reply head = {0};
    for (size_t i = 0; i < in->faults; i++) {
        if (in->fault[i].origin != origin)
            continue;
        head = in->fault[i].fault;
        memmove(&in->fault[i], &in->fault[i + 1], (--in->faults - i) * sizeof *in->fault);
        if (in->faults == 0) {
            free(in->fault);
            in->fault = NULL;
        }
        break;
    }
    return head;
}

/* ---- the owner's copy ---- */

static bool overlaps(const struct access *a, const struct access *b, struct access_run *at) {
    return access_relate(a, b, at) == ACCESS_CONFLICT;
}

void agent_check_open(struct public_window *in, int origin, const struct access *stores) {
    struct access_run at;
    for (size_t i = 0; i < in->open.size;) {
        const struct open_access *open = (const struct open_access *)(in->open.bytes + i);
        if (overlaps(agent_access_of(open), stores, &at))
            agent_note_fault(in, origin, AGENT_CONFLICT, agent_access_of(open), stores, &at);
        i += open->size;
    }
}

static void check_stores(struct public_window *in, const struct access *stores) {
    struct access_run at;
    struct access *changed = access_of_stores(&in->memory, &in->shadow, owner(), 0, 0);
    if (changed != NULL && overlaps(changed, stores, &at))
        agent_note_fault(in, owner(), AGENT_STALE, NULL, stores, &at);
    free(changed);
    agent_check_open(in, owner(), stores);
    closed_check(in, stores);
}

static void take_stores(struct public_window *in, const struct access *stores) {
    check_stores(in, stores);
    overlaps_check_open(in, owner(), stores);
    access_apply(&in->memory, stores, NULL);
    access_apply(&in->shadow, stores, NULL);
    overlaps_copy_memory(in, stores);
    overlaps_copy_shadow(in, stores);
}

/* Appends what the access is to, unless that is what was appended last: *last, from where on it is. */
static char *append_place(char *bytes, uint64_t *size, uint64_t *last, const struct access *access) {
    struct access *place = access_copy_place(access);
    if (*last >= *size || *size - *last != place->size || memcmp(bytes + *last, place, place->size) != 0) {
        bytes = realloc(bytes, *size + place->size);
        memcpy(bytes + *size, place, place->size);
        *last = *size;
        *size += place->size;
    }
    free(place);
    return bytes;
}

/* Those of others that change the window and have not been completed. */
static char *append_open(const struct public_window *in, const struct agent_request *request, char *bytes, uint64_t *size) {
    uint64_t last = *size;
    for (size_t i = 0; i < in->open.size;) {
        const struct open_access *open = (const struct open_access *)(in->open.bytes + i);
        const struct access *access = agent_access_of(open);
        if (access->origin != owner() && !access_only_reads(access) && agent_is_wanted(request, access))
            bytes = append_place(bytes, size, &last, access);
        i += open->size;
    }
    return bytes;
}

/* What others changed since the owner was told last, there if not anywhere, which it is now; to be freed. */
static struct access *take_changes(struct public_window *in, const struct spans *there) {
    struct access *changes = access_of_stores(&in->memory, &in->shadow, owner(), 0, 0);
    if (changes != NULL && there != NULL) {
        struct access *all = changes;
        changes = access_part(all, there, true);
        free(all);
    }
    if (changes != NULL) {
        access_apply(&in->shadow, changes, NULL);
        overlaps_copy_shadow(in, changes);
    }
    return changes;
}

const struct spans *agent_spans(const struct agent_request *request, struct spans *room) {
    if (request->verb != AGENT_RECONCILE || request->parts == 0)
        return NULL;
    *room = (struct spans){.count = request->parts};
    memcpy(room->span, request + 1, room->count * sizeof *room->span);
    return room;
}

bool agent_is_wanted(const struct agent_request *request, const struct access *access) {
    struct spans room;
    const struct spans *there = agent_spans(request, &room);
    const bool is_of_phase = access->kind == ACCESS_PUT && access->heard == request->phase;
    return (request->delivers == AGENT_DELIVERS || (request->delivers == AGENT_ASKS && is_of_phase)) &&
           (there == NULL || access_meets(access, there));
}

/* Replies with that, if it is wanted, and then with what others still access, or may as far as the owner knows. */
static void return_changes(struct public_window *in, const struct agent_request *request) {
    struct agent_reply head = agent_take_fault(in, owner());
    struct spans room;
    const struct spans *there = agent_spans(request, &room);
    struct access *changes = request->delivers == AGENT_DELIVERS ? take_changes(in, there) : NULL;
    head.size = changes == NULL ? 0 : changes->size;
    char *body = append_open(in, request, (char *)changes, &head.size);
    body = closed_append(in, request, body, &head.size);
    if (request->delivers == AGENT_DELIVERS && there != NULL)
        closed_forget_at(in, there);
    else if (request->delivers == AGENT_DELIVERS)
        closed_forget(in);
    else if (request->delivers == AGENT_ASKS)
        closed_forget_over(in, (uint8_t)request->phase);
    agent_reply(owner(), request, &head, body);
    free(body);
}

/* ---- accesses ---- */

/* Where those of the origin end. */
static size_t end_of(const struct public_window *in, int origin) {
    size_t at = 0;
    while (at < in->open.size) {
        const struct open_access *open = (const struct open_access *)(in->open.bytes + at);
        if (agent_access_of(open)->origin > origin)
            break;
        at += open->size;
    }
    return at;
}

static size_t open_size(const struct access *access) {
    return sizeof(struct open_access) + access->size + (access->result + 7) / 8 * 8;
}

static void check_open(struct public_window *in, const struct access *access, const char *bytes, size_t size) {
    const char *end = bytes + size;
    struct access_run at;
    for (const struct open_access *open; bytes < end; bytes += open->size) {
        open = (const struct open_access *)bytes;
        if (access_relate(agent_access_of(open), access, &at) == ACCESS_CONFLICT)
            agent_note_fault(in, access->origin, AGENT_CONFLICT, agent_access_of(open), access, &at);
    }
}

static void check_used(struct public_window *in, const struct access *access) {
    const struct access *end = (const struct access *)(in->own_uses.bytes + in->own_uses.size);
    struct access_run at;
    for (const struct access *use = (const struct access *)in->own_uses.bytes; use < end; use = access_next(use)) {
        if (access->origin != owner() && access_relate(use, access, &at) == ACCESS_CONFLICT)
            agent_note_fault(in, access->origin, AGENT_CONFLICT, use, access, &at);
    }
}

/* Of those that are new the owner is told what they meet. */
static void use(struct public_window *in, const char *bytes, size_t size) {
    agent_cut(&in->own_uses, 0, in->own_uses.size);
    agent_insert(&in->own_uses, 0, bytes, size);
    const struct access *end = (const struct access *)(bytes + size);
    struct access_run at;
    for (const struct access *use = (const struct access *)bytes; use < end; use = access_next(use)) {
        for (size_t i = 0; i < in->open.size;) {
            const struct open_access *open = (const struct open_access *)(in->open.bytes + i);
            const struct access *access = agent_access_of(open);
            if (access->origin != owner() && access_relate(access, use, &at) == ACCESS_CONFLICT)
                agent_note_fault(in, owner(), AGENT_CONFLICT, access, use, &at);
            i += open->size;
        }
    }
}

/* The rank is told. */
static void check_lost(struct public_window *in, int rank, const struct access *access) {
    struct access_run at;
    if (access_meets_lost(&in->memory, access, &at))
        agent_note_fault(in, rank, AGENT_LOST, NULL, access, &at);
}

/* What is where the access is to; to be freed. */
static char *content_of(const struct public_window *in, const struct access *access, size_t *size) {
    struct access *place = access_copy_place(access);
    *size = 0;
    for (uint64_t i = 0; i < place->runs; i++)
        *size += access_runs(place)[i].length;
    place->kind = ACCESS_GET;
    char *content = malloc(*size + 1);
    access_apply(&in->memory, place, content);
    free(place);
    return content;
}

/* True: it has left something else than there was. */
static bool apply(const struct public_window *in, const struct access *access, char *result) {
    size_t size;
    char *before = content_of(in, access, &size);
    access_apply(&in->memory, access, result);
    char *now = content_of(in, access, &size);
    const bool changed = memcmp(before, now, size) != 0;
    free(before);
    free(now);
    return changed;
}

/* The access becomes an open one. */
static void do_access(struct public_window *in, const struct access *access, uint8_t exposed, struct open_access *open) {
    struct access_run nowhere = {0, 0};
    *open = (struct open_access){.size = open_size(access), .exposed = exposed};
    memcpy(open + 1, access, access->size);
    if (!access_fits(&in->memory, access)) {
        agent_note_fault(in, access->origin, AGENT_OUTSIDE, NULL, access, &nowhere);
        return;
    }
    overlaps_check_open(in, access->origin, access);
    check_used(in, access);
    check_lost(in, access->origin, access);
    agent_note_operator(in, access);
    open->changed = apply(in, access, result_of(open));
    if (!access_only_reads(access))
        overlaps_copy_memory(in, access);
}

/* Are there two among all of these that must not meet? */
static bool any_conflict(const struct public_window *in, const char *bytes, size_t size, size_t count) {
    size_t listed = 0;
    for (size_t i = 0; i < in->open.size; i += ((const struct open_access *)(in->open.bytes + i))->size)
        count++;
    const struct access **access = malloc((count + 1) * sizeof(struct access *));
    for (size_t i = 0; i < in->open.size; i += ((const struct open_access *)(in->open.bytes + i))->size)
        access[listed++] = agent_access_of((const struct open_access *)(in->open.bytes + i));
    const struct access *end = (const struct access *)(bytes + size);
    for (const struct access *at = (const struct access *)bytes; at < end; at = access_next(at))
        access[listed++] = at;
    const bool any = accesses_any_conflict(access, listed);
    free(access);
    return any;
}

/* What comes in one message may be thousands of accesses. Of these it is first found out whether any is in conflict at all; only then
 * each is compared with each, for which ones they are. */
static void do_all(struct public_window *in, int origin, uint8_t exposed, const char *bytes, size_t size) {
    const struct access *end = (const struct access *)(bytes + size);
    size_t room = 0, count = 0;
    for (const struct access *at = (const struct access *)bytes; at < end; at = access_next(at), count++)
        room += open_size(at);
    const bool in_doubt = count == 1 || any_conflict(in, bytes, size, count);
    const size_t place = end_of(in, origin);
    char *open = make_room(&in->open, place, room), *behind = open + room;
    const size_t others = in->open.size - place - room;
    for (const struct access *at = (const struct access *)bytes; at < end; open += open_size(at), at = access_next(at)) {
        if (in_doubt && access_fits(&in->memory, at)) {
            check_open(in, at, in->open.bytes, (size_t)(open - in->open.bytes));
            check_open(in, at, behind, others);
        }
        do_access(in, at, exposed, (struct open_access *)open);
        in->brought += exposed == EXPOSED_BY_FENCE;
    }
}

static bool is_wanted_back(const struct open_access *open, int origin) {
    return agent_access_of(open)->origin == origin && !open->returned;
}

/* The results that the origin does not have yet; to be freed. */
static char *collect_results(struct public_window *in, int origin, uint64_t *size) {
    struct open_access *open;
    *size = 0;
    for (size_t i = 0; i < in->open.size; i += open->size) {
        open = (struct open_access *)(in->open.bytes + i);
        *size += is_wanted_back(open, origin) ? agent_access_of(open)->result : 0;
    }
    char *results = malloc(*size + 1), *at = results;
    for (size_t i = 0; i < in->open.size; i += open->size) {
        open = (struct open_access *)(in->open.bytes + i);
        if (!is_wanted_back(open, origin))
            continue;
        memcpy(at, result_of(open), agent_access_of(open)->result);
        at += agent_access_of(open)->result;
        open->returned = 1;
    }
    return results;
}

/* The access becomes complete by the request. */
static void note_complete(struct public_window *in, const struct open_access *open, const struct agent_request *request) {
    closed_note(in, open);
    overlaps_note_passed(in, open, request);
}

/* The result, to be freed, of the last access that the origin has not completed. It is over if it changes nothing: an accumulate is
 * not complete at the target when its result is there (section 11.3.5). */
static char *return_last(struct public_window *in, int origin, const struct agent_request *request, uint64_t *size) {
    size_t last = 0;
    for (size_t i = 0; i < in->open.size;) {
        const struct open_access *open = (const struct open_access *)(in->open.bytes + i);
        if (agent_access_of(open)->origin == origin)
            last = i;
        i += open->size;
    }
    struct open_access *open = (struct open_access *)(in->open.bytes + last);
    *size = agent_access_of(open)->result;
    char *result = malloc(*size);
    memcpy(result, result_of(open), *size);
    open->returned = 1;
    if (access_only_reads(agent_access_of(open))) {
        note_complete(in, open, request);
        agent_cut(&in->open, last, open->size);
    }
    return result;
}

void agent_end_open(struct public_window *in, bool (*ends)(const struct open_access *open, void *context), void *context) {
    size_t kept = 0;
    for (size_t i = 0, next; i < in->open.size; i = next) {
        const struct open_access *open = (const struct open_access *)(in->open.bytes + i);
        const size_t size = open->size;
        next = i + size;
        if (ends(open, context))
            continue;
        if (kept < i)
            memmove(in->open.bytes + kept, open, size);
        kept += size;
    }
    agent_cut(&in->open, kept, in->open.size - kept);
}

/* Accesses of an origin become complete. `local`: at the origin only, which is all there is to those that change nothing. */
struct closing {
    struct public_window *in;
    int origin;
    const struct agent_request *request;
    bool local;
};

static bool closes(const struct open_access *open, void *context) {
    const struct closing *closing = context;
    const struct access *access = agent_access_of(open);
    if (access->origin != closing->origin || (closing->local && !access_only_reads(access)))
        return false;
    note_complete(closing->in, open, closing->request);
    return true;
}

static void close_accesses(struct public_window *in, int origin, const struct agent_request *request, bool local) {
    agent_end_open(in, closes, &(struct closing){in, origin, request, local});
}

static void unlock(struct public_window *in, int origin) {
    in->held[origin] = HELD_NOT;
    in->holders--;
    in->exclusive = -1;
}

static void do_accesses(struct public_window *in, int origin, const struct agent_request *request, const char *bytes,
                        size_t size) {
    const bool is_owners = exposed_is_owners(in, request);
    if (size > 0 && !is_owners)
        do_all(in, origin, request->exposed, bytes, size);
    if (is_owners) {
        exposed_do_accesses(in, origin, request, bytes, size);
    } else if (request->bare) {
        uint64_t result_size;
        char *result = return_last(in, origin, request, &result_size);
        agent_reply(origin, request, &(struct agent_reply){.size = result_size}, result);
        free(result);
    } else if (request->reply != 0) {
        struct agent_reply head = agent_take_fault(in, origin);
        char *results = collect_results(in, origin, &head.size);
        agent_reply(origin, request, &head, results);
        free(results);
        close_accesses(in, origin, request, true);
    }
    if (request->closes)
        close_accesses(in, origin, request, false);
    if (request->unlocks && request->exposed)
        exposed_end(in, origin);
    else if (request->unlocks)
        unlock(in, origin);
}

/* ---- requests ---- */

/* Those that are still there. */
static void forget_segments(struct window_memory *memory) {
    for (size_t i = 0; i < memory->regions; i++)
        memory->region[i].bytes = memory->region[i].lost ? memory->region[i].bytes : NULL;
}

static void give_up_window(uint64_t name) {
    struct public_window *old = agent_find_window(name);
    if (old == NULL)
        return;
    bytes_take_from_others(old);
    if (old->is_within)
        forget_segments(&old->memory);
    window_memory_free(&old->memory);
    window_memory_free(&old->shadow);
    views_end(old);
    free(old->held);
    free(old->listens);
    window_memory_free(&old->posted);
    free(old->used);
    free(old->closed.bytes);
    free(old->own_uses.bytes);
    free(old->passed.bytes);
    size_t behind = (size_t)(&window[--windows] - old);
    memmove(old, old + 1, behind * sizeof *old);
}

static struct public_window *add_window(const struct agent_request *request) {
    window = realloc(window, (windows + 1) * sizeof *window);
    struct public_window *made = &window[windows++];
    *made = (struct public_window){.name = request->window, .base = request->start, .exclusive = -1};
    made->held = calloc((size_t)rank_count(), sizeof *made->held);
    made->listens = calloc((size_t)rank_count(), sizeof *made->listens);
    return made;
}

/* Returns what follows them. */
static const char *give_up_windows(const char *bytes) {
    uint64_t gone;
    memcpy(&gone, bytes, sizeof gone);
    bytes += sizeof gone;
    for (uint64_t i = 0; i < gone; i++, bytes += sizeof(uint64_t)) {
        uint64_t name;
        memcpy(&name, bytes, sizeof name);
        give_up_window(name);
    }
    return bytes;
}

static void create_within(const struct agent_request *request, const char *bytes) {
    const struct part_of_segment *part = (const struct part_of_segment *)give_up_windows(bytes);
    bytes_create_within(add_window(request), part, request->parts);
}

static void create(const struct agent_request *request, const char *bytes) {
    bytes = give_up_windows(bytes);
    struct public_window *made = add_window(request);
    window_memory_read(&made->memory, bytes);
    if (request->parts > 0)
        views_begin(made);
    else
        window_memory_read(&made->shadow, bytes);
    overlaps_begin(made);
}

static void remove_region(struct window_memory *memory, int64_t start) {
    size_t at = 0;
    while (memory->region[at].start != start)
        at++;
    free(memory->region[at].bytes);
    memmove(&memory->region[at], &memory->region[at + 1], (--memory->regions - at) * sizeof *memory->region);
}

static void lose_region(struct public_window *in, int64_t start) {
    for (size_t i = 0; i < in->memory.regions; i++)
        in->memory.region[i].lost |= in->memory.region[i].start == start;
    for (size_t i = 0; i < in->open.size;) {
        const struct open_access *open = (const struct open_access *)(in->open.bytes + i);
        check_lost(in, owner(), agent_access_of(open));
        i += open->size;
    }
}

static void hold(struct public_window *in, int origin, const struct agent_request *request) {
    in->held[origin] = request->unchecked ? HELD_UNCHECKED : HELD;
    in->holders++;
    if (request->lock == MPI_LOCK_EXCLUSIVE)
        in->exclusive = origin;
}

static void lock(struct public_window *in, int origin, const struct agent_request *request) {
    hold(in, origin, request);
    if (in->view != NULL || in->is_within)
        agent_reply(origin, request, &(struct agent_reply){0}, NULL);
    else if (request->reply != 0)
        return_changes(in, request);
}

/* Must the request wait until others release their locks? Where all locks are shared nobody asks for them. */
static bool must_wait(const struct public_window *in, int origin, const struct agent_request *request) {
    if (request->exposed != EXPOSED_NOT)
        return exposed_must_wait(in, origin, request);
    if (in->view != NULL || in->is_within ? !rank_agents_lock_segments() : rank_agents() < AGENTS_EXCLUSIVE)
        return false;
    if (request->lock != 0)
        return request->lock == MPI_LOCK_EXCLUSIVE ? in->holders > 0 : in->exclusive >= 0;
    return request->verb == AGENT_ACCESS && in->held[origin] == HELD_NOT;
}

/* MPI_MODE_NOCHECK says that nobody holds a lock, or asks for one, that this one excludes (MPI-3.1 section 11.5.5). This one
 * has been asked for, and has to wait. */
static void check_unchecked(struct public_window *in, int origin, const struct agent_request *request) {
    for (int rank = 0; rank < rank_count(); rank++) {
        const bool excludes = in->held[rank] != HELD_NOT && (request->lock == MPI_LOCK_EXCLUSIVE || in->exclusive == rank);
        if (excludes && (request->unchecked || in->held[rank] == HELD_UNCHECKED)) {
            const struct access_run nowhere = {0, 0};
            agent_note_fault(in, origin, AGENT_UNCHECKED, NULL, &(struct access){.origin = rank}, &nowhere);
        }
    }
}

/* A reply that says nothing but what went wrong. */
static void reply_done(struct public_window *in, int origin, const struct agent_request *request) {
    struct agent_reply head = {0};
    if (request->reply != 0)
        head = agent_take_fault(in, origin);
    agent_reply(origin, request, &head, NULL);
}

static void serve(struct public_window *in, int origin, const struct agent_request *request, const char *bytes, size_t size) {
    static const struct agent_reply done;
    switch (request->verb) {
    case AGENT_ATTACH:
        window_memory_append(&in->memory, bytes);
        window_memory_append(&in->shadow, bytes);
        overlaps_begin(in);
        agent_reply(origin, request, &done, NULL);
        break;
    case AGENT_DETACH:
        remove_region(&in->memory, request->start);
        remove_region(&in->shadow, request->start);
        agent_reply(origin, request, &done, NULL);
        break;
    case AGENT_LOSE:
        lose_region(in, request->start);
        if (in->is_within)
            reply_done(in, origin, request);
        else
            return_changes(in, request);
        break;
    case AGENT_RECONCILE:
        if (size > request->parts * sizeof(struct wire_span))
            take_stores(in, (const struct access *)(bytes + request->parts * sizeof(struct wire_span)));
        return_changes(in, request);
        break;
    case AGENT_PASSED: overlaps_return_passed(in, origin, request); break;
    case AGENT_USE:
        use(in, bytes, size);
        reply_done(in, origin, request);
        break;
    case AGENT_LOCK: lock(in, origin, request); break;
    case AGENT_SHARE: views_share(origin, request, bytes, size); break;
    case AGENT_EXPOSE: exposed_begin(in, request); break;
    case AGENT_CONCLUDE: exposed_conclude(in, origin, request); break;
    default:
        if (request->lock != 0)
            hold(in, origin, request);
        do_accesses(in, origin, request, bytes, size);
        break;
    }
}

/* Serves the first request that need not wait any more. False: there is none. Every order of grants is explored by
 * serving them in the order of arrival, as each may arrive as late as it likes. */
static bool serve_waiting(struct public_window *in) {
    for (size_t at = 0; at < in->waiting.size;) {
        const struct waiting_request *waiting = (const struct waiting_request *)(in->waiting.bytes + at);
        const struct agent_request *request = (const struct agent_request *)(waiting + 1);
        if (must_wait(in, (int)waiting->origin, request)) {
            at += waiting->size;
            continue;
        }
        serve(in, (int)waiting->origin, request, (const char *)(request + 1),
              waiting->size - sizeof *waiting - sizeof *request);
        agent_cut(&in->waiting, at, waiting->size);
        return true;
    }
    return false;
}

static void put_off(struct public_window *in, int origin, const struct agent_request *request, size_t size) {
    struct waiting_request head = {sizeof head + size, origin};
    agent_insert(&in->waiting, in->waiting.size, &head, sizeof head);
    agent_insert(&in->waiting, in->waiting.size, request, size);
}

static void handle(int origin, const struct agent_request *request, size_t size) {
    static const struct agent_reply done;
    const char *bytes = (const char *)(request + 1);
    if (request->verb == AGENT_CREATE) {
        create(request, bytes);
        agent_reply(origin, request, &done, NULL);
        return;
    }
    if (request->verb == AGENT_CREATE_WITHIN) {
        create_within(request, bytes);
        agent_reply(origin, request, &done, NULL);
        return;
    }
    struct public_window *in = agent_find_window(request->window);
    if (must_wait(in, origin, request)) {
        if (request->lock != 0)
            check_unchecked(in, origin, request);
        put_off(in, origin, request, size);
        return;
    }
    serve(in, origin, request, bytes, size - sizeof *request);
    while (serve_waiting(in))
        continue;
}

/* Whom to listen to. Before the first window only the owner has anything to say; while the only window is held
 * exclusively, what others ask has to wait anyway, and so it is left in the network, where its order is none; unless there is an
 * access in progress, which the owner may meet, or nobody may ask for a lock (MPI_MODE_NOCHECK). */
static int32_t next_source(void) {
    if (holder >= 0)
        return holder;
    if (rank_file_agents() != FILES_NONE)
        return WIRE_ANY_SOURCE;
    if (windows == 0)
        return owner();
    const struct public_window *only = rank_agents() == AGENTS_EXCLUSIVE && windows == 1 ? &window[0] : NULL;
    if (only != NULL && only->exclusive >= 0 && only->held[only->exclusive] == HELD && only->open.size == 0)
        return only->exclusive;
    return WIRE_ANY_SOURCE;
}

/* Does nobody wait for a lock, or hold one alone on more than one window? `locked`: that window's name, 0 if there is none. */
static bool is_calm(uint64_t *locked) {
    *locked = 0;
    for (size_t i = 0; i < windows; i++) {
        if (window[i].waiting.size > 0 || (window[i].exclusive >= 0 && *locked != 0))
            return false;
        if (window[i].exclusive >= 0)
            *locked = window[i].name;
    }
    return file_server_is_calm();
}

/* What was called before has left traces on the stack, which must not tell states apart: see EXPORT. */
__attribute__((noinline)) static void clear_stack_below(void) {
    volatile char below[16384];
    for (size_t i = 0; i < sizeof below; i++)
        below[i] = 0;
}

/* A function of its own, so that nothing of one request is in a register when the next one is waited for. */
__attribute__((noinline)) static void serve_one(void) {
    static const uint32_t request = 0;
    uint64_t locked;
    const bool calm = is_calm(&locked);
    struct wire_operation operation = {
        .kind = WIRE_RECEIVE,
        .mode = calm ? WIRE_CALM : WIRE_FATAL_ERRORS,
        .agreement = calm && locked != 0 ? touches_announce_alone(locked) : 0,
        .request = request,
        .context = WIRE_AGENTS_CONTEXT,
        .peer = next_source(),
        .tag = WIRE_ANY_TAG,
        .capacity = UINT64_MAX,
    };
    rank_issue(&operation);
    struct wire_call call = {.kind = WIRE_CALL_WAIT_ALL, .requests = 1, .peer = -1};
    const struct wire_completion *completion = rank_completion(rank_block(&call, &request), 0);
    if (completion->tag & WIRE_TO_FILE)
        file_server_serve(completion->source, rank_completion_data(completion), completion->data);
    else
        handle(completion->source, rank_completion_data(completion), completion->data);
}

__attribute__((noinline)) static _Noreturn void serve_for_ever(void) {
    for (;;) {
        clear_stack_below();
        serve_one();
    }
}

void window_agent_run(void) {
    agents_announce(); /* the explorer must not hear of the context before it knows who may send there */
    clear_stack_below();
    serve_for_ever();
}
