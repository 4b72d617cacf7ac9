#include "models/mpi/signatures.h"

#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static enum f90_kind f90_kind(uint32_t type) { return type >> F90_KIND_SHIFT; }

bool basic_type_is_known(uint32_t type) {
    return type < BASIC_TYPE_count || (f90_kind(type) >= F90_REAL && f90_kind(type) <= F90_INTEGER);
}

static void put_number(char *text, size_t room, uint32_t number) {
    if (number > F90_NUMBER_MOST)
        snprintf(text, room, "MPI_UNDEFINED");
    else
        snprintf(text, room, "%u", number);
}

static const char *f90_name(uint32_t type, char room[BASIC_TYPE_ROOM]) {
    static const char *const maker[] = {[F90_REAL] = "real", [F90_COMPLEX] = "complex", [F90_INTEGER] = "integer"};
    char precision[16], range[16];
    put_number(precision, sizeof precision, type >> 14 & (F90_NUMBER_MOST + 1));
    put_number(range, sizeof range, type & (F90_NUMBER_MOST + 1));
    const bool has_precision = f90_kind(type) != F90_INTEGER;
    snprintf(room, BASIC_TYPE_ROOM, "MPI_Type_create_f90_%s(%s%s%s)", maker[f90_kind(type)], has_precision ? precision : "",
             has_precision ? ", " : "", range);
    return room;
}

const char *basic_type_name(uint32_t type, char room[BASIC_TYPE_ROOM]) {
    static const char *const name[] = {
        "an unknown type",
#define BASIC_TYPE(name) #name,
#include "models/mpi/basic_types.def"
#undef BASIC_TYPE
    };
    if (type < BASIC_TYPE_count)
        return name[type];
    return basic_type_is_known(type) ? f90_name(type, room) : name[0];
}

/* A place in a pattern. */
struct cursor {
    const struct signature *signature;
    uint32_t run;
    uint64_t left; /* bytes of this run */
};

static struct cursor cursor_at_start(const struct signature *signature) {
    return (struct cursor){signature, 0, signature->run[0].bytes};
}

static void cursor_advance(struct cursor *cursor, uint64_t bytes) {
    cursor->left -= bytes;
    if (cursor->left)
        return;
    cursor->run = (cursor->run + 1) % cursor->signature->runs;
    cursor->left = cursor->signature->run[cursor->run].bytes;
}

static uint64_t smallest(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

bool signatures_match(const struct signature *sent, const struct signature *received, uint64_t bytes,
                      struct signature_mismatch *mismatch) {
    if (sent->name == received->name || !sent->runs || !received->runs)
        return true;
    struct cursor from = cursor_at_start(sent), to = cursor_at_start(received);
    for (uint64_t at = 0; at < bytes;) {
        uint32_t gives = sent->run[from.run].type, takes = received->run[to.run].type;
        if (gives != takes) {
            *mismatch = (struct signature_mismatch){gives, takes, at};
            return false;
        }
        uint64_t step = smallest(from.left, to.left, bytes - at);
        at += step;
        cursor_advance(&from, step);
        cursor_advance(&to, step);
    }
    return true;
}

/* How many runs are repeated to make these. */
static uint32_t period(const struct wire_run *run, uint32_t runs) {
    for (uint32_t length = 1; length < runs; length++) {
        uint32_t i = length;
        while (runs % length == 0 && i < runs && run[i].type == run[i - length].type && run[i].bytes == run[i - length].bytes)
            i++;
        if (i == runs)
            return length;
    }
    return runs;
}

/* Where a sequence that begins and ends with the same type is repeated, these two runs are one. */
uint32_t signature_root(struct wire_run *run, uint32_t runs) {
    if (run[0].type != run[runs - 1].type)
        return period(run, runs);
    const uint64_t first = run[0].bytes, last = run[runs - 1].bytes;
    run[0].bytes = first + last;
    const uint32_t length = period(run, runs - 1);
    run[0].bytes = first;
    run[length] = (struct wire_run){.type = run[0].type, .bytes = last};
    return length + 1;
}

static bool has_hash(uint32_t type, uint32_t hash, uint64_t bytes) {
    enum { LARGEST = 64 };
    const struct wire_run run = {.type = type, .bytes = bytes};
    const uint32_t own = (uint32_t)(XXH3_64bits(&run, sizeof run) >> 32);
    bool found = own == hash;
    for (uint64_t size = 1; size <= LARGEST && !found; size++) {
        const int64_t elements = (int64_t)(bytes / size);
        found = (uint32_t)XXH3_64bits_withSeed(&elements, sizeof elements, own) == hash;
    }
    return found;
}

uint32_t signature_basic_type(uint32_t hash, uint64_t bytes) {
    for (uint32_t type = BASIC_TYPE_none + 1; type < BASIC_TYPE_count; type++) {
        if (has_hash(type, hash, bytes))
            return type;
    }
    return BASIC_TYPE_none;
}
