/* The ring all-reduce of distributed training: each rank's vector is cut into as many chunks as there are ranks; in a first
 * turn round the ring partial sums accumulate (reduce-scatter), in a second the finished chunks travel on (all-gather). Then
 * a small gradient descent uses it to average gradients. Results are checked against MPI_Allreduce and a closed form. All
 * messages come from the left neighbour: race-free. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=4 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=race-free buffering=infinite */
#include <assert.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 10, SAMPLES = 16, EPOCHS = 3, TAG_REDUCE = 1, TAG_GATHER };

struct ring {
    MPI_Comm comm;
    int rank, ranks;
    int left, right;
};

/* A part of a vector. */
struct chunk {
    int first, count;
};

static struct ring ring_create(MPI_Comm comm) {
    struct ring ring;
    MPI_Comm_dup(comm, &ring.comm);
    MPI_Comm_rank(ring.comm, &ring.rank);
    MPI_Comm_size(ring.comm, &ring.ranks);
    ring.right = (ring.rank + 1) % ring.ranks;
    ring.left = (ring.rank + ring.ranks - 1) % ring.ranks;
    return ring;
}

/* Chunk `index`, taken round the ring; the first LENGTH % ranks chunks are longer by one. */
static struct chunk chunk_of(const struct ring *ring, int length, int index) {
    int place = ((index % ring->ranks) + ring->ranks) % ring->ranks;
    int least = length / ring->ranks, extra = length % ring->ranks;
    return (struct chunk){place * least + (place < extra ? place : extra), least + (place < extra)};
}

/* Sends one chunk to the right while another comes from the left into `into`. */
static void pass_on(const struct ring *ring, const double *vector, struct chunk out, double *into, struct chunk in, int tag) {
    MPI_Request request[2];
    MPI_Status status[2];
    int received;
    MPI_Irecv(into, in.count, MPI_DOUBLE, ring->left, tag, ring->comm, &request[0]);
    MPI_Isend(vector + out.first, out.count, MPI_DOUBLE, ring->right, tag, ring->comm, &request[1]);
    MPI_Waitall(2, request, status);
    MPI_Get_count(&status[0], MPI_DOUBLE, &received);
    assert(received == in.count);
}

/* After this, chunk rank + 1 of the vector is the sum over all ranks. */
static void reduce_scatter(const struct ring *ring, double *vector, int length) {
    double *incoming = calloc(length, sizeof *incoming);
    assert(incoming);
    for (int turn = 0; turn < ring->ranks - 1; turn++) {
        struct chunk out = chunk_of(ring, length, ring->rank - turn), in = chunk_of(ring, length, ring->rank - turn - 1);
        pass_on(ring, vector, out, incoming, in, TAG_REDUCE);
        for (int i = 0; i < in.count; i++)
            vector[in.first + i] += incoming[i];
    }
    free(incoming);
}

static void all_gather(const struct ring *ring, double *vector, int length) {
    for (int turn = 0; turn < ring->ranks - 1; turn++) {
        struct chunk out = chunk_of(ring, length, ring->rank + 1 - turn), in = chunk_of(ring, length, ring->rank - turn);
        pass_on(ring, vector, out, vector + in.first, in, TAG_GATHER);
    }
}

static void ring_allreduce(const struct ring *ring, double *vector, int length) {
    reduce_scatter(ring, vector, length);
    all_gather(ring, vector, length);
}

/* Whole numbers, so that the order of additions does not matter. */
static void check_against_allreduce(const struct ring *ring) {
    double vector[LENGTH], expected[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        vector[i] = (ring->rank + 1) * (i + 1);
    MPI_Allreduce(vector, expected, LENGTH, MPI_DOUBLE, MPI_SUM, ring->comm);
    ring_allreduce(ring, vector, LENGTH);
    int ranks = ring->ranks;
    for (int i = 0; i < LENGTH; i++)
        assert(vector[i] == expected[i] && vector[i] == (i + 1) * ranks * (ranks + 1) / 2.0);
}

/* Training data of this rank: y = 3 x - 1 at points of its own. */
static void gradient_of(const struct ring *ring, const double *weight, double *gradient) {
    memset(gradient, 0, 2 * sizeof *gradient);
    for (int i = 0; i < SAMPLES; i++) {
        double x = (i * ring->ranks + ring->rank) / (double)(SAMPLES * ring->ranks);
        double error = weight[0] * x + weight[1] - (3 * x - 1);
        gradient[0] += 2 * error * x / SAMPLES;
        gradient[1] += 2 * error / SAMPLES;
    }
}

static double loss_of(const struct ring *ring, const double *weight) {
    double mine = 0, sum;
    for (int i = 0; i < SAMPLES; i++) {
        double x = (i * ring->ranks + ring->rank) / (double)(SAMPLES * ring->ranks);
        double error = weight[0] * x + weight[1] - (3 * x - 1);
        mine += error * error / (SAMPLES * ring->ranks);
    }
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, ring->comm);
    return sum;
}

/* Every rank must hold the very same weights after each epoch: the ring adds each chunk in one order for all. */
static void check_agreement(const struct ring *ring, const double *weight) {
    double reference[2] = {weight[0], weight[1]};
    MPI_Bcast(reference, 2, MPI_DOUBLE, 0, ring->comm);
    assert(memcmp(reference, weight, sizeof reference) == 0);
}

static double train(const struct ring *ring) {
    double weight[2] = {0, 0}, gradient[2], loss = loss_of(ring, weight);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        gradient_of(ring, weight, gradient);
        ring_allreduce(ring, gradient, 2);
        for (int i = 0; i < 2; i++)
            weight[i] -= 0.4 * gradient[i] / ring->ranks;
        check_agreement(ring, weight);
        double next = loss_of(ring, weight);
        assert(next < loss);
        loss = next;
    }
    return loss;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    struct ring ring = ring_create(MPI_COMM_WORLD);
    check_against_allreduce(&ring);
    double loss = train(&ring);
    assert(isfinite(loss));
    if (ring.rank == 0)
        printf("ring of %d agrees with MPI_Allreduce; loss after %d epochs %.6f\n", ring.ranks, EPOCHS, loss);
    MPI_Comm_free(&ring.comm);
    MPI_Finalize();
    return 0;
}
