/* One step of an abstract program's rank: from the blocking call that it is at, with the answer to that call, to the
 * next blocking call. Plays the part that a real process with the preloaded library has. */
#ifndef TESTS_ORACLE_PERFORM_H
#define TESTS_ORACLE_PERFORM_H

#include "models/mpi/model.h"
#include "tests/oracle/program.h"

#define PERFORM_OPERATIONS 64
#define PERFORM_PARTS 64
#define PERFORM_BYTES 8          /* of each payload but this one: */
#define PERFORM_EMPTY 0x7fff0000 /* the payload without bytes: no value has this number */

struct request_slot {
    uint8_t active;
    uint8_t receives;
    uint8_t cancelled; /* MPI_Cancel was called */
    uint8_t into, from;
    uint8_t collective; /* 0, or the opcode */
    uint8_t root;
    uint8_t members;  /* of the collective */
    uint32_t request; /* number given to the explorer */
};

struct message_slot {
    uint8_t full;
    uint8_t comm;
    uint8_t zero[2];
    int32_t source, value;
    uint32_t zero32;
    uint64_t claim;
};

/* A rank's local state: free of padding garbage, as states are compared as bytes. */
struct local_state {
    uint32_t rank;
    uint32_t started; /* past MPI_Init */
    struct process process;
    struct request_slot slot[PROGRAM_SLOTS];
    struct message_slot message[PROGRAM_MESSAGES];
    uint64_t abandoned; /* set of numbers of freed requests: the explorer may still have them */
};

/* What a step asked of the network. */
struct performance {
    uint32_t operations, parts, requests;
    struct operation operation[PERFORM_OPERATIONS];
    uint32_t part[PERFORM_PARTS];
    uint32_t request[PROGRAM_SLOTS + 1];
    struct call call;
};

/* Numbers of the communicators: index of `comm` in an instruction. */
enum { PERFORM_BARRIER_SITE = 1 }; /* no instruction_site */

struct perform_world {
    const struct program *program;
    uint32_t context[PROGRAM_COMMUNICATORS];
    uint32_t touches[SERVED_TOUCHES];
    bool same_places; /* the ranks' instructions of the same number are one place in their source */
    bool one_barrier; /* all ranks call their barriers, the blocking ones, at PERFORM_BARRIER_SITE */
};

/* Advances `state`. The answer must be one that MPI permits: anything else ends the process with a sentence. */
void perform(const struct perform_world *world, struct local_state *state, const struct resolution *resolution,
             struct performance *performance);

/* The site of an instruction, as in struct operation and struct call; never 0. */
static inline uint32_t instruction_site(unsigned rank, unsigned pc) { return (pc + 1) * 16 + rank; }
enum { SITE_OF_ALL = 15 }; /* in place of a rank */
static inline uint32_t perform_site(const struct perform_world *world, unsigned rank, unsigned pc) {
    return instruction_site(world->same_places ? SITE_OF_ALL : rank, pc);
}
static inline unsigned site_pc(uint32_t site) { return site / 16 - 1; }

#endif
