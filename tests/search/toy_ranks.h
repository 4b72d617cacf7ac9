/* A step source without processes: ranks are tiny programs, arrays of instructions, run by an interpreter. A local state is
 * (rank, position, variables, output), so equal ones merge as real ones do. A payload's number is the value sent. */
#ifndef TESTS_SEARCH_TOY_RANKS_H
#define TESTS_SEARCH_TOY_RANKS_H

#include "explorer/steps/step_source.h"

enum { TOY_VARIABLES = 4, TOY_NOWHERE = -1 };

enum toy_kind {
    TOY_EXIT = 0, /* end of the program (all arrays end so): MPI_Finalize, exit with status a */
    TOY_SEND,     /* blocking standard send to a, tag b: the value c */
    TOY_SSEND,    /* the same, synchronous */
    TOY_ISEND,    /* to a, tag b, the value c, request d */
    TOY_RECV,     /* from a, tag b, into variable c; the source into variable d (or TOY_NOWHERE) */
    TOY_IRECV,    /* from a, tag b, request d */
    TOY_WAIT,     /* for request d, value into variable c */
    TOY_WAIT_ANY, /* for request c or d */
    TOY_TEST,     /* request d; variable c = flag */
    TOY_IPROBE,   /* from a, tag b; variable c = flag */
    TOY_BARRIER,
    TOY_BCAST,                   /* root a: leaves as early as it may */
    TOY_FOLD,                    /* variable a = 10 * variable a + variable b */
    TOY_ADD,                     /* variable a += b */
    TOY_PRINT,                   /* variable a */
    TOY_JUMP,                    /* to instruction a */
    TOY_JUMP_IF,                 /* to instruction a if variable b equals c */
    TOY_CRASH_IF,                /* variable a equals b: signal 11 */
    TOY_SET,                     /* variable a = b */
    TOY_ISSEND,                  /* as TOY_ISEND, synchronous */
    TOY_PROBE,                   /* from a, tag b */
    TOY_REDUCE,                  /* root a: the others leave as early as they may */
    TOY_WAIT_ALL,                /* for requests c and d, values into variables 0 and 1 */
    TOY_WHICH,                   /* as TOY_WAIT_ANY; variable a = 1 + which of the two */
    TOY_SOME,                    /* Waitsome for requests c and d; variable a = the set that completed, 1 to 3 */
    TOY_OTHER_COMMUNICATOR = 64, /* added to a kind: on the second communicator, number 1 */
};

struct toy_instruction {
    int kind, a, b, c, d;
};

struct toy;

/* programs[rank]: one for each rank. */
struct toy *toy_create(unsigned ranks, const struct toy_instruction *const *programs);
void toy_destroy(struct toy *toy);
struct step_source toy_steps(struct toy *toy);
uint64_t toy_payload_size(void *context, uint32_t payload); /* for mpi_model_create: always 4 */

/* Site numbers as findings give them: rank and position of the instruction. */
static inline uint32_t toy_site(unsigned rank, unsigned position) { return rank * 1000 + position + 1; }

#endif
