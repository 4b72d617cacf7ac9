#include "tests/oracle/emit_c.h"

/* What every emitted program has: registers, slots, and the calls with their guards. What a call told is kept in a block of memory
 * besides, of which the program makes no use. */
static const char preamble[] =
    "#include <mpi.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "\n"
    "#define NOT_YET (-1)\n"
    "#define UNDEFINED (-2)\n"
    "\n"
    "static int r[8], ranks, cancelled[4], message_source[2];\n"
    "static MPI_Comm comm[3];\n"
    "static MPI_Request slot[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};\n"
    "static int *box[4], *into[4], *from[4], list[4], collective[4], folds[4];\n"
    "static MPI_Message message[2] = {MPI_MESSAGE_NULL, MPI_MESSAGE_NULL};\n"
    "\n"
    "static int *block[8], held[8];\n"
    "static void keep(int i) {\n"
    "    int *made = malloc(16 * (i + 1));\n"
    "    if (block[i] && *block[i] != held[i])\n"
    "        abort();\n"
    "    free(block[i]);\n"
    "    block[i] = made;\n"
    "    *made = held[i] = r[i];\n"
    "}\n"
    "\n"
    "static int is_rank(int peer, int members) { return peer >= 0 && peer < members; }\n"
    "\n"
    "/* The active requests of a set of slots. */\n"
    "static int active(unsigned slots, MPI_Request *request) {\n"
    "    int count = 0;\n"
    "    for (int i = 0; i < 4; i++)\n"
    "        if (slots >> i & 1 && slot[i] != MPI_REQUEST_NULL) {\n"
    "            request[count] = slot[i];\n"
    "            list[count++] = i;\n"
    "        }\n"
    "    return count;\n"
    "}\n"
    "\n"
    "static int fold(const int *value, int count) {\n"
    "    int result = 0;\n"
    "    for (int i = 0; i < count; i++)\n"
    "        result = (result * 31 + value[i]) & 0xffff;\n"
    "    return result;\n"
    "}\n"
    "\n"
    "/* The request of slot i is complete: returns whether it was cancelled. */\n"
    "static int finish(int i, const MPI_Status *status) {\n"
    "    int flag = 0;\n"
    "    slot[i] = MPI_REQUEST_NULL;\n"
    "    if (cancelled[i])\n"
    "        MPI_Test_cancelled(status, &flag);\n"
    "    cancelled[i] = 0;\n"
    "    collective[i] = 0;\n"
    "    if (!flag && into[i])\n"
    "        *into[i] = folds[i] ? fold(box[i], folds[i]) : *box[i] & 0xffff;\n"
    "    folds[i] = 0;\n"
    "    if (!flag && from[i])\n"
    "        *from[i] = status->MPI_SOURCE;\n"
    "    if (!flag && into[i])\n"
    "        keep(into[i] - r);\n"
    "    return flag;\n"
    "}\n"
    "\n";

static const char ending[] =
    "int main(int argc, char **argv) {\n"
    "    int rank;\n"
    "    static char buffer[16384];\n"
    "    MPI_Init(&argc, &argv);\n"
    "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "    MPI_Comm_size(MPI_COMM_WORLD, &ranks);\n"
    "    MPI_Buffer_attach(buffer, ROOM ? ROOM * ((int)sizeof(int) + MPI_BSEND_OVERHEAD) : (int)sizeof buffer);\n"
    "    comm[0] = MPI_COMM_WORLD;\n"
    "    (void)message, (void)message_source, (void)is_rank, (void)active, (void)finish, (void)fold; /* if unused */\n";

struct emission {
    FILE *out;
    const struct program *program;
    unsigned rank;
    const struct instruction *instruction;
    unsigned members; /* of the communicator of the instruction */
    unsigned index;   /* names the variables of this instruction */
    char peer[16];
    char tag[16];
};

static void store(const struct emission *emission, uint8_t reg, const char *value) {
    if (reg != NO_REGISTER)
        fprintf(emission->out, "        r[%u] = %s;\n        keep(%u);\n", reg, value, reg);
}

static void describe(struct emission *emission) {
    const struct instruction *instruction = emission->instruction;
    if (instruction->peer == PEER_ANY)
        snprintf(emission->peer, sizeof emission->peer, "MPI_ANY_SOURCE");
    else if (instruction->peer >= 0)
        snprintf(emission->peer, sizeof emission->peer, "%d", instruction->peer);
    else
        snprintf(emission->peer, sizeof emission->peer, "r[%d]", -2 - instruction->peer);
    if (instruction->tag == TAG_ANY)
        snprintf(emission->tag, sizeof emission->tag, "MPI_ANY_TAG");
    else
        snprintf(emission->tag, sizeof emission->tag, "%d", instruction->tag);
}

/* Opens the block of an instruction that names a rank in a register: it does nothing if that holds none. */
static void open_block(const struct emission *emission, const char *condition) {
    bool guarded = emission->instruction->peer < PEER_ANY;
    bool apart = emission->rank >= emission->members || emission->instruction->peer >= (int)emission->members;
    char named[48] = "";
    if (guarded)
        snprintf(named, sizeof named, "is_rank(%s, %u)", emission->peer, emission->members);
    fprintf(emission->out, "    if (%s%s%s%s) {\n", apart ? "0 && " : "", guarded ? named : "1", *condition ? " && " : "",
            condition);
}

static void emit_send(const struct emission *emission) {
    static const char *const letter[] = {"", "s", "b", "", "r"}, *const first[] = {"S", "Ss", "Bs", "", "Rs"};
    const struct instruction *instruction = emission->instruction;
    char idle[48] = "";
    bool blocks = instruction->op == OP_SEND;
    if (!blocks)
        snprintf(idle, sizeof idle, "slot[%u] == MPI_REQUEST_NULL", instruction->slot);
    open_block(emission, idle);
    fprintf(emission->out, "        static int sent;\n        sent = r[%u] & 0xffff;\n", instruction->value);
    if (blocks) {
        fprintf(emission->out, "        MPI_%send(&sent, 1, MPI_INT, %s, %s, comm[%u]);\n", first[instruction->mode],
                emission->peer, emission->tag, instruction->comm);
        return;
    }
    fprintf(emission->out, "        into[%u] = from[%u] = NULL;\n", instruction->slot, instruction->slot);
    fprintf(emission->out, "        MPI_I%ssend(&sent, 1, MPI_INT, %s, %s, comm[%u], &slot[%u]);\n", letter[instruction->mode],
            emission->peer, emission->tag, instruction->comm, instruction->slot);
}

static void emit_address(const struct emission *emission, const char *table, uint8_t reg) {
    if (reg == NO_REGISTER)
        fprintf(emission->out, "        %s[%u] = NULL;\n", table, emission->instruction->slot);
    else
        fprintf(emission->out, "        %s[%u] = &r[%u];\n", table, emission->instruction->slot, reg);
}

static void emit_receive(const struct emission *emission) {
    const struct instruction *instruction = emission->instruction;
    char idle[48] = "";
    bool blocks = instruction->op == OP_RECV;
    if (!blocks)
        snprintf(idle, sizeof idle, "slot[%u] == MPI_REQUEST_NULL", instruction->slot);
    open_block(emission, idle);
    fprintf(emission->out, "        static int received;\n");
    if (blocks) {
        fprintf(emission->out,
                "        MPI_Status status;\n        MPI_Recv(&received, 1, MPI_INT, %s, %s, comm[%u], &status);\n",
                emission->peer, emission->tag, instruction->comm);
        store(emission, instruction->into, "received");
        store(emission, instruction->from, "status.MPI_SOURCE");
        return;
    }
    fprintf(emission->out, "        box[%u] = &received;\n", instruction->slot);
    emit_address(emission, "into", instruction->into);
    emit_address(emission, "from", instruction->from);
    fprintf(emission->out, "        MPI_Irecv(&received, 1, MPI_INT, %s, %s, comm[%u], &slot[%u]);\n", emission->peer,
            emission->tag, instruction->comm, instruction->slot);
}

/* One request, or all of them. */
static void emit_all(const struct emission *emission, unsigned slots) {
    const struct instruction *instruction = emission->instruction;
    bool tests = instruction->op == OP_TEST || instruction->op == OP_TESTALL;
    bool single = instruction->op == OP_TEST || instruction->op == OP_WAIT;
    fprintf(emission->out,
            "        MPI_Request request[4];\n        MPI_Status status[4];\n"
            "        int flag = 1, count = active(0x%x, request), was_cancelled = 0;\n",
            slots);
    fprintf(emission->out, "        if (count)\n            MPI_%s%s(%srequest, %sstatus);\n", tests ? "Test" : "Wait",
            single ? "" : "all", single ? "" : "count, ", tests ? "&flag, " : "");
    fprintf(emission->out, "        for (int i = 0; flag && i < count; i++)\n"
                           "            was_cancelled = finish(list[i], &status[i]);\n");
    fprintf(emission->out, "        (void)was_cancelled;\n");
    if (tests)
        store(emission, instruction->into, "flag");
    else if (single && instruction->into != NO_REGISTER)
        fprintf(emission->out, "        if (count)\n            r[%u] = was_cancelled;\n", instruction->into);
}

static void emit_any(const struct emission *emission) {
    const struct instruction *instruction = emission->instruction;
    bool tests = instruction->op == OP_TESTANY;
    fprintf(emission->out,
            "        MPI_Request request[4];\n        MPI_Status status;\n"
            "        int flag = 1, index, result = UNDEFINED, count = active(0x%x, request);\n",
            instruction->slots);
    fprintf(emission->out,
            "        if (count) {\n            MPI_%sany(count, request, &index, %s&status);\n"
            "            result = flag ? list[index] : NOT_YET;\n"
            "            if (flag)\n                finish(result, &status);\n        }\n",
            tests ? "Test" : "Wait", tests ? "&flag, " : "");
    store(emission, instruction->into, "result");
}

static void emit_some(const struct emission *emission) {
    const struct instruction *instruction = emission->instruction;
    fprintf(emission->out,
            "        MPI_Request request[4];\n        MPI_Status status[4];\n"
            "        int index[4], done = 0, result = 0, count = active(0x%x, request);\n",
            instruction->slots);
    fprintf(emission->out,
            "        if (count)\n            MPI_%ssome(count, request, &done, index, status);\n"
            "        else\n            result = UNDEFINED;\n",
            instruction->op == OP_TESTSOME ? "Test" : "Wait");
    /* A program's slots finish in their order, the array may be in any. */
    fprintf(emission->out, "        for (int k = 0; k < count; k++)\n            for (int i = 0; i < done; i++)\n"
                           "                if (index[i] == k) {\n                    finish(list[k], &status[i]);\n"
                           "                    result |= 1 << list[k];\n                }\n");
    store(emission, instruction->into, "result");
}

static void emit_probe(const struct emission *emission) {
    const struct instruction *instruction = emission->instruction;
    bool claims = instruction->op == OP_MPROBE || instruction->op == OP_IMPROBE;
    bool polls = instruction->op == OP_IPROBE || instruction->op == OP_IMPROBE;
    char idle[48] = "", target[32] = "";
    unsigned slot = instruction->slot % PROGRAM_MESSAGES;
    if (claims) {
        snprintf(idle, sizeof idle, "message[%u] == MPI_MESSAGE_NULL", slot);
        snprintf(target, sizeof target, "&message[%u], ", slot);
    }
    open_block(emission, idle);
    fprintf(emission->out, "        MPI_Status status;\n        int flag = 1;\n");
    fprintf(emission->out, "        MPI_%s%srobe(%s, %s, comm[%u], %s%s&status);\n", polls ? "I" : "",
            claims ? (polls ? "mp" : "Mp") : (polls ? "p" : "P"), emission->peer, emission->tag, instruction->comm,
            polls ? "&flag, " : "", target);
    if (claims)
        fprintf(emission->out, "        if (flag)\n            message_source[%u] = status.MPI_SOURCE;\n", slot);
    store(emission, instruction->from, "flag ? status.MPI_SOURCE : NOT_YET");
    if (instruction->into != NO_REGISTER)
        fprintf(emission->out, "        if (flag)\n            r[%u] = status.MPI_TAG;\n", instruction->into);
    if (instruction->from != NO_REGISTER)
        fprintf(emission->out, "    } else {\n        r[%u] = UNDEFINED;\n", instruction->from);
}

static void emit_mrecv(const struct emission *emission) {
    const struct instruction *instruction = emission->instruction;
    unsigned slot = instruction->slot % PROGRAM_MESSAGES;
    char source[32];
    snprintf(source, sizeof source, "message_source[%u]", slot);
    fprintf(emission->out,
            "    if (message[%u] != MPI_MESSAGE_NULL) {\n        int received;\n"
            "        MPI_Mrecv(&received, 1, MPI_INT, &message[%u], MPI_STATUS_IGNORE);\n",
            slot, slot);
    store(emission, instruction->into, "received");
    store(emission, instruction->from, source);
}

static void emit_imrecv(const struct emission *emission) {
    const unsigned request = emission->instruction->slot, slot = request % PROGRAM_MESSAGES;
    fprintf(emission->out,
            "    if (message[%u] != MPI_MESSAGE_NULL && slot[%u] == MPI_REQUEST_NULL) {\n        static int received;\n"
            "        box[%u] = &received;\n",
            slot, request, request);
    emit_address(emission, "into", emission->instruction->into);
    emit_address(emission, "from", emission->instruction->from);
    fprintf(emission->out, "        MPI_Imrecv(&received, 1, MPI_INT, &message[%u], &slot[%u]);\n", slot, request);
}

static void emit_detach(const struct emission *emission) {
    fprintf(emission->out, "    {\n        void *buffer;\n        int size;\n        MPI_Buffer_detach(&buffer, &size);\n"
                           "        MPI_Buffer_attach(buffer, size);\n");
}

static void emit_cancel_or_free(const struct emission *emission) {
    const struct instruction *instruction = emission->instruction;
    unsigned slot = instruction->slot;
    if (instruction->op == OP_CANCEL)
        fprintf(emission->out,
                "    if (slot[%u] != MPI_REQUEST_NULL && !cancelled[%u] && !collective[%u]) {\n"
                "        cancelled[%u] = 1;\n        MPI_Cancel(&slot[%u]);\n",
                slot, slot, slot, slot, slot);
    else
        fprintf(emission->out,
                "    if (slot[%u] != MPI_REQUEST_NULL && !collective[%u]) {\n        cancelled[%u] = 0;\n"
                "        MPI_Request_free(&slot[%u]);\n",
                slot, slot, slot, slot);
}

/* The name after "MPI_" or "MPI_I", in lower case, and what is between the parentheses up to the communicator: every collective
 * works on own[] and all[], one int a member. */
static const struct {
    const char *name, *arguments;
} collective_call[OP_COUNT] = {
    [OP_BARRIER] = {"barrier", ""},
    [OP_BCAST] = {"bcast", "own, 1, MPI_INT, "},
    [OP_REDUCE] = {"reduce", "own, all, 1, MPI_INT, MPI_SUM, "},
    [OP_ALLREDUCE] = {"allreduce", "own, all, 1, MPI_INT, MPI_SUM, "},
    [OP_GATHER] = {"gather", "own, 1, MPI_INT, all, 1, MPI_INT, "},
    [OP_SCATTER] = {"scatter", "own, 1, MPI_INT, all, 1, MPI_INT, "},
    [OP_ALLTOALL] = {"alltoall", "own, 1, MPI_INT, all, 1, MPI_INT, "},
    [OP_SCAN] = {"scan", "own, all, 1, MPI_INT, MPI_SUM, "},
    [OP_EXSCAN] = {"exscan", "own, all, 1, MPI_INT, MPI_SUM, "},
    [OP_RING] = {"neighbor_allgather", "own, 1, MPI_INT, all, 1, MPI_INT, "},
    [OP_SPARSE] = {"alltoallv", "own, given, places, MPI_INT, all, taken, packed, MPI_INT, "},
};

/* The condition under which this rank gets a result. */
static void emit_has_result(const struct emission *emission, enum opcode op) {
    if (op == OP_SPARSE) {
        fprintf(emission->out, "blocks > 0");
        return;
    }
    if (op == OP_REDUCE || op == OP_GATHER)
        fprintf(emission->out, "rank == %s", emission->peer);
    else
        fprintf(emission->out, op == OP_BARRIER ? "0" : op == OP_EXSCAN ? "rank > 0" : "1");
}

static void emit_collective_result(const struct emission *emission, enum opcode op) {
    const struct instruction *instruction = emission->instruction;
    if (op == OP_BARRIER || instruction->into == NO_REGISTER)
        return;
    fprintf(emission->out, "        if (");
    emit_has_result(emission, op);
    fprintf(emission->out, ")\n    ");
    store(emission, instruction->into,
          op == OP_BCAST         ? "own[0]"
          : op == OP_SPARSE      ? "fold(all, blocks)"
          : collective_folds(op) ? "fold(all, members)"
                                 : "all[0] & 0xffff");
}

/* The buffers are the instruction's own: it may be begun again only once it is complete. */
static void emit_collective_request(const struct emission *emission, enum opcode op) {
    const struct instruction *instruction = emission->instruction;
    unsigned slot = instruction->slot;
    fprintf(emission->out, "        collective[%u] = 1;\n        folds[%u] = %s;\n        from[%u] = NULL;\n", slot, slot,
            op == OP_SPARSE        ? "blocks"
            : collective_folds(op) ? "members"
                                   : "0",
            slot);
    fprintf(emission->out, "        box[%u] = %s;\n", slot, op == OP_BCAST ? "own" : "all");
    fprintf(emission->out, "        into[%u] = ", slot);
    emit_has_result(emission, op);
    if (instruction->into == NO_REGISTER)
        fprintf(emission->out, " ? NULL : NULL;\n");
    else
        fprintf(emission->out, " ? &r[%u] : NULL;\n", instruction->into);
}

static void emit_collective(const struct emission *emission) {
    const struct instruction *instruction = emission->instruction;
    enum opcode op = opcode_blocking(instruction->op);
    bool nonblocking = opcode_is_nonblocking_collective(instruction->op), rooted = collective_has_root(op);
    char idle[48] = "", request[16] = "";
    if (nonblocking) {
        snprintf(idle, sizeof idle, "slot[%u] == MPI_REQUEST_NULL", instruction->slot);
        snprintf(request, sizeof request, ", &slot[%u]", instruction->slot);
    }
    open_block(emission, idle);
    fprintf(emission->out,
            "        static int own[6], all[6];\n        int members = %u;\n        for (int i = 0; i < members; i++)\n"
            "            own[i] = ((r[%u] & 0xffff) + %d * i) & 0xffff;\n        (void)all;\n",
            emission->members, instruction->value, op == OP_SCATTER || op == OP_ALLTOALL || op == OP_SPARSE ? 13 : 0);
    if (op == OP_SPARSE)
        fprintf(emission->out,
                "        static int given[6], taken[6], places[6], packed[6];\n        int blocks = 0;\n"
                "        for (int i = 0; i < members; i++) {\n            places[i] = i;\n            packed[i] = blocks;\n"
                "            given[i] = (rank + 2 * i) %% 3 == 1;\n            blocks += taken[i] = (i + 2 * rank) %% 3 == 1;\n"
                "        }\n");
    const char *name = collective_call[op].name;
    fprintf(emission->out, "        MPI_%s%c%s(%s%s%scomm[%u]%s);\n", nonblocking ? "I" : "",
            nonblocking ? *name : *name - 'a' + 'A', name + 1, collective_call[op].arguments, rooted ? emission->peer : "",
            rooted ? ", " : "", collective_comm(instruction), request);
    if (nonblocking)
        emit_collective_request(emission, op);
    else
        emit_collective_result(emission, op);
}

static void emit_local(const struct emission *emission) {
    const struct instruction *instruction = emission->instruction;
    unsigned into = instruction->into, value = instruction->value;
    fprintf(emission->out, "    {\n");
    switch (instruction->op) {
    case OP_SET: fprintf(emission->out, "        r[%u] = %d;\n", into, instruction->constant); return;
    case OP_MIX: fprintf(emission->out, "        r[%u] = (r[%u] * 31 + r[%u] + 5) & 0xffff;\n", into, into, value); return;
    case OP_ADD: fprintf(emission->out, "        r[%u] = (r[%u] + r[%u]) & 0xffff;\n", into, into, value); return;
    case OP_PRINT: fprintf(emission->out, "        printf(\"%%d\\n\", r[%u]);\n", value); return;
    case OP_SKIP_IF:
    case OP_SKIP_UNLESS:
        fprintf(emission->out, "        if (r[%u] %s %d)\n            goto at_%u;\n", value,
                instruction->op == OP_SKIP_IF ? "==" : "!=", instruction->constant, emission->index + 1 + instruction->skip);
        return;
    case OP_AGAIN_IF:
        fprintf(emission->out, "        if (r[%u] == %d)\n            goto at_%u;\n", value, instruction->constant,
                emission->index - instruction->skip);
        return;
    case OP_CRASH_IF:
        fprintf(emission->out, "        if (r[%u] == %d)\n            *(volatile int *)0 = 0;\n", value, instruction->constant);
        return;
    }
}

static void emit_instruction(struct emission *emission) {
    describe(emission);
    emission->members = program_members(emission->program, collective_comm(emission->instruction));
    switch (emission->instruction->op) {
    case OP_SEND:
    case OP_ISEND: emit_send(emission); break;
    case OP_RECV:
    case OP_IRECV: emit_receive(emission); break;
    case OP_WAIT:
    case OP_TEST:
        fprintf(emission->out, "    {\n");
        emit_all(emission, 1u << emission->instruction->slot);
        break;
    case OP_WAITALL:
    case OP_TESTALL:
        fprintf(emission->out, "    {\n");
        emit_all(emission, emission->instruction->slots);
        break;
    case OP_WAITANY:
    case OP_TESTANY:
        fprintf(emission->out, "    {\n");
        emit_any(emission);
        break;
    case OP_WAITSOME:
    case OP_TESTSOME:
        fprintf(emission->out, "    {\n");
        emit_some(emission);
        break;
    case OP_PROBE:
    case OP_IPROBE:
    case OP_MPROBE:
    case OP_IMPROBE: emit_probe(emission); break;
    case OP_MRECV: emit_mrecv(emission); break;
    case OP_IMRECV: emit_imrecv(emission); break;
    case OP_DETACH: emit_detach(emission); break;
    case OP_CANCEL:
    case OP_FREE: emit_cancel_or_free(emission); break;
    default:
        if (opcode_is_collective(emission->instruction->op))
            emit_collective(emission);
        else
            emit_local(emission);
    }
    fprintf(emission->out, "    }\n");
}

/* Does a jump lead to instruction `index` (or beyond the end, for index == length)? */
static bool is_target(const struct program *program, unsigned rank, unsigned index) {
    for (unsigned i = 0; i < program->length[rank]; i++) {
        const struct instruction *instruction = &program->instruction[rank][i];
        unsigned target = i + 1 + instruction->skip;
        if ((instruction->op == OP_SKIP_IF || instruction->op == OP_SKIP_UNLESS) && target == index)
            return true;
        if (instruction->op == OP_AGAIN_IF && i - instruction->skip == index)
            return true;
    }
    return false;
}

static void emit_rank(const struct program *program, unsigned rank, FILE *out) {
    fprintf(out, "static void rank_%u(int rank) {\n    (void)rank;\n", rank);
    for (unsigned i = 0; i < 2 * PROGRAM_INSTRUCTIONS; i++) {
        if (is_target(program, rank, i))
            fprintf(out, "at_%u:;\n", i);
        if (i >= program->length[rank])
            continue;
        struct emission emission = {
            .out = out, .program = program, .rank = rank, .instruction = &program->instruction[rank][i], .index = i};
        emit_instruction(&emission);
    }
    fprintf(out, "}\n\n");
}

static bool uses(const struct program *program, unsigned comm) {
    for (unsigned rank = 0; rank < program->ranks; rank++)
        for (unsigned i = 0; i < program->length[rank]; i++)
            if (program->instruction[rank][i].op < OP_SET && collective_comm(&program->instruction[rank][i]) == comm)
                return true;
    return false;
}

void emit_c(const struct program *program, FILE *out) {
    fprintf(out, "/* ranks: %u\n", program->ranks);
    program_print(program, out);
    fprintf(out, "*/\nenum { ROOM = %u };\n%s", program->room, preamble);
    for (unsigned rank = 0; rank < program->ranks; rank++)
        emit_rank(program, rank, out);
    fprintf(out, "%s", ending);
    if (uses(program, 1) && program_members(program, 1) == program->ranks)
        fprintf(out, "    MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);\n");
    else if (uses(program, 1))
        fprintf(out, "    MPI_Comm_split(MPI_COMM_WORLD, rank < %u ? 0 : MPI_UNDEFINED, rank, &comm[1]);\n",
                program_members(program, 1));
    if (uses(program, PROGRAM_RING))
        fprintf(out,
                "    int before = (rank + ranks - 1) %% ranks, after = (rank + 1) %% ranks;\n"
                "    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &after, MPI_UNWEIGHTED,\n"
                "                                   MPI_INFO_NULL, 0, &comm[2]);\n");
    fprintf(out, "    static void (*const body[])(int) = {");
    for (unsigned rank = 0; rank < program->ranks; rank++)
        fprintf(out, "%srank_%u", rank ? ", " : "", rank);
    fprintf(out, "};\n    body[rank](rank);\n");
    for (unsigned i = 1; i <= PROGRAM_RING; i++)
        if (uses(program, i))
            fprintf(out, "    if (comm[%u] != MPI_COMM_NULL)\n        MPI_Comm_free(&comm[%u]);\n", i, i);
    fprintf(out, "    MPI_Finalize();\n    return 0;\n}\n");
}
