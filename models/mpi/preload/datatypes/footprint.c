#include "models/mpi/preload/datatypes/footprint.h"

#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/datatypes/type_recipe.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { COMBS_MOST = 1 << 16 };

static struct comb *comb_of(struct footprint *footprint, uint32_t number) {
    return number == 0 ? &footprint->first : &footprint->more[number - 1];
}

const struct comb *footprint_comb(const struct footprint *footprint, uint32_t number) {
    return number == 0 ? &footprint->first : &footprint->more[number - 1];
}

/* --- putting combs together ------------------------------------------------------------------------------------------ */

/* The comb goes on where the last one ends: a longer piece, the second piece, or more of the same. */
static bool continues(struct comb *last, const struct comb *next) {
    if (last->size == next->size && last->pieces > 1 && next->at == last->at + (ptrdiff_t)last->pieces * last->distance &&
        (next->pieces == 1 || next->distance == last->distance)) {
        last->pieces += next->pieces;
        return true;
    }
    if (last->pieces > 1 || next->pieces > 1)
        return false;
    if (next->at == last->at + (ptrdiff_t)last->size) {
        last->size += next->size;
        return true;
    }
    if (next->size != last->size || next->at == last->at)
        return false;
    last->distance = next->at - last->at;
    last->pieces = 2;
    return true;
}

static void add_comb(struct footprint *footprint, const struct comb *comb) {
    if (footprint->combs > 0 && continues(comb_of(footprint, footprint->combs - 1), comb))
        return;
    if (footprint->combs == COMBS_MOST)
        return;
    if (footprint->combs > footprint->room) {
        footprint->room = 2 * footprint->room + 3;
        footprint->more = realloc(footprint->more, footprint->room * sizeof *footprint->more);
    }
    *comb_of(footprint, footprint->combs++) = *comb;
}

/* `count` elements from `at` on, `step` bytes apart. */
static void repeat(struct footprint *layout, const struct footprint *element, intptr_t at, int64_t count, ptrdiff_t step) {
    const struct comb *only = &element->first;
    bool one_piece = element->combs == 1 && only->pieces == 1;
    if (one_piece && count > 0) {
        struct comb comb = {.at = at + only->at, .size = only->size, .distance = step, .pieces = (size_t)count};
        if (step == (ptrdiff_t)only->size || count == 1)
            comb = (struct comb){.at = at + only->at, .size = (size_t)count * only->size, .pieces = 1};
        add_comb(layout, &comb);
        return;
    }
    for (int64_t i = 0; i < count && layout->combs < COMBS_MOST; i++) {
        for (uint32_t n = 0; n < element->combs; n++) {
            struct comb comb = *footprint_comb(element, n);
            comb.at += at + i * step;
            add_comb(layout, &comb);
        }
    }
}

/* --- the layout of one element at address 0 -------------------------------------------------------------------------- */

static struct footprint layout_of(MPI_Datatype type);

static void lay_piece(struct footprint *layout, intptr_t at, size_t size) {
    if (size > 0)
        add_comb(layout, &(struct comb){.at = at, .size = size, .pieces = 1});
}

/* Between the two members of a pair type there may be a gap: the second, a number of 4 bytes but for the last three, is
 * aligned. */
static void lay_named(struct footprint *layout, MPI_Datatype type) {
    if (type == MPI_SHORT_INT) {
        lay_piece(layout, 0, sizeof(short));
        lay_piece(layout, sizeof(int), sizeof(int));
        return;
    }
    lay_piece(layout, 0, data_size(type)); /* the others' gaps are behind the second, or there is none */
}

static void lay_struct(struct footprint *layout, const struct type_recipe *recipe) {
    for (int i = 0; i < recipe->integer[0]; i++) {
        struct footprint member = layout_of(recipe->type[i]);
        repeat(layout, &member, recipe->address[i], recipe->integer[1 + i], data_extent(recipe->type[i]));
        footprint_free(&member);
    }
}

/* A block of elements at each of some equally distant places. */
static void lay_vector(struct footprint *layout, const struct footprint *element, ptrdiff_t extent, int count, int length,
                       ptrdiff_t stride) {
    struct footprint block = {0};
    repeat(&block, element, 0, length, extent);
    repeat(layout, &block, 0, count, stride);
    footprint_free(&block);
}

/* Integers: dimensions, sizes, sizes of the part, its starts, order. */
static void lay_subarray(struct footprint *layout, const struct footprint *element, ptrdiff_t extent, const int *integer) {
    int dimensions = integer[0];
    const int *size = integer + 1, *part = size + dimensions, *start = part + dimensions;
    bool last_is_fastest = start[dimensions] == MPI_ORDER_C;
    struct footprint inner = {0};
    repeat(&inner, element, 0, 1, extent);
    for (int i = 0; i < dimensions; i++) {
        int dimension = last_is_fastest ? dimensions - 1 - i : i;
        struct footprint outer = {0};
        repeat(&outer, &inner, start[dimension] * extent, part[dimension], extent);
        footprint_free(&inner);
        inner = outer;
        extent *= size[dimension];
    }
    repeat(layout, &inner, 0, 1, extent);
    footprint_free(&inner);
}

/* The ways of repeating one type; `n` are the integers of its recipe. */
static void lay_repeated(struct footprint *layout, const struct type_recipe *recipe) {
    const int *n = recipe->integer;
    const MPI_Aint *address = recipe->address;
    ptrdiff_t extent = data_extent(recipe->type[0]);
    struct footprint element = layout_of(recipe->type[0]);
    switch (recipe->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: repeat(layout, &element, 0, 1, 0); break;
    case MPI_COMBINER_CONTIGUOUS: repeat(layout, &element, 0, n[0], extent); break;
    case MPI_COMBINER_VECTOR: lay_vector(layout, &element, extent, n[0], n[1], n[2] * extent); break;
    case MPI_COMBINER_HVECTOR: lay_vector(layout, &element, extent, n[0], n[1], address[0]); break;
    case MPI_COMBINER_SUBARRAY: lay_subarray(layout, &element, extent, n); break;
    case MPI_COMBINER_INDEXED:
        for (int i = 0; i < n[0]; i++)
            repeat(layout, &element, n[1 + n[0] + i] * extent, n[1 + i], extent);
        break;
    case MPI_COMBINER_HINDEXED:
        for (int i = 0; i < n[0]; i++)
            repeat(layout, &element, address[i], n[1 + i], extent);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        for (int i = 0; i < n[0]; i++)
            repeat(layout, &element, n[2 + i] * extent, n[1], extent);
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        for (int i = 0; i < n[0]; i++)
            repeat(layout, &element, address[i], n[1], extent);
        break;
    default: break; /* not known */
    }
    footprint_free(&element);
}

static struct footprint layout_of(MPI_Datatype type) {
    struct footprint layout = {0};
    if (!type_has_recipe(type)) {
        lay_named(&layout, type);
        return layout;
    }
    struct type_recipe recipe = type_recipe(type);
    if (recipe.combiner == MPI_COMBINER_STRUCT)
        lay_struct(&layout, &recipe);
    else
        lay_repeated(&layout, &recipe);
    type_recipe_done(&recipe);
    return layout;
}

/* --- footprints ------------------------------------------------------------------------------------------------------ */

void footprint_add(struct footprint *footprint, const void *buffer, MPI_Count count, MPI_Datatype type) {
    if (count <= 0)
        return;
    if (data_is_plain(type)) {
        lay_piece(footprint, (intptr_t)buffer, (size_t)count * data_size(type));
        return;
    }
    struct footprint element = layout_of(type);
    repeat(footprint, &element, (intptr_t)buffer, count, data_extent(type));
    footprint_free(&element);
}

void footprint_free(struct footprint *footprint) {
    free(footprint->more);
    memset(footprint, 0, sizeof *footprint);
}

size_t footprint_bytes(const struct footprint *footprint) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < footprint->combs; i++)
        bytes += footprint_comb(footprint, i)->pieces * footprint_comb(footprint, i)->size;
    return bytes;
}

static char *piece_of(const struct comb *comb, size_t number) {
    return (char *)(comb->at + (ptrdiff_t)number * comb->distance);
}

void footprint_read(const struct footprint *footprint, void *bytes) {
    char *to = bytes;
    for (uint32_t i = 0; i < footprint->combs; i++) {
        const struct comb *comb = footprint_comb(footprint, i);
        for (size_t n = 0; n < comb->pieces; n++, to += comb->size)
            memcpy(to, piece_of(comb, n), comb->size);
    }
}

void footprint_write(const struct footprint *footprint, const void *bytes) {
    const char *from = bytes;
    for (uint32_t i = 0; i < footprint->combs; i++) {
        const struct comb *comb = footprint_comb(footprint, i);
        for (size_t n = 0; n < comb->pieces; n++, from += comb->size)
            memcpy(piece_of(comb, n), from, comb->size);
    }
}

uint64_t footprint_hash(const struct footprint *footprint) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < footprint->combs; i++) {
        const struct comb *comb = footprint_comb(footprint, i);
        for (size_t n = 0; n < comb->pieces; n++)
            hash = XXH3_64bits_withSeed(piece_of(comb, n), comb->size, hash);
    }
    return hash;
}

/* The same pieces from the lowest to the highest. */
static struct comb ascending(struct comb comb) {
    if (comb.distance < 0) {
        comb.at += (ptrdiff_t)(comb.pieces - 1) * comb.distance;
        comb.distance = -comb.distance;
    }
    return comb;
}

static intptr_t end_of(const struct comb *comb) {
    return comb->at + (ptrdiff_t)(comb->pieces - 1) * comb->distance + (ptrdiff_t)comb->size;
}

struct bounds footprint_bounds(const struct footprint *footprint) {
    struct bounds bounds = {0};
    for (uint32_t i = 0; i < footprint->combs; i++) {
        const struct comb comb = ascending(*footprint_comb(footprint, i));
        const uintptr_t from = (uintptr_t)comb.at, to = (uintptr_t)end_of(&comb);
        bounds.from = i == 0 || from < bounds.from ? from : bounds.from;
        bounds.to = to > bounds.to ? to : bounds.to;
    }
    return bounds;
}

struct bounds bounds_of_all(const struct bounds *list, size_t count) {
    struct bounds all = {0};
    for (size_t i = 0; i < count; i++) {
        if (list[i].to == 0)
            continue;
        all.from = all.to == 0 || list[i].from < all.from ? list[i].from : all.from;
        all.to = list[i].to > all.to ? list[i].to : all.to;
    }
    return all;
}

/* Does an ascending comb have a byte from `at` to before `end`? */
static bool comb_meets(const struct comb *comb, intptr_t at, intptr_t end) {
    if (end <= comb->at || at >= end_of(comb))
        return false;
    if (comb->pieces == 1 || comb->distance == 0)
        return true;
    /* The first piece that ends behind `at`. */
    ptrdiff_t beyond = at - comb->at - (ptrdiff_t)comb->size;
    ptrdiff_t piece = beyond < 0 ? 0 : beyond / comb->distance + 1;
    return comb->at + piece * comb->distance < end;
}

bool footprint_enters(const struct footprint *footprint, uintptr_t from, uintptr_t to) {
    for (uint32_t i = 0; i < footprint->combs; i++) {
        const struct comb comb = ascending(*footprint_comb(footprint, i));
        if (comb_meets(&comb, (intptr_t)from, (intptr_t)to))
            return true;
    }
    return false;
}

static bool combs_meet(const struct comb *first, const struct comb *second) {
    const struct comb a = ascending(*first), b = ascending(*second);
    if (a.at >= end_of(&b) || b.at >= end_of(&a))
        return false;
    for (size_t i = 0; i < a.pieces; i++) {
        intptr_t at = a.at + (ptrdiff_t)i * a.distance;
        if (comb_meets(&b, at, at + (ptrdiff_t)a.size))
            return true;
    }
    return false;
}

bool footprint_overlaps_itself(const struct footprint *footprint) {
    enum { LOOKED_AT = 256 };
    if (footprint->combs > LOOKED_AT)
        return false;
    for (uint32_t i = 0; i < footprint->combs; i++) {
        const struct comb comb = ascending(*footprint_comb(footprint, i));
        if (comb.pieces > 1 && comb.distance < (ptrdiff_t)comb.size)
            return true;
        for (uint32_t n = 0; n < i; n++) {
            if (combs_meet(&comb, footprint_comb(footprint, n)))
                return true;
        }
    }
    return false;
}

bool footprints_meet(const struct footprint *a, const struct footprint *b) {
    for (uint32_t i = 0; i < a->combs; i++) {
        for (uint32_t n = 0; n < b->combs; n++) {
            if (combs_meet(footprint_comb(a, i), footprint_comb(b, n)))
                return true;
        }
    }
    return false;
}
