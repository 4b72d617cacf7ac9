/* Getting at local states: one interface, several backends. A state is a number of the caller's; what the caller knows of it
 * (the name of its memory, the state before it and the answer that led from there to it) is asked for through `lineage`. A
 * process is brought into a state, runs on from there (the caller's business), and is left in the state that it reached.
 *
 *     backend  a state is                                   entering it costs
 *     pages    a tree of pages in the shared store          writing the pages that differ
 *     fork     a parked process                             a fork; the steps from its nearest parked ancestor if it was evicted
 *     criu     an image of a process, in files              a restore by CRIU, some 15 ms
 *     replay   nothing but its lineage                      a fork of the first process and all steps from the root
 *
 * All of them name states alike, by the content of the image. Knows nothing of MPI. */
#ifndef CKPT_BACKENDS_CHECKPOINT_H
#define CKPT_BACKENDS_CHECKPOINT_H

#include "ckpt/backends/dialogue.h"

#include <sys/types.h>

#define STATE_NONE UINT32_MAX

/* One executor: a mailbox, and the process that talks through it. */
struct process {
    struct mailbox *mailbox;
    uint32_t number;     /* 0, 1, … */
    pid_t pid;           /* 0: none */
    uint32_t holds;      /* name of its memory */
    unsigned generation; /* forks between it and the first process */
    bool killed;         /* the last one to die was killed with SIGKILL: from outside, most likely */
};

struct lineage {
    /* The name of a state's memory. */
    uint32_t (*image)(void *context, uint32_t state);
    /* The state from which this one was first reached; STATE_NONE for a root, whose number (of the rank) *root then is. */
    uint32_t (*before)(void *context, uint32_t state, uint32_t *root);
    /* Writes the answer that led from the state before to this one; false if it does not fit into `room`. */
    bool (*answer)(void *context, uint32_t state, void *area, size_t room);
    /* Writes what a state is, as text; returns its number as users know it, or 0: they do not. */
    uint32_t (*describe)(void *context, uint32_t state, char *text, size_t room);
    void *context;
};

struct checkpoint;

enum entering {
    ENTER_READY,   /* the process stands in the state: COMMAND_STEP will run it on */
    ENTER_LOST,    /* the process was lost on the way: killed, say; trying again may help */
    ENTER_CHANGED, /* a step on the way did something else than the first time */
    ENTER_STOPPED, /* interrupted, or a failure for good: checkpoint->failure or ->full says so */
};

struct kept_bytes {
    uint64_t memory, disk;
};

struct backend {
    const char *name;
    bool keeps_pages; /* the store must keep the content of pages, not only their names */
    bool sleeps;      /* its processes sleep at a socket: checkpoint->line and ->region are needed */
    /* Makes a process for an emptied mailbox, as a copy of the first process. NULL: by its fork. */
    enum entering (*spawn)(struct checkpoint *checkpoint, struct process *process);
    /* Brings `process` into `state` and fills in its mailbox's root_in; the caller gives COMMAND_STEP. */
    enum entering (*enter)(struct checkpoint *checkpoint, struct process *process, uint32_t state);
    /* The caller has no more use for where the process is now: `state` (STATE_NONE: nowhere), `fresh` if reached for the first
     * time. */
    void (*leave)(struct checkpoint *checkpoint, struct process *process, uint32_t state, bool fresh);
    /* The one that holds the memory of an executor's process, where it is another than process->pid. May be NULL. */
    pid_t (*holder)(const struct checkpoint *checkpoint, const struct process *process);
    /* Lists its own processes, at most `room`; returns how many. */
    size_t (*processes)(const struct checkpoint *checkpoint, pid_t *list, size_t room);
    /* Gives up some of what it keeps in memory and can have again, what was not used for longest; false: there is nothing.
     * NULL: never. */
    bool (*release)(struct checkpoint *checkpoint);
    /* What it keeps in files. NULL: nothing. */
    struct kept_bytes (*kept)(const struct checkpoint *checkpoint);
    /* Ends all processes of its own. */
    void (*stop)(struct checkpoint *checkpoint);
};

extern const struct backend backend_pages, backend_fork, backend_criu, backend_replay;

struct checkpoint {
    const struct backend *backend;
    struct channel *channel;
    pid_t zygote;
    struct lineage lineage;
    const char *spill_dir;          /* where to keep files; NULL: wherever temporary files go */
    const char *keep_dir;           /* a folder for what the backend has in files at the end, or NULL */
    double step_seconds;            /* longest that a step may take */
    const volatile bool *interrupt; /* may be NULL */
    double deadline;                /* of checkpoint_now, as good as an interrupt; 0: none */
    int line;                       /* our end of the socket that copies of the first process sleep at; -1: none */
    int region;                     /* the file of the channel; -1: not kept */
    uint32_t base_root;             /* name of the first process's memory; BLOCK_NONE before the first executor */
    void *own;                      /* the backend's */
    bool full;                      /* the store is full */
    char *failure;                  /* first failure for good: a sentence, malloc'd */
};

/* Remembers the first failure; returns false. */
bool checkpoint_fail(struct checkpoint *checkpoint, const char *sentence);
/* An executor has found the store written over. */
enum entering checkpoint_damaged(struct checkpoint *checkpoint);
bool checkpoint_interrupted(const struct checkpoint *checkpoint);

enum awaiting { AWAIT_DONE, AWAIT_DEAD, AWAIT_LATE, AWAIT_STOPPED };
/* Waits until the process has done command `number`, `seconds` at most. A process found dead is reaped. */
enum awaiting process_await(struct checkpoint *checkpoint, struct process *process, uint32_t number, double seconds);
bool process_dead(struct process *process);
void process_end(struct process *process);

/* Starts a process for the mailbox, ended first if there is one, as a copy of the first process. */
enum entering process_spawn(struct checkpoint *checkpoint, struct process *process);
/* Asks it to become root state `number`; its mailbox's root_out names it. */
enum entering process_root(struct checkpoint *checkpoint, struct process *process, uint32_t number);
/* A fresh process in the given root state. */
enum entering process_spawn_root(struct checkpoint *checkpoint, struct process *process, uint32_t number);
/* Runs a process that stands in the state before `state` into it. */
enum entering process_repeat(struct checkpoint *checkpoint, struct process *process, uint32_t state);
/* Loads the state before, whose memory `root_in` and `log_in` name, first. */
enum entering process_repeat_from(struct checkpoint *checkpoint, struct process *process, uint32_t state, uint32_t root_in,
                                  uint32_t log_in);
/* Prepares a mailbox for a process that will report its start as command 1. */
void process_expect(struct process *process);
/* `maker` is the process that makes it, if that may be killed before it has; its pid is 0 afterwards if it was. */
enum entering process_await_start(struct checkpoint *checkpoint, struct process *process, struct process *maker);

double checkpoint_now(void); /* seconds of a clock that only goes forward */

#endif
