/* Threads that nobody has placed, one on each rank, and round-robin behind a leaf: each thread gets two of the messages, by the
 * numbers that the split has given them.
 *
 *     hand out (thread 0) ─ through (thread 0) ─ count (round-robin) ─ total (thread 0)
 *
 * Exit code 1 if it is otherwise. Race-free: neither sums nor numbers of messages depend on an order. */
#include "models/dps/dps.h"

struct number {
    int32_t value;
};
static const struct dps_type number = DPS_TYPE("number", struct number, DPS_ITEM(struct number, value));

static void hand_out(struct dps_operation *self, const void *input) {
    (void)input;
    for (int32_t i = 0; i < 2 * (int32_t)dps_thread_count(self); i++)
        dps_post(self, &number, &(struct number){i});
}

static void through(struct dps_operation *self, const void *input) { dps_post(self, &number, input); }

static void count(struct dps_operation *self, const void *input) {
    ((struct number *)dps_storage(self))->value++;
    dps_post(self, &number, input);
}

static void total(struct dps_operation *self, const void *input) {
    struct number sum = {0};
    for (; input; input = dps_next(self))
        sum.value += ((const struct number *)input)->value;
    dps_post(self, &number, &sum);
}

static const struct dps_operation_kind hand_out_kind = {"hand out", DPS_SPLIT, hand_out, {&number}, {&number}, NULL},
                                       through_kind = {"through", DPS_LEAF, through, {&number}, {&number}, NULL},
                                       count_kind = {"count", DPS_LEAF, count, {&number}, {&number}, &number},
                                       total_kind = {"total", DPS_MERGE, total, {&number}, {&number}, NULL};

static int expect(const char *what, int32_t value, int32_t expected) {
    if (value != expected)
        printf("%s: %d instead of %d\n", what, value, expected);
    return value != expected;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct dps_graph *graph = dps_graph_create("by default");
    dps_threads all = dps_collection(graph, "all", &number, NULL);
    dps_chain(graph, dps_add(graph, &hand_out_kind, all, dps_to(0)), dps_add(graph, &through_kind, all, dps_to(0)),
              dps_add(graph, &count_kind, all, dps_round_robin()), dps_add(graph, &total_kind, all, dps_to(0)));
    struct number result, input = {0};
    if (dps_call(graph, MPI_COMM_WORLD, &input, &result))
        wrong += expect("total", result.value, ranks * (2 * ranks - 1));
    const struct number *mine = dps_storage_of(graph, all, (unsigned)rank);
    wrong += expect("messages here", mine ? mine->value : -1, 2);
    if (rank == 0 && !wrong)
        puts("two messages each");
    dps_graph_destroy(graph);
    MPI_Finalize();
    return wrong != 0;
}
