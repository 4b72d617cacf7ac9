/* Determined matches: of a named receive and the first message that it accepts, if no earlier open receive could take that, no
 * cancellation hangs over either side, and nobody waits for room. None of them is undone or made by another, so they are looked
 * for first and made together.
 *
 * They are made in working copies of the operations. Matches of one pair of ranks depend on nothing but the two components, so
 * the components after each pair are interned, for mpi_model_again. Where that would be too much to keep, as many ranks have
 * exchanged many messages, only what comes of all pairs is. */
#include "models/mpi/model_parts.h"

#include <stdlib.h>
#include <string.h>

/* Operations in components that are interned for pairs of one state. */
enum { KEPT_MOST = 8 * 1024 };

struct match {
    uint32_t receive, send;
};

/* The matches of a rank's receives with messages of one source. */
struct pair {
    uint32_t source;
    uint32_t first, count; /* in the list of matches */
};

struct settling {
    unsigned ranks;
    struct draft *copy; /* of each rank */
    bool *is_copied;
    uint32_t *copied; /* the ranks that are */
    uint32_t copies;
    uint32_t *before; /* the state, to come back to */
    struct pair *pair;
    uint32_t pairs, pair_room;
    struct match *match;
    uint32_t matches, match_room;
    bool *taken; /* messages of the source at hand */
    uint32_t taken_room;
    uint32_t *open; /* receives at hand that may take a message of that source, and none yet */
    uint32_t opens, open_room;
};

void settling_free(struct settling *settling) {
    for (unsigned rank = 0; settling && rank < settling->ranks; rank++)
        free(settling->copy[rank].pending);
    if (!settling)
        return;
    free(settling->copy);
    free(settling->is_copied);
    free(settling->copied);
    free(settling->before);
    free(settling->pair);
    free(settling->match);
    free(settling->taken);
    free(settling->open);
    free(settling);
}

static struct settling *settling_of(struct mpi_model *model) {
    if (model->settling && model->settling->ranks == model->ranks)
        return model->settling;
    settling_free(model->settling);
    struct settling *settling = model->settling = model_zeroed(sizeof *settling);
    settling->ranks = model->ranks;
    settling->copy = model_zeroed(model->ranks * sizeof *settling->copy);
    settling->is_copied = model_zeroed(model->ranks * sizeof *settling->is_copied);
    settling->copied = model_zeroed(model->ranks * sizeof *settling->copied);
    settling->before = model_zeroed(model->ranks * sizeof *settling->before);
    return settling;
}

/* ---- working copies ---- */

/* The operations of a rank, in its working copy if there is one. */
struct operations {
    const struct pending *pending;
    uint32_t count;
};

static struct operations operations_of(const struct mpi_model *model, const uint32_t *state, unsigned rank) {
    const struct settling *settling = model->settling;
    const struct component *component = component_at(model, state[rank]);
    if (settling->is_copied[rank])
        return (struct operations){settling->copy[rank].pending, settling->copy[rank].count};
    return (struct operations){component->pending, component->count};
}

static struct draft *copy_of(struct mpi_model *model, const uint32_t *state, unsigned rank) {
    struct settling *settling = model->settling;
    struct draft *copy = &settling->copy[rank];
    if (settling->is_copied[rank])
        return copy;
    const struct component *component = component_at(model, state[rank]);
    draft_copy(copy, component->pending, component->count, component->unissued);
    settling->is_copied[rank] = true;
    settling->copied[settling->copies++] = rank;
    return copy;
}

static void drop_copies(struct settling *settling) {
    while (settling->copies)
        settling->is_copied[settling->copied[--settling->copies]] = false;
}

/* The copy stays as it is: places in it hold. */
static void intern_copy(struct mpi_model *model, uint32_t *state, unsigned rank) {
    const struct draft *copy = &model->settling->copy[rank];
    draft_copy(&model->draft, copy->pending, copy->count, copy->unissued);
    draft_close_gaps(&model->draft);
    state[rank] = draft_close_same(model, state[rank]);
}

static void intern_copies(struct mpi_model *model, uint32_t *state) {
    for (uint32_t i = 0; i < model->settling->copies; i++)
        intern_copy(model, state, model->settling->copied[i]);
    drop_copies(model->settling);
}

/* ---- looking for matches ---- */

static bool is_open_receive(const struct pending *pending) { return pending->kind == WIRE_RECEIVE && pending_open(pending); }

static void add_open(struct settling *settling, uint32_t receive) {
    settling->open = model_room(settling->open, &settling->open_room, settling->opens, sizeof *settling->open);
    settling->open[settling->opens++] = receive;
}

static void add_match(struct settling *settling, uint32_t receive, uint32_t send) {
    settling->match = model_room(settling->match, &settling->match_room, settling->matches, sizeof *settling->match);
    settling->match[settling->matches++] = (struct match){receive, send};
    settling->taken[send] = true;
}

static void take_none(struct settling *settling, uint32_t messages) {
    while (settling->taken_room < messages)
        settling->taken = model_room(settling->taken, &settling->taken_room, settling->taken_room, sizeof *settling->taken);
    if (messages)
        memset(settling->taken, 0, messages * sizeof *settling->taken);
}

static bool taken_earlier(const struct settling *settling, const struct operations *receiver, unsigned source,
                          const struct pending *send) {
    for (uint32_t i = 0; i < settling->opens; i++) {
        const struct envelope earlier = receive_envelope(receiver->pending, settling->open[i]);
        if (envelope_accepts(&earlier, source, send))
            return true;
    }
    return false;
}

/* The messages of one sender that nobody has received; those before `first` are not among them. */
struct messages {
    struct operations sender;
    const struct call *call; /* of the sender */
    unsigned source, to;
    uint32_t first;
};

static void pass_taken(const struct settling *settling, struct messages *messages) {
    while (messages->first < messages->sender.count &&
           (settling->taken[messages->first] || !channel_is_message(&messages->sender.pending[messages->first], messages->to)))
        messages->first++;
}

/* Does it matter when the message is received? It leaves the attached buffer then. */
static bool takes_room(const struct mpi_model *model, const struct messages *messages, const struct pending *send) {
    return model->expected.hurries > 0 && strict_in_buffer(send) &&
           model_may_hurry(model, (int32_t)messages->source, messages->to);
}

/* The message that the receive is determined to take; UINT32_MAX: none. */
static uint32_t determined_match(const struct mpi_model *model, const struct operations *receiver, uint32_t receive,
                                 const struct messages *messages) {
    const struct settling *settling = model->settling;
    const struct pending *pending = messages->sender.pending;
    const struct envelope envelope = receive_envelope(receiver->pending, receive);
    uint32_t send = messages->first;
    while (send < messages->sender.count && (settling->taken[send] || !channel_is_message(&pending[send], messages->to) ||
                                             !envelope_accepts(&envelope, messages->source, &pending[send])))
        send++;
    if (send == messages->sender.count || taken_earlier(settling, receiver, messages->source, &pending[send]) ||
        pending_cancellable(model, messages->source, &pending[send], messages->call) ||
        takes_room(model, messages, &pending[send]))
        return UINT32_MAX;
    return send;
}

static void find_pair(struct mpi_model *model, const uint32_t *state, unsigned rank, unsigned source) {
    struct settling *settling = model->settling;
    const struct operations receiver = operations_of(model, state, rank);
    const struct call *call = component_call(component_at(model, state[rank]));
    struct messages messages = {operations_of(model, state, source), component_call(component_at(model, state[source])), source,
                                rank, 0};
    const uint32_t first = settling->matches;
    take_none(settling, messages.sender.count);
    settling->opens = 0;
    pass_taken(settling, &messages);
    for (uint32_t i = 0; i < receiver.count && messages.first < messages.sender.count; i++) {
        const struct pending *receive = &receiver.pending[i];
        if (!is_open_receive(receive) || (receive->peer != (int32_t)source && receive->peer != WIRE_ANY_SOURCE))
            continue;
        const bool may_be = receive->peer != WIRE_ANY_SOURCE && !pending_cancellable(model, rank, receive, call);
        const uint32_t send = may_be ? determined_match(model, &receiver, i, &messages) : UINT32_MAX;
        if (send == UINT32_MAX) {
            add_open(settling, i);
            continue;
        }
        add_match(settling, i, send);
        pass_taken(settling, &messages);
    }
    if (settling->matches == first)
        return;
    settling->pair = model_room(settling->pair, &settling->pair_room, settling->pairs, sizeof *settling->pair);
    settling->pair[settling->pairs++] = (struct pair){source, first, settling->matches - first};
}

static void find_pairs(struct mpi_model *model, const uint32_t *state, unsigned rank) {
    const struct operations receiver = operations_of(model, state, rank);
    struct rank_set seen = {0};
    model->settling->pairs = model->settling->matches = 0;
    for (uint32_t i = 0; i < receiver.count; i++) {
        const struct pending *receive = &receiver.pending[i];
        if (!is_open_receive(receive) || receive->peer < 0 || rank_set_has(&seen, (unsigned)receive->peer))
            continue;
        rank_set_add(&seen, (unsigned)receive->peer);
        find_pair(model, state, rank, (unsigned)receive->peer);
    }
}

/* ---- making them ---- */

/* The first receive, in the order posted, whose match breaks a rule, and which; UINT32_MAX: none. */
static uint32_t first_wrong(const struct mpi_model *model, const uint32_t *state, unsigned rank, struct violation *violation) {
    const struct settling *settling = model->settling;
    const struct operations receiver = operations_of(model, state, rank);
    uint32_t wrong = UINT32_MAX;
    for (uint32_t i = 0; i < settling->pairs; i++) {
        const struct pair *pair = &settling->pair[i];
        const struct operations sender = operations_of(model, state, pair->source);
        for (uint32_t k = pair->first; k < pair->first + pair->count; k++) {
            const struct match *match = &settling->match[k];
            if (match->receive < wrong && channel_breaks_rule(model, rank, &receiver.pending[match->receive], pair->source,
                                                              &sender.pending[match->send], violation))
                wrong = match->receive;
        }
    }
    return wrong;
}

/* Those of receives up to `last`. */
static void make_matches(struct mpi_model *model, const uint32_t *state, unsigned rank, const struct pair *pair,
                         uint32_t last) {
    struct pending *receiver = copy_of(model, state, rank)->pending;
    struct pending *sender = copy_of(model, state, pair->source)->pending;
    for (uint32_t i = pair->first; i < pair->first + pair->count; i++) {
        const struct match *match = &model->settling->match[i];
        if (match->receive > last)
            continue;
        const struct pending message = sender[match->send];
        if (!channel_end_receive(&receiver[match->receive], pair->source, &message))
            receiver[match->receive].kind = OPERATION_GONE;
        if (!channel_end_send(&sender[match->send]))
            sender[match->send].kind = OPERATION_GONE;
    }
}

static void settle_pairwise(struct mpi_model *model, uint32_t *state, unsigned rank) {
    struct settling *settling = model->settling;
    for (uint32_t i = 0; i < settling->pairs; i++) {
        const struct pair *pair = &settling->pair[i];
        const uint32_t receiver = state[rank], sender = state[pair->source];
        make_matches(model, state, rank, pair, UINT32_MAX);
        intern_copy(model, state, rank);
        if (pair->source == rank)
            continue;
        intern_copy(model, state, pair->source);
        remember_settled(model, receiver, sender, state[rank], state[pair->source]);
    }
    drop_copies(settling);
}

bool channel_settle(struct mpi_model *model, uint32_t *state, unsigned rank, struct violation *violation) {
    struct settling *settling = settling_of(model);
    if (!channel_settle_claimed(model, state, rank, violation))
        return false;
    find_pairs(model, state, rank);
    const uint32_t wrong = first_wrong(model, state, rank, violation);
    if (wrong == UINT32_MAX) {
        settle_pairwise(model, state, rank);
        return true;
    }
    for (uint32_t i = 0; i < settling->pairs; i++)
        make_matches(model, state, rank, &settling->pair[i], wrong);
    intern_copies(model, state);
    return false;
}

/* ---- of all ranks ---- */

static uint64_t outstanding(const struct mpi_model *model, const uint32_t *state) {
    uint64_t count = 0;
    for (unsigned rank = 0; rank < model->ranks; rank++)
        count += component_at(model, state[rank])->count;
    return count;
}

/* Operations in the components that would be interned, one for each pair; at most, if every source has sent what is awaited. */
static uint64_t may_be_kept(const struct mpi_model *model, const uint32_t *state) {
    const uint64_t all = outstanding(model, state);
    uint64_t kept = 0;
    if (2 * all * all <= KEPT_MOST)
        return 0;
    for (unsigned rank = 0; rank < model->ranks; rank++) {
        const struct component *component = component_at(model, state[rank]);
        struct rank_set seen = {0};
        for (uint32_t i = 0; component->awaits_named && i < component->count; i++) {
            const struct pending *receive = &component->pending[i];
            if (!is_open_receive(receive) || receive->peer < 0 || rank_set_has(&seen, (unsigned)receive->peer))
                continue;
            rank_set_add(&seen, (unsigned)receive->peer);
            const uint32_t sent = component_at(model, state[receive->peer])->count;
            kept += sent ? component->count + sent : 0;
        }
    }
    return kept;
}

/* The matches at one rank, in the working copies. Adds how many operations interning each pair would keep. False: a rule is
 * broken. */
static bool settle_in_copies(struct mpi_model *model, const uint32_t *state, unsigned rank, uint64_t *kept) {
    struct settling *settling = model->settling;
    struct violation violation;
    find_pairs(model, state, rank);
    if (first_wrong(model, state, rank, &violation) != UINT32_MAX)
        return false;
    for (uint32_t i = 0; i < settling->pairs; i++) {
        make_matches(model, state, rank, &settling->pair[i], UINT32_MAX);
        *kept += settling->copy[rank].count + settling->copy[settling->pair[i].source].count;
    }
    return true;
}

static bool settle_all_claimed(struct mpi_model *model, uint32_t *state) {
    struct violation violation;
    unsigned rank = 0;
    while (rank < model->ranks && channel_settle_claimed(model, state, rank, &violation))
        rank++;
    return rank == model->ranks;
}

bool channel_settle_all(struct mpi_model *model, uint32_t *state) {
    struct settling *settling = settling_of(model);
    if (may_be_kept(model, state) <= KEPT_MOST)
        return false;
    memcpy(settling->before, state, model->ranks * sizeof *state);
    uint64_t kept = 0;
    bool right = settle_all_claimed(model, state);
    for (unsigned rank = 0; right && rank < model->ranks; rank++)
        right = settle_in_copies(model, state, rank, &kept);
    if (right && kept > KEPT_MOST) {
        intern_copies(model, state);
        return true;
    }
    drop_copies(settling);
    memcpy(state, settling->before, model->ranks * sizeof *state);
    return false;
}

void channel_unsettle_all(const struct mpi_model *model, uint32_t *state) {
    memcpy(state, model->settling->before, model->ranks * sizeof *state);
}
