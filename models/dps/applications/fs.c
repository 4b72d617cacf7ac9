/* Floyd-Steinberg halftoning of a grey image, pipelined (Schaeli, section 4.4.6).
 *
 * Each worker owns a band of rows, and works through it in blocks of columns from the left. The error of a pixel goes to its
 * neighbours on the right and below, so the first row of a band needs the errors of the band above, one block ahead. Blocks
 * that need nothing of each other form a wave: block b of band i is in wave 2 i + b. In a band, each row begins one column
 * further left than the row above, as a pixel needs that on its upper right.
 *
 *     main     start ─┬──────────┬─ advance (stream) ─ more waves? ─┬─────────────┬─ gather
 *     workers         └─ dither ─┘                                  └─ hand over ─┘
 *
 * `advance` takes the blocks of one wave and posts each block of the next as soon as those that it needs are done: the same
 * band's block before it, and the block above. With --hasty it waits for one of the two only, and the result is wrong in some
 * orderings.
 *
 *     fs [--hasty] [-w WORKERS] [-r ROWS-EACH] [-c COLUMNS] [-b COLUMNS-OF-A-BLOCK]
 *
 * Exit code 1 if the result differs from a serial computation. Errors are kept in sixteenths, so all sums are exact. */
#include "models/dps/applications/placement.h"
#include "models/dps/dps.h"

#include <stdio.h>

static struct {
    bool hasty;
    int workers, rows_each, columns, block;
} setup;

static int blocks(void) { return (setup.columns + setup.rows_each - 1 + setup.block - 1) / setup.block; }
/* Before its first block, a band takes the errors of the block above on the left. */
static int first_block(int band) { return band == 0 ? 0 : -1; }
static int last_wave(void) { return 2 * (setup.workers - 1) + blocks() - 1; }
static bool exists(int band, int block) {
    return band >= 0 && band < setup.workers && block >= first_block(band) && block < blocks();
}

/* --- halftoning ----------------------------------------------------------------------------------------------------------- */

static int32_t grey(int row, int column) { return (row * 37 + column * 53 + row * column * 11) % 256; }

static void add(int32_t *row, int column, int32_t error) {
    if (column >= 0 && column < setup.columns)
        row[column] += error;
}

/* Values are in sixteenths. `below` is the next row. True: white. */
static bool halftone_pixel(int32_t *row, int32_t *below, int column) {
    int32_t value = row[column] >> 4;
    bool white = value >= 128;
    int32_t error = white ? value - 255 : value;
    add(row, column + 1, 7 * error);
    add(below, column - 1, 3 * error);
    add(below, column, 5 * error);
    add(below, column + 1, error);
    return white;
}

/* --- messages and storage ------------------------------------------------------------------------------------------------- */

struct start {
    int32_t nothing;
};
static const struct dps_type start = DPS_TYPE("start", struct start, DPS_ITEM(struct start, nothing));

/* Work on a block, after adding these errors to the band's first row. */
struct task {
    int32_t band, block;
    uint32_t errors;
    int32_t *error; /* of all columns; none: 0 */
};
static const struct dps_type task = DPS_TYPE("task", struct task, DPS_ITEM(struct task, band), DPS_ITEM(struct task, block),
                                             DPS_LIST(struct task, error, errors));

/* The errors that a block hands to the band below. */
static const struct dps_type done = DPS_TYPE("done", struct task, DPS_ITEM(struct task, band), DPS_ITEM(struct task, block),
                                             DPS_LIST(struct task, error, errors));

struct collect {
    int32_t band;
};
static const struct dps_type collect = DPS_TYPE("collect", struct collect, DPS_ITEM(struct collect, band));

struct picture {
    int32_t band;
    uint32_t pixels;
    uint8_t *white;
};
static const struct dps_type picture =
    DPS_TYPE("picture", struct picture, DPS_ITEM(struct picture, band), DPS_LIST(struct picture, white, pixels));

struct band {
    uint32_t values, pixels;
    int32_t *value; /* the rows, and one more for what goes to the band below */
    uint8_t *white;
};
static const struct dps_type band =
    DPS_TYPE("band", struct band, DPS_LIST(struct band, value, values), DPS_LIST(struct band, white, pixels));

static void construct_band(void *storage, unsigned worker, unsigned workers) {
    (void)workers;
    struct band *mine = storage;
    mine->pixels = (uint32_t)(setup.rows_each * setup.columns);
    mine->values = mine->pixels + (uint32_t)setup.columns;
    mine->value = calloc(mine->values, sizeof *mine->value);
    mine->white = calloc(mine->pixels, 1);
    if (!mine->value || !mine->white)
        abort();
    for (int r = 0; r < setup.rows_each; r++)
        for (int c = 0; c < setup.columns; c++)
            mine->value[r * setup.columns + c] = 16 * grey((int)worker * setup.rows_each + r, c);
}

/* --- operations ----------------------------------------------------------------------------------------------------------- */

static void start_waves(struct dps_operation *self, const void *input) {
    (void)input;
    dps_post_as(self, 0, &task, &(struct task){.band = 0, .block = 0});
}

static void dither(struct dps_operation *self, const void *input) {
    const struct task *mine = input;
    struct band *rows = dps_storage(self);
    for (uint32_t i = 0; i < mine->errors; i++)
        rows->value[i] += mine->error[i];
    for (int r = 0; r < setup.rows_each; r++) {
        int32_t *row = rows->value + r * setup.columns;
        int from = mine->block * setup.block - r, to = from + setup.block;
        for (int c = from < 0 ? 0 : from; c < to && c < setup.columns && mine->block >= 0; c++)
            rows->white[r * setup.columns + c] = halftone_pixel(row, row + setup.columns, c);
    }
    int32_t *below = rows->value + rows->pixels;
    dps_post(self, &done, &(struct task){mine->band, mine->block, (uint32_t)setup.columns, below});
    memset(below, 0, (size_t)setup.columns * sizeof *below);
}

/* What `advance` has got of a wave. */
struct wave {
    int number;
    bool *have;     /* a band's block */
    bool *posted;   /* a band's block of the next wave */
    int32_t *error; /* of all columns, of each band's block */
};

static void receive(struct wave *wave, const struct task *got) {
    wave->have[got->band] = true;
    memcpy(wave->error + got->band * setup.columns, got->error, got->errors * sizeof *got->error);
}

static bool may_begin(const struct wave *wave, int i) {
    int block = wave->number + 1 - 2 * i;
    bool needs_left = exists(i, block - 1), needs_above = exists(i - 1, block + 1);
    bool left = needs_left && wave->have[i], above = needs_above && wave->have[i - 1];
    if (!exists(i, block) || wave->posted[i])
        return false;
    return setup.hasty ? left || above : left == needs_left && above == needs_above;
}

static void post_what_may_begin(struct dps_operation *self, struct wave *wave) {
    for (int i = 0; i < setup.workers; i++) {
        if (!may_begin(wave, i))
            continue;
        struct task next = {.band = i, .block = wave->number + 1 - 2 * i};
        if (exists(i - 1, next.block + 1) && wave->have[i - 1]) {
            next.errors = (uint32_t)setup.columns;
            next.error = wave->error + (i - 1) * setup.columns;
        }
        wave->posted[i] = true;
        dps_post_as(self, i, &task, &next);
    }
}

static void advance(struct dps_operation *self, const void *input) {
    const struct task *got = input;
    size_t bands = (size_t)setup.workers;
    int32_t error[bands * (size_t)setup.columns];
    bool have[bands], posted[bands];
    struct wave wave = {2 * got->band + got->block, have, posted, error};
    memset(error, 0, sizeof error);
    memset(have, 0, sizeof have);
    memset(posted, 0, sizeof posted);
    for (; got; got = dps_next(self)) {
        receive(&wave, got);
        post_what_may_begin(self, &wave);
    }
    for (int i = 0; i < setup.workers && wave.number == last_wave(); i++)
        dps_post_as(self, i, &collect, &(struct collect){i});
}

static void hand_over(struct dps_operation *self, const void *input) {
    const struct collect *mine = input;
    struct band *rows = dps_storage(self);
    dps_post(self, &picture, &(struct picture){mine->band, rows->pixels, rows->white});
}

static void gather(struct dps_operation *self, const void *input) {
    uint32_t pixels = (uint32_t)(setup.workers * setup.rows_each * setup.columns);
    uint8_t *white = calloc(pixels, 1);
    if (!white)
        abort();
    for (const struct picture *got = input; got; got = dps_next(self))
        memcpy(white + (size_t)got->band * got->pixels, got->white, got->pixels);
    dps_post(self, &picture, &(struct picture){0, pixels, white});
    free(white);
}

static bool always(const void *message) {
    (void)message;
    return true;
}
static unsigned band_of_task(const void *message, unsigned threads) {
    return (unsigned)((const struct task *)message)->band % threads;
}
static unsigned band_of_collect(const void *message, unsigned threads) {
    return (unsigned)((const struct collect *)message)->band % threads;
}

static const struct dps_operation_kind start_kind = {"start", DPS_SPLIT, start_waves, {&start}, {&task}, NULL},
                                       dither_kind = {"dither", DPS_LEAF, dither, {&task}, {&done}, &band},
                                       advance_kind = {"advance", DPS_STREAM, advance, {&done}, {&task, &collect}, NULL},
                                       hand_over_kind = {"hand over", DPS_LEAF, hand_over, {&collect}, {&picture}, &band},
                                       gather_kind = {"gather", DPS_MERGE, gather, {&picture}, {&picture}, NULL};

static struct dps_graph *build(void) {
    struct dps_graph *graph = dps_graph_create("Floyd-Steinberg");
    dps_threads main_thread = dps_collection(graph, "main", NULL, NULL);
    dps_threads workers = dps_collection(graph, "workers", &band, construct_band);
    place_main(graph, main_thread);
    place_workers(graph, workers, (unsigned)setup.workers);
    dps_node begin = dps_add(graph, &start_kind, main_thread, dps_to(0));
    dps_node work = dps_add(graph, &dither_kind, workers, dps_by(band_of_task));
    dps_node stream = dps_add(graph, &advance_kind, main_thread, dps_to(0));
    dps_node fetch = dps_add(graph, &hand_over_kind, workers, dps_by(band_of_collect));
    dps_node end = dps_add(graph, &gather_kind, main_thread, dps_to(0));
    dps_chain(graph, begin, work, stream, fetch, end);
    dps_loop(graph, work, stream, always); /* as long as there are tasks */
    return graph;
}

/* --- the serial computation ----------------------------------------------------------------------------------------------- */

static bool is_right(const struct picture *result) {
    int rows = setup.workers * setup.rows_each, columns = setup.columns;
    int32_t *value = calloc((size_t)(rows + 1) * (size_t)columns, sizeof *value);
    if (!value)
        abort();
    bool right = true;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            value[r * columns + c] = 16 * grey(r, c);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            right &= halftone_pixel(value + r * columns, value + (r + 1) * columns, c) == (result->white[r * columns + c] != 0);
    free(value);
    printf("%s\n", right ? "as computed serially" : "differs from the serial computation");
    return right;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    setup.hasty = option_given(argc, argv, "--hasty");
    setup.workers = (int)option_number(argc, argv, "-w", placement_workers());
    setup.rows_each = (int)option_number(argc, argv, "-r", 1);
    setup.columns = (int)option_number(argc, argv, "-c", 6);
    setup.block = (int)option_number(argc, argv, "-b", 2);
    if (setup.block < setup.rows_each) {
        fprintf(stderr, "fs: a block must have at least as many columns as a band has rows\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    struct dps_graph *graph = build();
    struct start input = {0};
    struct picture result;
    bool right = true;
    if (dps_call(graph, MPI_COMM_WORLD, &input, &result)) {
        right = is_right(&result);
        dps_release(&picture, &result);
    }
    dps_graph_destroy(graph);
    MPI_Finalize();
    return right ? 0 : 1;
}
