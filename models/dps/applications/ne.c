/* Neighbourhood exchange: the Game of Life on a torus whose rows are dealt out to the workers (Schaeli, section 4.2).
 *
 *     main     start iteration ─┬────────────────────────────────────────────────────────────┬─ gather ─ again?
 *     workers                   └ ask neighbours ─ send border (neighbour's) ─ collect ─ update ┘
 *
 * Nothing in the graph keeps a worker from updating its rows before a neighbour has asked for their border. With --single,
 * where a worker has one buffer, the neighbour may then get a border of the next iteration, and the result is wrong in some
 * orderings. Without, a worker keeps the rows of two iterations, and the result is right in all.
 *
 *     ne [--single] [-w WORKERS] [-r ROWS-EACH] [-c COLUMNS] [-i ITERATIONS]
 *
 * Exit code 1 if the result differs from a serial computation. */
#include "models/dps/applications/placement.h"
#include "models/dps/dps.h"

#include <stdio.h>

enum side { ABOVE, BELOW };

static struct {
    bool single;
    unsigned workers, rows_each, columns, iterations;
} setup;

static unsigned buffer_of(uint32_t iteration) { return setup.single ? 0 : iteration % 2; }

/* --- the world ------------------------------------------------------------------------------------------------------------ */

static uint8_t alive_at_first(unsigned row, unsigned column) { return (row * 7 + column * 3 + row * column) % 5 < 2; }

static uint8_t alive_next(uint8_t alive, unsigned neighbours) { return neighbours == 3 || (alive && neighbours == 2); }

/* `row[0]` to `row[2]`: the rows above, of and below the new one. */
static void next_row(const uint8_t *const row[3], unsigned columns, uint8_t *next) {
    for (unsigned c = 0; c < columns; c++) {
        unsigned left = (c + columns - 1) % columns, right = (c + 1) % columns, neighbours = 0;
        for (unsigned r = 0; r < 3; r++)
            neighbours += row[r][left] + row[r][right] + (r == 1 ? 0 : row[r][c]);
        next[c] = alive_next(row[1][c], neighbours);
    }
}

/* --- messages and storage ------------------------------------------------------------------------------------------------- */

struct world {
    uint32_t iteration, cells;
    uint8_t *cell;
};
static const struct dps_type world =
    DPS_TYPE("world", struct world, DPS_ITEM(struct world, iteration), DPS_LIST(struct world, cell, cells));

struct order {
    uint32_t iteration, worker;
};
static const struct dps_type order =
    DPS_TYPE("order", struct order, DPS_ITEM(struct order, iteration), DPS_ITEM(struct order, worker));

/* `asker` wants the border of `asked` that touches its own rows on `side`. */
struct request {
    uint32_t iteration, asker, asked, side;
};
static const struct dps_type request =
    DPS_TYPE("request", struct request, DPS_ITEM(struct request, iteration), DPS_ITEM(struct request, asker),
             DPS_ITEM(struct request, asked), DPS_ITEM(struct request, side));

struct border {
    uint32_t iteration, asker, side, cells;
    uint8_t *cell;
};
static const struct dps_type border =
    DPS_TYPE("border", struct border, DPS_ITEM(struct border, iteration), DPS_ITEM(struct border, asker),
             DPS_ITEM(struct border, side), DPS_LIST(struct border, cell, cells));

struct part {
    uint32_t iteration, worker, cells;
    uint8_t *cell;
};
static const struct dps_type part = DPS_TYPE("part", struct part, DPS_ITEM(struct part, iteration),
                                             DPS_ITEM(struct part, worker), DPS_LIST(struct part, cell, cells));

struct slab {
    uint32_t cells, columns;
    uint8_t *buffer[2]; /* `cells` each, one after the other in one block */
    uint32_t both;
    uint8_t *border[2]; /* of the neighbours, as collected */
    uint32_t border_cells;
    uint8_t *block, *borders;
};
static const struct dps_type slab =
    DPS_TYPE("slab", struct slab, DPS_LIST(struct slab, block, both), DPS_LIST(struct slab, borders, border_cells));

static void construct_slab(void *storage, unsigned worker, unsigned workers) {
    (void)workers;
    struct slab *mine = storage;
    mine->columns = setup.columns;
    mine->cells = setup.rows_each * setup.columns;
    mine->both = 2 * mine->cells;
    mine->block = calloc(mine->both, 1);
    mine->border_cells = 2 * setup.columns;
    mine->borders = calloc(mine->border_cells, 1);
    if (!mine->block || !mine->borders)
        abort();
    for (unsigned i = 0; i < 2; i++) {
        mine->buffer[i] = mine->block + i * mine->cells;
        mine->border[i] = mine->borders + i * setup.columns;
    }
    for (unsigned r = 0; r < setup.rows_each; r++)
        for (unsigned c = 0; c < setup.columns; c++)
            mine->buffer[0][r * setup.columns + c] = alive_at_first(worker * setup.rows_each + r, c);
}

/* --- operations ----------------------------------------------------------------------------------------------------------- */

static void start_iteration(struct dps_operation *self, const void *input) {
    const struct world *before = input;
    for (uint32_t i = 0; i < setup.workers; i++)
        dps_post(self, &order, &(struct order){before->iteration, i});
}

static void ask_neighbours(struct dps_operation *self, const void *input) {
    const struct order *mine = input;
    uint32_t me = mine->worker, count = dps_thread_count(self);
    dps_post(self, &request, &(struct request){mine->iteration, me, (me + count - 1) % count, ABOVE});
    dps_post(self, &request, &(struct request){mine->iteration, me, (me + 1) % count, BELOW});
}

/* The last row for a neighbour below, the first for one above. */
static void send_border(struct dps_operation *self, const void *input) {
    const struct request *asked = input;
    struct slab *mine = dps_storage(self);
    uint8_t *rows = mine->buffer[buffer_of(asked->iteration)];
    uint8_t *row = asked->side == ABOVE ? rows + mine->cells - mine->columns : rows;
    dps_post(self, &border, &(struct border){asked->iteration, asked->asker, asked->side, mine->columns, row});
}

static void collect_borders(struct dps_operation *self, const void *input) {
    struct slab *mine = dps_storage(self);
    struct order done = {0};
    for (const struct border *got = input; got; got = dps_next(self)) {
        memcpy(mine->border[got->side], got->cell, got->cells);
        done = (struct order){got->iteration, got->asker};
    }
    dps_post(self, &order, &done);
}

static void update(struct dps_operation *self, const void *input) {
    const struct order *mine = input;
    struct slab *rows = dps_storage(self);
    unsigned columns = rows->columns, count = rows->cells / columns;
    const uint8_t *now = rows->buffer[buffer_of(mine->iteration)];
    uint8_t *fresh = malloc(rows->cells);
    if (!fresh)
        abort();
    for (unsigned r = 0; r < count; r++) {
        const uint8_t *const three[3] = {r == 0 ? rows->border[ABOVE] : now + (r - 1) * columns, now + r * columns,
                                         r + 1 == count ? rows->border[BELOW] : now + (r + 1) * columns};
        next_row(three, columns, fresh + r * columns);
    }
    uint8_t *next = rows->buffer[buffer_of(mine->iteration + 1)];
    memcpy(next, fresh, rows->cells);
    free(fresh);
    dps_post(self, &part, &(struct part){mine->iteration, mine->worker, rows->cells, next});
}

static void gather(struct dps_operation *self, const void *input) {
    uint32_t cells = setup.workers * setup.rows_each * setup.columns, iteration = 0;
    uint8_t *cell = calloc(cells, 1);
    if (!cell)
        abort();
    for (const struct part *got = input; got; got = dps_next(self)) {
        memcpy(cell + got->worker * got->cells, got->cell, got->cells);
        iteration = got->iteration;
    }
    dps_post(self, &world, &(struct world){iteration + 1, cells, cell});
    free(cell);
}

static bool again(const void *message) { return ((const struct world *)message)->iteration < setup.iterations; }

static unsigned worker_of_order(const void *message, unsigned threads) {
    return ((const struct order *)message)->worker % threads;
}
static unsigned worker_asked(const void *message, unsigned threads) {
    return ((const struct request *)message)->asked % threads;
}
static unsigned worker_asking(const void *message, unsigned threads) {
    return ((const struct border *)message)->asker % threads;
}

static const struct dps_operation_kind start_kind = {"start iteration", DPS_SPLIT, start_iteration, {&world}, {&order}, NULL},
                                       ask_kind = {"ask neighbours", DPS_SPLIT, ask_neighbours, {&order}, {&request}, NULL},
                                       send_kind = {"send border", DPS_LEAF, send_border, {&request}, {&border}, &slab},
                                       collect_kind = {"collect borders", DPS_MERGE, collect_borders,
                                                       {&border},         {&order},  &slab},
                                       update_kind = {"update", DPS_LEAF, update, {&order}, {&part}, &slab},
                                       gather_kind = {"gather", DPS_MERGE, gather, {&part}, {&world}, NULL};

static struct dps_graph *build(void) {
    struct dps_graph *graph = dps_graph_create("neighbourhood exchange");
    dps_threads main_thread = dps_collection(graph, "main", NULL, NULL);
    dps_threads workers = dps_collection(graph, "workers", &slab, construct_slab);
    place_main(graph, main_thread);
    place_workers(graph, workers, setup.workers);
    dps_node start = dps_add(graph, &start_kind, main_thread, dps_to(0));
    dps_node ask = dps_add(graph, &ask_kind, workers, dps_by(worker_of_order));
    dps_node send = dps_add(graph, &send_kind, workers, dps_by(worker_asked));
    dps_node collect = dps_add(graph, &collect_kind, workers, dps_by(worker_asking));
    dps_node renew = dps_add(graph, &update_kind, workers, dps_same_thread());
    dps_node end = dps_add(graph, &gather_kind, main_thread, dps_to(0));
    dps_chain(graph, start, ask, send, collect, renew, end);
    dps_loop(graph, start, end, again);
    return graph;
}

/* --- the serial computation ----------------------------------------------------------------------------------------------- */

static uint8_t *compute_serially(void) {
    unsigned rows = setup.workers * setup.rows_each, columns = setup.columns;
    uint8_t *now = calloc(rows, columns), *next = calloc(rows, columns);
    if (!now || !next)
        abort();
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < columns; c++)
            now[r * columns + c] = alive_at_first(r, c);
    for (unsigned i = 0; i < setup.iterations; i++) {
        for (unsigned r = 0; r < rows; r++) {
            const uint8_t *const three[3] = {now + (r + rows - 1) % rows * columns, now + r * columns,
                                             now + (r + 1) % rows * columns};
            next_row(three, columns, next + r * columns);
        }
        uint8_t *swap = now;
        now = next;
        next = swap;
    }
    free(next);
    return now;
}

static bool is_right(const struct world *result) {
    uint8_t *expected = compute_serially();
    bool right = memcmp(result->cell, expected, result->cells) == 0;
    free(expected);
    printf("%s\n", right ? "as computed serially" : "differs from the serial computation");
    return right;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    setup.single = option_given(argc, argv, "--single");
    setup.workers = option_number(argc, argv, "-w", placement_workers());
    setup.rows_each = option_number(argc, argv, "-r", 2);
    setup.columns = option_number(argc, argv, "-c", 4);
    setup.iterations = option_number(argc, argv, "-i", 2);
    struct dps_graph *graph = build();
    struct world start = {0}, result;
    bool right = true;
    if (dps_call(graph, MPI_COMM_WORLD, &start, &result)) {
        right = is_right(&result);
        dps_release(&world, &result);
    }
    dps_graph_destroy(graph);
    MPI_Finalize();
    return right ? 0 : 1;
}
