/* What the parts of the executors share; nobody else includes this.
 *
 *     executors.c          their life; what they offer as a step source
 *     executors_roots.c    the local states in which ranks begin, and what the checkpoint backend asks of states
 *     executors_queue.c    who executes which step
 *     executors_steps.c    one executor: gives it its steps, takes their results, replaces it when it dies
 *     executors_checks.c   steps executed again: do they do the same, and do they read what they must not
 *     executors_saving.c   what an exploration directory keeps of it all
 *     executors_memory.c   memory and other figures of all processes
 *     executors_forgetting.c   pages that there is no memory for are forgotten, and made again where they are needed
 */
#ifndef EXPLORER_EXECUTORS_PARTS_H
#define EXPLORER_EXECUTORS_PARTS_H

#include "explorer/containers/memory.h"
#include "explorer/processes/executors.h"
#include "explorer/processes/page_marks.h"
#include "explorer/processes/zygote_launch.h"
#include "explorer/saved/saved_steps.h"

#include <limits.h>

#define NO_STEP UINT32_MAX
#define NO_RANK UINT_MAX

/* Steps that are wanted while all executors are busy. What there is no room for is forgotten. */
enum { WANTED_MOST = 256 };

struct executor {
    struct process process;
    uint32_t step;                  /* being executed, or NO_STEP */
    unsigned rank;                  /* whose memory it had last; NO_RANK: nobody's yet */
    uint32_t batch[BATCH_MOST];     /* steps that it was given at once; batch[batch_at] is `step` */
    uint32_t batch_at, batch_count; /* one is a plain command */
    uint32_t command;               /* number of the last one */
    bool to_check;                  /* whether it is to be executed again; then it is alone */
    unsigned deaths, kills;         /* in this step so far */
    double wanted_since;            /* when this step was first tried */
    uint32_t variant, variant_most; /* of the execution, see struct mailbox */
    bool of_unseen, may_vary;
    const struct mailbox_exposure *asked; /* likewise, while a step that has its result is executed again; else NULL */
    double given_at, began;               /* the batch, and the step */
    uint32_t era;                         /* of the page store, when the batch was given */
    uint32_t standing;                    /* the state in which the process stands while one is made again; else STATE_NONE */
};

/* Of pages that there is no memory for: executors_forgetting.c. */
struct forgetting {
    bool on, crawls; /* crawls: too much had to be made again */
    struct page_marks marks;
    uint64_t limit;   /* bytes of pages beyond which some are forgotten */
    uint64_t in_vain; /* ... and below which that was of no use */
    uint32_t era;     /* of the page store */
    uint32_t uses;    /* of local states; the last one of each, by its number: */
    uint32_t *used;   /* 0: none */
    size_t useds, used_room;
    uint64_t again;                  /* steps executed again to have pages again */
    uint32_t pinned[EXECUTORS_PINS]; /* local states whose pages are read outside of steps; STATE_NONE: none */
};

struct executors {
    struct executors_options options;
    struct launch launch;
    struct checkpoint checkpoint;
    struct step_table *table;
    struct step_source source;
    struct executor *executor;
    pthread_mutex_t *lock;        /* held by whoever asks, except while he waits; NULL: nobody else does */
    uint32_t wanted[WANTED_MOST]; /* wanted[i % WANTED_MOST], i from wanted_first to before wanted_end */
    uint32_t wanted_first, wanted_end;
    unsigned cores;
    bool no_more;   /* executors: there was no memory for them */
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
    uint64_t given, executed, reused, buffer_checks;
    bool keeps_blocks;     /* as in struct executors_statistics */
    double step_average;   /* seconds that a step takes, of late */
    double waited, told;   /* seconds that we have waited for steps, and that their reports took */
    double memory_checked; /* when the shares of processes were last asked for, and what was found */
    uint64_t share_then, largest_then, resident_then, executed_then;
    uint64_t asked_then; /* executors_have_memory: steps executed when it asked the kernel, */
    unsigned used_then;  /* and how many executors there were; 0: it has not */
    uint64_t pages_then; /* bytes of pages when it was last seen whether there is room */
    unsigned replaced;
    struct saved_memory *saved_memory; /* NULL: nothing is saved */
    size_t inputs_noted;               /* of the table's file uses, by their `news` */
    struct forgetting forgetting;
};

/* An executor may be killed this often before it is taken for its step's fault. */
enum { KILLS = 12 };

/* AGENTS(…): which agents the program has. */
static inline int executors_agents(const struct executors *executors) {
    return (int)(executors->launch.channel->variant & AGENTS_MOST);
}

/* --- executors_roots.c --- */

/* False: see executors_failure. */
bool executors_make_roots(struct executors *executors);
uint32_t executors_root(struct executors *executors, unsigned rank);
struct lineage executors_lineage(struct executors *executors);

/* A process in the root state of a rank, whose memory its mailbox then names. */
bool executors_enter_root(struct executors *executors, unsigned rank);

/* --- executors_saving.c --- */

bool executors_begin_saving(struct executors *executors, char **error);
uint32_t executors_intern_root(struct executors *executors, const struct saved_root *root);
bool executors_save_root(struct executors *executors, const struct saved_root *root);
/* One that was saved, or NULL. */
const struct saved_root *executors_known_root(const struct executors *executors, unsigned variant, unsigned rank);
/* Enters what a step came to into the table, and saves it. False: its report is malformed. */
bool executors_finish_step(struct executors *executors, struct saved_step step);
void executors_finish_lost(struct executors *executors, uint32_t step, enum wire_end_kind kind);

/* --- executors_queue.c --- */

/* Something has happened after which no step can be executed any more. */
bool executors_stopped(const struct executors *executors);
void executors_want(struct executors *executors, uint32_t local, const struct resolution *resolution, bool follow);
/* Puts a step among those that wait for an executor. */
void executors_want_later(struct executors *executors, uint32_t step);
/* A step has been executed: if it is to be followed, what comes after it is wanted next. */
void executors_follow(struct executors *executors, uint32_t step);
/* NULL: the search must stop. */
const struct step_result *executors_get(struct executors *executors, uint32_t local, const struct resolution *resolution);
/* Where a step is in the executor's batch; NO_STEP: not among those that it has still to do. */
uint32_t executor_place(const struct executor *executor, uint32_t step);

/* --- executors_steps.c --- */

/* Appends a step to the batch of an idle executor. False: its answer is too large to be one of several. */
bool executor_add_to_batch(struct executors *executors, struct executor *executor, uint32_t step);
/* Starts the batch. True if its first step then runs or has been given up, false if the search must stop. */
bool executor_give_batch(struct executors *executors, struct executor *executor);
/* Starts the step of `executor`, which then is all that it has to do. As above. */
bool executor_give(struct executors *executors, struct executor *executor);
/* Takes what results there are. False: the search must stop. */
bool executor_take_results(struct executors *executors, struct executor *executor);
/* Gives the executor time until a step is done that it was given, or all of them. False: the search must stop. */
bool executor_await(struct executors *executors, struct executor *executor, uint32_t step);
bool executor_await_all(struct executors *executors, struct executor *executor);
/* Gives up the step being executed: the result says so once and for all, so that it costs no more processes. One that was executed
 * again to be asked something has its result. */
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
/* How many steps may be given before the next one that is to be checked. */
uint32_t executors_unchecked(const struct executors *executors);
/* Executes the step that is done again, if it is one of those to be checked, or had a part in such memory. */
enum checking executor_check(struct executors *executors, struct executor *executor);
/* Its step took too long, and its process was ended: would it have come back with what it had forgotten of a receive's buffer, made
 * at this site? If it looks there, the result is that that is to be kept. */
enum checking executor_check_late(struct executors *executors, struct executor *executor, uint64_t site);

/* --- executors_forgetting.c --- */

void executors_begin_forgetting(struct executors *executors);
void executors_end_forgetting(struct executors *executors);
/* To be told before and after steps: the state was begun in, or come to. */
void executors_note_use(struct executors *executors, uint32_t local);
/* To be told before the executor is given anything. */
void executor_begin_era(struct executors *executors, struct executor *executor);
/* Forgets pages if they take more than they may. Not between asking whether a state is whole and giving the step. */
void executors_keep_within(struct executors *executors);
/* Are all pages of the state there? */
bool executors_is_whole(struct executors *executors, uint32_t local);
/* As the backend's `enter`; if need be, its pages are made again first. */
enum entering executors_enter(struct executors *executors, struct executor *executor, uint32_t local);

/* --- executors_memory.c --- */

/* Is there memory for one more executor? Once there was none, there is none. */
bool executors_have_memory(struct executors *executors);

/* Has the backend give up what it can have again, if memory is short. */
void executors_release(struct executors *executors);

/* Is there room for what the next steps may put? */
bool executors_have_room(struct executors *executors);

/* A step may use up the memory while it runs. */
bool executors_over_budget(struct executors *executors);
/* Says on stderr what a step took on average, in microseconds, for those who ask (STEP_TIMES_VARIABLE). */
void executors_tell_times(const struct executors *executors);

#endif
