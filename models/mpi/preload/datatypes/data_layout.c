#include "models/mpi/preload/datatypes/data_layout.h"

#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/datatypes/footprint.h"

#include <stdlib.h>
#include <string.h>

/* Where each packed byte of one element comes from, counted from the lower bound. Asked of MPICH itself: memory that
 * holds the n-th byte of each place's number is packed, for n = 0, 1, ... */
static uint64_t *places_of_bytes(MPI_Datatype type, size_t size, uint64_t extent, ptrdiff_t lower_bound) {
    uint64_t *place = calloc(size + 1, sizeof *place);
    char *memory = malloc(extent + 1);
    unsigned char *packed = malloc(size + 1);
    for (unsigned shift = 0; shift < 64 && (extent - 1) >> shift > 0; shift += 8) {
        for (uint64_t i = 0; i < extent; i++)
            memory[i] = (char)(i >> shift);
        data_pack(packed, memory - lower_bound, 1, type);
        for (size_t i = 0; i < size; i++)
            place[i] |= (uint64_t)packed[i] << shift;
    }
    free(memory);
    free(packed);
    return place;
}

static void append(struct access_run **run, uint64_t *runs, uint64_t *room, int64_t offset, uint64_t length) {
    if (*runs > 0 && (*run)[*runs - 1].offset + (int64_t)(*run)[*runs - 1].length == offset) {
        (*run)[*runs - 1].length += length;
        return;
    }
    if (*runs == *room) {
        *room = *room == 0 ? 4 : 2 * *room;
        *run = realloc(*run, *room * sizeof **run);
    }
    (*run)[(*runs)++] = (struct access_run){offset, length};
}

/* `count` elements of any type, byte by byte. */
static struct access_run *layout_as_packed(MPI_Count count, MPI_Datatype type, int64_t origin, uint64_t *runs) {
    struct access_run *run = NULL;
    struct access_run *one = NULL;
    uint64_t room = 0;
    uint64_t one_room = 0;
    uint64_t in_one = 0;
    size_t size = data_size(type);
    MPI_Count lower_bound = 0;
    MPI_Count extent = 0;
    REAL(Type_get_true_extent_x)(type, &lower_bound, &extent);
    uint64_t *place = places_of_bytes(type, size, (uint64_t)extent, (ptrdiff_t)lower_bound);
    for (size_t i = 0; i < size; i++)
        append(&one, &in_one, &one_room, (int64_t)place[i] + lower_bound, 1);
    free(place);
    int64_t step = (int64_t)(intptr_t)data_element(NULL, 1, type);
    for (MPI_Count i = 0; i < count; i++) {
        int64_t start = i * step;
        for (uint64_t k = 0; k < in_one; k++)
            append(&run, runs, &room, origin + start + one[k].offset, one[k].length);
    }
    free(one);
    return run;
}

static struct access_run *layout_of_pieces(const struct footprint *footprint, uint64_t *runs) {
    struct access_run *run = NULL;
    uint64_t room = 0;
    for (uint32_t i = 0; i < footprint->combs; i++) {
        const struct comb *comb = footprint_comb(footprint, i);
        for (size_t n = 0; n < comb->pieces; n++)
            append(&run, runs, &room, comb->at + (ptrdiff_t)n * comb->distance, comb->size);
    }
    return run;
}

struct access_run *data_layout(MPI_Count count, MPI_Datatype type, int64_t origin, uint64_t *runs) {
    *runs = 0;
    const size_t size = data_size(type);
    if (size == 0 || count == 0)
        return NULL;
    struct footprint footprint = {0};
    footprint_add(&footprint, (const void *)(intptr_t)origin, count, type); /* in the order in which it is packed */
    const bool is_whole = footprint_bytes(&footprint) == (size_t)count * size;
    struct access_run *run = is_whole ? layout_of_pieces(&footprint, runs) : layout_as_packed(count, type, origin, runs);
    footprint_free(&footprint);
    return run;
}

static bool is_named(MPI_Datatype type) {
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = 0;
    REAL(Type_get_envelope)(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

MPI_Datatype data_basic_type(MPI_Datatype type) {
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = 0;
    REAL(Type_get_envelope)(type, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED || types == 0)
        return type;
    int *integer = malloc(((size_t)integers + 1) * sizeof *integer);
    MPI_Aint *address = malloc(((size_t)addresses + 1) * sizeof *address);
    MPI_Datatype *part = malloc(((size_t)types + 1) * sizeof *part);
    REAL(Type_get_contents)(type, integers, addresses, types, integer, address, part);
    MPI_Datatype basic = data_basic_type(part[0]);
    for (int i = 0; i < types; i++) {
        if (data_basic_type(part[i]) != basic)
            basic = MPI_DATATYPE_NULL;
        if (!is_named(part[i])) /* MPI_Type_get_contents has made it for us */
            REAL(Type_free)(&part[i]);
    }
    free(integer);
    free(address);
    free(part);
    return basic;
}
