/* Moves by component numbers: what a transition, or a step, made of one or two components before, it makes of them again.
 *
 * One writer, who holds the caller's lock, adds to an open-addressing table that is never changed otherwise; readers need no
 * lock. An entry is there once its key is. A full table is copied to a larger one, and kept as long as the model.
 *
 * Left out, and so done the long way each time, is what depends on more than that: collectives, cancellations, messages claimed
 * by a matched probe, ready sends and sends that take room in the attached buffer. Components with any of these are `special`.
 * What the library itself sends, to agents and back, is buffered too, but takes no room. Of collectives it is remembered how a
 * rank comes to one, and what is done again if it has to wait there for other members. */
#include "models/mpi/model_parts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    _Atomic uint64_t components; /* the key: (first + 1) << 32 | second; 0: free */
    uint64_t move;               /* and what happens to them */
    uint32_t first, second;      /* what becomes of them; a step: of the first, and the deliveries */
};

struct remembered {
    size_t slots, used;
    struct entry entry[];
};

enum { FIRST_SLOTS = 1024, NO_COMPONENT = 0, INDEX_BITS = 28, STEPS_MOST = 1024 };
/* Beside the kinds of transitions: all determined matches of a pair. */
enum { MOVE_SETTLED = UINT8_MAX };

static bool indexable(uint32_t a, uint32_t b) { return a >> INDEX_BITS == 0 && b >> INDEX_BITS == 0; }

static uint64_t move_of(uint8_t kind, uint32_t a, uint32_t b) { return (uint64_t)kind << 56 | (uint64_t)a << INDEX_BITS | b; }

static size_t place_of(const struct remembered *table, uint64_t components, uint64_t move) {
    uint64_t hash = (components ^ (move * 0x9fb21c651e98df25u)) * 0x9e3779b97f4a7c15u;
    return (hash ^ hash >> 32) & (table->slots - 1);
}

/* The entry, or the free one where it belongs. */
static struct entry *find(struct remembered *table, uint64_t components, uint64_t move) {
    for (size_t i = place_of(table, components, move);; i = (i + 1) & (table->slots - 1)) {
        struct entry *entry = &table->entry[i];
        uint64_t there = atomic_load_explicit(&entry->components, memory_order_acquire);
        if (!there || (there == components && entry->move == move))
            return entry;
    }
}

static struct remembered *new_table(size_t slots) {
    struct remembered *table = model_resize(NULL, sizeof *table + slots * sizeof table->entry[0]);
    memset(table, 0, sizeof *table + slots * sizeof table->entry[0]);
    table->slots = slots;
    return table;
}

static struct remembered *larger(struct mpi_model *model, struct remembered *table) {
    struct remembered *grown = new_table(table->slots * 2);
    grown->used = table->used;
    for (size_t i = 0; i < table->slots; i++) {
        const struct entry *old = &table->entry[i];
        uint64_t components = atomic_load_explicit(&old->components, memory_order_relaxed);
        if (!components)
            continue;
        struct entry *entry = find(grown, components, old->move);
        entry->move = old->move;
        entry->first = old->first;
        entry->second = old->second;
        atomic_store_explicit(&entry->components, components, memory_order_relaxed);
    }
    model->retired = model_room(model->retired, &model->retired_room, model->retireds, sizeof *model->retired);
    model->retired[model->retireds++] = table;
    return grown;
}

static void remember(struct mpi_model *model, uint64_t components, uint64_t move, uint32_t first, uint32_t second) {
    struct remembered *table = model->remembered;
    if (!table)
        model->remembered = table = new_table(FIRST_SLOTS);
    if (table->used * 2 >= table->slots)
        model->remembered = table = larger(model, table);
    struct entry *entry = find(table, components, move);
    if (atomic_load_explicit(&entry->components, memory_order_relaxed))
        return;
    entry->move = move;
    entry->first = first;
    entry->second = second;
    table->used++;
    atomic_store_explicit(&entry->components, components, memory_order_release);
}

static const struct entry *recall(const struct mpi_model *model, uint64_t components, uint64_t move) {
    struct remembered *table = atomic_load_explicit(&model->remembered, memory_order_acquire);
    const struct entry *entry = table ? find(table, components, move) : NULL;
    return entry && atomic_load_explicit(&entry->components, memory_order_relaxed) ? entry : NULL;
}

uint64_t remembered_memory(const struct mpi_model *model) {
    const struct remembered *table = model->remembered;
    return table ? sizeof *table + table->slots * sizeof table->entry[0] : 0;
}

void remembered_forget(struct mpi_model *model) {
    free(model->remembered);
    model->remembered = NULL;
}

/* ---- remembering ---- */

static bool is_special(const struct mpi_model *model, uint32_t component) {
    return component_at(model, component)->special == SPECIAL;
}

static uint64_t pair_of(uint32_t first, uint32_t second) { return (uint64_t)(first + 1) << 32 | second; }

/* What a probe finds depends on the sender of the message, which it leaves as it is. */
static uint64_t finder_of(uint32_t finder, uint32_t sender) { return pair_of(finder, sender); }

void remember_match(struct mpi_model *model, uint32_t receiver, uint32_t receive, uint32_t sender, uint32_t send,
                    uint32_t receiver_after, uint32_t sender_after) {
    if (!indexable(receive, send) || is_special(model, receiver) || is_special(model, sender))
        return;
    remember(model, pair_of(receiver, sender), move_of(TRANSITION_MATCH, receive, send), receiver_after, sender_after);
}

void remember_settled(struct mpi_model *model, uint32_t receiver, uint32_t sender, uint32_t receiver_after,
                      uint32_t sender_after) {
    if (!is_special(model, receiver) && !is_special(model, sender))
        remember(model, pair_of(receiver, sender), move_of(MOVE_SETTLED, 0, 0), receiver_after, sender_after);
}

void remember_change(struct mpi_model *model, uint32_t component, const struct transition *transition, uint32_t after) {
    if (indexable(transition->a, transition->b) && component_at(model, component)->special == NOT_SPECIAL)
        remember(model, pair_of(component, NO_COMPONENT), move_of(transition->kind, transition->a, transition->b), after, 0);
}

/* Does the answer come from nothing but the component, and that of the sender of a message found, and the step change nothing
 * but the component? */
static bool stands_alone(const struct resolution *resolution, const struct step_result *result) {
    for (uint32_t i = 0; i < resolution->completions; i++)
        if (resolution->completion[i].parts)
            return false;
    for (uint32_t i = 0; i < result->operations; i++) {
        const struct operation *operation = &result->operation[i];
        if (operation->kind == WIRE_RECEIVE_MESSAGE || strict_hurries(operation))
            return false;
    }
    return true;
}

void mpi_model_remember(struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t before,
                        const struct transition *transition, const struct resolution *resolution,
                        const struct step_result *result, uint32_t deliveries) {
    struct component *component = model->component[before];
    const uint32_t after = state[rank];
    if (component->special != NOT_SPECIAL || deliveries > UINT8_MAX || !stands_alone(resolution, result))
        return;
    if (resolution->kind == WIRE_FOUND) {
        const unsigned source = (unsigned)resolution->completion[0].source;
        if (source != rank)
            remember(model, finder_of(before, state[source]), move_of(TRANSITION_PROBED, 0, 0), after, deliveries);
    } else if (transition) {
        if (indexable(transition->a, transition->b))
            remember(model, pair_of(before, NO_COMPONENT), move_of(transition->kind, transition->a, transition->b), after,
                     deliveries);
    } else if (atomic_load_explicit(&component->next, memory_order_relaxed) == NOTHING_NEXT) {
        component->next_deliveries = (uint8_t)deliveries;
        atomic_store_explicit(&component->next, after, memory_order_release);
    }
}

/* ---- what a component is like ---- */

static bool is_plain_call(const struct call *call) {
    if (!call)
        return true;
    switch (call->kind) {
    case WIRE_CALL_START:
    case WIRE_CALL_WAIT_ALL:
    case WIRE_CALL_WAIT_ANY:
    case WIRE_CALL_WAIT_SOME:
    case WIRE_CALL_TEST_ALL:
    case WIRE_CALL_TEST_ANY:
    case WIRE_CALL_TEST_SOME:
    case WIRE_CALL_PROBE:
    case WIRE_CALL_IPROBE: return true;
    default: return false;
    }
}

static bool is_plain_send(const struct mpi_model *model, uint8_t mode) {
    return mode == WIRE_STANDARD || mode == WIRE_SYNCHRONOUS || (mode == WIRE_BUFFERED && !model->hurried);
}

static bool is_plain_operation(const struct mpi_model *model, const struct pending *pending) {
    if (pending->flags & ~(PENDING_FREED | PENDING_PASSED))
        return false;
    return pending->kind == WIRE_RECEIVE || (pending->kind == WIRE_SEND && is_plain_send(model, pending->mode));
}

/* The collective that it is blocked in. Others it may have been let out of, or not have been told of. */
static bool is_entered(const struct component *component, const struct pending *pending) {
    return component->special == NOT_SPECIAL && pending->kind == WIRE_COLLECTIVE && pending->request == WIRE_NO_REQUEST &&
           pending->status == OPERATION_PENDING;
}

void component_classify(const struct mpi_model *model, struct component *component) {
    const struct call *call = component_call(component);
    const bool meets = call && call->kind == WIRE_CALL_COLLECTIVE;
    const bool probes = call && (call->kind == WIRE_CALL_PROBE || call->kind == WIRE_CALL_MPROBE);
    component->special = meets || is_plain_call(call) ? NOT_SPECIAL : SPECIAL;
    component->awaits_named = probes && call->peer != WIRE_ANY_SOURCE;
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *pending = &component->pending[i];
        if (meets && is_entered(component, pending))
            component->special = WAITS_FOR_MEMBERS;
        else if (!is_plain_operation(model, pending))
            component->special = SPECIAL;
        component->awaits_named |= pending->kind == WIRE_RECEIVE && pending_open(pending) && pending->peer != WIRE_ANY_SOURCE;
    }
    if (meets && component->special == NOT_SPECIAL)
        component->special = SPECIAL;
}

/* ---- doing it again ---- */

enum { TOUCHED_MOST = 64 };

/* A state while moves are done again, and the ranks whose component has changed. */
struct redo {
    const struct mpi_model *model;
    uint32_t *state;
    struct again *again;
    uint16_t touched[TOUCHED_MOST];
    unsigned count;
};

/* False: it is special, or too many are touched already. */
static bool touch(struct redo *redo, unsigned rank, uint32_t component) {
    redo->state[rank] = component;
    if (is_special(redo->model, component))
        return false;
    for (unsigned i = 0; i < redo->count; i++)
        if (redo->touched[i] == rank)
            return true;
    if (redo->count == TOUCHED_MOST)
        return false;
    redo->touched[redo->count++] = (uint16_t)rank;
    return true;
}

/* Is its pending call complete, and answered by nothing else? */
static bool is_ready(const struct component *component) {
    const struct call *call = component_call(component);
    if (!call)
        return false;
    switch (call->kind) {
    case WIRE_CALL_START: return true;
    case WIRE_CALL_WAIT_ANY:
    case WIRE_CALL_WAIT_SOME:
        if (call->requests != 1)
            return false;
        /* fall through */
    case WIRE_CALL_WAIT_ALL: return call_complete_count(component, call) == call->requests;
    default: return false;
    }
}

/* All determined steps of one rank. */
static bool run_on(struct redo *redo, unsigned rank) {
    if (model_may_be_late(redo->model, rank))
        return true;
    for (;;) {
        const struct component *component = component_at(redo->model, redo->state[rank]);
        uint32_t next = atomic_load_explicit(&component->next, memory_order_acquire);
        if (next == NOTHING_NEXT)
            return !is_ready(component);
        if (++redo->again->steps > STEPS_MOST || !touch(redo, rank, next))
            return false;
        redo->again->deliveries += component->next_deliveries;
    }
}

static bool move_pair(struct redo *redo, unsigned rank, unsigned source, uint64_t move) {
    if (rank == source)
        return false;
    const struct entry *entry = recall(redo->model, pair_of(redo->state[rank], redo->state[source]), move);
    return entry && touch(redo, rank, entry->first) && touch(redo, source, entry->second);
}

static bool find_again(struct redo *redo, unsigned rank, unsigned source) {
    if (rank == source || ++redo->again->steps > STEPS_MOST)
        return false;
    const struct entry *entry =
        recall(redo->model, finder_of(redo->state[rank], redo->state[source]), move_of(TRANSITION_PROBED, 0, 0));
    if (!entry)
        return false;
    redo->again->deliveries += entry->second;
    return touch(redo, rank, entry->first);
}

enum settled { SETTLED, CHANGED, UNKNOWN };

/* The determined matches of one rank with messages of another. */
static enum settled settle_pair(struct redo *redo, unsigned rank, unsigned source) {
    const struct component *component = component_at(redo->model, redo->state[rank]);
    const struct call *call = component_call(component);
    if (!component->awaits_named)
        return SETTLED;
    if (component->special == SPECIAL || is_special(redo->model, redo->state[source]))
        return UNKNOWN;
    if (call && call->kind == WIRE_CALL_PROBE && call->peer == (int32_t)source) {
        struct envelope envelope = probe_envelope(component, call);
        if (channel_match(redo->model, redo->state, rank, source, &envelope) != UINT32_MAX)
            return !model_may_be_late(redo->model, rank) && find_again(redo, rank, source) ? CHANGED : UNKNOWN;
    }
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *pending = &component->pending[i];
        if (pending->kind != WIRE_RECEIVE || !pending_open(pending) || pending->peer != (int32_t)source)
            continue;
        struct envelope envelope = receive_envelope(component->pending, i);
        if (channel_match(redo->model, redo->state, rank, source, &envelope) != UINT32_MAX)
            return move_pair(redo, rank, source, move_of(MOVE_SETTLED, 0, 0)) ? CHANGED : UNKNOWN;
    }
    return SETTLED;
}

/* The determined matches of a touched rank's receives, and of its messages. A receive that was taken may have stood in the way of a
 * later one from another source, which is touched then only if that one is in turn: so all named sources are looked at. */
static enum settled settle_rank(struct redo *redo, unsigned rank) {
    const struct component *component = component_at(redo->model, redo->state[rank]);
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *pending = &component->pending[i];
        bool message = pending->kind == WIRE_SEND;
        if (!pending_open(pending) || pending->peer < 0)
            continue;
        enum settled settled =
            message ? settle_pair(redo, (unsigned)pending->peer, rank) : settle_pair(redo, rank, (unsigned)pending->peer);
        if (settled != SETTLED)
            return settled;
    }
    const struct call *call = component_call(component);
    if (call && call->kind == WIRE_CALL_PROBE && call->peer != WIRE_ANY_SOURCE)
        return settle_pair(redo, rank, (unsigned)call->peer);
    return SETTLED;
}

/* All determined moves that follow from what was touched. */
static bool settle_all(struct redo *redo) {
    for (unsigned i = 0; i < redo->count; i++) {
        if (!run_on(redo, redo->touched[i]))
            return false;
        enum settled settled = settle_rank(redo, redo->touched[i]);
        if (settled == UNKNOWN)
            return false;
        if (settled == CHANGED)
            i = UINT32_MAX; /* from the start */
    }
    return true;
}

/* Does nothing follow from what collectives were entered? */
static bool waits_for_members(const struct redo *redo) {
    for (unsigned i = 0; i < redo->count; i++)
        if (component_at(redo->model, redo->state[redo->touched[i]])->special == WAITS_FOR_MEMBERS &&
            !collective_waits_on(redo->model, redo->state, redo->touched[i]))
            return false;
    return true;
}

/* Does the owner's call return with it? Other remembered transitions change nothing but the owner's operations. */
static bool answers_call(uint8_t kind) {
    switch (kind) {
    case TRANSITION_BUFFER:
    case TRANSITION_EARLY:
    case TRANSITION_PASS: return false;
    default: return true;
    }
}

static bool take_again(struct redo *redo, const struct transition *transition) {
    unsigned rank = transition->owner;
    if (transition->kind == TRANSITION_MATCH)
        return indexable(transition->a, transition->b) &&
               move_pair(redo, rank, transition->partner, move_of(TRANSITION_MATCH, transition->a, transition->b));
    if (transition->kind == TRANSITION_PROBED)
        return find_again(redo, rank, transition->partner);
    if (!indexable(transition->a, transition->b))
        return false;
    const struct entry *entry =
        recall(redo->model, pair_of(redo->state[rank], NO_COMPONENT), move_of(transition->kind, transition->a, transition->b));
    if (!entry)
        return false;
    if (answers_call(transition->kind)) {
        redo->again->steps++;
        redo->again->deliveries += entry->second;
    }
    return touch(redo, rank, entry->first);
}

bool mpi_model_again(const struct mpi_model *model, uint32_t *state, const struct transition *transition, struct again *again) {
    struct redo redo = {.model = model, .state = state, .again = again};
    *again = (struct again){0};
    return !model->expected.cancels && take_again(&redo, transition) && settle_all(&redo) && waits_for_members(&redo);
}
