#include "tests/oracle/program.h"

#include <stdlib.h>
#include <string.h>

enum field {
    MODE = 1 << 0,
    PEER = 1 << 1,
    TAG = 1 << 2,
    COMM = 1 << 3,
    VALUE = 1 << 4,
    INTO = 1 << 5,
    FROM = 1 << 6,
    SLOT = 1 << 7,
    SLOTS = 1 << 8,
    SKIP = 1 << 9,
    CONSTANT = 1 << 10,
};

/* The one description of the instructions: name and members in use. */
static const struct {
    const char *name;
    unsigned fields;
} table[OP_COUNT] = {
    [OP_SEND] = {"send", MODE | PEER | TAG | COMM | VALUE},
    [OP_ISEND] = {"isend", MODE | PEER | TAG | COMM | VALUE | SLOT},
    [OP_RECV] = {"recv", MODE | PEER | TAG | COMM | INTO | FROM},
    [OP_IRECV] = {"irecv", PEER | TAG | COMM | INTO | FROM | SLOT},
    [OP_WAIT] = {"wait", SLOT | INTO},
    [OP_WAITALL] = {"waitall", SLOTS},
    [OP_WAITANY] = {"waitany", SLOTS | INTO},
    [OP_WAITSOME] = {"waitsome", SLOTS | INTO},
    [OP_TEST] = {"test", SLOT | INTO},
    [OP_TESTALL] = {"testall", SLOTS | INTO},
    [OP_TESTANY] = {"testany", SLOTS | INTO},
    [OP_TESTSOME] = {"testsome", SLOTS | INTO},
    [OP_PROBE] = {"probe", PEER | TAG | COMM | INTO | FROM},
    [OP_IPROBE] = {"iprobe", PEER | TAG | COMM | INTO | FROM},
    [OP_MPROBE] = {"mprobe", PEER | TAG | COMM | INTO | FROM | SLOT},
    [OP_IMPROBE] = {"improbe", PEER | TAG | COMM | INTO | FROM | SLOT},
    [OP_MRECV] = {"mrecv", SLOT | INTO | FROM},
    [OP_IMRECV] = {"imrecv", SLOT | INTO | FROM},
    [OP_CANCEL] = {"cancel", SLOT},
    [OP_FREE] = {"free", SLOT},
    [OP_DETACH] = {"detach", 0},
    [OP_BARRIER] = {"barrier", COMM},
    [OP_BCAST] = {"bcast", PEER | COMM | VALUE | INTO},
    [OP_REDUCE] = {"reduce", PEER | COMM | VALUE | INTO},
    [OP_ALLREDUCE] = {"allreduce", COMM | VALUE | INTO},
    [OP_GATHER] = {"gather", PEER | COMM | VALUE | INTO},
    [OP_SCATTER] = {"scatter", PEER | COMM | VALUE | INTO},
    [OP_ALLTOALL] = {"alltoall", COMM | VALUE | INTO},
    [OP_SCAN] = {"scan", COMM | VALUE | INTO},
    [OP_EXSCAN] = {"exscan", COMM | VALUE | INTO},
    [OP_RING] = {"ring", VALUE | INTO},            /* neighbourhood allgather: everybody gets its predecessor's value */
    [OP_SPARSE] = {"sparse", COMM | VALUE | INTO}, /* all-to-all in which many blocks are empty */
    [OP_IBARRIER] = {"ibarrier", COMM | SLOT},
    [OP_IBCAST] = {"ibcast", PEER | COMM | VALUE | INTO | SLOT},
    [OP_IREDUCE] = {"ireduce", PEER | COMM | VALUE | INTO | SLOT},
    [OP_IALLREDUCE] = {"iallreduce", COMM | VALUE | INTO | SLOT},
    [OP_IGATHER] = {"igather", PEER | COMM | VALUE | INTO | SLOT},
    [OP_ISCATTER] = {"iscatter", PEER | COMM | VALUE | INTO | SLOT},
    [OP_IALLTOALL] = {"ialltoall", COMM | VALUE | INTO | SLOT},
    [OP_ISCAN] = {"iscan", COMM | VALUE | INTO | SLOT},
    [OP_IEXSCAN] = {"iexscan", COMM | VALUE | INTO | SLOT},
    [OP_IRING] = {"iring", VALUE | INTO | SLOT},
    [OP_ISPARSE] = {"isparse", COMM | VALUE | INTO | SLOT},
    [OP_SET] = {"set", INTO | CONSTANT},
    [OP_MIX] = {"mix", INTO | VALUE},
    [OP_ADD] = {"add", INTO | VALUE},
    [OP_PRINT] = {"print", VALUE},
    [OP_SKIP_IF] = {"skip_if", VALUE | CONSTANT | SKIP},
    [OP_SKIP_UNLESS] = {"skip_unless", VALUE | CONSTANT | SKIP},
    [OP_AGAIN_IF] = {"again_if", VALUE | CONSTANT | SKIP},
    [OP_CRASH_IF] = {"crash_if", VALUE | CONSTANT},
};

static const char *const mode_name[] = {"standard", "synchronous", "buffered", "calm", "ready", "locked"};

const char *opcode_name(enum opcode op) { return table[op].name; }
bool sparse_has_block(unsigned from, unsigned to) { return (from + 2 * to) % 3 == 1; }

bool opcode_is_collective(enum opcode op) { return op >= OP_BARRIER && op <= OP_ISPARSE; }
bool opcode_is_nonblocking_collective(enum opcode op) { return op >= OP_IBARRIER && op <= OP_ISPARSE; }
enum opcode opcode_blocking(enum opcode op) {
    return opcode_is_nonblocking_collective(op) ? op - OP_IBARRIER + OP_BARRIER : op;
}
bool collective_has_root(enum opcode op) {
    op = opcode_blocking(op);
    return op == OP_BCAST || op == OP_REDUCE || op == OP_GATHER || op == OP_SCATTER;
}
uint8_t collective_comm(const struct instruction *instruction) {
    return opcode_blocking(instruction->op) == OP_RING ? PROGRAM_RING : instruction->comm;
}
bool collective_folds(enum opcode op) {
    op = opcode_blocking(op);
    return op == OP_GATHER || op == OP_ALLTOALL || op == OP_SPARSE;
}

unsigned program_members(const struct program *program, unsigned comm) {
    if (comm == 1 && program->group && program->group < program->ranks)
        return program->group;
    return program->ranks - (comm == 1 ? program->servers : 0u);
}

bool program_has_member(const struct program *program, unsigned comm, unsigned rank) {
    return rank < program_members(program, comm);
}

void process_store(struct process *process, uint8_t reg, int32_t value) {
    if (reg != NO_REGISTER)
        process->reg[reg] = value;
}

int32_t process_value(const struct process *process, const struct instruction *instruction) {
    return process->reg[instruction->value] & 0xffff;
}

int process_peer(const struct program *program, unsigned rank, const struct process *process,
                 const struct instruction *instruction) {
    if (!program_has_member(program, instruction->comm, rank))
        return PEER_NOBODY;
    if (instruction->peer == PEER_ANY)
        return PEER_ANY;
    int peer = instruction->peer >= 0 ? instruction->peer : process->reg[-2 - instruction->peer];
    return peer >= 0 && program_has_member(program, instruction->comm, (unsigned)peer) ? peer : PEER_NOBODY;
}

/* Does the local instruction at pc. */
static void compute_one(const struct instruction *instruction, struct process *process) {
    int32_t value = process->reg[instruction->value % PROGRAM_REGISTERS];
    bool equal = value == instruction->constant;
    unsigned next = process->pc + 1u;
    switch (instruction->op) {
    case OP_SET: process_store(process, instruction->into, instruction->constant); break;
    case OP_MIX: process_store(process, instruction->into, (process->reg[instruction->into] * 31 + value + 5) & 0xffff); break;
    case OP_ADD: process_store(process, instruction->into, (process->reg[instruction->into] + value) & 0xffff); break;
    case OP_PRINT:
        if (process->outputs < PROGRAM_OUTPUTS)
            process->output[process->outputs++] = value;
        break;
    case OP_SKIP_IF:
    case OP_SKIP_UNLESS:
        if (equal == (instruction->op == OP_SKIP_IF))
            next += instruction->skip;
        break;
    case OP_AGAIN_IF:
        if (equal)
            next = process->pc > instruction->skip ? process->pc - (unsigned)instruction->skip : 0;
        break;
    case OP_CRASH_IF:
        if (equal)
            process->end = PROCESS_CRASHED;
        break;
    }
    if (process->end == PROCESS_RUNS)
        process->pc = (uint8_t)next;
}

void process_compute(const struct program *program, unsigned rank, struct process *process) {
    for (unsigned done = 0; process->end == PROCESS_RUNS; done++) {
        if (process->pc >= program->length[rank]) {
            process->end = PROCESS_EXITED;
            return;
        }
        const struct instruction *instruction = &program->instruction[rank][process->pc];
        if (instruction->op < OP_SET)
            return;
        if (done == COMPUTE_LIMIT)
            process->end = PROCESS_CRASHED;
        else
            compute_one(instruction, process);
    }
}

int32_t collective_sum(const int32_t *value, unsigned members) {
    int32_t sum = 0;
    for (unsigned i = 0; i < members; i++)
        sum += value[i];
    return sum & 0xffff;
}

int32_t collective_fold(const int32_t *value, unsigned members) {
    int32_t fold = 0;
    for (unsigned i = 0; i < members; i++)
        fold = (fold * 31 + value[i]) & 0xffff;
    return fold;
}

int32_t collective_part(const int32_t value, unsigned member) { return (value + 13 * (int32_t)member) & 0xffff; }

static void print_register(FILE *out, const char *name, uint8_t reg) {
    if (reg == NO_REGISTER)
        fprintf(out, " %s=none", name);
    else
        fprintf(out, " %s=r%u", name, reg);
}

static void print_peer(FILE *out, int peer) {
    if (peer >= 0)
        fprintf(out, " peer=%d", peer);
    else if (peer == PEER_ANY)
        fprintf(out, " peer=any");
    else
        fprintf(out, " peer=r%d", -2 - peer);
}

static void print_instruction(const struct instruction *instruction, FILE *out) {
    unsigned fields = table[instruction->op].fields;
    fprintf(out, "  %s", table[instruction->op].name);
    if (fields & MODE)
        fprintf(out, " mode=%s", mode_name[instruction->mode]);
    if (fields & PEER)
        print_peer(out, instruction->peer);
    if (fields & TAG && instruction->tag == TAG_ANY)
        fprintf(out, " tag=any");
    else if (fields & TAG)
        fprintf(out, " tag=%d", instruction->tag);
    if (fields & COMM)
        fprintf(out, " comm=%u", instruction->comm);
    if (fields & VALUE)
        print_register(out, "value", instruction->value);
    if (fields & INTO)
        print_register(out, "into", instruction->into);
    if (fields & FROM)
        print_register(out, "from", instruction->from);
    if (fields & SLOT)
        fprintf(out, " slot=%u", instruction->slot);
    if (fields & SLOTS)
        fprintf(out, " slots=0x%x", instruction->slots);
    if (fields & CONSTANT)
        fprintf(out, " constant=%d", instruction->constant);
    if (fields & SKIP)
        fprintf(out, " skip=%u", instruction->skip);
    fputc('\n', out);
}

void program_print(const struct program *program, FILE *out) {
    if (program->servers)
        fprintf(out, "servers %u\n", program->servers);
    if (program->group)
        fprintf(out, "group %u\n", program->group);
    if (program->room)
        fprintf(out, "room %u\n", program->room);
    for (unsigned rank = 0; rank < program->ranks; rank++) {
        fprintf(out, "rank %u\n", rank);
        for (unsigned i = 0; i < program->length[rank]; i++)
            print_instruction(&program->instruction[rank][i], out);
    }
}

static bool parse_register(const char *text, uint8_t *reg, bool may_be_none) {
    if (may_be_none && strcmp(text, "none") == 0) {
        *reg = NO_REGISTER;
        return true;
    }
    unsigned number;
    if (sscanf(text, "r%u", &number) != 1 || number >= PROGRAM_REGISTERS)
        return false;
    *reg = (uint8_t)number;
    return true;
}

static bool parse_mode(const char *text, uint8_t *mode) {
    for (uint8_t i = 0; i < sizeof mode_name / sizeof *mode_name; i++)
        if (strcmp(text, mode_name[i]) == 0) {
            *mode = i;
            return true;
        }
    return false;
}

static bool parse_peer(const char *text, int8_t *peer) {
    uint8_t reg;
    if (strcmp(text, "any") == 0)
        *peer = PEER_ANY;
    else if (*text == 'r' && parse_register(text, &reg, false))
        *peer = (int8_t)PEER_REGISTER(reg);
    else if (*text >= '0' && *text < '0' + PROGRAM_RANKS && !text[1])
        *peer = (int8_t)(*text - '0');
    else
        return false;
    return true;
}

static bool parse_number(const char *text, long least, long most, long *number) {
    char *end;
    *number = strtol(text, &end, 0);
    return end != text && !*end && *number >= least && *number <= most;
}

/* One "name=text" of an instruction; returns the field, 0 if it is wrong. */
static unsigned parse_field(const char *name, const char *text, struct instruction *instruction) {
    long number = 0;
    if (strcmp(name, "mode") == 0)
        return parse_mode(text, &instruction->mode) ? MODE : 0;
    if (strcmp(name, "peer") == 0)
        return parse_peer(text, &instruction->peer) ? PEER : 0;
    if (strcmp(name, "value") == 0)
        return parse_register(text, &instruction->value, false) ? VALUE : 0;
    if (strcmp(name, "into") == 0)
        return parse_register(text, &instruction->into, true) ? INTO : 0;
    if (strcmp(name, "from") == 0)
        return parse_register(text, &instruction->from, true) ? FROM : 0;
    if (strcmp(name, "tag") == 0 && strcmp(text, "any") == 0) {
        instruction->tag = TAG_ANY;
        return TAG;
    }
    if (!parse_number(text, -32768, 32767, &number))
        return 0;
    if (strcmp(name, "constant") == 0) {
        instruction->constant = (int16_t)number;
        return CONSTANT;
    }
    const struct {
        const char *name;
        uint8_t *to;
        long most;
        unsigned field;
    } small[] = {
        {"tag", (uint8_t *)&instruction->tag, 100, TAG},
        {"comm", &instruction->comm, PROGRAM_RING - 1, COMM},
        {"slot", &instruction->slot, PROGRAM_SLOTS - 1, SLOT},
        {"slots", &instruction->slots, (1 << PROGRAM_SLOTS) - 1, SLOTS},
        {"skip", &instruction->skip, PROGRAM_INSTRUCTIONS, SKIP},
    };
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (strcmp(name, small[i].name) == 0 && number >= 0 && number <= small[i].most) {
            *small[i].to = (uint8_t)number;
            return small[i].field;
        }
    return 0;
}

static bool parse_instruction(char *line, struct instruction *instruction) {
    *instruction = (struct instruction){0};
    char *rest = NULL;
    const char *word = strtok_r(line, " \n", &rest);
    unsigned op = 0;
    while (op < OP_COUNT && strcmp(word, table[op].name) != 0)
        op++;
    if (op == OP_COUNT)
        return false;
    instruction->op = (uint8_t)op;
    unsigned seen = 0;
    for (char *field = strtok_r(NULL, " \n", &rest); field; field = strtok_r(NULL, " \n", &rest)) {
        char *equals = strchr(field, '=');
        if (!equals)
            return false;
        *equals = '\0';
        unsigned parsed = parse_field(field, equals + 1, instruction);
        if (!parsed)
            return false;
        seen |= parsed;
    }
    return seen == table[op].fields;
}

bool program_parse(struct program *program, FILE *in) {
    *program = (struct program){0};
    char line[256];
    for (unsigned number = 1; fgets(line, sizeof line, in); number++) {
        size_t blanks = strspn(line, " \t\n");
        if (!line[blanks] || line[blanks] == '#')
            continue;
        unsigned rank;
        if (sscanf(line, "servers %hhu", &program->servers) == 1 || sscanf(line, "group %hhu", &program->group) == 1 ||
            sscanf(line, "room %hhu", &program->room) == 1)
            continue;
        if (sscanf(line, "rank %u", &rank) == 1 && rank == program->ranks && rank < PROGRAM_RANKS) {
            program->ranks++;
            continue;
        }
        unsigned last = program->ranks - 1u;
        if (!program->ranks || program->length[last] == PROGRAM_INSTRUCTIONS ||
            !parse_instruction(line, &program->instruction[last][program->length[last]])) {
            fprintf(stderr, "line %u of the program is wrong\n", number);
            return false;
        }
        program->length[last]++;
    }
    return program->ranks > 0;
}

void program_delete(struct program *program, unsigned rank, unsigned index) {
    struct instruction *list = program->instruction[rank];
    for (unsigned i = 0; i < program->length[rank]; i++) {
        bool back = list[i].op == OP_AGAIN_IF;
        bool over = back ? i > index && i <= index + list[i].skip : i < index && i + list[i].skip >= index;
        if ((table[list[i].op].fields & SKIP) && over)
            list[i].skip--;
    }
    program->length[rank]--;
    memmove(&list[index], &list[index + 1], (program->length[rank] - index) * sizeof *list);
}
