#include "por/optimal.h"

#include "models/growing.h"
#include "por/wakeup_tree.h"

/* An ordering is cut after so many events. */
enum { STEPS_MOST = 1 << 16 };

struct names {
    uint64_t *name;
    size_t count, room;
};

/* A state of the ordering at hand, before its event is taken. */
struct node {
    void *state;
    uint64_t place;
    struct event_offered *offered;
    size_t count, room;
    struct names asleep;
    struct wakeup *tree;
    uint64_t taken;
    bool began; /* something was explored from here */
};

struct explorer {
    const struct event_system *system;
    const struct optimal_listener *listener;
    struct optimal_counts *counts;
    struct node *node;
    size_t depth, nodes, node_room; /* the node at hand; nodes with memory */
    struct optimal_step *step;      /* by node */
    size_t step_room;
    bool stopped;
    /* Scratch. */
    void *at, *next, *there;
    struct event_offered *offered;
    size_t offered_room;
    struct names seen, races, sequence, left;
};

/* --- names ------------------------------------------------------------------------------------------------------------------- */

static bool has(const struct names *names, uint64_t name) {
    for (size_t i = 0; i < names->count; i++)
        if (names->name[i] == name)
            return true;
    return false;
}

static void add(struct names *names, uint64_t name) {
    names->name = growing_room(names->name, &names->room, names->count + 1, sizeof *names->name);
    names->name[names->count++] = name;
}

static void copy_names(struct names *to, const struct names *from) {
    to->count = 0;
    for (size_t i = 0; i < from->count; i++)
        add(to, from->name[i]);
}

static void take_out(struct names *names, uint64_t name) {
    size_t kept = 0;
    for (size_t i = 0; i < names->count; i++)
        if (names->name[i] != name)
            names->name[kept++] = names->name[i];
    names->count = kept;
}

static const struct event_offered *find(const struct event_offered *list, size_t count, uint64_t name) {
    for (size_t i = 0; i < count; i++)
        if (list[i].name == name)
            return &list[i];
    return NULL;
}

/* --- states ------------------------------------------------------------------------------------------------------------------ */

static void copy_state(const struct explorer *explorer, void *to, const void *from) {
    memcpy(to, from, explorer->system->state_bytes);
}

/* Copies what is on offer in a state, as the list is overwritten. Returns how many events. */
static size_t list_offered(const struct explorer *explorer, const void *state, struct event_offered **list, size_t *room) {
    const struct event_offered *offered;
    size_t count = explorer->system->offered(explorer->system->self, state, &offered);
    *list = growing_room(*list, room, count, sizeof **list);
    if (count)
        memcpy(*list, offered, count * sizeof **list);
    return count;
}

static bool is_offered(const struct explorer *explorer, const void *state, uint64_t name) {
    const struct event_offered *list;
    size_t count = explorer->system->offered(explorer->system->self, state, &list);
    return find(list, count, name) != NULL;
}

/* Takes an event if it is on offer and breaks nothing. False: the state is of no use. */
static bool advance(struct explorer *explorer, void *state, uint64_t name) {
    const struct event_system *system = explorer->system;
    const struct event_offered *list;
    size_t count = system->offered(system->self, state, &list);
    const struct event_offered *event = find(list, count, name);
    if (!event)
        return false;
    const struct transition transition = event->transition; /* the list is overwritten */
    enum event_taken taken = system->take(system->self, state, &transition);
    explorer->counts->retaken++;
    explorer->stopped |= taken == EVENT_STOPPED;
    return taken == EVENT_TAKEN;
}

/* --- races ------------------------------------------------------------------------------------------------------------------- */

/* Can the event come first, and the rest of the sequence after it? */
static bool comes_first(struct explorer *explorer, const void *state, uint64_t name, const struct names *sequence) {
    copy_state(explorer, explorer->there, state);
    if (!advance(explorer, explorer->there, name))
        return false;
    for (size_t i = 0; i < sequence->count; i++)
        if (sequence->name[i] != name && !advance(explorer, explorer->there, sequence->name[i]))
            return false;
    return true;
}

/* Puts explorer->sequence into the node's tree, unless the tree covers it. */
static void insert(struct explorer *explorer, struct node *node) {
    struct wakeup **children = &node->tree;
    copy_state(explorer, explorer->at, node->state);
    copy_names(&explorer->left, &explorer->sequence);
    for (struct wakeup *child = *children; child && explorer->left.count;) {
        if (!comes_first(explorer, explorer->at, child->name, &explorer->left)) {
            child = child->next;
            continue;
        }
        if (!child->first)
            return;
        advance(explorer, explorer->at, child->name);
        take_out(&explorer->left, child->name);
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
    copy_state(explorer, explorer->at, explorer->node[number].state);
    explorer->sequence.count = 0;
    bool there = is_offered(explorer, explorer->at, race);
    for (size_t i = number + 1; i < explorer->depth; i++) {
        copy_state(explorer, explorer->next, explorer->at);
        if (!advance(explorer, explorer->next, explorer->node[i].taken))
            continue;
        bool stays = is_offered(explorer, explorer->next, race);
        if (there && !stays)
            continue;
        there = stays;
        copy_state(explorer, explorer->at, explorer->next);
        add(&explorer->sequence, explorer->node[i].taken);
    }
    add(&explorer->sequence, race);
}

/* Which of what is on offer in explorer->at does the event exclude? That is found by doing it, for those that are new there. */
static void note_races(struct explorer *explorer, uint64_t event) {
    size_t count = list_offered(explorer, explorer->at, &explorer->offered, &explorer->offered_room);
    bool done = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t other = explorer->offered[i].name;
        if (other == event || has(&explorer->races, other) || has(&explorer->seen, other))
            continue;
        if (!done)
            copy_state(explorer, explorer->next, explorer->at);
        if (!done && !advance(explorer, explorer->next, event))
            return;
        done = true;
        add(is_offered(explorer, explorer->next, other) ? &explorer->seen : &explorer->races, other);
    }
}

static void find_races(struct explorer *explorer, size_t number) {
    uint64_t event = explorer->node[number].taken;
    explorer->seen.count = explorer->races.count = 0;
    copy_state(explorer, explorer->at, explorer->node[number].state);
    note_races(explorer, event);
    for (size_t i = number + 1; i < explorer->depth && !explorer->stopped; i++) {
        copy_state(explorer, explorer->next, explorer->at);
        if (!advance(explorer, explorer->next, explorer->node[i].taken))
            continue;
        copy_state(explorer, explorer->at, explorer->next);
        note_races(explorer, event);
    }
}

/* Of the ordering at hand, which has `depth` events. A race that another ordering has shown already is reversed again: what can be done
 * without the event is another thing in this one. */
static void reverse_races(struct explorer *explorer) {
    for (size_t number = 0; number < explorer->depth && !explorer->stopped; number++) {
        struct node *node = &explorer->node[number];
        find_races(explorer, number);
        for (size_t i = 0; i < explorer->races.count && !explorer->stopped; i++) {
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
        explorer->node[explorer->nodes++] = (struct node){.state = growing_new(explorer->system->state_bytes)};
    return &explorer->node[depth];
}

/* What to explore where no race says it: the first that does not sleep, polls that fail last. */
static void choose(struct node *node) {
    const struct event_offered *best = NULL;
    for (size_t i = 0; i < node->count; i++) {
        const struct event_offered *event = &node->offered[i];
        if (has(&node->asleep, event->name))
            continue;
        if (!best || (best->transition.miss && !event->transition.miss))
            best = event;
    }
    if (best)
        wakeup_append(&node->tree, &best->name, 1);
}

static bool tell(struct explorer *explorer, enum optimal_end end, const void *state) {
    bool goes_on = explorer->listener->ended(explorer->listener->context, end, state, explorer->step, explorer->depth);
    explorer->stopped |= !goes_on;
    return goes_on;
}

static bool was_here_before(const struct explorer *explorer, uint64_t place) {
    for (size_t i = 0; i < explorer->depth; i++)
        if (explorer->node[i].place == place)
            return true;
    return false;
}

static void cut(struct explorer *explorer, const void *state) {
    explorer->counts->cut++;
    if (tell(explorer, OPTIMAL_CUT, state))
        reverse_races(explorer);
}

/* The node at hand has been reached, and has its state, what sleeps in it, and its tree. */
static void arrive(struct explorer *explorer) {
    struct node *node = &explorer->node[explorer->depth];
    node->began = false;
    node->place = explorer->system->place(explorer->system->self, node->state);
    node->count = list_offered(explorer, node->state, &node->offered, &node->room);
    if (explorer->depth == STEPS_MOST || was_here_before(explorer, node->place)) {
        wakeup_free(node->tree);
        node->tree = NULL;
        cut(explorer, node->state);
        return;
    }
    if (!node->count && !tell(explorer, OPTIMAL_QUIET, node->state))
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
    const struct event_system *system = explorer->system;
    struct node *child = node_at(explorer, explorer->depth + 1), *node = &explorer->node[explorer->depth];
    if (node->began)
        add(&node->asleep, node->taken);
    node->began = true;
    child->tree = wakeup_take(&node->tree, &node->taken);
    const struct event_offered *event = find(node->offered, node->count, node->taken);
    explorer->step[explorer->depth++] = (struct optimal_step){event->transition, node->count};
    explorer->counts->taken++;
    copy_state(explorer, child->state, node->state);
    enum event_taken taken = system->take(system->self, child->state, &event->transition);
    if (taken == EVENT_TAKEN) {
        child->asleep.count = 0;
        for (size_t i = 0; i < node->asleep.count; i++)
            if (is_offered(explorer, child->state, node->asleep.name[i]))
                add(&child->asleep, node->asleep.name[i]);
        arrive(explorer);
        return;
    }
    wakeup_free(child->tree);
    child->tree = NULL;
    if (taken == EVENT_STOPPED)
        explorer->stopped = true;
    else if (taken == EVENT_ENDLESS)
        cut(explorer, child->state);
    else if (tell(explorer, OPTIMAL_FAULT, child->state)) {
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

bool optimal_explore(const struct event_system *system, const void *initial, const struct optimal_listener *listener,
                     struct optimal_counts *counts) {
    struct explorer explorer = {.system = system,
                                .listener = listener,
                                .counts = counts,
                                .at = growing_new(system->state_bytes),
                                .next = growing_new(system->state_bytes),
                                .there = growing_new(system->state_bytes)};
    *counts = (struct optimal_counts){0};
    copy_state(&explorer, node_at(&explorer, 0)->state, initial);
    arrive(&explorer);
    while (!explorer.stopped) {
        if (explorer.node[explorer.depth].tree)
            descend(&explorer);
        else if (explorer.depth == 0)
            break;
        else
            explorer.depth--;
    }
    end(&explorer);
    return !explorer.stopped;
}
