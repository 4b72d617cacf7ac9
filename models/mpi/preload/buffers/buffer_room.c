#include "models/mpi/preload/buffers/buffer_room.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/datatypes/footprint.h"
#include "models/mpi/preload/datatypes/type_recipe.h"
#include "models/mpi/preload/memory/stack_room.h"
#include "models/mpi/preload/memory/static_objects.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/rank.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

/* What a buffer begins in. */
struct room {
    size_t bytes; /* from the beginning of the buffer to its end; SIZE_MAX if that is not known */
    const char *kind,
        *name; /* `name` of a variable, or empty, after its kind. `kind` is NULL if it is in memory that was freed */
};

/* `bytes` are wanted. To walk the stack takes longer than to send a few numbers. */
static struct room room_at(const void *buffer, uint64_t bytes) {
    enum { FEW = 32 };
    struct room room = {.bytes = arena_room(buffer), .kind = "heap block", .name = ""};
    if (room.bytes != SIZE_MAX)
        return room;
    if (arena_is_free(buffer))
        return (struct room){.bytes = 0};
    const struct static_object *object = static_object_at(buffer);
    if (object != NULL)
        return (struct room){object->end - (uintptr_t)buffer, "variable ", object->name};
    room.bytes = bytes > FEW ? stack_room(buffer) : SIZE_MAX;
    room.kind = "stack of the function";
    return room;
}

/* GCC numbers the static variables of functions: "sum.3". */
static int source_length(const char *name) { return (int)strcspn(name, "."); }

/* `start`: of the first byte, from where the buffer is said to be. */
static _Noreturn void report(const struct caller *caller, const struct room *room, MPI_Count start, uint64_t bytes) {
    char from[48] = "from the beginning";
    if (!room->kind)
        rank_violation("invalid-argument", caller->function, caller->site,
                       "%s uses a buffer of %llu bytes in memory that was freed", function_name(caller->function),
                       (unsigned long long)bytes);
    if (start != 0)
        snprintf(from, sizeof from, "from %llu %s the beginning", (unsigned long long)(start < 0 ? -start : start),
                 start < 0 ? "before" : "behind");
    rank_violation("invalid-argument", caller->function, caller->site,
                   "%s uses %llu bytes %s of its buffer on, and the %s%.*s that %s in ends after %zu",
                   function_name(caller->function), (unsigned long long)bytes, from, room->kind, source_length(room->name),
                   room->name, start == 0 ? "it is" : "these begin", room->bytes);
}

/* ---- datatypes with gaps ---- */

/* From a buffer's first byte to the end of its last one, and what it takes to tell that. */
struct reach {
    MPI_Count start;   /* of the first byte, from where the buffer is said to be */
    uint64_t bytes;    /* 0: not known */
    uint64_t of_first; /* the same of its first element */
    bool is_dense;     /* one element comes behind the other or within it, but for padding */
};

static struct reach reach_of(uint64_t count, MPI_Datatype type) {
    enum { ALIGNMENT_MOST = 16 };
    MPI_Count true_extent, extent = data_extent(type);
    struct reach reach = {0};
    REAL(Type_get_true_extent_x)(type, &reach.start, &true_extent);
    if (count == 0 || extent < 0)
        return reach;
    reach.of_first = (uint64_t)true_extent;
    reach.bytes = (count - 1) * (uint64_t)extent + reach.of_first;
    reach.is_dense = extent < true_extent + ALIGNMENT_MOST;
    return reach;
}

/* Are all displacements numbers of elements? Those in bytes may lead from one object to another. */
static bool counts_in_elements(MPI_Datatype type) {
    if (!type_has_recipe(type))
        return true;
    struct type_recipe recipe = type_recipe(type);
    bool counts = recipe.combiner == MPI_COMBINER_DUP || recipe.combiner == MPI_COMBINER_CONTIGUOUS ||
                  recipe.combiner == MPI_COMBINER_VECTOR || recipe.combiner == MPI_COMBINER_INDEXED ||
                  recipe.combiner == MPI_COMBINER_INDEXED_BLOCK || recipe.combiner == MPI_COMBINER_SUBARRAY;
    for (int i = 0; i < recipe.types && counts; i++)
        counts = counts_in_elements(recipe.type[i]);
    type_recipe_done(&recipe);
    return counts;
}

/* Are the ends of any of the first pieces in memory that was freed? */
static bool is_in_freed_memory(const struct comb *comb) {
    enum { LOOKED_AT = 1024 };
    for (size_t i = 0; i < comb->pieces && i < LOOKED_AT; i++) {
        const char *piece = (const char *)comb->at + (ptrdiff_t)i * comb->distance;
        if (arena_is_free(piece) || arena_is_free(piece + comb->size - 1))
            return true;
    }
    return false;
}

/* Of a buffer in several objects it is only known that none of them may have been freed. */
static void require_allocated(const struct caller *caller, const void *buffer, const struct reach *reach, uint64_t count,
                              MPI_Datatype type) {
    struct footprint footprint = {0};
    bool freed = false;
    footprint_add(&footprint, buffer, (MPI_Count)count, type);
    for (uint32_t i = 0; i < footprint.combs && !freed; i++)
        freed = is_in_freed_memory(footprint_comb(&footprint, i));
    footprint_free(&footprint);
    if (freed)
        report(caller, &(struct room){0}, reach->start, reach->bytes);
}

/* Whether a buffer has to be in one object: no displacement leads to another, as they all are within the first element that is in
 * it. */
static void require_room_with_gaps(const struct caller *caller, const void *buffer, uint64_t count, MPI_Datatype type) {
    struct reach reach = reach_of(count, type);
    if (reach.bytes == 0)
        return;
    struct room room = room_at((const char *)buffer + reach.start, reach.bytes);
    if (reach.bytes <= room.bytes)
        return;
    if ((reach.is_dense && reach.of_first <= room.bytes) || counts_in_elements(type))
        report(caller, &room, reach.start, reach.bytes);
    require_allocated(caller, buffer, &reach, count, type);
}

/* ---- all ---- */

/* The stack is looked at for a few bytes too. */
bool has_room(const void *buffer, uint64_t bytes) { return bytes <= room_at(buffer, UINT64_MAX).bytes; }

void require_room_for(const struct caller *caller, const void *buffer, uint64_t bytes, MPI_Datatype type) {
    if (bytes == 0)
        return;
    if (!data_is_plain(type)) {
        require_room_with_gaps(caller, buffer, bytes / data_size(type), type);
        return;
    }
    struct room room = room_at(buffer, bytes);
    if (bytes > room.bytes)
        report(caller, &room, 0, bytes);
}

void require_room(const struct caller *caller, const void *buffer, MPI_Count count, MPI_Datatype type) {
    require_room_for(caller, buffer, (uint64_t)count * data_size(type), type);
}

/* Most are on the stack, which it would take too long to walk. */
void require_room_of_array(const struct caller *caller, const void *array, uint64_t bytes, const char *what) {
    const struct room room = room_at(array, 0);
    if (bytes <= room.bytes)
        return;
    if (!room.kind)
        rank_violation("invalid-argument", caller->function, caller->site, "%s uses an array of %s in memory that was freed",
                       function_name(caller->function), what);
    rank_violation("invalid-argument", caller->function, caller->site,
                   "%s uses %llu bytes of an array of %s, and the %s%.*s that it is in ends after %zu",
                   function_name(caller->function), (unsigned long long)bytes, what, room.kind, source_length(room.name),
                   room.name, room.bytes);
}

/* What begins there; its bytes are SIZE_MAX if nothing is known to. */
static struct room room_beginning_at(const void *address) {
    const size_t block = malloc_usable_size((void *)address);
    if (block > 0)
        return (struct room){block, "heap block", ""};
    const struct static_object *object = static_object_at(address);
    if (object != NULL && object->start == (uintptr_t)address)
        return (struct room){object->end - object->start, "variable ", object->name};
    return (struct room){.bytes = SIZE_MAX};
}

/* Displacements that are numbers of elements do not lead from the beginning of one object to another. (From elsewhere they may: who
 * counts from one gives an address in front of the object.) */
static void require_same_object(const struct caller *caller, const struct blocks *blocks, const struct block *block) {
    const ptrdiff_t distance = (char *)block->buffer - (char *)blocks->base;
    if (blocks->types != NULL || blocks->offsets != NULL || distance <= 0 || block_size(block) == 0)
        return;
    const struct room room = room_beginning_at(blocks->base);
    if ((size_t)distance >= room.bytes)
        rank_violation(
            "invalid-argument", caller->function, caller->site,
            "%s has a block of %llu bytes at %td behind the beginning of its buffer, and the %s%.*s that it is in ends "
            "after %zu",
            function_name(caller->function), (unsigned long long)block_size(block), distance, room.kind,
            source_length(room.name), room.name, room.bytes);
}

static void require_room_of_block(const struct caller *caller, const struct blocks *blocks, int i) {
    const struct block block = block_of(blocks, i);
    require_same_object(caller, blocks, &block);
    require_room(caller, block.buffer, block.count, block.type);
}

void require_room_of_blocks(const struct caller *caller, const struct blocks *blocks, int n) {
    if (blocks_are_alike(blocks)) {
        require_room(caller, blocks->base, blocks->count * n, blocks->type);
        return;
    }
    for (int i = 0; i < n; i++)
        require_room_of_block(caller, blocks, i);
}

void require_room_of_edges(const struct caller *caller, const struct blocks *blocks, const struct neighbours *neighbours) {
    int end = 0;
    for (int i = 0; i < neighbours->count; i++) {
        if (neighbours->rank[i] == MPI_PROC_NULL)
            continue;
        end = i + 1;
        if (!blocks_are_alike(blocks))
            require_room_of_block(caller, blocks, i);
    }
    if (blocks_are_alike(blocks))
        require_room_of_blocks(caller, blocks, end);
}
