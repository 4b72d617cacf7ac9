/* LU factorization with partial pivoting, by blocks and pipelined (Schaeli, figure 3.9).
 *
 * The matrix has K x K blocks; worker j (modulo their number) stores block column j. At level k, column k is factored (its
 * panel), and every column j on its right gets its rows exchanged as the panel's pivots say, its block of row k solved (trsm),
 * and from each block (i, j) below the product L(i,k) U(k,j) subtracted.
 *
 *     factor first (split) ─┬─ solve ─ multiply out (stream) ─ multiply ─ subtract ─ next panel (stream) ─┬─ exchange ─ gather
 *                           └────────────────────── as long as there are columns ◄────────────────────────┘
 *
 * Both streams make it a pipeline. `multiply out` sends the products of column j off as soon as that column is solved;
 * `next panel` factors column k + 1 as soon as it is complete, while products of level k for other columns are still under way,
 * and starts level k + 1 for each of those when it is complete. In the end the columns on the left get the later exchanges of
 * rows.
 *
 * With --hasty, `next panel` starts level k + 1 for a column without waiting for its products, which is right in some orderings
 * only.
 *
 *     lu [--hasty] [-w WORKERS] [-k BLOCK-COLUMNS] [-b ROWS-OF-A-BLOCK]
 *
 * Prints the sum of the factors' elements, each with a weight, to the last bit. Exit code 1 if P A and L U differ by more than
 * rounding. */
#include "models/dps/applications/placement.h"
#include "models/dps/dps.h"

#include <math.h>
#include <stdio.h>

static struct {
    bool hasty;
    unsigned workers;
    int columns, block;
} setup;

static int rows(void) { return setup.columns * setup.block; }
static size_t column_size(void) { return (size_t)rows() * (size_t)setup.block; }
static size_t block_size(void) { return (size_t)setup.block * (size_t)setup.block; }

static double element_at_first(int row, int column) {
    return (double)((row * 7 + column * 11 + row * column * 5) % 17) - 8 + 0.25 * (row == column);
}

/* --- dense kernels; all matrices are stored by rows of `setup.block` elements --------------------------------------------- */

static void exchange_rows(double *column, int a, int b) {
    for (int c = 0; c < setup.block && a != b; c++) {
        double swap = column[a * setup.block + c];
        column[a * setup.block + c] = column[b * setup.block + c];
        column[b * setup.block + c] = swap;
    }
}

/* pivot[i]: the row that row (first + i) was exchanged with, for each of a panel's rows. */
static void apply_pivots(double *column, int first, const int32_t *pivot) {
    for (int i = 0; i < setup.block; i++)
        exchange_rows(column, first + i, pivot[i]);
}

static int pivot_row(const double *column, int from, int c) {
    int best = from;
    for (int r = from + 1; r < rows(); r++)
        if (fabs(column[r * setup.block + c]) > fabs(column[best * setup.block + c]))
            best = r;
    return best;
}

static void factor_panel(double *column, int first, int32_t *pivot) {
    int width = setup.block;
    for (int c = 0; c < width; c++) {
        int diagonal = first + c;
        pivot[c] = pivot_row(column, diagonal, c);
        exchange_rows(column, diagonal, pivot[c]);
        for (int r = diagonal + 1; r < rows(); r++) {
            double factor = column[r * width + c] /= column[diagonal * width + c];
            for (int right = c + 1; right < width; right++)
                column[r * width + right] -= factor * column[diagonal * width + right];
        }
    }
}

/* Solves L X = B in place; L: unit lower triangle of `lower`. */
static void solve_lower(const double *lower, double *b) {
    int width = setup.block;
    for (int r = 1; r < width; r++)
        for (int k = 0; k < r; k++)
            for (int c = 0; c < width; c++)
                b[r * width + c] -= lower[r * width + k] * b[k * width + c];
}

static void multiply_blocks(const double *a, const double *b, double *product) {
    int width = setup.block;
    for (int r = 0; r < width; r++)
        for (int c = 0; c < width; c++) {
            product[r * width + c] = 0;
            for (int k = 0; k < width; k++)
                product[r * width + c] += a[r * width + k] * b[k * width + c];
        }
}

/* --- messages and storage ------------------------------------------------------------------------------------------------- */

struct start {
    int32_t nothing;
};
static const struct dps_type start = DPS_TYPE("start", struct start, DPS_ITEM(struct start, nothing));

/* Work of level `level` for column `column`; L(level, level) and the pivots of the panel. */
struct panel {
    int32_t level, column;
    uint32_t values, pivots;
    double *lower;
    int32_t *pivot;
};
static const struct dps_type panel =
    DPS_TYPE("panel", struct panel, DPS_ITEM(struct panel, level), DPS_ITEM(struct panel, column),
             DPS_LIST(struct panel, lower, values), DPS_LIST(struct panel, pivot, pivots));

/* A block (row, column) at some level: U(level, column), a pair to multiply, a product. */
struct block {
    int32_t level, row, column;
    uint32_t values, others;
    double *value, *other;
};
#define BLOCK_MEMBERS                                                                           \
    DPS_ITEM(struct block, level), DPS_ITEM(struct block, row), DPS_ITEM(struct block, column), \
        DPS_LIST(struct block, value, values), DPS_LIST(struct block, other, others)
static const struct dps_type solved = DPS_TYPE("solved", struct block, BLOCK_MEMBERS),
                             pair = DPS_TYPE("pair", struct block, BLOCK_MEMBERS),
                             product = DPS_TYPE("product", struct block, BLOCK_MEMBERS),
                             subtracted = DPS_TYPE("subtracted", struct block, BLOCK_MEMBERS);

/* To a column: the exchanges of all levels. From it: its elements. */
struct column {
    int32_t number;
    uint32_t values, pivots;
    double *value;
    int32_t *pivot;
};
#define COLUMN_MEMBERS \
    DPS_ITEM(struct column, number), DPS_LIST(struct column, value, values), DPS_LIST(struct column, pivot, pivots)
static const struct dps_type exchanges = DPS_TYPE("exchanges", struct column, COLUMN_MEMBERS),
                             finished = DPS_TYPE("finished", struct column, COLUMN_MEMBERS);

/* All columns that this worker owns have their place in `value`; the others' places stay zero. */
struct store {
    uint32_t values, pivots;
    double *value;
    int32_t *pivot; /* of all levels so far */
};
static const struct dps_type store =
    DPS_TYPE("store", struct store, DPS_LIST(struct store, value, values), DPS_LIST(struct store, pivot, pivots));

static void construct_store(void *storage, unsigned worker, unsigned workers) {
    struct store *mine = storage;
    mine->values = (uint32_t)(column_size() * (size_t)setup.columns);
    mine->pivots = (uint32_t)rows();
    mine->value = calloc(mine->values, sizeof *mine->value);
    mine->pivot = calloc(mine->pivots, sizeof *mine->pivot);
    if (!mine->value || !mine->pivot)
        abort();
    for (int j = (int)worker; j < setup.columns; j += (int)workers)
        for (int r = 0; r < rows(); r++)
            for (int c = 0; c < setup.block; c++)
                mine->value[(size_t)j * column_size() + (size_t)(r * setup.block + c)] =
                    element_at_first(r, j * setup.block + c);
}

static double *column_of(struct dps_operation *self, int column) {
    return ((struct store *)dps_storage(self))->value + (size_t)column * column_size();
}
static double *block_of(struct dps_operation *self, int row, int column) {
    return column_of(self, column) + (size_t)row * block_size();
}

/* --- operations ----------------------------------------------------------------------------------------------------------- */

/* Factors column `level`, on the worker that owns it. */
static void factor(struct dps_operation *self, int level) {
    struct store *mine = dps_storage(self);
    factor_panel(column_of(self, level), level * setup.block, mine->pivot + level * setup.block);
}

static void post_level(struct dps_operation *self, int level, int column) {
    struct store *mine = dps_storage(self);
    struct panel message = {.level = level,
                            .column = column,
                            .values = (uint32_t)block_size(),
                            .pivots = (uint32_t)setup.block,
                            .lower = block_of(self, level, level),
                            .pivot = mine->pivot + level * setup.block};
    dps_post_as(self, column, &panel, &message);
}

static void factor_first(struct dps_operation *self, const void *input) {
    (void)input;
    factor(self, 0);
    for (int j = 1; j < setup.columns; j++)
        post_level(self, 0, j);
}

static void solve(struct dps_operation *self, const void *input) {
    const struct panel *mine = input;
    struct store *storage = dps_storage(self);
    int first = mine->level * setup.block;
    memcpy(storage->pivot + first, mine->pivot, mine->pivots * sizeof *mine->pivot);
    apply_pivots(column_of(self, mine->column), first, mine->pivot);
    double *upper = block_of(self, mine->level, mine->column);
    solve_lower(mine->lower, upper);
    dps_post(self, &solved,
             &(struct block){.level = mine->level, .column = mine->column, .values = mine->values, .value = upper});
}

static void multiply_out(struct dps_operation *self, const void *input) {
    for (const struct block *got = input; got; got = dps_next(self))
        for (int i = got->level + 1; i < setup.columns; i++) {
            struct block message = {.level = got->level,
                                    .row = i,
                                    .column = got->column,
                                    .values = got->values,
                                    .others = got->values,
                                    .value = block_of(self, i, got->level),
                                    .other = got->value};
            dps_post_as(self, got->column * setup.columns + i, &pair, &message);
        }
}

static void multiply(struct dps_operation *self, const void *input) {
    const struct block *mine = input;
    double *result = calloc(block_size(), sizeof *result);
    if (!result)
        abort();
    multiply_blocks(mine->value, mine->other, result);
    struct block message = {
        .level = mine->level, .row = mine->row, .column = mine->column, .values = mine->values, .value = result};
    dps_post(self, &product, &message);
    free(result);
}

static void subtract(struct dps_operation *self, const void *input) {
    const struct block *mine = input;
    double *block = block_of(self, mine->row, mine->column);
    for (uint32_t i = 0; i < mine->values; i++)
        block[i] -= mine->value[i];
    dps_post(self, &subtracted, &(struct block){.level = mine->level, .row = mine->row, .column = mine->column});
}

/* Starts the next level for each column that is complete, once its panel is. `left` are the products that columns wait for. */
static void start_level(struct dps_operation *self, int level, const int *left, bool *started) {
    if (left[level] > 0)
        return;
    if (!started[level]) {
        factor(self, level);
        started[level] = true;
    }
    for (int j = level + 1; j < setup.columns; j++) {
        if (started[j] || (left[j] > 0 && !setup.hasty))
            continue;
        started[j] = true;
        post_level(self, level, j);
    }
}

static void next_panel(struct dps_operation *self, const void *input) {
    const struct block *got = input;
    int level = got->level + 1, left[setup.columns];
    bool started[setup.columns];
    memset(started, 0, sizeof started);
    for (int j = 0; j < setup.columns; j++)
        left[j] = setup.columns - level;
    for (; got; got = dps_next(self)) {
        left[got->column]--;
        start_level(self, level, left, started);
    }
    if (level + 1 < setup.columns)
        return;
    struct store *mine = dps_storage(self);
    for (int j = 0; j < setup.columns; j++)
        dps_post_as(self, j, &exchanges, &(struct column){.number = j, .pivots = mine->pivots, .pivot = mine->pivot});
}

static void exchange(struct dps_operation *self, const void *input) {
    const struct column *mine = input;
    double *column = column_of(self, mine->number);
    for (int level = mine->number + 1; level < setup.columns; level++)
        apply_pivots(column, level * setup.block, mine->pivot + level * setup.block);
    struct column message = {.number = mine->number,
                             .values = (uint32_t)column_size(),
                             .pivots = mine->pivots,
                             .value = column,
                             .pivot = mine->pivot};
    dps_post(self, &finished, &message);
}

static void gather(struct dps_operation *self, const void *input) {
    size_t size = column_size() * (size_t)setup.columns;
    double *value = calloc(size, sizeof *value);
    int32_t *pivot = calloc((size_t)rows(), sizeof *pivot);
    if (!value || !pivot)
        abort();
    for (const struct column *got = input; got; got = dps_next(self)) {
        memcpy(value + (size_t)got->number * column_size(), got->value, got->values * sizeof *value);
        memcpy(pivot, got->pivot, got->pivots * sizeof *pivot);
    }
    struct column message = {.values = (uint32_t)size, .pivots = (uint32_t)rows(), .value = value, .pivot = pivot};
    dps_post(self, &finished, &message);
    free(value);
    free(pivot);
}

static bool always(const void *message) {
    (void)message;
    return true;
}

static unsigned owner_of_panel_column(const void *message, unsigned threads) {
    return (unsigned)((const struct panel *)message)->column % threads;
}
static unsigned owner_of_level(const void *message, unsigned threads) {
    return (unsigned)((const struct block *)message)->level % threads;
}
static unsigned owner_of_next_level(const void *message, unsigned threads) {
    return (unsigned)(((const struct block *)message)->level + 1) % threads;
}
static unsigned multiplier(const void *message, unsigned threads) {
    const struct block *block = message;
    return (unsigned)(block->row + block->column) % threads;
}
static unsigned owner_of_block(const void *message, unsigned threads) {
    return (unsigned)((const struct block *)message)->column % threads;
}
static unsigned owner_of_column(const void *message, unsigned threads) {
    return (unsigned)((const struct column *)message)->number % threads;
}

static const struct dps_operation_kind factor_kind = {"factor first", DPS_SPLIT, factor_first, {&start}, {&panel}, &store},
                                       solve_kind = {"solve", DPS_LEAF, solve, {&panel}, {&solved}, &store},
                                       multiply_out_kind = {"multiply out", DPS_STREAM, multiply_out,
                                                            {&solved},      {&pair},    &store},
                                       multiply_kind = {"multiply", DPS_LEAF, multiply, {&pair}, {&product}, NULL},
                                       subtract_kind = {"subtract", DPS_LEAF, subtract, {&product}, {&subtracted}, &store},
                                       next_panel_kind = {"next panel",  DPS_STREAM,           next_panel,
                                                          {&subtracted}, {&panel, &exchanges}, &store},
                                       exchange_kind = {"exchange", DPS_LEAF, exchange, {&exchanges}, {&finished}, &store},
                                       gather_kind = {"gather", DPS_MERGE, gather, {&finished}, {&finished}, NULL};

static struct dps_graph *build(void) {
    struct dps_graph *graph = dps_graph_create("LU factorization");
    dps_threads main_thread = dps_collection(graph, "main", NULL, NULL);
    dps_threads workers = dps_collection(graph, "workers", &store, construct_store);
    place_main(graph, main_thread);
    place_workers(graph, workers, setup.workers);
    dps_node first = dps_add(graph, &factor_kind, workers, dps_to(0));
    dps_node solving = dps_add(graph, &solve_kind, workers, dps_by(owner_of_panel_column));
    dps_node out = dps_add(graph, &multiply_out_kind, workers, dps_by(owner_of_level));
    dps_node multiplying = dps_add(graph, &multiply_kind, workers, dps_by(multiplier));
    dps_node subtracting = dps_add(graph, &subtract_kind, workers, dps_by(owner_of_block));
    dps_node next = dps_add(graph, &next_panel_kind, workers, dps_by(owner_of_next_level));
    dps_node exchanging = dps_add(graph, &exchange_kind, workers, dps_by(owner_of_column));
    dps_node end = dps_add(graph, &gather_kind, main_thread, dps_to(0));
    dps_chain(graph, first, solving, out, multiplying, subtracting, next, exchanging, end);
    dps_loop(graph, solving, next, always); /* as long as there are columns to solve */
    return graph;
}

/* --- P A = L U? ----------------------------------------------------------------------------------------------------------- */

static double factor_element(const struct column *result, int row, int column) {
    return result->value[(size_t)(column / setup.block) * column_size() + (size_t)(row * setup.block + column % setup.block)];
}

/* place[i]: the row of A that has become row i. */
static void permutation(const struct column *result, int *place) {
    for (int i = 0; i < rows(); i++)
        place[i] = i;
    for (int i = 0; i < rows(); i++) {
        int swap = place[i];
        place[i] = place[result->pivot[i]];
        place[result->pivot[i]] = swap;
    }
}

static bool is_right(const struct column *result) {
    int place[rows()];
    double sum = 0;
    bool right = true;
    permutation(result, place);
    for (int r = 0; r < rows(); r++)
        for (int c = 0; c < rows(); c++) {
            double product = 0;
            for (int k = 0; k <= r && k <= c; k++)
                product += (k == r ? 1 : factor_element(result, r, k)) * factor_element(result, k, c);
            right &= fabs(product - element_at_first(place[r], c)) < 1e-9; /* and no NaN */
            sum += (r * rows() + c + 1) * factor_element(result, r, c);
        }
    printf("%a%s\n", sum, right ? "" : ", but P A and L U differ");
    return right;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    setup.hasty = option_given(argc, argv, "--hasty");
    setup.workers = option_number(argc, argv, "-w", placement_workers());
    setup.columns = (int)option_number(argc, argv, "-k", setup.workers < 2 ? 2 : setup.workers);
    setup.block = (int)option_number(argc, argv, "-b", 2);
    if (setup.columns < 2 || setup.block < 1) {
        fprintf(stderr, "lu: at least 2 block columns and 1 row in a block\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    struct dps_graph *graph = build();
    struct start input = {0};
    struct column result;
    bool right = true;
    if (dps_call(graph, MPI_COMM_WORLD, &input, &result)) {
        right = is_right(&result);
        dps_release(&finished, &result);
    }
    dps_graph_destroy(graph);
    MPI_Finalize();
    return right ? 0 : 1;
}
