#include "heuristics/known_orders.h"

#include "models/growing.h"

#include <float.h>

enum { END = 1 }; /* the state that nothing follows: there is one for all */

struct known_order_state {
    uint64_t name;
    double orderings; /* that follow it; 0: not known. Inexact above 2^53, and not known where a double ends */
    size_t first;     /* in `next` */
    uint32_t count;
};

static struct known_order_state *state_of(const struct known_orders *orders, uint32_t number) {
    return &orders->state[number - 1];
}

/* The slot where a name is, or belongs. */
static uint32_t *slot_of(const struct known_orders *orders, uint64_t name) {
    size_t at = (size_t)(name * 0x9e3779b97f4a7c15u >> 20);
    while (orders->slot[at & (orders->slots - 1)] && state_of(orders, orders->slot[at & (orders->slots - 1)])->name != name)
        at++;
    return &orders->slot[at & (orders->slots - 1)];
}

static void grow(struct known_orders *orders) {
    orders->slots = orders->slots ? orders->slots * 2 : 64;
    free(orders->slot);
    orders->slot = growing_new(orders->slots * sizeof *orders->slot);
    for (uint32_t number = END + 1; number <= orders->states; number++)
        *slot_of(orders, state_of(orders, number)->name) = number;
}

static uint32_t add(struct known_orders *orders, struct known_order_state state) {
    orders->state = growing_room(orders->state, &orders->state_room, orders->states + 1, sizeof *orders->state);
    orders->next = growing_room(orders->next, &orders->next_room, orders->nexts + state.count, sizeof *orders->next);
    state.first = orders->nexts;
    for (uint32_t i = 0; i < state.count; i++)
        orders->next[orders->nexts++] = 0;
    orders->state[orders->states++] = state;
    return (uint32_t)orders->states;
}

static uint32_t find(struct known_orders *orders, uint64_t name, size_t count) {
    if (orders->states * 3 >= orders->slots * 2)
        grow(orders);
    uint32_t *slot = slot_of(orders, name);
    if (!*slot)
        *slot = add(orders, (struct known_order_state){.name = name, .count = (uint32_t)count});
    return *slot;
}

static void lead_to(struct known_orders *orders, uint32_t state) {
    if (!orders->length) {
        orders->root = state;
        return;
    }
    const struct known_order_edge *last = &orders->path[orders->length - 1];
    orders->next[state_of(orders, last->state)->first + last->position] = state;
}

static double orderings_after(const struct known_orders *orders, uint32_t state, size_t position) {
    uint32_t next = orders->next[state_of(orders, state)->first + position];
    return next ? state_of(orders, next)->orderings : 0;
}

static void count(struct known_orders *orders, uint32_t number) {
    struct known_order_state *state = state_of(orders, number);
    double sum = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        double following = orderings_after(orders, number, i);
        if (following == 0)
            return;
        sum += following;
    }
    if (sum < DBL_MAX)
        state->orderings = sum;
}

bool known_orders_begin(struct known_orders *orders) {
    if (!orders->states)
        add(orders, (struct known_order_state){.orderings = 1});
    orders->length = 0;
    return !orders->root || state_of(orders, orders->root)->orderings == 0;
}

const double *known_orders_meet(struct known_orders *orders, uint64_t name, size_t count) {
    orders->at = find(orders, name, count);
    lead_to(orders, orders->at);
    orders->following = growing_room(orders->following, &orders->following_room, count, sizeof *orders->following);
    for (size_t i = 0; i < count; i++)
        orders->following[i] = orderings_after(orders, orders->at, i);
    return orders->following;
}

void known_orders_take(struct known_orders *orders, size_t position) {
    orders->path = growing_room(orders->path, &orders->path_room, orders->length + 1, sizeof *orders->path);
    orders->path[orders->length++] = (struct known_order_edge){orders->at, (uint32_t)position};
}

void known_orders_end(struct known_orders *orders) {
    lead_to(orders, END);
    for (size_t i = orders->length; i-- > 0;)
        count(orders, orders->path[i].state);
}

uint64_t known_orders_memory(const struct known_orders *orders) {
    return orders->state_room * sizeof *orders->state + orders->next_room * sizeof *orders->next +
           orders->path_room * sizeof *orders->path + orders->slots * sizeof *orders->slot;
}

void known_orders_free(struct known_orders *orders) {
    free(orders->state);
    free(orders->next);
    free(orders->following);
    free(orders->path);
    free(orders->slot);
    *orders = (struct known_orders){0};
}
