/* Collectives, each modelled as itself (MPI-3.1 chapter 5). A rank's record of a collective stays until all members have left
 * it, so the k-th record on a communicator is the same collective for all members. */
#include "models/mpi/functions.h"
#include "models/mpi/model_parts.h"
#include "models/mpi/operator_names.h"

#include <stdio.h>

static bool has_left(const struct pending *record) {
    return record->status == OPERATION_COMPLETE && record->request == WIRE_NO_REQUEST;
}

uint32_t collective_current(const struct component *component) {
    for (uint32_t i = 0; i < component->count; i++)
        if (component->pending[i].kind == WIRE_COLLECTIVE && component->pending[i].request == WIRE_NO_REQUEST &&
            component->pending[i].status == OPERATION_PENDING)
            return i;
    return UINT32_MAX;
}

/* Where a rank stands in one of its collectives. */
struct stand {
    const struct context *context;
    const struct pending *record;
    const uint32_t *empty; /* numbers of the members whose blocks are empty, ascending; record->capacity of them */
    uint32_t position;     /* of the record among the rank's on this communicator */
    int32_t member, root;  /* places in the communicator; root -1: none */
};

static struct stand stand_of(const struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t record) {
    const struct component *component = component_at(model, state[rank]);
    struct stand stand = {.record = &component->pending[record], .root = -1};
    stand.context = &model->context[stand.record->context];
    stand.empty = stand.record->capacity ? &model->part[stand.record->tag] : NULL;
    for (uint32_t i = 0; i < record; i++)
        stand.position +=
            component->pending[i].kind == WIRE_COLLECTIVE && component->pending[i].context == stand.record->context;
    stand.member = stand.context->position[rank];
    if (stand.record->peer >= 0 && stand.record->peer < (int32_t)model->ranks)
        stand.root = stand.context->position[stand.record->peer];
    return stand;
}

static bool in_first_group(const struct context *context, int32_t member) { return member < (int32_t)context->first_group; }

/* Do the two members exchange data in this collective at all? */
static bool are_partners(const struct stand *stand, int32_t other) {
    const struct context *context = stand->context;
    if (context->first_group == 0 || stand->record->mode == WIRE_BOTH_GROUPS)
        return true;
    return stand->record->peer != WIRE_NO_PART && in_first_group(context, stand->member) != in_first_group(context, other);
}

static bool is_source(const struct stand *stand, int32_t other) {
    const struct context *context = stand->context;
    return context->source && rank_set_has(&context->source[stand->member], (unsigned)context->member[other]);
}

/* A member's number towards the other members. */
static uint32_t number_of(const struct stand *stand, int32_t member) {
    bool grouped = stand->context->first_group != 0 && stand->record->mode != WIRE_BOTH_GROUPS;
    if (!grouped || in_first_group(stand->context, member))
        return (uint32_t)member;
    return (uint32_t)member - stand->context->first_group;
}

static bool is_known_empty(const struct stand *stand, int32_t other) {
    if (!stand->empty)
        return false;
    uint32_t number = number_of(stand, other), low = 0, high = (uint32_t)stand->record->capacity;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (stand->empty[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < stand->record->capacity && stand->empty[low] == number;
}

/* Is there data from member `other` for the member? */
static bool takes_from(const struct stand *stand, int32_t other) {
    if (!are_partners(stand, other))
        return false;
    switch (stand->record->mode) {
    case WIRE_FAN_OUT: return other == stand->root;
    case WIRE_FAN_IN: return stand->member == stand->root;
    case WIRE_PREFIX: return other <= stand->member;
    case WIRE_PREFIX_EXCLUSIVE: return other < stand->member;
    case WIRE_NEIGHBOURS: return is_source(stand, other);
    default: return true;
    }
}

/* Does the member need what member `other` brings? */
static bool needs(const struct stand *stand, int32_t other) {
    return takes_from(stand, other) && !is_known_empty(stand, other);
}

/* A member's record of the same collective: index, or UINT32_MAX if it has not entered. */
static uint32_t entry_of(const struct component *component, const struct stand *stand) {
    uint32_t before = stand->position;
    for (uint32_t i = 0; i < component->count; i++)
        if (component->pending[i].kind == WIRE_COLLECTIVE && component->pending[i].context == stand->record->context &&
            before-- == 0)
            return i;
    return UINT32_MAX;
}

static const struct pending *record_of(const struct mpi_model *model, const uint32_t *state, const struct stand *stand,
                                       uint32_t member) {
    const struct component *component = component_at(model, state[stand->context->member[member]]);
    uint32_t entry = entry_of(component, stand);
    return entry == UINT32_MAX ? NULL : &component->pending[entry];
}

bool mpi_model_collective_partner(const struct mpi_model *model, const uint32_t *state, unsigned rank, unsigned partner,
                                  uint16_t function, uint32_t *site) {
    const struct component *component = component_at(model, state[rank]);
    for (uint32_t i = 0; i < component->count && partner < model->ranks; i++) {
        const struct pending *own = &component->pending[i];
        if (own->kind != WIRE_COLLECTIVE || own->function != function || own->site != *site)
            continue;
        const struct stand stand = stand_of(model, state, rank, i);
        const int32_t member = stand.context->position[partner];
        const struct pending *other = member < 0 ? NULL : record_of(model, state, &stand, (uint32_t)member);
        if (other)
            *site = other->site;
        return other != NULL;
    }
    return false;
}

bool collective_has_data(const struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t record) {
    struct stand stand = stand_of(model, state, rank, record);
    for (uint32_t i = 0; i < stand.context->members; i++)
        if (needs(&stand, (int32_t)i) && !record_of(model, state, &stand, i))
            return false;
    return true;
}

uint32_t collective_gate(const struct mpi_model *model, const uint32_t *state, unsigned rank) {
    uint32_t record = collective_current(component_at(model, state[rank]));
    if (record == UINT32_MAX)
        return UINT32_MAX;
    struct stand stand = stand_of(model, state, rank, record);
    for (uint32_t i = 0; i < stand.context->members; i++)
        if ((int32_t)i != stand.member && !needs(&stand, (int32_t)i))
            return UINT32_MAX;
    return stand.record->context;
}

bool collective_all_entered(const struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t record) {
    struct stand stand = stand_of(model, state, rank, record);
    for (uint32_t i = 0; i < stand.context->members; i++)
        if (!record_of(model, state, &stand, i))
            return false;
    return true;
}

void collective_add_missing(const struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t record,
                            struct rank_set *set, bool assumed) {
    struct stand stand = stand_of(model, state, rank, record);
    for (uint32_t i = 0; i < stand.context->members; i++) {
        unsigned other = (unsigned)stand.context->member[i];
        bool may_enter = !component_at(model, state[other])->ended && acts_may_enter(model, other, stand.record->context);
        if (!record_of(model, state, &stand, i) && (!assumed || may_enter))
            rank_set_add(set, other);
    }
}

static uint32_t given_for(const struct mpi_model *model, const struct pending *given, uint32_t number) {
    return collective_part_for(model->part, given->payload, given->parts, number);
}

uint32_t collective_add_parts(struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t record) {
    struct stand stand = stand_of(model, state, rank, record);
    uint32_t parts = 0, own = number_of(&stand, stand.member);
    for (uint32_t i = 0; i < stand.context->members; i++) {
        if (!needs(&stand, (int32_t)i))
            continue;
        const struct pending *given = record_of(model, state, &stand, i);
        struct completion *completion = answer_add(model, rank);
        completion->index = number_of(&stand, (int32_t)i);
        completion->source = completion->tag = -1;
        completion->with_data = 1;
        completion->unordered = stand.record->unordered;
        completion->payload = given_for(model, given, own);
        parts++;
    }
    return parts;
}

const struct resolution *collective_answer(struct mpi_model *model, const uint32_t *state, unsigned rank) {
    answer_begin(model, rank, WIRE_LEFT);
    collective_add_parts(model, state, rank, collective_current(component_at(model, state[rank])));
    return model->answer[rank];
}

void collective_leave(struct pending *record) {
    record->status = OPERATION_COMPLETE;
    record->request = WIRE_NO_REQUEST;
}

/* --- settling -------------------------------------------------------------------------------------------------------- */

static bool all_left(const struct mpi_model *model, const uint32_t *state, const struct stand *stand) {
    for (uint32_t i = 0; i < stand->context->members; i++) {
        const struct pending *record = record_of(model, state, stand, i);
        if (!record || !has_left(record))
            return false;
    }
    return true;
}

static void remove_everywhere(struct mpi_model *model, uint32_t *state, unsigned rank, uint32_t record) {
    struct stand stand = stand_of(model, state, rank, record);
    const struct pending own = *stand.record; /* its component may go */
    stand.record = &own;
    for (uint32_t i = 0; i < stand.context->members; i++) {
        uint32_t *other = &state[stand.context->member[i]];
        draft_open(model, *other);
        draft_remove(&model->draft, entry_of(component_at(model, *other), &stand));
        *other = draft_close_same(model, *other);
    }
}

void mpi_model_missing(const struct mpi_model *model, const uint32_t *state, unsigned rank, struct rank_set *set) {
    const struct component *component = component_at(model, state[rank]);
    for (uint32_t i = 0; i < component->count; i++) {
        const struct pending *record = &component->pending[i];
        bool awaited = record->request == WIRE_NO_REQUEST || call_lists(component_call(component), record->request);
        if (record->kind == WIRE_COLLECTIVE && record->status == OPERATION_PENDING && awaited)
            collective_add_missing(model, state, rank, i, set, false);
    }
}

/* What the members of a collective do not agree on, if that is neither its root nor types nor an operator: what the upper half of
 * `agreement` is of. */
static const char *different_amounts(uint16_t function) {
    switch (function) {
    case FUNCTION_MPI_Cart_create: return "describe different grids in one collective";
    case FUNCTION_MPI_Graph_create: return "describe different graphs in one collective";
    case FUNCTION_MPI_Dist_graph_create:
    case FUNCTION_MPI_Dist_graph_create_adjacent: return "do not agree whether the edges of a graph have weights";
    case FUNCTION_MPI_Reduce_scatter:
    case FUNCTION_MPI_Ireduce_scatter:
    case FUNCTION_MPI_Reduce_scatter_init: return "bring different counts to one collective";
    case FUNCTION_MPI_File_open: return "give different access modes to one collective";
    case FUNCTION_MPI_File_set_size:
    case FUNCTION_MPI_File_preallocate: return "give different sizes to one collective";
    case FUNCTION_MPI_File_seek_shared: return "give different offsets to one collective";
    case FUNCTION_MPI_File_set_view: return "give elementary types of different extents to one collective";
    case FUNCTION_MPI_File_set_atomicity: return "do not agree on the atomicity of a file";
    default: return "bring different amounts of data to one collective";
    }
}

/* The same of the lower half; NULL: that is an operator. */
static const char *different_others(uint16_t function) {
    switch (function) {
    case FUNCTION_MPI_File_open: return "name different files in one collective";
    case FUNCTION_MPI_File_seek_shared: return "give different values of whence to one collective";
    case FUNCTION_MPI_File_set_view: return "give different data representations to one collective";
    default: return NULL;
    }
}

/* Of an amount that is told. */
static const char *unit_of_amount(uint16_t function) {
    switch (function) {
    case FUNCTION_MPI_File_open:
    case FUNCTION_MPI_File_seek_shared:
    case FUNCTION_MPI_File_set_atomicity: return "";
    default: return " bytes";
    }
}

static const char *disagreement(const struct pending *a, const struct pending *b) {
    if (a->function != b->function || a->mode != b->mode)
        return "call different collectives as the next one on their communicator";
    if (a->peer != b->peer)
        return "name different roots for one collective";
    if (a->agreement >> 32 != b->agreement >> 32)
        return different_amounts(a->function);
    if (a->agreement == b->agreement)
        return "bring data of different types to one collective";
    if ((a->agreement ^ b->agreement) == WIRE_IN_PLACE)
        return "do not both have MPI_IN_PLACE, which all or none must give";
    const char *others = different_others(a->function);
    return others ? others : "use different operators in one collective";
}

static bool differs_in_operator(const struct pending *a, const struct pending *b) {
    const uint64_t difference = a->agreement ^ b->agreement;
    return !different_others(a->function) && difference != 0 && difference >> 32 == 0 && difference != WIRE_IN_PLACE;
}

enum { BOTH = 2 * WIRE_MEANING_ROOM + 8 };

/* Those that are made of one basic type. */
static void tell_types(char text[BOTH], const struct pending *a, const struct pending *b) {
    const uint32_t types[] = {signature_basic_type((uint32_t)a->source_tag, a->agreement >> 32),
                              signature_basic_type((uint32_t)b->source_tag, b->agreement >> 32)};
    char room[2][BASIC_TYPE_ROOM];
    if (types[0] != BASIC_TYPE_none && types[1] != BASIC_TYPE_none && types[0] != types[1])
        snprintf(text, BOTH, ": %s and %s", basic_type_name(types[0], room[0]), basic_type_name(types[1], room[1]));
}

/* The half in which they differ, if ranks have said what it means. */
static void tell_meanings(const struct mpi_model *model, char text[BOTH], uint64_t a, uint64_t b) {
    const uint64_t half = a >> 32 != b >> 32 ? (uint64_t)UINT32_MAX << 32 : UINT32_MAX;
    const char *of_a = meaning_of(model, a & half), *of_b = meaning_of(model, b & half);
    if (of_a && of_b)
        snprintf(text, BOTH, ": %s and %s", of_a, of_b);
}

/* What each of the two has, where that says more than its call does; else nothing. */
static void tell_both(const struct mpi_model *model, char text[BOTH], const struct pending *a, const struct pending *b) {
    const bool same_call = a->function == b->function && a->mode == b->mode;
    *text = 0;
    if (same_call && a->peer != b->peer)
        snprintf(text, BOTH, ": ranks %d and %d", (int)a->peer, (int)b->peer);
    else if (same_call && differs_in_operator(a, b))
        snprintf(text, BOTH, ": %s and %s", operator_name((uint32_t)a->agreement), operator_name((uint32_t)b->agreement));
    else if (same_call && a->agreement == b->agreement)
        tell_types(text, a, b);
    else if (same_call)
        tell_meanings(model, text, a->agreement, b->agreement);
}

/* Do they differ in a number of bytes, and in nothing before that? */
static bool tell_amounts(const struct pending *a, const struct pending *b) {
    bool same_call = a->function == b->function && a->mode == b->mode && a->peer == b->peer;
    return same_call && a->agreement >> 32 != b->agreement >> 32 && !((a->agreement | b->agreement) & WIRE_AMOUNT_UNTOLD);
}

static bool same_types(const struct pending *a, const struct pending *b) {
    return !a->source_tag || !b->source_tag || a->source_tag == b->source_tag;
}

/* Those beside the root in its group of an intercommunicator know neither root nor arguments. */
static bool agree(const struct pending *a, const struct pending *b) {
    if (a->function != b->function || a->mode != b->mode)
        return false;
    return a->peer == WIRE_NO_PART || b->peer == WIRE_NO_PART ||
           (a->peer == b->peer && a->agreement == b->agreement && same_types(a, b));
}

/* Between groups everybody gives all that the other group shares among its members, of whom some may have no share. */
static bool gives_shares_of_others(const struct stand *stand) {
    const uint16_t function = stand->record->function;
    return stand->context->first_group != 0 &&
           (function == FUNCTION_MPI_Reduce_scatter || function == FUNCTION_MPI_Ireduce_scatter ||
            function == FUNCTION_MPI_Reduce_scatter_init);
}

/* Does the member of the stand get bytes from `giver`, whose block it takes to be empty? */
static bool gets_unexpected(const struct mpi_model *model, const struct stand *stand, int32_t giver,
                            const struct pending *given) {
    if (!takes_from(stand, giver) || !is_known_empty(stand, giver) || gives_shares_of_others(stand))
        return false;
    uint32_t part = given_for(model, given, number_of(stand, stand->member));
    return part != NO_PAYLOAD && model->payload_size(model->payload_context, part) > 0;
}

/* What is wrong between the member of the stand and another one: NULL if nothing is, or that has not entered. */
static const char *contradiction(const struct mpi_model *model, const uint32_t *state, const struct stand *stand,
                                 uint32_t member) {
    unsigned rank = (unsigned)stand->context->member[member];
    uint32_t entry = entry_of(component_at(model, state[rank]), stand);
    if (entry == UINT32_MAX)
        return NULL;
    struct stand other = stand_of(model, state, rank, entry);
    if (!agree(stand->record, other.record))
        return disagreement(stand->record, other.record);
    if (gets_unexpected(model, stand, (int32_t)member, other.record) ||
        gets_unexpected(model, &other, stand->member, stand->record))
        return "do not agree that one has no data for the other in one collective";
    return NULL;
}

bool collective_agrees(const struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t record,
                       struct violation *violation) {
    struct stand stand = stand_of(model, state, rank, record);
    const char *wrong = NULL;
    uint32_t member = 0;
    while (member < stand.context->members && !(wrong = contradiction(model, state, &stand, member)))
        member++;
    if (!wrong)
        return true;
    const struct pending *own = stand.record, *other = record_of(model, state, &stand, member);
    unsigned partner = (unsigned)stand.context->member[member];
    bool same_call = own->function == other->function && own->mode == other->mode && own->peer == other->peer;
    bool types = same_call && own->agreement == other->agreement && !same_types(own, other);
    *violation = (struct violation){.class_name = types ? "type-mismatch" : "collective-mismatch",
                                    .rank = (uint16_t)rank,
                                    .partner = (uint16_t)partner,
                                    .site = own->site,
                                    .partner_site = other->site,
                                    .function = own->function,
                                    .partner_function = other->function};
    char both[BOTH];
    const char *unit = unit_of_amount(own->function);
    tell_both(model, both, own, other);
    if (tell_amounts(own, other))
        snprintf(violation->message, sizeof violation->message, "rank %u and rank %u %s: %u%s and %u%s", rank, partner, wrong,
                 (unsigned)(own->agreement >> 32), unit, (unsigned)(other->agreement >> 32), unit);
    else
        snprintf(violation->message, sizeof violation->message, "rank %u and rank %u %s%s", rank, partner, wrong, both);
    return false;
}

/* Will its request be complete whatever happens? One that completed early is then no different from one that did not. */
static bool is_determined(const struct mpi_model *model, const uint32_t *state, unsigned rank, uint32_t record) {
    return collective_all_entered(model, state, rank, record) ||
           (model->buffering == BUFFERING_INFINITE && collective_has_data(model, state, rank, record));
}

bool collective_waits_on(const struct mpi_model *model, const uint32_t *state, unsigned rank) {
    const struct stand stand = stand_of(model, state, rank, collective_current(component_at(model, state[rank])));
    bool all = true;
    if (model->buffering == BUFFERING_INFINITE || stand.record->capacity > 0)
        return false;
    for (uint32_t i = 0; i < stand.context->members; i++) {
        const struct pending *other = record_of(model, state, &stand, i);
        if (other && (other->capacity > 0 || !agree(stand.record, other)))
            return false;
        all = all && other;
    }
    return !all;
}

static void complete(struct mpi_model *model, uint32_t *state, unsigned rank, uint32_t record) {
    draft_open(model, state[rank]);
    model->draft.pending[record].status = OPERATION_COMPLETE;
    state[rank] = draft_close_same(model, state[rank]);
}

static void retire(struct mpi_model *model, uint32_t *state, unsigned rank) {
    for (uint32_t i = 0; i < component_at(model, state[rank])->count;) {
        const struct pending *record = &component_at(model, state[rank])->pending[i];
        struct stand stand = {0};
        bool over = record->kind == WIRE_COLLECTIVE && has_left(record);
        if (over) {
            stand = stand_of(model, state, rank, i);
            over = all_left(model, state, &stand);
        }
        if (over)
            remove_everywhere(model, state, rank, i);
        else
            i++;
    }
}

bool collective_settle(struct mpi_model *model, uint32_t *state, unsigned rank, struct violation *violation) {
    retire(model, state, rank);
    for (uint32_t i = 0; i < component_at(model, state[rank])->count; i++) {
        const struct pending *record = &component_at(model, state[rank])->pending[i];
        if (record->kind != WIRE_COLLECTIVE || record->status == OPERATION_COMPLETE)
            continue;
        if (record->status == OPERATION_PENDING && !collective_agrees(model, state, rank, i, violation))
            return false;
        if (record->request != WIRE_NO_REQUEST && is_determined(model, state, rank, i))
            complete(model, state, rank, i);
    }
    return true;
}
