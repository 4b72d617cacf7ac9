#include "explorer/executors.h"

#include "ckpt/image.h"
#include "explorer/memory.h"
#include "explorer/step_table.h"
#include "explorer/zygote_launch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NO_STEP UINT32_MAX

enum { CHECK_FIRST = 16, CHECK_EVERY = 128, CHECK_BYTES = 1 << 20 };

struct executor {
    struct mailbox *mailbox;
    pid_t pid;
    uint32_t step;    /* being executed, or NO_STEP */
    uint32_t command; /* its number */
    uint32_t holds;   /* image root in its memory */
    double began;
};

struct executors {
    struct executors_options options;
    struct launch launch;
    struct step_table *table;
    struct step_source source;
    struct executor *executor;
    unsigned cores;
    uint32_t base_root;
    uint32_t *root; /* local state of each rank at MPI_Init */
    uint16_t init_function;
    uint64_t init_site;
    uint64_t executed, reused;
    uint64_t peak_memory, process_memory;
    double memory_checked;
    unsigned replaced;
    bool full;
    char *failure;
};

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool fail(struct executors *executors, const char *sentence) {
    if (!executors->failure)
        executors->failure = strdup(sentence);
    return false;
}

static bool interrupted(const struct executors *executors) {
    return executors->options.interrupt && *executors->options.interrupt;
}

static bool dead(struct executor *executor) {
    return executor->pid <= 0 || waitpid(executor->pid, NULL, WNOHANG) != 0;
}

static void end_process(struct executor *executor) {
    if (executor->pid > 0) {
        kill(executor->pid, SIGKILL);
        waitpid(executor->pid, NULL, 0);
    }
    executor->pid = 0;
}

/* --- starting executors ---------------------------------------------------------------------------------------------- */

static bool report_cannot(struct executors *executors, struct mailbox *mailbox, const char *otherwise) {
    char text[sizeof mailbox->text];
    memcpy(text, mailbox->text, sizeof text);
    text[sizeof text - 1] = 0;
    if (mailbox->status == STATUS_STORE_FULL) {
        executors->full = true;
        return false;
    }
    return fail(executors, mailbox->status == STATUS_CANNOT && text[0] ? text : otherwise);
}

static bool await_zygote(struct executors *executors, struct mailbox *mailbox, uint32_t command) {
    while (!channel_wait(mailbox, command, 20, SPIN_SHORT)) {
        if (waitpid(executors->launch.zygote, NULL, WNOHANG) != 0) {
            executors->launch.zygote = 0;
            return fail(executors, "the program's first process was killed");
        }
        if (interrupted(executors))
            return false;
    }
    return true;
}

static bool await_start(struct executors *executors, struct executor *executor) {
    while (!channel_wait(executor->mailbox, 1, 20, SPIN_SHORT)) {
        executor->pid = executor->mailbox->pid;
        if (executor->pid > 0 && waitpid(executor->pid, NULL, WNOHANG) == executor->pid &&
            atomic_load(&executor->mailbox->report) != 1)
            return fail(executors, "an executor was killed while it started");
        if (interrupted(executors))
            return false;
    }
    executor->pid = executor->mailbox->pid;
    if (executor->mailbox->status != STATUS_READY)
        return report_cannot(executors, executor->mailbox, "an executor could not start");
    return true;
}

static bool start_executor(struct executors *executors, unsigned number) {
    struct executor *executor = &executors->executor[number];
    struct mailbox *zygote = channel_mailbox(executors->launch.channel, 0), *mailbox = executor->mailbox;
    atomic_store(&mailbox->command, 1);
    atomic_store(&mailbox->report, 0);
    mailbox->pid = 0;
    mailbox->status = STATUS_NONE;
    mailbox->pages_captured = mailbox->pages_restored = 0;
    executor->step = NO_STEP;
    zygote->verb = COMMAND_SPAWN;
    zygote->argument = number;
    if (!await_zygote(executors, zygote, channel_command(zygote)) || !await_start(executors, executor))
        return false;
    executor->holds = mailbox->root_out;
    if (executors->base_root == BLOCK_NONE)
        executors->base_root = executor->holds;
    if (executor->holds != executors->base_root)
        return fail(executors, "two processes of the program have different memory at MPI_Init");
    return true;
}

static bool make_root(struct executors *executors, unsigned rank) {
    struct executor *executor = &executors->executor[0];
    executor->mailbox->verb = COMMAND_ROOT;
    executor->mailbox->argument = rank;
    uint32_t command = channel_command(executor->mailbox);
    while (!channel_wait(executor->mailbox, command, 20, SPIN_SHORT)) {
        if (dead(executor))
            return fail(executors, "an executor was killed while it started");
        if (interrupted(executors))
            return false;
    }
    if (executor->mailbox->status != STATUS_BLOCKED)
        return report_cannot(executors, executor->mailbox, "an executor could not start");
    executor->holds = executor->mailbox->root_out;
    uint32_t local = step_table_root(executors->table, rank, executor->holds);
    for (int stream = 1; stream <= 2; stream++) {
        size_t size;
        char *text = launch_output(&executors->launch, stream, &size);
        if (size)
            local = step_table_add_output(executors->table, local, stream, text, size);
        free(text);
    }
    executors->root[rank] = local;
    return true;
}

/* --- steps ----------------------------------------------------------------------------------------------------------- */

/* A rank that no executor survives twice would cost a process for every attempt: the result says so once and for all. */
static void replace(struct executors *executors, struct executor *executor, enum wire_end_kind kind) {
    uint32_t step = executor->step;
    end_process(executor);
    executors->replaced++;
    executor->step = NO_STEP;
    if (step != NO_STEP)
        step_table_finish_lost(executors->table, step, kind);
    start_executor(executors, (unsigned)(executor - executors->executor));
}

static void give(struct executors *executors, struct executor *executor) {
    struct mailbox *mailbox = executor->mailbox;
    mailbox->verb = COMMAND_STEP;
    mailbox->root_in = step_table_image_root(executors->table, step_table_step_local(executors->table, executor->step));
    executor->holds = mailbox->root_in;
    executor->began = seconds_now();
    executor->command = channel_command(mailbox);
}

/* A step must do the same each time. Some are executed twice: the first ones, where most programs read clocks, files and random
 * numbers, then one in CHECK_EVERY. */
static bool to_check(const struct executors *executors, const struct mailbox *mailbox) {
    return mailbox->status == STATUS_BLOCKED && mailbox->report_size <= CHECK_BYTES &&
           (executors->executed < CHECK_FIRST || executors->executed % CHECK_EVERY == 0);
}

/* False: it did something else, or did not come back in time, the second time. */
static bool same_again(struct executors *executors, struct executor *executor) {
    struct mailbox *mailbox = executor->mailbox;
    uint32_t root = mailbox->root_out;
    uint64_t size = mailbox->report_size;
    void *report = memory_copy(mailbox_report(mailbox), size);
    step_table_write_answer(executors->table, executor->step, mailbox_answer(mailbox), CHANNEL_AREA_BYTES);
    give(executors, executor);
    bool done = false;
    while (!done && !dead(executor) && seconds_now() - executor->began <= executors->options.step_seconds)
        done = channel_wait(mailbox, executor->command, 20, SPIN_SHORT);
    bool same = done && mailbox->status == STATUS_BLOCKED && mailbox->root_out == root &&
                mailbox->report_size == size && memcmp(mailbox_report(mailbox), report, size) == 0;
    free(report);
    return same;
}

static void finish(struct executors *executors, struct executor *executor) {
    struct mailbox *mailbox = executor->mailbox;
    uint32_t step = executor->step;
    if (to_check(executors, mailbox) && !same_again(executors, executor) && mailbox->status != STATUS_STORE_FULL) {
        replace(executors, executor, WIRE_UNSTABLE);
        return;
    }
    uint32_t status = mailbox->status;
    uint64_t size = mailbox->report_size;
    if (status == STATUS_STORE_FULL) {
        executors->full = true;
        executor->step = NO_STEP;
        return;
    }
    bool ok = (status == STATUS_BLOCKED || status == STATUS_ENDED) && size <= CHANNEL_AREA_BYTES &&
              step_table_finish(executors->table, step, mailbox->root_out, mailbox_report(mailbox), size);
    if (!ok) {
        replace(executors, executor, WIRE_LOST);
        return;
    }
    if (status == STATUS_BLOCKED)
        executor->holds = mailbox->root_out;
    executor->step = NO_STEP;
    executors->executed++;
    if (step_table_refusal(executors->table))
        fail(executors, step_table_refusal(executors->table));
}

/* Long only while a core is left for it. */
static uint64_t spin_cycles(const struct executors *executors) {
    unsigned busy = 0;
    for (unsigned i = 0; i < executors->options.jobs; i++)
        busy += executors->executor[i].step != NO_STEP;
    return busy < executors->cores ? SPIN_LONG : SPIN_SHORT;
}

/* Gives the executor time until its step is done; false if the search must stop. */
static bool await(struct executors *executors, struct executor *executor) {
    while (!channel_wait(executor->mailbox, executor->command, 20, spin_cycles(executors))) {
        if (interrupted(executors))
            return false;
        if (dead(executor)) {
            executor->pid = 0;
            replace(executors, executor, WIRE_LOST);
            return !executors->failure;
        }
        if (seconds_now() - executor->began > executors->options.step_seconds) {
            replace(executors, executor, WIRE_RUNAWAY);
            return !executors->failure;
        }
    }
    finish(executors, executor);
    return !executors->full && !executors->failure;
}

static struct executor *running(struct executors *executors, uint32_t step) {
    for (unsigned i = 0; i < executors->options.jobs; i++)
        if (executors->executor[i].step == step)
            return &executors->executor[i];
    return NULL;
}

/* An idle executor, one whose memory is already right if there is one. */
static struct executor *idle(struct executors *executors, uint32_t image_root) {
    struct executor *found = NULL;
    for (unsigned i = 0; i < executors->options.jobs; i++) {
        struct executor *executor = &executors->executor[i];
        if (executor->step != NO_STEP)
            continue;
        if (executor->holds == image_root)
            return executor;
        if (!found)
            found = executor;
    }
    return found;
}

static bool begin(struct executors *executors, struct executor *executor, uint32_t step) {
    if (!step_table_write_answer(executors->table, step, mailbox_answer(executor->mailbox), CHANNEL_AREA_BYTES))
        return fail(executors, "one step receives more than 1 GiB of data, which is not supported");
    executor->step = step;
    give(executors, executor);
    return true;
}

static void want_step(void *self, uint32_t local, const struct resolution *resolution) {
    struct executors *executors = self;
    uint32_t step = step_table_step(executors->table, local, resolution);
    if (step_table_result(executors->table, step) || running(executors, step))
        return;
    struct executor *executor = idle(executors, step_table_image_root(executors->table, local));
    if (executor)
        begin(executors, executor, step);
}

static bool execute(struct executors *executors, uint32_t step) {
    struct executor *executor = running(executors, step);
    if (!executor) {
        uint32_t local = step_table_step_local(executors->table, step);
        while (!(executor = idle(executors, step_table_image_root(executors->table, local))))
            if (!await(executors, &executors->executor[0]))
                return false;
        if (!begin(executors, executor, step))
            return false;
    }
    return await(executors, executor);
}

static const struct step_result *get_step(void *self, uint32_t local, const struct resolution *resolution) {
    struct executors *executors = self;
    uint32_t step = step_table_step(executors->table, local, resolution);
    const struct step_result *result = step_table_result(executors->table, step);
    if (result) {
        executors->reused++;
        return result;
    }
    if (executors->failure || executors->full || !execute(executors, step))
        return NULL;
    return step_table_result(executors->table, step);
}

static uint32_t root_local(void *self, unsigned rank) { return ((struct executors *)self)->root[rank]; }

static uint64_t local_output(void *self, uint32_t local) {
    return step_table_output_hash(((struct executors *)self)->table, local);
}

/* --- life ------------------------------------------------------------------------------------------------------------ */

static uint64_t half_of_machine(void) {
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
}

static bool start_all(struct executors *executors) {
    unsigned jobs = executors->options.jobs;
    for (unsigned i = 0; i < jobs; i++) {
        executors->executor[i].mailbox = channel_mailbox(executors->launch.channel, i + 1);
        executors->executor[i].step = NO_STEP;
    }
    for (unsigned i = 0; i < jobs; i++)
        if (!start_executor(executors, i))
            return false;
    for (unsigned rank = 0; rank < executors->options.ranks; rank++)
        if (!make_root(executors, rank))
            return false;
    return true;
}

struct executors *executors_start(const struct executors_options *options, struct sites *sites, char **error) {
    struct executors *executors = memory_take_zeroed(sizeof *executors);
    executors->options = *options;
    if (executors->options.memory_bytes == 0)
        executors->options.memory_bytes = half_of_machine();
    executors->base_root = BLOCK_NONE;
    executors->cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    executors->table = step_table_create(NULL, sites);
    executors->root = memory_take_zeroed(options->ranks * sizeof *executors->root);
    executors->executor = memory_take_zeroed(options->jobs * sizeof *executors->executor);
    executors->source = (struct step_source){root_local, get_step, want_step, local_output, executors};
    *error = NULL;
    bool ok = launch_start(&executors->launch, &executors->options, error) &&
              launch_wait(&executors->launch, &executors->options, error);
    if (ok && start_all(executors))
        return executors;
    if (!*error)
        *error = executors->failure ? strdup(executors->failure)
                 : executors->full  ? strdup("the memory budget is too small for the program's memory at MPI_Init")
                                    : strdup("interrupted while the program started");
    executors_stop(executors);
    return NULL;
}

void executors_set_model(struct executors *executors, struct mpi_model *model) {
    unsigned ranks = executors->options.ranks;
    int32_t *world = memory_take(ranks * sizeof *world);
    for (unsigned i = 0; i < ranks; i++)
        world[i] = (int32_t)i;
    mpi_model_context(model, WIRE_WORLD_CONTEXT, world, ranks);
    free(world);
    step_table_set_model(executors->table, model);
}

const struct step_source *executors_steps(struct executors *executors) { return &executors->source; }

uint64_t executors_payload_size(void *executors, uint32_t payload) {
    return step_table_payload_size(((struct executors *)executors)->table, payload);
}

/* Memory of a process that it shares with nobody. */
static uint64_t private_memory(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *file = fopen(path, "re");
    unsigned long resident = 0, shared = 0;
    if (file) {
        if (fscanf(file, "%*u %lu %lu", &resident, &shared) != 2)
            resident = shared = 0;
        fclose(file);
    }
    return (uint64_t)(resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Reading /proc is slow: twice a second is enough for a figure that grows with the program's own memory. */
static void check_processes(struct executors *executors) {
    double now = seconds_now();
    if (executors->memory_checked > 0 && now - executors->memory_checked < 0.5)
        return;
    executors->memory_checked = now;
    executors->process_memory = 0;
    for (unsigned i = 0; i < executors->options.jobs; i++)
        if (executors->executor[i].pid > 0)
            executors->process_memory += private_memory(executors->executor[i].pid);
}

struct executors_statistics executors_statistics(struct executors *executors) {
    const struct channel *channel = executors->launch.channel;
    struct step_table_statistics table = step_table_statistics(executors->table);
    const struct block_store *pages = (const void *)((const char *)channel + channel->pages_at);
    const struct block_store *nodes = (const void *)((const char *)channel + channel->nodes_at);
    check_processes(executors);
    struct executors_statistics statistics = {
        .steps_executed = executors->executed,
        .steps_reused = executors->reused,
        .local_states = table.local_states,
        .pages = block_store_count(pages),
        .memory_bytes = table.bytes + executors->process_memory + block_store_count(pages) * (uint64_t)PAGE_BYTES +
                        block_store_count(nodes) * (uint64_t)TREE_NODE_BYTES,
        .executors = executors->options.jobs,
        .replaced = executors->replaced,
        .tracker = executors->executor[0].mailbox->tracker,
    };
    for (unsigned i = 0; i < executors->options.jobs; i++) {
        statistics.pages_captured += executors->executor[i].mailbox->pages_captured;
        statistics.pages_restored += executors->executor[i].mailbox->pages_restored;
    }
    if (statistics.memory_bytes > executors->peak_memory)
        executors->peak_memory = statistics.memory_bytes;
    statistics.peak_memory_bytes = executors->peak_memory;
    return statistics;
}

const char *executors_failure(const struct executors *executors) { return executors->failure; }
bool executors_store_full(const struct executors *executors) { return executors->full; }

char *executors_output(struct executors *executors, uint32_t local, int stream, size_t *size) {
    return step_table_output(executors->table, local, stream, size);
}

struct written_files executors_files(const struct executors *executors, uint32_t local) {
    return step_table_files(executors->table, local);
}

pid_t executors_process(const struct executors *executors) { return executors->launch.zygote; }

void executors_stop(struct executors *executors) {
    for (unsigned i = 0; i < executors->options.jobs; i++)
        end_process(&executors->executor[i]);
    launch_stop(&executors->launch);
    step_table_destroy(executors->table);
    free(executors->executor);
    free(executors->root);
    free(executors->failure);
    free(executors);
}
