/* What a merge and its split tell each other.
 *
 * The merge (or stream) sends a NotifySplit when its first message has come and, with flow control, whenever another `group` of
 * them has: how many have come, and on which threads they were worked on. The split counts those. When it has ended it knows
 * how many there will be, and after the last one it sends the one NotifyMerge, with the number of its messages. So when a merge
 * knows that it has everything, nothing is under way between the two.
 *
 * A notification comes before all messages of a rank that have not been taken yet (Schaeli, section 2.6.1). One for the rank's own
 * operations needs no network for that. */
#include "models/dps/run.h"

#include <string.h>

struct notify_split {
    uint32_t arrived;
    uint16_t merge_node, merge_thread;
    uint32_t workers;
    uint16_t worker[GRAPH_FLOW_MOST]; /* only `workers` of them are sent */
};

static bool is_told(const struct node *split, uint32_t received) {
    return received == 1 || (split->flow_limit && received % split->flow_group == 0);
}

static uint32_t times_told(const struct node *split, uint32_t total) {
    if (!split->flow_limit)
        return 1;
    return split->flow_group == 1 ? total : 1 + total / split->flow_group;
}

bool flow_admits(const struct dps_operation *operation) {
    unsigned limit = operation_node(operation)->flow_limit;
    return !limit || operation->posts - operation->opening.arrived < limit;
}

/* To the other end of a split-merge pair. The identifier is what the split's messages have in common. */
static struct arrival *notification(enum token_kind kind, unsigned node, unsigned thread, const struct identifier *identifier,
                                    const void *body, size_t size) {
    struct token token = {
        .kind = (uint32_t)kind, .node = (uint16_t)node, .thread = (uint16_t)thread, .identifier = *identifier};
    struct arrival *message = network_message(&token, size);
    memcpy(message->body, body, size);
    return message;
}

static int rank_of(const struct run *run, unsigned node, unsigned thread) {
    return run->graph->collection[run->graph->node[node].collection].rank[thread];
}

static void notify(struct run *run, int rank, struct arrival *message) {
    if (rank != run->network.rank) {
        network_send(&run->network, rank, message);
        return;
    }
    if (run->last)
        run->last->next = message;
    else
        run->first = message;
    run->last = message;
}

struct arrival *flow_own_notification(struct run *run) {
    struct arrival *message = run->first;
    if (!message)
        return NULL;
    run->first = message->next;
    if (!run->first)
        run->last = NULL;
    return message;
}

static void tell_split(struct dps_operation *merge) {
    struct collecting *collecting = &merge->collecting;
    struct notify_split body = {.arrived = collecting->received,
                                .merge_node = merge->node,
                                .merge_thread = merge->thread,
                                .workers = collecting->workers};
    memcpy(body.worker, collecting->worker, collecting->workers * sizeof *collecting->worker);
    size_t size = offsetof(struct notify_split, worker) + collecting->workers * sizeof *collecting->worker;
    memset(collecting->worker, 0, sizeof collecting->worker);
    collecting->workers = 0;
    struct run *run = merge->run;
    notify(run, rank_of(run, collecting->split_node, collecting->split_thread),
           notification(TOKEN_NOTIFY_SPLIT, collecting->split_node, collecting->split_thread, &merge->context, &body, size));
}

void flow_received(struct dps_operation *merge, const struct arrival *message) {
    struct collecting *collecting = &merge->collecting;
    struct identifier identifier = message->token.identifier;
    const struct identifier_level *level = identifier_last(&identifier);
    if (collecting->received++ == 0) {
        collecting->split_node = level->split_node;
        collecting->split_thread = level->split_thread;
    }
    if (collecting->split_node != level->split_node || collecting->split_thread != level->split_thread)
        network_fail(&merge->run->network, "%s gets messages of two splits: their inputs were given one number (dps_post_as)",
                     operations_name(merge));
    if (level->worker != IDENTIFIER_NO_WORKER)
        collecting->worker[collecting->workers++] = (uint16_t)level->worker;
    if (is_told(&merge->run->graph->node[collecting->split_node], collecting->received))
        tell_split(merge);
}

void flow_conclude(struct dps_operation *split) {
    struct opening *opening = &split->opening;
    if (!split->ended || opening->heard < times_told(operation_node(split), split->posts))
        return;
    struct run *run = split->run;
    notify(run, rank_of(run, opening->merge_node, opening->merge_thread),
           notification(TOKEN_NOTIFY_MERGE, opening->merge_node, opening->merge_thread, &opening->prefix, &split->posts,
                        sizeof split->posts));
    operations_close(split);
}

void flow_notify_split(struct run *run, const struct arrival *message) {
    const struct token *token = &message->token;
    struct notify_split body = {0};
    memcpy(&body, message->body, message->body_size);
    struct dps_operation *split = operations_find_opener(run, token->node, token->thread, &token->identifier);
    struct opening *opening = split ? &split->opening : NULL;
    if (!split || (opening->heard && (opening->merge_node != body.merge_node || opening->merge_thread != body.merge_thread)))
        network_fail(&run->network, "messages of one %s were routed to more than one %s",
                     run->graph->node[token->node].kind->name, run->graph->node[body.merge_node].kind->name);
    opening->heard++;
    opening->arrived = body.arrived;
    opening->merge_node = body.merge_node;
    opening->merge_thread = body.merge_thread;
    workers_return(&opening->workers, body.worker, body.workers);
    if (split->ended)
        flow_conclude(split);
    else
        run_wake(split);
}

void flow_notify_merge(struct run *run, const struct arrival *message) {
    const struct token *token = &message->token;
    struct dps_operation *merge = operations_find(run, token->node, token->thread, &token->identifier);
    if (!merge)
        network_fail(&run->network, "a split tells an operation that is not there");
    memcpy(&merge->collecting.total, message->body, sizeof merge->collecting.total);
    merge->collecting.total_known = true;
    run_wake(merge);
}
