#include "por/optimal.h"

#include "models/growing.h"
#include "por/event_names.h"
#include "por/wakeup_tree.h"

/* An ordering is cut after so many events. */
enum { STEPS_MOST = 1 << 16 };

/* A state of the ordering at hand, before its event is taken. */
struct node {
    void *state;
    struct name place;
    struct event_offered *offered;
    size_t count, room;
    struct event_names asleep;
    struct wakeup *tree;
    uint64_t taken;
    bool began; /* something was explored from here */
};

struct explorer {
    struct event_taker taker;
    const struct ordering_listener *listener;
    struct ordering_counts *counts;
    struct node *node;
    size_t depth, nodes, node_room; /* the node at hand; nodes with memory */
    struct ordering_step *step;     /* by node */
    size_t step_room;
    /* Scratch. */
    void *at, *next, *there;
    struct event_offered *offered;
    size_t offered_room;
    struct event_names seen, races, sequence, left;
};

/* --- races ------------------------------------------------------------------------------------------------------------------- */

/* Can the event come first, and the rest of the sequence after it? */
static bool comes_first(struct explorer *explorer, const void *state, uint64_t name, const struct event_names *sequence) {
    event_copy_state(&explorer->taker, explorer->there, state);
    if (!event_take(&explorer->taker, explorer->there, name))
        return false;
    for (size_t i = 0; i < sequence->count; i++)
        if (sequence->name[i] != name && !event_take(&explorer->taker, explorer->there, sequence->name[i]))
            return false;
    return true;
}

/* Puts explorer->sequence into the node's tree, unless the tree covers it. */
static void insert(struct explorer *explorer, struct node *node) {
    struct wakeup **children = &node->tree;
    event_copy_state(&explorer->taker, explorer->at, node->state);
    event_names_copy(&explorer->left, &explorer->sequence);
    for (struct wakeup *child = *children; child && explorer->left.count;) {
        if (!comes_first(explorer, explorer->at, child->name, &explorer->left)) {
            child = child->next;
            continue;
        }
        if (!child->first)
            return;
        event_take(&explorer->taker, explorer->at, child->name);
        event_names_take_out(&explorer->left, child->name);
        children = &child->first;
        child = *children;
    }
    wakeup_append(children, explorer->left.name, explorer->left.count);
}

static bool is_covered_by_sleep(struct explorer *explorer, const struct node *node) {
    for (size_t i = 0; i < node->asleep.count; i++)
        if (comes_first(explorer, node->state, node->asleep.name[i], &explorer->sequence))
            return true;
    return false;
}

/* Sets explorer->sequence to all that can be done without the event of node `number` and leaves `race` on offer, and that at last. */
static void build_sequence(struct explorer *explorer, size_t number, uint64_t race) {
    event_copy_state(&explorer->taker, explorer->at, explorer->node[number].state);
    explorer->sequence.count = 0;
    bool there = event_is_offered(&explorer->taker, explorer->at, race);
    for (size_t i = number + 1; i < explorer->depth; i++) {
        event_copy_state(&explorer->taker, explorer->next, explorer->at);
        if (!event_take(&explorer->taker, explorer->next, explorer->node[i].taken))
            continue;
        bool stays = event_is_offered(&explorer->taker, explorer->next, race);
        if (there && !stays)
            continue;
        there = stays;
        event_copy_state(&explorer->taker, explorer->at, explorer->next);
        event_names_add(&explorer->sequence, explorer->node[i].taken);
    }
    event_names_add(&explorer->sequence, race);
}

/* Which of what is on offer in explorer->at does the event exclude? That is found by doing it, for those that are new there. */
static void note_races(struct explorer *explorer, uint64_t event) {
    size_t count = event_list(&explorer->taker, explorer->at, &explorer->offered, &explorer->offered_room);
    bool done = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t other = explorer->offered[i].name;
        if (other == event || event_names_has(&explorer->races, other) || event_names_has(&explorer->seen, other))
            continue;
        if (!done)
            event_copy_state(&explorer->taker, explorer->next, explorer->at);
        if (!done && !event_take(&explorer->taker, explorer->next, event))
            return;
        done = true;
        event_names_add(event_is_offered(&explorer->taker, explorer->next, other) ? &explorer->seen : &explorer->races, other);
    }
}

static void find_races(struct explorer *explorer, size_t number) {
    uint64_t event = explorer->node[number].taken;
    explorer->seen.count = explorer->races.count = 0;
    event_copy_state(&explorer->taker, explorer->at, explorer->node[number].state);
    note_races(explorer, event);
    for (size_t i = number + 1; i < explorer->depth && !explorer->taker.stopped; i++) {
        event_copy_state(&explorer->taker, explorer->next, explorer->at);
        if (!event_take(&explorer->taker, explorer->next, explorer->node[i].taken))
            continue;
        event_copy_state(&explorer->taker, explorer->at, explorer->next);
        note_races(explorer, event);
    }
}

/* Of the ordering at hand, which has `depth` events. A race that another ordering has shown already is reversed again: what can be done
 * without the event is another thing in this one. */
static void reverse_races(struct explorer *explorer) {
    for (size_t number = 0; number < explorer->depth && !explorer->taker.stopped; number++) {
        struct node *node = &explorer->node[number];
        find_races(explorer, number);
        for (size_t i = 0; i < explorer->races.count && !explorer->taker.stopped; i++) {
            build_sequence(explorer, number, explorer->races.name[i]);
            if (!is_covered_by_sleep(explorer, node))
                insert(explorer, node);
        }
    }
}

/* --- one state after another ------------------------------------------------------------------------------------------------- */

static struct node *node_at(struct explorer *explorer, size_t depth) {
    explorer->node = growing_room(explorer->node, &explorer->node_room, depth + 1, sizeof *explorer->node);
    explorer->step = growing_room(explorer->step, &explorer->step_room, depth + 1, sizeof *explorer->step);
    while (explorer->nodes <= depth)
        explorer->node[explorer->nodes++] = (struct node){.state = growing_new(explorer->taker.system->state_bytes)};
    return &explorer->node[depth];
}

/* What to explore where no race says it: the first that does not sleep, polls that fail last. */
static void choose(struct node *node) {
    const struct event_offered *best = NULL;
    for (size_t i = 0; i < node->count; i++) {
        const struct event_offered *event = &node->offered[i];
        if (event_names_has(&node->asleep, event->name))
            continue;
        if (!best || (best->transition.miss && !event->transition.miss))
            best = event;
    }
    if (best)
        wakeup_append(&node->tree, &best->name, 1);
}

static bool tell(struct explorer *explorer, enum ordering_end end, const void *state) {
    bool goes_on = explorer->listener->ended(explorer->listener->context, end, state, explorer->step, explorer->depth);
    explorer->taker.stopped |= !goes_on;
    return goes_on;
}

static bool was_here_before(const struct explorer *explorer, struct name place) {
    for (size_t i = 0; i < explorer->depth; i++)
        if (name_is_same(explorer->node[i].place, place))
            return true;
    return false;
}

static void cut(struct explorer *explorer, const void *state) {
    explorer->counts->cut++;
    if (tell(explorer, ORDERING_CUT, state))
        reverse_races(explorer);
}

/* The node at hand has been reached, and has its state, what sleeps in it, and its tree. */
static void arrive(struct explorer *explorer) {
    struct node *node = &explorer->node[explorer->depth];
    node->began = false;
    node->place = explorer->taker.system->place(explorer->taker.system->self, node->state);
    node->count = event_list(&explorer->taker, node->state, &node->offered, &node->room);
    if (explorer->depth == STEPS_MOST || was_here_before(explorer, node->place)) {
        wakeup_free(node->tree);
        node->tree = NULL;
        cut(explorer, node->state);
        return;
    }
    if (!node->count && !tell(explorer, ORDERING_QUIET, node->state))
        return;
    if (!node->tree)
        choose(node);
    if (node->tree)
        return;
    explorer->counts->orderings += node->count == 0;
    explorer->counts->blocked += node->count > 0;
    reverse_races(explorer);
}

/* Takes the next event of the node at hand, which is then the one reached, unless nothing is. */
static void descend(struct explorer *explorer) {
    const struct event_system *system = explorer->taker.system;
    struct node *child = node_at(explorer, explorer->depth + 1), *node = &explorer->node[explorer->depth];
    if (node->began)
        event_names_add(&node->asleep, node->taken);
    node->began = true;
    child->tree = wakeup_take(&node->tree, &node->taken);
    const struct event_offered *event = event_find(node->offered, node->count, node->taken);
    explorer->step[explorer->depth++] = (struct ordering_step){event->transition, node->count};
    explorer->counts->taken++;
    event_copy_state(&explorer->taker, child->state, node->state);
    enum event_taken taken = system->take(system->self, child->state, &event->transition);
    if (taken == EVENT_TAKEN) {
        child->asleep.count = 0;
        for (size_t i = 0; i < node->asleep.count; i++)
            if (event_is_offered(&explorer->taker, child->state, node->asleep.name[i]))
                event_names_add(&child->asleep, node->asleep.name[i]);
        arrive(explorer);
        return;
    }
    wakeup_free(child->tree);
    child->tree = NULL;
    if (taken == EVENT_STOPPED) {
        tell(explorer, ORDERING_STOPPED, child->state);
        explorer->taker.stopped = true;
    } else if (taken == EVENT_ENDLESS)
        cut(explorer, child->state);
    else if (tell(explorer, ORDERING_FAULT, child->state)) {
        explorer->counts->orderings++;
        reverse_races(explorer);
    }
    explorer->depth--;
}

static void end(struct explorer *explorer) {
    for (size_t i = 0; i < explorer->nodes; i++) {
        wakeup_free(explorer->node[i].tree);
        free(explorer->node[i].state);
        free(explorer->node[i].offered);
        free(explorer->node[i].asleep.name);
    }
    free(explorer->node);
    free(explorer->step);
    free(explorer->at);
    free(explorer->next);
    free(explorer->there);
    free(explorer->offered);
    free(explorer->seen.name);
    free(explorer->races.name);
    free(explorer->sequence.name);
    free(explorer->left.name);
}

bool optimal_explore(const struct event_system *system, const void *initial, const struct ordering_listener *listener,
                     struct ordering_counts *counts) {
    struct explorer explorer = {.taker = {.system = system},
                                .listener = listener,
                                .counts = counts,
                                .at = growing_new(system->state_bytes),
                                .next = growing_new(system->state_bytes),
                                .there = growing_new(system->state_bytes)};
    *counts = (struct ordering_counts){0};
    event_copy_state(&explorer.taker, node_at(&explorer, 0)->state, initial);
    arrive(&explorer);
    while (!explorer.taker.stopped) {
        if (explorer.node[explorer.depth].tree)
            descend(&explorer);
        else if (explorer.depth == 0)
            break;
        else
            explorer.depth--;
    }
    end(&explorer);
    return !explorer.taker.stopped;
}
