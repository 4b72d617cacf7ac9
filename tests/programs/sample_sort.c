/* Sample sort: each rank sorts its numbers and offers samples, rank 0 picks splitters, everybody sends each number to the
 * rank of its bucket (MPI_Alltoallv) and sorts what it got. The result is checked across ranks: sorted, and with sum and count
 * unchanged. No wildcard anywhere: race-free. With the argument "messages" the buckets travel as point-to-point messages that
 * are received in any order, but sorted afterwards: still race-free. */
/* explore: ranks=4 verdict=race-free */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=4 verdict=race-free args=messages buffering=infinite */
/* explore: ranks=3 verdict=race-free args=messages */
#include <assert.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHARE = 24, TAG_BUCKET = 3 };

struct numbers {
    int count;
    int *value;
};

static int ascending(const void *left, const void *right) {
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

static void sort(struct numbers numbers) { qsort(numbers.value, numbers.count, sizeof *numbers.value, ascending); }

static struct numbers numbers_create(int count) {
    struct numbers numbers = {count, calloc(count > 0 ? count : 1, sizeof(int))};
    assert(numbers.value);
    return numbers;
}

/* The same numbers in every run. */
static struct numbers input_of(int rank) {
    struct numbers numbers = numbers_create(SHARE);
    unsigned state = 12345u + 977u * rank;
    for (int i = 0; i < SHARE; i++) {
        state = state * 1103515245u + 12345u;
        numbers.value[i] = state >> 16 & 1023;
    }
    return numbers;
}

/* ranks - 1 splitters from regular samples of everybody's sorted numbers. */
static struct numbers choose_splitters(struct numbers mine, int rank, int ranks) {
    struct numbers samples = numbers_create(ranks), all = numbers_create(rank == 0 ? ranks * ranks : 0);
    struct numbers splitters = numbers_create(ranks - 1);
    for (int i = 0; i < ranks; i++)
        samples.value[i] = mine.value[i * mine.count / ranks];
    MPI_Gather(samples.value, ranks, MPI_INT, all.value, ranks, MPI_INT, 0, MPI_COMM_WORLD);
    sort(all);
    for (int i = 1; rank == 0 && i < ranks; i++)
        splitters.value[i - 1] = all.value[i * ranks];
    MPI_Bcast(splitters.value, ranks - 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(samples.value);
    free(all.value);
    return splitters;
}

/* Where each bucket begins in the sorted numbers: place[i] .. place[i + 1] go to rank i. */
static void cut(struct numbers mine, struct numbers splitters, int ranks, int *place) {
    int next = 0;
    for (int i = 0; i < ranks; i++) {
        place[i] = next;
        int bound = i < splitters.count ? splitters.value[i] : INT_MAX;
        while (next < mine.count && mine.value[next] < bound)
            next++;
    }
    place[ranks] = next;
    assert(next == mine.count);
}

static struct numbers exchange(struct numbers mine, const int *place, int ranks) {
    int *out = calloc(ranks, sizeof *out), *in = calloc(ranks, sizeof *in), *in_place = calloc(ranks + 1, sizeof *in_place);
    for (int i = 0; i < ranks; i++)
        out[i] = place[i + 1] - place[i];
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++)
        in_place[i + 1] = in_place[i] + in[i];
    struct numbers got = numbers_create(in_place[ranks]);
    MPI_Alltoallv(mine.value, out, place, MPI_INT, got.value, in, in_place, MPI_INT, MPI_COMM_WORLD);
    free(out);
    free(in);
    free(in_place);
    return got;
}

/* The same with messages: everybody gets one bucket from everybody, itself included, in any order. Appending in the order of
 * arrival is undone by the sorting, and the buffer is sorted before anything else can see it. */
static struct numbers exchange_messages(struct numbers mine, const int *place, int ranks) {
    MPI_Request *sent = calloc(ranks, sizeof *sent);
    struct numbers got = numbers_create(ranks * SHARE);
    got.count = 0;
    for (int i = 0; i < ranks; i++)
        MPI_Isend(mine.value + place[i], place[i + 1] - place[i], MPI_INT, i, TAG_BUCKET, MPI_COMM_WORLD, &sent[i]);
    for (int i = 0; i < ranks; i++) {
        int count;
        MPI_Status status;
        MPI_Recv(got.value + got.count, SHARE, MPI_INT, MPI_ANY_SOURCE, TAG_BUCKET, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        got.count += count;
        sort(got);
    }
    MPI_Waitall(ranks, sent, MPI_STATUSES_IGNORE);
    free(sent);
    return got;
}

/* Sorted within each rank and from rank to rank (an empty rank passes its left neighbour's largest number on), nothing lost. */
static void check(struct numbers before, struct numbers after, int rank, int ranks) {
    long mine[2] = {0, after.count - before.count}, total[2];
    int largest = INT_MIN;
    if (rank > 0)
        MPI_Recv(&largest, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < after.count; i++) {
        assert(largest <= after.value[i]);
        largest = after.value[i];
        mine[0] += after.value[i];
    }
    if (rank + 1 < ranks)
        MPI_Send(&largest, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    for (int i = 0; i < before.count; i++)
        mine[0] -= before.value[i];
    MPI_Allreduce(mine, total, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    assert(total[0] == 0 && total[1] == 0);
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    struct numbers mine = input_of(rank);
    sort(mine);
    struct numbers splitters = choose_splitters(mine, rank, ranks);
    int *place = calloc(ranks + 1, sizeof *place);
    cut(mine, splitters, ranks, place);
    struct numbers sorted = argc > 1 ? exchange_messages(mine, place, ranks) : exchange(mine, place, ranks);
    sort(sorted);
    check(mine, sorted, rank, ranks);
    printf("%d numbers\n", sorted.count);

    free(place);
    free(sorted.value);
    free(splitters.value);
    free(mine.value);
    MPI_Finalize();
    return 0;
}
