#include "models/mpi/preload/windows/window_accesses.h"

#include "models/mpi/preload/datatypes/data.h"

#include <stdlib.h>
#include <string.h>

char *window_memory_at(const struct window_memory *memory, int64_t offset, uint64_t *length) {
    for (size_t i = 0; i < memory->regions; i++) {
        const struct window_region *region = &memory->region[i];
        if (offset < region->start || (uint64_t)(offset - region->start) >= region->size)
            continue;
        uint64_t inside = (uint64_t)(offset - region->start);
        if (*length > region->size - inside)
            *length = region->size - inside;
        return region->bytes + inside;
    }
    *length = 0;
    return NULL;
}

char *window_memory_take(const struct window_memory *memory, struct access_run *run, uint64_t *length) {
    *length = run->length;
    char *at = *length > 0 ? window_memory_at(memory, run->offset, length) : NULL;
    run->offset += (int64_t)*length;
    run->length -= *length;
    return at;
}

static bool run_fits(const struct window_memory *memory, struct access_run run) {
    uint64_t length;
    while (window_memory_take(memory, &run, &length) != NULL)
        continue;
    return run.length == 0;
}

bool access_fits(const struct window_memory *memory, const struct access *access) {
    for (uint64_t i = 0; i < access->runs; i++) {
        if (!run_fits(memory, access_runs(access)[i]))
            return false;
    }
    return true;
}

static bool run_meets(const struct window_region *region, const struct access_run *run, struct access_run *at) {
    const int64_t end = run->offset + (int64_t)run->length, last = region->start + (int64_t)region->size;
    const int64_t from = run->offset > region->start ? run->offset : region->start, to = end < last ? end : last;
    *at = (struct access_run){from, (uint64_t)(to - from)};
    return from < to;
}

bool access_meets_lost(const struct window_memory *memory, const struct access *access, struct access_run *at) {
    for (size_t i = 0; i < memory->regions; i++) {
        for (uint64_t k = 0; k < access->runs && memory->region[i].lost; k++) {
            if (run_meets(&memory->region[i], &access_runs(access)[k], at))
                return true;
        }
    }
    return false;
}

/* A region among bytes; its content follows. */
struct written_region {
    int64_t start;
    uint64_t size;
};

size_t window_memory_bytes(const struct window_memory *memory) {
    size_t bytes = sizeof(uint64_t);
    for (size_t i = 0; i < memory->regions; i++)
        bytes += sizeof(struct written_region) + memory->region[i].size;
    return bytes;
}

void window_memory_write(const struct window_memory *memory, char *bytes) {
    uint64_t regions = memory->regions;
    memcpy(bytes, &regions, sizeof regions);
    bytes += sizeof regions;
    for (size_t i = 0; i < memory->regions; i++) {
        const struct window_region *region = &memory->region[i];
        memcpy(bytes, &(struct written_region){region->start, region->size}, sizeof(struct written_region));
        memcpy(bytes + sizeof(struct written_region), region->bytes, region->size);
        bytes += sizeof(struct written_region) + region->size;
    }
}

const char *window_memory_read(struct window_memory *memory, const char *bytes) {
    uint64_t regions;
    memcpy(&regions, bytes, sizeof regions);
    bytes += sizeof regions;
    *memory = (struct window_memory){calloc(regions + 1, sizeof(struct window_region)), regions};
    for (size_t i = 0; i < regions; i++) {
        struct written_region written;
        memcpy(&written, bytes, sizeof written);
        memory->region[i] = (struct window_region){written.start, written.size, malloc(written.size + 1), 0};
        memcpy(memory->region[i].bytes, bytes + sizeof written, written.size);
        bytes += sizeof written + written.size;
    }
    return bytes;
}

struct window_memory window_memory_copy(const struct window_memory *memory) {
    struct window_memory copy;
    char *bytes = malloc(window_memory_bytes(memory));
    window_memory_write(memory, bytes);
    window_memory_read(&copy, bytes);
    free(bytes);
    return copy;
}

void window_memory_append(struct window_memory *memory, const char *bytes) {
    struct window_memory added;
    window_memory_read(&added, bytes);
    memory->region = realloc(memory->region, (memory->regions + 1) * sizeof *memory->region);
    memory->region[memory->regions++] = added.region[0];
    free(added.region);
}

void window_memory_free(struct window_memory *memory) {
    for (size_t i = 0; i < memory->regions; i++)
        free(memory->region[i].bytes);
    free(memory->region);
    *memory = (struct window_memory){NULL, 0};
}

static void copy_run(const struct window_memory *from, const struct window_region *to, int64_t shift, struct access_run run) {
    int64_t start = run.offset + shift, end = start + (int64_t)run.length, last = to->start + (int64_t)to->size;
    start = start < to->start ? to->start : start;
    end = end > last ? last : end;
    while (start < end) {
        uint64_t length = (uint64_t)(end - start);
        const char *bytes = window_memory_at(from, start - shift, &length);
        if (bytes == NULL)
            return;
        memcpy(to->bytes + (start - to->start), bytes, length);
        start += (int64_t)length;
    }
}

void window_memory_copy_runs(const struct window_memory *from, const struct window_memory *to, int64_t shift,
                             const struct access_run *run, uint64_t runs) {
    for (size_t region = 0; region < to->regions; region++) {
        for (uint64_t i = 0; i < runs; i++)
            copy_run(from, &to->region[region], shift, run[i]);
    }
}

struct access *access_copy_place(const struct access *access) {
    const uint64_t size = sizeof *access + access->runs * sizeof(struct access_run);
    struct access *place = malloc(size);
    memcpy(place, access, size);
    place->size = size;
    place->bytes = place->result = 0;
    return place;
}

/* Adds what the `length` bytes from `at` on are in the memory. */
static struct access *add_runs(struct access *access, const struct window_memory *memory, const char *at, uint64_t length) {
    for (size_t i = 0; i < memory->regions; i++) {
        const struct window_region *region = &memory->region[i];
        const intptr_t start = (intptr_t)region->bytes, end = start + (intptr_t)region->size,
                       last = (intptr_t)at + (intptr_t)length;
        const intptr_t from = (intptr_t)at > start ? (intptr_t)at : start, to = last < end ? last : end;
        if (from >= to)
            continue;
        access = realloc(access, access->size + sizeof(struct access_run));
        struct access_run *run = (struct access_run *)access_runs(access) + access->runs++;
        *run = (struct access_run){region->start + (from - start), (uint64_t)(to - from)};
        access->size += sizeof *run;
    }
    return access;
}

struct access *access_place_in(const struct window_memory *memory, const struct window_memory *through,
                               const struct access *access) {
    struct access *place = malloc(sizeof *place);
    *place = *access;
    place->size = sizeof *place;
    place->runs = place->bytes = place->result = 0;
    for (uint64_t i = 0; i < access->runs; i++) {
        struct access_run run = access_runs(access)[i];
        uint64_t length;
        for (const char *at; (at = window_memory_take(through, &run, &length)) != NULL;)
            place = add_runs(place, memory, at, length);
    }
    if (place->runs > 0)
        return place;
    free(place);
    return NULL;
}

bool access_meets(const struct access *access, const struct spans *spans) {
    for (uint64_t i = 0; i < access->runs; i++) {
        const struct access_run *run = &access_runs(access)[i];
        if (spans_meet(spans, (uint64_t)run->offset, (uint64_t)run->offset + run->length))
            return true;
    }
    return false;
}

struct parts {
    uint64_t runs, bytes;
    struct access_run *run; /* where they go; NULL: they are only counted */
    char *data;             /* ... and theirs, if they have any */
};

static void take_part(struct parts *parts, struct access_run part, const char *data) {
    if (parts->run != NULL)
        parts->run[parts->runs] = part;
    if (parts->data != NULL)
        memcpy(parts->data + parts->bytes, data, part.length);
    parts->runs++;
    parts->bytes += part.length;
}

static void take_parts(const struct access *access, const struct spans *spans, bool within, struct parts *parts) {
    const char *data = access_data(access);
    for (uint64_t i = 0; i < access->runs; i++) {
        const struct access_run *run = &access_runs(access)[i];
        const uint64_t from = (uint64_t)run->offset;
        struct wire_span part;
        for (uint64_t at = from; spans_take(spans, within, &at, from + run->length, &part);)
            take_part(parts, (struct access_run){(int64_t)part.from, part.to - part.from}, data + (part.from - from));
        data += access->bytes > 0 ? run->length : 0;
    }
}

struct access *access_part(const struct access *access, const struct spans *spans, bool within) {
    struct parts counted = {0}, taken = {0};
    take_parts(access, spans, within, &counted);
    if (counted.runs == 0)
        return NULL;
    const uint64_t bytes = access->bytes > 0 ? counted.bytes : 0;
    const uint64_t size = sizeof *access + counted.runs * sizeof *counted.run + (bytes + 7) / 8 * 8;
    struct access *made = calloc(1, size);
    *made = *access;
    made->size = size;
    made->runs = counted.runs;
    made->bytes = bytes;
    taken.run = (struct access_run *)access_runs(made);
    taken.data = bytes > 0 ? (char *)access_data(made) : NULL;
    take_parts(access, spans, within, &taken);
    return made;
}

static uint64_t total_length(const struct access *access) {
    uint64_t length = 0;
    for (uint64_t i = 0; i < access->runs; i++)
        length += access_runs(access)[i].length;
    return length;
}

/* Calls copy(bytes in the window, bytes, length) for all that the access is to, in the order of its data. */
static void walk(const struct window_memory *memory, const struct access *access, char *bytes,
                 void (*copy)(char *window, char *bytes, uint64_t length)) {
    for (uint64_t i = 0; i < access->runs; i++) {
        struct access_run run = access_runs(access)[i];
        uint64_t length;
        for (char *at; (at = window_memory_take(memory, &run, &length)) != NULL; bytes += length)
            copy(at, bytes, length);
    }
}

static void copy_out(char *window, char *bytes, uint64_t length) { memcpy(bytes, window, length); }

static void copy_in(char *window, char *bytes, uint64_t length) { memcpy(window, bytes, length); }

static void gather(const struct window_memory *memory, const struct access *access, char *bytes) {
    walk(memory, access, bytes, copy_out);
}

static void scatter(const struct window_memory *memory, const struct access *access, const char *bytes) {
    walk(memory, access, (char *)bytes, copy_in);
}

/* old = data op old, on packed elements. */
static void reduce(const struct access *access, char *old, uint64_t length) {
    int count = (int)(length / data_size(access->type));
    struct data_room given = data_make_room(count, access->type);
    struct data_room kept = data_make_room(count, access->type);
    data_unpack(given.buffer, access->type, access_data(access), length);
    data_unpack(kept.buffer, access->type, old, length);
    data_reduce(given.buffer, kept.buffer, count, access->type, access->op);
    data_pack(old, kept.buffer, count, access->type);
    free(given.memory);
    free(kept.memory);
}

static void accumulate(const struct window_memory *memory, const struct access *access, char *result) {
    uint64_t length = total_length(access);
    char *old = malloc(length + 1);
    gather(memory, access, old);
    memcpy(result, old, access->result);
    if (access->op == MPI_REPLACE)
        memcpy(old, access_data(access), length);
    else if (access->op != MPI_NO_OP && length > 0)
        reduce(access, old, length);
    if (access->op != MPI_NO_OP)
        scatter(memory, access, old);
    free(old);
}

static void compare_and_swap(const struct window_memory *memory, const struct access *access, char *result) {
    uint64_t length = access->bytes / 2;
    gather(memory, access, result);
    if (memcmp(result, access_data(access) + length, length) == 0)
        scatter(memory, access, access_data(access));
}

void access_apply(const struct window_memory *memory, const struct access *access, char *result) {
    switch (access->kind) {
    case ACCESS_GET: gather(memory, access, result); break;
    case ACCESS_ACCUMULATE: accumulate(memory, access, result); break;
    case ACCESS_COMPARE_AND_SWAP: compare_and_swap(memory, access, result); break;
    default: scatter(memory, access, access_data(access)); break;
    }
}

/* The next range of bytes from `at` on that differ; false if there is none. */
static bool next_difference(const char *now, const char *before, uint64_t size, uint64_t *at, uint64_t *length) {
    enum { BLOCK = 512 };
    while (*at + BLOCK <= size && memcmp(now + *at, before + *at, BLOCK) == 0)
        *at += BLOCK;
    while (*at < size && now[*at] == before[*at])
        ++*at;
    for (*length = 0; *at + *length < size && now[*at + *length] != before[*at + *length];)
        ++*length;
    return *length > 0;
}

struct access *access_of_stores(const struct window_memory *memory, const struct window_memory *before, int origin,
                                uint16_t function, uint64_t site) {
    uint64_t runs = 0;
    uint64_t bytes = 0;
    uint64_t length;
    for (size_t i = 0; i < memory->regions; i++) {
        const struct window_region *region = &memory->region[i];
        for (uint64_t at = 0; next_difference(region->bytes, before->region[i].bytes, region->size, &at, &length);
             at += length) {
            runs++;
            bytes += length;
        }
    }
    if (runs == 0)
        return NULL;
    uint64_t size = sizeof(struct access) + runs * sizeof(struct access_run) + (bytes + 7) / 8 * 8;
    struct access *access = calloc(1, size);
    *access = (struct access){
        .size = size, .kind = ACCESS_STORE, .function = function, .origin = origin, .runs = runs, .bytes = bytes, .site = site};
    struct access_run *run = (struct access_run *)access_runs(access);
    char *data = (char *)access_data(access);
    for (size_t i = 0; i < memory->regions; i++) {
        const struct window_region *region = &memory->region[i];
        for (uint64_t at = 0; next_difference(region->bytes, before->region[i].bytes, region->size, &at, &length);
             at += length) {
            *run++ = (struct access_run){region->start + (int64_t)at, length};
            memcpy(data, region->bytes + at, length);
            data += length;
        }
    }
    return access;
}

/* The bytes from the first to the last that an access is to. */
static struct access_run span_of(const struct access *access) {
    struct access_run span = access->runs > 0 ? access_runs(access)[0] : (struct access_run){0, 0};
    int64_t end = span.offset + (int64_t)span.length;
    for (uint64_t i = 1; i < access->runs; i++) {
        const struct access_run *run = &access_runs(access)[i];
        if (run->offset < span.offset)
            span.offset = run->offset;
        if (run->offset + (int64_t)run->length > end)
            end = run->offset + (int64_t)run->length;
    }
    span.length = (uint64_t)(end - span.offset);
    return span;
}

static bool apart(const struct access *a, const struct access *b) {
    struct access_run one = span_of(a);
    struct access_run other = span_of(b);
    return one.offset + (int64_t)one.length <= other.offset || other.offset + (int64_t)other.length <= one.offset;
}

bool accesses_meet(const struct access *a, const struct access *b, struct access_run *at) {
    if (apart(a, b))
        return false;
    for (uint64_t i = 0; i < a->runs; i++) {
        const struct access_run *one = &access_runs(a)[i];
        int64_t end = one->offset + (int64_t)one->length;
        for (uint64_t k = 0; k < b->runs; k++) {
            const struct access_run *other = &access_runs(b)[k];
            int64_t other_end = other->offset + (int64_t)other->length;
            int64_t from = one->offset > other->offset ? one->offset : other->offset;
            int64_t to = end < other_end ? end : other_end;
            if (from >= to)
                continue;
            *at = (struct access_run){from, (uint64_t)(to - from)};
            return true;
        }
    }
    return false;
}

bool access_is_atomic(const struct access *access) {
    return access->kind == ACCESS_ACCUMULATE || access->kind == ACCESS_COMPARE_AND_SWAP;
}

bool access_only_reads(const struct access *access) {
    return access->kind == ACCESS_GET || access->kind == ACCESS_GIVEN ||
           (access->kind == ACCESS_ACCUMULATE && access->op == MPI_NO_OP);
}

/* MPI_REPLACE and compare-and-swap beside any operation are what locks are made of, and every implementation has them
 * atomic: allowed, though the default of the info key accumulate_ops is stricter. */
bool access_mixes_with_any(const struct access *access) {
    return access->kind == ACCESS_COMPARE_AND_SWAP || access->op == MPI_REPLACE || access->op == MPI_NO_OP;
}

/* Sums and products of floating-point numbers round differently in another order. Pairs (MPI_MAXLOC) do not. */
static bool order_shows(const struct access *access) {
    if (access->result > 0 || access->kind == ACCESS_COMPARE_AND_SWAP || access->op == MPI_REPLACE)
        return true;
    if (access->op != MPI_SUM && access->op != MPI_PROD)
        return false;
    const MPI_Datatype inexact[] = {MPI_FLOAT,
                                    MPI_DOUBLE,
                                    MPI_LONG_DOUBLE,
                                    MPI_C_FLOAT_COMPLEX,
                                    MPI_C_DOUBLE_COMPLEX,
                                    MPI_C_LONG_DOUBLE_COMPLEX,
                                    MPI_REAL,
                                    MPI_DOUBLE_PRECISION,
                                    MPI_COMPLEX,
                                    MPI_DOUBLE_COMPLEX,
                                    MPI_REAL4,
                                    MPI_REAL8};
    for (size_t i = 0; i < sizeof inexact / sizeof *inexact; i++) {
        if (access->type == inexact[i])
            return true;
    }
    return false;
}

static bool is_integer(MPI_Datatype type) {
    const MPI_Datatype integers[] = {MPI_CHAR,
                                     MPI_SIGNED_CHAR,
                                     MPI_UNSIGNED_CHAR,
                                     MPI_SHORT,
                                     MPI_UNSIGNED_SHORT,
                                     MPI_INT,
                                     MPI_UNSIGNED,
                                     MPI_LONG,
                                     MPI_UNSIGNED_LONG,
                                     MPI_LONG_LONG,
                                     MPI_UNSIGNED_LONG_LONG,
                                     MPI_INT8_T,
                                     MPI_INT16_T,
                                     MPI_INT32_T,
                                     MPI_INT64_T,
                                     MPI_UINT8_T,
                                     MPI_UINT16_T,
                                     MPI_UINT32_T,
                                     MPI_UINT64_T,
                                     MPI_BYTE,
                                     MPI_AINT,
                                     MPI_OFFSET,
                                     MPI_COUNT,
                                     MPI_INTEGER,
                                     MPI_INTEGER1,
                                     MPI_INTEGER2,
                                     MPI_INTEGER4,
                                     MPI_INTEGER8};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        if (type == integers[i])
            return true;
    }
    return false;
}

/* The predefined operations but MPI_REPLACE do, on integers. */
bool access_commutes_with_itself(const struct access *access) {
    return access->kind == ACCESS_ACCUMULATE && !order_shows(access) && is_integer(access->type);
}

enum access_relation access_relate_overlapping(const struct access *a, const struct access *b) {
    if (access_only_reads(a) && access_only_reads(b))
        return ACCESS_COMMUTE;
    if (!access_is_atomic(a) || !access_is_atomic(b) || a->type != b->type)
        return ACCESS_CONFLICT;
    if (a->op == b->op && !order_shows(a) && !order_shows(b))
        return ACCESS_COMMUTE;
    /* Those of one origin are done in program order (section 11.7.1). */
    bool may_mix = a->origin == b->origin || a->op == b->op || access_mixes_with_any(a) || access_mixes_with_any(b);
    return may_mix ? ACCESS_ORDERED : ACCESS_CONFLICT;
}

enum access_relation access_relate(const struct access *a, const struct access *b, struct access_run *at) {
    return accesses_meet(a, b, at) ? access_relate_overlapping(a, b) : ACCESS_DISJOINT;
}

/* Of accesses that relate to others in the same way there is one for all, and how far those reach that have been come to. */
struct alike {
    const struct access *access;
    int64_t reach;
};

static bool are_alike(const struct access *a, const struct access *b) {
    return a->kind == b->kind && a->op == b->op && a->type == b->type && a->origin == b->origin &&
           (a->result > 0) == (b->result > 0);
}

struct alikes {
    struct alike *alike;
    size_t count;
};

static size_t find_alike(struct alikes *alikes, const struct access *access) {
    size_t i = 0;
    while (i < alikes->count && !are_alike(alikes->alike[i].access, access))
        i++;
    if (i == alikes->count) {
        alikes->alike = realloc(alikes->alike, (alikes->count + 1) * sizeof *alikes->alike);
        alikes->alike[alikes->count++] = (struct alike){access, INT64_MIN};
    }
    return i;
}

/* A run of an access. */
struct reaching {
    int64_t from, to;
    size_t alike;
};

static int by_beginning(const void *one, const void *other) {
    const struct reaching *a = one, *b = other;
    return a->from < b->from ? -1 : a->from > b->from;
}

/* To be freed. */
static struct reaching *list_runs(const struct access *const *access, size_t count, struct alikes *alikes, size_t *runs) {
    size_t room = 0;
    for (size_t i = 0; i < count; i++)
        room += access[i]->runs;
    struct reaching *list = malloc((room + 1) * sizeof *list);
    *runs = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t alike = find_alike(alikes, access[i]);
        for (uint64_t k = 0; k < access[i]->runs; k++) {
            const struct access_run *run = &access_runs(access[i])[k];
            if (run->length > 0)
                list[(*runs)++] = (struct reaching){run->offset, run->offset + (int64_t)run->length, alike};
        }
    }
    return list;
}

/* Is it in conflict with one of those come to that reach into it? */
static bool is_in_conflict(const struct alikes *alikes, const struct reaching *run) {
    for (size_t i = 0; i < alikes->count; i++) {
        const struct alike *alike = &alikes->alike[i];
        if (alike->reach > run->from &&
            access_relate_overlapping(alike->access, alikes->alike[run->alike].access) == ACCESS_CONFLICT)
            return true;
    }
    return false;
}

bool accesses_any_conflict(const struct access *const *access, size_t count) {
    struct alikes alikes = {0};
    size_t runs;
    bool any = false;
    struct reaching *run = list_runs(access, count, &alikes, &runs);
    qsort(run, runs, sizeof *run, by_beginning);
    for (size_t i = 0; i < runs && !any; i++) {
        struct alike *alike = &alikes.alike[run[i].alike];
        any = is_in_conflict(&alikes, &run[i]);
        if (run[i].to > alike->reach)
            alike->reach = run[i].to;
    }
    free(run);
    free(alikes.alike);
    return any;
}
