/* Where the explored graph goes round for ever: its bottom strongly connected components that have a cycle, with optional edges
 * left out.
 *
 * In a component whose states do not have all their transitions explored, the reduction may have put a transition off for ever (the
 * ignoring problem): it stays enabled all the way round, so exploring the states completely takes it. A component that stays closed
 * after that is a livelock: no ordering that enters it ends, unless by something that MPI permits but does not promise.
 *
 * The graph keeps no edges: they are found again by taking the transitions, which are all remembered. None of this is needed if
 * the steps known have no cycle: going round in the graph, some rank would go round in its local states. */
#include "explorer/containers/search_storage.h"
#include "explorer/search/search_parts.h"

enum { CLOSED = UINT32_MAX }; /* in place of its order: the state's component is known */

/* A state that was entered, and whose component is not known yet. */
struct open {
    uint64_t place : 62; /* in the set */
    uint64_t leaves : 1; /* an edge leads to another component */
    uint64_t stays : 1;  /* an edge leads to its own that was met before: in a cycle there is one */
};

/* A state on the way from the start to the current one. */
struct frame {
    size_t open;             /* its place in the stack of open ones */
    size_t first, next, end; /* its successors, in the stack of successors, and the next to look at */
    uint32_t order, low;
};

/* Tarjan's algorithm with stacks of its own. */
struct tarjan {
    struct search *search;
    uint32_t *order;   /* by a state's place in the set: when it was entered; 0: not yet */
    struct open *open; /* in order of entry */
    struct frame *frame;
    struct successor *successor;
    struct successors found;
    size_t opens, frames, successors, open_room, frame_room, successor_room;
    uint32_t entered;
    size_t turns;
    state_name *member; /* of the components found, one after the other; each followed by STATE_NONE */
    size_t members, member_room;
};

static void enter(struct tarjan *tarjan, size_t place) {
    struct search *search = tarjan->search;
    uint32_t order = tarjan->order[place] = ++tarjan->entered;
    tarjan->open = storage_grow(tarjan->open, &tarjan->open_room, tarjan->opens + 1, sizeof *tarjan->open);
    tarjan->open[tarjan->opens++] = (struct open){.place = place};

    search_successors(&search->worker[0], state_set_at(search->states, place), &tarjan->found);
    size_t end = tarjan->successors + tarjan->found.count;
    tarjan->successor = storage_grow(tarjan->successor, &tarjan->successor_room, end, sizeof *tarjan->successor);
    if (tarjan->found.count)
        memcpy(tarjan->successor + tarjan->successors, tarjan->found.item, tarjan->found.count * sizeof *tarjan->found.item);
    tarjan->frame = storage_grow(tarjan->frame, &tarjan->frame_room, tarjan->frames + 1, sizeof *tarjan->frame);
    tarjan->frame[tarjan->frames++] =
        (struct frame){tarjan->opens - 1, tarjan->successors, tarjan->successors, end, order, order};
    tarjan->successors = end;
}

static void add_member(struct tarjan *tarjan, state_name name) {
    tarjan->member = storage_grow(tarjan->member, &tarjan->member_room, tarjan->members + 1, sizeof *tarjan->member);
    tarjan->member[tarjan->members++] = name;
}

/* The component of the state that is open since `first`: all that were entered since. Kept if it has a cycle and no way out. */
static void close_component(struct tarjan *tarjan, size_t first) {
    bool leaves = false, stays = false;
    for (size_t i = first; i < tarjan->opens; i++) {
        tarjan->order[tarjan->open[i].place] = CLOSED;
        leaves |= tarjan->open[i].leaves;
        stays |= tarjan->open[i].stays;
    }
    for (size_t i = first; i < tarjan->opens && stays && !leaves; i++)
        add_member(tarjan, state_set_at(tarjan->search->states, tarjan->open[i].place));
    if (stays && !leaves)
        add_member(tarjan, STATE_NONE);
    tarjan->opens = first;
}

static void leave(struct tarjan *tarjan) {
    const struct frame *frame = &tarjan->frame[--tarjan->frames];
    bool closed = frame->low == frame->order;
    if (closed)
        close_component(tarjan, frame->open);
    tarjan->successors = frame->first;
    if (!tarjan->frames)
        return;
    struct frame *before = &tarjan->frame[tarjan->frames - 1];
    if (closed)
        tarjan->open[before->open].leaves = true;
    else if (frame->low < before->low)
        before->low = frame->low;
}

static void look_at(struct tarjan *tarjan, struct frame *from, size_t place) {
    uint32_t order = tarjan->order[place];
    if (!order) {
        enter(tarjan, place);
    } else if (order == CLOSED) {
        tarjan->open[from->open].leaves = true;
    } else {
        tarjan->open[from->open].stays = true;
        if (order < from->low)
            from->low = order;
    }
}

static void look_at_budgets(struct tarjan *tarjan) {
    struct search *search = tarjan->search;
    search->aside_bytes = state_set_places(search->states) * sizeof *tarjan->order + tarjan->open_room * sizeof *tarjan->open +
                          tarjan->frame_room * sizeof *tarjan->frame + tarjan->successor_room * sizeof *tarjan->successor +
                          tarjan->member_room * sizeof *tarjan->member;
    search_must_stop(search);
}

static void walk_from(struct tarjan *tarjan, size_t start) {
    enter(tarjan, start);
    while (tarjan->frames && !tarjan->search->stopped) {
        if (++tarjan->turns % 4096 == 0)
            look_at_budgets(tarjan);
        struct frame *frame = &tarjan->frame[tarjan->frames - 1];
        if (frame->next == frame->end) {
            leave(tarjan);
            continue;
        }
        struct successor successor = tarjan->successor[frame->next++];
        if (!successor.optional)
            look_at(tarjan, frame, state_set_place(tarjan->search->states, successor.name));
    }
}

static void find_cycles(struct tarjan *tarjan) {
    struct search *search = tarjan->search;
    size_t places = state_set_places(search->states);
    if (!search_has_memory_for(search, places * sizeof *tarjan->order)) {
        search_stop(search, SEARCH_MEMORY, NULL);
        return;
    }
    tarjan->order = storage_new(places, sizeof *tarjan->order);
    for (size_t place = 0; place < places && !search->stopped; place++)
        if (state_set_at(search->states, place) != STATE_NONE && !tarjan->order[place])
            walk_from(tarjan, place);
    search->aside_bytes = 0;
    free(tarjan->order);
    free(tarjan->open);
    free(tarjan->frame);
    free(tarjan->successor);
    free(tarjan->found.item);
}

/* ---- what is to be done about them ---- */

/* The place in the trail where each state was visited first, or TRAIL_NONE in a blind search. */
static uint32_t trail_of(const struct search *search, state_name name) {
    for (uint32_t i = 0; !search->blind && i < search->trail.count; i++)
        if (search->trail.track[i].name == name)
            return i;
    return TRAIL_NONE;
}

static bool open_component(struct search *search, const state_name *member) {
    bool opened = false;
    for (; *member != STATE_NONE && !search->stopped; member++) {
        if (state_set_has_mark(search->states, *member, STATE_COMPLETE))
            continue;
        search_complete(&search->worker[0], *member, trail_of(search, *member));
        opened = true;
    }
    return opened;
}

static void report_component(struct search *search, const state_name *member) {
    struct worker *worker = &search->worker[0];
    uint32_t first = TRAIL_NONE;
    state_name name = *member;
    for (; *member != STATE_NONE; member++) {
        uint32_t trail = trail_of(search, *member);
        if (trail >= first)
            continue;
        first = trail;
        name = *member;
    }
    state_set_load(search->states, worker->cache, name, worker->here);
    if (search_has_failed(search, worker->here))
        return; /* they wait for a rank that is no longer there */
    if (state_kind(name) == STATE_UNFINISHED)
        search_offer_within_chain(search, search->offer, worker->here);
    else
        search_offer(search, search->offer, worker->here);
    report_livelock(search, worker->here, first);
}

bool search_open_cycles(struct search *search) {
    if (search->steps->cyclic && !search->steps->cyclic(search->steps->self))
        return false;
    struct tarjan tarjan = {.search = search};
    bool opened = false;
    find_cycles(&tarjan);
    for (size_t i = 0, first = 0; i < tarjan.members && !search->stopped; i++)
        if (tarjan.member[i] == STATE_NONE) {
            opened |= open_component(search, tarjan.member + first);
            first = i + 1;
        }
    for (size_t i = 0, first = 0; i < tarjan.members && !search->stopped && !opened; i++)
        if (tarjan.member[i] == STATE_NONE) {
            report_component(search, tarjan.member + first);
            first = i + 1;
        }
    free(tarjan.member);
    return opened && !search->stopped;
}
