#include "explorer/processes/programs.h"

#include "explorer/containers/memory.h"
#include "explorer/saved/saved_steps.h"
#include "explorer/steps/step_cycles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct programs {
    unsigned count;
    struct executors **member; /* the executors of each; NULL: not started */
    unsigned *end;             /* the rank after its last one */
    struct step_table *table;
    struct step_source source;
    struct saved *saved; /* the exploration directory, or NULL */
    size_t roots_read;   /* marks of roots among the steps read from there */
    uint64_t steps_read;
};

static unsigned ranks_of_all(const struct programs *programs) { return programs->end[programs->count - 1]; }

/* Agents run in the program of the rank whose windows they keep. */
static struct executors *member_of_rank(const struct programs *programs, unsigned rank) {
    unsigned ranks = ranks_of_all(programs), program = 0;
    while (rank % ranks >= programs->end[program])
        program++;
    return programs->member[program];
}

static struct executors *member_of(const struct programs *programs, uint32_t local) {
    return programs->member[step_table_program(programs->table, local)];
}

/* --- one step source out of several ---------------------------------------------------------------------------------- */

static uint32_t root(void *self, unsigned rank) {
    struct programs *programs = self;
    const struct step_source *source = executors_steps(member_of_rank(programs, rank));
    return source->root(source->self, rank);
}

static const struct step_source *source_of(void *self, uint32_t local) { return executors_steps(member_of(self, local)); }

static const struct step_result *get(void *self, uint32_t local, const struct resolution *resolution) {
    const struct step_source *source = source_of(self, local);
    return source->get(source->self, local, resolution);
}

static void want(void *self, uint32_t local, const struct resolution *resolution, bool follow) {
    const struct step_source *source = source_of(self, local);
    source->want(source->self, local, resolution, follow);
}

static void share(void *self, pthread_mutex_t *lock) {
    struct programs *programs = self;
    for (unsigned i = 0; i < programs->count; i++) {
        const struct step_source *source = executors_steps(programs->member[i]);
        source->share(source->self, lock);
    }
}

static uint64_t output(void *self, uint32_t local) { return step_table_output_hash(((struct programs *)self)->table, local); }

static uint64_t memory(void *self, uint32_t local) {
    const struct step_source *source = source_of(self, local);
    return source->memory(source->self, local);
}

static char *memory_difference(void *self, uint32_t local, uint32_t other) {
    const struct step_source *source = source_of(self, local);
    return source->memory_difference(source->self, local, other);
}

static bool cyclic(void *self) { return steps_have_cycle(((struct programs *)self)->table); }

/* --- life ------------------------------------------------------------------------------------------------------------ */

static uint64_t used_elsewhere(void *context, const struct executors *asking) {
    const struct programs *programs = context;
    uint64_t bytes = step_table_statistics(programs->table).bytes;
    for (unsigned i = 0; i < programs->count; i++)
        if (programs->member[i] && programs->member[i] != asking)
            bytes += executors_statistics(programs->member[i]).memory_bytes;
    return bytes;
}

static unsigned ranks_of(const struct started_program *list, unsigned count) {
    unsigned ranks = 0;
    for (unsigned i = 0; i < count; i++)
        ranks += list[i].ranks;
    return ranks;
}

struct programs *programs_start(const struct executors_options *options, const struct started_program *list, unsigned count,
                                struct sites *sites, char **error) {
    struct programs *programs = memory_take_zeroed(sizeof *programs);
    programs->count = count;
    programs->saved = options->saved;
    programs->member = memory_take_zeroed(count * sizeof(struct executors *));
    programs->end = memory_take_zeroed(count * sizeof *programs->end);
    programs->table = step_table_create(NULL, sites);
    programs->source = (struct step_source){
        .root = root, .get = get, .want = want, .output = output, .share = share, .cyclic = cyclic, .self = programs};
    if (options->race_on_state) {
        programs->source.memory = memory;
        programs->source.memory_difference = memory_difference;
    }
    struct executors_options own = *options;
    own.world = ranks_of(list, count);
    own.elsewhere = used_elsewhere;
    own.context = programs;
    for (unsigned i = 0; i < count; i++) {
        own.program = list[i].path;
        own.argv = list[i].argv;
        own.number = i;
        own.ranks = list[i].ranks;
        own.input = own.first_rank == 0 ? options->input : "/dev/null"; /* only rank 0 has any */
        programs->member[i] = executors_start(&own, programs->table, sites, error);
        if (!programs->member[i]) {
            programs_stop(programs);
            return NULL;
        }
        own.first_rank += list[i].ranks;
        programs->end[i] = own.first_rank;
        sites_load(sites, i, executors_process(programs->member[i]));
    }
    return programs;
}

void programs_stop(struct programs *programs) {
    for (unsigned i = 0; i < programs->count; i++)
        if (programs->member[i])
            executors_stop(programs->member[i]);
    step_table_destroy(programs->table);
    free(programs->member);
    free(programs->end);
    free(programs);
}

bool programs_begin_anew(struct programs *programs, int agents, const struct places *places, const struct leftovers *leftovers,
                         bool places_blocks) {
    for (unsigned i = 0; i < programs->count; i++)
        if (!executors_begin_anew(programs->member[i], agents, places, leftovers, places_blocks))
            return false;
    return true;
}

void programs_set_model(struct programs *programs, struct mpi_model *model) {
    unsigned ranks = ranks_of_all(programs);
    int32_t *world = memory_take(ranks * sizeof *world);
    for (unsigned i = 0; i < ranks; i++)
        world[i] = (int32_t)i;
    mpi_model_context(model, WIRE_WORLD_CONTEXT, world, ranks);
    free(world);
    step_table_set_model(programs->table, model);
}

/* --- resuming -------------------------------------------------------------------------------------------------------- */

static struct saved_memory *memory_of(void *context, unsigned program) {
    return executors_saved_memory(((struct programs *)context)->member[program]);
}

static bool take_root(void *context, unsigned program, unsigned variant, unsigned rank) {
    struct programs *programs = context;
    programs->roots_read++;
    return program < programs->count && executors_take_root(programs->member[program], variant, rank);
}

static void take_divergence(void *context, struct divergence divergence) {
    struct programs *programs = context;
    unsigned program = step_table_program(programs->table, step_table_step_local(programs->table, divergence.step));
    executors_take_divergence(programs->member[program], divergence);
}

static bool read_steps(struct programs *programs, char **error) {
    const struct saved_reader reader = {programs->table, memory_of, take_root, take_divergence, programs};
    for (unsigned rank = 0; rank < ranks_of_all(programs); rank++)
        root(programs, rank); /* as the search does first of all: numbers of call sites are given out */
    if (!saved_steps_read(programs->saved, &reader, error))
        return false;
    programs->steps_read = step_table_statistics(programs->table).steps;
    const char *refusal = step_table_refusal(programs->table);
    if (programs->roots_read != saved_roots(programs->saved) &&
        asprintf(error, "the exploration in %s is damaged: some of it is missing", saved_folder(programs->saved)) < 0)
        *error = NULL;
    else if (refusal)
        *error = strdup(refusal);
    return programs->roots_read == saved_roots(programs->saved) && !refusal;
}

bool programs_resume(struct programs *programs, char **error) {
    if (!programs->saved)
        return true;
    *error = NULL;
    if (saved_is_resumed(programs->saved)) {
        if (!read_steps(programs, error))
            return false;
        for (unsigned i = 0; i < programs->count; i++)
            if (!executors_check_root(programs->member[i], error))
                return false;
    }
    journal_settle(saved_journal(programs->saved)); /* nothing at all, or everything that steps rest on */
    return true;
}

uint64_t programs_payload_size(void *programs, uint32_t payload) {
    return step_table_payload_size(((struct programs *)programs)->table, payload);
}

const struct step_source *programs_steps(struct programs *programs) { return &programs->source; }

/* --- sums ------------------------------------------------------------------------------------------------------------ */

struct executors_statistics programs_statistics(struct programs *programs) {
    struct executors_statistics sum = executors_statistics(programs->member[0]);
    sum.memory_bytes += step_table_statistics(programs->table).bytes;
    sum.steps_resumed = programs->steps_read;
    for (unsigned i = 1; i < programs->count; i++) {
        struct executors_statistics one = executors_statistics(programs->member[i]);
        sum.steps_executed += one.steps_executed;
        sum.steps_reused += one.steps_reused;
        sum.buffer_checks += one.buffer_checks;
        sum.steps_repeated += one.steps_repeated;
        sum.pages += one.pages;
        sum.pages_forgotten += one.pages_forgotten;
        sum.spilled_bytes += one.spilled_bytes;
        sum.pages_captured += one.pages_captured;
        sum.pages_restored += one.pages_restored;
        sum.memory_bytes += one.memory_bytes;
        sum.executors += one.executors;
        sum.replaced += one.replaced;
        sum.keeps_blocks |= one.keeps_blocks;
    }
    return sum;
}

uint64_t programs_spill(struct programs *programs, uint64_t bytes) {
    uint64_t freed = 0;
    for (unsigned i = 0; i < programs->count && freed < bytes; i++)
        freed += executors_spill(programs->member[i], bytes - freed);
    return freed;
}

uint64_t programs_page_bytes(const struct programs *programs) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < programs->count; i++)
        bytes += executors_page_bytes(programs->member[i]);
    return bytes;
}

/* Each may have what the others leave, but at least its share, which they then learn that they have to leave. */
void programs_limit_pages(struct programs *programs, uint64_t bytes) {
    for (unsigned i = 0; i < programs->count; i++) {
        const uint64_t others = programs_page_bytes(programs) - executors_page_bytes(programs->member[i]);
        const uint64_t left = bytes > others ? bytes - others : 0, share = bytes / programs->count;
        executors_limit_pages(programs->member[i], left > share ? left : share);
    }
}

bool programs_crawl(const struct programs *programs) {
    bool crawl = false;
    for (unsigned i = 0; i < programs->count; i++)
        crawl |= executors_crawl(programs->member[i]);
    return crawl;
}

const char *programs_failure(const struct programs *programs) {
    const char *failure = NULL;
    for (unsigned i = 0; i < programs->count && !failure; i++)
        failure = executors_failure(programs->member[i]);
    return failure;
}

bool programs_store_full(const struct programs *programs) {
    bool full = false;
    for (unsigned i = 0; i < programs->count; i++)
        full |= executors_store_full(programs->member[i]);
    return full;
}

/* --- what is known --------------------------------------------------------------------------------------------------- */

const struct step_table *programs_table(const struct programs *programs) { return programs->table; }

bool programs_load_met(struct programs *programs, FILE *in) { return step_table_load_met(programs->table, in); }

char *programs_output(const struct programs *programs, uint32_t local, int stream, size_t *size) {
    return step_table_output(programs->table, local, stream, size);
}

struct written_files programs_files(const struct programs *programs, uint32_t local) {
    return step_table_files(programs->table, local);
}

struct captured_memory programs_memory(const struct programs *programs, uint32_t local) {
    return executors_memory(member_of(programs, local));
}

pid_t programs_pause(struct programs *programs, uint32_t local) { return executors_pause(member_of(programs, local), local); }

bool programs_pin(struct programs *programs, unsigned at, uint32_t local) {
    return executors_pin(member_of(programs, local), at, local);
}

bool programs_run_to(struct programs *programs, uint32_t local) {
    if (step_table_story(programs->table, local).ended)
        local = step_table_step_local(programs->table, step_table_origin(programs->table, local));
    return executors_run_to(member_of(programs, local), local);
}

const struct divergence *programs_divergence(const struct programs *programs, const struct step_result *result) {
    return executors_divergence(member_of(programs, result->local), result);
}
