/* Heat in a plate: explicit steps on a two-dimensional grid, decomposed in two dimensions into blocks. Halo rows and columns
 * (a vector type) travel with nonblocking calls; MPI_Allreduce says when to stop. The result is compared with a computation of
 * the whole plate on rank 0. Every receive names source and tag: race-free. With the argument "wildcard" the halo receives
 * name neither, and a neighbour's row may land in the wrong place. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=4 verdict=race-free buffering=none */
/* explore: ranks=2 verdict=race-free buffering=infinite */
/* explore: ranks=4 verdict=found args=wildcard class=abort|crash|truncation|race-output */
#include <assert.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 8, MOST_STEPS = 6 };
enum direction { UP, DOWN, LEFT, RIGHT, DIRECTIONS };

struct block {
    int across, down;  /* blocks of the decomposition */
    int x, y;          /* this block's place in it */
    int width, height; /* cells of this block */
    int neighbour[DIRECTIONS];
    MPI_Datatype column;
    double *cell, *next; /* (height + 2) rows of width + 2: a halo all around */
};

static double *at(const struct block *block, double *cells, int y, int x) {
    return &cells[(y + 1) * (block->width + 2) + x + 1];
}

static double initial(int y, int x) { return y == 0 ? 100 : (x * 13 + y * 7) % 10; }

static int neighbour(const struct block *block, int y, int x) {
    if (y < 0 || y >= block->down || x < 0 || x >= block->across)
        return MPI_PROC_NULL;
    return y * block->across + x;
}

static void block_create(struct block *block, int rank, int ranks) {
    int shape[2] = {0, 0};
    MPI_Dims_create(ranks, 2, shape);
    block->down = shape[0];
    block->across = shape[1];
    assert(SIZE % block->down == 0 && SIZE % block->across == 0);
    block->y = rank / block->across;
    block->x = rank % block->across;
    block->height = SIZE / block->down;
    block->width = SIZE / block->across;
    block->neighbour[UP] = neighbour(block, block->y - 1, block->x);
    block->neighbour[DOWN] = neighbour(block, block->y + 1, block->x);
    block->neighbour[LEFT] = neighbour(block, block->y, block->x - 1);
    block->neighbour[RIGHT] = neighbour(block, block->y, block->x + 1);
    MPI_Type_vector(block->height, 1, block->width + 2, MPI_DOUBLE, &block->column);
    MPI_Type_commit(&block->column);
    size_t cells = (size_t)(block->height + 2) * (block->width + 2);
    block->cell = calloc(cells, sizeof(double));
    block->next = calloc(cells, sizeof(double));
    for (int y = 0; y < block->height; y++)
        for (int x = 0; x < block->width; x++)
            *at(block, block->cell, y, x) = initial(block->y * block->height + y, block->x * block->width + x);
}

static void block_destroy(struct block *block) {
    free(block->cell);
    free(block->next);
    MPI_Type_free(&block->column);
}

static void exchange_halo(const struct block *block, bool wildcard) {
    static const enum direction opposite[DIRECTIONS] = {DOWN, UP, RIGHT, LEFT};
    double *cells = block->cell;
    double *halo[DIRECTIONS] = {at(block, cells, -1, 0), at(block, cells, block->height, 0), at(block, cells, 0, -1),
                                at(block, cells, 0, block->width)};
    double *edge[DIRECTIONS] = {at(block, cells, 0, 0), at(block, cells, block->height - 1, 0), at(block, cells, 0, 0),
                                at(block, cells, 0, block->width - 1)};
    MPI_Request request[2 * DIRECTIONS];
    for (int i = 0; i < DIRECTIONS; i++) {
        bool vertical = i == UP || i == DOWN;
        int count = vertical ? block->width : 1, partner = block->neighbour[i];
        MPI_Datatype type = vertical ? MPI_DOUBLE : block->column;
        bool any = wildcard && partner != MPI_PROC_NULL;
        MPI_Irecv(halo[i], count, type, any ? MPI_ANY_SOURCE : partner, any ? MPI_ANY_TAG : i, MPI_COMM_WORLD, &request[2 * i]);
        MPI_Isend(edge[i], count, type, partner, opposite[i], MPI_COMM_WORLD, &request[2 * i + 1]);
    }
    MPI_Waitall(2 * DIRECTIONS, request, MPI_STATUSES_IGNORE);
}

static double relaxed(double middle, double up, double down, double left, double right) {
    return middle + 0.2 * (up + down + left + right - 4 * middle);
}

/* One step; returns the largest change anywhere in the plate. */
static double advance(struct block *block, bool wildcard) {
    double mine = 0, largest;
    exchange_halo(block, wildcard);
    for (int y = 0; y < block->height; y++) {
        for (int x = 0; x < block->width; x++) {
            double *old = at(block, block->cell, y, x);
            double new = relaxed(*old, old[-(block->width + 2)], old[block->width + 2], old[-1], old[1]);
            mine = fmax(mine, fabs(new - *old));
            *at(block, block->next, y, x) = new;
        }
    }
    double *swap = block->cell;
    block->cell = block->next;
    block->next = swap;
    MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return largest;
}

/* The whole plate on one rank, as a block with nothing around it. */
static double checksum_alone(int steps) {
    static double plate[2][SIZE + 2][SIZE + 2];
    double sum = 0;
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++)
            plate[0][y + 1][x + 1] = initial(y, x);
    for (int step = 0; step < steps; step++) {
        double(*old)[SIZE + 2] = plate[step % 2], (*new)[SIZE + 2] = plate[1 - step % 2];
        for (int y = 1; y <= SIZE; y++)
            for (int x = 1; x <= SIZE; x++)
                new[y][x] = relaxed(old[y][x], old[y - 1][x], old[y + 1][x], old[y][x - 1], old[y][x + 1]);
    }
    for (int y = 1; y <= SIZE; y++)
        for (int x = 1; x <= SIZE; x++)
            sum += y * x * plate[steps % 2][y][x];
    return sum;
}

static double checksum(const struct block *block) {
    double mine = 0, sum = 0;
    for (int y = 0; y < block->height; y++) {
        for (int x = 0; x < block->width; x++) {
            int plate_y = block->y * block->height + y, plate_x = block->x * block->width + x;
            mine += (plate_y + 1) * (plate_x + 1) * *at(block, block->cell, y, x);
        }
    }
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv) {
    int rank, ranks, steps = 0;
    struct block block;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    block_create(&block, rank, ranks);
    double change = 1;
    while (steps < MOST_STEPS && change > 1e-3) {
        change = advance(&block, argc > 1);
        steps++;
    }
    double sum = checksum(&block);
    if (rank == 0) {
        assert(fabs(sum - checksum_alone(steps)) < 1e-6 * fabs(sum));
        printf("%d steps, weighted sum %.6f\n", steps, sum);
    }
    block_destroy(&block);
    MPI_Finalize();
    return 0;
}
