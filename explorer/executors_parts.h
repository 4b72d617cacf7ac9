/* What the parts of the executors share; nobody else includes this.
 *
 *     executors.c          their life; what they offer as a step source
 *     executors_roots.c    the local states in which ranks begin, and what the checkpoint backend asks of states
 *     executors_steps.c    who executes which step: begins them, waits for them, replaces executors that die
 *     executors_checks.c   steps executed again: do they do the same, and do they read what they must not
 *     executors_memory.c   memory and other figures of all processes
 */
#ifndef EXPLORER_EXECUTORS_PARTS_H
#define EXPLORER_EXECUTORS_PARTS_H

#include "explorer/executors.h"
#include "explorer/memory.h"
#include "explorer/zygote_launch.h"

#define NO_STEP UINT32_MAX

/* Steps that are wanted while all executors are busy. The oldest are forgotten first. */
enum { WANTED_MOST = 64 };

struct executor {
    struct process process;
    uint32_t step;                  /* being executed, or NO_STEP */
    uint32_t command;               /* its number */
    unsigned deaths, kills;         /* in this step so far */
    double wanted_since;            /* when this step was first tried */
    uint32_t variant, variant_only; /* of the execution, see struct mailbox */
    double began;
};

struct executors {
    struct executors_options options;
    struct launch launch;
    struct checkpoint checkpoint;
    struct step_table *table;
    struct step_source source;
    struct executor *executor;
    uint32_t wanted[WANTED_MOST]; /* wanted[i % WANTED_MOST], i from wanted_first to before wanted_end */
    uint32_t wanted_first, wanted_end;
    unsigned cores;
    uint32_t *root; /* local state of each rank at MPI_Init, and then of each one's agent */
    unsigned roots;
    uint16_t init_function;
    uint64_t init_site;
    struct memory_layout layout;
    struct sites *sites;
    struct name_table final_names; /* of local states: positions in `final` */
    uint64_t *final;               /* hashes of final memory */
    size_t finals, final_room;
    struct divergence *divergence;
    size_t divergences, divergence_room;
    uint64_t executed, reused, buffer_checks;
    double memory_checked; /* when the shares of processes were last asked for, and what was found */
    uint64_t share_then, resident_then;
    unsigned replaced;
};

/* An executor may be killed this often before it is taken for its step's fault. */
enum { KILLS = 12 };

/* --- executors_roots.c --- */

/* False: see executors_failure. */
bool executors_make_roots(struct executors *executors);
uint32_t executors_root(struct executors *executors, unsigned rank);
struct lineage executors_lineage(struct executors *executors);

/* --- executors_steps.c --- */

void executors_want(struct executors *executors, uint32_t local, const struct resolution *resolution);
/* NULL: the search must stop. */
const struct step_result *executors_get(struct executors *executors, uint32_t local, const struct resolution *resolution);
/* Gives the executor time until its step is done; false if the search must stop. */
bool executor_await(struct executors *executors, struct executor *executor);
/* Starts the step of `executor`; true if it then runs or has been given up, false if the search must stop. */
bool executor_give(struct executors *executors, struct executor *executor);
/* Gives up the step being executed: the result says so once and for all, so that it costs no more processes. */
void executor_give_up(struct executors *executors, struct executor *executor, enum wire_end_kind kind);

enum loss { LOSS_OUTSIDE, LOSS_OF_ITSELF };
enum loss executor_loss(const struct executor *executor);
void executor_count_loss(struct executors *executors, struct executor *executor, enum loss loss);
void executor_count_from_here(struct executor *executor);
bool executor_tried_enough(const struct executor *executor);

/* Is this the status of a store that is full or spoilt? Then the search must stop. */
bool executors_ended_for_good(struct executors *executors, uint32_t status);

/* --- executors_checks.c --- */

enum checking {
    CHECK_SAME,
    CHECK_DIFFERENT, /* the step has been dealt with: it has a result */
    CHECK_STOPPED,   /* the search must stop */
};
/* Executes some steps again once they are done. */
enum checking executor_check(struct executors *executors, struct executor *executor);

/* --- executors_memory.c --- */

/* A step may use up the memory while it runs. */
bool executors_over_budget(struct executors *executors);

#endif
