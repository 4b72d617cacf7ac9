#include "explorer/local_states/final_memory.h"
#include "explorer/processes/executors_parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- as a step source ------------------------------------------------------------------------------------------------ */

static uint32_t root_local(void *self, unsigned rank) { return executors_root(self, rank); }

static const struct step_result *get_step(void *self, uint32_t local, const struct resolution *resolution) {
    return executors_get(self, local, resolution);
}

static void want_step(void *self, uint32_t local, const struct resolution *resolution, bool follow) {
    executors_want(self, local, resolution, follow);
}

static void share(void *self, pthread_mutex_t *lock) { ((struct executors *)self)->lock = lock; }

static uint64_t local_output(void *self, uint32_t local) {
    return step_table_output_hash(((struct executors *)self)->table, local);
}

/* --- final memory ---------------------------------------------------------------------------------------------------- */

static struct captured_state state_of(const struct executors *executors, uint32_t local) {
    return (struct captured_state){step_table_image_root(executors->table, local), step_table_log(executors->table, local)};
}

/* A hash of what counts of the memory in which a rank has ended, computed once for each local state. */
static uint64_t local_memory(void *self, uint32_t local) {
    struct executors *executors = self;
    struct name name = {local, 0};
    uint32_t number = name_table_find(&executors->final_names, name);
    if (number != NAME_UNKNOWN)
        return executors->final[number];
    struct captured_memory memory = executors_memory(executors);
    struct captured_state state = state_of(executors, local);
    executors->final = memory_room(executors->final, &executors->final_room, executors->finals, sizeof *executors->final);
    executors->final[executors->finals] =
        final_memory_hash(&memory, sites_modules(executors->sites, executors->options.number), &state);
    name_table_add(&executors->final_names, name, (uint32_t)executors->finals);
    return executors->final[executors->finals++];
}

static char *local_difference(void *self, uint32_t local, uint32_t other) {
    struct executors *executors = self;
    struct captured_memory memory = executors_memory(executors);
    const struct captured_state state[2] = {state_of(executors, local), state_of(executors, other)};
    return final_memory_difference(&memory, sites_modules(executors->sites, executors->options.number), state);
}

/* --- life ------------------------------------------------------------------------------------------------------------ */

static void prepare(struct executors *executors) {
    for (unsigned i = 0; i < executors->options.executors; i++) {
        struct process *process = &executors->executor[i].process;
        *process =
            (struct process){.mailbox = channel_mailbox(executors->launch.channel, i + 1), .number = i, .holds = BLOCK_NONE};
        executors->executor[i].step = NO_STEP;
        executors->executor[i].rank = NO_RANK;
        executors->executor[i].standing = STATE_NONE;
    }
    executors->checkpoint = (struct checkpoint){
        .backend = executors->options.backend,
        .channel = executors->launch.channel,
        .zygote = executors->launch.zygote,
        .lineage = executors_lineage(executors),
        .step_seconds = executors->options.step_seconds,
        .interrupt = executors->options.interrupt,
        .deadline = executors->options.deadline,
        .line = executors->launch.line,
        .region = executors->launch.region,
        .spill_dir = executors->options.spill_dir,
        .keep_dir = executors->options.keep_images,
        .base_root = BLOCK_NONE,
    };
}

/* What the first process has left for us: the call that it is in, and where memory is. */
static void read_first_process(struct executors *executors) {
    const struct wire_record *record = (const void *)mailbox_report(channel_mailbox(executors->launch.channel, 0));
    const struct wire_call *call = (const void *)(record + 1);
    executors->init_function = call->function;
    executors->init_site = call->site;
    executors->layout = *channel_layout(executors->launch.channel);
}

struct executors *executors_start(const struct executors_options *options, struct step_table *table, struct sites *sites,
                                  char **error) {
    struct executors *executors = memory_take_zeroed(sizeof *executors);
    executors->options = *options;
    executors->cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    executors->table = table;
    executors->roots = options->ranks;
    executors->root = memory_take_zeroed(executors->roots * sizeof *executors->root);
    executors->executor = memory_take_zeroed(options->executors * sizeof *executors->executor);
    executors->sites = sites;
    executors->source = (struct step_source){
        .root = root_local, .get = get_step, .want = want_step, .output = local_output, .share = share, .self = executors};
    if (options->race_on_state) {
        executors->source.memory = local_memory;
        executors->source.memory_difference = local_difference;
    }
    if (options->saved && saved_program(options->saved, options->number))
        executors->options.arena_bytes = saved_program(options->saved, options->number)->arena_bytes;
    *error = NULL;
    bool ok = launch(&executors->launch, &executors->options, error);
    if (ok) {
        read_first_process(executors);
        prepare(executors);
        executors_begin_forgetting(executors);
        ok = executors_begin_saving(executors, error);
    }
    if (ok && executors_make_roots(executors))
        return executors;
    if (!*error && executors->checkpoint.failure)
        *error = strdup(executors->checkpoint.failure);
    if (!*error && executors->checkpoint.full)
        *error = strdup("the memory budget is too small for the program's memory at MPI_Init");
    executors_stop(executors);
    return NULL;
}

const struct step_source *executors_steps(struct executors *executors) { return &executors->source; }

struct captured_memory executors_memory(const struct executors *executors) {
    char *channel = (char *)executors->launch.channel;
    void *pages = channel + executors->launch.channel->pages_at, *nodes = channel + executors->launch.channel->nodes_at;
    bool kept = executors->checkpoint.backend->keeps_pages && captured_layout_valid(&executors->layout);
    return (struct captured_memory){.layout = &executors->layout, .pages = kept ? pages : NULL, .nodes = nodes};
}

const struct divergence *executors_divergence(const struct executors *executors, const struct step_result *result) {
    for (size_t i = 0; i < executors->divergences; i++)
        if (step_table_result(executors->table, executors->divergence[i].step) == result)
            return &executors->divergence[i];
    return NULL;
}

pid_t executors_process(const struct executors *executors) { return executors->launch.zygote; }

void executors_stop(struct executors *executors) {
    if (executors->launch.channel && executors->launch.channel->timed)
        executors_tell_times(executors);
    for (unsigned i = 0; i < executors->options.executors; i++)
        process_end(&executors->executor[i].process);
    if (executors->checkpoint.channel)
        executors->checkpoint.backend->stop(&executors->checkpoint);
    launch_stop(&executors->launch);
    for (size_t i = 0; i < executors->divergences; i++)
        divergence_free(&executors->divergence[i]);
    free(executors->divergence);
    saved_memory_free(executors->saved_memory);
    executors_end_forgetting(executors);
    name_table_free(&executors->final_names);
    free(executors->final);
    free(executors->executor);
    free(executors->root);
    free(executors->checkpoint.failure);
    free(executors);
}
