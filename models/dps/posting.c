/* What an operation says, and what becomes of it. The first half runs on the operation's stack, the second on the rank's. */
#include "models/dps/run.h"

#include <stdlib.h>
#include <string.h>

/* Called through dps_next, dps_post and dps_post_as: see stack_switch.S. */
const void *operation_next(struct dps_operation *self);
void operation_post(struct dps_operation *self, const struct dps_type *type, const void *message);
void operation_post_as(struct dps_operation *self, int32_t number, const struct dps_type *type, const void *message);

static void stop_for(struct dps_operation *self, enum request request) {
    self->request = request;
    stacks_leave(&self->run->stacks, &self->stack_pointer);
}

const void *operation_next(struct dps_operation *self) {
    stop_for(self, REQUEST_NEXT);
    return self->input;
}

void operation_post_as(struct dps_operation *self, int32_t number, const struct dps_type *type, const void *message) {
    self->post_number = number;
    self->post_type = type;
    self->post_message = message;
    stop_for(self, REQUEST_POST);
}

void operation_post(struct dps_operation *self, const struct dps_type *type, const void *message) {
    operation_post_as(self, (int32_t)self->posts, type, message);
}

void posting_execute(void *operation) {
    struct dps_operation *self = operation;
    self->kind->execute(self, self->input);
    stop_for(self, REQUEST_END);
}

const struct dps_type *dps_input_type(const struct dps_operation *self) { return self->run->graph->type[self->input_type]; }
unsigned dps_thread(const struct dps_operation *self) { return self->thread; }

static const struct collection *collection_of(const struct dps_operation *self) {
    return &self->run->graph->collection[operation_node(self)->collection];
}
unsigned dps_thread_count(const struct dps_operation *self) { return collection_of(self)->threads; }
void *dps_storage(const struct dps_operation *self) { return collection_of(self)->storage[self->thread]; }

/* --- on the rank's stack -------------------------------------------------------------------------------------------------- */

void posting_release_input(struct dps_operation *operation) {
    if (!operation->input)
        return;
    dps_release(operation->run->graph->type[operation->input_type], operation->input);
    free(operation->input);
    operation->input = NULL;
    operation->input_type = 0;
}

void posting_keep(struct dps_operation *operation, struct arrival *message) {
    struct collecting *collecting = &operation->collecting;
    if (collecting->last)
        collecting->last->next = message;
    else
        collecting->first = message;
    collecting->last = message;
}

static struct arrival *first_arrival(struct collecting *collecting) {
    struct arrival *message = collecting->first;
    collecting->first = message->next;
    if (!collecting->first)
        collecting->last = NULL;
    return message;
}

bool posting_take(struct dps_operation *operation) {
    struct collecting *collecting = &operation->collecting;
    struct run *run = operation->run;
    if (!form_collects(operation->kind->form))
        network_fail(&run->network, "%s is no merge and no stream: it takes one message", operations_name(operation));
    posting_release_input(operation);
    if (collecting->first) {
        struct arrival *message = first_arrival(collecting);
        run_unpack(operation, message);
        free(message);
        collecting->taken++;
        return true;
    }
    collecting->ended = collecting->total_known && collecting->taken == collecting->total;
    return collecting->ended;
}

static struct identifier identifier_of_post(const struct dps_operation *operation) {
    if (form_opens(operation->kind->form))
        return identifier_add(operation->opening.prefix, operation->post_number, operation->node, operation->thread);
    return identifier_pass(operation->context, 1);
}

static void require_may_post(struct dps_operation *operation) {
    const struct network *network = &operation->run->network;
    enum dps_form form = operation->kind->form;
    if (!kind_posts(operation->kind, operation->post_type))
        network_fail(network, "%s posts a message of type %s, which it does not list", operations_name(operation),
                     operation->post_type->name);
    if (!form_opens(form) && operation->posts > 0)
        network_fail(network, "%s posts more than one message", operations_name(operation));
    if (form == DPS_MERGE && !operation->collecting.ended)
        network_fail(network, "%s posts before it has taken all messages", operations_name(operation));
    if (operation->post_number < 0)
        network_fail(network, "%s numbers a message %d", operations_name(operation), operation->post_number);
}

/* The thread of `node` that the message goes to; load balancing is noted in the identifier. */
static unsigned route(struct dps_operation *operation, const struct node *node, struct identifier *identifier) {
    const struct collection *collection = &operation->run->graph->collection[node->collection];
    struct posting posting = {.message = operation->post_message,
                              .number = identifier_last(identifier)->number,
                              .thread = operation->thread,
                              .flow_limit = operation_node(operation)->flow_limit,
                              .workers = &operation->opening.workers};
    unsigned thread = routing_thread(&node->route, collection->threads, &posting);
    if (thread >= collection->threads)
        network_fail(&operation->run->network, "the message of %s is routed to thread %u of %s, which has %u",
                     operations_name(operation), thread, collection->name, collection->threads);
    if (routing_balances(&node->route))
        identifier_last(identifier)->worker = (int32_t)thread;
    return thread;
}

void posting_send(struct dps_operation *operation) {
    struct run *run = operation->run;
    const struct dps_graph *graph = run->graph;
    void *storage = dps_storage(operation); /* which the message may point into */
    require_may_post(operation);
    access_begin(run->access, operation->node, storage);
    struct token token = {.type = graph_type_number(graph, operation->post_type), .identifier = identifier_of_post(operation)};
    int rank = 0, next = graph_next(graph, operation->node, operation->post_type, operation->post_message);
    if (next == GRAPH_NOWHERE)
        network_fail(&run->network, "nobody takes the message of type %s that %s posts", operation->post_type->name,
                     operations_name(operation));
    if (next == GRAPH_RESULT) {
        token.kind = TOKEN_RESULT;
    } else {
        token.kind = TOKEN_DATA;
        token.node = (uint16_t)next;
        token.thread = (uint16_t)route(operation, &graph->node[next], &token.identifier);
        rank = graph->collection[graph->node[next].collection].rank[token.thread];
    }
    struct arrival *message = network_message(&token, dps_size(operation->post_type, operation->post_message));
    dps_write(operation->post_type, operation->post_message, message->body);
    access_end(run->access, storage);
    operation->posts++;
    operation->post_number = 0;
    operation->post_type = NULL;
    operation->post_message = NULL;
    network_send(&run->network, rank, message);
}
