#include "tests/search/toy_ranks.h"
#include "models/mpi/functions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_LOCALS = 1 << 20, MOST_STEPS = 1 << 21, MOST_OPERATIONS = 16 };

struct toy_local {
    uint32_t rank, position; /* of the blocking instruction */
    int32_t variable[TOY_VARIABLES];
    uint32_t started, output;
};

struct toy_step {
    uint32_t local;
    struct resolution *answer;
    struct step_result result;
    struct operation operation[MOST_OPERATIONS];
    uint32_t request[2];
    struct toy_step *made_before;
};

struct toy {
    unsigned ranks;
    const struct toy_instruction *const *programs;
    struct toy_local *local; /* interned; open addressing by hash: table[i] is local number + 1 */
    uint32_t *local_table;
    uint32_t locals;
    struct toy_step **step_table;
    struct toy_step *made; /* the last */
};

static uint64_t hash_bytes(const void *bytes, size_t size, uint64_t hash) {
    const unsigned char *at = bytes;
    while (size--)
        hash = (hash ^ *at++) * 1099511628211ull;
    return hash ^ hash >> 29;
}

/* Zeros of the kernel's: nearly all of a table remains unused, and malloc would zero it by hand each time. */
static void *table_new(size_t count, size_t bytes) {
    void *table = mmap(NULL, count * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert(table != MAP_FAILED);
    return table;
}

struct toy *toy_create(unsigned ranks, const struct toy_instruction *const *programs) {
    struct toy *toy = calloc(1, sizeof *toy);
    toy->ranks = ranks;
    toy->programs = programs;
    toy->local = table_new(MOST_LOCALS, sizeof *toy->local);
    toy->local_table = table_new(2 * MOST_LOCALS, sizeof *toy->local_table);
    toy->step_table = table_new(MOST_STEPS, sizeof *toy->step_table);
    return toy;
}

void toy_destroy(struct toy *toy) {
    for (struct toy_step *step = toy->made, *before; step; step = before) {
        before = step->made_before;
        free(step->answer);
        free(step);
    }
    munmap(toy->step_table, MOST_STEPS * sizeof *toy->step_table);
    munmap(toy->local_table, 2 * MOST_LOCALS * sizeof *toy->local_table);
    munmap(toy->local, MOST_LOCALS * sizeof *toy->local);
    free(toy);
}

uint64_t toy_payload_size(void *context, uint32_t payload) {
    (void)context;
    return payload == NO_PAYLOAD ? 0 : 4;
}

static uint32_t intern_local(struct toy *toy, const struct toy_local *local) {
    for (size_t i = hash_bytes(local, sizeof *local, 1);; i++) {
        uint32_t *slot = &toy->local_table[i % (2 * MOST_LOCALS)];
        if (*slot && memcmp(&toy->local[*slot - 1], local, sizeof *local))
            continue;
        if (*slot)
            return *slot - 1;
        assert(toy->locals < MOST_LOCALS);
        toy->local[toy->locals] = *local;
        *slot = ++toy->locals;
        return *slot - 1;
    }
}

static uint32_t root(void *self, unsigned rank) { return intern_local(self, &(struct toy_local){.rank = rank}); }

static int kind_of(const struct toy_instruction *at) { return at->kind & ~TOY_OTHER_COMMUNICATOR; }
static uint32_t context_of(const struct toy_instruction *at) { return at->kind & TOY_OTHER_COMMUNICATOR ? 1 : 0; }

/* Stores what the answer to the blocking instruction says. */
static void absorb(struct toy_local *local, const struct toy_instruction *at, const struct resolution *answer) {
    const struct completion *first = answer->completions ? answer->completion : NULL;
    switch (kind_of(at)) {
    case TOY_RECV:
        local->variable[at->c] = (int32_t)first->payload;
        if (at->d != TOY_NOWHERE)
            local->variable[at->d] = first->source;
        break;
    case TOY_WAIT:
        if (at->c != TOY_NOWHERE && first->with_data)
            local->variable[at->c] = (int32_t)first->payload;
        break;
    case TOY_TEST:
    case TOY_IPROBE: local->variable[at->c] = answer->kind != WIRE_NOT_YET; break;
    case TOY_WAIT_ALL:
        for (uint32_t i = 0; i < answer->completions; i++)
            if (answer->completion[i].with_data)
                local->variable[answer->completion[i].index] = (int32_t)answer->completion[i].payload;
        break;
    case TOY_WHICH: local->variable[at->a] = 1 + (int32_t)first->index; break;
    case TOY_SOME:
        local->variable[at->a] = 0;
        for (uint32_t i = 0; i < answer->completions; i++)
            local->variable[at->a] |= 1 << answer->completion[i].index;
        break;
    }
}

static bool blocks(int kind) {
    switch (kind) {
    case TOY_EXIT:
    case TOY_SEND:
    case TOY_SSEND:
    case TOY_RECV:
    case TOY_WAIT:
    case TOY_WAIT_ANY:
    case TOY_TEST:
    case TOY_IPROBE:
    case TOY_BARRIER:
    case TOY_BCAST:
    case TOY_PROBE:
    case TOY_REDUCE:
    case TOY_WAIT_ALL:
    case TOY_WHICH:
    case TOY_SOME: return true;
    }
    return false;
}

static unsigned function_of(int kind) {
    static const unsigned functions[] = {
        [TOY_SEND] = FUNCTION_MPI_Send,        [TOY_SSEND] = FUNCTION_MPI_Ssend,   [TOY_ISEND] = FUNCTION_MPI_Isend,
        [TOY_RECV] = FUNCTION_MPI_Recv,        [TOY_IRECV] = FUNCTION_MPI_Irecv,   [TOY_WAIT] = FUNCTION_MPI_Wait,
        [TOY_WAIT_ANY] = FUNCTION_MPI_Waitany, [TOY_TEST] = FUNCTION_MPI_Test,     [TOY_IPROBE] = FUNCTION_MPI_Iprobe,
        [TOY_BARRIER] = FUNCTION_MPI_Barrier,  [TOY_BCAST] = FUNCTION_MPI_Bcast,   [TOY_ISSEND] = FUNCTION_MPI_Issend,
        [TOY_PROBE] = FUNCTION_MPI_Probe,      [TOY_REDUCE] = FUNCTION_MPI_Reduce, [TOY_WAIT_ALL] = FUNCTION_MPI_Waitall,
        [TOY_WHICH] = FUNCTION_MPI_Waitany,    [TOY_SOME] = FUNCTION_MPI_Waitsome,
    };
    return functions[kind];
}

enum { BLOCKING_REQUEST = 30 }; /* the request of blocking sends and receives; toy requests are below */

/* Adds the operation of an instruction, if it has one. */
static void issue(struct toy_step *step, const struct toy_instruction *at, uint32_t site) {
    int kind = kind_of(at);
    bool nonblocking = kind == TOY_ISEND || kind == TOY_ISSEND || kind == TOY_IRECV;
    struct operation operation = {.function = (uint16_t)function_of(kind),
                                  .context = context_of(at),
                                  .request = nonblocking ? (uint32_t)at->d : BLOCKING_REQUEST,
                                  .peer = at->a,
                                  .tag = at->b,
                                  .site = site,
                                  .payload = NO_PAYLOAD};
    switch (kind) {
    case TOY_SSEND:
    case TOY_ISSEND:
    case TOY_SEND:
    case TOY_ISEND:
        operation.kind = WIRE_SEND;
        operation.mode = kind == TOY_SSEND || kind == TOY_ISSEND ? WIRE_SYNCHRONOUS : WIRE_STANDARD;
        operation.payload = (uint32_t)at->c;
        operation.parts = 1;
        break;
    case TOY_RECV:
    case TOY_IRECV:
        operation.kind = WIRE_RECEIVE;
        operation.capacity = 4;
        break;
    case TOY_BARRIER:
    case TOY_BCAST:
    case TOY_REDUCE:
        operation.kind = WIRE_COLLECTIVE;
        operation.mode = kind == TOY_BARRIER ? WIRE_ALL_TO_ALL : kind == TOY_BCAST ? WIRE_FAN_OUT : WIRE_FAN_IN;
        operation.peer = kind == TOY_BARRIER ? -1 : at->a;
        operation.request = WIRE_NO_REQUEST;
        operation.tag = 0;
        break;
    default: return;
    }
    assert(step->result.operations < MOST_OPERATIONS);
    step->operation[step->result.operations++] = operation;
}

static void set_call(struct toy_step *step, const struct toy_instruction *at, uint32_t site) {
    static const uint8_t kinds[] = {
        [TOY_SEND] = WIRE_CALL_WAIT_ALL,  [TOY_SSEND] = WIRE_CALL_WAIT_ALL,     [TOY_RECV] = WIRE_CALL_WAIT_ALL,
        [TOY_WAIT] = WIRE_CALL_WAIT_ALL,  [TOY_WAIT_ANY] = WIRE_CALL_WAIT_ANY,  [TOY_TEST] = WIRE_CALL_TEST_ALL,
        [TOY_IPROBE] = WIRE_CALL_IPROBE,  [TOY_BARRIER] = WIRE_CALL_COLLECTIVE, [TOY_BCAST] = WIRE_CALL_COLLECTIVE,
        [TOY_PROBE] = WIRE_CALL_PROBE,    [TOY_REDUCE] = WIRE_CALL_COLLECTIVE,  [TOY_WAIT_ALL] = WIRE_CALL_WAIT_ALL,
        [TOY_WHICH] = WIRE_CALL_WAIT_ANY, [TOY_SOME] = WIRE_CALL_WAIT_SOME,
    };
    int kind = kind_of(at);
    bool probes = kind == TOY_IPROBE || kind == TOY_PROBE;
    struct call *call = &step->result.call;
    *call = (struct call){.kind = kinds[kind],
                          .function = (uint16_t)function_of(kind),
                          .request = step->request,
                          .context = probes ? context_of(at) : 0,
                          .peer = probes ? at->a : 0,
                          .tag = probes ? at->b : 0,
                          .site = site};
    switch (kind) {
    case TOY_SEND:
    case TOY_SSEND:
    case TOY_RECV: step->request[call->requests++] = BLOCKING_REQUEST; break;
    case TOY_WAIT_ANY:
    case TOY_WAIT_ALL:
    case TOY_WHICH:
    case TOY_SOME:
        step->request[call->requests++] = (uint32_t)at->c;
        step->request[call->requests++] = (uint32_t)at->d;
        break;
    case TOY_WAIT:
    case TOY_TEST: step->request[call->requests++] = (uint32_t)at->d; break;
    }
}

static void set_end(struct toy_step *step, int kind, int code, uint32_t site) {
    step->result.ended = true;
    step->result.end = (struct wire_end){.kind = (uint8_t)kind, .finalized = kind == WIRE_EXIT, .code = code, .site = site};
    step->result.end_text = "";
}

/* Runs instructions that do not block. False: the rank crashed. */
static bool run(struct toy_step *step, struct toy_local *local, const struct toy_instruction *program) {
    while (!blocks(kind_of(&program[local->position]))) {
        const struct toy_instruction *at = &program[local->position];
        uint32_t site = toy_site(local->rank, local->position);
        int32_t *variable = local->variable;
        local->position++;
        switch (at->kind) {
        case TOY_FOLD: variable[at->a] = variable[at->a] * 10 + variable[at->b]; break;
        case TOY_ADD: variable[at->a] += at->b; break;
        case TOY_SET: variable[at->a] = at->b; break;
        case TOY_PRINT: local->output = (uint32_t)hash_bytes(&variable[at->a], sizeof *variable, local->output + 1); break;
        case TOY_JUMP: local->position = (uint32_t)at->a; break;
        case TOY_JUMP_IF:
            if (variable[at->b] == at->c)
                local->position = (uint32_t)at->a;
            break;
        case TOY_CRASH_IF:
            if (variable[at->a] != at->b)
                break;
            set_end(step, WIRE_CRASH, 11, site);
            return false;
        default: issue(step, at, site);
        }
    }
    return true;
}

static void compute(struct toy *toy, struct toy_step *step) {
    struct toy_local local = toy->local[step->local];
    const struct toy_instruction *program = toy->programs[local.rank];
    if (local.started)
        absorb(&local, &program[local.position++], step->answer);
    local.started = 1;
    step->result.operation = step->operation;
    if (run(step, &local, program)) {
        const struct toy_instruction *at = &program[local.position];
        uint32_t site = toy_site(local.rank, local.position);
        if (at->kind == TOY_EXIT) {
            set_end(step, WIRE_EXIT, at->a, site);
        } else {
            issue(step, at, site);
            set_call(step, at, site);
        }
    }
    step->result.local = intern_local(toy, &local);
}

static const struct step_result *get(void *self, uint32_t local, const struct resolution *answer) {
    struct toy *toy = self;
    size_t bytes = resolution_size(answer);
    for (size_t i = hash_bytes(answer, bytes, local + 1);; i++) {
        struct toy_step **slot = &toy->step_table[i % MOST_STEPS];
        if (*slot && ((*slot)->local != local || (*slot)->answer->completions != answer->completions ||
                      memcmp((*slot)->answer, answer, bytes)))
            continue;
        if (*slot)
            return &(*slot)->result;
        struct toy_step *step = *slot = calloc(1, sizeof *step);
        step->made_before = toy->made;
        toy->made = step;
        step->local = local;
        step->answer = malloc(bytes);
        memcpy(step->answer, answer, bytes);
        compute(toy, step);
        return &step->result;
    }
}

static void want(void *self, uint32_t local, const struct resolution *answer, bool follow) {
    (void)self;
    (void)local;
    (void)answer;
    (void)follow;
}

static uint64_t output(void *self, uint32_t local) { return ((struct toy *)self)->local[local].output; }

struct step_source toy_steps(struct toy *toy) {
    return (struct step_source){.root = root, .get = get, .want = want, .output = output, .self = toy};
}
