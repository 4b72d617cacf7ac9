#include "tests/oracle/brute.h"

#include "tests/oracle/network.h"
#include "tests/oracle/traversal.h"

#include <stdlib.h>
#include <string.h>

struct run {
    const struct program *program;
    const struct brute_options *options;
    struct behaviours *set;
    struct traversal walk;
    uint32_t at; /* number of the state being visited */
    uint64_t states;
    bool beyond; /* too many states or operations */
};

/* One rank about to act in one state. */
struct turn {
    struct run *run;
    const struct network *network;
    unsigned rank;
    const struct rank_state *self;
    const struct instruction *instruction;
    bool moved; /* it could do something */
};

static void explore(struct run *run, const struct network *network);

/* Ranks that the program does not have are nowhere looked at. */
static void copy(const struct run *run, struct network *to, const struct network *from) {
    memcpy(to, from, run->program->ranks * sizeof from->rank[0]);
}

static int peer_of(const struct turn *turn) {
    return process_peer(turn->run->program, turn->rank, &turn->self->process, turn->instruction);
}

static void go_on(struct turn *turn, const struct network *next) {
    turn->moved = true;
    explore(turn->run, next);
}

/* An error ends the execution. Other ranks that are not yet told may fail too, before or after: they go on, but what they do
 * is then neither an outcome nor a deadlock. */
static bool note_crashes(struct run *run, const struct network *network) {
    char line[32];
    bool crashed = false;
    for (unsigned rank = 0; rank < run->program->ranks; rank++) {
        if (network->rank[rank].process.end != PROCESS_CRASHED)
            continue;
        snprintf(line, sizeof line, "crash %u", rank);
        behaviours_add(run->set, line);
        crashed = true;
    }
    return crashed;
}

/* The rank returns from its call and computes up to the next one. */
static void return_from_call(struct turn *turn, struct network *next) {
    struct rank_state *self = &next->rank[turn->rank];
    self->inside = 0;
    self->process.pc++;
    process_compute(turn->run->program, turn->rank, &self->process);
    go_on(turn, next);
}

static void skip_instruction(struct turn *turn) {
    struct network next;
    copy(turn->run, &next, turn->network);
    return_from_call(turn, &next);
}

static void begin_send(struct turn *turn, int peer, bool synchronous) {
    struct network next;
    copy(turn->run, &next, turn->network);
    struct rank_state *self = &next.rank[turn->rank];
    if (self->sends == NETWORK_SENDS) {
        turn->run->beyond = true;
        return;
    }
    bool blocks = turn->instruction->op == OP_SEND;
    self->sent[self->sends++] = (struct sent){.to = (uint8_t)peer,
                                              .comm = turn->instruction->comm,
                                              .tag = turn->instruction->tag,
                                              .claim = NO_CLAIM,
                                              .synchronous = synchronous,
                                              .owner = blocks ? OWNER_CALL : turn->instruction->slot,
                                              .at = self->process.pc,
                                              .value = (uint16_t)process_value(&self->process, turn->instruction),
                                              .attached = turn->instruction->mode == MODE_BUFFERED};
    if (blocks) {
        self->inside = 1;
        go_on(turn, &next);
        return;
    }
    self->slot[turn->instruction->slot].active = 1;
    return_from_call(turn, &next);
}

/* An error ends the execution: what others do wrong at the same time is wrong in other orders too. */
static void end_for_error(struct turn *turn, const char *class_name) {
    turn->moved = true;
    behaviours_add(turn->run->set, class_name);
    if (!turn->run->options->plain)
        traversal_error(&turn->run->walk, turn->run->at);
}

static void send_in_each_way(struct turn *turn, int peer) {
    const struct instruction *send = turn->instruction;
    uint8_t mode = send->mode == MODE_READY ? MODE_STANDARD : send->mode;
    if (send->mode == MODE_READY && !network_is_ready(turn->network, turn->rank, (unsigned)peer, send->tag, send->comm)) {
        end_for_error(turn, "invalid-argument");
        return;
    }
    if (mode == MODE_BUFFERED && turn->run->program->room && network_attached(turn->self) >= turn->run->program->room) {
        end_for_error(turn, "invalid-argument");
        return;
    }
    enum brute_buffering buffering = turn->run->options->buffering;
    if (mode == MODE_SYNCHRONOUS || (mode == MODE_STANDARD && buffering != BRUTE_INFINITE))
        begin_send(turn, peer, true);
    if (mode == MODE_BUFFERED || (mode == MODE_STANDARD && buffering != BRUTE_NONE))
        begin_send(turn, peer, false);
}

static void begin_receive(struct turn *turn, int peer) {
    struct network next;
    copy(turn->run, &next, turn->network);
    struct rank_state *self = &next.rank[turn->rank];
    if (self->receives == NETWORK_RECEIVES) {
        turn->run->beyond = true;
        return;
    }
    bool blocks = turn->instruction->op == OP_RECV;
    self->posted[self->receives++] = (struct posted){.source = (int8_t)peer,
                                                     .tag = turn->instruction->tag,
                                                     .comm = turn->instruction->comm,
                                                     .owner = blocks ? OWNER_CALL : turn->instruction->slot,
                                                     .into = turn->instruction->into,
                                                     .at = self->process.pc,
                                                     .from = turn->instruction->from};
    if (blocks) {
        self->inside = 1;
        go_on(turn, &next);
        return;
    }
    self->slot[turn->instruction->slot] = (struct slot){.active = 1, .receives = 1};
    return_from_call(turn, &next);
}

/* A receive is finished with: its value goes to the program. Returns whether it was cancelled. */
static bool finish_receive(struct rank_state *self, unsigned owner) {
    unsigned r = (unsigned)network_receive_of(self, owner);
    bool cancelled = self->posted[r].cancelled;
    if (!cancelled) {
        process_store(&self->process, self->posted[r].into, self->posted[r].value);
        process_store(&self->process, self->posted[r].from, self->posted[r].sender);
    }
    network_disown_receive(self, r);
    return cancelled;
}

static bool finish_send(struct rank_state *self, unsigned owner) {
    unsigned s = (unsigned)network_send_of(self, owner);
    bool cancelled = self->sent[s].cancelled;
    network_disown_send(self, s);
    return cancelled;
}

static void act_transfer(struct turn *turn) {
    bool sends = turn->instruction->op == OP_SEND || turn->instruction->op == OP_ISEND;
    bool blocks = turn->instruction->op == OP_SEND || turn->instruction->op == OP_RECV;
    if (turn->self->inside) {
        struct network next;
        copy(turn->run, &next, turn->network);
        struct rank_state *self = &next.rank[turn->rank];
        if (sends ? !sent_is_complete(&self->sent[network_send_of(self, OWNER_CALL)])
                  : !posted_is_complete(&self->posted[network_receive_of(self, OWNER_CALL)]))
            return;
        if (sends)
            finish_send(self, OWNER_CALL);
        else
            finish_receive(self, OWNER_CALL);
        return_from_call(turn, &next);
        return;
    }
    int peer = peer_of(turn);
    if (peer == PEER_NOBODY || (sends && peer == PEER_ANY) || (!blocks && turn->self->slot[turn->instruction->slot].active))
        skip_instruction(turn);
    else if (sends)
        send_in_each_way(turn, peer);
    else
        begin_receive(turn, peer);
}

/* What the rank needs of member `member` to know its result. */
static bool needs(enum opcode op, unsigned rank, unsigned root, unsigned member, unsigned ranks) {
    switch (opcode_blocking(op)) {
    case OP_BCAST:
    case OP_SCATTER: return member == root;
    case OP_REDUCE:
    case OP_GATHER: return rank == root;
    case OP_SCAN: return member <= rank;
    case OP_EXSCAN: return member < rank;
    case OP_SPARSE: return sparse_has_block(member, rank);
    case OP_RING: return member == (rank + ranks - 1) % ranks;
    default: return true;
    }
}

static int32_t contribution(enum opcode op, const struct part *part, unsigned rank) {
    op = opcode_blocking(op);
    return op == OP_SCATTER || op == OP_ALLTOALL || op == OP_SPARSE ? collective_part(part->value, rank) : part->value;
}

/* A collective as one of its members sees it. */
struct membership {
    const struct network *network;
    unsigned ranks, rank, comm, number;
};

static const struct part *part_of(const struct membership *membership, unsigned member) {
    return &membership->network->rank[member].part[membership->comm][membership->number];
}

static bool has_entered(const struct membership *membership, unsigned member) {
    return membership->network->rank[member].entered[membership->comm] > membership->number;
}

static bool member_needs(const struct membership *membership, unsigned member) {
    const struct part *own = part_of(membership, membership->rank);
    return needs(own->op, membership->rank, own->root, member, membership->ranks);
}

/* Has everybody entered that the member waits for? */
static bool collective_is_complete(const struct membership *membership) {
    bool loose = part_of(membership, membership->rank)->loose;
    for (unsigned member = 0; member < membership->ranks; member++)
        if (!has_entered(membership, member) && (!loose || member_needs(membership, member)))
            return false;
    return true;
}

static void finish_collective(const struct membership *membership, struct process *process, uint8_t into) {
    enum opcode op = part_of(membership, membership->rank)->op;
    int32_t value[PROGRAM_RANKS];
    unsigned count = 0;
    for (unsigned member = 0; member < membership->ranks; member++)
        if (member_needs(membership, member))
            value[count++] = contribution(op, part_of(membership, member), membership->rank);
    if (count && opcode_blocking(op) != OP_BARRIER)
        process_store(process, into, collective_folds(op) ? collective_fold(value, count) : collective_sum(value, count));
}

static struct membership membership_of_slot(const struct turn *turn, unsigned slot) {
    const struct slot *held = &turn->self->slot[slot];
    return (struct membership){turn->network, program_members(turn->run->program, held->comm), turn->rank, held->comm,
                               held->number};
}

static bool slot_is_complete(const struct turn *turn, unsigned slot) {
    const struct rank_state *self = turn->self;
    if (self->slot[slot].collective) {
        struct membership membership = membership_of_slot(turn, slot);
        return collective_is_complete(&membership);
    }
    if (self->slot[slot].receives)
        return posted_is_complete(&self->posted[network_receive_of(self, slot)]);
    return sent_is_complete(&self->sent[network_send_of(self, slot)]);
}

/* Returns whether the request was cancelled. */
static bool finish_slot(const struct turn *turn, struct rank_state *self, unsigned slot) {
    if (self->slot[slot].collective) {
        struct membership membership = membership_of_slot(turn, slot);
        finish_collective(&membership, &self->process, self->slot[slot].into);
        return false;
    }
    return self->slot[slot].receives ? finish_receive(self, slot) : finish_send(self, slot);
}

/* The call returns having completed the requests of `slots` (may be empty), with `result`. */
static void complete(struct turn *turn, unsigned slots, int32_t result) {
    struct network next;
    copy(turn->run, &next, turn->network);
    struct rank_state *self = &next.rank[turn->rank];
    bool cancelled = false;
    for (unsigned i = 0; i < PROGRAM_SLOTS; i++)
        if (slots >> i & 1) {
            cancelled = finish_slot(turn, self, i);
            self->slot[i] = (struct slot){0};
        }
    if (turn->instruction->op == OP_WAIT)
        result = cancelled;
    if (turn->instruction->op != OP_WAITALL)
        process_store(&self->process, turn->instruction->into, result);
    return_from_call(turn, &next);
}

static void act_completion(struct turn *turn) {
    uint8_t op = turn->instruction->op;
    unsigned listed = op == OP_WAIT || op == OP_TEST ? 1u << turn->instruction->slot : turn->instruction->slots;
    unsigned active = 0, done = 0;
    for (unsigned i = 0; i < PROGRAM_SLOTS; i++)
        if (listed >> i & 1 && turn->self->slot[i].active) {
            active |= 1u << i;
            done |= (unsigned)slot_is_complete(turn, i) << i;
        }
    if (!active) {
        if (op == OP_WAIT)
            skip_instruction(turn);
        else
            complete(turn, 0, op == OP_TEST || op == OP_TESTALL ? 1 : RESULT_UNDEFINED);
        return;
    }
    if (op == OP_TEST || op == OP_TESTALL || op == OP_TESTSOME)
        complete(turn, 0, 0);
    if (op == OP_TESTANY)
        complete(turn, 0, RESULT_NOT_YET);
    if ((op == OP_WAIT || op == OP_WAITALL || op == OP_TEST || op == OP_TESTALL) && done == active)
        complete(turn, active, 1);
    for (unsigned i = 0; (op == OP_WAITANY || op == OP_TESTANY) && i < PROGRAM_SLOTS; i++)
        if (done >> i & 1)
            complete(turn, 1u << i, (int32_t)i);
    for (unsigned some = 1; (op == OP_WAITSOME || op == OP_TESTSOME) && some < 1u << PROGRAM_SLOTS; some++)
        if ((some & done) == some)
            complete(turn, some, (int32_t)some);
}

/* The probe finds the message `s` of `from`. */
static void find(struct turn *turn, unsigned from, unsigned s) {
    struct network next;
    copy(turn->run, &next, turn->network);
    struct rank_state *self = &next.rank[turn->rank];
    process_store(&self->process, turn->instruction->from, (int32_t)from);
    process_store(&self->process, turn->instruction->into, next.rank[from].sent[s].tag);
    if (turn->instruction->op == OP_MPROBE || turn->instruction->op == OP_IMPROBE) {
        unsigned slot = turn->instruction->slot % PROGRAM_MESSAGES;
        next.rank[from].sent[s].claim = (uint8_t)slot;
        self->message[slot] = (struct message){.full = 1, .source = (uint8_t)from};
    }
    return_from_call(turn, &next);
}

static void act_probe(struct turn *turn) {
    const struct instruction *instruction = turn->instruction;
    int peer = peer_of(turn);
    bool claims = instruction->op == OP_MPROBE || instruction->op == OP_IMPROBE;
    if (peer == PEER_NOBODY || (claims && turn->self->message[instruction->slot % PROGRAM_MESSAGES].full)) {
        struct network next;
        copy(turn->run, &next, turn->network);
        process_store(&next.rank[turn->rank].process, instruction->from, RESULT_UNDEFINED);
        return_from_call(turn, &next);
        return;
    }
    if (instruction->op == OP_IPROBE || instruction->op == OP_IMPROBE) {
        struct network next;
        copy(turn->run, &next, turn->network);
        process_store(&next.rank[turn->rank].process, instruction->from, RESULT_NOT_YET);
        return_from_call(turn, &next);
    }
    for (unsigned from = 0; from < turn->run->program->ranks; from++) {
        if (peer != PEER_ANY && peer != (int)from)
            continue;
        int s = network_find(turn->network, turn->rank, from, instruction->tag, instruction->comm);
        if (s >= 0)
            find(turn, from, (unsigned)s);
    }
}

static void act_mrecv(struct turn *turn) {
    unsigned slot = turn->instruction->slot % PROGRAM_MESSAGES;
    struct network next;
    copy(turn->run, &next, turn->network);
    struct rank_state *self = &next.rank[turn->rank];
    if (!self->message[slot].full) {
        skip_instruction(turn);
        return;
    }
    unsigned from = self->message[slot].source, s = 0;
    const struct rank_state *sender = &next.rank[from];
    while (sender->sent[s].to != turn->rank || sender->sent[s].claim != slot)
        s++;
    process_store(&self->process, turn->instruction->into, sender->sent[s].value);
    process_store(&self->process, turn->instruction->from, (int32_t)from);
    self->message[slot] = (struct message){0};
    network_receive_claimed(&next, from, s);
    return_from_call(turn, &next);
}

/* The message is the request's from now on, which is complete. */
static void act_imrecv(struct turn *turn) {
    unsigned slot = turn->instruction->slot % PROGRAM_MESSAGES;
    struct network next;
    copy(turn->run, &next, turn->network);
    struct rank_state *self = &next.rank[turn->rank];
    if (!self->message[slot].full || self->slot[turn->instruction->slot].active) {
        skip_instruction(turn);
        return;
    }
    if (self->receives == NETWORK_RECEIVES) {
        turn->run->beyond = true;
        return;
    }
    unsigned from = self->message[slot].source, s = 0;
    const struct rank_state *sender = &next.rank[from];
    while (sender->sent[s].to != turn->rank || sender->sent[s].claim != slot)
        s++;
    self->posted[self->receives++] = (struct posted){.source = (int8_t)from,
                                                     .tag = sender->sent[s].tag,
                                                     .comm = sender->sent[s].comm,
                                                     .owner = turn->instruction->slot,
                                                     .into = turn->instruction->into,
                                                     .at = self->process.pc,
                                                     .from = turn->instruction->from,
                                                     .matched = 1,
                                                     .sender = (uint8_t)from,
                                                     .value = sender->sent[s].value};
    self->slot[turn->instruction->slot] = (struct slot){.active = 1, .receives = 1};
    self->message[slot] = (struct message){0};
    network_receive_claimed(&next, from, s);
    return_from_call(turn, &next);
}

static void detach(struct turn *turn) {
    struct network next;
    copy(turn->run, &next, turn->network);
    struct rank_state *self = &next.rank[turn->rank];
    for (unsigned s = 0; s < self->sends; s++)
        self->sent[s].attached = 0;
    return_from_call(turn, &next);
}

/* It waits until its messages have been received, or, once they are on their way, no longer. */
static void act_detach(struct turn *turn) {
    enum brute_buffering buffering = turn->run->options->buffering;
    bool waits = network_attached(turn->self) > 0;
    if (!waits || (!turn->self->inside && buffering != BRUTE_NONE))
        detach(turn);
    if (!waits || turn->self->inside || buffering == BRUTE_INFINITE)
        return;
    struct network next;
    copy(turn->run, &next, turn->network);
    next.rank[turn->rank].inside = 1;
    go_on(turn, &next);
}

static void act_cancel_or_free(struct turn *turn) {
    struct network next;
    copy(turn->run, &next, turn->network);
    struct rank_state *self = &next.rank[turn->rank];
    struct slot *slot = &self->slot[turn->instruction->slot];
    bool cancels = turn->instruction->op == OP_CANCEL;
    if (!slot->active || slot->collective || (cancels && slot->cancelled)) {
        skip_instruction(turn);
        return;
    }
    int s = network_send_of(self, turn->instruction->slot);
    int r = network_receive_of(self, turn->instruction->slot);
    if (cancels) {
        slot->cancelled = 1;
        if (slot->receives)
            self->posted[r].cancelling = 1;
        else
            self->sent[s].cancelling = 1;
    } else {
        if (slot->receives) {
            self->posted[r].into = self->posted[r].from = NO_REGISTER;
            network_disown_receive(self, (unsigned)r);
        } else {
            network_disown_send(self, (unsigned)s);
        }
        *slot = (struct slot){0};
    }
    return_from_call(turn, &next);
}

static void enter_collective(struct turn *turn, int root, bool loose) {
    struct network next;
    copy(turn->run, &next, turn->network);
    struct rank_state *self = &next.rank[turn->rank];
    unsigned comm = collective_comm(turn->instruction), number = self->entered[comm];
    if (number == NETWORK_COLLECTIVES) {
        turn->run->beyond = true;
        return;
    }
    enum opcode op = turn->instruction->op;
    struct part part = {.op = (uint8_t)op,
                        .root = collective_has_root(op) ? (uint8_t)root & PART_NO_ROOT : PART_NO_ROOT,
                        .loose = loose,
                        .value = (uint16_t)process_value(&self->process, turn->instruction)};
    self->part[comm][number] = part;
    self->entered[comm]++;
    for (unsigned other = 0; other < turn->run->program->ranks; other++) {
        const struct part *theirs = &next.rank[other].part[comm][number];
        if (next.rank[other].entered[comm] > number && (theirs->op != part.op || theirs->root != part.root)) {
            end_for_error(turn, "collective-mismatch");
            return;
        }
    }
    if (opcode_is_nonblocking_collective(op)) {
        self->slot[turn->instruction->slot] = (struct slot){.active = 1,
                                                            .collective = 1,
                                                            .comm = (uint8_t)comm,
                                                            .number = (uint8_t)number,
                                                            .into = op == OP_IBARRIER ? NO_REGISTER : turn->instruction->into};
        return_from_call(turn, &next);
        return;
    }
    self->inside = 1;
    go_on(turn, &next);
}

static void leave_collective(struct turn *turn) {
    unsigned comm = collective_comm(turn->instruction);
    struct membership membership = {turn->network, program_members(turn->run->program, comm), turn->rank, comm,
                                    turn->self->entered[comm] - 1u};
    if (!collective_is_complete(&membership))
        return;
    struct network next;
    copy(turn->run, &next, turn->network);
    finish_collective(&membership, &next.rank[turn->rank].process, turn->instruction->into);
    return_from_call(turn, &next);
}

static void act_collective(struct turn *turn) {
    if (turn->self->inside) {
        leave_collective(turn);
        return;
    }
    int root = peer_of(turn);
    bool occupied = opcode_is_nonblocking_collective(turn->instruction->op) && turn->self->slot[turn->instruction->slot].active;
    bool member = program_has_member(turn->run->program, collective_comm(turn->instruction), turn->rank);
    if (occupied || !member || (collective_has_root(turn->instruction->op) && root < 0)) {
        skip_instruction(turn);
        return;
    }
    if (turn->run->options->buffering != BRUTE_INFINITE)
        enter_collective(turn, root, false);
    if (turn->run->options->buffering != BRUTE_NONE)
        enter_collective(turn, root, true);
}

static void act(struct turn *turn) {
    switch (turn->instruction->op) {
    case OP_SEND:
    case OP_ISEND:
    case OP_RECV:
    case OP_IRECV: act_transfer(turn); return;
    case OP_PROBE:
    case OP_IPROBE:
    case OP_MPROBE:
    case OP_IMPROBE: act_probe(turn); return;
    case OP_MRECV: act_mrecv(turn); return;
    case OP_IMRECV: act_imrecv(turn); return;
    case OP_DETACH: act_detach(turn); return;
    case OP_CANCEL:
    case OP_FREE: act_cancel_or_free(turn); return;
    }
    if (opcode_is_collective(turn->instruction->op))
        act_collective(turn);
    else
        act_completion(turn);
}

static void note_match(const struct run *run, unsigned to, unsigned receive, unsigned from, unsigned send) {
    char line[32];
    if (!run->options->matches)
        return;
    snprintf(line, sizeof line, "match %u@%u %u@%u", to, receive, from, send);
    behaviours_add(run->set, line);
}

/* Every match that may happen now. */
static bool match_each(struct run *run, const struct network *network) {
    bool moved = false;
    unsigned ranks = run->program->ranks;
    for (unsigned to = 0; to < ranks; to++)
        for (unsigned r = 0; r < network->rank[to].receives; r++)
            for (unsigned from = 0; from < ranks; from++)
                for (unsigned s = 0; s < network->rank[from].sends; s++) {
                    if (!network_may_match(network, from, s, to, r))
                        continue;
                    struct network next;
                    copy(run, &next, network);
                    note_match(run, to, network->rank[to].posted[r].at, from, network->rank[from].sent[s].at);
                    network_match(&next, from, s, to, r);
                    moved = true;
                    explore(run, &next);
                }
    return moved;
}

static bool cancel_each(struct run *run, const struct network *network) {
    bool moved = false;
    for (unsigned rank = 0; rank < run->program->ranks; rank++) {
        const struct rank_state *self = &network->rank[rank];
        for (unsigned s = 0; s < self->sends; s++)
            if (network_may_cancel_send(&self->sent[s])) {
                struct network next;
                copy(run, &next, network);
                network_cancel_send(&next.rank[rank], s);
                moved = true;
                explore(run, &next);
            }
        for (unsigned r = 0; r < self->receives; r++)
            if (network_may_cancel_receive(&self->posted[r])) {
                struct network next;
                copy(run, &next, network);
                network_cancel_receive(&next.rank[rank], r);
                moved = true;
                explore(run, &next);
            }
    }
    return moved;
}

static void add_completed(struct run *run, const struct network *network) {
    const struct process *process[PROGRAM_RANKS];
    for (unsigned rank = 0; rank < run->program->ranks; rank++) {
        const struct rank_state *self = &network->rank[rank];
        process[rank] = &self->process;
        for (unsigned s = 0; s < self->sends; s++)
            if (!self->sent[s].matched && !self->sent[s].cancelled)
                behaviours_add(run->set, "unreceived-message");
        for (unsigned i = 0; i < PROGRAM_SLOTS; i++)
            if (self->slot[i].active)
                behaviours_add(run->set, "request-leak");
        for (unsigned r = 0; r < self->receives; r++) /* its request was freed; whoever waits for a receive has not ended */
            if (!posted_is_complete(&self->posted[r]))
                behaviours_add(run->set, "request-leak");
    }
    behaviours_add_completed(run->set, process, run->program->ranks);
}

/* Nothing can happen any more. */
static void finish(struct run *run, const struct network *network) {
    int blocked[PROGRAM_RANKS];
    bool deadlock = false;
    for (unsigned rank = 0; rank < run->program->ranks; rank++) {
        bool runs = network->rank[rank].process.end == PROCESS_RUNS;
        blocked[rank] = runs ? network->rank[rank].process.pc : -1;
        deadlock |= runs;
    }
    if (deadlock)
        behaviours_add_deadlock(run->set, blocked, run->program->ranks);
    else
        add_completed(run, network);
}

/* Everything that may happen in a state. */
static void act_each(struct run *run, const struct network *network) {
    bool moved = false, crashed = note_crashes(run, network);
    if (crashed && !run->options->plain)
        traversal_error(&run->walk, run->at);
    for (unsigned rank = 0; rank < run->program->ranks; rank++) {
        const struct rank_state *self = &network->rank[rank];
        if (self->process.end != PROCESS_RUNS)
            continue;
        struct turn turn = {.run = run,
                            .network = network,
                            .rank = rank,
                            .self = self,
                            .instruction = &run->program->instruction[rank][self->process.pc]};
        act(&turn);
        moved |= turn.moved;
    }
    moved |= match_each(run, network);
    moved |= cancel_each(run, network);
    if (!moved && !crashed && !run->beyond)
        finish(run, network);
}

static void explore_once(struct run *run, const struct network *network) {
    bool fresh, is_root = run->states == 0;
    uint32_t from = run->at, node = traversal_enter(&run->walk, network, from, &fresh);
    if (fresh) {
        run->states++;
        run->at = node;
        act_each(run, network);
        run->at = from;
        traversal_leave(&run->walk, node);
    }
    if (!is_root)
        traversal_edge(&run->walk, from, node);
}

static void explore(struct run *run, const struct network *network) {
    if (run->states >= run->options->states)
        run->beyond = true;
    if (run->beyond)
        return;
    if (!run->options->plain) {
        explore_once(run, network);
        return;
    }
    run->states++;
    act_each(run, network);
}

static bool has_loop(const struct program *program) {
    for (unsigned rank = 0; rank < program->ranks; rank++)
        for (unsigned i = 0; i < program->length[rank]; i++)
            if (program->instruction[rank][i].op == OP_AGAIN_IF)
                return true;
    return false;
}

bool brute_run(const struct program *program, const struct brute_options *options, struct behaviours *set, uint64_t *states) {
    struct run run = {.program = program, .options = options, .set = set, .beyond = options->plain && has_loop(program)};
    struct network network;
    memset(&network, 0, sizeof network); /* compared as bytes */
    traversal_begin(&run.walk, program->ranks, sizeof network.rank[0]);
    for (unsigned rank = 0; rank < program->ranks; rank++)
        process_compute(program, rank, &network.rank[rank].process);
    explore(&run, &network);
    if (run.walk.trapped)
        behaviours_add(set, "livelock");
    traversal_end(&run.walk);
    *states = run.states;
    return !run.beyond;
}
