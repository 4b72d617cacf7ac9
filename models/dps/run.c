/* The message loop of a rank, from the call of a graph to its result. */
#include "models/dps/run.h"

#include <stdlib.h>
#include <string.h>

enum { OPERATIONS = 128, OPERATIONS_OF_A_THREAD = 8, STACK_BYTES = 64 << 10, OUTGOING_BYTES = 16 << 20 };

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory)
        abort();
    return memory;
}

/* --- operations ----------------------------------------------------------------------------------------------------------- */

void run_unpack(struct dps_operation *operation, const struct arrival *message) {
    const struct dps_type *type = operation->run->graph->type[message->token.type];
    operation->input_type = message->token.type;
    operation->input = allocate(1, type->size);
    if (!dps_read(type, operation->input, message->body, message->body_size))
        network_fail(&operation->run->network, "a message for %s is no %s", operations_name(operation), type->name);
}

static void require_right_end(const struct dps_operation *operation) {
    const struct network *network = &operation->run->network;
    if (operation->posts == 0)
        network_fail(network, "%s ends without posting a message", operations_name(operation));
    if (form_collects(operation->kind->form) && !operation->collecting.ended)
        network_fail(network, "%s ends before dps_next has said that there are no more messages", operations_name(operation));
}

static void end(struct dps_operation *operation) {
    struct run *run = operation->run;
    require_right_end(operation);
    posting_release_input(operation);
    stacks_end(&run->stacks, (unsigned)(operation - run->operation), &operation->stack_pointer);
    operation->ended = true;
    if (form_opens(operation->kind->form))
        flow_conclude(operation);
    else
        operations_close(operation);
}

/* Answers what the operation stopped for. True: it can go on. */
static bool answer(struct dps_operation *operation) {
    switch (operation->request) {
    case REQUEST_NONE: return true;
    case REQUEST_NEXT: return posting_take(operation);
    case REQUEST_POST:
        if (!flow_admits(operation))
            return false;
        posting_send(operation);
        return true;
    case REQUEST_END: end(operation); return false;
    }
    return false;
}

void run_wake(struct dps_operation *operation) {
    struct run *run = operation->run;
    unsigned number = (unsigned)(operation - run->operation);
    while (answer(operation)) {
        void *storage = dps_storage(operation);
        operation->request = REQUEST_NONE;
        access_begin(run->access, operation->node, storage);
        bool fits = stacks_resume(&run->stacks, number, &operation->stack_pointer);
        access_end(run->access, storage);
        if (!fits)
            network_fail(&run->network, "%s needs more stack than it has: raise the limit", operations_name(operation));
    }
}

/* --- messages ------------------------------------------------------------------------------------------------------------- */

static void deliver_to_collector(struct run *run, struct arrival *message) {
    const struct token *token = &message->token;
    struct identifier context = identifier_drop(token->identifier);
    struct dps_operation *operation = operations_find(run, token->node, token->thread, &context);
    bool fresh = !operation;
    if (fresh) {
        operation = operations_open(run, token->node, token->thread, &context);
        if (form_opens(operation->kind->form))
            operation->opening.prefix = identifier_pass(context, 2);
        run_unpack(operation, message);
        operation->collecting.taken = 1;
    }
    flow_received(operation, message);
    if (fresh)
        free(message);
    else
        posting_keep(operation, message);
    run_wake(operation);
}

/* Two messages with one number cannot be told apart. That does no harm before what stems from one of them meets what stems from the
 * other: here, or in a merge (flow_received). */
static void require_own_name(struct run *run, const struct token *token) {
    if (!form_opens(run->graph->node[token->node].kind->form))
        return;
    const struct dps_operation *same = operations_find(run, token->node, token->thread, &token->identifier);
    if (same)
        network_fail(&run->network, "%s gets two messages: they were given one number (dps_post_as)", operations_name(same));
}

static void deliver(struct run *run, struct arrival *message) {
    const struct token *token = &message->token;
    if (form_collects(run->graph->node[token->node].kind->form)) {
        deliver_to_collector(run, message);
        return;
    }
    require_own_name(run, token);
    struct dps_operation *operation = operations_open(run, token->node, token->thread, &token->identifier);
    operation->opening.prefix = identifier_pass(token->identifier, 1);
    run_unpack(operation, message);
    free(message);
    run_wake(operation);
}

/* One rank after the other, so that the end adds no orderings. */
static void stop_others(struct run *run) {
    struct token token = {.kind = TOKEN_STOP};
    for (int rank = 1; rank < run->network.ranks; rank++)
        network_hand_over(&run->network, rank, &token);
}

static void keep_result(struct run *run, const struct arrival *message) {
    const struct dps_type *type = run->graph->type[message->token.type];
    if (!dps_read(type, run->output, message->body, message->body_size))
        network_fail(&run->network, "the result is no %s", type->name);
}

/* Not inlined: what it leaves in its frame must be gone when the rank waits. */
__attribute__((noinline)) static void handle(struct run *run, struct arrival *message) {
    switch ((enum token_kind)message->token.kind) {
    case TOKEN_DATA: deliver(run, message); return;
    case TOKEN_NOTIFY_SPLIT: flow_notify_split(run, message); break;
    case TOKEN_NOTIFY_MERGE: flow_notify_merge(run, message); break;
    case TOKEN_RESULT:
        keep_result(run, message);
        stop_others(run);
        run->stopped = true;
        break;
    case TOKEN_STOP: run->stopped = true; break;
    }
    free(message);
}

/* --- a call --------------------------------------------------------------------------------------------------------------- */

/* Creates the storages of the threads that live here, and counts those threads. */
static unsigned create_storages(struct run *run, struct collection *collection) {
    unsigned here = 0;
    for (unsigned i = 0; i < collection->threads; i++) {
        int rank = collection->rank[i];
        if (rank < 0 || rank >= run->network.ranks)
            network_fail(&run->network, "thread %s[%u] is placed on rank %d of %d", collection->name, i, rank,
                         run->network.ranks);
        here += rank == run->network.rank;
        if (rank != run->network.rank || !collection->storage_type || collection->storage[i])
            continue;
        collection->storage[i] = allocate(1, collection->storage_type->size);
        if (collection->construct)
            collection->construct(collection->storage[i], i, collection->threads);
    }
    return here;
}

static void open_run(struct run *run, struct dps_graph *graph, MPI_Comm communicator, void *output) {
    const struct dps_limits *limits = &graph->limits;
    *run = (struct run){.graph = graph, .output = output};
    network_open(&run->network, communicator, limits->outgoing_bytes ? limits->outgoing_bytes : OUTGOING_BYTES);
    graph_place_rest(graph, run->network.ranks);
    const char *error = dps_graph_error(graph);
    if (error)
        network_fail(&run->network, "%s", error);
    run->source = senders_only(graph, run->network.rank);
    unsigned threads = 0;
    for (unsigned i = 0; i < graph->collections; i++)
        threads += create_storages(run, &graph->collection[i]);
    stacks_create(&run->stacks, limits->operations ? limits->operations : OPERATIONS + OPERATIONS_OF_A_THREAD * threads,
                  limits->stack_bytes ? limits->stack_bytes : STACK_BYTES);
    run->operation = allocate(run->stacks.count, sizeof *run->operation);
    run->access = access_open(graph, &run->network);
}

static void close_run(struct run *run) {
    access_close(run->access);
    free(run->operation);
    stacks_destroy(&run->stacks);
    network_close(&run->network);
}

/* The first message goes to the first operation as if one had posted it. */
static void send_input(struct run *run, const void *input) {
    const struct dps_graph *graph = run->graph;
    const struct node *entry = &graph->node[graph->entry];
    const struct collection *collection = &graph->collection[entry->collection];
    const struct dps_type *type = entry->kind->inputs[0];
    struct free_workers workers = {0};
    struct posting posting = {.message = input, .number = graph->calls, .workers = &workers};
    struct token token = {.kind = TOKEN_DATA,
                          .node = (uint16_t)graph->entry,
                          .type = graph_type_number(graph, type),
                          .identifier = identifier_of_call(graph->calls)};
    unsigned thread = routing_thread(&entry->route, collection->threads, &posting);
    if (thread >= collection->threads)
        network_fail(&run->network, "the input is routed to thread %u of %s, which has %u", thread, collection->name,
                     collection->threads);
    token.thread = (uint16_t)thread;
    struct arrival *message = network_message(&token, dps_size(type, input));
    dps_write(type, input, message->body);
    network_send(&run->network, collection->rank[thread], message);
}

static struct arrival *next_message(struct run *run) {
    struct arrival *own = flow_own_notification(run);
    if (own)
        return own;
    struct arrival *message = network_receive(&run->network, run->source);
    access_message(run->access, message);
    return message;
}

bool dps_call(struct dps_graph *graph, MPI_Comm communicator, const void *input, void *output) {
    struct run run;
    open_run(&run, graph, communicator, output);
    bool caller = run.network.rank == 0;
    if (caller)
        send_input(&run, input);
    while (!run.stopped)
        handle(&run, next_message(&run));
    close_run(&run);
    graph->calls++;
    return caller;
}
