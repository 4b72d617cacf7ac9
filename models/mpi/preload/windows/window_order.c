/* Doing what several origins asked of one window at the same time. The order in which it is done is no order of messages,
 * so it is a choice of its own wherever it shows: among the accesses that could be next, and that overlap, the explorer
 * picks one. */
#include "ckpt/channel.h"
#include "models/mpi/functions.h"
#include "models/mpi/operator_names.h"
#include "models/mpi/preload/buffers/pending_buffers.h"
#include "models/mpi/preload/point_to_point/hidden_messages.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_announced.h"
#include "models/mpi/preload/windows/window_beside.h"
#include "models/mpi/preload/windows/window_lost.h"
#include "models/mpi/preload/windows/window_told.h"
#include "models/mpi/preload/windows/windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Accesses being done. */
struct work {
    const struct caller *caller;
    struct window *window;
    size_t count;
    const struct access **access;
    char **result; /* where each one's result goes */
    bool *done;
    size_t first;                  /* all before it are done */
    struct neighbours *neighbours; /* of each one */
    const struct window_memory
        *atomic; /* what is there by those from whose places something is fetched; NULL: they are to be done */
};

/* The accesses that overlap one so that their order shows; some may be in the list more than once. */
struct neighbours {
    uint32_t *other;
    size_t count;
};

static const char *kind_of(const struct access *access) {
    switch (access->kind) {
    case ACCESS_PUT: return "a put";
    case ACCESS_GET: return "a get";
    case ACCESS_COMPARE_AND_SWAP: return "a compare-and-swap";
    case ACCESS_GIVEN:
    case ACCESS_TAKEN: return "a buffer of an access";
    default: return "an accumulate";
    }
}

enum { TEXT = 96 };

static const char *tell_who(char text[TEXT], const struct access *access) {
    if (access->kind == ACCESS_STORE)
        snprintf(text, TEXT, "rank %d's own stores", access->origin);
    else
        snprintf(text, TEXT, "%s of rank %d", kind_of(access), access->origin);
    return text;
}

static const char *tell_bytes(char text[TEXT], int64_t offset, uint64_t length) {
    if (length == 1)
        snprintf(text, TEXT, "byte %lld", (long long)offset);
    else
        snprintf(text, TEXT, "bytes %lld to %lld", (long long)offset, (long long)(offset + (int64_t)length - 1));
    return text;
}

/* Why two that are atomic must not meet, where they alone tell. */
static const char *tell_mixture(char text[TEXT], const struct access *first, const struct access *second) {
    *text = 0;
    if (!access_is_atomic(first) || !access_is_atomic(second))
        return text;
    if (first->type != second->type)
        snprintf(text, TEXT, ": their datatypes differ");
    else if (access_relate_overlapping(first, second) == ACCESS_CONFLICT)
        snprintf(text, TEXT, ": %s and %s must not meet", operator_name((uint32_t)first->op),
                 operator_name((uint32_t)second->op));
    return text;
}

static _Noreturn void conflict(const struct caller *caller, int target, const struct access *first, const struct access *second,
                               const struct access_run *at, const char *when) {
    const struct access *both[] = {first, second};
    struct wire_place place[2] = {{0}};
    char who[2][TEXT], bytes[TEXT], mixture[TEXT];
    for (int i = 0; i < 2; i++) {
        if (both[i]->kind != ACCESS_STORE)
            place[i] = (struct wire_place){.site = both[i]->site, .rank = both[i]->origin, .function = both[i]->function};
    }
    rank_violation_at("rma-conflict", caller->function, caller->site, place, "%s and %s are to %s of the window of rank %d%s%s",
                      tell_who(who[0], first), tell_who(who[1], second), tell_bytes(bytes, at->offset, at->length), target,
                      when, tell_mixture(mixture, first, second));
}

void window_conflict(const struct caller *caller, int target, const struct access *first, const struct access *second,
                     const struct access_run *at) {
    conflict(caller, target, first, second, at, ", and nothing orders them");
}

/* Begins to receive a message to itself, which is there, for each alternative. Those with equal tags keep their order. */
static void offer(const struct caller *caller, uint64_t context, uint32_t count, const struct access *const *access,
                  uint32_t *request) {
    for (uint32_t i = 0; i < count; i++) {
        const struct caller maker = access != NULL ? (struct caller){access[i]->function, access[i]->site} : *caller;
        const int tag = WIRE_ALTERNATIVES + (access != NULL ? access[i]->origin : (int)i);
        hidden_send(&maker, context, rank_number(), tag, 0);
        request[i] = hidden_receive(&maker, context, rank_number(), tag);
    }
}

/* Which of as many messages to itself, all there, a rank is told of. */
uint32_t window_choose(const struct caller *caller, uint64_t context, uint32_t count, const struct access *const *access) {
    uint32_t *request = calloc(count, sizeof *request);
    offer(caller, context, count, access, request);
    struct wire_call call = {
        .kind = WIRE_CALL_WAIT_ANY, .function = caller->function, .requests = count, .peer = -1, .site = caller->site};
    uint32_t chosen = rank_completion(rank_block_unhooked(&call, request), 0)->index;
    struct wire_operation operation = {
        .kind = WIRE_FREE, .function = caller->function, .context = context, .peer = rank_number(), .site = caller->site};
    for (uint32_t i = 0; i < count; i++) {
        operation.request = request[i];
        if (i != chosen)
            rank_issue(&operation);
        hidden_request_release(request[i]);
    }
    free(request);
    return chosen;
}

static void begin(struct work *work, const char *batch, size_t size) {
    const struct access *end = (const struct access *)(batch + size);
    for (const struct access *at = (const struct access *)batch; at < end; at = access_next(at))
        work->count++;
    work->access = calloc(work->count + 1, sizeof(struct access *));
    work->result = calloc(work->count + 1, sizeof(char *));
    work->done = calloc(work->count + 1, sizeof *work->done);
    work->neighbours = calloc(work->count + 1, sizeof *work->neighbours);
    size_t i = 0;
    for (const struct access *at = (const struct access *)batch; at < end; at = access_next(at))
        work->access[i++] = at;
}

static void end(struct work *work) {
    free(work->access);
    free(work->result);
    free(work->done);
    for (size_t i = 0; i < work->count; i++)
        free(work->neighbours[i].other);
    free(work->neighbours);
}

/* Bytes of the window that an access is to: `from` to before `to`. */
struct span {
    int64_t from, to;
    size_t access;
};

static int by_beginning(const void *one, const void *other) {
    const struct span *a = one, *b = other;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->access < b->access ? -1 : a->access > b->access;
}

/* All spans, sorted; to be freed. */
static struct span *list_spans(const struct work *work, size_t *spans) {
    size_t room = 0;
    for (size_t i = 0; i < work->count; i++)
        room += work->access[i]->runs;
    struct span *span = calloc(room + 1, sizeof *span);
    *spans = 0;
    for (size_t i = 0; i < work->count; i++) {
        for (uint64_t k = 0; k < work->access[i]->runs; k++) {
            const struct access_run *run = &access_runs(work->access[i])[k];
            if (run->length > 0)
                span[(*spans)++] = (struct span){run->offset, run->offset + (int64_t)run->length, i};
        }
    }
    qsort(span, *spans, sizeof *span, by_beginning);
    return span;
}

static void add_neighbour(struct neighbours *neighbours, uint32_t other) {
    if (neighbours->count > 0 && neighbours->other[neighbours->count - 1] == other)
        return;
    if ((neighbours->count & (neighbours->count + 1)) == 0) /* room for 1, 3, 7 ... */
        neighbours->other = realloc(neighbours->other, (2 * neighbours->count + 1) * sizeof *neighbours->other);
    neighbours->other[neighbours->count++] = other;
}

/* Two accumulates of one origin to the same place are done in program order (section 11.7.1), so only different origins'
 * are a matter of choice. */
static void relate(struct work *work, const struct span *one, const struct span *other) {
    size_t a = one->access < other->access ? one->access : other->access;
    size_t b = one->access < other->access ? other->access : one->access;
    if (a == b)
        return;
    enum access_relation relation = access_relate_overlapping(work->access[a], work->access[b]);
    if (relation == ACCESS_CONFLICT) {
        int64_t from = one->from > other->from ? one->from : other->from;
        int64_t to = one->to < other->to ? one->to : other->to;
        struct access_run at = {from, (uint64_t)(to - from)};
        window_conflict(work->caller, rank_number(), work->access[a], work->access[b], &at);
    }
    if (relation == ACCESS_ORDERED) {
        add_neighbour(&work->neighbours[a], (uint32_t)b);
        add_neighbour(&work->neighbours[b], (uint32_t)a);
    }
}

/* Those of the open spans that end behind the beginning of `span`, related to it. */
static size_t relate_open(struct work *work, const struct span **open, size_t count, const struct span *span) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (open[i]->to <= span->from)
            continue;
        relate(work, open[i], span);
        open[kept++] = open[i];
    }
    return kept;
}

/* Meets the spans in the order of their beginnings, with those at hand that have not ended: those of reading accesses apart, as
 * these do not matter to each other. */
static void relate_all(struct work *work) {
    size_t spans;
    struct span *span = list_spans(work, &spans);
    const struct span **reading = calloc(spans + 1, sizeof(struct span *));
    const struct span **changing = calloc(spans + 1, sizeof(struct span *));
    size_t readings = 0, changings = 0;
    for (size_t i = 0; i < spans; i++) {
        bool reads = access_only_reads(work->access[span[i].access]);
        changings = relate_open(work, changing, changings, &span[i]);
        if (reads) {
            reading[readings++] = &span[i];
            continue;
        }
        readings = relate_open(work, reading, readings, &span[i]);
        changing[changings++] = &span[i];
    }
    free(reading);
    free(changing);
    free(span);
}

static void check_stores(struct work *work) {
    struct window *window = work->window;
    struct access_run at;
    struct access *stores =
        access_of_stores(&window->memory, &window->shadow, rank_number(), work->caller->function, work->caller->site);
    for (size_t i = 0; i < work->count && stores != NULL; i++) {
        if (access_relate(work->access[i], stores, &at) == ACCESS_CONFLICT)
            conflict(work->caller, rank_number(), work->access[i], stores, &at, " in one epoch");
    }
    free(stores);
}

/* A part of the window's memory in one piece, to which an access is. */
struct part {
    uintptr_t from, to;
    int64_t offset;
};

/* Takes the first part off the run; false: there is none left. */
static bool next_part(const struct work *work, struct access_run *run, struct part *part) {
    const int64_t offset = run->offset;
    uint64_t length;
    const uintptr_t at = (uintptr_t)window_memory_take(&work->window->memory, run, &length);
    *part = (struct part){at, at + length, offset};
    return at != 0;
}

typedef void use_part(const struct work *work, const struct access *access, const struct part *part, struct part *whole);

static void for_each_part(const struct work *work, use_part *use, struct part *whole) {
    struct part part;
    for (size_t i = 0; i < work->count; i++) {
        for (uint64_t k = 0; k < work->access[i]->runs; k++) {
            struct access_run run = access_runs(work->access[i])[k];
            while (next_part(work, &run, &part))
                use(work, work->access[i], &part, whole);
        }
    }
}

/* With a call of the owner's, which `before` and `behind` say what it has to do with these bytes. */
static void conflict_with_call(const struct work *work, const struct access *access, const struct part *part,
                               const struct caller *call, const char *before, const char *behind) {
    const struct wire_place place[2] = {{.site = access->site, .rank = access->origin, .function = access->function},
                                        {.site = call->site, .rank = rank_number(), .function = call->function}};
    char bytes[TEXT];
    rank_violation_at("rma-conflict", work->caller->function, work->caller->site, place,
                      "%s of rank %d is to %s of the window of rank %d, %s%s%s", kind_of(access), access->origin,
                      tell_bytes(bytes, part->offset, part->to - part->from), rank_number(), before,
                      function_name(call->function), behind);
}

static void check_lost(const struct work *work) {
    struct access_run at;
    for (size_t i = 0; i < work->count; i++) {
        if (access_meets_lost(&work->window->memory, work->access[i], &at))
            lost_report(work->caller, rank_number(), work->access[i], &at);
    }
}

static void check_pending(const struct work *work, const struct access *access, const struct part *part, struct part *whole) {
    (void)whole;
    const struct caller *maker = pending_buffers_find(part->from, part->to, !access_only_reads(access));
    if (maker != NULL)
        conflict_with_call(work, access, part, maker, "where the buffer of ", " is, which is not complete");
}

static void check_told(const struct work *work, const struct access *access, const struct part *part, struct part *whole) {
    (void)whole;
    const struct caller *teller = told_find(work->window, part->from, part->to, access->heard);
    if (access->origin == rank_number() || access_only_reads(access))
        return;
    if (teller != NULL)
        conflict_with_call(work, access, part, teller, "which ", " sends in the same epoch");
    if (told_since(access->heard) == PIECE_HEARD && told_ever(work->window, part->from, part->to))
        announced_require(work->window);
}

static void widen(const struct work *work, const struct access *access, const struct part *part, struct part *whole) {
    (void)work;
    (void)access;
    if (part->from < whole->from)
        whole->from = part->from;
    if (part->to > whole->to)
        whole->to = part->to;
}

/* What pending operations of this process own may be in its window. Mostly it is nowhere near the accesses, so these are looked at
 * together first. */
static void check_all_pending(const struct work *work) {
    struct part whole = {UINTPTR_MAX, 0, 0};
    if (!pending_buffers_any())
        return;
    for_each_part(work, widen, &whole);
    if (whole.to > 0 && pending_buffers_find(whole.from, whole.to, true) != NULL)
        for_each_part(work, check_pending, &whole);
}

static bool same_origin(const struct work *work, size_t a, size_t b) {
    return work->access[a]->origin == work->access[b]->origin;
}

/* Not before those of the same origin that it overlaps. */
static bool may_be_next(const struct work *work, size_t i) {
    const struct neighbours *neighbours = &work->neighbours[i];
    for (size_t k = 0; k < neighbours->count; k++) {
        size_t other = neighbours->other[k];
        if (other < i && !work->done[other] && same_origin(work, other, i))
            return false;
    }
    return !work->done[i];
}

static bool has_rival(const struct work *work, size_t i) {
    const struct neighbours *neighbours = &work->neighbours[i];
    for (size_t k = 0; k < neighbours->count; k++) {
        if (!work->done[neighbours->other[k]] && !same_origin(work, neighbours->other[k], i))
            return true;
    }
    return false;
}

/* Those that could be done next and are connected with `first` by overlaps; returns their number. */
static uint32_t find_cluster(const struct work *work, size_t first, size_t *member) {
    bool *in = calloc(work->count, sizeof *in);
    size_t *found = calloc(work->count, sizeof *found);
    size_t count = 0;
    found[count++] = first;
    in[first] = true;
    for (size_t i = 0; i < count; i++) {
        const struct neighbours *neighbours = &work->neighbours[found[i]];
        for (size_t k = 0; k < neighbours->count; k++) {
            size_t other = neighbours->other[k];
            if (in[other] || work->done[other])
                continue;
            in[other] = true;
            found[count++] = other;
        }
    }
    uint32_t members = 0;
    for (size_t i = 0; i < work->count; i++) {
        if (in[i] && may_be_next(work, i))
            member[members++] = i;
    }
    free(found);
    free(in);
    return members;
}

static uint32_t choose(const struct work *work, const size_t *member, uint32_t members) {
    const struct access **access = calloc(members, sizeof(struct access *));
    for (uint32_t i = 0; i < members; i++)
        access[i] = work->access[member[i]];
    uint32_t chosen = window_choose(work->caller, work->window->communicator->context, members, access);
    free(access);
    return chosen;
}

/* SIZE_MAX: all is done. */
static size_t next(struct work *work) {
    size_t first = SIZE_MAX;
    while (work->first < work->count && work->done[work->first])
        work->first++;
    for (size_t i = work->first; i < work->count; i++) {
        if (!may_be_next(work, i))
            continue;
        if (!has_rival(work, i))
            return i;
        if (first == SIZE_MAX)
            first = i;
    }
    if (first == SIZE_MAX)
        return SIZE_MAX;
    size_t *member = calloc(work->count, sizeof *member);
    uint32_t members = find_cluster(work, first, member);
    size_t chosen = member[members > 1 ? choose(work, member, members) : 0];
    free(member);
    return chosen;
}

/* ---- accesses that an agent has done ----
 *
 * An agent gets each origin's accesses in program order, which only those to the same place need keep (section 11.7.1). Nothing is
 * lost by that as long as a choice at one place leaves all choices at another: if origins and the places at which their order shows,
 * each joined to those that access it, make no circle. For an order that is missed would be one: one origin's access before another's at
 * one place, and so on, until the first origin's earlier access at another place comes after. */

struct circles {
    const struct work *work;
    bool *seen;     /* by access: its place has been looked at */
    size_t *member; /* accesses whose order shows, of one place: each is to bytes of another of them */
    size_t members;
    int *joined; /* by rank: an origin that is joined to it, or itself */
};

static int end_of(const struct circles *circles, int origin) {
    while (circles->joined[origin] != origin)
        origin = circles->joined[origin];
    return origin;
}

static void find_place(struct circles *circles, size_t first) {
    circles->members = 0;
    circles->member[circles->members++] = first;
    circles->seen[first] = true;
    for (size_t i = 0; i < circles->members; i++) {
        const struct neighbours *neighbours = &circles->work->neighbours[circles->member[i]];
        for (size_t k = 0; k < neighbours->count; k++) {
            if (circles->seen[neighbours->other[k]])
                continue;
            circles->seen[neighbours->other[k]] = true;
            circles->member[circles->members++] = neighbours->other[k];
        }
    }
}

static bool are_neighbours(const struct work *work, size_t a, size_t b) {
    const struct neighbours *neighbours = &work->neighbours[a];
    for (size_t k = 0; k < neighbours->count; k++) {
        if (neighbours->other[k] == b)
            return true;
    }
    return false;
}

static bool is_fetched(const struct circles *circles) {
    for (size_t i = 0; i < circles->members; i++) {
        if (circles->work->access[circles->member[i]]->result > 0)
            return true;
    }
    return false;
}

static _Noreturn void refuse_circle(const struct access *access) {
    rank_refuse(access->function, access->site,
                "%s, in an epoch in which the same origins fetch from several places of a window, is not supported",
                function_name(access->function));
}

/* Joins the origins that access the place; those of one that is there already need an order of their own. */
static void join(struct circles *circles) {
    const struct work *work = circles->work;
    const int first = work->access[circles->member[0]]->origin;
    for (size_t i = 1; i < circles->members; i++) {
        const struct access *access = work->access[circles->member[i]];
        size_t same = 0;
        while (same < i && !same_origin(work, circles->member[same], circles->member[i]))
            same++;
        for (size_t k = same; k < i; k++) {
            if (same_origin(work, circles->member[k], circles->member[i]) &&
                !are_neighbours(work, circles->member[k], circles->member[i]))
                refuse_circle(access);
        }
        if (same < i)
            continue;
        if (end_of(circles, access->origin) == end_of(circles, first))
            refuse_circle(access);
        circles->joined[end_of(circles, access->origin)] = end_of(circles, first);
    }
}

/* Ends the rank if there is a circle. `only_fetched`: of places from which something is fetched; calls `use` for these, unless NULL. */
static void look_for_circles(struct work *work, bool only_fetched,
                             void (*use)(struct work *work, const size_t *member, size_t members)) {
    struct circles circles = {work, calloc(work->count + 1, sizeof *circles.seen),
                              calloc(work->count + 1, sizeof *circles.member), 0,
                              calloc((size_t)rank_count(), sizeof *circles.joined)};
    for (int i = 0; i < rank_count(); i++)
        circles.joined[i] = i;
    for (size_t i = 0; i < work->count; i++) {
        if (circles.seen[i])
            continue;
        find_place(&circles, i);
        if (only_fetched && !is_fetched(&circles))
            continue;
        join(&circles);
        if (use != NULL)
            use(work, circles.member, circles.members);
    }
    free(circles.seen);
    free(circles.member);
    free(circles.joined);
}

void window_check(const struct caller *caller, struct window *window, const char *batch, size_t size) {
    struct work work = {.caller = caller, .window = window};
    begin(&work, batch, size);
    relate_all(&work);
    check_all_pending(&work);
    look_for_circles(&work, false, NULL);
    end(&work);
}

static void take_place(struct work *work, const size_t *member, size_t members) {
    for (size_t i = 0; i < members; i++) {
        const struct access *access = work->access[member[i]];
        if (!access_is_atomic(access))
            continue;
        window_memory_copy_runs(work->atomic, &work->window->memory, 0, access_runs(access), access->runs);
        work->done[member[i]] = true;
    }
}

char *window_apply(const struct caller *caller, struct window *window, const char *batch, size_t size,
                   const struct window_memory *atomic) {
    struct work work = {.caller = caller, .window = window, .atomic = atomic};
    begin(&work, batch, size);
    uint64_t results = 0;
    for (size_t i = 0; i < work.count; i++) {
        if (!access_fits(&window->memory, work.access[i])) {
            const struct access *bad = work.access[i];
            const struct wire_place place[2] = {{.site = bad->site, .rank = bad->origin, .function = bad->function}};
            rank_violation_at("invalid-argument", caller->function, caller->site, place,
                              "rank %d accesses memory that rank %d has not attached to the window", bad->origin,
                              rank_number());
        }
        results += work.access[i]->result;
    }
    check_lost(&work);
    relate_all(&work);
    check_stores(&work);
    beside_check(caller, window, batch, size);
    check_all_pending(&work);
    if (window->told_count > 0)
        for_each_part(&work, check_told, NULL);
    char *result = calloc(1, results + 1);
    if (result == NULL)
        rank_refuse(caller->function, caller->site, "accesses that fetch %llu bytes in one epoch are not supported",
                    (unsigned long long)results);
    char *at = result;
    for (size_t i = 0; i < work.count; at += work.access[i]->result, i++)
        work.result[i] = at;
    if (atomic != NULL)
        look_for_circles(&work, true, take_place);
    for (size_t i; (i = next(&work)) != SIZE_MAX;) {
        access_apply(&window->memory, work.access[i], work.result[i]);
        work.done[i] = true;
    }
    end(&work);
    return result;
}
