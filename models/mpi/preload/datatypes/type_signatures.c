#include "models/mpi/preload/datatypes/type_signatures.h"

#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/datatypes/type_recipe.h"
#include "models/mpi/preload/objects.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/signatures.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { RUNS_MOST = 1 << 20 }; /* of one element; longer ones are not known */

/* A signature under construction. */
struct pattern {
    struct wire_run *run;
    uint32_t runs, room;
    bool unknown;
};

static void append(struct pattern *pattern, uint32_t type, uint64_t bytes) {
    if (bytes == 0 || pattern->unknown)
        return;
    struct wire_run *last = pattern->runs > 0 ? &pattern->run[pattern->runs - 1] : NULL;
    if (last != NULL && last->type == type) {
        last->bytes += bytes;
        return;
    }
    if (pattern->runs == RUNS_MOST) {
        pattern->unknown = true;
        return;
    }
    if (pattern->runs == pattern->room) {
        pattern->room = 2 * pattern->room + 4;
        pattern->run = realloc(pattern->run, pattern->room * sizeof *pattern->run);
    }
    pattern->run[pattern->runs++] = (struct wire_run){.type = type, .bytes = bytes};
}

/* The first `bytes` bytes of a pattern that goes round and round. */
static void append_pattern(struct pattern *pattern, const struct pattern *added, uint64_t bytes) {
    pattern->unknown |= added->unknown || (added->runs == 0 && bytes > 0);
    if (added->runs == 1 && !pattern->unknown) {
        append(pattern, added->run[0].type, bytes);
        return;
    }
    for (uint32_t i = 0; bytes > 0 && !pattern->unknown; i = (i + 1) % added->runs) {
        uint64_t taken = added->run[i].bytes < bytes ? added->run[i].bytes : bytes;
        append(pattern, added->run[i].type, taken);
        bytes -= taken;
    }
}

static uint32_t basic_type_of(MPI_Datatype type) {
    static const MPI_Datatype basic[] = {
        MPI_DATATYPE_NULL,
#define BASIC_TYPE(name) name,
#include "models/mpi/basic_types.def"
#undef BASIC_TYPE
    };
    uint32_t found = BASIC_TYPE_none;
    for (uint32_t i = 1; i < BASIC_TYPE_count && found == BASIC_TYPE_none; i++) {
        if (basic[i] == type)
            found = i;
    }
    return found;
}

static const struct pair {
    MPI_Datatype type, first, second;
} pairs[] = {
    {MPI_FLOAT_INT, MPI_FLOAT, MPI_INT},
    {MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT},
    {MPI_LONG_INT, MPI_LONG, MPI_INT},
    {MPI_SHORT_INT, MPI_SHORT, MPI_INT},
    {MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT},
    {MPI_2INT, MPI_INT, MPI_INT},
    {MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER},
    {MPI_2REAL, MPI_REAL, MPI_REAL},
    {MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION},
};

static void append_named(struct pattern *pattern, MPI_Datatype type) {
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (pairs[i].type != type)
            continue;
        append(pattern, basic_type_of(pairs[i].first), data_size(pairs[i].first));
        append(pattern, basic_type_of(pairs[i].second), data_size(pairs[i].second));
        return;
    }
    uint32_t basic = basic_type_of(type);
    size_t size = data_size(type);
    pattern->unknown |= basic == BASIC_TYPE_none && size > 0; /* MPI_LB and MPI_UB have no size */
    if (basic != BASIC_TYPE_none)
        append(pattern, basic, size);
}

static void append_type(struct pattern *pattern, MPI_Datatype type);

static void append_struct(struct pattern *pattern, const struct type_recipe *recipe) {
    for (int i = 0; i < recipe->types; i++) {
        struct pattern member = {0};
        append_type(&member, recipe->type[i]);
        append_pattern(pattern, &member, (uint64_t)recipe->integer[1 + i] * data_size(recipe->type[i]));
        free(member.run);
    }
}

static uint32_t f90_type_of(MPI_Datatype type, int combiner) {
    int number[2] = {MPI_UNDEFINED, MPI_UNDEFINED};
    MPI_Aint no_address;
    MPI_Datatype no_type;
    const bool is_integer = combiner == MPI_COMBINER_F90_INTEGER;
    REAL(Type_get_contents)(type, is_integer ? 1 : 2, 0, 0, is_integer ? &number[1] : number, &no_address, &no_type);
    return f90_type(is_integer                          ? F90_INTEGER
                    : combiner == MPI_COMBINER_F90_REAL ? F90_REAL
                                                        : F90_COMPLEX,
                    number[0], number[1]);
}

/* Every other way of making a type repeats one type. */
static void append_type(struct pattern *pattern, MPI_Datatype type) {
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED;
    REAL(Type_get_envelope)(type, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED) {
        append_named(pattern, type);
        return;
    }
    if (!type_has_recipe(type)) {
        append(pattern, f90_type_of(type, combiner), data_size(type));
        return;
    }
    struct type_recipe recipe = type_recipe(type);
    if (recipe.combiner == MPI_COMBINER_STRUCT || recipe.combiner == MPI_COMBINER_STRUCT_INTEGER)
        append_struct(pattern, &recipe);
    else
        append_type(pattern, recipe.type[0]);
    type_recipe_done(&recipe);
}

static uint64_t name_of(MPI_Datatype type) {
    struct pattern pattern = {0};
    append_type(&pattern, type);
    uint64_t name = BASIC_TYPE_none;
    const bool is_basic = pattern.runs == 1 && pattern.run[0].type < BASIC_TYPE_count;
    if (is_basic && !pattern.unknown)
        name = pattern.run[0].type;
    if (pattern.runs > 0 && !is_basic && !pattern.unknown) {
        name = XXH3_64bits(pattern.run, pattern.runs * sizeof *pattern.run) | 1ull << 63;
        rank_announce_signature(name, pattern.run, pattern.runs);
    }
    free(pattern.run);
    return name;
}

/* The program's own types are walked once. */
uint64_t type_signature(MPI_Datatype type) {
    uint32_t basic = basic_type_of(type);
    if (basic != BASIC_TYPE_none)
        return basic;
    uint64_t *kept = object_signature(OBJECT_DATATYPE, type);
    if (kept == NULL)
        return name_of(type);
    if (*kept == OBJECT_UNSIGNED)
        *kept = name_of(type);
    return *kept;
}

uint64_t type_signature_whole(MPI_Count count, MPI_Datatype type) {
    struct pattern element = {0};
    append_type(&element, type);
    const uint64_t bytes = (uint64_t)count * data_size(type);
    uint64_t hash = 0;
    if (element.runs == 1 && bytes > 0 && !element.unknown) {
        element.run[0].bytes = bytes;
        hash = XXH3_64bits(element.run, sizeof *element.run);
    } else if (element.runs > 1 && bytes > 0 && !element.unknown) {
        element.runs = signature_root(element.run, element.runs);
        hash = XXH3_64bits_withSeed(element.run, element.runs * sizeof *element.run, bytes);
    }
    free(element.run);
    return hash;
}

const char *type_signature_name(uint64_t hash, uint64_t bytes) {
    for (uint32_t type = BASIC_TYPE_none + 1; type < BASIC_TYPE_count; type++) {
        const struct wire_run run = {.type = type, .bytes = bytes};
        if (XXH3_64bits(&run, sizeof run) == hash)
            return basic_type_name(type, NULL);
    }
    return NULL;
}
