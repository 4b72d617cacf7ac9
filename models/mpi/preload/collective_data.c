#include "models/mpi/preload/collective_data.h"

#include "models/mpi/preload/arguments.h"
#include "models/mpi/preload/data.h"
#include "models/mpi/preload/names.h"
#include "models/mpi/preload/operators.h"
#include "models/mpi/preload/pending_buffers.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/requests.h"
#include "models/mpi/preload/type_signatures.h"

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

/* What the collective being entered uses; only kept if it is nonblocking or other operations are pending. */
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

void collective_enter(struct collective *collective, int parts) {
    is_kept = collective->request != NULL || pending_buffers_any();
    uint32_t empties;
    uint32_t *empty = list_empty(collective, &empties);
    const struct communicator *communicator = collective->communicator;
    uint32_t request = WIRE_NO_REQUEST;
    if (collective->request != NULL)
        request = request_reserve(collective->request);
    struct wire_operation operation = {
        .kind = WIRE_COLLECTIVE,
        .mode = (uint8_t)collective->pattern,
        .function = collective->caller.function,
        .request = request,
        .context = communicator->context,
        .peer = root_in_world(collective),
        .tag = (int32_t)collective->types,
        .capacity = empties,
        .agreement = collective->agreement,
        .site = collective->caller.site,
        .parts = (uint32_t)parts + (empties > 0),
    };
    rank_issue(&operation);
    if (empties > 0)
        memcpy(rank_add_part(empties * sizeof *empty), empty, empties * sizeof *empty);
    free(empty);
}

struct collective_answer collective_leave(const struct collective *collective) {
    struct wire_call call = {
        .kind = WIRE_CALL_COLLECTIVE,
        .function = collective->caller.function,
        .context = collective->communicator->context,
        .peer = -1,
        .site = collective->caller.site,
    };
    const struct wire_resolution *resolution = rank_block(&call, NULL);
    return (struct collective_answer){rank_completion(resolution, 0), resolution->completions};
}

void collective_finish(struct collective *collective) {
    keep_taken(collective);
    pending_buffers_require_free(&collective->caller, &entered);
    struct buffers buffers = entered;
    memset(&entered, 0, sizeof entered);
    if (collective->request != NULL) {
        request_make_collective(*collective->request, collective_keep(collective), &buffers);
        return;
    }
    buffers_free(&buffers);
    struct collective_answer answer = collective_leave(collective);
    if (collective->take != NULL)
        collective->take(collective, &answer);
}

static void *copy_array(const void *array, int n, size_t size) {
    if (array == NULL)
        return NULL;
    void *copy = malloc((size_t)n * size + 1);
    memcpy(copy, array, (size_t)n * size);
    return copy;
}

static void hold_blocks(struct blocks *blocks, int n) {
    blocks->counts = copy_array(blocks->counts, n, sizeof *blocks->counts);
    blocks->displacements = copy_array(blocks->displacements, n, sizeof *blocks->displacements);
    blocks->offsets = copy_array(blocks->offsets, n, sizeof *blocks->offsets);
    if (blocks->type != 0)
        blocks->type = data_hold_type(blocks->type);
    MPI_Datatype *types = copy_array(blocks->types, n, sizeof *types);
    for (int i = 0; types != NULL && i < n; i++)
        types[i] = data_hold_type(types[i]);
    blocks->types = types;
}

static void release_blocks(struct blocks *blocks, int n) {
    free((void *)blocks->counts);
    free((void *)blocks->displacements);
    free((void *)blocks->offsets);
    if (blocks->type != 0)
        data_release_type(blocks->type);
    for (int i = 0; blocks->types != NULL && i < n; i++)
        data_release_type(blocks->types[i]);
    free((void *)blocks->types);
}

struct collective *collective_keep(const struct collective *collective) {
    struct collective *kept = calloc(1, sizeof *kept);
    *kept = *collective;
    kept->request = NULL;
    communicator_hold(kept->communicator);
    if (kept->made != NULL)
        communicator_hold(kept->made);
    hold_blocks(&kept->blocks, kept->block_count);
    if (kept->block.type != 0)
        kept->block.type = data_hold_type(kept->block.type);
    if (kept->op != 0)
        operator_hold(kept->op);
    return kept;
}

void collective_discard(struct collective *kept) {
    release_blocks(&kept->blocks, kept->block_count);
    if (kept->block.type != 0)
        data_release_type(kept->block.type);
    if (kept->op != 0)
        operator_release(kept->op);
    if (kept->made != NULL)
        communicator_release(kept->made);
    communicator_release(kept->communicator);
    free(kept);
}

void collective_agree_on_types(struct collective *collective, int count, MPI_Datatype type) {
    uint64_t hash = type_signature_whole(count, type);
    collective->types = (uint32_t)(hash >> 32);
}

/* Sizes below 4 GiB stay what they are. */
static uint64_t in_upper_half(uint64_t value) { return (value ^ value >> 32) << 32; }

static uint64_t in_lower_half(MPI_Op op) { return real_is_predefined(op) ? (uint32_t)op : 0; }

uint64_t collective_agreement(uint64_t amount, MPI_Op op) { return in_upper_half(amount) | in_lower_half(op); }

uint64_t collective_agreement_counts(const int *counts, int n, uint64_t size, MPI_Op op) {
    return collective_agreement(XXH3_64bits_withSeed(counts, (size_t)n * sizeof *counts, size), op);
}

struct collective_part collective_part(const struct collective_answer *answer, int member) {
    const struct wire_completion *completion = answer->first;
    for (uint32_t i = 0; i < answer->count; i++) {
        if (completion->index == (uint32_t)member)
            return (struct collective_part){rank_completion_data(completion), completion->data};
        completion = rank_completion_next(completion);
    }
    return (struct collective_part){NULL, 0};
}

struct block block_of(const struct blocks *blocks, int member) {
    struct block block = {
        .count = blocks->counts != NULL ? blocks->counts[member] : blocks->count,
        .type = blocks->types != NULL ? blocks->types[member] : blocks->type,
    };
    if (blocks->offsets != NULL)
        block.buffer = (char *)blocks->base + blocks->offsets[member];
    else if (blocks->types != NULL)
        block.buffer = (char *)blocks->base + blocks->displacements[member];
    else if (blocks->counts != NULL)
        block.buffer = data_element(blocks->base, blocks->displacements[member], block.type);
    else
        block.buffer = data_element(blocks->base, (ptrdiff_t)member * blocks->count, block.type);
    return block;
}

uint64_t block_size(const struct block *block) { return (uint64_t)block->count * data_size(block->type); }

int check_block(const struct caller *caller, const struct communicator *communicator, const struct block *block) {
    return check_data(caller, communicator, block->buffer, block->count, block->type);
}

int check_blocks(const struct caller *caller, const struct communicator *communicator, const struct blocks *blocks, int n) {
    bool alike = blocks->counts == NULL && blocks->types == NULL;
    for (int i = 0; i < (alike ? 1 : n); i++) {
        struct block block = {
            .buffer = blocks->types != NULL ? block_of(blocks, i).buffer : blocks->base,
            .count = blocks->counts != NULL ? blocks->counts[i] : blocks->count,
            .type = blocks->types != NULL ? blocks->types[i] : blocks->type,
        };
        int error = check_block(caller, communicator, &block);
        if (error != MPI_SUCCESS)
            return error;
    }
    return MPI_SUCCESS;
}

void collective_add_block(const struct block *block) {
    collective_note_given(block);
    size_t size = (size_t)block_size(block);
    if (size == 0) {
        rank_add_part(0);
        return;
    }
    uint64_t signature = type_signature_whole(block->count, block->type);
    char *bytes = rank_add_part(size + sizeof signature);
    data_pack(bytes, block->buffer, block->count, block->type);
    memcpy(bytes + size, &signature, sizeof signature);
}

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

void collective_unpack(const struct collective *collective, int member, const void *bytes, size_t size,
                       const struct block *block) {
    const struct caller *caller = &collective->caller;
    if (size > block_size(block))
        rank_violation("collective-mismatch", caller->function, caller->site,
                       "%s receives %zu bytes from rank %d into a buffer of %llu bytes", function_name(caller->function), size,
                       communicator_peer(collective->communicator, member), (unsigned long long)block_size(block));
    data_unpack(block->buffer, block->type, bytes, size);
}

/* What a member gave must have the types that it is received with, as a message must. */
static void require_types(const struct collective *collective, int member, uint64_t signature, size_t size,
                          const struct block *block) {
    const struct caller *caller = &collective->caller;
    if (signature == 0 || size == 0 || size != block_size(block))
        return;
    uint64_t own = type_signature_whole(block->count, block->type);
    if (own != 0 && own != signature)
        rank_violation("type-mismatch", caller->function, caller->site,
                       "%s receives %zu bytes from rank %d with other types than they are sent with",
                       function_name(caller->function), size, communicator_peer(collective->communicator, member));
}

void collective_take_from(const struct collective *collective, const struct collective_answer *answer, int member,
                          const struct block *block) {
    struct collective_part part = collective_part(answer, member);
    if (part.size == 0)
        return;
    uint64_t signature;
    part.size -= sizeof signature;
    memcpy(&signature, (const char *)part.bytes + part.size, sizeof signature);
    require_types(collective, member, signature, part.size, block);
    collective_unpack(collective, member, part.bytes, part.size, block);
}

void collective_take_block(const struct collective *collective, const struct collective_answer *answer) {
    collective_take_from(collective, answer, collective->root, &collective->block);
}

void collective_take_blocks(const struct collective *collective, const struct collective_answer *answer) {
    for (int i = 0; i < collective->block_count; i++) {
        struct block block = block_of(&collective->blocks, i);
        collective_take_from(collective, answer, i, &block);
    }
}
