/* One rank, the master, exchanges messages with the others, the workers, who all have the same instructions: so workers are
 * interchangeable from some state on, unless the master treats them differently (it sends to them in order, names them in receives,
 * or looks at who has sent), their numbers show in what is kept of them, or one of them was damaged. */
#include "tests/oracle/alike.h"

#include "heuristics/lot.h"

#include <string.h>

/* What registers are used for. */
enum { ACCUMULATOR, OWN, VALUE, SUM, SOURCE, COUNT, FLAG };
enum { TASK_TAG, RESULT_TAG };

struct making {
    uint64_t lot;
    struct program *program;
    unsigned master;
};

static unsigned below(struct making *making, unsigned limit) { return (unsigned)(lot_draw(&making->lot) % limit); }

static bool chance(struct making *making, unsigned percent) { return below(making, 100) < percent; }

static void append(struct making *making, unsigned rank, struct instruction instruction) {
    struct program *program = making->program;
    if (program->length[rank] < PROGRAM_INSTRUCTIONS)
        program->instruction[rank][program->length[rank]++] = instruction;
}

static void append_to_workers(struct making *making, struct instruction instruction) {
    for (unsigned rank = 0; rank < making->program->ranks; rank++)
        if (rank != making->master)
            append(making, rank, instruction);
}

static unsigned workers(const struct making *making) { return making->program->ranks - 1u; }

/* The worker of a number. */
static unsigned worker(const struct making *making, unsigned number) { return number + (number >= making->master); }

static uint8_t send_mode(struct making *making) { return chance(making, 75) ? MODE_STANDARD : MODE_SYNCHRONOUS; }

static void master_sends(struct making *making, int8_t peer, uint8_t value) {
    append(making, making->master,
           (struct instruction){.op = OP_SEND, .mode = send_mode(making), .peer = peer, .tag = TASK_TAG, .value = value});
}

/* What becomes of what was received: mostly what does not show in which order it came. */
static void master_keeps(struct making *making, uint8_t reg) {
    if (chance(making, 15))
        return;
    if (chance(making, 85))
        append(making, making->master, (struct instruction){.op = OP_ADD, .into = SUM, .value = reg});
    else
        append(making, making->master, (struct instruction){.op = OP_MIX, .into = ACCUMULATOR, .value = reg});
}

/* The master treats one of them otherwise. */
static void master_looks(struct making *making) {
    const int16_t who = (int16_t)worker(making, below(making, workers(making)));
    append(making, making->master, (struct instruction){.op = OP_SKIP_UNLESS, .value = SOURCE, .constant = who, .skip = 1});
    if (chance(making, 40))
        append(making, making->master, (struct instruction){.op = OP_CRASH_IF, .value = COUNT, .constant = 1});
    else
        append(making, making->master, (struct instruction){.op = OP_ADD, .into = SUM, .value = OWN});
    append(making, making->master, (struct instruction){.op = OP_ADD, .into = COUNT, .value = OWN});
}

static void master_receives(struct making *making, int8_t peer) {
    struct instruction receive = {
        .op = OP_RECV, .peer = peer, .tag = chance(making, 80) ? RESULT_TAG : TAG_ANY, .into = VALUE, .from = SOURCE};
    if (chance(making, 20)) {
        struct instruction probe = receive;
        probe.op = OP_PROBE;
        probe.into = NO_REGISTER;
        append(making, making->master, probe);
        receive.peer = PEER_REGISTER(SOURCE);
    } else if (chance(making, 20)) {
        receive.op = OP_IRECV;
        append(making, making->master, receive);
        if (chance(making, 40))
            append(making, making->master, (struct instruction){.op = OP_TEST, .slot = 0, .into = FLAG});
        receive = (struct instruction){.op = OP_WAIT, .slot = 0, .into = NO_REGISTER};
    }
    append(making, making->master, receive);
    master_keeps(making, VALUE);
    if (chance(making, 6))
        master_looks(making);
}

static void workers_send(struct making *making) {
    const struct instruction send = {
        .op = OP_SEND, .mode = send_mode(making), .peer = (int8_t)making->master, .tag = RESULT_TAG, .value = OWN};
    append_to_workers(making, send);
}

static void workers_receive(struct making *making) {
    append_to_workers(making, (struct instruction){.op = OP_RECV,
                                                   .peer = chance(making, 70) ? (int8_t)making->master : PEER_ANY,
                                                   .tag = TASK_TAG,
                                                   .into = VALUE,
                                                   .from = NO_REGISTER});
    if (chance(making, 50))
        append_to_workers(making, (struct instruction){.op = OP_ADD, .into = chance(making, 50) ? OWN : SUM, .value = VALUE});
}

/* From whom the master receives next: sometimes it names them in their order. */
static int8_t from_whom(struct making *making, bool in_order, unsigned number) {
    return in_order ? (int8_t)worker(making, number) : PEER_ANY;
}

static void all_report(struct making *making, unsigned times) {
    const bool in_order = chance(making, 12);
    for (unsigned i = 0; i < times; i++)
        workers_send(making);
    for (unsigned i = 0; i < times * workers(making); i++)
        master_receives(making, from_whom(making, in_order, i % workers(making)));
}

static void tell_all(struct making *making) {
    const uint8_t value = chance(making, 50) ? OWN : COUNT;
    const bool backwards = chance(making, 30);
    for (unsigned i = 0; i < workers(making); i++) {
        master_sends(making, (int8_t)worker(making, backwards ? workers(making) - 1 - i : i), value);
        if (chance(making, 40))
            append(making, making->master, (struct instruction){.op = OP_ADD, .into = COUNT, .value = OWN});
    }
}

/* The master waits for the first answer, or for that of one of them, before it has told all. */
static void all_are_told_and_answer(struct making *making) {
    const int8_t first = chance(making, 60) ? PEER_ANY : (int8_t)worker(making, below(making, workers(making)));
    workers_receive(making);
    workers_send(making);
    append(making, making->master,
           (struct instruction){.op = OP_IRECV, .peer = first, .tag = RESULT_TAG, .into = VALUE, .from = SOURCE, .slot = 2});
    tell_all(making);
    append(making, making->master, (struct instruction){.op = OP_WAIT, .slot = 2, .into = NO_REGISTER});
    master_keeps(making, VALUE);
    for (unsigned i = 1; i < workers(making); i++)
        master_receives(making, PEER_ANY);
}

static void all_are_told(struct making *making) {
    if (chance(making, 30)) {
        all_are_told_and_answer(making);
        return;
    }
    workers_receive(making);
    tell_all(making);
}

/* Everybody asks, and whoever asks is answered. */
static void all_ask(struct making *making) {
    workers_send(making);
    workers_receive(making);
    for (unsigned i = 0; i < workers(making); i++) {
        master_receives(making, PEER_ANY);
        master_sends(making, PEER_REGISTER(SOURCE), chance(making, 60) ? COUNT : OWN);
        if (chance(making, 60))
            append(making, making->master, (struct instruction){.op = OP_ADD, .into = COUNT, .value = OWN});
    }
}

static void all_meet(struct making *making) {
    static const uint8_t op[] = {OP_BARRIER, OP_BARRIER,  OP_BCAST,    OP_REDUCE, OP_ALLREDUCE, OP_GATHER,
                                 OP_SCATTER, OP_ALLTOALL, OP_IBARRIER, OP_SCAN,   OP_IALLREDUCE};
    struct instruction meet = {.op = op[below(making, sizeof op)], .value = OWN, .into = VALUE, .slot = 1};
    meet.peer = (int8_t)(chance(making, 90) ? making->master : below(making, making->program->ranks));
    append(making, making->master, meet);
    append_to_workers(making, meet);
    if (!opcode_is_nonblocking_collective(meet.op))
        return;
    const struct instruction wait = {.op = OP_WAIT, .slot = 1, .into = NO_REGISTER};
    append(making, making->master, wait);
    append_to_workers(making, wait);
}

static void event(struct making *making) {
    switch (below(making, 11)) {
    case 0:
    case 1:
    case 2: all_report(making, 1 + chance(making, 30)); break;
    case 3:
    case 4:
    case 5:
    case 6: all_ask(making); break;
    case 7:
    case 8: all_are_told(making); break;
    default: all_meet(making); break;
    }
}

/* Of one rank. */
static void damage(struct making *making) {
    struct program *program = making->program;
    const unsigned rank = below(making, program->ranks), length = program->length[rank];
    if (length < 2)
        return;
    const unsigned index = 1 + below(making, length - 1);
    struct instruction *at = &program->instruction[rank][index];
    switch (below(making, 4)) {
    case 0: *at = (struct instruction){.op = OP_SET, .into = FLAG}; return; /* the others stay where they are */
    case 1: at->tag = (int8_t)!at->tag; return;
    case 2: at->value = at->value == OWN ? SUM : OWN; return;
    default: at->mode = at->op == OP_SEND ? MODE_SYNCHRONOUS : at->mode; return;
    }
}

void generate_alike(struct program *program, uint64_t seed, unsigned smaller) {
    memset(program, 0, sizeof *program);
    struct making making = {.lot = seed * 0x2545f4914f6cdd1du + 7, .program = program};
    const bool show_numbers = chance(&making, 50), damaged = chance(&making, 25);
    program->ranks = (uint8_t)(3 + below(&making, smaller ? 2 : 3));
    making.master = chance(&making, 70) ? 0 : below(&making, program->ranks);
    for (unsigned rank = 0; rank < program->ranks; rank++)
        append(&making, rank,
               (struct instruction){.op = OP_SET, .into = OWN, .constant = (int16_t)(show_numbers ? 10 + rank : 1)});
    for (unsigned events = 1 + below(&making, smaller > 1 ? 2 : 3); events; events--)
        event(&making);
    append(&making, making.master, (struct instruction){.op = OP_PRINT, .value = SUM});
    append(&making, making.master, (struct instruction){.op = OP_PRINT, .value = ACCUMULATOR});
    append_to_workers(&making, (struct instruction){.op = OP_PRINT, .value = chance(&making, 50) ? OWN : FLAG});
    if (damaged)
        damage(&making);
}
