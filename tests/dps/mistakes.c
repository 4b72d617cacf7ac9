/* Programs with one mistake each, chosen by the first argument: run_applications knows the sentence that must come out. */
#include "models/dps/applications/placement.h"

static const char *mistake;
static bool is(const char *name) { return strcmp(mistake, name) == 0; }

struct number {
    int32_t value;
};
static const struct dps_type number = DPS_TYPE("number", struct number, DPS_ITEM(struct number, value)),
                             stranger = DPS_TYPE("stranger", struct number, DPS_ITEM(struct number, value));

static void post(struct dps_operation *self, int32_t value) { dps_post(self, &number, &(struct number){value}); }

/* Two messages of one number, each of which is split again: both on thread 0, or the second one on thread 1, where only some orders
 * show that two splits have one merge. */
static bool is_numbered_alike(void) { return is("same-number") || is("same-number-apart"); }

static void split(struct dps_operation *self, const void *input) {
    (void)input;
    for (int32_t i = 0; i < 2 && !is("split-posts-nothing"); i++)
        dps_post_as(self, is("negative-number") ? -1 : is_numbered_alike() ? 0 : i, &number, &(struct number){i});
}

/* The address keeps the array from being optimised away. */
static size_t deep(volatile char *above) {
    volatile char room[80 << 10];
    for (size_t i = 0; i < sizeof room; i += 512)
        room[sizeof room - 1 - i] = (char)(1 + i + *above);
    return (size_t)room[7];
}

static void leaf(struct dps_operation *self, const void *input) {
    volatile char here = 1;
    if (is("deep-stack"))
        deep(&here);
    if (is("unlisted-type"))
        dps_post(self, &stranger, input);
    if (is("leaf-waits"))
        dps_next(self);
    if (!is("leaf-posts-nothing"))
        post(self, ((const struct number *)input)->value);
    if (is("leaf-posts-twice"))
        post(self, 7);
}

static void merge(struct dps_operation *self, const void *input) {
    if (is("merge-posts-early"))
        post(self, 1);
    while (input && !is("merge-ends-early"))
        input = dps_next(self);
    if (is("merge-ends-early"))
        dps_next(self);
    post(self, 1);
}

static unsigned where_merged(const void *message, unsigned threads) {
    unsigned value = (unsigned)((const struct number *)message)->value;
    return is("routed-apart") ? value % threads : is("routed-out") ? threads : 0;
}

static unsigned by_value(const void *message, unsigned threads) {
    return is("same-number") ? 0 : (unsigned)((const struct number *)message)->value % threads;
}

static void split_again(struct dps_operation *self, const void *input) {
    for (int32_t i = 0; i < 2; i++)
        dps_post(self, &number, input);
}

static const struct dps_operation_kind split_kind = {"split", DPS_SPLIT, split, {&number}, {&number}, NULL},
                                       leaf_kind = {"leaf", DPS_LEAF, leaf, {&number}, {&number}, NULL},
                                       merge_kind = {"merge", DPS_MERGE, merge, {&number}, {&number}, NULL},
                                       again_kind = {"split again", DPS_SPLIT, split_again, {&number}, {&number}, NULL};

/* Between the split and the leaf one more, and its merge behind the leaf. */
static void add_inner_pair(struct dps_graph *graph, dps_threads workers, dps_node outer, dps_node inside,
                           dps_node outer_merge) {
    dps_chain(graph, outer, dps_add(graph, &again_kind, workers, dps_by(by_value)), inside,
              dps_add(graph, &merge_kind, workers, dps_to(0)), outer_merge);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    mistake = argc > 1 ? argv[1] : "none";
    struct dps_graph *graph = dps_graph_create("mistakes");
    dps_threads workers = dps_collection(graph, "workers", NULL, NULL);
    dps_place(graph, workers, 0);
    dps_place(graph, workers, is("no-such-rank") ? 2 : 1);
    dps_node first = dps_add(graph, &split_kind, workers, dps_to(0));
    dps_node second = dps_add(graph, &leaf_kind, workers, is_numbered_alike() ? dps_to(0) : dps_round_robin());
    dps_node third = dps_add(graph, &merge_kind, workers, dps_by(where_merged));
    if (is_numbered_alike())
        add_inner_pair(graph, workers, first, second, third);
    else
        dps_chain(graph, first, second);
    if (!is("no-merge") && !is_numbered_alike())
        dps_connect(graph, second, third);
    if (is("too-many-operations"))
        dps_set_limits(graph, (struct dps_limits){.operations = 1});
    if (is("no-room"))
        dps_set_limits(graph, (struct dps_limits){.outgoing_bytes = 100});
    struct number input = {0}, output;
    dps_call(graph, MPI_COMM_WORLD, &input, &output);
    dps_graph_destroy(graph);
    MPI_Finalize();
    return 0;
}
