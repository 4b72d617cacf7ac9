/* A collective, blocking or not, from its entry to the data that it brings. It is one operation of the network, and one
 * blocking call or one request:
 *
 *     struct collective collective = {.caller = *caller, .communicator = …, .pattern = …, .take = …, .request = …};
 *     collective_enter(&collective, parts);
 *     collective_add_block(...)                                   `parts` times
 *     collective_finish(&collective);                             blocks and takes, or makes the request
 *
 * or, for collectives that are only blocking, `answer = collective_leave(&collective)` as the last line. */
#ifndef MODELS_MPI_PRELOAD_COLLECTIVE_DATA_H
#define MODELS_MPI_PRELOAD_COLLECTIVE_DATA_H

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/communicators.h"
#include "models/mpi/protocol.h"

#include <stddef.h>

#define COLLECTIVE_NO_ROOT (-100) /* apart from MPI_ROOT and MPI_PROC_NULL */

/* Defines MPI_name and MPI_Iname, which differ in a last argument `request`: the body that follows is of both, with `caller`,
 * the parameters, and `request`, NULL if the call is blocking.
 *
 *     COLLECTIVE(Barrier, Ibarrier, (MPI_Comm communicator), (communicator))
 *     {
 *         return barrier(caller, communicator, request);
 *     }
 */
#define COLLECTIVE(name, nonblocking, PARAMETERS, ARGUMENTS)                                              \
    static int run_##name(const struct caller *caller, COLLECTIVE_LIST PARAMETERS, MPI_Request *request); \
    EXPORT(name)                                                                                          \
    int MPI_##name PARAMETERS {                                                                           \
        ENTER(name, COLLECTIVE_LIST ARGUMENTS);                                                           \
        return run_##name(caller, COLLECTIVE_LIST ARGUMENTS, NULL);                                       \
    }                                                                                                     \
    EXPORT(nonblocking)                                                                                   \
    int MPI_##nonblocking(COLLECTIVE_LIST PARAMETERS, MPI_Request *request) {                             \
        ENTER(nonblocking, COLLECTIVE_LIST ARGUMENTS, request);                                           \
        return run_##name(caller, COLLECTIVE_LIST ARGUMENTS, request);                                    \
    }                                                                                                     \
    static int run_##name(const struct caller *caller, COLLECTIVE_LIST PARAMETERS, MPI_Request *request)
#define COLLECTIVE_LIST(...) __VA_ARGS__

/* Data for or from one member. */
struct block {
    void *buffer;
    int count;
    MPI_Datatype type;
};

/* One block for each member, in the ways that MPI has of saying so. */
struct blocks {
    void *base;
    int count; /* of each block */
    MPI_Datatype type;
    const int *counts;         /* instead of `count` (v- and w-variants) */
    const int *displacements;  /* with `counts`: in elements; with `types`: in bytes */
    const MPI_Aint *offsets;   /* instead of `displacements`: in bytes (w-variants of neighbourhood collectives) */
    const MPI_Datatype *types; /* instead of `type` (w-variants) */
};

/* What the members whose data this rank is entitled to gave: valid until the rank blocks again. */
struct collective_answer {
    const struct wire_completion *first;
    uint32_t count;
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
    MPI_Request *request; /* NULL: blocking */
    /* Puts the data where the program wants it; NULL: there is none. */
    void (*take)(const struct collective *collective, const struct collective_answer *answer);
    struct block block; /* of these three only what `take` uses is filled in, the rest is zero */
    struct blocks blocks;
    MPI_Op op;
    int block_count;           /* how many `blocks` there are */
    uint64_t skip;             /* reductions: where in each contribution the bytes for this rank begin */
    struct communicator *made; /* MPI_Comm_idup: what may be used once the request is complete */
    int last;                  /* reductions: the last member whose contribution counts */
};

/* One in which everybody needs everybody: blocking, without data until that is filled in. */
struct collective collective_of_all(const struct caller *caller, struct communicator *communicator);

/* In a rooted collective: does this process have all the data, and has it a member's part of it? On an intracommunicator the
 * root has both. */
bool collective_is_root(const struct collective *collective);
bool collective_is_leaf(const struct collective *collective);

/* `parts` is 0, 1 or one for each member: communicator_peers. */
void collective_enter(struct collective *collective, int parts);
struct collective_answer collective_leave(const struct collective *collective);
void collective_finish(struct collective *collective);

/* A nonblocking one is kept with its request: arrays and handles that the program may do away with are copied or held. */
struct collective *collective_keep(const struct collective *collective);
void collective_discard(struct collective *kept);

/* Members must agree on the types of `count` elements. */
void collective_agree_on_types(struct collective *collective, int count, MPI_Datatype type);

/* What members must agree on: an amount (bytes, or a hash of whatever else all must say alike), and an operator if it is
 * predefined (a user's has another handle on each rank). MPI_OP_NULL: none. */
uint64_t collective_agreement(uint64_t amount, MPI_Op op);
/* The same for a list of counts. */
uint64_t collective_agreement_counts(const int *counts, int n, uint64_t size, MPI_Op op);

struct collective_part {
    const void *bytes;
    size_t size;
};

/* What a member gave us; empty if this rank gets nothing from it. */
struct collective_part collective_part(const struct collective_answer *answer, int member);

struct block block_of(const struct blocks *blocks, int member);
uint64_t block_size(const struct block *block);
int check_block(const struct caller *caller, const struct communicator *communicator, const struct block *block);
int check_blocks(const struct caller *caller, const struct communicator *communicator, const struct blocks *blocks, int n);

/* A block that is not empty is followed by the hash of its type signature, for collective_take_from; a contribution to a reduction
 * is not. */
void collective_add_block(const struct block *block);
void collective_add_contribution(const struct block *block);
/* For data that is added otherwise: this is where it comes from. */
void collective_note_given(const struct block *block);
void collective_add_blocks(const struct blocks *blocks, int n);

/* Unpacks what `member` gave; more than fits ends the rank. */
void collective_take_from(const struct collective *collective, const struct collective_answer *answer, int member,
                          const struct block *block);
/* For `take`: the root's data goes to `block`, each member's to its one of `blocks`. */
void collective_take_block(const struct collective *collective, const struct collective_answer *answer);
void collective_take_blocks(const struct collective *collective, const struct collective_answer *answer);
/* Unpacks `size` bytes that `member` gave. */
void collective_unpack(const struct collective *collective, int member, const void *bytes, size_t size,
                       const struct block *block);

#endif
