/* Components: interning, editing, looking up. */
#include "models/mpi/model_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static _Noreturn void out_of_memory(void) {
    fprintf(stderr, "explore: out of memory\n");
    exit(3);
}

void *model_resize(void *block, size_t bytes) {
    void *resized = realloc(block, bytes);
    if (!resized)
        out_of_memory();
    return resized;
}

void *model_room(void *array, uint32_t *room, uint32_t used, size_t size) {
    if (used < *room)
        return array;
    *room = *room ? *room * 2 : 32;
    return model_resize(array, *room * size);
}

void *model_room_shared(struct mpi_model *model, void *array, uint32_t *room, uint32_t used, size_t size) {
    if (used < *room)
        return array;
    *room = *room ? *room * 2 : 32;
    void *larger = model_resize(NULL, *room * size);
    if (used)
        memcpy(larger, array, used * size);
    if (array) {
        model->retired = model_room(model->retired, &model->retired_room, model->retireds, sizeof *model->retired);
        model->retired[model->retireds++] = array;
    }
    return larger;
}

void draft_begin(struct mpi_model *model) { model->draft.count = model->draft.unissued = 0; }

void draft_copy(struct draft *draft, const struct pending *pending, uint32_t count, uint32_t unissued) {
    while (draft->room < count + 1)
        draft->pending = model_room(draft->pending, &draft->room, draft->room, sizeof *draft->pending);
    if (count)
        memcpy(draft->pending, pending, count * sizeof *pending);
    draft->count = count;
    draft->unissued = unissued;
}

void draft_open(struct mpi_model *model, uint32_t component) {
    const struct component *from = component_at(model, component);
    draft_copy(&model->draft, from->pending, from->count, from->unissued);
}

void draft_remove(struct draft *draft, uint32_t index) {
    draft->count--;
    memmove(draft->pending + index, draft->pending + index + 1, (draft->count - index) * sizeof *draft->pending);
}

void draft_close_gaps(struct draft *draft) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < draft->count; i++)
        if (draft->pending[i].kind != OPERATION_GONE)
            draft->pending[kept++] = draft->pending[i];
    draft->count = kept;
}

struct pending *draft_add(struct draft *draft) {
    draft->pending = model_room(draft->pending, &draft->room, draft->count, sizeof *draft->pending);
    struct pending *pending = &draft->pending[draft->count++];
    memset(pending, 0, sizeof *pending);
    return pending;
}

/* --- names ----------------------------------------------------------------------------------------------------------- */

static XXH128_hash_t mix(XXH128_hash_t hash, const void *bytes, size_t size) {
    XXH128_hash_t more = XXH3_128bits_withSeed(bytes, size, hash.low64);
    return (XXH128_hash_t){more.low64, more.high64 ^ (hash.high64 * 0x9e3779b97f4a7c15u)};
}

static XXH128_hash_t mix_call(XXH128_hash_t hash, const struct call *call) {
    const uint64_t fields[] = {call->kind, call->function,       call->requests,     call->context,
                               call->site, (uint32_t)call->peer, (uint32_t)call->tag};
    hash = mix(hash, fields, sizeof fields);
    return mix(hash, call->request, call->requests * sizeof *call->request);
}

static XXH128_hash_t mix_end(XXH128_hash_t hash, const struct step_result *result) {
    const struct wire_end *end = &result->end;
    const uint64_t fields[] = {end->kind,        end->finalized,       end->function,        (uint32_t)end->code,
                               end->site,        end->leak_site,       end->leaked_requests, end->leaked_handles,
                               end->handle_site, end->handle_function, end->leak_function};
    hash = mix(hash, fields, sizeof fields);
    hash = mix(hash, end->class_name, sizeof end->class_name);
    hash = mix(hash, end->handle_kind, sizeof end->handle_kind);
    hash = mix(hash, end->place, sizeof end->place);
    return mix(hash, result->end_text, result->end_text ? strlen(result->end_text) : 0);
}

static struct name name_of_draft(const struct draft *draft, uint32_t local, const struct step_result *result) {
    const uint64_t head[] = {local, result ? 1u + result->ended : 0u, draft->count, draft->unissued,
                             draft->unissued ? (uintptr_t)result : 0u};
    XXH128_hash_t hash = mix((XXH128_hash_t){0, 0}, head, sizeof head);
    if (result)
        hash = result->ended ? mix_end(hash, result) : mix_call(hash, &result->call);
    hash = mix(hash, draft->pending, draft->count * sizeof *draft->pending);
    return (struct name){hash.low64, hash.high64};
}

uint32_t draft_close(struct mpi_model *model, uint32_t local, const struct step_result *result) {
    const struct draft *draft = &model->draft;
    struct name name = name_of_draft(draft, local, result);
    uint32_t number = name_table_find(&model->component_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    struct component *component = malloc(sizeof *component + draft->count * sizeof *draft->pending);
    if (!component)
        out_of_memory();
    *component = (struct component){.local = local,
                                    .ended = result && result->ended && draft->unissued == 0,
                                    .count = draft->count,
                                    .next = NOTHING_NEXT,
                                    .result = result,
                                    .unissued = draft->unissued};
    if (draft->count)
        memcpy(component->pending, draft->pending, draft->count * sizeof *draft->pending);
    component_classify(model, component);
    model->component =
        model_room_shared(model, model->component, &model->component_room, model->components, sizeof *model->component);
    model->component[model->components] = component;
    model->component_bytes += sizeof *component + draft->count * sizeof *draft->pending;
    name_table_add(&model->component_names, name, model->components);
    return model->components++;
}

uint32_t draft_close_same(struct mpi_model *model, uint32_t component) {
    const struct component *before = component_at(model, component);
    return draft_close(model, before->local, before->result);
}

uint32_t parts_intern(struct mpi_model *model, const uint32_t *part, uint32_t count) {
    struct name name = name_of(part, count * sizeof *part);
    uint32_t number = name_table_find(&model->part_names, name);
    if (number != NAME_UNKNOWN)
        return number;
    name_table_add(&model->part_names, name, model->parts);
    uint32_t first = model->parts;
    for (uint32_t i = 0; i < count; i++) {
        model->part = model_room_shared(model, model->part, &model->part_room, model->parts, sizeof *model->part);
        model->part[model->parts++] = part[i];
    }
    return first;
}

/* --- looking up ------------------------------------------------------------------------------------------------------ */

const struct call *component_call(const struct component *component) {
    static const struct call start = {.kind = WIRE_CALL_START};
    if (component->ended)
        return NULL;
    return component->result && component->unissued == 0 ? &component->result->call : &start;
}

uint32_t request_find_from(const struct pending *pending, uint32_t count, uint32_t request, uint32_t *from) {
    const uint32_t start = *from < count ? *from : 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = start + i < count ? start + i : start + i - count;
        if (pending[at].request != request)
            continue;
        *from = at + 1;
        return at;
    }
    return UINT32_MAX;
}

uint32_t pending_find_from(const struct component *component, uint32_t request, uint32_t *from) {
    return request_find_from(component->pending, component->count, request, from);
}

uint32_t pending_find(const struct component *component, uint32_t request) {
    return pending_find_from(component, request, &(uint32_t){0});
}

bool pending_cancellable(const struct mpi_model *model, unsigned rank, const struct pending *pending, const struct call *call) {
    if (pending->status == OPERATION_COMPLETE || (pending->flags & (PENDING_CANCELLED | PENDING_CLAIMED)))
        return false;
    if (pending->flags & PENDING_CANCEL)
        return true;
    if (!call || pending->request == WIRE_NO_REQUEST || !model_may_cancel(model, rank, pending))
        return false;
    /* Blocked until it is complete, the rank cannot cancel it. */
    return call->kind != WIRE_CALL_WAIT_ALL || !call_lists(call, pending->request);
}
