#include "ckpt/block_store.h"
#include "explorer/processes/executors_parts.h"

#include <stdio.h>
#include <unistd.h>

/* A process's share of the memory that is nobody's file: what is shared between copies counts once, all together. */
static uint64_t share_of_process(pid_t pid) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    FILE *file = fopen(path, "re");
    unsigned long kilobytes = 0;
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Pss_Anon: %lu kB", &kilobytes) != 1)
        continue;
    if (file)
        fclose(file);
    return (uint64_t)kilobytes * 1024;
}

/* Memory of a process that is nobody's file, what it shares with its copies included. */
static uint64_t resident_of_process(pid_t pid) {
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

static uint64_t resident(const struct executors *executors) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < executors->options.executors; i++)
        if (executors->executor[i].process.pid > 0)
            bytes += resident_of_process(executors->executor[i].process.pid);
    return bytes;
}

static unsigned executors_used(const struct executors *executors) {
    unsigned used = 0;
    for (unsigned i = 0; i < executors->options.executors; i++)
        used += i < executors->options.jobs || executors->executor[i].process.pid > 0;
    return used;
}

/* A share of the budget is for executors, together with one more that has as much as they have on average. */
static void notice_memory(struct executors *executors, uint64_t resident) {
    enum { SHARE = 4 };
    unsigned used = executors_used(executors);
    executors->no_more = executors->no_more || resident / used * (used + 1) > executors->options.memory_bytes / SHARE;
}

/* To ask the kernel takes as long as a short step: what it said holds for some of them, as long as they are as many. */
bool executors_have_memory(struct executors *executors) {
    enum { STEPS = 64 };
    const unsigned used = executors_used(executors);
    if (!executors->no_more && (used != executors->used_then || executors->executed >= executors->asked_then + STEPS)) {
        executors->used_then = used;
        executors->asked_then = executors->executed;
        notice_memory(executors, resident(executors));
    }
    return !executors->no_more;
}

static void measure(struct executors *executors) {
    pid_t pid[1 + 256];
    size_t count = 0;
    pid[count++] = executors->launch.zygote;
    count += executors->checkpoint.backend->processes(&executors->checkpoint, pid + count, sizeof pid / sizeof *pid - count);
    executors->share_then = executors->largest_then = 0;
    for (size_t i = 0; i < count + executors->options.executors; i++) {
        const pid_t one = i < count ? pid[i] : executors->executor[i - count].process.pid;
        const uint64_t share = one > 0 ? share_of_process(one) : 0;
        executors->share_then += share;
        executors->largest_then = share > executors->largest_then ? share : executors->largest_then;
    }
    executors->executed_then = executors->executed;
}

/* The exact figure takes the kernel long to tell: it is asked for twice a second, and what the executors have grown by since is
 * added. */
static uint64_t process_memory(struct executors *executors) {
    double now = checkpoint_now();
    uint64_t now_resident = resident(executors);
    notice_memory(executors, now_resident);
    if (executors->memory_checked == 0 || now - executors->memory_checked > 0.5) {
        executors->memory_checked = now;
        executors->resident_then = now_resident;
        measure(executors);
    }
    uint64_t grown = now_resident > executors->resident_then ? now_resident - executors->resident_then : 0;
    return executors->share_then + grown;
}

static struct block_store *page_store(const struct executors *executors) {
    return (struct block_store *)((char *)executors->launch.channel + executors->launch.channel->pages_at);
}

uint64_t executors_spill(struct executors *executors, uint64_t bytes) {
    return block_store_spill(page_store(executors), bytes);
}

struct executors_statistics executors_statistics(struct executors *executors) {
    const struct channel *channel = executors->launch.channel;
    struct step_table_statistics table = step_table_statistics(executors->table);
    const struct block_store *pages = page_store(executors);
    const struct block_store *nodes = (const void *)((const char *)channel + channel->nodes_at);
    const struct backend *backend = executors->checkpoint.backend;
    struct kept_bytes kept = backend->kept ? backend->kept(&executors->checkpoint) : (struct kept_bytes){0};
    struct executors_statistics statistics = {
        .steps_executed = executors->executed,
        .steps_reused = executors->reused,
        .buffer_checks = executors->buffer_checks,
        .local_states = table.local_states,
        .steps_repeated = executors->forgetting.again,
        .pages = block_store_count(pages),
        .pages_forgotten = block_store_forgotten(pages),
        .spilled_bytes = block_store_spilled_bytes(pages) + kept.disk,
        .image_bytes = kept.memory + kept.disk,
        .memory_bytes = process_memory(executors) + block_store_used_bytes(pages) + block_store_used_bytes(nodes) + kept.memory,
        .keeps_blocks = executors->keeps_blocks,
        .executors = executors_used(executors),
        .replaced = executors->replaced,
        .tracker = executors->executor[0].process.mailbox->tracker,
    };
    for (unsigned i = 0; i < executors->options.executors; i++) {
        statistics.pages_captured += executors->executor[i].process.mailbox->pages_captured;
        statistics.pages_restored += executors->executor[i].process.mailbox->pages_restored;
    }
    return statistics;
}

uint64_t executors_page_bytes(const struct executors *executors) { return block_store_content_bytes(page_store(executors)); }

bool executors_crawl(const struct executors *executors) { return executors->forgetting.crawls; }

const char *executors_failure(const struct executors *executors) { return executors->checkpoint.failure; }
bool executors_store_full(const struct executors *executors) { return executors->checkpoint.full; }

void executors_tell_times(const struct executors *executors) {
    uint64_t load = 0, run = 0, capture = 0;
    for (unsigned i = 0; i < executors->options.executors; i++) {
        const struct mailbox *mailbox = executors->executor[i].process.mailbox;
        load += mailbox->load_ns;
        run += mailbox->run_ns;
        capture += mailbox->capture_ns;
    }
    double each = executors->executed ? 1 / (double)executors->executed : 0;
    fprintf(stderr, "step_times load %.1f run %.1f capture %.1f report %.1f waiting %.1f\n", (double)load * 1e-3 * each,
            (double)run * 1e-3 * each, (double)capture * 1e-3 * each, executors->told * 1e6 * each,
            executors->waited * 1e6 * each);
}

/* What there may be soon, if each step leaves a process as large as the largest one yet. */
static uint64_t most_memory(struct executors *executors) {
    const uint64_t measured = process_memory(executors);
    const uint64_t since = executors->executed - executors->executed_then + executors->options.jobs;
    return measured + since * executors->largest_then + executors->options.elsewhere(executors->options.context, executors);
}

void executors_release(struct executors *executors) {
    enum { FROM_PERCENT = 80 };
    const uint64_t most = executors->options.memory_bytes / 100 * FROM_PERCENT;
    bool (*release)(struct checkpoint * checkpoint) = executors->checkpoint.backend->release;
    if (!release || most_memory(executors) <= most)
        return;
    do {
        executors->memory_checked = 0;
    } while (most_memory(executors) > most && release(&executors->checkpoint));
}

/* With so many bytes `more`? What can be forgotten or go to disk does so first. */
static bool over_budget(struct executors *executors, uint64_t more) {
    const struct executors_options *options = &executors->options;
    uint64_t used = executors_statistics(executors).memory_bytes + options->elsewhere(options->context, executors) + more;
    const uint64_t budget = options->memory_bytes, pages = executors_page_bytes(executors);
    if (used > budget && executors->forgetting.on) {
        executors_limit_pages(executors, pages > used - budget ? pages - (used - budget) : 0);
        used -= pages - executors_page_bytes(executors);
    }
    return used > budget && executors_spill(executors, used - budget) < used - budget;
}

bool executors_over_budget(struct executors *executors) { return over_budget(executors, 0); }

/* What memory is used is known no sooner than pages have grown by a part of the budget: it takes long to ask for. Each executor is
 * taken to put as many again as came since then, but not so many that a budget which is just enough would not do for a rank that
 * fills its memory once. */
bool executors_have_room(struct executors *executors) {
    enum { PARTS = 128, MARGIN_PARTS = 16 };
    const uint64_t used = block_store_used_bytes(page_store(executors)), budget = executors->options.memory_bytes;
    const uint64_t grown = used > executors->pages_then ? used - executors->pages_then : 0;
    if (used >= executors->pages_then && grown < budget / PARTS)
        return true;
    const uint64_t again = grown * executors->options.jobs, margin = budget / MARGIN_PARTS;
    executors->pages_then = used;
    executors->checkpoint.full |= grown && over_budget(executors, again < margin ? again : margin);
    return !executors->checkpoint.full;
}
