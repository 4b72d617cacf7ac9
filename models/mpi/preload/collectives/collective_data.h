/* A collective, blocking or not, from its entry to the data that it brings. It is one operation of the network, and one
 * blocking call or one request:
 *
 *     struct collective collective = {.caller = *caller, .communicator = …, .pattern = …, .manner = …};
 *     collective.give = …, collective.take = …                    and what these need
 *     collective_run(&collective);                                blocks and takes, or makes the request
 *
 * or, for collectives that are only blocking, or add their data otherwise,
 *
 *     collective_enter(&collective, parts);
 *     collective_add_block(...)                                   `parts` times
 *     answer = collective_leave(&collective)                      or collective_finish(&collective)
 *
 * A persistent one (MPI-4.0 section 6.13) is one collective when it is made, which nobody need wait for, and one each time it is
 * started, in a context of its own: all members make theirs in the same order, but may start them in any. */
#ifndef MODELS_MPI_PRELOAD_COLLECTIVE_DATA_H
#define MODELS_MPI_PRELOAD_COLLECTIVE_DATA_H

#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/buffers/pending_buffers.h"
#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/collectives/meanings.h"
#include "models/mpi/preload/communicators/communicators.h"
#include "models/mpi/protocol.h"

#include <stddef.h>

#define COLLECTIVE_NO_ROOT (-100) /* apart from MPI_ROOT and MPI_PROC_NULL */

/* An array of counts or displacements: int, or MPI_Count and MPI_Aint in functions for large counts. */
typedef union {
    const int *small;
    const MPI_Count *large;
} number_list __attribute__((transparent_union));
_Static_assert(sizeof(MPI_Aint) == sizeof(MPI_Count), "displacements are as wide as counts");

/* In which of its forms a collective is called. */
struct manner {
    MPI_Request *request; /* NULL: blocking */
    bool persistent;      /* the request is only made */
    bool large;           /* arrays of numbers are of MPI_Count */
    bool bound;           /* called by a language binding, whose arrays may be copies of the program's */
};

/* Defines MPI_name, MPI_nonblocking and MPI_name_init, and with COLLECTIVE their forms for large counts, which differ in the types
 * of their numbers and in last arguments. The body that follows is of all of them, with `caller`, the parameters, and `manner`.
 *
 *     #define BCAST(number, numbers) void *buffer, number count, MPI_Datatype type, int root, MPI_Comm handle
 *     COLLECTIVE(Bcast, Ibcast, BCAST, (buffer, count, type, root, handle)) { … }
 */
#define COLLECTIVE(name, nonblocking, PARAMETERS, ARGUMENTS)                                          \
    COLLECTIVE_BODY(name, PARAMETERS);                                                                \
    COLLECTIVE_FORM(name, nonblocking, , int, const int *, false, PARAMETERS, ARGUMENTS)              \
    COLLECTIVE_FORM(name, nonblocking, _c, MPI_Count, const MPI_Count *, true, PARAMETERS, ARGUMENTS) \
    COLLECTIVE_BODY(name, PARAMETERS)
#define COLLECTIVE_WITHOUT_COUNT(name, nonblocking, PARAMETERS, ARGUMENTS)               \
    COLLECTIVE_BODY(name, PARAMETERS);                                                   \
    COLLECTIVE_FORM(name, nonblocking, , int, const int *, false, PARAMETERS, ARGUMENTS) \
    COLLECTIVE_BODY(name, PARAMETERS)
#define COLLECTIVE_BODY(name, PARAMETERS) \
    static int run_##name(const struct caller *caller, PARAMETERS(MPI_Count, number_list), struct manner manner)
#define COLLECTIVE_FORM(name, nonblocking, suffix, number, numbers, is_large, PARAMETERS, ARGUMENTS)                        \
    EXPORT(name##suffix)                                                                                                    \
    int MPI_##name##suffix(PARAMETERS(number, numbers)) {                                                                   \
        ENTER(name##suffix, COLLECTIVE_LIST ARGUMENTS);                                                                     \
        return run_##name(caller, COLLECTIVE_LIST ARGUMENTS, (struct manner){.large = is_large});                           \
    }                                                                                                                       \
    EXPORT(nonblocking##suffix)                                                                                             \
    int MPI_##nonblocking##suffix(PARAMETERS(number, numbers), MPI_Request *request) {                                      \
        ENTER(nonblocking##suffix, COLLECTIVE_LIST ARGUMENTS, request);                                                     \
        int error = check_request_place(caller, request);                                                                   \
        if (error != MPI_SUCCESS)                                                                                           \
            return error;                                                                                                   \
        return run_##name(caller, COLLECTIVE_LIST ARGUMENTS,                                                                \
                          (struct manner){.request = request, .large = is_large, .bound = caller->site != return_address}); \
    }                                                                                                                       \
    EXPORT(name##_init##suffix)                                                                                             \
    int MPI_##name##_init##suffix(PARAMETERS(number, numbers), MPI_Info info, MPI_Request *request) {                       \
        ENTER(name##_init##suffix, COLLECTIVE_LIST ARGUMENTS, info, request);                                               \
        int error = check_object(caller, OBJECT_INFO, info);                                                                \
        if (error != MPI_SUCCESS)                                                                                           \
            return error;                                                                                                   \
        return run_##name(caller, COLLECTIVE_LIST ARGUMENTS,                                                                \
                          (struct manner){.request = request, .persistent = true, .large = is_large});                      \
    }
#define COLLECTIVE_LIST(...) __VA_ARGS__

/* Data for or from one member. */
struct block {
    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
};

/* One block for each member, in the ways that MPI has of saying so. */
struct blocks {
    void *base;
    MPI_Count count; /* of each block */
    MPI_Datatype type;
    bool varying;              /* v- and w-variants, of which the next two are */
    number_list counts;        /* instead of `count` */
    number_list displacements; /* with `counts`: in elements; with `types`: in bytes */
    bool large;                /* both are arrays of MPI_Count */
    const MPI_Aint *offsets;   /* instead of `displacements`: in bytes (w-variants of neighbourhood collectives) */
    const MPI_Datatype *types; /* instead of `type` (w-variants) */
};

/* Blocks of one size, one after another; of sizes of their own; and each of a type of its own. `large`: struct manner's. */
static inline struct blocks equal_blocks(const void *base, MPI_Count count, MPI_Datatype type) {
    return (struct blocks){.base = (void *)base, .count = count, .type = type};
}
static inline struct blocks varying_blocks(const void *base, number_list counts, number_list displacements, MPI_Datatype type,
                                           bool large) {
    return (struct blocks){
        .base = (void *)base, .varying = true, .counts = counts, .displacements = displacements, .type = type, .large = large};
}
static inline struct blocks typed_blocks(const void *base, number_list counts, number_list displacements,
                                         const MPI_Datatype *types, bool large) {
    return (struct blocks){.base = (void *)base,
                           .varying = true,
                           .counts = counts,
                           .displacements = displacements,
                           .types = types,
                           .large = large};
}

/* What the members whose data this rank is entitled to gave: valid until the rank blocks again. */
struct collective_answer {
    const struct wire_completion *first;
    uint32_t count;
    uint32_t at; /* how many come before `next`, the one behind the last that was asked for; 0: that is the first one */
    const struct wire_completion *next;
};

struct collective {
    struct caller caller;
    struct communicator *communicator;
    enum wire_pattern pattern;
    int root;           /* as the program gave it, or COLLECTIVE_NO_ROOT */
    uint64_t agreement; /* what all members must agree on: see collective_agreement */
    uint32_t types;     /* the same for the type signature of their data; 0: not known */
    /* From whom it is known that nothing comes, so that nobody need wait for them: all, or those of whom the function says
     * so. */
    bool is_empty;
    bool (*is_empty_from)(const struct collective *collective, int member);
    struct manner manner;
    /* Adds the parts of this process's data, so many; NULL: there are none. */
    void (*give)(const struct collective *collective);
    int parts;
    struct block given; /* of these two only what `give` uses is filled in, the rest is zero */
    struct blocks givens;
    int given_count; /* how many `givens` there are */
    /* Puts the data where the program wants it; NULL: there is none. */
    void (*take)(const struct collective *collective, struct collective_answer *answer);
    struct block block;   /* of these three only what `take` uses is filled in, the rest is zero */
    struct blocks blocks; /* MPI_Reduce_scatter: only counts */
    MPI_Op op;
    int block_count;           /* how many `blocks` there are */
    bool in_place;             /* this process's own block is where it is to be, and nothing is given for it */
    uint64_t skip;             /* reductions: where in each contribution the bytes for this rank begin */
    struct communicator *made; /* MPI_Comm_idup: what may be used once the request is complete */
    int last;                  /* reductions: the last member whose contribution counts */
    bool unordered;            /* reductions: what comes out does not depend on who has contributed which */
    bool is_turn;              /* it ends a turn itself (file_turns.h) */
};

/* One in which everybody needs everybody: blocking, without data until that is filled in. */
struct collective collective_of_all(const struct caller *caller, struct communicator *communicator);

/* In a rooted collective: does this process have all the data, and has it a member's part of it? On an intracommunicator the
 * root has both. */
bool collective_is_root(const struct collective *collective);
bool collective_is_leaf(const struct collective *collective);

/* All of it, or, if it is persistent, its making. */
void collective_run(struct collective *collective);
/* Starts a persistent one: `caller` does, and the request has that number. The buffers are owned by it from then on. */
struct buffers collective_start(const struct collective *kept, const struct caller *caller, uint32_t request);

/* `parts` is 0, 1 or one for each member: communicator_peers. */
void collective_enter(struct collective *collective, int parts);
struct collective_answer collective_leave(const struct collective *collective);
void collective_finish(struct collective *collective);

/* One with a request is kept with it: arrays and handles that the program may do away with are copied or held. */
struct collective *collective_keep(const struct collective *collective);
void collective_discard(struct collective *kept);

/* Members must agree on the types of `count` elements. */
void collective_agree_on_types(struct collective *collective, MPI_Count count, MPI_Datatype type);
/* After that: on `count` as well, as an operator of the program's is called with elements (MPI-3.1 section 5.9.1); two groups need
 * only agree on the types (5.9.6). */
void collective_agree_on_elements(struct collective *collective, MPI_Count count);

/* What members must agree on: an amount in bytes, and an operator (operator_identity). MPI_OP_NULL: none. */
uint64_t collective_agreement(uint64_t amount, MPI_Op op);
/* The same for whatever else all must say alike, and how that is told. */
uint64_t collective_agreement_on(uint64_t arguments, const struct meaning *meaning);
/* The same for the counts of blocks. */
uint64_t collective_agreement_counts(const struct blocks *counted, int n, uint64_t size, MPI_Op op);

struct collective_part {
    const void *bytes;
    size_t size;
};

/* What a member gave us; empty if this rank gets nothing from it. Those that are asked for in their order are at hand. */
struct collective_part collective_part(struct collective_answer *answer, int member);

bool blocks_are_alike(const struct blocks *blocks);
MPI_Count block_count(const struct blocks *blocks, int member);
struct block block_of(const struct blocks *blocks, int member);
uint64_t block_size(const struct block *block);
int check_block(const struct caller *caller, const struct communicator *communicator, const struct block *block);
int check_blocks(const struct caller *caller, const struct communicator *communicator, const struct blocks *blocks, int n);

/* A block that is not empty is followed by the hash of its type signature and its call site, for collective_take_from; a
 * contribution to a reduction is not. */
void collective_add_block(const struct block *block);
/* The same for several blocks in one part: how many bytes it takes, and puts them there. */
size_t collective_packed_size(const struct block *block);
void collective_pack(char *bytes, const struct block *block);
void collective_add_contribution(const struct block *block);
/* For data that is added otherwise: this is where it comes from. */
void collective_note_given(const struct block *block);
void collective_add_blocks(const struct blocks *blocks, int n);

/* For `give`: `given` in one part, as a block or as a contribution; each of `givens` in one of its own. */
void collective_give_block(const struct collective *collective);
void collective_give_contribution(const struct collective *collective);
void collective_give_blocks(const struct collective *collective);

/* What `rank`, in MPI_COMM_WORLD, brings to the collective goes with nothing that this process has: ends the rank. The finding names
 * the call of the other one too. */
_Noreturn void collective_mismatch(const struct collective *collective, int rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Unpacks what `member` gave; if that is not as much as the block the rank ends (MPI-3.1 section 5.1: amounts must be equal). */
void collective_take_from(const struct collective *collective, struct collective_answer *answer, int member,
                          const struct block *block);
/* For `take`: the root's data goes to `block`, each member's to its one of `blocks`. */
void collective_take_block(const struct collective *collective, struct collective_answer *answer);
void collective_take_blocks(const struct collective *collective, struct collective_answer *answer);
/* For what collective_pack has put into a part. */
void collective_unpack(const struct collective *collective, int member, struct collective_part packed,
                       const struct block *block);

#endif
