/* The processes that run ranks: starts the program up to MPI_Init (the zygote), keeps one executor for each core, gives them
 * steps, replaces those that die. Offers them all as one step source. */
#ifndef EXPLORER_EXECUTORS_H
#define EXPLORER_EXECUTORS_H

#include "ckpt/backends/checkpoint.h"
#include "explorer/sites.h"
#include "explorer/captured_memory.h"
#include "explorer/divergence.h"
#include "explorer/step_source.h"
#include "explorer/step_table.h"
#include "explorer/written_files.h"

#include <sys/types.h>

struct executors;

struct executors_options {
    const char *program;  /* path of the executable */
    char *const *argv;    /* NULL-terminated, argv[0] included */
    unsigned ranks;
    unsigned jobs;        /* executors; at least 1 */
    const struct backend *backend; /* how local states are kept */
    int tracker;          /* enum tracker_choice of ckpt/image.h */
    double step_seconds;  /* longest a step may run before it is a runaway */
    double start_seconds; /* longest the program may run before MPI_Init; 0: no limit */
    uint64_t memory_bytes; /* budget */
    const char *spill_dir; /* where pages that memory has no room for go; NULL: nowhere */
    const char *input;     /* what rank 0 reads as stdin: a path, "-" for our own, NULL for our own if it is a regular file */
    bool race_on_state;    /* the memory in which a rank ends is part of its outcome */
    bool log_allocations;  /* keep a log of which call allocated each heap block */
    const char *library;   /* path of the preloaded library */
    const volatile bool *interrupt; /* checked while waiting; may be NULL */
};

/* NULL and a malloc'd sentence in *error if the program cannot be run. */
struct executors *executors_start(const struct executors_options *options, struct sites *sites, char **error);
/* Must be called before the first step: steps are interpreted for this model. */
void executors_set_model(struct executors *executors, struct mpi_model *model);
const struct step_source *executors_steps(struct executors *executors);
uint64_t executors_payload_size(void *executors, uint32_t payload); /* for mpi_model_create */

struct executors_statistics {
    uint64_t steps_executed, steps_reused, local_states;
    uint64_t buffer_checks;                    /* executions only to see whether a pending receive's buffer is read */
    uint64_t pages;                            /* distinct pages stored */
    uint64_t spilled_bytes;                    /* pages on disk */
    uint64_t pages_captured, pages_restored;   /* over all executors now alive */
    uint64_t memory_bytes, peak_memory_bytes;  /* page store, step table, executors' own memory */
    unsigned executors;
    unsigned replaced;                         /* executors that died and were replaced */
    const char *tracker;
};
struct executors_statistics executors_statistics(struct executors *executors);

/* Moves stored pages to disk until `bytes` of memory are free, if that is allowed; returns how many are. */
uint64_t executors_spill(struct executors *executors, uint64_t bytes);

/* Why the step source returned NULL: a sentence, or NULL if it was interrupted or the page store is full. */
const char *executors_failure(const struct executors *executors);
bool executors_store_full(const struct executors *executors);
/* All that a rank wrote to stream 1 or 2 up to a local state; malloc'd. */
char *executors_output(struct executors *executors, uint32_t local, int stream, size_t *size);
/* The files of a rank that has ended in a local state; to be freed, and valid as long as the executors. */
struct written_files executors_files(const struct executors *executors, uint32_t local);
/* Everything known of local states, for reading. */
const struct step_table *executors_table(const struct executors *executors);
/* The memory of local states; `pages` is NULL if the backend does not keep it. */
struct captured_memory executors_memory(const struct executors *executors);
/* How a step that ended as nondeterministic went each time; NULL if that is not known. */
const struct divergence *executors_divergence(const struct executors *executors, const struct step_result *result);
/* The process that all executors come from: its mappings are theirs. */
pid_t executors_process(const struct executors *executors);
/* Ends all processes and frees everything. */
void executors_stop(struct executors *executors);

#endif
