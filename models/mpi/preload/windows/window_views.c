/* The segments of a shared window as the ranks have them that load from them and store to them: each rank tells of its stores, and
 * is told of the others', so that an agent knows what was stored while which program ran. */
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_agent_parts.h"

#include <stdlib.h>
#include <string.h>

struct view {
    struct window_memory told;  /* the segment as the rank has it, but for stores of its own that it has not told */
    struct window_memory since; /* the segment when the rank's program last went on; zero while it waits, whatever others do */
    bool waits;
};

static void become(struct window_memory *copy, const struct window_memory *memory) {
    for (size_t i = 0; i < memory->regions; i++)
        memcpy(copy->region[i].bytes, memory->region[i].bytes, memory->region[i].size);
}

static void become_zero(struct window_memory *copy) {
    for (size_t i = 0; i < copy->regions; i++)
        memset(copy->region[i].bytes, 0, copy->region[i].size);
}

void views_begin(struct public_window *in) {
    in->view = calloc((size_t)rank_count(), sizeof *in->view);
    for (int i = 0; i < rank_count(); i++) {
        in->view[i].told = window_memory_copy(&in->memory);
        in->view[i].since = window_memory_copy(&in->memory);
    }
}

void views_end(struct public_window *in) {
    for (int i = 0; i < rank_count() && in->view != NULL; i++) {
        window_memory_free(&in->view[i].told);
        window_memory_free(&in->view[i].since);
    }
    free(in->view);
}

/* What others changed while the origin's program ran; NULL: nothing. To be freed. */
static struct access *changes_meanwhile(const struct public_window *in, int origin) {
    const struct view *view = &in->view[origin];
    return view->waits ? NULL : access_of_stores(&in->memory, &view->since, origin, 0, 0);
}

static void take_stores(struct public_window *in, int origin, const struct access *stores) {
    struct view *view = &in->view[origin];
    struct access_run at;
    struct access *changes = changes_meanwhile(in, origin);
    agent_check_open(in, origin, stores);
    overlaps_check_open(in, origin, stores);
    if (changes != NULL && access_relate(changes, stores, &at) == ACCESS_CONFLICT)
        agent_note_fault(in, origin, AGENT_STALE, NULL, stores, &at);
    free(changes);
    access_apply(&in->memory, stores, NULL);
    access_apply(&view->told, stores, NULL);
    if (!view->waits)
        access_apply(&view->since, stores, NULL);
}

/* Bytes of a reply. */
struct body {
    char *bytes;
    size_t size;
    size_t last; /* where the last one begins, if it has no data */
};

static void add(struct body *body, struct access *changes, uint32_t segment) {
    if (changes == NULL)
        return;
    changes->op = (int32_t)segment;
    body->bytes = realloc(body->bytes, body->size + changes->size);
    memcpy(body->bytes + body->size, changes, changes->size);
    body->last = changes->bytes == 0 ? body->size : 0;
    body->size += changes->size;
    free(changes);
}

/* Has it been made by the same call as the last one, which is to the same segment? */
static bool goes_on(const struct body *body, const struct access *place, uint32_t segment) {
    const struct access *last = (const struct access *)(body->bytes + body->last);
    return body->last > 0 && last->op == (int32_t)segment && last->kind == place->kind && last->origin == place->origin &&
           last->function == place->function && last->site == place->site;
}

/* What is done in a loop is one access, as it has many then. */
static void add_place(struct body *body, struct access *place, uint32_t segment) {
    if (place == NULL || !goes_on(body, place, segment)) {
        add(body, place, segment);
        return;
    }
    const size_t runs = place->runs * sizeof(struct access_run);
    body->bytes = realloc(body->bytes, body->size + runs);
    memcpy(body->bytes + body->size, access_runs(place), runs);
    body->size += runs;
    struct access *last = (struct access *)(body->bytes + body->last);
    last->runs += place->runs;
    last->size += runs;
    free(place);
}

/* Those through `through`. */
static void add_open(struct body *body, const struct public_window *in, const struct public_window *through, uint32_t segment) {
    for (size_t i = 0; i < through->open.size;) {
        const struct open_access *open = (const struct open_access *)(through->open.bytes + i);
        const struct access *access = agent_access_of(open);
        if (!access_only_reads(access))
            add_place(body, through == in ? access_copy_place(access) : access_place_in(&in->memory, &through->memory, access),
                      segment);
        i += open->size;
    }
}

/* While they go on, accesses change what they are to at any time, whether they have done so already or not. */
static void add_all_open(struct body *body, const struct public_window *in, int origin, uint32_t segment) {
    const struct public_window *through;
    for (size_t i = 0; !in->view[origin].waits && (through = agent_window_at(i)) != NULL; i++) {
        if (through == in || bytes_may_be_same(in, through))
            add_open(body, in, through, segment);
    }
}

static void go_on(const struct public_window *in, struct view *view, bool waits) {
    view->waits = waits;
    if (waits)
        become_zero(&view->since);
    else
        become(&view->since, &in->memory);
}

void views_share(int origin, const struct agent_request *request, const char *bytes, size_t size) {
    struct agent_reply head = {0};
    struct body body = {calloc(sizeof(uint64_t), 1), sizeof(uint64_t), 0};
    const struct access *end = (const struct access *)(bytes + size);
    for (const struct access *at = (const struct access *)bytes; at < end; at = access_next(at))
        take_stores(agent_find_window(request->window + (uint64_t)at->op), origin, at);
    for (uint32_t i = 0; i < request->parts; i++) {
        struct public_window *in = agent_find_window(request->window + i);
        add_all_open(&body, in, origin, i); /* first, as they say who made them */
        add(&body, changes_meanwhile(in, origin), i);
        go_on(in, &in->view[origin], request->waits != 0);
        if (request->reply == 0 || head.fault != AGENT_NO_FAULT)
            continue;
        head = agent_take_fault(in, origin);
        head.segment = i;
    }
    uint64_t meanwhile = body.size - sizeof meanwhile;
    memcpy(body.bytes, &meanwhile, sizeof meanwhile);
    for (uint32_t i = 0; i < request->parts && request->delivers; i++) {
        struct public_window *in = agent_find_window(request->window + i);
        struct view *view = &in->view[origin];
        add(&body, access_of_stores(&in->memory, &view->told, origin, 0, 0), i);
        become(&view->told, &in->memory);
    }
    if (request->holds || request->releases)
        agent_listen_to(request->holds ? origin : -1);
    head.size = body.size;
    agent_reply(origin, request, &head, body.bytes);
    free(body.bytes);
}
