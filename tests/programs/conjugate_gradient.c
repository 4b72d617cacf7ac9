/* Conjugate gradients for the five-point Laplacian on a square grid, its rows distributed in blocks. Halo rows travel with
 * nonblocking sends and receives, dot products with MPI_Allreduce. The right-hand side is made from a known solution, which
 * is checked. Every receive names its source: race-free. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=4 verdict=race-free buffering=infinite */
#include <assert.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 8, HEIGHT = 8, MOST_ITERATIONS = 200, TAG_UP = 1, TAG_DOWN };

struct block {
    int rank, ranks;
    int first, rows; /* this rank's rows of the grid: first .. first + rows - 1 */
    int above, below;
};

/* A grid function on a block: one halo row above and one below its own rows. */
typedef double row[WIDTH];

static struct block block_of(int rank, int ranks) {
    int least = HEIGHT / ranks, extra = HEIGHT % ranks;
    struct block block = {.rank = rank, .ranks = ranks};
    block.rows = least + (rank < extra);
    block.first = rank * least + (rank < extra ? rank : extra);
    block.above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    block.below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    return block;
}

static row *field_create(const struct block *block) {
    row *field = calloc(block->rows + 2, sizeof *field);
    assert(field);
    return field;
}

static void exchange_halo(const struct block *block, row *field) {
    MPI_Request request[4];
    MPI_Irecv(field[0], WIDTH, MPI_DOUBLE, block->above, TAG_DOWN, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(field[block->rows + 1], WIDTH, MPI_DOUBLE, block->below, TAG_UP, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(field[1], WIDTH, MPI_DOUBLE, block->above, TAG_UP, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(field[block->rows], WIDTH, MPI_DOUBLE, block->below, TAG_DOWN, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

/* product = A field */
static void apply(const struct block *block, row *field, row *product) {
    exchange_halo(block, field);
    for (int y = 1; y <= block->rows; y++) {
        for (int x = 0; x < WIDTH; x++) {
            double left = x > 0 ? field[y][x - 1] : 0, right = x + 1 < WIDTH ? field[y][x + 1] : 0;
            product[y][x] = 4 * field[y][x] - left - right - field[y - 1][x] - field[y + 1][x];
        }
    }
}

static double dot(const struct block *block, row *left, row *right) {
    double mine = 0, sum;
    for (int y = 1; y <= block->rows; y++)
        for (int x = 0; x < WIDTH; x++)
            mine += left[y][x] * right[y][x];
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* field += factor * other */
static void add_multiple(const struct block *block, row *field, double factor, row *other) {
    for (int y = 1; y <= block->rows; y++)
        for (int x = 0; x < WIDTH; x++)
            field[y][x] += factor * other[y][x];
}

/* direction = residual + factor * direction */
static void turn(const struct block *block, row *direction, double factor, row *residual) {
    for (int y = 1; y <= block->rows; y++)
        for (int x = 0; x < WIDTH; x++)
            direction[y][x] = residual[y][x] + factor * direction[y][x];
}

/* Solves A solution = right_side from zero; returns the number of iterations. */
static int solve(const struct block *block, row *right_side, row *solution) {
    row *residual = field_create(block), *direction = field_create(block), *product = field_create(block);
    memcpy(residual, right_side, (block->rows + 2) * sizeof *residual);
    memcpy(direction, right_side, (block->rows + 2) * sizeof *direction);
    double square = dot(block, residual, residual), goal = 1e-20 * square;
    int iterations = 0;
    while (square > goal && iterations < MOST_ITERATIONS) {
        apply(block, direction, product);
        double step = square / dot(block, direction, product);
        add_multiple(block, solution, step, direction);
        add_multiple(block, residual, -step, product);
        double next = dot(block, residual, residual);
        turn(block, direction, next / square, residual);
        square = next;
        iterations++;
    }
    free(product);
    free(direction);
    free(residual);
    return iterations;
}

static double exact(int y, int x) { return (y * 3 + x * 5) % 7 - 2.5; }

static row *exact_field(const struct block *block) {
    row *field = field_create(block);
    for (int y = 0; y < block->rows; y++)
        for (int x = 0; x < WIDTH; x++)
            field[y + 1][x] = exact(block->first + y, x);
    return field;
}

static double largest_error(const struct block *block, row *solution) {
    double mine = 0, largest;
    for (int y = 0; y < block->rows; y++)
        for (int x = 0; x < WIDTH; x++)
            mine = fmax(mine, fabs(solution[y + 1][x] - exact(block->first + y, x)));
    MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return largest;
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct block block = block_of(rank, ranks);
    row *known = exact_field(&block), *right_side = field_create(&block), *solution = field_create(&block);
    apply(&block, known, right_side);

    int iterations = solve(&block, right_side, solution);
    double error = largest_error(&block, solution);
    assert(error < 1e-8);
    if (rank == 0)
        printf("solved in %d iterations, largest error below 1e-8\n", iterations);

    free(solution);
    free(right_side);
    free(known);
    MPI_Finalize();
    return 0;
}
