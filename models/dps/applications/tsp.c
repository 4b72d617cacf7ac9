/* The travelling salesman by branch and bound, load-balanced (Schaeli, sections 3.6 and 4.5.3).
 *
 *     main     hand out ─┬──────────┬─ collect
 *     workers            └─ search ─┘
 *
 * `hand out` gives each worker the first cities of tours, with the length of the best tour known by then; `collect` keeps the
 * best one. Both run on the main thread and share its storage: flow control holds the tasks back until results come in, which
 * then shorten the search. So which tasks go where, what they say and how long they take depends on the order of
 * messages. The length of the result does not. Which of several shortest tours is found does (each can be gone in both
 * directions), so with --tour, which prints it, the output depends on the order.
 *
 *     tsp [--tour] [-w WORKERS] [-m CITIES] [-d CITIES-HANDED-OUT] [-f FLOW-LIMIT]
 *
 * Exit code 1 if the length differs from what a serial search finds. */
#include "models/dps/applications/placement.h"
#include "models/dps/dps.h"

#include <stdio.h>

enum { CITIES_MOST = 32 };

static struct {
    bool tour;
    unsigned workers, cities, depth, limit;
    int32_t distance[CITIES_MOST][CITIES_MOST];
} setup;

static int32_t root(int32_t square) {
    int32_t r = 0;
    while ((r + 1) * (r + 1) <= square)
        r++;
    return r;
}

static void make_map(void) {
    int32_t x[CITIES_MOST], y[CITIES_MOST];
    uint32_t random = 12345;
    for (unsigned i = 0; i < setup.cities; i++) {
        random = random * 1103515245u + 12345u;
        x[i] = (int32_t)(random >> 16) % 100;
        random = random * 1103515245u + 12345u;
        y[i] = (int32_t)(random >> 16) % 100;
    }
    for (unsigned i = 0; i < setup.cities; i++)
        for (unsigned j = 0; j < setup.cities; j++)
            setup.distance[i][j] = root((x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]));
}

/* --- messages and storage ------------------------------------------------------------------------------------------------- */

struct start {
    int32_t nothing;
};
static const struct dps_type start = DPS_TYPE("start", struct start, DPS_ITEM(struct start, nothing));

/* The beginning of a tour, or a whole one. As a task: `length` is that of the best tour known. As a result: INT32_MAX if no
 * shorter tour begins in this way. */
struct tour {
    int32_t length;
    uint32_t cities;
    uint8_t *city;
};
static const struct dps_type task = DPS_TYPE("task", struct tour, DPS_ITEM(struct tour, length),
                                             DPS_LIST(struct tour, city, cities)),
                             found = DPS_TYPE("found", struct tour, DPS_ITEM(struct tour, length),
                                              DPS_LIST(struct tour, city, cities));

struct best {
    int32_t length;
    uint8_t city[CITIES_MOST];
};
static const struct dps_type best = DPS_TYPE("best", struct best, DPS_ITEM(struct best, length), DPS_ITEMS(struct best, city));

static void construct_best(void *storage, unsigned thread, unsigned threads) {
    (void)thread, (void)threads;
    ((struct best *)storage)->length = INT32_MAX;
}

/* --- the search ----------------------------------------------------------------------------------------------------------- */

struct search {
    struct best *best;
    uint8_t city[CITIES_MOST];
    uint32_t visited; /* bits */
};

/* Takes the city out that is nearest to what has been taken out before, and `*last` was taken out last. Returns how near it is. */
static int32_t take_nearest(uint32_t *cities, int32_t *distance, unsigned *last) {
    unsigned nearest = CITIES_MOST;
    for (unsigned city = 0; city < setup.cities; city++) {
        if (!(*cities >> city & 1))
            continue;
        if (setup.distance[*last][city] < distance[city])
            distance[city] = setup.distance[*last][city];
        if (nearest == CITIES_MOST || distance[city] < distance[nearest])
            nearest = city;
    }
    *cities &= ~(1u << nearest);
    *last = nearest;
    return distance[nearest];
}

/* No way through all cities that are left, back to the first, is shorter than the shortest tree that connects them. */
static int32_t least_rest(const struct search *search, unsigned here) {
    int32_t distance[CITIES_MOST], sum = 0;
    uint32_t left = (~search->visited & (uint32_t)((1ull << setup.cities) - 1)) | 1u << search->city[0];
    left &= ~(1u << here);
    for (unsigned city = 0; city < setup.cities; city++)
        distance[city] = INT32_MAX;
    while (left)
        sum += take_nearest(&left, distance, &here);
    return sum;
}

static void search_from(struct search *search, unsigned depth, int32_t length) {
    unsigned here = search->city[depth - 1];
    if (length + least_rest(search, here) >= search->best->length)
        return;
    if (depth == setup.cities) {
        length += setup.distance[here][search->city[0]];
        if (length < search->best->length) {
            search->best->length = length;
            memcpy(search->best->city, search->city, setup.cities);
        }
        return;
    }
    for (unsigned next = 1; next < setup.cities; next++) {
        if (search->visited >> next & 1)
            continue;
        search->visited |= 1u << next;
        search->city[depth] = (uint8_t)next;
        search_from(search, depth + 1, length + setup.distance[here][next]);
        search->visited &= ~(1u << next);
    }
}

/* Betters `best` by tours that begin with these cities. */
static void search_after(const uint8_t *city, unsigned cities, struct best *best) {
    struct search search = {.best = best};
    int32_t length = 0;
    for (unsigned i = 0; i < cities; i++) {
        search.city[i] = city[i];
        search.visited |= 1u << city[i];
        if (i > 0)
            length += setup.distance[city[i - 1]][city[i]];
    }
    search_from(&search, cities, length);
}

/* --- operations ----------------------------------------------------------------------------------------------------------- */

static void hand_out_after(struct dps_operation *self, uint8_t *city, unsigned cities, int32_t *number) {
    if (cities == setup.depth) {
        const struct best *known = dps_storage(self);
        dps_post_as(self, (*number)++, &task, &(struct tour){known->length, cities, city});
        return;
    }
    for (unsigned next = 1; next < setup.cities; next++) {
        if (memchr(city, (int)next, cities))
            continue;
        city[cities] = (uint8_t)next;
        hand_out_after(self, city, cities + 1, number);
    }
}

static void hand_out(struct dps_operation *self, const void *input) {
    (void)input;
    uint8_t city[CITIES_MOST] = {0};
    int32_t number = 0;
    hand_out_after(self, city, 1, &number);
}

static void search_tours(struct dps_operation *self, const void *input) {
    const struct tour *mine = input;
    struct best known = {.length = mine->length};
    search_after(mine->city, mine->cities, &known);
    if (known.length < mine->length)
        dps_post(self, &found, &(struct tour){known.length, setup.cities, known.city});
    else
        dps_post(self, &found, &(struct tour){.length = INT32_MAX});
}

static void collect(struct dps_operation *self, const void *input) {
    struct best *known = dps_storage(self);
    for (const struct tour *got = input; got; got = dps_next(self)) {
        if (got->length >= known->length)
            continue;
        known->length = got->length;
        memcpy(known->city, got->city, got->cities);
    }
    dps_post(self, &found, &(struct tour){known->length, setup.cities, known->city});
}

static const struct dps_operation_kind hand_out_kind = {"hand out", DPS_SPLIT, hand_out, {&start}, {&task}, &best},
                                       search_kind = {"search", DPS_LEAF, search_tours, {&task}, {&found}, NULL},
                                       collect_kind = {"collect", DPS_MERGE, collect, {&found}, {&found}, &best};

static struct dps_graph *build(void) {
    struct dps_graph *graph = dps_graph_create("travelling salesman");
    dps_threads main_thread = dps_collection(graph, "main", &best, construct_best);
    dps_threads workers = dps_collection(graph, "workers", NULL, NULL);
    place_main(graph, main_thread);
    place_workers(graph, workers, setup.workers);
    dps_node split = dps_add(graph, &hand_out_kind, main_thread, dps_to(0));
    dps_node search = dps_add(graph, &search_kind, workers, dps_balanced());
    dps_node merge = dps_add(graph, &collect_kind, main_thread, dps_to(0));
    dps_chain(graph, split, search, merge);
    dps_flow_control(graph, split, setup.limit, 1);
    return graph;
}

static bool is_right(const struct tour *result) {
    struct best expected = {.length = INT32_MAX};
    search_after((const uint8_t[]){0}, 1, &expected);
    printf("length %d%s\n", result->length, result->length == expected.length ? "" : ", which is not the shortest");
    if (setup.tour) {
        for (uint32_t i = 0; i < result->cities; i++)
            printf(" %u", result->city[i]);
        putchar('\n');
    }
    return result->length == expected.length;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    setup.tour = option_given(argc, argv, "--tour");
    setup.workers = option_number(argc, argv, "-w", placement_workers());
    setup.cities = option_number(argc, argv, "-m", 6);
    setup.depth = option_number(argc, argv, "-d", 2);
    setup.limit = option_number(argc, argv, "-f", setup.workers);
    if (setup.cities < 3 || setup.cities > CITIES_MOST || setup.depth < 2 || setup.depth > setup.cities) {
        fprintf(stderr, "tsp: 3 to %d cities, of which 2 or more are handed out\n", CITIES_MOST);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    make_map();
    struct dps_graph *graph = build();
    struct start input = {0};
    struct tour result;
    bool right = true;
    if (dps_call(graph, MPI_COMM_WORLD, &input, &result)) {
        right = is_right(&result);
        dps_release(&found, &result);
    }
    dps_graph_destroy(graph);
    MPI_Finalize();
    return right ? 0 : 1;
}
