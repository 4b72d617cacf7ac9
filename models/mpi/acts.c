/* What ranks are known to do, and what they are assumed to do at most: see mpi_model_assume. */
#include "models/mpi/futures.h"
#include "models/mpi/model_parts.h"

#include <stdlib.h>
#include <string.h>

enum act_kind { ACT_SEND = 1, ACT_RECEIVE, ACT_ENTER };
enum { ACTS_MOST = 4096, PEER_BITS = 12, CONTEXT_BITS = 18, ANYBODY = (1 << PEER_BITS) - 1 };
/* The context of a send that is right only in time, on whatever communicator. */
enum { HURRY = (1 << CONTEXT_BITS) - 1 };

/* Numbers of 64 bits; 0: free. */
struct act_set {
    uint64_t *slot;
    size_t slots, used;
    bool anything; /* too many to list */
};

struct acts {
    unsigned ranks;
    struct act_set *known, *assumed; /* of each rank */
};

static uint64_t act(enum act_kind kind, int32_t peer, uint32_t context, int32_t tag) {
    uint64_t who = peer < 0 ? ANYBODY : (uint64_t)peer;
    return (uint64_t)kind << 62 | who << (32 + CONTEXT_BITS) | (uint64_t)context << 32 | (uint32_t)tag;
}

static size_t place_of(const struct act_set *set, uint64_t act) {
    size_t at = (size_t)((act ^ act >> 29) * 0x9e3779b97f4a7c15u >> 20) & (set->slots - 1);
    while (set->slot[at] && set->slot[at] != act)
        at = (at + 1) & (set->slots - 1);
    return at;
}

static bool has(const struct act_set *set, uint64_t act) {
    return set->anything || (set->used && set->slot[place_of(set, act)]);
}

static void add(struct act_set *set, uint64_t act) {
    if (has(set, act))
        return;
    if (set->used == ACTS_MOST) {
        set->anything = true;
        return;
    }
    if (set->used * 2 >= set->slots) {
        struct act_set larger = {.slots = set->slots ? set->slots * 2 : 16, .used = set->used};
        larger.slot = model_resize(NULL, larger.slots * sizeof *larger.slot);
        memset(larger.slot, 0, larger.slots * sizeof *larger.slot);
        for (size_t i = 0; i < set->slots; i++)
            if (set->slot[i])
                larger.slot[place_of(&larger, set->slot[i])] = set->slot[i];
        free(set->slot);
        *set = larger;
    }
    set->slot[place_of(set, act)] = act;
    set->used++;
}

void acts_add_ranks(struct acts *acts, unsigned more) {
    size_t bytes = (acts->ranks + more) * sizeof *acts->known;
    acts->known = model_resize(acts->known, bytes);
    acts->assumed = model_resize(acts->assumed, bytes);
    for (unsigned i = 0; i < more; i++, acts->ranks++) {
        acts->known[acts->ranks] = (struct act_set){0};
        acts->assumed[acts->ranks] = (struct act_set){.anything = true}; /* until mpi_model_assume */
    }
}

struct acts *acts_create(unsigned ranks) {
    struct acts *acts = model_resize(NULL, sizeof *acts);
    *acts = (struct acts){0};
    acts_add_ranks(acts, ranks);
    return acts;
}

void acts_destroy(struct acts *acts) {
    for (unsigned rank = 0; rank < acts->ranks; rank++) {
        free(acts->known[rank].slot);
        free(acts->assumed[rank].slot);
    }
    free(acts->known);
    free(acts->assumed);
    free(acts);
}

static void note(struct act_set *set, enum act_kind kind, int32_t peer, uint32_t context, int32_t tag) {
    if (context >> CONTEXT_BITS)
        set->anything = true;
    else
        add(set, act(kind, peer, context, tag));
}

void acts_note(struct mpi_model *model, unsigned rank, const struct step_result *result) {
    struct act_set *set = &model->acts->known[rank];
    for (uint32_t i = 0; i < result->operations; i++) {
        const struct operation *operation = &result->operation[i];
        if (operation->kind == WIRE_COLLECTIVE) {
            note(set, ACT_ENTER, 0, operation->context, 0);
        } else if (operation->kind == WIRE_RECEIVE) {
            note(set, ACT_RECEIVE, operation->peer, operation->context, operation->tag);
        } else if (operation->kind == WIRE_SEND) {
            note(set, ACT_SEND, operation->peer, operation->context, operation->tag);
            note(set, ACT_SEND, operation->peer, operation->context, WIRE_ANY_TAG);
            if (strict_hurries(operation))
                note(set, ACT_SEND, operation->peer, HURRY, 0);
        }
    }
    const struct call *call = &result->call;
    if (!result->ended && call_is_probe(call))
        note(set, ACT_RECEIVE, call->peer, call->context, call->tag);
}

bool acts_may_send(const struct mpi_model *model, unsigned rank, unsigned to, uint32_t context, int32_t tag) {
    return has(&model->acts->assumed[rank], act(ACT_SEND, (int32_t)to, context, tag));
}

bool acts_may_hurry(const struct mpi_model *model, unsigned rank, unsigned to) {
    return has(&model->acts->assumed[rank], act(ACT_SEND, (int32_t)to, HURRY, 0));
}

bool acts_may_receive(const struct mpi_model *model, unsigned rank, unsigned from, uint32_t context, int32_t tag) {
    const struct act_set *set = &model->acts->assumed[rank];
    return has(set, act(ACT_RECEIVE, (int32_t)from, context, tag)) ||
           has(set, act(ACT_RECEIVE, (int32_t)from, context, WIRE_ANY_TAG)) ||
           has(set, act(ACT_RECEIVE, WIRE_ANY_SOURCE, context, tag)) ||
           has(set, act(ACT_RECEIVE, WIRE_ANY_SOURCE, context, WIRE_ANY_TAG));
}

bool acts_may_enter(const struct mpi_model *model, unsigned rank, uint32_t context) {
    return has(&model->acts->assumed[rank], act(ACT_ENTER, 0, context, 0));
}

void mpi_model_assume(struct mpi_model *model, bool hopeful) {
    futures_assume(model->futures, hopeful);
    for (unsigned rank = 0; rank < model->ranks; rank++) {
        const struct act_set *known = &model->acts->known[rank];
        struct act_set *assumed = &model->acts->assumed[rank];
        assumed->anything = known->anything;
        for (size_t i = 0; i < known->slots; i++)
            if (known->slot[i])
                add(assumed, known->slot[i]);
    }
}

bool mpi_model_assumed_enough(struct mpi_model *model) {
    for (unsigned rank = 0; rank < model->ranks; rank++) {
        const struct act_set *known = &model->acts->known[rank], *assumed = &model->acts->assumed[rank];
        if (known->anything != assumed->anything || (!known->anything && known->used != assumed->used))
            return false;
    }
    return futures_assumed_enough(model->futures);
}

/* --- kept in a file ---------------------------------------------------------------------------------------------------- */

static void save_set(const struct act_set *set, FILE *out) {
    const uint64_t head[] = {set->anything, set->used};
    model_put(out, head, sizeof head);
    for (size_t i = 0; i < set->slots; i++)
        if (set->slot[i])
            model_put(out, &set->slot[i], sizeof set->slot[i]);
}

static bool load_set(struct act_set *set, FILE *in) {
    uint64_t head[2], act;
    free(set->slot);
    *set = (struct act_set){0};
    if (!model_get(in, head, sizeof head))
        return false;
    for (uint64_t i = 0; i < head[1]; i++) {
        if (!model_get(in, &act, sizeof act) || !act)
            return false;
        add(set, act);
    }
    set->anything = head[0];
    return true;
}

void acts_save(const struct acts *acts, FILE *out) {
    for (unsigned rank = 0; rank < acts->ranks; rank++) {
        save_set(&acts->known[rank], out);
        save_set(&acts->assumed[rank], out);
    }
}

bool acts_load(struct acts *acts, FILE *in) {
    for (unsigned rank = 0; rank < acts->ranks; rank++)
        if (!load_set(&acts->known[rank], in) || !load_set(&acts->assumed[rank], in))
            return false;
    return true;
}
