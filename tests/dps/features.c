/* One graph with everything that the applications do not use together: a split inside another, two branches by type, a loop
 * around a leaf that some messages pass more often than others, a stream that takes two types, flow control in groups,
 * round-robin and same-thread routing, storage that lasts from one call to the next.
 *
 *     outer ─ inner ─┬─ step (again while rounds are left) ─┬─ mix (stream) ─ tally ─ sum ─ total
 *                    └─ measure ────────────────────────────┘
 *
 * Exit code 1 if a result is not what it must be. */
#include "models/dps/applications/placement.h"

#include <stdio.h>

struct number {
    int32_t place, value, rounds;
};
static const struct dps_type number = DPS_TYPE("number", struct number, DPS_ITEM(struct number, place),
                                               DPS_ITEM(struct number, value), DPS_ITEM(struct number, rounds));

struct word {
    int32_t place;
    char *text;
};
static const struct dps_type word = DPS_TYPE("word", struct word, DPS_ITEM(struct word, place), DPS_TEXT(struct word, text));

struct tallies {
    int32_t count;
};
static const struct dps_type tallies = DPS_TYPE("tallies", struct tallies, DPS_ITEM(struct tallies, count));

static void construct_tallies(void *storage, unsigned thread, unsigned threads) {
    (void)threads;
    ((struct tallies *)storage)->count = 100 * (int32_t)thread;
}

static void outer(struct dps_operation *self, const void *input) {
    const struct number *in = input;
    for (int32_t i = 0; i < 3; i++)
        dps_post(self, &number, &(struct number){i, in->value + i, i});
}

static void inner(struct dps_operation *self, const void *input) {
    const struct number *in = input;
    static char letters[] = "aaa";
    for (int32_t i = 0; i < 2; i++)
        dps_post(self, &number, &(struct number){i, 10 * in->value + i, in->rounds});
    dps_post(self, &word, &(struct word){2, letters + 2 - in->value % 3});
}

static void step(struct dps_operation *self, const void *input) {
    struct number next = *(const struct number *)input;
    next.value++;
    next.rounds--;
    dps_post(self, &number, &next);
}

static bool rounds_are_left(const void *message) { return ((const struct number *)message)->rounds > 0; }

static void measure(struct dps_operation *self, const void *input) { dps_post(self, &word, input); }

static void mix(struct dps_operation *self, const void *input) {
    for (; input; input = dps_next(self)) {
        struct number out;
        if (dps_input_type(self) == &word)
            out = (struct number){2, 1000 * (int32_t)strlen(((const struct word *)input)->text), 0};
        else
            out = *(const struct number *)input;
        dps_post_as(self, out.place, &number, &out);
    }
}

static void tally(struct dps_operation *self, const void *input) {
    ((struct tallies *)dps_storage(self))->count++;
    dps_post(self, &number, input);
}

static void sum(struct dps_operation *self, const void *input) {
    struct number all = {0};
    for (; input; input = dps_next(self))
        all.value += ((const struct number *)input)->value;
    dps_post(self, &number, &all);
}

static const struct dps_operation_kind outer_kind = {"outer", DPS_SPLIT, outer, {&number}, {&number}, NULL},
                                       inner_kind = {"inner", DPS_SPLIT, inner, {&number}, {&number, &word}, NULL},
                                       step_kind = {"step", DPS_LEAF, step, {&number}, {&number}, NULL},
                                       measure_kind = {"measure", DPS_LEAF, measure, {&word}, {&word}, NULL},
                                       mix_kind = {"mix", DPS_STREAM, mix, {&number, &word}, {&number}, NULL},
                                       tally_kind = {"tally", DPS_LEAF, tally, {&number}, {&number}, &tallies},
                                       sum_kind = {"sum", DPS_MERGE, sum, {&number}, {&number}, NULL};

static struct dps_graph *build(unsigned workers, dps_threads *counting) {
    struct dps_graph *graph = dps_graph_create("features");
    dps_threads main_thread = dps_collection(graph, "main", NULL, NULL);
    *counting = dps_collection(graph, "workers", &tallies, construct_tallies);
    place_main(graph, main_thread);
    place_workers(graph, *counting, workers);
    dps_node out = dps_add(graph, &outer_kind, main_thread, dps_to(0));
    dps_node in = dps_add(graph, &inner_kind, main_thread, dps_to(0));
    dps_node again = dps_add(graph, &step_kind, *counting, dps_round_robin());
    dps_node measuring = dps_add(graph, &measure_kind, *counting, dps_to(workers - 1));
    dps_node mixing = dps_add(graph, &mix_kind, main_thread, dps_to(0));
    dps_node counted = dps_add(graph, &tally_kind, *counting, dps_round_robin());
    dps_node summed = dps_add(graph, &sum_kind, main_thread, dps_to(0));
    dps_node total = dps_add(graph, &sum_kind, main_thread, dps_same_thread());
    dps_chain(graph, out, in, again, mixing, counted, summed, total);
    dps_chain(graph, in, measuring, mixing);
    dps_loop(graph, again, again, rounds_are_left);
    dps_flow_control(graph, out, 2, 2);
    return graph;
}

static int expect(const char *what, int32_t value, int32_t expected) {
    if (value != expected)
        printf("%s: %d instead of %d\n", what, value, expected);
    return value != expected;
}

/* Inner messages of outer message i: 10 i and 10 i + 1, each one more for each pass of `step` (1, 1 and 2), and 1000 for each
 * of i + 1 letters: 1 + 2 + 1000, 11 + 12 + 2000, 22 + 23 + 3000. */
static int check_result(struct dps_graph *graph) {
    struct number input = {0}, result;
    return dps_call(graph, MPI_COMM_WORLD, &input, &result) ? expect("result", result.value, 6071) : 0;
}

/* In two calls each thread's 100 times its number, and 18 more in all. */
static int check_storages(struct dps_graph *graph, dps_threads counting, unsigned workers) {
    int32_t here = 0, all = 0;
    for (unsigned i = 0; i < workers; i++) {
        const struct tallies *mine = dps_storage_of(graph, counting, i);
        here += mine ? mine->count : 0;
    }
    MPI_Allreduce(&here, &all, 1, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
    return expect("tallies", all, 50 * (int32_t)(workers * (workers - 1)) + 18);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    unsigned workers = option_number(argc, argv, "-w", placement_workers());
    dps_threads counting;
    struct dps_graph *graph = build(workers, &counting);
    int wrong = check_result(graph) + check_result(graph) + check_storages(graph, counting, workers);
    if (!wrong)
        puts("results are as they must be");
    dps_graph_destroy(graph);
    MPI_Finalize();
    return wrong != 0;
}
