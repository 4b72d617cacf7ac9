#include "tests/oracle/generator.h"

#include "heuristics/lot.h"
#include "models/mpi/protocol.h"
#include "tests/oracle/alike.h"

#include <string.h>

/* What registers are used for. */
enum { ACCUMULATOR, OWN, VALUE, OTHER_VALUE, SUM, TAG, FLAG, SOURCE };

struct generator {
    uint64_t lot;
    const struct generator_options *options;
    struct program *program;
    uint8_t pending[PROGRAM_RANKS];              /* slots in use */
    uint8_t receiving[PROGRAM_RANKS];            /* ... by receives */
    uint8_t collective[PROGRAM_RANKS];           /* ... by collectives, whose requests are neither cancelled nor freed */
    unsigned receiver;                           /* the rank that received last */
    unsigned server;                             /* the one that is being written down, or asked */
    unsigned owed[PROGRAM_RANKS][PROGRAM_RANKS]; /* by client and server: so many answers were not awaited */
    uint8_t requests[PROGRAM_RANKS];             /* to each server */
    bool numbers;                                /* servers have two numbers */
    bool holds[PROGRAM_RANKS];                   /* the client has the server's lock */
};

static unsigned below(struct generator *generator, unsigned limit) { return (unsigned)(lot_draw(&generator->lot) % limit); }
static bool chance(struct generator *generator, unsigned percent) { return below(generator, 100) < percent; }

/* An index chosen by weight. */
static unsigned weighted(struct generator *generator, const uint8_t *weight, unsigned choices) {
    unsigned sum = 0, i = 0;
    for (unsigned k = 0; k < choices; k++)
        sum += weight[k];
    unsigned drawn = below(generator, sum);
    while (drawn >= weight[i])
        drawn -= weight[i++];
    return i;
}

enum { FEWEST_RANKS_FROM = 2 }; /* how often a program is made smaller before it has no more ranks than it needs */

/* So many of what has been drawn as the size wanted leaves, but at least one. */
static unsigned fewer(const struct generator *generator, unsigned drawn) {
    unsigned left = drawn >> generator->options->smaller;
    return left ? left : 1;
}

/* They are the first ranks. */
static unsigned clients(const struct generator *generator) { return generator->program->ranks - generator->program->servers; }

static void append(struct generator *generator, unsigned rank, struct instruction instruction) {
    struct program *program = generator->program;
    enum {
        USUAL_INSTRUCTIONS = 40
    }; /* longer programs are too large for brute force, but a server's that has a lock, or phases */
    const bool has_phases = generator->options->asks && rank >= clients(generator);
    const unsigned most = generator->options->locks || has_phases ? PROGRAM_INSTRUCTIONS : USUAL_INSTRUCTIONS;
    if (program->length[rank] < most)
        program->instruction[rank][program->length[rank]++] = instruction;
}

static void absorb(struct generator *generator, unsigned rank, uint8_t reg) {
    if (chance(generator, generator->options->apart ? 70 : 12)) /* the order of receipt does not show in a sum */
        append(generator, rank, (struct instruction){.op = OP_ADD, .into = SUM, .value = reg});
    else
        append(generator, rank, (struct instruction){.op = OP_MIX, .into = ACCUMULATOR, .value = reg});
}

static int free_slot(struct generator *generator, unsigned rank) {
    unsigned first = below(generator, PROGRAM_SLOTS);
    for (unsigned i = 0; i < PROGRAM_SLOTS; i++)
        if (!(generator->pending[rank] >> (first + i) % PROGRAM_SLOTS & 1))
            return (int)((first + i) % PROGRAM_SLOTS);
    return -1;
}

/* Does `polling`, whose result goes to a register, again and again as long as the result is `constant`. */
static void loop(struct generator *generator, unsigned rank, struct instruction polling, uint8_t reg, int16_t constant) {
    append(generator, rank, polling);
    append(generator, rank, (struct instruction){.op = OP_AGAIN_IF, .value = reg, .constant = constant, .skip = 1});
}

/* Tests the slot a few times, then waits. */
static void poll(struct generator *generator, unsigned rank, uint8_t slot) {
    if (generator->options->apart && !generator->options->loops) {
        append(generator, rank, (struct instruction){.op = OP_WAIT, .slot = slot, .into = NO_REGISTER});
        return;
    }
    if (generator->options->loops && chance(generator, 60)) {
        loop(generator, rank, (struct instruction){.op = OP_TEST, .slot = slot, .into = FLAG}, FLAG, 0);
        return;
    }
    if (chance(generator, 40))
        append(generator, rank, (struct instruction){.op = OP_TEST, .slot = slot, .into = FLAG});
    append(generator, rank, (struct instruction){.op = OP_TEST, .slot = slot, .into = FLAG});
    if (chance(generator, 30))
        append(generator, rank, (struct instruction){.op = OP_MIX, .into = ACCUMULATOR, .value = FLAG});
    append(generator, rank, (struct instruction){.op = OP_SKIP_IF, .value = FLAG, .constant = 1, .skip = 1});
    append(generator, rank, (struct instruction){.op = OP_WAIT, .slot = slot, .into = NO_REGISTER});
}

/* Returns whether it also waits for the request. */
static bool cancel(struct generator *generator, unsigned rank, uint8_t slot) {
    append(generator, rank, (struct instruction){.op = OP_CANCEL, .slot = slot});
    if (chance(generator, 30))
        return false;
    if (chance(generator, 80))
        append(generator, rank, (struct instruction){.op = OP_WAIT, .slot = slot, .into = FLAG});
    else
        append(generator, rank, (struct instruction){.op = OP_TEST, .slot = slot, .into = FLAG});
    if (chance(generator, 60))
        append(generator, rank, (struct instruction){.op = OP_MIX, .into = ACCUMULATOR, .value = FLAG});
    return true;
}

/* Completes one request, in one of many ways. */
static void finish_one(struct generator *generator, unsigned rank) {
    uint8_t slots = generator->pending[rank];
    if (!slots)
        return;
    unsigned drawn = below(generator, PROGRAM_SLOTS);
    while (!(slots >> drawn & 1))
        drawn = (drawn + 1) % PROGRAM_SLOTS;
    uint8_t slot = (uint8_t)drawn;
    bool collective = generator->collective[rank] >> slot & 1;
    bool receives = collective || generator->receiving[rank] >> slot & 1;
    if (!collective && generator->options->cancels && chance(generator, 15)) {
        if (!cancel(generator, rank, slot))
            return;
    } else if (!collective && chance(generator, receives ? 2 : 10)) {
        append(generator, rank, (struct instruction){.op = OP_FREE, .slot = slot});
    } else if (chance(generator, 20)) {
        poll(generator, rank, slot);
    } else {
        append(generator, rank, (struct instruction){.op = OP_WAIT, .slot = slot, .into = NO_REGISTER});
    }
    generator->pending[rank] &= (uint8_t) ~(1u << slot);
    if (receives && chance(generator, 70))
        absorb(generator, rank, VALUE + (slot & 1));
}

/* Completes all requests: the last instruction waits for whatever the ones before left. */
static void finish_all(struct generator *generator, unsigned rank) {
    uint8_t slots = generator->pending[rank];
    if (!slots)
        return;
    static const uint8_t weight[] = {30, 25, 20, 8, 10, 10};
    static const uint8_t op[] = {OP_WAITALL, OP_WAITANY, OP_WAITSOME, OP_TESTALL, OP_TESTANY, OP_TESTSOME};
    bool polls = !generator->options->apart || generator->options->loops;
    uint8_t chosen = op[weighted(generator, weight, polls ? 6 : 3)];
    if (generator->options->loops && chosen >= OP_TESTALL && chance(generator, 60))
        loop(generator, rank, (struct instruction){.op = chosen, .slots = slots, .into = FLAG}, FLAG,
             chosen == OP_TESTANY ? RESULT_NOT_YET : 0);
    else if (chosen != OP_WAITALL)
        append(generator, rank, (struct instruction){.op = chosen, .slots = slots, .into = FLAG});
    if (chosen != OP_WAITALL && chance(generator, 60))
        append(generator, rank, (struct instruction){.op = OP_MIX, .into = ACCUMULATOR, .value = FLAG});
    append(generator, rank, (struct instruction){.op = OP_WAITALL, .slots = slots});
    generator->pending[rank] = 0;
    for (uint8_t reg = VALUE; reg <= OTHER_VALUE; reg++)
        if ((generator->receiving[rank] | generator->collective[rank]) && chance(generator, 60))
            absorb(generator, rank, reg);
}

/* A request of a send, a receive (`receives`) or a collective. */
static void occupy(struct generator *generator, unsigned rank, int slot, bool receives, bool collective) {
    uint8_t bit = (uint8_t)(1u << slot);
    generator->pending[rank] |= bit;
    generator->receiving[rank] &= (uint8_t)~bit;
    generator->collective[rank] &= (uint8_t)~bit;
    if (receives)
        generator->receiving[rank] |= bit;
    if (collective)
        generator->collective[rank] |= bit;
}

static void send_as(struct generator *generator, unsigned from, struct instruction send, bool blocks) {
    int slot = free_slot(generator, from);
    send.op = OP_SEND;
    send.value = chance(generator, 70) ? OWN : ACCUMULATOR;
    if (!blocks && slot >= 0) {
        send.op = OP_ISEND;
        send.slot = (uint8_t)slot;
        occupy(generator, from, slot, false, false);
    }
    append(generator, from, send);
}

static void send(struct generator *generator, unsigned from, unsigned to, int8_t tag, uint8_t comm) {
    static const uint8_t weight[] = {40, 12, 8, 28, 7, 3};
    unsigned style = weighted(generator, weight, 6);
    send_as(generator, from, (struct instruction){.mode = (uint8_t)(style % 3), .peer = (int8_t)to, .tag = tag, .comm = comm},
            style < 3);
}

/* Probes before it receives what was found. */
static void probe_and_receive(struct generator *generator, unsigned to, struct instruction filter) {
    bool claims = chance(generator, 45);
    filter.from = SOURCE;
    filter.into = chance(generator, 30) ? TAG : NO_REGISTER;
    filter.slot = (uint8_t)below(generator, PROGRAM_MESSAGES);
    int later = claims && generator->options->groups && chance(generator, 40) ? free_slot(generator, to) : -1;
    if (later >= 0)
        filter.slot = (uint8_t)(later % PROGRAM_MESSAGES);
    bool loops = generator->options->loops && chance(generator, 40);
    filter.op = claims ? OP_IMPROBE : OP_IPROBE;
    if (loops)
        loop(generator, to, filter, SOURCE, RESULT_NOT_YET);
    for (unsigned tries = !loops && !generator->options->apart && chance(generator, 45) ? 1 + below(generator, 2) : 0; tries;
         tries--) {
        append(generator, to, filter);
        append(generator, to,
               (struct instruction){.op = OP_SKIP_UNLESS, .value = SOURCE, .constant = RESULT_NOT_YET, .skip = 1});
    }
    filter.op = claims ? OP_MPROBE : OP_PROBE;
    if (!loops)
        append(generator, to, filter);
    if (chance(generator, 30))
        append(generator, to, (struct instruction){.op = OP_MIX, .into = ACCUMULATOR, .value = SOURCE});
    if (later >= 0) {
        append(generator, to,
               (struct instruction){.op = OP_IMRECV, .slot = (uint8_t)later, .into = VALUE + (later & 1), .from = NO_REGISTER});
        occupy(generator, to, later, true, false);
        return;
    }
    if (claims) {
        append(generator, to, (struct instruction){.op = OP_MRECV, .slot = filter.slot, .into = VALUE, .from = NO_REGISTER});
        return;
    }
    append(generator, to,
           (struct instruction){.op = OP_RECV,
                                .peer = PEER_REGISTER(SOURCE),
                                .tag = filter.tag,
                                .comm = filter.comm,
                                .into = VALUE,
                                .from = NO_REGISTER});
}

static void receive(struct generator *generator, unsigned to, int8_t from, int8_t tag, uint8_t comm) {
    struct instruction instruction = {.peer = from, .tag = chance(generator, 15) ? TAG_ANY : tag, .comm = comm};
    int slot = free_slot(generator, to);
    static const uint8_t weight[] = {52, 30, 18};
    generator->receiver = to;
    unsigned style = weighted(generator, weight, 3);
    if (style == 2) {
        probe_and_receive(generator, to, instruction);
    } else if (style == 1 && slot >= 0) {
        instruction.op = OP_IRECV;
        instruction.slot = (uint8_t)slot;
        instruction.into = VALUE + (slot & 1);
        instruction.from = chance(generator, 15) ? SOURCE : NO_REGISTER;
        append(generator, to, instruction);
        occupy(generator, to, slot, true, false);
        return;
    } else {
        instruction.op = OP_RECV;
        instruction.into = VALUE;
        instruction.from = chance(generator, 25) ? SOURCE : NO_REGISTER;
        append(generator, to, instruction);
    }
    absorb(generator, to, VALUE);
}

static int8_t named_or_any(struct generator *generator, unsigned rank) {
    return chance(generator, 45) ? PEER_ANY : (int8_t)rank;
}

static int8_t draw_tag(struct generator *generator) { return chance(generator, 75) ? 0 : 1; }
static uint8_t draw_comm(struct generator *generator) {
    return chance(generator, generator->options->groups ? 40 : 92) ? 0 : 1;
}

/* One that both are in. */
static uint8_t draw_comm_of(struct generator *generator, unsigned one, unsigned other) {
    uint8_t comm = draw_comm(generator);
    bool both = program_has_member(generator->program, comm, one) && program_has_member(generator->program, comm, other);
    return both ? comm : 0;
}

static void event_message(struct generator *generator) {
    unsigned ranks = generator->program->ranks, from = below(generator, ranks), to = below(generator, ranks);
    if (from == to && chance(generator, 80))
        to = (from + 1) % ranks;
    int8_t tag = draw_tag(generator);
    uint8_t comm = draw_comm_of(generator, from, to);
    send(generator, from, to, tag, comm);
    receive(generator, to, named_or_any(generator, from), tag, comm);
}

/* Everybody sends to one. */
static void event_fan_in(struct generator *generator) {
    unsigned ranks = generator->program->ranks, to = below(generator, ranks);
    int8_t tag = draw_tag(generator);
    bool any = chance(generator, 85);
    for (unsigned i = 1; i < ranks; i++) {
        unsigned from = (to + i) % ranks;
        send(generator, from, to, tag, 0);
        receive(generator, to, any ? PEER_ANY : (int8_t)from, tag, 0);
    }
}

/* Two ranks send to each other before they receive. */
static void event_exchange(struct generator *generator) {
    unsigned ranks = generator->program->ranks, one = below(generator, ranks);
    unsigned two = (one + 1 + below(generator, ranks - 1)) % ranks;
    int8_t tag = draw_tag(generator);
    send(generator, one, two, tag, 0);
    send(generator, two, one, tag, 0);
    receive(generator, one, named_or_any(generator, two), tag, 0);
    receive(generator, two, named_or_any(generator, one), tag, 0);
}

/* One receives from anyone and answers whoever it was. */
static void event_reply(struct generator *generator) {
    unsigned ranks = generator->program->ranks, server = below(generator, ranks);
    unsigned client = (server + 1 + below(generator, ranks - 1)) % ranks;
    send(generator, client, server, 0, 0);
    append(generator, server, (struct instruction){.op = OP_RECV, .peer = PEER_ANY, .tag = 0, .into = VALUE, .from = SOURCE});
    append(generator, server,
           (struct instruction){.op = OP_SEND,
                                .mode = (uint8_t)below(generator, 3),
                                .peer = PEER_REGISTER(SOURCE),
                                .tag = 1,
                                .value = ACCUMULATOR});
    receive(generator, client, (int8_t)server, 1, 0);
}

static bool all_have_a_slot(struct generator *generator, unsigned ranks) {
    for (unsigned rank = 0; rank < ranks; rank++)
        if (free_slot(generator, rank) < 0)
            return false;
    return true;
}

static void begin_collective(struct generator *generator, unsigned rank, struct instruction instruction) {
    int slot = free_slot(generator, rank);
    instruction.op = (uint8_t)(instruction.op - OP_BARRIER + OP_IBARRIER);
    instruction.slot = (uint8_t)slot;
    instruction.into = (uint8_t)(VALUE + (slot & 1));
    append(generator, rank, instruction);
    occupy(generator, rank, slot, false, true);
}

/* One takes messages from anyone, of which some are sent before a collective and some after it, and some receives may be open
 * across it. Another one may have to take a message before it enters. */
static void event_phase(struct generator *generator) {
    static const uint8_t weight[] = {4, 1, 1, 1, 1, 1, 1};
    unsigned ranks = generator->program->ranks, to = below(generator, ranks);
    unsigned early = (to + 1 + below(generator, ranks - 1)) % ranks, late = (to + 1 + below(generator, ranks - 1)) % ranks;
    struct instruction collective = {
        .op = (uint8_t)(OP_BARRIER + weighted(generator, weight, 7)), .value = OWN, .into = OTHER_VALUE};
    struct instruction receive = {.op = OP_RECV, .peer = PEER_ANY, .into = VALUE, .from = NO_REGISTER};
    int slot = chance(generator, 50) ? free_slot(generator, to) : -1;
    bool group = generator->options->groups && chance(generator, 60);
    unsigned members = program_members(generator->program, group);
    collective.comm = group;
    if (collective_has_root(collective.op))
        collective.peer = (int8_t)below(generator, members);
    if (slot >= 0) {
        append(
            generator, to,
            (struct instruction){.op = OP_IRECV, .peer = PEER_ANY, .slot = (uint8_t)slot, .into = VALUE, .from = NO_REGISTER});
        occupy(generator, to, slot, true, false);
    }
    send(generator, early, to, 0, 0);
    if (slot < 0)
        append(generator, to, receive);
    if (chance(generator, 60)) {
        send(generator, to, early, 0, 0);
        receive.peer = generator->options->groups ? named_or_any(generator, to) : PEER_ANY;
        append(generator, early, receive);
        receive.peer = PEER_ANY;
    }
    for (unsigned rank = 0; rank < members; rank++)
        append(generator, rank, collective);
    send(generator, late, to, 0, 0);
    if (chance(generator, 80))
        append(generator, to, receive);
    absorb(generator, to, VALUE);
    if (chance(generator, 10))
        append(generator, to, (struct instruction){.op = OP_CRASH_IF, .value = VALUE, .constant = (int16_t)(10 + late)});
}

static void event_collective(struct generator *generator) {
    static const uint8_t weight[] = {25, 15, 15, 10, 8, 6, 6, 10, 5, 10, 10};
    struct instruction instruction = {.op = (uint8_t)(OP_BARRIER + weighted(generator, weight, 11)),
                                      .comm = draw_comm(generator)};
    instruction.value = chance(generator, 50) ? OWN : ACCUMULATOR;
    instruction.into = OTHER_VALUE;
    unsigned members = program_members(generator->program, collective_comm(&instruction));
    if (collective_has_root(instruction.op))
        instruction.peer = (int8_t)below(generator, members);
    bool nonblocking = chance(generator, 50) && all_have_a_slot(generator, members);
    for (unsigned rank = 0; rank < members; rank++) {
        if (nonblocking) {
            begin_collective(generator, rank, instruction);
            continue;
        }
        append(generator, rank, instruction);
        if (instruction.op != OP_BARRIER && chance(generator, 50))
            absorb(generator, rank, OTHER_VALUE);
    }
}

/* Something that depends on what was received. */
static void event_condition(struct generator *generator) {
    unsigned ranks = generator->program->ranks, rank = generator->receiver;
    int16_t constant = (int16_t)(10 + below(generator, ranks)); /* some rank's OWN */
    if (chance(generator, 50)) {
        append(generator, rank, (struct instruction){.op = OP_CRASH_IF, .value = VALUE, .constant = constant});
        return;
    }
    append(generator, rank, (struct instruction){.op = OP_SKIP_IF, .value = VALUE, .constant = constant, .skip = 1});
    send(generator, rank, (rank + 1) % ranks, 0, 0);
    if (chance(generator, 50))
        receive(generator, (rank + 1) % ranks, PEER_ANY, 0, 0);
}

/* A blocking receive of a message with tag 0, or a matched one. */
static void take(struct generator *generator, unsigned to, unsigned from) {
    bool claims = chance(generator, 40);
    int8_t tag = chance(generator, 50) ? TAG_ANY : 0;
    append(generator, to,
           (struct instruction){.op = claims ? OP_MPROBE : OP_RECV,
                                .peer = named_or_any(generator, from),
                                .tag = tag,
                                .into = claims ? NO_REGISTER : VALUE,
                                .from = NO_REGISTER});
    if (claims)
        append(generator, to, (struct instruction){.op = OP_MRECV, .into = VALUE, .from = NO_REGISTER});
}

/* Several ranks crash when they have received: which of them first hides nothing. */
static void event_crashes(struct generator *generator) {
    unsigned ranks = generator->program->ranks, first = below(generator, ranks);
    for (unsigned i = 0; i < 2; i++) {
        unsigned to = (first + i) % ranks, from = (to + (ranks > 3 ? 2 : 1)) % ranks;
        append(generator, from,
               (struct instruction){.op = OP_ISEND, .peer = (int8_t)to, .value = OWN, .slot = PROGRAM_SLOTS - 1});
        append(generator, to, (struct instruction){.op = OP_RECV, .peer = PEER_ANY, .into = VALUE, .from = NO_REGISTER});
        append(generator, to, (struct instruction){.op = OP_CRASH_IF, .value = VALUE, .constant = (int16_t)(10 + from)});
    }
}

/* A rank has several requests open, hears of some of them, and then waits for the rest. Which of its messages are received, if they
 * are, decides what it can hear. */
static void event_some(struct generator *generator) {
    static const uint8_t heard[] = {OP_WAITANY, OP_WAITSOME, OP_TESTANY, OP_TESTSOME};
    unsigned ranks = generator->program->ranks, rank = below(generator, ranks);
    uint8_t requests = chance(generator, 25) ? 3 : 2;
    finish_all(generator, rank);
    for (uint8_t slot = 0; slot < requests; slot++) {
        unsigned other = (rank + 1 + below(generator, ranks - 1)) % ranks;
        bool receives = chance(generator, 40);
        append(generator, rank,
               (struct instruction){.op = receives ? OP_IRECV : OP_ISEND,
                                    .mode = (uint8_t)below(generator, 2),
                                    .peer = receives ? named_or_any(generator, other) : (int8_t)other,
                                    .value = OWN,
                                    .into = VALUE + (slot & 1),
                                    .from = NO_REGISTER,
                                    .slot = slot});
        occupy(generator, rank, slot, receives, false);
        if (receives)
            send(generator, other, rank, 0, 0);
        else if (chance(generator, 60))
            take(generator, other, rank);
    }
    append(generator, rank,
           (struct instruction){.op = heard[below(generator, generator->options->apart ? 2 : 4)],
                                .slots = (uint8_t)((1 << requests) - 1),
                                .into = FLAG});
    append(generator, rank, (struct instruction){.op = OP_MIX, .into = ACCUMULATOR, .value = FLAG});
}

/* All take part in one that may, or may not, let `from` go before `to` has come. */
static void hurry_by_collective(struct generator *generator, unsigned from, unsigned to) {
    static const uint8_t op[] = {OP_BARRIER, OP_BARRIER, OP_BCAST, OP_REDUCE, OP_SCAN, OP_ALLREDUCE};
    const struct instruction instruction = {
        .op = op[below(generator, 6)], .peer = (int8_t)(chance(generator, 70) ? to : from), .value = OWN, .into = OTHER_VALUE};
    for (unsigned rank = 0; rank < generator->program->ranks; rank++)
        append(generator, rank, instruction);
}

static void post(struct generator *generator, unsigned from, unsigned to, int8_t tag) {
    int slot = free_slot(generator, to);
    if (slot < 0)
        return;
    append(generator, to,
           (struct instruction){.op = OP_IRECV,
                                .peer = named_or_any(generator, from),
                                .tag = chance(generator, 15) ? TAG_ANY : tag,
                                .slot = (uint8_t)slot,
                                .into = (uint8_t)(VALUE + (slot & 1)),
                                .from = NO_REGISTER});
    occupy(generator, to, slot, true, false);
}

/* Cancels a receive that has been posted, and may post another one. */
static void withdraw(struct generator *generator, unsigned from, unsigned to, int8_t tag) {
    uint8_t receiving = generator->pending[to] & generator->receiving[to];
    if (!receiving)
        return;
    append(generator, to, (struct instruction){.op = OP_CANCEL, .slot = (uint8_t)__builtin_ctz(receiving)});
    if (chance(generator, 40))
        post(generator, from, to, tag);
}

/* `from` says something to another one that then sends to `to` as well, and may come first. */
static void tell_rival(struct generator *generator, unsigned from, unsigned to, int8_t tag) {
    unsigned ranks = generator->program->ranks, rival = (to + 1 + below(generator, ranks - 1)) % ranks;
    if (rival == from)
        return;
    send(generator, from, rival, tag, 0);
    receive(generator, rival, (int8_t)from, tag, 0);
    send(generator, rival, to, tag, 0);
}

/* `to` posts a receive, something tells `from`, or not, and that makes a ready send. */
static void event_hurry(struct generator *generator) {
    static const uint8_t weight[] = {35, 30, 20, 10, 5};
    unsigned ranks = generator->program->ranks, from = below(generator, ranks),
             to = (from + 1 + below(generator, ranks - 1)) % ranks;
    unsigned how = weighted(generator, weight, 5), other = below(generator, ranks), posts = chance(generator, 85) ? 1 : 2;
    int8_t tag = draw_tag(generator), news = draw_tag(generator);
    if (how == 3)
        send(generator, to, from, news, 0);
    for (unsigned i = 0; i < posts; i++)
        post(generator, from, to, tag);
    if (how == 1)
        send(generator, to, from, news, 0);
    if (how == 2) {
        send(generator, to, other, news, 0);
        receive(generator, other, named_or_any(generator, to), news, 0);
        send(generator, other, from, news, 0);
    }
    if (how == 1 || how == 3)
        receive(generator, from, named_or_any(generator, to), news, 0);
    if (how == 2)
        receive(generator, from, named_or_any(generator, other), news, 0);
    if (how == 0)
        hurry_by_collective(generator, from, to);
    if (generator->options->cancels && chance(generator, 40))
        withdraw(generator, from, to, tag);
    if (chance(generator, 25))
        tell_rival(generator, from, to, tag);
    for (unsigned i = 0; i < posts; i++)
        send_as(generator, from, (struct instruction){.mode = MODE_READY, .peer = (int8_t)to, .tag = tag},
                chance(generator, 50));
}

/* `from` makes buffered sends to `to`, and may hear in between of something that comes before or after that has received the
 * first. */
static void event_room(struct generator *generator) {
    unsigned ranks = generator->program->ranks, from = below(generator, ranks),
             to = (from + 1 + below(generator, ranks - 1)) % ranks;
    int8_t tag = draw_tag(generator), news = draw_tag(generator);
    const struct instruction buffered = {.mode = MODE_BUFFERED, .peer = (int8_t)to, .tag = tag};
    bool heard = chance(generator, 75), early = chance(generator, 40);
    for (unsigned sends = 1 + below(generator, 2); sends; sends--) {
        send_as(generator, from, buffered, chance(generator, 80));
        if (heard && early)
            send(generator, to, from, news, 0);
        receive(generator, to, named_or_any(generator, from), tag, 0);
        if (heard && !early)
            send(generator, to, from, news, 0);
        if (heard)
            receive(generator, from, named_or_any(generator, to), news, 0);
    }
    send_as(generator, from, buffered, true);
    receive(generator, to, named_or_any(generator, from), tag, 0);
}

static void event(struct generator *generator) {
    if (generator->program->room && chance(generator, 40)) {
        event_room(generator);
        return;
    }
    if (generator->options->hurry && chance(generator, 45)) {
        event_hurry(generator);
        return;
    }
    if (generator->options->phases && chance(generator, 60)) {
        event_phase(generator);
        return;
    }
    static void (*const kind[])(struct generator *) = {event_message,    event_fan_in,    event_exchange, event_reply,
                                                       event_collective, event_condition, event_some,     event_crashes};
    static const uint8_t weight[] = {40, 14, 10, 7, 20, 15, 14, 1};
    kind[weighted(generator, weight, 8)](generator);
    for (unsigned rank = 0; rank < generator->program->ranks; rank++) {
        if (chance(generator, 25))
            finish_one(generator, rank);
        if (chance(generator, 8))
            finish_all(generator, rank);
        if (generator->options->groups && chance(generator, 8))
            append(generator, rank, (struct instruction){.op = OP_DETACH});
    }
}

static void damage(struct generator *generator) {
    struct program *program = generator->program;
    unsigned rank = below(generator, program->ranks), length = program->length[rank];
    if (length < 3)
        return;
    unsigned index = 1 + below(generator, length - 2);
    for (unsigned tries = 0; tries < 3 && !opcode_is_collective(program->instruction[rank][index].op); tries++)
        index = 1 + below(generator, length - 2);
    struct instruction *at = &program->instruction[rank][index], kept = *at;
    if (at->op == OP_AGAIN_IF || at[1].op == OP_AGAIN_IF || at[-1].op == OP_AGAIN_IF)
        return; /* most such loops would not even poll */
    static const uint8_t weight[] = {30, 35, 15, 10, 10};
    switch (weighted(generator, weight, 5)) {
    case 0: program_delete(program, rank, index); return;
    case 1:
        *at = at[1];
        at[1] = kept;
        return;
    case 2: at->tag = (int8_t)!at->tag; return;
    case 3:
        if (at->op == OP_RECV || at->op == OP_IRECV)
            at->peer = PEER_ANY;
        return;
    default:
        if (at->peer >= 0)
            at->peer = (int8_t)((at->peer + 1) % program->ranks);
    }
}

/* --- chains of messages: what a rank sends depends on what came before it ------------------------------------------------- */

struct owed {
    unsigned messages; /* sent to the rank and not received in its program yet */
    int8_t tag;        /* of the last */
};

static void receive_owed(struct generator *generator, unsigned rank, struct owed *owed) {
    struct instruction receive = {.op = OP_RECV,
                                  .peer = PEER_ANY,
                                  .tag = chance(generator, 85) ? TAG_ANY : owed->tag,
                                  .into = VALUE,
                                  .from = NO_REGISTER};
    if (chance(generator, 15)) {
        struct instruction probe = receive;
        probe.op = OP_PROBE;
        probe.into = NO_REGISTER;
        probe.from = SOURCE;
        append(generator, rank, probe);
        receive.peer = PEER_REGISTER(SOURCE);
    }
    append(generator, rank, receive);
    append(generator, rank,
           (struct instruction){.op = chance(generator, 88) ? OP_ADD : OP_MIX,
                                .into = chance(generator, 50) ? SUM : ACCUMULATOR,
                                .value = VALUE});
    owed->messages--;
    if (chance(generator, 8))
        append(generator, rank, (struct instruction){.op = OP_CRASH_IF, .value = VALUE, .constant = (int16_t)(10 + rank)});
}

static void event_chain(struct generator *generator, struct owed *owed) {
    static const uint8_t value[] = {OWN, SUM, ACCUMULATOR, OTHER_VALUE};
    static const uint8_t weight[] = {70, 8, 4, 18};
    unsigned ranks = generator->program->ranks, from = below(generator, ranks);
    unsigned to = (from + 1 + below(generator, ranks - 1)) % ranks;
    while (owed[from].messages && chance(generator, 55))
        receive_owed(generator, from, &owed[from]);
    if (chance(generator, 8))
        append(generator, from, (struct instruction){.op = OP_SKIP_IF, .value = VALUE, .constant = 10, .skip = 1});
    owed[to].tag = chance(generator, 85) ? 0 : 1;
    append(generator, from,
           (struct instruction){.op = OP_SEND,
                                .mode = chance(generator, 65) ? MODE_BUFFERED : MODE_STANDARD,
                                .peer = (int8_t)to,
                                .tag = owed[to].tag,
                                .value = value[weighted(generator, weight, 4)]});
    owed[to].messages++;
    if (chance(generator, 8))
        event_collective(generator);
}

static void generate_chains(struct generator *generator) {
    struct owed owed[PROGRAM_RANKS] = {{0}};
    unsigned ranks = generator->program->ranks;
    for (unsigned events = fewer(generator, 3 + below(generator, 6)); events; events--)
        event_chain(generator, owed);
    for (unsigned rank = 0; rank < ranks; rank++)
        while (owed[rank].messages)
            receive_owed(generator, rank, &owed[rank]);
}

/* --- a server, which does what agents do, and its clients ----------------------------------------------------------------- */

enum { TO_CHANGE = 0, TO_READ = WIRE_READS, REPLY = 1, MESSAGE = 2 }; /* tags */
enum { READ = 0, STOP = 1 }; /* values of requests; others change what the server has */

static struct instruction set(uint8_t into, int16_t constant) {
    return (struct instruction){.op = OP_SET, .into = into, .constant = constant};
}

static struct instruction listen(uint8_t mode) {
    return (struct instruction){.op = OP_RECV, .mode = mode, .peer = PEER_ANY, .tag = TAG_ANY, .into = VALUE, .from = SOURCE};
}

static void jump_to(struct generator *generator, unsigned target) {
    unsigned rank = generator->server;
    append(generator, rank,
           (struct instruction){
               .op = OP_AGAIN_IF, .value = FLAG, .constant = 0, .skip = (uint8_t)(generator->program->length[rank] - target)});
}

/* Those serve a certain number of requests, so that the programs are not too large. */
static bool has_several_servers(const struct generator *generator) { return generator->program->servers > 1; }

static void answer(struct generator *generator, uint8_t value) {
    append(generator, generator->server,
           (struct instruction){
               .op = OP_SEND, .mode = MODE_BUFFERED, .peer = PEER_REGISTER(SOURCE), .tag = REPLY, .value = value});
}

/* Serves until one client has no more requests. Calm: those that read leave no trace, and if it stays calm, that a client
 * stops leaves none but in how many are left. */
static void serve_until_stop(struct generator *generator, bool calm) {
    unsigned rank = generator->server;
    append(generator, rank, listen(calm ? MODE_CALM : 0));
    append(generator, rank, (struct instruction){.op = OP_SKIP_IF, .value = VALUE, .constant = STOP, .skip = 4});
    append(generator, rank, (struct instruction){.op = OP_SKIP_IF, .value = VALUE, .constant = calm ? READ : STOP, .skip = 1});
    append(generator, rank, (struct instruction){.op = OP_MIX, .into = ACCUMULATOR, .value = VALUE});
    answer(generator, ACCUMULATOR);
    append(generator, rank, (struct instruction){.op = OP_AGAIN_IF, .value = FLAG, .constant = 0, .skip = 5});
}

/* The same for a server that has two numbers, until all clients have no more requests, or there have been all. What it is asked for is one of
 * enum served_touch, READ of everything, or another change of the first. */
enum { FIRST = OTHER_VALUE, SECOND = SUM, ANSWER = TAG, STOPPED = OWN }; /* its registers */
enum { OTHER_CHANGE = SERVED_TOUCHES };
enum { EARLIER = 8, EARLIER_SECOND }; /* if it is asked for that: what was done to each in the early phase */

static void answer_if(struct generator *generator, int16_t asked, const struct instruction *does, uint8_t count) {
    unsigned rank = generator->server;
    append(generator, rank, (struct instruction){.op = OP_SKIP_UNLESS, .value = VALUE, .constant = asked, .skip = count});
    for (uint8_t i = 0; i < count; i++)
        append(generator, rank, does[i]);
}

#define ANSWER_IF(asked, ...)                                              \
    answer_if(generator, asked, (const struct instruction[]){__VA_ARGS__}, \
              sizeof((const struct instruction[]){__VA_ARGS__}) / sizeof(struct instruction))

static struct instruction mix(uint8_t into, uint8_t value) {
    return (struct instruction){.op = OP_MIX, .into = into, .value = value};
}

static struct instruction add(uint8_t into, uint8_t value) {
    return (struct instruction){.op = OP_ADD, .into = into, .value = value};
}

static void serve_numbers(struct generator *generator, bool calm) {
    const bool counts = has_several_servers(generator);
    unsigned rank = generator->server, begin;
    if (counts && generator->requests[rank] == 0)
        return;
    append(generator, rank, set(STOPPED, 0));
    begin = generator->program->length[rank];
    append(generator, rank, listen(calm ? MODE_CALM : 0));
    append(generator, rank, set(ANSWER, 0));
    ANSWER_IF(SERVED_FIRST, mix(FIRST, SOURCE), add(ANSWER, FIRST));
    ANSWER_IF(SERVED_SECOND, mix(SECOND, SOURCE), add(ANSWER, SECOND));
    ANSWER_IF(SERVED_ADDS, add(FIRST, SOURCE));
    ANSWER_IF(SERVED_READS, add(ANSWER, FIRST));
    ANSWER_IF(SERVED_READS_BOTH, add(ANSWER, FIRST), mix(ANSWER, SECOND));
    ANSWER_IF(SERVED_BOTH, mix(FIRST, SECOND), add(ANSWER, FIRST));
    ANSWER_IF(OTHER_CHANGE, mix(FIRST, SOURCE));
    if (generator->options->asks) {
        ANSWER_IF(SERVED_EARLY, mix(FIRST, SOURCE), mix(EARLIER, SOURCE), add(ANSWER, FIRST));
        ANSWER_IF(SERVED_LATE, mix(FIRST, SOURCE), add(ANSWER, FIRST));
        ANSWER_IF(SERVED_EARLY_SECOND, mix(SECOND, SOURCE), mix(EARLIER_SECOND, SOURCE), add(ANSWER, SECOND));
        ANSWER_IF(SERVED_ASKS, add(ANSWER, EARLIER), mix(ANSWER, EARLIER_SECOND), set(EARLIER, 0), set(EARLIER_SECOND, 0));
        ANSWER_IF(SERVED_ASKS_FIRST, add(ANSWER, EARLIER), set(EARLIER, 0));
    }
    answer(generator, ANSWER);
    append(generator, rank, (struct instruction){.op = OP_SET, .into = SOURCE, .constant = 1});
    if (counts)
        append(generator, rank, add(STOPPED, SOURCE));
    else
        ANSWER_IF(SERVED_NONE, add(STOPPED, SOURCE));
    const int16_t all = (int16_t)(counts ? generator->requests[rank] : clients(generator));
    append(generator, rank, (struct instruction){.op = OP_SKIP_IF, .value = STOPPED, .constant = all, .skip = 1});
    jump_to(generator, begin);
    append(generator, rank, (struct instruction){.op = OP_PRINT, .value = FIRST});
}

static void meet(struct generator *generator, unsigned client) {
    append(generator, client, (struct instruction){.op = OP_BARRIER, .comm = 1});
}

static void request(struct generator *generator, unsigned client, int8_t tag, uint8_t value) {
    append(generator, client,
           (struct instruction){
               .op = OP_SEND, .mode = MODE_BUFFERED, .peer = (int8_t)generator->server, .tag = tag, .value = value});
    generator->requests[generator->server]++;
}

static void await_reply(struct generator *generator, unsigned client) {
    append(generator, client,
           (struct instruction){
               .op = OP_RECV, .peer = (int8_t)generator->server, .tag = REPLY, .into = VALUE, .from = NO_REGISTER});
    if (chance(generator, 60))
        absorb(generator, client, VALUE);
    if (chance(generator, 6))
        append(generator, client,
               (struct instruction){.op = OP_CRASH_IF,
                                    .value = VALUE,
                                    .constant = (int16_t)((generator->options->locks || generator->options->asks ||
                                                                   has_several_servers(generator)
                                                               ? 5
                                                               : 15) +
                                                          below(generator, clients(generator)))});
}

/* Another client waits for a message, which may depend on what this one has been told. */
static void tell_other(struct generator *generator, unsigned client, unsigned other) {
    if (chance(generator, 25))
        append(generator, client, (struct instruction){.op = OP_SKIP_IF, .value = VALUE, .constant = 0, .skip = 1});
    append(generator, client,
           (struct instruction){.op = OP_SEND, .mode = MODE_BUFFERED, .peer = (int8_t)other, .tag = MESSAGE, .value = OWN});
    append(
        generator, other,
        (struct instruction){
            .op = OP_RECV, .peer = named_or_any(generator, client), .tag = MESSAGE, .into = OTHER_VALUE, .from = NO_REGISTER});
}

/* Asks a server that has two numbers: what it is asked for goes with the request. */
static void request_number(struct generator *generator, unsigned client, uint8_t asked) {
    append(generator, client, (struct instruction){.op = OP_SET, .into = SOURCE, .constant = asked});
    request(generator, client, (int8_t)(asked == OTHER_CHANGE ? TO_CHANGE : asked * SERVED_TAGS), SOURCE);
}

/* Of an agent only its window's owner asks what others do: it is told once, so that two who asked would not commute. */
static bool is_owner(const struct generator *generator, unsigned client) {
    return client == (generator->server - clients(generator)) % clients(generator);
}

static void request_some_number(struct generator *generator, unsigned client) {
    static const uint8_t weight[] = {[SERVED_FIRST] = 20,     [SERVED_SECOND] = 25, [SERVED_ADDS] = 20, [SERVED_READS] = 10,
                                     [SERVED_READS_BOTH] = 5, [SERVED_BOTH] = 10,   [SERVED_NONE] = 0,  [OTHER_CHANGE] = 5};
    static const uint8_t of_phases[] = {
        [SERVED_FIRST] = 5, [SERVED_SECOND] = 5,        [SERVED_READS] = 5, [SERVED_EARLY] = 20,
        [SERVED_LATE] = 25, [SERVED_EARLY_SECOND] = 15, [SERVED_ASKS] = 12, [SERVED_ASKS_FIRST] = 13};
    const uint8_t asked = generator->options->asks ? (uint8_t)weighted(generator, of_phases, sizeof of_phases)
                                                   : (uint8_t)weighted(generator, weight, sizeof weight);
    const bool asks = asked == SERVED_ASKS || asked == SERVED_ASKS_FIRST;
    request_number(generator, client, asks && !is_owner(generator, client) ? SERVED_LATE : asked);
}

static unsigned *owed_to(struct generator *generator, unsigned client) { return &generator->owed[client][generator->server]; }

static void await_owed(struct generator *generator, unsigned client) {
    for (unsigned *owed = owed_to(generator, client); *owed; --*owed)
        await_reply(generator, client);
}

/* Awaits what it is owed by all servers, in whatever order the answers come: of each its next one, told of one and then of all; and then
 * perhaps the rest. */
static void await_any_owed(struct generator *generator, unsigned client) {
    enum { TOLD_OF = 9 }; /* register */
    const unsigned first = clients(generator), server = generator->server;
    uint8_t slots = 0;
    for (generator->server = first; generator->server < generator->program->ranks; generator->server++) {
        unsigned *owed = owed_to(generator, client);
        const uint8_t slot = (uint8_t)(generator->server - first);
        if (*owed == 0)
            continue;
        --*owed;
        slots |= (uint8_t)(1u << slot);
        append(generator, client,
               (struct instruction){.op = OP_IRECV,
                                    .peer = (int8_t)generator->server,
                                    .tag = REPLY,
                                    .into = slot == 0 ? VALUE : OTHER_VALUE,
                                    .from = NO_REGISTER,
                                    .slot = slot});
    }
    if (slots != 0) {
        append(generator, client, (struct instruction){.op = OP_WAITANY, .slots = slots, .into = TOLD_OF});
        append(generator, client, (struct instruction){.op = OP_WAITALL, .slots = slots});
        absorb(generator, client, VALUE);
    }
    const bool all = chance(generator, 50);
    for (generator->server = first; all && generator->server < generator->program->ranks; generator->server++)
        await_owed(generator, client);
    generator->server = server;
}

/* All clients meet, when they have waited for each other perhaps, and some for all their answers. */
static void meet_all(struct generator *generator) {
    for (unsigned client = 0; client < clients(generator); client++)
        if (chance(generator, 60))
            tell_other(generator, (client + 1) % clients(generator), client);
    for (unsigned client = 0; client < clients(generator); client++) {
        if (chance(generator, 40))
            await_any_owed(generator, client);
        meet(generator, client);
    }
}

/* One client's next request. It is awaited now or perhaps later. */
static void ask(struct generator *generator, unsigned client) {
    unsigned *owed = owed_to(generator, client);
    bool reads = chance(generator, 70);
    bool depends = !has_several_servers(generator) && !*owed && chance(generator, 15);
    if (depends)
        append(generator, client,
               (struct instruction){.op = OP_SKIP_IF, .value = VALUE, .constant = 0, .skip = generator->numbers ? 3 : 2});
    if (generator->numbers)
        request_some_number(generator, client);
    else
        request(generator, client, reads ? TO_READ : TO_CHANGE, reads ? FLAG : OWN);
    if (depends)
        append(generator, client,
               (struct instruction){
                   .op = OP_RECV, .peer = (int8_t)generator->server, .tag = REPLY, .into = VALUE, .from = NO_REGISTER});
    else if (chance(generator, generator->options->awaits ? 70 : 30))
        ++*owed;
    else
        await_reply(generator, client);
}

static void ask_all(struct generator *generator, unsigned requests) {
    for (; requests; requests--) {
        unsigned client = below(generator, clients(generator)), other = (client + 1) % clients(generator);
        if (has_several_servers(generator))
            generator->server = clients(generator) + below(generator, generator->program->servers);
        ask(generator, client);
        if (chance(generator, 15))
            tell_other(generator, client, other);
        if (chance(generator, 10)) {
            tell_other(generator, client, other);
            tell_other(generator, other, client);
        }
    }
}

/* All clients make the same requests, so that they are interchangeable. */
static void ask_alike(struct generator *generator, unsigned requests) {
    for (; requests; requests--) {
        const uint64_t lot = generator->lot;
        for (unsigned client = 0; client < clients(generator); client++) {
            generator->lot = lot;
            ask(generator, client);
        }
    }
}

/* The client has no more requests; `changes`: which the server will be like then. */
static void stop(struct generator *generator, unsigned client, bool changes) {
    if (generator->numbers) {
        request_number(generator, client, SERVED_NONE);
        await_reply(generator, client);
        return;
    }
    append(generator, client, (struct instruction){.op = OP_SET, .into = SOURCE, .constant = STOP});
    request(generator, client, changes ? TO_CHANGE : TO_READ, SOURCE);
}

enum server_way { SERVER_CALM, SERVER_NEVER_CALM, SERVER_CHANGING };

static void serve(struct generator *generator, enum server_way way) {
    if (generator->numbers)
        serve_numbers(generator, way == SERVER_CALM);
    for (unsigned client = 0; client < clients(generator) && !generator->numbers; client++)
        serve_until_stop(generator, way == SERVER_CALM || (way == SERVER_CHANGING && chance(generator, 50)));
}

static void generate_served(struct generator *generator) {
    static const uint8_t weight[] = {65, 20, 15};
    const enum server_way way = generator->options->asks ? SERVER_CALM : weighted(generator, weight, 3);
    const unsigned first = clients(generator);
    generator->numbers = generator->options->asks || (way != SERVER_CHANGING && chance(generator, 50));
    generator->server = first;
    bool more = (chance(generator, 60) && !generator->options->smaller) || generator->options->awaits;
    if (generator->options->alike)
        ask_alike(generator, 1);
    else
        ask_all(generator, fewer(generator, 1 + below(generator, first) + generator->options->awaits));
    if (generator->options->awaits)
        meet_all(generator);
    for (unsigned client = 0; more && !generator->options->awaits && client < first; client++)
        meet(generator, client);
    if (generator->options->alike)
        ask_alike(generator, more);
    else
        ask_all(generator, more ? 1 + below(generator, first) : generator->options->smaller < FEWEST_RANKS_FROM);
    for (unsigned client = 0; client < first; client++) {
        await_owed(generator, client);
        stop(generator, client, way == SERVER_CHANGING);
    }
    serve(generator, way);
}

/* Two servers: what is heard from the one may depend on what the other has been asked. */
static void generate_served_by_two(struct generator *generator) {
    const unsigned first = clients(generator);
    generator->numbers = true;
    ask_all(generator, fewer(generator, 4 + below(generator, 3)));
    if (generator->options->awaits) {
        meet_all(generator);
        ask_all(generator, 2);
    }
    for (generator->server = first; generator->server < generator->program->ranks; generator->server++) {
        for (unsigned client = 0; client < first; client++)
            await_owed(generator, client);
        serve(generator, SERVER_CALM);
    }
}

/* --- a server with a number that anyone may use, and another in a window of its own, with a lock ---------------------------- */

enum { THIRD = SUM, HELD = 8, WAITING = 9 }; /* its registers: the other number, one more than who holds the lock, what waits */
enum { LOCKERS = 2 };                        /* clients that use the other window, so that one waits at most */

static struct instruction skip_if(uint8_t value, int16_t constant, uint8_t skip) {
    return (struct instruction){.op = OP_SKIP_IF, .value = value, .constant = constant, .skip = skip};
}

/* Receives the next request, as calm as the server is. */
static void listen_as_it_is(struct generator *generator) {
    unsigned rank = generator->server;
    const struct instruction does[] = {skip_if(WAITING, 0, 2), listen(0),           skip_if(FLAG, 0, 4), skip_if(HELD, 0, 2),
                                       listen(MODE_LOCKED),    skip_if(FLAG, 0, 1), listen(MODE_CALM)};
    for (size_t i = 0; i < sizeof does / sizeof *does; i++)
        append(generator, rank, does[i]);
}

/* While the lock is held such a request of the other locker waits. */
static void put_off(struct generator *generator, int16_t asked, unsigned begin) {
    unsigned rank = generator->server;
    append(generator, rank, (struct instruction){.op = OP_SKIP_UNLESS, .value = VALUE, .constant = asked, .skip = 2});
    append(generator, rank, set(WAITING, asked));
    jump_to(generator, begin);
}

/* Who waited, the other one than who has given the lock back, is served as if the request came now. */
static void go_on_with_waiting(struct generator *generator, unsigned served) {
    unsigned rank = generator->server;
    append(generator, rank, skip_if(WAITING, 0, 9));
    append(generator, rank, (struct instruction){.op = OP_SKIP_UNLESS, .value = HELD, .constant = 0, .skip = 8});
    append(generator, rank, set(VALUE, 0));
    append(generator, rank, add(VALUE, WAITING));
    append(generator, rank, set(WAITING, 0));
    append(generator, rank, skip_if(SOURCE, 0, 2));
    append(generator, rank, set(SOURCE, 0));
    jump_to(generator, served);
    append(generator, rank, set(SOURCE, 1));
    jump_to(generator, served);
}

static void serve_with_lock(struct generator *generator) {
    unsigned rank = generator->server;
    append(generator, rank, set(STOPPED, 0));
    unsigned begin = generator->program->length[rank];
    listen_as_it_is(generator);
    unsigned served = generator->program->length[rank];
    append(generator, rank, set(ANSWER, 0));
    ANSWER_IF(SERVED_FIRST, mix(FIRST, SOURCE), add(ANSWER, FIRST));
    ANSWER_IF(SERVED_READS, add(ANSWER, FIRST));
    append(generator, rank, skip_if(HELD, 0, 6));
    put_off(generator, SERVED_LOOKS, begin);
    put_off(generator, SERVED_TAKES, begin);
    ANSWER_IF(SERVED_LOOKS, add(ANSWER, THIRD));
    ANSWER_IF(SERVED_TAKES, mix(THIRD, SOURCE), set(HELD, 1), add(HELD, SOURCE), add(ANSWER, THIRD));
    ANSWER_IF(SERVED_GIVES, set(HELD, 0));
    answer(generator, ANSWER);
    go_on_with_waiting(generator, served);
    ANSWER_IF(SERVED_NONE, set(ANSWER, 1), add(STOPPED, ANSWER));
    append(generator, rank, skip_if(STOPPED, (int16_t)clients(generator), 1));
    jump_to(generator, begin);
    append(generator, rank, (struct instruction){.op = OP_PRINT, .value = FIRST});
}

/* Answers come in the order of the requests only as long as none waits. */
static void ask_and_wait(struct generator *generator, unsigned client, uint8_t asked) {
    await_owed(generator, client);
    request_number(generator, client, asked);
    await_reply(generator, client);
}

static void use_lock(struct generator *generator, unsigned client) {
    bool *holds = &generator->holds[client];
    if (!*holds && chance(generator, 30)) {
        ask_and_wait(generator, client, SERVED_LOOKS);
        return;
    }
    ask_and_wait(generator, client, *holds ? SERVED_GIVES : SERVED_TAKES);
    *holds = !*holds;
}

static void use_number(struct generator *generator, unsigned client) {
    request_number(generator, client, chance(generator, 60) ? SERVED_FIRST : SERVED_READS);
    if (chance(generator, 30))
        ++*owed_to(generator, client);
    else
        await_reply(generator, client);
}

static void ask_with_lock(struct generator *generator, unsigned requests) {
    for (; requests; requests--) {
        unsigned client = below(generator, clients(generator)), other = (client + 1) % clients(generator);
        if (client < LOCKERS && chance(generator, 60))
            use_lock(generator, client);
        else
            use_number(generator, client);
        if (chance(generator, 15))
            tell_other(generator, client, other);
    }
}

static void generate_locked(struct generator *generator) {
    generator->server = clients(generator);
    serve_with_lock(generator);
    bool more = chance(generator, 50) && !generator->options->smaller;
    ask_with_lock(generator, fewer(generator, 1 + below(generator, clients(generator))));
    for (unsigned client = 0; more && client < clients(generator); client++)
        meet(generator, client);
    ask_with_lock(generator, generator->options->smaller < FEWEST_RANKS_FROM ? fewer(generator, 1 + below(generator, 2)) : 0);
    for (unsigned client = 0; client < clients(generator); client++) {
        if (generator->holds[client])
            use_lock(generator, client);
        ask_and_wait(generator, client, SERVED_NONE);
    }
}

void generate(struct program *program, uint64_t seed, const struct generator_options *options) {
    const bool served = options->agents || options->locks || options->asks || options->awaits;
    if (options->alike && !served) {
        generate_alike(program, seed, options->smaller);
        return;
    }
    memset(program, 0, sizeof *program);
    struct generator generator = {.lot = seed * 0x2545f4914f6cdd1du + 1, .options = options, .program = program};
    static const uint8_t weight[] = {30, 50, 20};
    static const uint8_t most_events[] = {7, 6, 4};
    const unsigned drawn = weighted(&generator, weight, 3), size = options->smaller < FEWEST_RANKS_FROM ? drawn : 0;
    program->servers = served;
    if ((options->agents && !options->alike && chance(&generator, 40)) || (options->awaits && chance(&generator, 30)))
        program->servers = 2;
    program->ranks = (uint8_t)(served ? 2 + size / 2 + program->servers : 2 + size);
    if (options->large)
        program->ranks = (uint8_t)(3 + size + below(&generator, 2));
    if (options->groups) {
        program->ranks = options->large ? program->ranks : (uint8_t)(3 + size / 2);
        program->group = (uint8_t)(2 + below(&generator, program->ranks - 2));
    }
    if (options->hurry && chance(&generator, 40))
        program->room = (uint8_t)(1 + below(&generator, 2));
    for (unsigned rank = 0; rank < program->ranks; rank++)
        append(&generator, rank, (struct instruction){.op = OP_SET, .into = OWN, .constant = (int16_t)(10 + rank)});
    bool chains = options->apart && chance(&generator, 70);
    if (chains)
        generate_chains(&generator);
    unsigned most = options->phases ? 2 : most_events[size];
    if (options->large)
        most += 3;
    if (program->servers > 1)
        generate_served_by_two(&generator);
    else if (options->agents || options->asks || options->awaits)
        generate_served(&generator);
    if (options->locks)
        generate_locked(&generator);
    const bool ready = chains || served;
    for (unsigned events = ready ? 0 : fewer(&generator, 2 - options->phases + below(&generator, most)); events; events--)
        event(&generator);
    for (unsigned rank = 0; rank < program->ranks; rank++) {
        finish_all(&generator, rank);
        append(&generator, rank, (struct instruction){.op = OP_PRINT, .value = ACCUMULATOR});
        if (chance(&generator, 30))
            append(&generator, rank, (struct instruction){.op = OP_PRINT, .value = SUM});
    }
    for (unsigned times = !served && chance(&generator, 40) ? 1 + below(&generator, 2) : 0; times; times--)
        damage(&generator);
}
