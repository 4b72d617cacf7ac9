#include "models/mpi/preload/collectives/collective_data.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/buffer_room.h"
#include "models/mpi/preload/collectives/operators.h"
#include "models/mpi/preload/communicators/topology.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/datatypes/type_signatures.h"
#include "models/mpi/preload/files/file_turns.h"
#include "models/mpi/preload/point_to_point/requests.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_received.h"
#include "models/mpi/preload/windows/window_told.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct collective collective_of_all(const struct caller *caller, struct communicator *communicator) {
    return (struct collective){
        .caller = *caller, .communicator = communicator, .pattern = WIRE_ALL_TO_ALL, .root = COLLECTIVE_NO_ROOT};
}

bool collective_is_root(const struct collective *collective) {
    const struct communicator *communicator = collective->communicator;
    return communicator_is_inter(communicator) ? collective->root == MPI_ROOT : collective->root == communicator->rank;
}

bool collective_is_leaf(const struct collective *collective) {
    return !communicator_is_inter(collective->communicator) || collective->root >= 0;
}

static int root_in_world(const struct collective *collective) {
    if (collective->root == COLLECTIVE_NO_ROOT)
        return -1;
    if (collective->root >= 0)
        return communicator_peer(collective->communicator, collective->root);
    return collective->root == MPI_ROOT ? rank_number() : WIRE_NO_PART;
}

/* Numbers of the members from whom nothing comes; to be freed. */
static uint32_t *list_empty(const struct collective *collective, uint32_t *count) {
    int members = communicator_peers(collective->communicator);
    uint32_t *list = malloc(((size_t)members + 1) * sizeof *list);
    *count = 0;
    for (int member = 0; member < members; member++) {
        if (collective->is_empty || (collective->is_empty_from != NULL && collective->is_empty_from(collective, member)))
            list[(*count)++] = (uint32_t)member;
    }
    return list;
}

/* What the collective being entered uses; only kept if it is nonblocking, other operations are pending or a window is open. */
static struct buffers entered;
static bool is_kept;

static void keep_buffer(struct footprint *footprint, const struct block *block) {
    if (is_kept)
        footprint_add(footprint, block->buffer, block->count, block->type);
}

static void keep_taken(const struct collective *collective) {
    if (collective->take == NULL)
        return;
    if (collective->block.type != 0)
        keep_buffer(&entered.taken, &collective->block);
    bool has_blocks = collective->blocks.type != 0 || collective->blocks.types != NULL;
    for (int i = 0; has_blocks && i < collective->block_count; i++) {
        struct block block = block_of(&collective->blocks, i);
        keep_buffer(&entered.taken, &block);
    }
}

static void add_array(struct footprint *footprint, const void *array, int n, size_t size) {
    if (array != NULL)
        footprint_add(footprint, array, (MPI_Count)n * (MPI_Count)size, MPI_BYTE);
}

static size_t size_of_number(const struct blocks *blocks) {
    return blocks->large ? sizeof *blocks->counts.large : sizeof *blocks->counts.small;
}

static void add_arrays(struct footprint *footprint, const struct blocks *blocks, int n) {
    if (!blocks->varying)
        return;
    const size_t number = size_of_number(blocks);
    add_array(footprint, blocks->counts.small, n, number);
    add_array(footprint, blocks->displacements.small, n, number);
    add_array(footprint, blocks->offsets, n, sizeof *blocks->offsets);
    add_array(footprint, blocks->types, n, sizeof *blocks->types);
}

static void issue(const struct collective *collective, uint32_t request, int parts) {
    uint32_t empties;
    uint32_t *empty = list_empty(collective, &empties);
    struct wire_operation operation = {
        .kind = WIRE_COLLECTIVE,
        .mode = (uint8_t)collective->pattern,
        .function = function_without_large_counts(collective->caller.function),
        .request = request,
        .context = collective->communicator->context,
        .peer = root_in_world(collective),
        .tag = (int32_t)collective->types,
        .capacity = empties,
        .agreement = collective->agreement,
        .site = collective->caller.site,
        .parts = (uint32_t)parts + (empties > 0),
        .unordered = collective->unordered,
    };
    rank_issue(&operation);
    if (empties > 0)
        memcpy(rank_add_part(empties * sizeof *empty), empty, empties * sizeof *empty);
    free(empty);
}

/* Does no member leave before all have entered? That is the same for all of them. */
static bool needs_all(const struct collective *collective) {
    bool may_need_few = collective->is_empty_from != NULL && !blocks_are_alike(&collective->blocks);
    return collective->pattern == WIRE_ALL_TO_ALL && !collective->is_empty && !may_need_few;
}

static bool ends_turn(const struct collective *collective) {
    return turns_are_taken() && !collective->is_turn && collective->manner.request == NULL && needs_all(collective) &&
           turn_is_of_all(collective->communicator);
}

void collective_enter(struct collective *collective, int parts) {
    if (ends_turn(collective))
        turn_end(&collective->caller, collective->communicator);
    MPI_Request *request = collective->manner.request;
    is_kept = request != NULL || pending_buffers_matter();
    issue(collective, request == NULL ? WIRE_NO_REQUEST : request_reserve(request), parts);
}

struct collective_answer collective_leave(const struct collective *collective) {
    struct wire_call call = {
        .kind = WIRE_CALL_COLLECTIVE,
        .function = collective->caller.function,
        .context = collective->communicator->context,
        .peer = -1,
        .tag = collective->is_turn ? WIRE_OWN_COLLECTIVE : 0,
        .site = collective->caller.site,
    };
    if (needs_all(collective))
        told_enters_barrier(collective->communicator);
    const struct wire_resolution *resolution = rank_block(&call, NULL);
    if (needs_all(collective))
        told_barrier(collective->communicator);
    return (struct collective_answer){.first = rank_completion(resolution, 0), .count = resolution->completions};
}

static struct buffers take_buffers(const struct collective *collective, const struct caller *caller) {
    keep_taken(collective);
    pending_buffers_require_free(caller, &entered);
    told_said_before();
    struct buffers buffers = entered;
    memset(&entered, 0, sizeof entered);
    return buffers;
}

void collective_finish(struct collective *collective) {
    struct buffers buffers = take_buffers(collective, &collective->caller);
    MPI_Request *request = collective->manner.request;
    if (request != NULL) {
        if (!collective->manner.bound) {
            add_arrays(&buffers.told, &collective->givens, collective->given_count);
            add_arrays(&buffers.told, &collective->blocks, collective->block_count);
        }
        request_make_collective(*request, collective_keep(collective), &buffers);
        return;
    }
    buffers_free(&buffers);
    struct collective_answer answer = collective_leave(collective);
    if (collective->take != NULL)
        collective->take(collective, &answer);
}

/* Making a persistent one is a collective of its own, which any member may leave before the others come. */
static void agree_to_make(const struct collective *collective) {
    struct collective making = *collective;
    making.pattern = WIRE_ALL_TO_ALL;
    making.manner.request = NULL;
    making.is_empty = true;
    collective_enter(&making, 0);
    collective_leave(&making);
}

static struct communicator *context_of_its_own(struct communicator *communicator) {
    enum { PURPOSE_PERSISTENT = 0x70657273 };
    communicator_count_creation(communicator);
    uint64_t purpose = (uint64_t)PURPOSE_PERSISTENT << 32 | communicator->created;
    struct communicator *made = communicator_make_hidden(communicator, purpose, NULL);
    communicator_set_topology(made, topology_copy(communicator->topology));
    return made;
}

static void make_persistent(struct collective *collective) {
    agree_to_make(collective);
    struct collective *kept = collective_keep(collective);
    communicator_release(kept->communicator);
    kept->communicator = context_of_its_own(collective->communicator);
    request_make_persistent(collective->manner.request, kept, collective->communicator);
}

void collective_run(struct collective *collective) {
    if (collective->manner.persistent) {
        make_persistent(collective);
        return;
    }
    collective_enter(collective, collective->parts);
    if (collective->give != NULL)
        collective->give(collective);
    collective_finish(collective);
}

struct buffers collective_start(const struct collective *kept, const struct caller *caller, uint32_t request) {
    is_kept = true;
    issue(kept, request, kept->parts);
    if (kept->give != NULL)
        kept->give(kept);
    return take_buffers(kept, caller);
}

static void *copy_array(const void *array, int n, size_t size) {
    if (array == NULL)
        return NULL;
    void *copy = malloc((size_t)n * size + 1);
    memcpy(copy, array, (size_t)n * size);
    return copy;
}

static number_list copy_numbers(number_list list, bool large, int n) {
    if (large)
        list.large = copy_array(list.large, n, sizeof *list.large);
    else
        list.small = copy_array(list.small, n, sizeof *list.small);
    return list;
}

static void hold_type(MPI_Datatype *type) {
    if (*type != 0)
        *type = data_hold_type(*type);
}

static void release_type(MPI_Datatype type) {
    if (type != 0)
        data_release_type(type);
}

static void hold_blocks(struct blocks *blocks, int n) {
    blocks->counts = copy_numbers(blocks->counts, blocks->large, n);
    blocks->displacements = copy_numbers(blocks->displacements, blocks->large, n);
    blocks->offsets = copy_array(blocks->offsets, n, sizeof *blocks->offsets);
    hold_type(&blocks->type);
    MPI_Datatype *types = copy_array(blocks->types, n, sizeof *types);
    for (int i = 0; types != NULL && i < n; i++)
        types[i] = data_hold_type(types[i]);
    blocks->types = types;
}

static void release_blocks(struct blocks *blocks, int n) {
    free((void *)blocks->counts.small);
    free((void *)blocks->displacements.small);
    free((void *)blocks->offsets);
    release_type(blocks->type);
    for (int i = 0; blocks->types != NULL && i < n; i++)
        data_release_type(blocks->types[i]);
    free((void *)blocks->types);
}

/* One that is not persistent has given its data. */
static void hold_given(struct collective *kept) {
    if (!kept->manner.persistent) {
        kept->given = (struct block){0};
        kept->givens = (struct blocks){0};
        kept->given_count = 0;
    }
    hold_type(&kept->given.type);
    hold_blocks(&kept->givens, kept->given_count);
}

struct collective *collective_keep(const struct collective *collective) {
    struct collective *kept = calloc(1, sizeof *kept);
    *kept = *collective;
    kept->manner.request = NULL;
    communicator_hold(kept->communicator);
    if (kept->made != NULL)
        communicator_hold(kept->made);
    hold_given(kept);
    hold_blocks(&kept->blocks, kept->block_count);
    hold_type(&kept->block.type);
    if (kept->op != 0)
        operator_hold(kept->op);
    return kept;
}

void collective_discard(struct collective *kept) {
    release_type(kept->given.type);
    release_blocks(&kept->givens, kept->given_count);
    release_blocks(&kept->blocks, kept->block_count);
    release_type(kept->block.type);
    if (kept->op != 0)
        operator_release(kept->op);
    if (kept->made != NULL)
        communicator_release(kept->made);
    communicator_release(kept->communicator);
    free(kept);
}

void collective_agree_on_types(struct collective *collective, MPI_Count count, MPI_Datatype type) {
    uint64_t hash = type_signature_whole(count, type);
    collective->types = (uint32_t)(hash >> 32);
}

void collective_agree_on_elements(struct collective *collective, MPI_Count count) {
    if (collective->types != 0 && !communicator_is_inter(collective->communicator))
        collective->types = (uint32_t)XXH3_64bits_withSeed(&count, sizeof count, collective->types);
}

static uint64_t in_upper_half(uint64_t value) { return (value ^ value >> 32) << 32; }

uint64_t collective_agreement(uint64_t amount, MPI_Op op) {
    uint64_t upper = amount < WIRE_AMOUNT_UNTOLD >> 32 ? amount << 32 : in_upper_half(amount) | WIRE_AMOUNT_UNTOLD;
    return upper | operator_identity(op);
}

uint64_t collective_agreement_on(uint64_t arguments, const struct meaning *meaning) {
    const uint64_t half = in_upper_half(arguments) | WIRE_AMOUNT_UNTOLD;
    meaning_announce(half, meaning);
    return half;
}

uint64_t collective_agreement_counts(const struct blocks *counted, int n, uint64_t size, MPI_Op op) {
    MPI_Count *count = malloc(((size_t)n + 1) * sizeof *count);
    struct meaning counts = {0};
    for (int i = 0; i < n; i++) {
        count[i] = block_count(counted, i);
        meaning_add(&counts, "%s%lld", i > 0 ? ", " : "", (long long)count[i]);
    }
    uint64_t hash = XXH3_64bits_withSeed(count, (size_t)n * sizeof *count, size);
    free(count);
    return collective_agreement_on(hash, &counts) | operator_identity(op);
}

struct collective_part collective_part(struct collective_answer *answer, int member) {
    for (uint32_t i = 0; i < answer->count; i++) {
        const struct wire_completion *completion = answer->at == 0 ? answer->first : answer->next;
        answer->at = (answer->at + 1) % answer->count;
        answer->next = rank_completion_next(completion);
        if (completion->index == (uint32_t)member)
            return (struct collective_part){rank_completion_data(completion), completion->data};
    }
    return (struct collective_part){NULL, 0};
}

static ptrdiff_t number_at(number_list list, bool large, int i) { return large ? list.large[i] : list.small[i]; }

bool blocks_are_alike(const struct blocks *blocks) { return !blocks->varying; }

MPI_Count block_count(const struct blocks *blocks, int member) {
    return blocks_are_alike(blocks) ? blocks->count : number_at(blocks->counts, blocks->large, member);
}

struct block block_of(const struct blocks *blocks, int member) {
    struct block block = {
        .count = block_count(blocks, member),
        .type = blocks->types != NULL ? blocks->types[member] : blocks->type,
    };
    if (blocks->offsets != NULL)
        block.buffer = (char *)blocks->base + blocks->offsets[member];
    else if (blocks->types != NULL)
        block.buffer = (char *)blocks->base + number_at(blocks->displacements, blocks->large, member);
    else if (!blocks_are_alike(blocks))
        block.buffer = data_element(blocks->base, number_at(blocks->displacements, blocks->large, member), block.type);
    else
        block.buffer = data_element(blocks->base, (ptrdiff_t)member * blocks->count, block.type);
    return block;
}

uint64_t block_size(const struct block *block) { return (uint64_t)block->count * data_size(block->type); }

int check_block(const struct caller *caller, const struct communicator *communicator, const struct block *block) {
    return check_data(caller, communicator, block->buffer, block->count, block->type);
}

static bool lacks_numbers(const struct blocks *blocks) {
    return blocks->varying &&
           (blocks->counts.small == NULL || (blocks->displacements.small == NULL && blocks->offsets == NULL));
}

static void require_room_of_list(const struct caller *caller, const void *list, size_t bytes, const char *what) {
    if (list != NULL)
        require_room_of_array(caller, list, bytes, what);
}

static void require_room_of_lists(const struct caller *caller, const struct blocks *blocks, size_t n) {
    const size_t number = size_of_number(blocks);
    if (!blocks->varying)
        return;
    require_room_of_list(caller, blocks->counts.small, n * number, "counts");
    require_room_of_list(caller, blocks->displacements.small, n * number, "displacements");
    require_room_of_list(caller, blocks->offsets, n * sizeof *blocks->offsets, "displacements");
    require_room_of_list(caller, blocks->types, n * sizeof *blocks->types, "datatypes");
}

int check_blocks(const struct caller *caller, const struct communicator *communicator, const struct blocks *blocks, int n) {
    if (n > 0 && lacks_numbers(blocks))
        return reject(caller, communicator->handle, MPI_ERR_ARG, "a null array of counts or displacements");
    require_room_of_lists(caller, blocks, (size_t)n);
    for (int i = 0; i < (blocks_are_alike(blocks) ? 1 : n); i++) {
        struct block block = {
            .buffer = blocks->types != NULL ? block_of(blocks, i).buffer : blocks->base,
            .count = block_count(blocks, i),
            .type = blocks->types != NULL ? blocks->types[i] : blocks->type,
        };
        int error = check_block(caller, communicator, &block);
        if (error != MPI_SUCCESS)
            return error;
    }
    return MPI_SUCCESS;
}

/* Behind a block that is not empty: what only who takes it with other types, or another size, needs to know. */
struct block_end {
    uint64_t signature; /* of its types */
    uint64_t site;      /* of the call that gives it */
};

size_t collective_packed_size(const struct block *block) {
    const size_t size = (size_t)block_size(block);
    return size == 0 ? 0 : size + sizeof(struct block_end);
}

void collective_pack(char *bytes, const struct block *block) {
    collective_note_given(block);
    const size_t size = (size_t)block_size(block);
    if (size == 0)
        return;
    const struct block_end end = {type_signature_whole(block->count, block->type), caller_current.site};
    data_pack(bytes, block->buffer, block->count, block->type);
    memcpy(bytes + size, &end, sizeof end);
}

void collective_add_block(const struct block *block) { collective_pack(rank_add_part(collective_packed_size(block)), block); }

void collective_add_contribution(const struct block *block) {
    collective_note_given(block);
    data_add_part(block->buffer, block->count, block->type);
}

void collective_note_given(const struct block *block) { keep_buffer(&entered.given, block); }

void collective_add_blocks(const struct blocks *blocks, int n) {
    for (int i = 0; i < n; i++) {
        struct block block = block_of(blocks, i);
        collective_add_block(&block);
    }
}

void collective_give_block(const struct collective *collective) { collective_add_block(&collective->given); }

void collective_give_contribution(const struct collective *collective) { collective_add_contribution(&collective->given); }

void collective_give_blocks(const struct collective *collective) {
    collective_add_blocks(&collective->givens, collective->given_count);
}

/* The call of the member that gave a block; `site`: 0 if it is not known here. */
static struct wire_place place_of_giver(const struct collective *collective, int member, uint64_t site) {
    return (struct wire_place){
        .site = site, .rank = communicator_peer(collective->communicator, member), .function = collective->caller.function};
}

void collective_mismatch(const struct collective *collective, int rank, const char *format, ...) {
    const struct caller *caller = &collective->caller;
    const struct wire_place places[2] = {{.rank = rank, .function = caller->function}};
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    rank_violation_at("collective-mismatch", caller->function, caller->site, places, "%s", text);
}

static void unpack(const struct collective *collective, int member, uint64_t site, const void *bytes, size_t size,
                   const struct block *block) {
    const struct caller *caller = &collective->caller;
    const struct wire_place places[2] = {place_of_giver(collective, member, site)};
    if (size != block_size(block))
        rank_violation_at("collective-mismatch", caller->function, caller->site, places,
                          "%s gets %zu bytes from rank %d, where %llu are expected", function_name(caller->function), size,
                          places[0].rank, (unsigned long long)block_size(block));
    data_unpack(block->buffer, block->type, bytes, size);
    windows_note_received(block->buffer, block->type, size);
}

/* What a member gave must have the types that it is received with, as a message must. */
static void require_types(const struct collective *collective, int member, const struct block_end *end, size_t size,
                          const struct block *block) {
    const struct caller *caller = &collective->caller;
    if (end->signature == 0 || size != block_size(block))
        return;
    uint64_t own = type_signature_whole(block->count, block->type);
    if (own == 0 || own == end->signature)
        return;
    const char *taken = type_signature_name(own, size), *given = type_signature_name(end->signature, size);
    const bool known = taken != NULL && given != NULL;
    const struct wire_place places[2] = {place_of_giver(collective, member, end->site)};
    rank_violation_at("type-mismatch", caller->function, caller->site, places,
                      "%s receives %zu bytes from rank %d with other types than they are sent with%s%s%s%s",
                      function_name(caller->function), size, places[0].rank, known ? ": " : "", known ? taken : "",
                      known ? " and " : "", known ? given : "");
}

void collective_take_from(const struct collective *collective, struct collective_answer *answer, int member,
                          const struct block *block) {
    struct collective_part part = collective_part(answer, member);
    if (part.bytes != NULL && !(collective->in_place && member == collective->communicator->rank))
        collective_unpack(collective, member, part, block);
}

void collective_unpack(const struct collective *collective, int member, struct collective_part part,
                       const struct block *block) {
    if (part.size == 0) {
        unpack(collective, member, 0, NULL, 0, block);
        return;
    }
    struct block_end end;
    part.size -= sizeof end;
    memcpy(&end, (const char *)part.bytes + part.size, sizeof end);
    require_types(collective, member, &end, part.size, block);
    unpack(collective, member, end.site, part.bytes, part.size, block);
}

void collective_take_block(const struct collective *collective, struct collective_answer *answer) {
    collective_take_from(collective, answer, collective->root, &collective->block);
}

void collective_take_blocks(const struct collective *collective, struct collective_answer *answer) {
    for (int i = 0; i < collective->block_count; i++) {
        struct block block = block_of(&collective->blocks, i);
        collective_take_from(collective, answer, i, &block);
    }
}
