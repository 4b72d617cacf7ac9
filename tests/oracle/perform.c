#include "tests/oracle/perform.h"

#include "models/mpi/functions.h"

#include <stdlib.h>

/* A step being performed. */
struct act {
    const struct perform_world *world;
    struct local_state *state;
    struct performance *out;
    const struct instruction *instruction; /* at state->process.pc */
};

static void demand(bool holds, const char *what) {
    if (holds)
        return;
    fprintf(stderr, "the explorer broke its contract: %s\n", what);
    abort();
}

static const uint16_t function_of[OP_COUNT] = {
    [OP_SEND] = FUNCTION_MPI_Send,
    [OP_ISEND] = FUNCTION_MPI_Isend,
    [OP_RECV] = FUNCTION_MPI_Recv,
    [OP_IRECV] = FUNCTION_MPI_Irecv,
    [OP_WAIT] = FUNCTION_MPI_Wait,
    [OP_WAITALL] = FUNCTION_MPI_Waitall,
    [OP_WAITANY] = FUNCTION_MPI_Waitany,
    [OP_WAITSOME] = FUNCTION_MPI_Waitsome,
    [OP_TEST] = FUNCTION_MPI_Test,
    [OP_TESTALL] = FUNCTION_MPI_Testall,
    [OP_TESTANY] = FUNCTION_MPI_Testany,
    [OP_TESTSOME] = FUNCTION_MPI_Testsome,
    [OP_PROBE] = FUNCTION_MPI_Probe,
    [OP_IPROBE] = FUNCTION_MPI_Iprobe,
    [OP_MPROBE] = FUNCTION_MPI_Mprobe,
    [OP_IMPROBE] = FUNCTION_MPI_Improbe,
    [OP_MRECV] = FUNCTION_MPI_Mrecv,
    [OP_IMRECV] = FUNCTION_MPI_Imrecv,
    [OP_DETACH] = FUNCTION_MPI_Buffer_detach,
    [OP_CANCEL] = FUNCTION_MPI_Cancel,
    [OP_FREE] = FUNCTION_MPI_Request_free,
    [OP_BARRIER] = FUNCTION_MPI_Barrier,
    [OP_BCAST] = FUNCTION_MPI_Bcast,
    [OP_REDUCE] = FUNCTION_MPI_Reduce,
    [OP_ALLREDUCE] = FUNCTION_MPI_Allreduce,
    [OP_GATHER] = FUNCTION_MPI_Gather,
    [OP_SCATTER] = FUNCTION_MPI_Scatter,
    [OP_ALLTOALL] = FUNCTION_MPI_Alltoall,
    [OP_SCAN] = FUNCTION_MPI_Scan,
    [OP_EXSCAN] = FUNCTION_MPI_Exscan,
    [OP_IBARRIER] = FUNCTION_MPI_Ibarrier,
    [OP_IBCAST] = FUNCTION_MPI_Ibcast,
    [OP_IREDUCE] = FUNCTION_MPI_Ireduce,
    [OP_IALLREDUCE] = FUNCTION_MPI_Iallreduce,
    [OP_IGATHER] = FUNCTION_MPI_Igather,
    [OP_ISCATTER] = FUNCTION_MPI_Iscatter,
    [OP_IALLTOALL] = FUNCTION_MPI_Ialltoall,
    [OP_ISCAN] = FUNCTION_MPI_Iscan,
    [OP_IEXSCAN] = FUNCTION_MPI_Iexscan,
    [OP_RING] = FUNCTION_MPI_Neighbor_allgather,
    [OP_IRING] = FUNCTION_MPI_Ineighbor_allgather,
    [OP_SPARSE] = FUNCTION_MPI_Alltoallv,
    [OP_ISPARSE] = FUNCTION_MPI_Ialltoallv,
};

static const uint8_t call_of[OP_COUNT] = {
    [OP_SEND] = WIRE_CALL_WAIT_ALL,      [OP_RECV] = WIRE_CALL_WAIT_ALL,    [OP_WAIT] = WIRE_CALL_WAIT_ALL,
    [OP_WAITALL] = WIRE_CALL_WAIT_ALL,   [OP_WAITANY] = WIRE_CALL_WAIT_ANY, [OP_WAITSOME] = WIRE_CALL_WAIT_SOME,
    [OP_TEST] = WIRE_CALL_TEST_ALL,      [OP_TESTALL] = WIRE_CALL_TEST_ALL, [OP_TESTANY] = WIRE_CALL_TEST_ANY,
    [OP_TESTSOME] = WIRE_CALL_TEST_SOME, [OP_PROBE] = WIRE_CALL_PROBE,      [OP_IPROBE] = WIRE_CALL_IPROBE,
    [OP_MPROBE] = WIRE_CALL_MPROBE,      [OP_IMPROBE] = WIRE_CALL_IMPROBE,
};

static uint8_t pattern_of(enum opcode op) {
    switch (opcode_blocking(op)) {
    case OP_BCAST:
    case OP_SCATTER: return WIRE_FAN_OUT;
    case OP_REDUCE:
    case OP_GATHER: return WIRE_FAN_IN;
    case OP_SCAN: return WIRE_PREFIX;
    case OP_EXSCAN: return WIRE_PREFIX_EXCLUSIVE;
    case OP_RING: return WIRE_NEIGHBOURS;
    default: return WIRE_ALL_TO_ALL;
    }
}

static uint8_t mode_of(uint8_t mode) {
    const uint8_t wire[] = {[MODE_STANDARD] = WIRE_STANDARD,
                            [MODE_SYNCHRONOUS] = WIRE_SYNCHRONOUS,
                            [MODE_BUFFERED] = WIRE_BUFFERED,
                            [MODE_READY] = WIRE_READY};
    return wire[mode];
}

static uint32_t site(const struct act *act) {
    bool shared = act->world->one_barrier && act->instruction->op == OP_BARRIER;
    return shared ? PERFORM_BARRIER_SITE : perform_site(act->world, act->state->rank, act->state->process.pc);
}

static int peer_of(const struct act *act) {
    return process_peer(act->world->program, act->state->rank, &act->state->process, act->instruction);
}

/* The ranks of the communicator that a collective is on. */
static unsigned members_of(const struct act *act) {
    return program_members(act->world->program, collective_comm(act->instruction));
}

/* The slots of a wait or test that hold an active request. */
static unsigned listed_slots(const struct act *act) {
    const struct instruction *instruction = act->instruction;
    bool single = instruction->op == OP_WAIT || instruction->op == OP_TEST;
    unsigned slots = single ? 1u << instruction->slot : instruction->slots, active = 0;
    for (unsigned i = 0; i < PROGRAM_SLOTS; i++)
        if (slots >> i & 1 && act->state->slot[i].active)
            active |= 1u << i;
    return active;
}

/* The smallest number that no request of this rank has. */
static uint32_t new_request(const struct local_state *state) {
    uint64_t used = state->abandoned;
    for (unsigned i = 0; i < PROGRAM_SLOTS; i++)
        if (state->slot[i].active)
            used |= 1ull << state->slot[i].request;
    uint32_t number = 0;
    while (used >> number & 1)
        number++;
    return number;
}

static struct operation *issue(struct act *act, uint8_t kind) {
    demand(act->out->operations < PERFORM_OPERATIONS, "too many operations in a step of a test program");
    struct operation *operation = &act->out->operation[act->out->operations++];
    *operation = (struct operation){
        .kind = kind, .function = function_of[act->instruction->op], .request = WIRE_NO_REQUEST, .peer = -1, .site = site(act)};
    return operation;
}

static void add_part(struct act *act, int32_t value) {
    demand(act->out->parts < PERFORM_PARTS, "too many parts in a step of a test program");
    act->out->part[act->out->parts++] = (uint32_t)value;
}

/* What a request to a server touches there. */
static uint32_t touches_of(const struct act *act, int peer, int tag) {
    const struct program *program = act->world->program;
    const bool request = peer >= program->ranks - program->servers && tag % SERVED_TAGS == 0;
    return request && tag / SERVED_TAGS < SERVED_TOUCHES ? act->world->touches[tag / SERVED_TAGS] : 0;
}

static void issue_send(struct act *act, int peer, uint32_t request) {
    struct operation *operation = issue(act, WIRE_SEND);
    operation->mode = mode_of(act->instruction->mode);
    if (operation->mode == WIRE_SYNCHRONOUS)
        operation->function = act->instruction->op == OP_SEND ? FUNCTION_MPI_Ssend : FUNCTION_MPI_Issend;
    operation->request = request;
    operation->context = act->world->context[act->instruction->comm];
    operation->peer = peer;
    operation->tag = act->instruction->tag;
    operation->payload = (uint32_t)process_value(&act->state->process, act->instruction);
    operation->parts = 1;
    operation->touches = touches_of(act, peer, act->instruction->tag);
    if (operation->mode == WIRE_BUFFERED)
        operation->capacity = act->world->program->room * (PERFORM_BYTES + (uint64_t)WIRE_BSEND_OVERHEAD);
}

static void issue_receive(struct act *act, int peer, uint32_t request) {
    struct operation *operation = issue(act, WIRE_RECEIVE);
    operation->request = request;
    operation->context = act->world->context[act->instruction->comm];
    operation->peer = peer == PEER_ANY ? WIRE_ANY_SOURCE : peer;
    operation->tag = act->instruction->tag == TAG_ANY ? WIRE_ANY_TAG : act->instruction->tag;
    operation->capacity = PERFORM_BYTES;
    const uint8_t mode = act->instruction->mode;
    operation->mode = mode == MODE_CALM || mode == MODE_LOCKED ? WIRE_CALM : WIRE_FATAL_ERRORS;
    operation->touches = mode == MODE_LOCKED ? act->world->touches[SERVED_TAKES] : 0;
}

static void block(struct act *act, uint8_t kind) {
    act->out->call = (struct call){.kind = kind,
                                   .function = function_of[act->instruction->op],
                                   .peer = -1,
                                   .requests = act->out->requests,
                                   .request = act->out->request,
                                   .site = site(act)};
}

/* The next three begin an instruction and say whether the rank now blocks. */
static bool begin_transfer(struct act *act) {
    const struct instruction *instruction = act->instruction;
    bool sends = instruction->op == OP_SEND || instruction->op == OP_ISEND;
    bool blocks = instruction->op == OP_SEND || instruction->op == OP_RECV;
    int peer = peer_of(act);
    if (peer == PEER_NOBODY || (sends && peer == PEER_ANY))
        return false;
    struct request_slot *slot = &act->state->slot[instruction->slot];
    if (!blocks && slot->active)
        return false;
    uint32_t request = new_request(act->state);
    if (sends)
        issue_send(act, peer, request);
    else
        issue_receive(act, peer, request);
    if (!blocks) {
        *slot = (struct request_slot){.active = 1, .receives = !sends, .request = request};
        slot->into = sends ? NO_REGISTER : instruction->into;
        slot->from = sends ? NO_REGISTER : instruction->from;
        return false;
    }
    act->out->request[act->out->requests++] = request;
    block(act, WIRE_CALL_WAIT_ALL);
    return true;
}

/* A wait or test on nothing does not block. */
static bool begin_completion(struct act *act) {
    const struct instruction *instruction = act->instruction;
    unsigned slots = listed_slots(act);
    if (!slots) {
        bool all = instruction->op == OP_TEST || instruction->op == OP_TESTALL;
        if (instruction->op != OP_WAIT && instruction->op != OP_WAITALL)
            process_store(&act->state->process, instruction->into, all ? 1 : RESULT_UNDEFINED);
        return false;
    }
    for (unsigned i = 0; i < PROGRAM_SLOTS; i++)
        if (slots >> i & 1)
            act->out->request[act->out->requests++] = act->state->slot[i].request;
    block(act, call_of[instruction->op]);
    return true;
}

static bool begin_probe(struct act *act) {
    const struct instruction *instruction = act->instruction;
    int peer = peer_of(act);
    bool claims = instruction->op == OP_MPROBE || instruction->op == OP_IMPROBE;
    if (peer == PEER_NOBODY || (claims && act->state->message[instruction->slot % PROGRAM_MESSAGES].full)) {
        process_store(&act->state->process, instruction->from, RESULT_UNDEFINED);
        return false;
    }
    block(act, call_of[instruction->op]);
    act->out->call.context = act->world->context[instruction->comm];
    act->out->call.peer = peer == PEER_ANY ? WIRE_ANY_SOURCE : peer;
    act->out->call.tag = instruction->tag == TAG_ANY ? WIRE_ANY_TAG : instruction->tag;
    return true;
}

static void receive_message(struct act *act) {
    const struct instruction *instruction = act->instruction;
    struct message_slot *message = &act->state->message[instruction->slot % PROGRAM_MESSAGES];
    if (!message->full)
        return;
    struct operation *operation = issue(act, WIRE_RECEIVE_MESSAGE);
    operation->context = act->world->context[message->comm];
    operation->peer = message->source;
    operation->capacity = message->claim;
    process_store(&act->state->process, instruction->into, message->value);
    process_store(&act->state->process, instruction->from, message->source);
    *message = (struct message_slot){0};
}

static void receive_message_later(struct act *act) {
    const struct instruction *instruction = act->instruction;
    struct message_slot *message = &act->state->message[instruction->slot % PROGRAM_MESSAGES];
    struct request_slot *slot = &act->state->slot[instruction->slot];
    if (!message->full || slot->active)
        return;
    const uint32_t request = new_request(act->state);
    struct operation *operation = issue(act, WIRE_RECEIVE_MESSAGE);
    operation->request = request;
    operation->context = act->world->context[message->comm];
    operation->peer = message->source;
    operation->capacity = message->claim;
    *slot = (struct request_slot){
        .active = 1, .receives = 1, .into = instruction->into, .from = instruction->from, .request = request};
    *message = (struct message_slot){0};
}

static bool begin_detach(struct act *act) {
    block(act, WIRE_CALL_DETACH);
    return true;
}

static void cancel_or_free(struct act *act) {
    struct request_slot *slot = &act->state->slot[act->instruction->slot];
    if (!slot->active || slot->collective || (act->instruction->op == OP_CANCEL && slot->cancelled))
        return;
    if (act->instruction->op == OP_CANCEL) {
        issue(act, WIRE_CANCEL)->request = slot->request;
        slot->cancelled = 1;
        return;
    }
    issue(act, WIRE_FREE)->request = slot->request;
    act->state->abandoned |= 1ull << slot->request;
    *slot = (struct request_slot){0};
}

/* The members that have no block for the rank. */
static void list_empty(struct act *act, struct operation *operation) {
    operation->empty = act->out->parts;
    for (unsigned member = 0; member < members_of(act); member++)
        if (!sparse_has_block(member, act->state->rank))
            add_part(act, (int32_t)member);
    operation->empties = act->out->parts - operation->empty;
}

/* What the rank gives to a collective: nothing, one value, or one for each member. */
static void add_collective_parts(struct act *act, struct operation *operation) {
    const struct instruction *instruction = act->instruction;
    int32_t value = process_value(&act->state->process, instruction);
    bool is_root = operation->peer == (int)act->state->rank;
    enum opcode op = opcode_blocking(instruction->op);
    if (op == OP_SPARSE)
        list_empty(act, operation);
    operation->payload = act->out->parts;
    bool gives_all = op == OP_ALLTOALL || op == OP_SPARSE || (op == OP_SCATTER && is_root);
    bool gives_none = op == OP_BARRIER || (!is_root && (op == OP_BCAST || op == OP_SCATTER));
    operation->parts = gives_all ? members_of(act) : gives_none ? 0 : 1;
    for (unsigned i = 0; i < operation->parts; i++) {
        bool empty = op == OP_SPARSE && !sparse_has_block(act->state->rank, i);
        add_part(act, empty ? PERFORM_EMPTY : gives_all ? collective_part(value, i) : value);
    }
}

static bool begin_collective(struct act *act) {
    const struct instruction *instruction = act->instruction;
    uint8_t pattern = pattern_of(instruction->op);
    int root = peer_of(act);
    bool rooted = pattern == WIRE_FAN_IN || pattern == WIRE_FAN_OUT;
    bool nonblocking = opcode_is_nonblocking_collective(instruction->op);
    struct request_slot *slot = &act->state->slot[instruction->slot];
    bool member = program_has_member(act->world->program, collective_comm(instruction), act->state->rank);
    if (!member || (rooted && root < 0) || (nonblocking && slot->active))
        return false;
    struct operation *operation = issue(act, WIRE_COLLECTIVE);
    operation->mode = pattern;
    operation->context = act->world->context[collective_comm(instruction)];
    operation->peer = rooted ? root : -1;
    add_collective_parts(act, operation);
    if (nonblocking) {
        operation->request = new_request(act->state);
        *slot = (struct request_slot){.active = 1,
                                      .collective = instruction->op,
                                      .request = operation->request,
                                      .into = instruction->into,
                                      .members = (uint8_t)members_of(act),
                                      .root = rooted ? (uint8_t)root : 0};
        return false;
    }
    block(act, WIRE_CALL_COLLECTIVE);
    act->out->call.context = operation->context;
    act->out->call.peer = operation->peer;
    return true;
}

static bool begin(struct act *act) {
    switch (act->instruction->op) {
    case OP_SEND:
    case OP_ISEND:
    case OP_RECV:
    case OP_IRECV: return begin_transfer(act);
    case OP_PROBE:
    case OP_IPROBE:
    case OP_MPROBE:
    case OP_IMPROBE: return begin_probe(act);
    case OP_MRECV: receive_message(act); return false;
    case OP_IMRECV: receive_message_later(act); return false;
    case OP_DETACH: return begin_detach(act);
    case OP_CANCEL:
    case OP_FREE: cancel_or_free(act); return false;
    }
    return opcode_is_collective(act->instruction->op) ? begin_collective(act) : begin_completion(act);
}

/* Is the rank entitled to a member's data? */
static bool is_entitled(const struct act *act, enum opcode op, unsigned root, unsigned member) {
    unsigned rank = act->state->rank, ranks = act->world->program->ranks;
    if (opcode_blocking(op) == OP_SPARSE)
        return sparse_has_block(member, rank);
    switch (pattern_of(op)) {
    case WIRE_FAN_OUT: return member == root;
    case WIRE_FAN_IN: return rank == root;
    case WIRE_PREFIX: return member <= rank;
    case WIRE_PREFIX_EXCLUSIVE: return member < rank;
    case WIRE_NEIGHBOURS: return member == (rank + ranks - 1) % ranks;
    default: return true;
    }
}

/* The result of a collective, blocking or not, from the parts that the explorer gave. */
static void take_collective(struct act *act, enum opcode op, unsigned members, unsigned root, uint8_t into,
                            const struct completion *part, uint32_t parts) {
    int32_t value[PROGRAM_RANKS] = {0};
    bool barrier = opcode_blocking(op) == OP_BARRIER;
    uint32_t taken = 0;
    for (unsigned member = 0; member < members; member++) {
        if (!is_entitled(act, op, root, member))
            continue;
        demand(taken < parts, "a collective's number of parts");
        demand(part[taken].index == member && part[taken].with_data && !part[taken].parts, "a collective's parts");
        demand((part[taken].payload == NO_PAYLOAD) == barrier, "a collective's payload");
        value[taken] = (int32_t)part[taken].payload;
        taken++;
    }
    demand(taken == parts, "a collective's number of parts");
    if (parts && !barrier)
        process_store(&act->state->process, into,
                      collective_folds(op) ? collective_fold(value, parts) : collective_sum(value, parts));
}

static void end_request(struct act *act, unsigned number, const struct completion *completion) {
    struct request_slot *slot = &act->state->slot[number];
    if (slot->collective) {
        demand(!completion->cancelled && !completion->with_data, "a collective completed strangely");
        take_collective(act, slot->collective, slot->members, slot->root, slot->into, completion + 1, completion->parts);
        *slot = (struct request_slot){0};
        return;
    }
    demand(!completion->parts, "a send or receive completed with parts");
    demand(!completion->cancelled || slot->cancelled, "a request was cancelled that the program did not cancel");
    if (slot->receives && !completion->cancelled) {
        demand(completion->with_data && completion->payload != NO_PAYLOAD, "a receive completed without data");
        process_store(&act->state->process, slot->into, (int32_t)completion->payload);
        process_store(&act->state->process, slot->from, completion->source);
    }
    if (!slot->receives)
        demand(completion->source == -1 && completion->payload == NO_PAYLOAD, "a send completed with data");
    *slot = (struct request_slot){0};
}

/* Ends the requests that the answer names; returns the set of their slots. */
static unsigned end_requests(struct act *act, const struct resolution *resolution, int32_t *cancelled) {
    unsigned number[PROGRAM_SLOTS], count = 0, ended = 0, slots = listed_slots(act);
    for (unsigned i = 0; i < PROGRAM_SLOTS; i++)
        if (slots >> i & 1)
            number[count++] = i;
    for (uint32_t i = 0; i < resolution->completions; i += 1 + resolution->completion[i].parts) {
        const struct completion *completion = &resolution->completion[i];
        demand(completion->parts < resolution->completions - i, "more parts than completions");
        demand(completion->index < count && !(ended >> number[completion->index] & 1), "completion of no request");
        ended |= 1u << number[completion->index];
        *cancelled = completion->cancelled;
        end_request(act, number[completion->index], completion);
    }
    return ended;
}

static void answer_completion(struct act *act, const struct resolution *resolution) {
    const struct instruction *instruction = act->instruction;
    unsigned listed = listed_slots(act);
    int32_t cancelled = 0;
    bool tests = instruction->op >= OP_TEST && instruction->op <= OP_TESTSOME;
    demand(resolution->kind == (resolution->completions ? WIRE_COMPLETED : WIRE_NOT_YET), "answer of the wrong kind");
    demand(tests || resolution->completions, "a wait was answered with nothing");
    unsigned ended = end_requests(act, resolution, &cancelled);
    int32_t result = 0;
    switch (instruction->op) {
    case OP_WAIT:
    case OP_WAITALL:
        demand(ended == listed, "a wait for all was answered with some");
        result = cancelled;
        break;
    case OP_TEST:
    case OP_TESTALL:
        demand(!ended || ended == listed, "a test for all was answered with some");
        result = ended != 0;
        break;
    case OP_WAITANY:
    case OP_TESTANY:
        demand((ended & (ended - 1)) == 0 || !ended, "a wait or test for one was answered with several");
        result = ended ? __builtin_ctz(ended) : RESULT_NOT_YET;
        break;
    default: result = (int32_t)ended;
    }
    if (instruction->op != OP_WAITALL)
        process_store(&act->state->process, instruction->into, result);
}

static void answer_transfer(struct act *act, const struct resolution *resolution) {
    demand(resolution->kind == WIRE_COMPLETED && resolution->completions == 1, "a blocking transfer needs one completion");
    const struct completion *completion = &resolution->completion[0];
    demand(completion->index == 0 && !completion->cancelled, "a blocking transfer completed strangely");
    if (act->instruction->op == OP_SEND)
        return;
    demand(completion->with_data && completion->source >= 0, "a receive completed without data");
    process_store(&act->state->process, act->instruction->into, (int32_t)completion->payload);
    process_store(&act->state->process, act->instruction->from, completion->source);
}

static void answer_probe(struct act *act, const struct resolution *resolution) {
    const struct instruction *instruction = act->instruction;
    bool claims = instruction->op == OP_MPROBE || instruction->op == OP_IMPROBE;
    if (resolution->kind == WIRE_NOT_YET) {
        demand(instruction->op == OP_IPROBE || instruction->op == OP_IMPROBE, "a blocking probe was told not yet");
        process_store(&act->state->process, instruction->from, RESULT_NOT_YET);
        return;
    }
    demand(resolution->kind == WIRE_FOUND && resolution->completions == 1, "a probe needs one completion");
    const struct completion *completion = &resolution->completion[0];
    demand(completion->with_data == claims && completion->payload != NO_PAYLOAD, "a probe's data");
    process_store(&act->state->process, instruction->from, completion->source);
    process_store(&act->state->process, instruction->into, completion->tag);
    if (claims)
        act->state->message[instruction->slot % PROGRAM_MESSAGES] = (struct message_slot){.full = 1,
                                                                                          .comm = instruction->comm,
                                                                                          .source = completion->source,
                                                                                          .value = (int32_t)completion->payload,
                                                                                          .claim = completion->claim};
}

static void answer_collective(struct act *act, const struct resolution *resolution) {
    const struct instruction *instruction = act->instruction;
    demand(resolution->kind == WIRE_LEFT, "a collective's answer");
    int root = peer_of(act);
    take_collective(act, instruction->op, members_of(act), (unsigned)root, instruction->into, resolution->completion,
                    resolution->completions);
}

static void answer(struct act *act, const struct resolution *resolution) {
    if (!act->state->started) {
        demand(resolution->kind == WIRE_GO && !resolution->completions, "MPI_Init is answered by GO");
        act->state->started = 1;
        return;
    }
    if (act->instruction->op == OP_SEND || act->instruction->op == OP_RECV)
        answer_transfer(act, resolution);
    else if (act->instruction->op == OP_DETACH)
        demand(resolution->kind == WIRE_COMPLETED && !resolution->completions, "a detached buffer needs no completions");
    else if (opcode_is_collective(act->instruction->op))
        answer_collective(act, resolution);
    else if (act->instruction->op >= OP_PROBE && act->instruction->op <= OP_IMPROBE)
        answer_probe(act, resolution);
    else
        answer_completion(act, resolution);
    act->state->process.pc++;
}

void perform(const struct perform_world *world, struct local_state *state, const struct resolution *resolution,
             struct performance *performance) {
    performance->operations = performance->parts = performance->requests = 0;
    struct act act = {.world = world, .state = state, .out = performance};
    act.instruction = &world->program->instruction[state->rank][state->process.pc];
    answer(&act, resolution);
    for (unsigned done = 0; done < COMPUTE_LIMIT; done++) {
        process_compute(world->program, state->rank, &state->process);
        if (state->process.end != PROCESS_RUNS)
            return;
        act.instruction = &world->program->instruction[state->rank][state->process.pc];
        if (begin(&act))
            return;
        state->process.pc++;
    }
    state->process.end = PROCESS_RAN_AWAY;
}
