#include "tests/oracle/interpreter.h"

#include "tests/oracle/perform.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024

/* An interned local state. */
struct place {
    struct local_state state;
    uint32_t number;
    struct place *next;
};

/* A remembered step. The arrays that `result` points to are in `performance`. */
struct step {
    uint32_t local;
    struct resolution *resolution;
    struct step_result result;
    struct performance performance;
    struct step *next;
};

struct interpreter {
    struct perform_world world;
    struct step_source steps;
    struct place *places[BUCKETS];
    struct place **place; /* by number */
    uint32_t count, room;
    struct step *step[BUCKETS];
    const struct step_result **result; /* by number */
    uint32_t results, result_room;
};

static void *allocate(size_t size) {
    void *memory = calloc(1, size);
    if (!memory)
        abort();
    return memory;
}

static uint64_t hash_bytes(const void *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

static uint32_t intern(struct interpreter *interpreter, const struct local_state *state) {
    struct place **bucket = &interpreter->places[hash_bytes(state, sizeof *state) % BUCKETS];
    for (struct place *place = *bucket; place; place = place->next)
        if (memcmp(&place->state, state, sizeof *state) == 0)
            return place->number;
    if (interpreter->count == interpreter->room) {
        interpreter->room = interpreter->room ? 2 * interpreter->room : 64;
        interpreter->place = realloc(interpreter->place, interpreter->room * sizeof(struct place *));
        if (!interpreter->place)
            abort();
    }
    struct place *place = allocate(sizeof *place);
    place->state = *state;
    place->number = interpreter->count;
    place->next = *bucket;
    *bucket = place;
    interpreter->place[interpreter->count++] = place;
    return place->number;
}

static uint32_t root(void *self, unsigned rank) {
    struct local_state state = {.rank = rank};
    return intern(self, &state);
}

/* What an exit reports as leaked. */
static uint32_t active_requests(const struct local_state *state) {
    uint32_t active = 0;
    for (unsigned i = 0; i < PROGRAM_SLOTS; i++)
        active += state->slot[i].active;
    return active;
}

static void fill_result(const struct perform_world *world, struct step *step, const struct local_state *state, uint32_t local) {
    struct step_result *result = &step->result;
    result->local = local;
    result->operations = step->performance.operations;
    result->operation = step->performance.operation;
    result->part = step->performance.part;
    result->ended = state->process.end != PROCESS_RUNS;
    result->end_text = "";
    if (!result->ended) {
        result->call = step->performance.call;
        return;
    }
    static const uint8_t kind[] = {
        [PROCESS_EXITED] = WIRE_EXIT, [PROCESS_CRASHED] = WIRE_CRASH, [PROCESS_RAN_AWAY] = WIRE_RUNAWAY};
    result->end.kind = kind[state->process.end];
    result->end.code = state->process.end == PROCESS_CRASHED ? 11 : 0;
    result->end.finalized = state->process.end == PROCESS_EXITED;
    result->end.site = perform_site(world, state->rank, state->process.pc);
    if (state->process.end == PROCESS_EXITED)
        result->end.leaked_requests = active_requests(state);
    result->end.leak_site = result->end.leaked_requests ? result->end.site : 0;
}

static void number_result(struct interpreter *interpreter, struct step_result *result) {
    if (interpreter->results == interpreter->result_room) {
        interpreter->result_room = interpreter->result_room ? 2 * interpreter->result_room : 64;
        interpreter->result = realloc(interpreter->result, interpreter->result_room * sizeof *interpreter->result);
        if (!interpreter->result)
            abort();
    }
    result->number = interpreter->results;
    interpreter->result[interpreter->results++] = result;
}

static const struct step_result *get(void *self, uint32_t local, const struct resolution *resolution) {
    struct interpreter *interpreter = self;
    size_t size = resolution_size(resolution);
    struct step **bucket = &interpreter->step[(hash_bytes(resolution, size) ^ local * 0x9e3779b1u) % BUCKETS];
    for (struct step *step = *bucket; step; step = step->next)
        if (step->local == local && resolution_size(step->resolution) == size &&
            memcmp(step->resolution, resolution, size) == 0)
            return &step->result;
    struct step *step = allocate(sizeof *step);
    step->local = local;
    step->resolution = allocate(size);
    memcpy(step->resolution, resolution, size);
    struct local_state state = interpreter->place[local]->state;
    perform(&interpreter->world, &state, resolution, &step->performance);
    fill_result(&interpreter->world, step, &state, intern(interpreter, &state));
    number_result(interpreter, &step->result);
    step->next = *bucket;
    *bucket = step;
    return &step->result;
}

static void want(void *self, uint32_t local, const struct resolution *resolution, bool follow) {
    (void)self, (void)local, (void)resolution, (void)follow;
}

static uint64_t output(void *self, uint32_t local) {
    const struct process *process = interpreter_process(self, local);
    return hash_bytes(process->output, process->outputs * sizeof process->output[0]);
}

struct interpreter *interpreter_create(const struct program *program) {
    struct interpreter *interpreter = allocate(sizeof *interpreter);
    interpreter->world.program = program;
    interpreter->steps = (struct step_source){.root = root, .get = get, .want = want, .output = output, .self = interpreter};
    return interpreter;
}

uint64_t interpreter_payload_size(void *context, uint32_t payload) {
    (void)context;
    return payload == PERFORM_EMPTY ? 0 : PERFORM_BYTES;
}

void interpreter_join_places(struct interpreter *interpreter) { interpreter->world.same_places = true; }

void interpreter_join_barriers(struct interpreter *interpreter) { interpreter->world.one_barrier = true; }

static void bind_touches(struct perform_world *world, struct mpi_model *model) {
    enum { ADDS = 7, EARLY = 1, LATE = 2 };
    static const struct wire_touch touch[SERVED_TOUCHES][2] = {
        [SERVED_FIRST] = {{0, 3, WIRE_TOUCH_ALONE}},
        [SERVED_SECOND] = {{4, 7, WIRE_TOUCH_ALONE}},
        [SERVED_ADDS] = {{0, 3, ADDS}},
        [SERVED_READS] = {{0, 3, WIRE_TOUCH_READS}},
        [SERVED_READS_BOTH] = {{0, 7, WIRE_TOUCH_READS}},
        [SERVED_BOTH] = {{0, 3, WIRE_TOUCH_ALONE}, {4, 7, WIRE_TOUCH_READS}},
        [SERVED_EARLY] = {{0, 3, WIRE_TOUCH_ALONE}},
        [SERVED_LATE] = {{0, 3, WIRE_TOUCH_ALONE}},
        [SERVED_EARLY_SECOND] = {{4, 7, WIRE_TOUCH_ALONE}},
        [SERVED_ASKS_FIRST] = {{0, 3, WIRE_TOUCH_READS}},
    };
    for (uint32_t i = 1; i < SERVED_TOUCHES; i++) {
        const struct wire_touches touches = {.name = i,
                                             .window = i >= SERVED_LOOKS && i <= SERVED_GIVES,
                                             .alone = i == SERVED_TAKES || i == SERVED_GIVES,
                                             .asks = i == SERVED_ASKS || i == SERVED_ASKS_FIRST,
                                             .phases = i == SERVED_EARLY || i == SERVED_EARLY_SECOND ? EARLY
                                                       : i == SERVED_LATE                            ? LATE
                                                                                                     : ~LATE,
                                             .touches = (touch[i][0].last > 0) + (touch[i][1].last > 0)};
        world->touches[i] = mpi_model_touches(model, &touches, touch[i]);
    }
}

void interpreter_bind(struct interpreter *interpreter, struct mpi_model *model) {
    int32_t member[PROGRAM_RANKS];
    for (unsigned i = 0; i < PROGRAM_RANKS; i++)
        member[i] = (int32_t)i;
    for (unsigned comm = 0; comm < PROGRAM_COMMUNICATORS; comm++)
        interpreter->world.context[comm] =
            mpi_model_context(model, WIRE_WORLD_CONTEXT + comm, member, program_members(interpreter->world.program, comm));
    bind_touches(&interpreter->world, model);
    int32_t ranks = interpreter->world.program->ranks;
    for (int32_t rank = 0; rank < ranks; rank++) {
        int32_t predecessor = (rank + ranks - 1) % ranks;
        mpi_model_sources(model, interpreter->world.context[PROGRAM_RING], rank, &predecessor, 1);
    }
}

const struct step_source *interpreter_steps(const struct interpreter *interpreter) { return &interpreter->steps; }

const struct step_result *interpreter_result(void *context, uint32_t number) {
    const struct interpreter *interpreter = context;
    return number < interpreter->results ? interpreter->result[number] : NULL;
}

const struct process *interpreter_process(const struct interpreter *interpreter, uint32_t local) {
    return &interpreter->place[local]->state.process;
}

void interpreter_destroy(struct interpreter *interpreter) {
    for (unsigned i = 0; i < BUCKETS; i++) {
        while (interpreter->places[i]) {
            struct place *next = interpreter->places[i]->next;
            free(interpreter->places[i]);
            interpreter->places[i] = next;
        }
        while (interpreter->step[i]) {
            struct step *next = interpreter->step[i]->next;
            free(interpreter->step[i]->resolution);
            free(interpreter->step[i]);
            interpreter->step[i] = next;
        }
    }
    free(interpreter->place);
    free(interpreter->result);
    free(interpreter);
}
