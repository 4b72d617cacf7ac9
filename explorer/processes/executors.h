/* The processes that run ranks: starts the program up to MPI_Init (the zygote), keeps one executor for each core, or for each rank
 * where ranks have much memory, gives them steps, replaces those that die. Offers them all as one step source. */
#ifndef EXPLORER_EXECUTORS_H
#define EXPLORER_EXECUTORS_H

#include "ckpt/backends/checkpoint.h"
#include "explorer/debug_information/sites.h"
#include "explorer/local_states/captured_memory.h"
#include "explorer/local_states/divergence.h"
#include "explorer/saved/saved_memory.h"
#include "explorer/steps/step_source.h"
#include "explorer/steps/step_table.h"
#include "explorer/steps/written_files.h"

#include <sys/types.h>

struct executors;

struct executors_options {
    const char *program;        /* path of the executable */
    char *const *argv;          /* NULL-terminated, argv[0] included */
    unsigned number;            /* of the program among those that run together, from 0 */
    unsigned first_rank, ranks; /* those that run it */
    unsigned world;             /* ranks of all programs */
    unsigned jobs;              /* executors that work at the same time; at least 1 */
    unsigned executors; /* that there may be: more than `jobs` are made to keep ranks' memory, if that pays; at least `jobs` */
    const struct backend *backend; /* how local states are kept */
    int tracker;                   /* enum tracker_choice of ckpt/image.h */
    double step_seconds;           /* longest a step may run before it is a runaway */
    double start_seconds;          /* longest the program may run before MPI_Init; 0: no limit */
    uint64_t memory_bytes;         /* budget */
    /* Memory that the other programs use of the budget. */
    uint64_t (*elsewhere)(void *context, const struct executors *asking);
    void *context;
    const char *spill_dir;   /* where pages that memory has no room for go; NULL: nowhere */
    const char *keep_images; /* folder for the images of states, if the backend has some, or NULL */
    const char *input;       /* what rank 0 reads as stdin: a path, "-" for our own, NULL for our own if it is a regular file */
    bool race_on_state;      /* the memory in which a rank ends is part of its outcome */
    bool log_allocations;    /* keep a log of which call allocated each heap block */
    const char *library;     /* path of the preloaded library */
    struct saved *saved;     /* the exploration directory, or NULL */
    uint64_t arena_bytes;    /* most memory that a rank may allocate; 0: a share of the budget */
    const volatile bool *interrupt; /* checked while waiting; may be NULL */
    double deadline;                /* seconds of the monotonic clock from which on nobody waits any more; 0: none */
};

/* NULL and a malloc'd sentence in *error if the program cannot be run; NULL there if it was interrupted, or the deadline has come.
 * Table and sites are those of all programs that run together, and must outlive this one. */
struct executors *executors_start(const struct executors_options *options, struct step_table *table, struct sites *sites,
                                  char **error);
/* Makes roots anew, for ranks that know of agents, and for these, and of these places, forget or keep leftovers, and place blocks
 * (models/mpi/preload/memory/placed_blocks.h) or do not. False: see executors_failure. */
struct places;
struct leftovers;
bool executors_begin_anew(struct executors *executors, int agents, const struct places *places,
                          const struct leftovers *leftovers, bool places_blocks);
/* For an exploration that is resumed. Interns the root of a rank (and its agent's, by `variant`) that was saved; false: it was
 * not. */
bool executors_take_root(struct executors *executors, unsigned variant, unsigned rank);
struct saved_memory *executors_saved_memory(struct executors *executors);
void executors_take_divergence(struct executors *executors, struct divergence divergence);
/* Whether the program has come to MPI_Init as it did then, to be asked when all steps were read; false: a malloc'd sentence. */
bool executors_check_root(struct executors *executors, char **error);
/* For the ranks that run this program, and their agents. */
const struct step_source *executors_steps(struct executors *executors);

struct executors_statistics {
    uint64_t steps_executed, steps_reused;
    uint64_t steps_resumed;   /* of all programs: those that an exploration directory had */
    uint64_t local_states;    /* of all programs, as they share a table */
    uint64_t buffer_checks;   /* executions only to see whether a pending receive's buffer, or a window, is read */
    uint64_t steps_repeated;  /* executions only to have pages again that were forgotten */
    uint64_t pages;           /* distinct pages stored */
    uint64_t pages_forgotten; /* of them, those that are not there now */
    uint64_t spilled_bytes;   /* pages and images of processes on disk */
    uint64_t image_bytes;     /* images of processes, in memory or on disk */
    uint64_t pages_captured, pages_restored; /* over all executors now alive */
    uint64_t memory_bytes;                   /* page store, executors' own memory; not the step table */
    bool keeps_blocks;                       /* a rank has kept blocks that it had allocated after a message */
    unsigned executors;
    unsigned replaced; /* executors that died and were replaced */
    const char *tracker;
};
struct executors_statistics executors_statistics(struct executors *executors);

/* Moves stored pages to disk until `bytes` of memory are free, if that is allowed; returns how many are. */
uint64_t executors_spill(struct executors *executors, uint64_t bytes);

/* Pages of local states may take so much memory from now on: some of what is beyond is forgotten, unless it goes to disk or is
 * saved, and made again when it is needed. */
void executors_limit_pages(struct executors *executors, uint64_t bytes);
/* Bytes that they take, and whether too much had to be made again. */
uint64_t executors_page_bytes(const struct executors *executors);
bool executors_crawl(const struct executors *executors);
/* Has the pages of a local state there, until another one is asked for under the same number. False: they cannot be. */
enum { EXECUTORS_PINS = 2 };
bool executors_pin(struct executors *executors, unsigned at, uint32_t local);

/* Why the step source returned NULL: a sentence, or NULL if it was interrupted or the page store is full. */
const char *executors_failure(const struct executors *executors);
bool executors_store_full(const struct executors *executors);
/* The memory of local states; `pages` is NULL if the backend does not keep it. */
struct captured_memory executors_memory(const struct executors *executors);
/* How a step that ended as nondeterministic went each time; NULL if that is not known. */
const struct divergence *executors_divergence(const struct executors *executors, const struct step_result *result);
/* The process that all executors come from: its mappings are theirs. */
pid_t executors_process(const struct executors *executors);
/* Brings a process into a local state, in its MPI call, where it stays: for a debugger. It is ended with the others, and no step
 * may be asked for any more. 0: it cannot be; see executors_failure. */
pid_t executors_pause(struct executors *executors, uint32_t local);
/* Brings a process into a local state, which must not be an end, for no other reason than what that takes. False: see
 * executors_failure. */
bool executors_run_to(struct executors *executors, uint32_t local);
/* Ends all processes and frees everything. */
void executors_stop(struct executors *executors);

#endif
