/* Accesses to windows (MPI-3.1 section 11.3) as they travel from origin to target: one block of bytes each, which says what to do
 * with which bytes of the target's window. No pointers and no derived datatypes, so that the target needs nothing else.
 *
 *     struct access                     e.g. an MPI_Put of 8 bytes to displacement 16: runs = 1, bytes = 8
 *     runs x struct access_run          {16, 8}
 *     data, zero padded to 8            what to put, accumulate or (MPI_Compare_and_swap) swap in and compare with
 *
 * Offsets count from the start of the target's window, or are addresses at the target if the window is dynamic. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_ACCESSES_H
#define MODELS_MPI_PRELOAD_WINDOW_ACCESSES_H

#include "models/mpi/preload/memory/spans.h"
#include "models/mpi/preload/real.h"

#include <stdbool.h>
#include <stddef.h>

enum access_kind {
    ACCESS_PUT = 1,
    ACCESS_GET,
    ACCESS_ACCUMULATE, /* result > 0: the old content is wanted too */
    ACCESS_COMPARE_AND_SWAP,
    ACCESS_STORE,        /* the target's own stores into its window since it last synchronised */
    ACCESS_COMPLETE_PUT, /* what an agent tells the target of a put that is complete */
    ACCESS_LONELY_PUT,   /* ... which nobody can have met in progress */
    ACCESS_GIVEN,        /* it is in the target's buffer for an access elsewhere, which reads it: window_uses.h */
    ACCESS_TAKEN,        /* ... which changes it */
};

struct access {
    uint64_t size;     /* of all of it, a multiple of 8 */
    uint8_t kind;      /* enum access_kind */
    uint8_t heard;     /* what the origin had heard when it made it: window_told.h */
    uint16_t function; /* enum mpi_function */
    int32_t origin;    /* rank in MPI_COMM_WORLD, or WIRE_RANK_UNTOLD */
    int32_t op;        /* accumulate: predefined MPI_Op; in window_closed.c, put: is it an ACCESS_LONELY_PUT? */
    int32_t type;      /* accumulate, compare and swap: predefined MPI_Datatype of the elements */
    uint64_t runs;
    uint64_t bytes;  /* of data */
    uint64_t result; /* bytes that the origin wants back */
    uint64_t site;
};
_Static_assert(sizeof(struct access) == 56, "no padding");

struct access_run {
    int64_t offset;
    uint64_t length;
};

static inline const struct access_run *access_runs(const struct access *access) {
    return (const struct access_run *)(access + 1);
}

static inline const char *access_data(const struct access *access) {
    return (const char *)(access_runs(access) + access->runs);
}

static inline const struct access *access_next(const struct access *access) {
    return (const struct access *)((const char *)access + access->size);
}

/* The memory of one process's window: disjoint regions. */
struct window_memory {
    struct window_region {
        int64_t start; /* offset of its first byte, see above */
        uint64_t size;
        char *bytes;
        uint64_t lost; /* 1: window_lost.h */
    } * region;
    size_t regions;
};

/* The regions and what they hold as bytes: their number, how many are written by _write, and memory of its own made of
 * them, to be freed. _read returns where the bytes end. */
size_t window_memory_bytes(const struct window_memory *memory);
void window_memory_write(const struct window_memory *memory, char *bytes);
const char *window_memory_read(struct window_memory *memory, const char *bytes);
/* A copy, with bytes of its own. */
struct window_memory window_memory_copy(const struct window_memory *memory);
/* Adds the one region written in `bytes`. */
void window_memory_append(struct window_memory *memory, const char *bytes);
void window_memory_free(struct window_memory *memory);

/* Where the bytes from `offset` on are; *length is cut to those that are in one region, 0 if none. */
char *window_memory_at(const struct window_memory *memory, int64_t offset, uint64_t *length);

/* Takes the first part off the run that is in one piece: where it is, and its *length. NULL: nothing is left of the run, or it goes
 * on outside. */
char *window_memory_take(const struct window_memory *memory, struct access_run *run, uint64_t *length);

/* False if part of the access lies outside. */
bool access_fits(const struct window_memory *memory, const struct access *access);

/* That part of it, with its data, that is at these bytes, or is not if not `within`; NULL: none. To be freed. */
struct access *access_part(const struct access *access, const struct spans *spans, bool within);
/* Is any of it? */
bool access_meets(const struct access *access, const struct spans *spans);

/* What the access is to, without its data; to be freed. */
struct access *access_copy_place(const struct access *access);
/* The same, but to what the bytes that it is to in one window's memory are in another one's, as addresses say; NULL: nothing. */
struct access *access_place_in(const struct window_memory *memory, const struct window_memory *through,
                               const struct access *access);

/* Is part of it to memory that is lost? *at: the first such bytes. */
bool access_meets_lost(const struct window_memory *memory, const struct access *access, struct access_run *at);

/* Does it. Writes access->result bytes to `result`. The access must fit. */
void access_apply(const struct window_memory *memory, const struct access *access, char *result);

/* The bytes in which `memory` differs from `before`, which has the same regions, as one ACCESS_STORE with the bytes as
 * they are now; NULL if there are none. To be freed. `caller` is the synchronising call. */
struct access *access_of_stores(const struct window_memory *memory, const struct window_memory *before, int origin,
                                uint16_t function, uint64_t site);

/* Copies what is in the runs from one window's memory to another's, as far as that has them: their offsets there are `shift`
 * more. */
void window_memory_copy_runs(const struct window_memory *from, const struct window_memory *to, int64_t shift,
                             const struct access_run *run, uint64_t runs);

/* May it meet accumulates with any operator? */
bool access_mixes_with_any(const struct access *access);
/* Does it leave the window as it is? */
bool access_only_reads(const struct access *access);

/* Does it leave the same, and nothing else that shows, in whatever order it and others like it are done? */
bool access_commutes_with_itself(const struct access *access);

/* One of those that are atomic element by element: accumulates and compare-and-swap. */
bool access_is_atomic(const struct access *access);

/* Have they common bytes? *at: the first ones. */
bool accesses_meet(const struct access *a, const struct access *b, struct access_run *at);

/* Two accesses that must not happen at the same time although both are to the same bytes (section 11.7), or that may but
 * whose order shows (MPI_REPLACE, floating-point sums, fetching ones). */
enum access_relation { ACCESS_DISJOINT, ACCESS_COMMUTE, ACCESS_ORDERED, ACCESS_CONFLICT };
/* The same if it is known already that they have common bytes. */
enum access_relation access_relate_overlapping(const struct access *a, const struct access *b);
/* `at`: set to the first common bytes, unless disjoint. */
enum access_relation access_relate(const struct access *a, const struct access *b, struct access_run *at);
/* Are any two of the list in conflict? It takes little more time for each than it takes to sort them. May be true without cause where
 * an access is to the same bytes twice. */
bool accesses_any_conflict(const struct access *const *access, size_t count);

#endif
