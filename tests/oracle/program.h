/* Abstract message programs: two to six ranks, each a short list of instructions over a few integer registers. Few states
 * in all, so that everything a program can do can be enumerated: jumps go forward, but for again_if, which closes
 * polling loops.
 *
 * An instruction that cannot be carried out (a request slot still in use, an empty message slot, a register that holds no
 * rank where one is needed, a communicator that the rank or its peer is not in, cancelling or freeing a collective's request)
 * does nothing (a probe stores RESULT_UNDEFINED into `from`): every list of instructions is a legal program, so that generation
 * and shrinking need no care. Registers hold 0..65535, or a small negative number where a call returned "none".
 */
#ifndef TESTS_ORACLE_PROGRAM_H
#define TESTS_ORACLE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PROGRAM_RANKS 6
#define PROGRAM_INSTRUCTIONS 64 /* a rank */
#define PROGRAM_REGISTERS 10
#define PROGRAM_SLOTS 4    /* for requests */
#define PROGRAM_MESSAGES 2 /* slots for matched probes' messages */
#define PROGRAM_COMMUNICATORS \
    3                     /* 0: the world, 1: its duplicate or a part, 2: the world with a topology, a ring one way round */
#define PROGRAM_RING 2    /* neighbourhood collectives are on this communicator, whatever their `comm` says */
#define PROGRAM_OUTPUTS 8 /* numbers printed by a rank; later ones are dropped */

#define NO_REGISTER 0xff /* `into`, `from`: the result is not stored */

#define PEER_ANY (-1)
#define PEER_REGISTER(k) (-2 - (k)) /* the rank whose number register k holds */
#define PEER_NOBODY (-100)          /* result of program_peer: the register holds no rank */
#define TAG_ANY (-1)

#define COMPUTE_LIMIT 1000 /* instructions in a row without blocking; local ones: a process that does more has crashed */

#define RESULT_NOT_YET (-1)   /* test, probe: flag = 0 */
#define RESULT_UNDEFINED (-2) /* wait, test without an active request */

enum opcode {
    OP_SEND,
    OP_ISEND,
    OP_RECV,
    OP_IRECV,
    OP_WAIT,
    OP_WAITALL,
    OP_WAITANY,
    OP_WAITSOME,
    OP_TEST,
    OP_TESTALL,
    OP_TESTANY,
    OP_TESTSOME,
    OP_PROBE,
    OP_IPROBE,
    OP_MPROBE,
    OP_IMPROBE,
    OP_MRECV,
    OP_IMRECV,
    OP_CANCEL,
    OP_FREE,
    OP_DETACH, /* and attaches the buffer again */
    OP_BARRIER,
    OP_BCAST,
    OP_REDUCE,
    OP_ALLREDUCE,
    OP_GATHER,
    OP_SCATTER,
    OP_ALLTOALL,
    OP_SCAN,
    OP_EXSCAN,
    OP_RING,
    OP_SPARSE,
    /* in the order above */
    OP_IBARRIER,
    OP_IBCAST,
    OP_IREDUCE,
    OP_IALLREDUCE,
    OP_IGATHER,
    OP_ISCATTER,
    OP_IALLTOALL,
    OP_ISCAN,
    OP_IEXSCAN,
    OP_IRING,
    OP_ISPARSE,
    OP_SET,
    OP_MIX,
    OP_ADD,
    OP_PRINT,
    OP_SKIP_IF,
    OP_SKIP_UNLESS,
    OP_AGAIN_IF,
    OP_CRASH_IF, /* local from here on */
    OP_COUNT
};

enum send_mode { MODE_STANDARD, MODE_SYNCHRONOUS, MODE_BUFFERED };
enum { MODE_CALM = 3 /* recv: WIRE_CALM */, MODE_READY, MODE_LOCKED /* recv: WIRE_CALM but for the other window */ };

/* Which members use an instruction has is in the table of program.c. */
struct instruction {
    uint8_t op;   /* enum opcode */
    uint8_t mode; /* sends: enum send_mode, MODE_READY; recv: 0, MODE_CALM or MODE_LOCKED */
    int8_t peer;  /* destination, source or root; PEER_ANY, PEER_REGISTER */
    int8_t tag;
    uint8_t comm;
    uint8_t value; /* register that is sent, contributed, printed, compared */
    uint8_t into;  /* receives, collectives: the value. probes: the tag. wait: was it cancelled. other waits, tests: below */
    uint8_t from;  /* receives and probes: the source */
    uint8_t slot;  /* request slot; message slot of (i)mprobe and (i)mrecv, modulo PROGRAM_MESSAGES */
    uint8_t slots; /* set of request slots */
    uint8_t skip;  /* skip_if, skip_unless, again_if (value == constant): how many instructions to jump over; again_if: back */
    int16_t constant;
};
/* `into` of test and testall: flag. waitany, testany: the slot that completed, RESULT_NOT_YET or RESULT_UNDEFINED. waitsome,
 * testsome: the set of slots that completed (0: not yet) or RESULT_UNDEFINED. Values of receives and collectives go to their
 * own `into`. */

/* Tags of requests to a server that has two numbers, for which of them they touch: a multiple of SERVED_TAGS. 0: that is not
 * known. */
enum served_touch {
    SERVED_FIRST = 1,  /* changes the first, alone */
    SERVED_SECOND,     /* ... the second */
    SERVED_ADDS,       /* adds to the first, as others may in any order */
    SERVED_READS,      /* reads the first, ... */
    SERVED_READS_BOTH, /* ... both */
    SERVED_BOTH,       /* changes the first, alone, and reads the second */
    SERVED_NONE,
    SERVED_LOOKS,        /* reads another window, whose lock is asked for as well, */
    SERVED_TAKES,        /* ... takes that lock, alone */
    SERVED_GIVES,        /* ... and gives it back */
    SERVED_EARLY,        /* changes the first, alone, in a phase */
    SERVED_LATE,         /* ... in the next one, the late one */
    SERVED_EARLY_SECOND, /* changes the second, alone, in the early phase */
    SERVED_ASKS,         /* asks for what was done in other phases than the late one */
    SERVED_ASKS_FIRST,   /* ... to the first */
    SERVED_TOUCHES
};
enum { SERVED_TAGS = 8 };

struct program {
    uint8_t ranks;
    uint8_t servers; /* so many ranks, the last, are not in communicator 1 */
    uint8_t group;   /* so many ranks, the first, are in communicator 1; 0: all, but for servers */
    uint8_t room;    /* each rank's attached buffer holds so many messages; 0: any number */
    uint8_t length[PROGRAM_RANKS];
    struct instruction instruction[PROGRAM_RANKS][PROGRAM_INSTRUCTIONS];
};

enum process_end { PROCESS_RUNS, PROCESS_EXITED, PROCESS_CRASHED, PROCESS_RAN_AWAY /* looped without blocking */ };

/* What a rank has of its own: memory and what it printed. */
struct process {
    uint8_t pc;
    uint8_t end; /* enum process_end */
    uint8_t outputs;
    uint8_t zero;
    int32_t reg[PROGRAM_REGISTERS];
    int32_t output[PROGRAM_OUTPUTS];
};

/* Runs local instructions until the process is at a communicating one, has reached its end or has crashed. */
void process_compute(const struct program *program, unsigned rank, struct process *process);
/* Ranks in a communicator: the first so many. */
unsigned program_members(const struct program *program, unsigned comm);
/* Stores into a register; NO_REGISTER is ignored. */
void process_store(struct process *process, uint8_t reg, int32_t value);
/* The value that an instruction sends or contributes: 0..65535. */
int32_t process_value(const struct process *process, const struct instruction *instruction);
bool program_has_member(const struct program *program, unsigned comm, unsigned rank);
/* The destination, source or root: a rank, PEER_ANY (receives and probes only) or PEER_NOBODY. */
int process_peer(const struct program *program, unsigned rank, const struct process *process,
                 const struct instruction *instruction);

/* What a collective makes of the members' values; `value` in member order, `members` of them. */
int32_t collective_sum(const int32_t *value, unsigned members);
int32_t collective_fold(const int32_t *value, unsigned members); /* gather, alltoall: depends on the order */
int32_t collective_part(const int32_t value, unsigned member);   /* scatter, alltoall: what the member is given */

/* Has `from` a block for `to` in a sparse all-to-all? */
bool sparse_has_block(unsigned from, unsigned to);

bool opcode_is_collective(enum opcode op); /* blocking or not */
bool opcode_is_nonblocking_collective(enum opcode op);
/* The blocking form of a collective. */
enum opcode opcode_blocking(enum opcode op);
bool collective_has_root(enum opcode op);
/* The communicator that a collective is on: `comm`, but for neighbourhood collectives. */
uint8_t collective_comm(const struct instruction *instruction);
bool collective_folds(enum opcode op); /* members' values count in order: gather, alltoall */
const char *opcode_name(enum opcode op);

void program_print(const struct program *program, FILE *out);
/* Reads what program_print wrote. Returns false and says on stderr which line is wrong. */
bool program_parse(struct program *program, FILE *in);
/* Removes one instruction, keeping what jumps skip. */
void program_delete(struct program *program, unsigned rank, unsigned index);

#endif
