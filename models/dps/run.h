/* A call of a graph on this rank, and the operations that run or wait. Internal.
 *
 * The rank's own stack receives, delivers and sends; operations run on theirs and come back with a request. All that is kept
 * from one message to the next is in the places below, which depend on what is alive and not on how it came about:
 * the table of operations, where each has the place that its name hashes to (or the next free one), and their stacks. */
#ifndef MODELS_DPS_RUN_H
#define MODELS_DPS_RUN_H

#include "models/dps/access.h"
#include "models/dps/network.h"
#include "models/dps/routing.h"
#include "models/dps/stacks.h"

enum request { REQUEST_NONE, REQUEST_POST, REQUEST_NEXT, REQUEST_END };

/* What a merge or stream knows of the messages it takes. */
struct collecting {
    uint16_t split_node, split_thread; /* where they come from */
    uint32_t received, taken;
    uint32_t total;               /* messages that there are; counts once `total_known` */
    bool total_known;             /* NotifyMerge has come */
    bool ended;                   /* the operation has been told that there are no more */
    struct arrival *first, *last; /* received and not taken: the operation waits for flow control */
    uint32_t workers;
    uint16_t worker[GRAPH_FLOW_MOST]; /* threads to be given back with the next NotifySplit */
};

/* What a split or stream knows of the messages it posts. */
struct opening {
    struct identifier prefix;          /* what their identifiers have in common */
    uint32_t arrived;                  /* messages, as the merge tells */
    uint32_t heard;                    /* NotifySplits */
    uint16_t merge_node, merge_thread; /* from where; count once something was heard */
    struct free_workers workers;
};

struct dps_operation {
    struct run *run; /* null: this place is free */
    const struct dps_operation_kind *kind;
    uint16_t node, thread;
    bool ended;                /* `execute` has returned; a split waits for its merge to ask */
    struct identifier context; /* leaf, split: of the input. merge, stream: what the inputs have in common */
    uint32_t input_type;
    void *input;    /* null: none */
    uint32_t posts; /* messages posted */
    struct collecting collecting;
    struct opening opening;
    enum request request; /* what it stopped for */
    int32_t post_number;  /* with REQUEST_POST */
    const struct dps_type *post_type;
    const void *post_message;
    void *stack_pointer;
};

struct run {
    struct dps_graph *graph;
    struct network network;
    struct stacks stacks;
    struct dps_operation *operation; /* `stacks.count` places */
    int source;                      /* where messages come from: a rank, or MPI_ANY_SOURCE */
    struct arrival *first, *last;    /* notifications of this rank to itself, which come before all messages */
    bool stopped;
    void *output;          /* rank 0: for the result */
    struct access *access; /* what is told to tools, or NULL */
};

/* --- operations.c: the table */

/* The operation with this name, or null. */
struct dps_operation *operations_find(struct run *run, unsigned node, unsigned thread, const struct identifier *context);
/* The split or stream whose messages have this in common, or null. */
struct dps_operation *operations_find_opener(struct run *run, unsigned node, unsigned thread, const struct identifier *prefix);
struct dps_operation *operations_open(struct run *run, unsigned node, unsigned thread, const struct identifier *context);
void operations_close(struct dps_operation *operation);
/* "split_vector (0/1) on main[0]" in a static buffer, for sentences. */
const char *operations_name(const struct dps_operation *operation);

/* --- posting.c: what operations say */

/* The message of an operation that stopped with REQUEST_POST: finds out where it goes, and sends it. */
void posting_send(struct dps_operation *operation);
/* Takes the next message for an operation that stopped with REQUEST_NEXT; false: there is none yet. */
bool posting_take(struct dps_operation *operation);
/* A message for a merge or stream that has not been taken yet. Belongs to the operation from now on. */
void posting_keep(struct dps_operation *operation, struct arrival *message);
void posting_release_input(struct dps_operation *operation);
/* The body of an operation's stack. */
void posting_execute(void *operation);

/* --- flow_control.c: what merge and split tell each other */

/* May the split send another message? */
bool flow_admits(const struct dps_operation *operation);
/* A message has come to a merge or stream: it may have to tell the split. */
void flow_received(struct dps_operation *merge, const struct arrival *message);
void flow_notify_split(struct run *run, const struct arrival *notification);
void flow_notify_merge(struct run *run, const struct arrival *notification);
/* The next notification of this rank to itself, or null. */
struct arrival *flow_own_notification(struct run *run);
/* The split has ended or heard something: if it has heard all that there is to hear, tells the merge the number of its
 * messages, and is closed. */
void flow_conclude(struct dps_operation *split);

/* --- senders.c */

/* The only rank that messages to this one can come from, or MPI_ANY_SOURCE. */
int senders_only(const struct dps_graph *graph, int rank);

/* --- run.c */

/* Lets an operation go on if what it waits for is there. */
void run_wake(struct dps_operation *operation);
/* The object in a message becomes the operation's input. */
void run_unpack(struct dps_operation *operation, const struct arrival *message);

static inline const struct node *operation_node(const struct dps_operation *operation) {
    return &operation->run->graph->node[operation->node];
}

#endif
