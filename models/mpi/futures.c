/* Futures of local states. The steps known are the edges of a graph of local states; what may be sent from a local state on is what
 * its edges send and what may be sent from where they lead. Edges are noted as they are found, and what follows from them is passed
 * on backwards only when somebody wants to know what is known: before that is relied on, at the end of an exploration, and when it
 * is saved. Questions in between are answered by what was assumed when it began, so that they need not see it, and no answer is
 * given while anything waits. A chain of n local states, each of which does something else, then is gone through once, instead of
 * once for each of them. */
#include "models/mpi/futures.h"

#include "models/bit_set.h"
#include "models/mpi/deeds.h"
#include "models/mpi/model_parts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define NO_LOCAL UINT32_MAX

enum {
    CHUNK = 1 << 14,
    SHELF = 1 << 9, /* chunks that are found in one place: a table of all would take 2 MB, of which most searches need a word */
    SHELVES = 1 << 9,
};

/* What is asked for: such messages, or requests to an agent that do not commute with such a one of rank `rival_of`, NOBODY's if
 * none; or messages of any envelope by when they may be sent. All of them before the rank `before` moves. */
struct envelope_to {
    uint32_t to, context;
    int32_t tag;
    uint32_t rival_of;
    uint32_t touches; /* of that request */
    uint32_t before;
    /* ANY: of whatever envelope. IN_TIME: those only that are right only in time; EARLY: and may not be. OVERFLOW: those that need
     * room, to whomever they go. */
    enum { WHENEVER, ANY, IN_TIME, EARLY, OVERFLOW } when;
    unsigned hearsay; /* so many ranks, one after the other, may be asked whether the next hears of them */
};

#define NOBODY UINT32_MAX

enum { HEARSAY_MOST = 3 };

/* What is known of consecutive local states. Never moved, as it is read without a lock. */
struct chunk {
    uint32_t known[CHUNK];                 /* number of a set. Of those that are waiting, and of what leads there, too small */
    const struct deed_set *assumed[CHUNK]; /* NULL: no step from there was known */
    uint32_t first[CHUNK];                 /* one more than the last edge found that leads there; 0: none */
    bool left[CHUNK];                      /* a step from there is known */
    _Atomic bool denied[CHUNK];            /* relied on: something is not sent from there on */
    uint64_t waiting[CHUNK / 64];          /* local states: what is known of it, or an edge to it, is yet to be passed on */
};

/* A step. All that it does, and what comes after it, is behind the gate if there is one. */
struct edge {
    uint32_t from;
    uint32_t own; /* number of the set of what it sends */
    struct gate gate;
    uint32_t next; /* as `first`: another edge that leads where this one does */
};

struct shelf {
    struct chunk *_Atomic chunk[SHELF];
};

struct futures {
    struct shelf *_Atomic shelf[SHELVES];
    uint32_t chunks, made; /* one more than the last made, and how many were */
    uint32_t locals;       /* one more than the last local state that a step leaves or leads to */
    bool assumes;          /* futures_assume was called */
    bool hopeful;
    bool grown;          /* some future, since then */
    uint32_t waits_from; /* no local state from this one on is waiting */
    /* At that time: for each rank the deeds towards it that those look at who ask about messages, and who ask about requests
     * that do not commute; ranks, and words that are not all zero. */
    struct deeds_toward {
        uint64_t message[DEED_WORDS], request[DEED_WORDS];
    } * toward;
    uint32_t towards, words;
    uint64_t entries[DEED_WORDS]; /* ... and those that are collectives entered */

    struct deeds deeds;

    struct edge *edge;
    uint32_t edges, edge_room;
    struct name_table edge_names; /* from, to, own set, gate */
};

/* ---- local states ---- */

static struct chunk *chunk_of(const struct futures *futures, uint32_t local) {
    const uint32_t number = local / CHUNK;
    const struct shelf *shelf = atomic_load_explicit(&futures->shelf[number / SHELF], memory_order_acquire);
    return shelf ? atomic_load_explicit(&shelf->chunk[number % SHELF], memory_order_acquire) : NULL;
}

/* Only one thread makes any. */
static struct shelf *shelf_for(struct futures *futures, uint32_t number) {
    struct shelf *_Atomic *at = &futures->shelf[number / SHELF];
    struct shelf *shelf = atomic_load_explicit(at, memory_order_relaxed);
    if (shelf)
        return shelf;
    shelf = model_zeroed(sizeof *shelf);
    atomic_store_explicit(at, shelf, memory_order_release);
    return shelf;
}

static void make_chunk(struct futures *futures, uint32_t local) {
    if (futures->locals <= local)
        futures->locals = local + 1;
    if (chunk_of(futures, local))
        return;
    struct chunk *chunk = model_zeroed(sizeof *chunk);
    futures->made++;
    atomic_store_explicit(&shelf_for(futures, local / CHUNK)->chunk[local / CHUNK % SHELF], chunk, memory_order_release);
    if (futures->chunks <= local / CHUNK)
        futures->chunks = local / CHUNK + 1;
}

struct futures *futures_create(void) {
    struct futures *futures = model_zeroed(sizeof *futures);
    deeds_begin(&futures->deeds);
    return futures;
}

void futures_expect_agents(struct futures *futures) { futures->deeds.agents = true; }

void futures_destroy(struct futures *futures) {
    for (uint32_t i = 0; i < futures->chunks; i++)
        free(chunk_of(futures, i * CHUNK));
    for (uint32_t i = 0; i < SHELVES; i++)
        free(atomic_load_explicit(&futures->shelf[i], memory_order_relaxed));
    deeds_end(&futures->deeds);
    name_table_free(&futures->edge_names);
    free(futures->edge);
    free(futures->toward);
    free(futures);
}

uint64_t futures_memory(const struct futures *futures) {
    return sizeof(struct chunk) * futures->made + futures->edge_room * sizeof *futures->edge +
           name_table_bytes(&futures->edge_names) + deeds_memory(&futures->deeds);
}

/* ---- growing ---- */

static void let_wait(struct futures *futures, uint32_t local) {
    set_add(chunk_of(futures, local)->waiting, local % CHUNK);
    if (futures->waits_from <= local)
        futures->waits_from = local + 1;
}

/* The last one that is waiting, and does so no longer. False: there is none. */
static bool next_waiting(struct futures *futures, uint32_t *local) {
    while (futures->waits_from > 0) {
        const uint32_t first = (futures->waits_from - 1) / 64 * 64;
        struct chunk *chunk = chunk_of(futures, first);
        uint64_t *word = chunk ? &chunk->waiting[first % CHUNK / 64] : NULL;
        futures->waits_from = first;
        if (!word || !*word)
            continue;
        const uint32_t last = 63 - (uint32_t)__builtin_clzll(*word);
        set_remove(word, last);
        *local = futures->waits_from = first + last;
        return true;
    }
    return false;
}

static void grow(struct futures *futures, uint32_t local, uint32_t with) {
    uint32_t *known = &chunk_of(futures, local)->known[local % CHUNK];
    uint32_t grown = deeds_sum(&futures->deeds, *known, with, (struct gate){NO_GATE, 0, 0});
    if (grown == *known)
        return;
    *known = grown;
    futures->grown = true;
    let_wait(futures, local);
}

/* What comes after one goes to all that lead there. Those that were met last come first, as what leads to a local state has mostly
 * been met before it. */
static void pass_on(struct futures *futures) {
    uint32_t local;
    while (next_waiting(futures, &local)) {
        const struct chunk *chunk = chunk_of(futures, local);
        for (uint32_t i = chunk->first[local % CHUNK]; i; i = futures->edge[i - 1].next) {
            const struct edge *edge = &futures->edge[i - 1];
            grow(futures, edge->from, deeds_sum(&futures->deeds, edge->own, chunk->known[local % CHUNK], edge->gate));
        }
    }
}

/* False: it was there before. */
static bool add_edge(struct futures *futures, uint32_t from, uint32_t to, uint32_t own, struct gate gate) {
    const uint32_t content[] = {from, to, own, gate.context, gate.heard, gate.sent};
    const struct name name = name_of(content, sizeof content);
    if (name_table_find(&futures->edge_names, name) != NAME_UNKNOWN)
        return false;
    name_table_add(&futures->edge_names, name, futures->edges);
    uint32_t *first = &chunk_of(futures, to)->first[to % CHUNK];
    futures->edge = model_room(futures->edge, &futures->edge_room, futures->edges, sizeof *futures->edge);
    futures->edge[futures->edges++] = (struct edge){from, own, gate, *first};
    *first = futures->edges;
    return true;
}

void futures_note(struct futures *futures, uint32_t from, uint32_t context, const struct rank_set *heard,
                  const struct step_result *result) {
    const struct gate gate = {context, deeds_ranks(&futures->deeds, heard), deeds_count(&futures->deeds, result)};
    uint32_t own = deeds_sent(&futures->deeds, result), to = result->local;
    make_chunk(futures, from);
    make_chunk(futures, to);
    if (!add_edge(futures, from, to, own, gate))
        return;
    let_wait(futures, to);
    struct chunk *chunk = chunk_of(futures, from);
    if (!chunk->left[from % CHUNK]) {
        chunk->left[from % CHUNK] = true;
        futures->grown = true;
    }
}

/* ---- relying on them ---- */

static void sort_deeds(struct futures *futures) {
    futures->words = (futures->deeds.count + 63) / 64;
    futures->towards = 0;
    for (uint32_t i = 1; i < futures->deeds.count; i++) {
        const struct deed *deed = &futures->deeds.deed[i];
        if (deed->to == DEED_ENTERS)
            set_add(futures->entries, i);
        else if (deed->to >= futures->towards)
            futures->towards = deed->to + 1;
    }
    futures->toward = model_resize(futures->toward, (futures->towards + 1) * sizeof *futures->toward);
    memset(futures->toward, 0, (futures->towards + 1) * sizeof *futures->toward);
    for (uint32_t i = 1; i < futures->deeds.count; i++) {
        const struct deed *deed = &futures->deeds.deed[i];
        if (deed->to == DEED_ENTERS)
            continue;
        struct deeds_toward *toward = &futures->toward[deed->to];
        if (!deed_is_of_requests(deed))
            set_add(toward->message, i);
        if (deed->touches != TOUCHES_OF_TWIN)
            set_add(toward->request, i);
    }
}

/* Of a local state that no known step leaves or leads to it may only be denied that something is sent. Most of a chunk is never
 * written, and takes no memory as long as it is not. */
static void assume(const struct futures *futures, struct chunk *chunk, uint32_t begin) {
    for (uint32_t i = 0; i < CHUNK && begin + i < futures->locals; i++)
        chunk->assumed[i] = chunk->left[i] ? futures->deeds.set[chunk->known[i]] : NULL;
    for (uint32_t i = 0; i < CHUNK; i++)
        if (atomic_load_explicit(&chunk->denied[i], memory_order_relaxed))
            atomic_store_explicit(&chunk->denied[i], false, memory_order_relaxed);
}

void futures_assume(struct futures *futures, bool hopeful) {
    pass_on(futures);
    sort_deeds(futures);
    for (uint32_t i = 0; i < futures->chunks; i++) {
        struct chunk *chunk = chunk_of(futures, i * CHUNK);
        if (chunk)
            assume(futures, chunk, i * CHUNK);
    }
    futures->assumes = true;
    futures->hopeful = hopeful;
    futures->grown = false;
}

static bool assumed_enough(const struct futures *futures, const struct chunk *chunk) {
    for (uint32_t i = 0; i < CHUNK; i++) {
        if (!atomic_load_explicit(&chunk->denied[i], memory_order_relaxed))
            continue;
        if (futures->deeds.set[chunk->known[i]] != chunk->assumed[i] && (chunk->assumed[i] || chunk->known[i] != NOTHING))
            return false;
    }
    return true;
}

bool futures_assumed_enough(struct futures *futures) {
    pass_on(futures);
    for (uint32_t i = 0; futures->grown && i < futures->chunks; i++) {
        const struct chunk *chunk = chunk_of(futures, i * CHUNK);
        if (chunk && !assumed_enough(futures, chunk))
            return false;
    }
    return true;
}

/* How many of the collectives on the communicator that not all have left yet it has entered. */
static uint32_t entered(const struct component *component, uint32_t context) {
    uint32_t entered = 0;
    for (uint32_t i = 0; i < component->count; i++)
        entered += component->pending[i].kind == WIRE_COLLECTIVE && component->pending[i].context == context;
    return entered;
}

/* Must `member` move before `source` gets past so many collectives of this communicator that all must enter? If in doubt no. */
static bool keeps_shut(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned member, uint32_t gate,
                       uint32_t gates) {
    const struct component *component = component_at(model, state[source]);
    uint32_t current = collective_current(component);
    bool inside = current != UINT32_MAX && component->pending[current].context == gate;
    return model->context[gate].position[member] >= 0 &&
           entered(component_at(model, state[member]), gate) + inside < entered(component, gate) + gates;
}

/* Is the rank in a call that is not over before `other` has sent it something more? If in doubt no. */
static bool waits_for(const struct mpi_model *model, const uint32_t *state, unsigned rank, unsigned other) {
    const struct component *component = component_at(model, state[rank]);
    const struct call *call = component->awaits_named ? component_call(component) : NULL;
    if (!call || call->kind != WIRE_CALL_WAIT_ALL)
        return false;
    uint32_t from = 0;
    for (uint32_t i = 0; i < call->requests; i++) {
        uint32_t at = pending_find_from(component, call->request[i], &from);
        const struct pending *receive = at == UINT32_MAX ? NULL : &component->pending[at];
        if (!receive || receive->kind != WIRE_RECEIVE || receive->peer != (int32_t)other || !pending_open(receive) ||
            receive->flags & PENDING_CANCEL)
            continue;
        struct envelope envelope = receive_envelope(component->pending, at);
        if (channel_first(model, state, rank, other, &envelope) == UINT32_MAX)
            return true;
    }
    return false;
}

/* Is there a message from one to the other of which that does not know yet? If in doubt yes. */
static bool has_written(const struct mpi_model *model, const uint32_t *state, unsigned from, unsigned to) {
    const struct component *sender = component_at(model, state[from]), *receiver = component_at(model, state[to]);
    for (uint32_t i = 0; i < sender->count; i++) {
        const struct pending *send = &sender->pending[i];
        if (send->kind == WIRE_SEND && send->peer == (int32_t)to && send->status != OPERATION_COMPLETE)
            return true;
    }
    for (uint32_t i = 0; i < receiver->count; i++) {
        const struct pending *receive = &receiver->pending[i];
        if (receive->kind != WIRE_SEND && receive->kind != WIRE_COLLECTIVE && !pending_open(receive) &&
            (receive->peer == (int32_t)from || receive->source == (int32_t)from))
            return true;
    }
    return false;
}

/* What the rank is assumed to do in future. False: that is not known. */
static bool find_assumed(const struct futures *futures, const struct component *component, const struct deed_set **assumed) {
    const struct chunk *chunk = futures->assumes ? chunk_of(futures, component->local) : NULL;
    *assumed = chunk ? chunk->assumed[component->local % CHUNK] : NULL;
    return chunk && (*assumed || futures->hopeful) && !(*assumed && set_has((*assumed)->word, ANYTHING));
}

static void note_denied(const struct futures *futures, const struct component *component) {
    _Atomic bool *denied = &chunk_of(futures, component->local)->denied[component->local % CHUNK];
    if (!atomic_load_explicit(denied, memory_order_relaxed))
        atomic_store_explicit(denied, true, memory_order_relaxed);
}

/* What has not been issued yet is of the step before the local state. The `i`th of these operations from behind, from 1. */
static const struct operation *unissued(const struct component *component, uint32_t i) {
    return &component->result->operation[component->result->operations - i];
}

static bool is_about_to_enter(const struct component *component, uint32_t context) {
    for (uint32_t i = 1; i <= component->unissued; i++) {
        const struct operation *operation = unissued(component, i);
        if (operation->kind == WIRE_COLLECTIVE && operation->context == context)
            return true;
    }
    return false;
}

/* Must `other` send the rank something before that next enters a collective on the communicator? If in doubt no. Where it waits for any
 * of several answers, or polls, it is not this call that says so (waits_for), but that on all its ways to each such collective it has
 * received a message of `other`, when there is none yet that it has not received. It is relied on that there are no other ways, as it
 * is on what is sent. */
static bool hears_before_entry(const struct mpi_model *model, const uint32_t *state, unsigned rank, unsigned other,
                               uint32_t context, bool relied_on) {
    const struct futures *futures = model->futures;
    const struct component *component = component_at(model, state[rank]);
    const struct deed_set *assumed;
    if (!futures->deeds.agents || has_written(model, state, other, rank) || is_about_to_enter(component, context) ||
        !find_assumed(futures, component, &assumed) || !assumed)
        return false;
    for (uint32_t i = 0; i < futures->words && i < assumed->words; i++)
        for (uint64_t rest = assumed->word[i] & futures->entries[i]; rest; rest &= rest - 1) {
            const struct deed *entry = &futures->deeds.deed[i * 64 + (uint32_t)__builtin_ctzll(rest)];
            if (entry->context == context && (!entry->heard || !rank_set_has(futures->deeds.heard[entry->heard - 1], other)))
                return false;
        }
    if (relied_on)
        note_denied(futures, component);
    return true;
}

/* Must `before` move before `source` gets past the collectives that come before the deed? So it must if somebody who waits for
 * it must. But if it is an agent that may serve others first, then only who has made the request in question: being calm, it
 * has answered all before, so that one waits for the answer to this one or to a later one. Likewise if that one will have heard of the
 * agent before it enters: it can be nothing but such an answer. Of others it may hear before, by whatever is done elsewhere or by the
 * agent for others; that counts for nothing. */
static bool is_shut(const struct mpi_model *model, const uint32_t *state, unsigned source, const struct envelope_to *envelope,
                    const struct deed *deed, bool relied_on) {
    const uint32_t gate = deed->gate, gates = deed->gates > 0 ? deed->gates : 1;
    if (gate == NO_GATE)
        return false;
    if (keeps_shut(model, state, source, envelope->before, gate, gates))
        return true;
    if (envelope->rival_of != NOBODY)
        return keeps_shut(model, state, source, envelope->rival_of, gate, gates) &&
               (waits_for(model, state, envelope->rival_of, envelope->before) ||
                hears_before_entry(model, state, envelope->rival_of, envelope->before, gate, relied_on));
    const struct context *context = &model->context[gate];
    for (uint32_t i = 0; i < context->members; i++) {
        unsigned member = (unsigned)context->member[i];
        if (component_at(model, state[member])->awaits_named && keeps_shut(model, state, source, member, gate, gates) &&
            waits_for(model, state, member, envelope->before))
            return true;
    }
    return false;
}

static bool may_send(const struct mpi_model *model, const uint32_t *state, unsigned source, const struct envelope_to *envelope,
                     bool relied_on);

/* May `source` hear of that rank before the one that is asked about moves? If in doubt yes. */
static bool may_hear(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned of,
                     const struct envelope_to *envelope, bool relied_on) {
    if (has_written(model, state, of, source))
        return true;
    if (of == envelope->before || component_at(model, state[of])->ended)
        return false;
    if (envelope->hearsay == 0)
        return true;
    const struct envelope_to any = {
        .to = source, .rival_of = NOBODY, .before = envelope->before, .when = ANY, .hearsay = envelope->hearsay - 1};
    return may_send(model, state, of, &any, relied_on);
}

/* Must the rank that is asked about move before `source` has heard of all that it hears of before the deed? An agent serves others
 * before it answers a request. */
static bool is_out_of_hearing(const struct mpi_model *model, const uint32_t *state, unsigned source,
                              const struct envelope_to *envelope, const struct deed *deed, bool relied_on) {
    if (!deed->heard || envelope->rival_of != NOBODY)
        return false;
    const struct rank_set *heard = model->futures->deeds.heard[deed->heard - 1];
    for (unsigned word = 0; word <= (model->ranks - 1) / 64; word++)
        for (uint64_t rest = heard->word[word]; rest; rest &= rest - 1)
            if (!may_hear(model, state, source, word * 64 + (unsigned)__builtin_ctzll(rest), envelope, relied_on))
                return true;
    return false;
}

/* May it come too early? Of a tag that is not known it may. */
static bool may_be_early(const struct mpi_model *model, const uint32_t *state, unsigned source, const struct deed *deed) {
    return deed->hurry == HURRY_MOST || deed->tag == WIRE_ANY_TAG ||
           !strict_is_in_time(model, state, source, deed->to, deed->context, deed->tag, deed->hurry);
}

static bool fits(const struct mpi_model *model, const uint32_t *state, unsigned source, const struct deed *deed,
                 const struct envelope_to *envelope) {
    if (envelope->when == ANY)
        return true;
    if (envelope->when == OVERFLOW)
        return deed->hurry == HURRY_MOST;
    if (envelope->when != WHENEVER)
        return deed->hurry > 0 && (envelope->when == IN_TIME || may_be_early(model, state, source, deed));
    if (deed->context != envelope->context)
        return false;
    if (envelope->rival_of != NOBODY)
        return !requests_commute(model, (struct request){deed->tag, deed_touches(deed)},
                                 (struct request){envelope->tag, envelope->touches});
    return deed->tag == envelope->tag || deed->tag == WIRE_ANY_TAG || envelope->tag == WIRE_ANY_TAG;
}

/* Those of these deeds that such a question is about. */
static const uint64_t *asked_about(const struct futures *futures, const struct deed_set *deeds,
                                   const struct envelope_to *envelope) {
    if (envelope->when == OVERFLOW)
        return deeds->word;
    const struct deeds_toward *toward = &futures->toward[envelope->to];
    return envelope->rival_of == NOBODY ? toward->message : toward->request;
}

/* Is one of these deeds, towards this rank, done with this envelope, before the rank moves that is asked about? */
static bool has_deed(const struct mpi_model *model, const uint32_t *state, unsigned source, const struct deed_set *deeds,
                     const struct envelope_to *envelope, bool relied_on) {
    const struct futures *futures = model->futures;
    const uint64_t *asked = asked_about(futures, deeds, envelope);
    for (uint32_t i = 0; i < futures->words && i < deeds->words; i++)
        for (uint64_t rest = deeds->word[i] & asked[i]; rest; rest &= rest - 1) {
            const struct deed *deed = &futures->deeds.deed[i * 64 + (uint32_t)__builtin_ctzll(rest)];
            if (fits(model, state, source, deed, envelope) && !is_shut(model, state, source, envelope, deed, relied_on) &&
                !is_out_of_hearing(model, state, source, envelope, deed, relied_on))
                return true;
        }
    return false;
}

static bool is_about_to_send(const struct component *component, const struct envelope_to *envelope) {
    for (uint32_t i = 1; i <= component->unissued; i++) {
        const struct operation *operation = unissued(component, i);
        if (operation->kind == WIRE_SEND && (envelope->when == OVERFLOW || operation->peer == (int32_t)envelope->to))
            return true;
    }
    return false;
}

static bool may_send(const struct mpi_model *model, const uint32_t *state, unsigned source, const struct envelope_to *envelope,
                     bool relied_on) {
    const struct futures *futures = model->futures;
    const struct component *component = component_at(model, state[source]);
    const struct deed_set *assumed;
    if (is_about_to_send(component, envelope) || !find_assumed(futures, component, &assumed))
        return true;
    const bool may_be = envelope->when == OVERFLOW || envelope->to < futures->towards;
    if (assumed && may_be && has_deed(model, state, source, assumed, envelope, relied_on))
        return true;
    if (relied_on)
        note_denied(futures, component);
    return false;
}

bool futures_may_send(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned to, uint32_t context,
                      int32_t tag, bool relied_on) {
    return may_send(model, state, source,
                    &(struct envelope_to){.to = to,
                                          .context = context,
                                          .tag = tag,
                                          .rival_of = NOBODY,
                                          .before = to,
                                          .when = WHENEVER,
                                          .hearsay = HEARSAY_MOST},
                    relied_on);
}

/* What is right only in time, as `when` says. */
static bool may_send_in_time(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned to, int when,
                             bool relied_on) {
    const struct envelope_to envelope = {.to = to, .rival_of = NOBODY, .before = to, .when = when, .hearsay = HEARSAY_MOST};
    return may_send(model, state, source, &envelope, relied_on);
}

bool futures_may_hurry(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned to, bool relied_on) {
    return may_send_in_time(model, state, source, to, IN_TIME, relied_on);
}

bool futures_may_be_early(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned to, bool relied_on) {
    return may_send_in_time(model, state, source, to, EARLY, relied_on);
}

bool futures_may_overflow(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned to, bool relied_on) {
    return may_send_in_time(model, state, source, to, OVERFLOW, relied_on);
}

bool futures_may_rival(const struct mpi_model *model, const uint32_t *state, unsigned source, const struct transition *request,
                       bool relied_on) {
    const struct pending *pending = &component_at(model, state[request->partner])->pending[request->b];
    const struct envelope_to envelope = {.to = request->owner,
                                         .context = pending->context,
                                         .tag = pending->tag,
                                         .rival_of = request->partner,
                                         .touches = pending->touches,
                                         .before = request->owner,
                                         .when = WHENEVER};
    return may_send(model, state, source, &envelope, relied_on);
}

/* ---- kept in a file ---- */

/* What is kept of a local state. */
struct kept {
    uint32_t local, known;
    uint32_t assumed; /* one more than the number of a set; 0: none */
    uint32_t flags;   /* 1: left, 2: denied */
};

struct kept_edge {
    uint32_t from, to, own;
    struct gate gate;
};

static void save_edges(const struct futures *futures, FILE *out) {
    model_put(out, &futures->edges, sizeof futures->edges);
    for (uint32_t local = 0; local < futures->locals; local++) {
        const struct chunk *chunk = chunk_of(futures, local);
        for (uint32_t i = chunk ? chunk->first[local % CHUNK] : 0; i; i = futures->edge[i - 1].next) {
            const struct edge *edge = &futures->edge[i - 1];
            model_put(out, &(struct kept_edge){edge->from, local, edge->own, edge->gate}, sizeof(struct kept_edge));
        }
    }
}

static bool is_denied(const struct chunk *chunk, uint32_t local) {
    return chunk && atomic_load_explicit(&chunk->denied[local % CHUNK], memory_order_relaxed);
}

static struct kept kept_of(struct futures *futures, const struct chunk *chunk, uint32_t local) {
    uint32_t at = local % CHUNK;
    const struct deed_set *assumed = chunk->assumed[at];
    return (struct kept){local, chunk->known[at],
                         assumed ? deeds_intern(&futures->deeds, assumed->word, assumed->words) + 1 : 0,
                         chunk->left[at] | is_denied(chunk, local) << 1};
}

void futures_save(struct futures *futures, FILE *out) {
    pass_on(futures);
    const uint32_t head[] = {futures->assumes, futures->hopeful, futures->grown};
    model_put(out, head, sizeof head);
    deeds_save(&futures->deeds, out);
    save_edges(futures, out);
    for (uint32_t local = 0; local < futures->chunks * CHUNK; local++) {
        const struct chunk *chunk = chunk_of(futures, local);
        if (local >= futures->locals && !is_denied(chunk, local))
            continue;
        struct kept kept = chunk ? kept_of(futures, chunk, local) : (struct kept){0};
        if (kept.known != NOTHING || kept.assumed || kept.flags)
            model_put(out, &kept, sizeof kept);
    }
    model_put(out, &(struct kept){.local = NO_LOCAL}, sizeof(struct kept));
}

static bool load_edges(struct futures *futures, FILE *in) {
    struct kept_edge edge;
    uint32_t edges;
    bool ok = model_get(in, &edges, sizeof edges);
    for (uint32_t i = 0; ok && i < edges; i++) {
        ok = model_get(in, &edge, sizeof edge) && edge.own < futures->deeds.sets;
        if (!ok)
            break;
        make_chunk(futures, edge.from);
        make_chunk(futures, edge.to);
        add_edge(futures, edge.from, edge.to, edge.own, edge.gate);
    }
    return ok;
}

bool futures_load(struct futures *futures, FILE *in) {
    uint32_t head[3];
    struct kept kept;
    if (!model_get(in, head, sizeof head) || !deeds_load(&futures->deeds, in) || !load_edges(futures, in))
        return false;
    futures->assumes = head[0];
    futures->hopeful = head[1];
    futures->grown = head[2];
    sort_deeds(futures);
    while (model_get(in, &kept, sizeof kept) && kept.known < futures->deeds.sets && kept.assumed <= futures->deeds.sets) {
        if (kept.local == NO_LOCAL)
            return true;
        make_chunk(futures, kept.local);
        struct chunk *chunk = chunk_of(futures, kept.local);
        uint32_t at = kept.local % CHUNK;
        chunk->known[at] = kept.known;
        chunk->assumed[at] = kept.assumed ? futures->deeds.set[kept.assumed - 1] : NULL;
        chunk->left[at] = kept.flags & 1;
        atomic_store_explicit(&chunk->denied[at], kept.flags >> 1 & 1, memory_order_relaxed);
    }
    return false;
}
