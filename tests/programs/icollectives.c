/* Every nonblocking collective once, all of them outstanding at the same time and waited for in another order than they were
 * begun; results against values computed by hand. Member r contributes numbers made of r only, so nothing depends on an order.
 * Arguments that the standard lets the program do away with (datatypes, operators, its own count arrays' owner) are. */
/* explore: ranks=3 verdict=race-free buffering=none */
/* explore: ranks=3 verdict=race-free buffering=infinite */
/* explore: ranks=2 verdict=race-free */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

enum { MOST = 4, REQUESTS = 17 };

static int rank, ranks;

/* Composition of x -> a*x+b, which does not commute: (f op g)(x) = g(f(x)) in MPI's order "f first". */
static void compose(void *first, void *second, int *count, MPI_Datatype *type) {
    (void)type;
    int *f = first, *g = second;
    for (int i = 0; i < *count; i++, f += 2, g += 2) {
        int a = f[0] * g[0], b = g[0] * f[1] + g[1];
        g[0] = a;
        g[1] = b;
    }
}

/* What members 0..last compose to when member r brings x -> (r+2)*x + r. */
static void composed(int last, int *map) {
    map[0] = 2, map[1] = 0;
    for (int r = 1; r <= last; r++) {
        map[1] = (r + 2) * map[1] + r;
        map[0] *= r + 2;
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm world = MPI_COMM_WORLD, copy = MPI_COMM_NULL;
    MPI_Request request[REQUESTS];
    int n = 0, last = ranks - 1;

    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op op;
    MPI_Op_create(compose, 0, &op);

    int own = 10 + rank, map[2] = {rank + 2, rank};
    int ones[MOST] = {1, 1, 1, 1}, places[MOST] = {3, 2, 1, 0}, bytes[MOST];
    MPI_Datatype ints[MOST] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    int given[MOST];
    for (int i = 0; i < MOST; i++) {
        given[i] = 100 * rank + i;
        bytes[i] = (int)sizeof(int) * i;
    }

    int broadcast = rank == last ? 77 : 0, gathered[MOST], gathered_v[MOST], scattered = -1, scattered_v = -1;
    int all[MOST], all_v[MOST], turned[MOST], turned_v[MOST], turned_w[MOST];
    int folded[2] = {0}, sum = 0, through[2] = {0}, before[2] = {-1, -1}, block = 0, varying = 0;

    MPI_Ibarrier(world, &request[n++]);
    MPI_Ibcast(&broadcast, 1, MPI_INT, last, world, &request[n++]);
    MPI_Igather(&own, 1, MPI_INT, gathered, 1, MPI_INT, 0, world, &request[n++]);
    MPI_Igatherv(&own, 1, MPI_INT, gathered_v, ones, places, MPI_INT, last, world, &request[n++]);
    MPI_Iscatter(given, 1, MPI_INT, &scattered, 1, MPI_INT, 0, world, &request[n++]);
    MPI_Iscatterv(given, ones, places, MPI_INT, &scattered_v, 1, MPI_INT, last, world, &request[n++]);
    MPI_Iallgather(&own, 1, MPI_INT, all, 1, MPI_INT, world, &request[n++]);
    MPI_Iallgatherv(&own, 1, MPI_INT, all_v, ones, places, MPI_INT, world, &request[n++]);
    MPI_Ialltoall(given, 1, MPI_INT, turned, 1, MPI_INT, world, &request[n++]);
    MPI_Ialltoallv(given, ones, places, MPI_INT, turned_v, ones, places, MPI_INT, world, &request[n++]);
    MPI_Ialltoallw(given, ones, bytes, ints, turned_w, ones, bytes, ints, world, &request[n++]);
    MPI_Ireduce(map, folded, 1, pair, op, 0, world, &request[n++]);
    MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, world, &request[n++]);
    MPI_Iscan(map, through, 1, pair, op, world, &request[n++]);
    MPI_Iexscan(map, before, 1, pair, op, world, &request[n++]);
    MPI_Ireduce_scatter_block(given, &block, 1, MPI_INT, MPI_SUM, world, &request[n++]);
    MPI_Ireduce_scatter(given, &varying, ones, MPI_INT, MPI_MAX, world, &request[n++]);
    assert(n == REQUESTS);
    MPI_Type_free(&pair);
    MPI_Op_free(&op);
    assert(op == MPI_OP_NULL);

    MPI_Wait(&request[n - 1], MPI_STATUS_IGNORE);
    assert(request[n - 1] == MPI_REQUEST_NULL);
    assert(varying == 100 * last + rank);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);

    assert(broadcast == 77 && scattered == rank && scattered_v == 100 * last + 3 - rank);
    for (int i = 0; i < ranks; i++) {
        assert(rank != 0 || gathered[i] == 10 + i);
        assert(rank != last || gathered_v[3 - i] == 10 + i);
        assert(all[i] == 10 + i && all_v[3 - i] == 10 + i);
        assert(turned[i] == 100 * i + rank && turned_v[3 - i] == 100 * i + 3 - rank && turned_w[i] == 100 * i + rank);
    }
    assert(sum == 10 * ranks + ranks * (ranks - 1) / 2);
    assert(block == 100 * ranks * (ranks - 1) / 2 + rank * ranks);
    int expected[2];
    composed(last, expected);
    assert(rank != 0 || (folded[0] == expected[0] && folded[1] == expected[1]));
    composed(rank, expected);
    assert(through[0] == expected[0] && through[1] == expected[1]);
    composed(rank - 1, expected);
    assert(rank == 0 ? before[0] == -1 : before[0] == expected[0] && before[1] == expected[1]);

    /* The duplicate carries messages once its request is complete. */
    MPI_Comm_idup(world, &copy, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    int relation;
    MPI_Comm_compare(world, copy, &relation);
    assert(relation == MPI_CONGRUENT);
    int total = 0, one = 1;
    MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, copy);
    assert(total == ranks);
    MPI_Comm_free(&copy);
    if (rank == 0)
        printf("all right\n");
    MPI_Finalize();
    return 0;
}
