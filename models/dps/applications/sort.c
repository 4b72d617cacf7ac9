/* Parallel merge sort, the first example of the thesis (Schaeli, section 2.4); README.md goes through it.
 *
 *     sort [-w WORKERS] [-c NUMBERS] [-p NUMBERS-OF-A-PART] */
#include "models/dps/applications/placement.h"
#include "models/dps/dps.h"

#include <stdio.h>

static unsigned part_size;

struct numbers {
    uint32_t target; /* for the routing function */
    uint32_t count;
    int32_t *value;
};
static const struct dps_type numbers =
    DPS_TYPE("numbers", struct numbers, DPS_ITEM(struct numbers, target), DPS_LIST(struct numbers, value, count));

static void split_numbers(struct dps_operation *self, const void *input) {
    const struct numbers *in = input;
    struct numbers part = {0};
    for (uint32_t from = 0; from < in->count; from += part.count, part.target++) {
        part.count = in->count - from < part_size ? in->count - from : part_size;
        part.value = in->value + from;
        dps_post(self, &numbers, &part);
    }
}

static int ascending(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void sort_part(struct dps_operation *self, const void *input) {
    const struct numbers *in = input;
    qsort(in->value, in->count, sizeof *in->value, ascending);
    dps_post(self, &numbers, in);
}

/* Merges `in` into the sorted numbers of `all`. */
static void merge_into(struct numbers *all, const struct numbers *in) {
    int32_t *merged = malloc((all->count + in->count) * sizeof *merged);
    if (!merged)
        abort();
    uint32_t a = 0, b = 0;
    while (a < all->count || b < in->count) {
        bool from_all = b == in->count || (a < all->count && all->value[a] < in->value[b]);
        merged[a + b] = from_all ? all->value[a] : in->value[b];
        from_all ? a++ : b++;
    }
    free(all->value);
    all->value = merged;
    all->count += in->count;
}

static void merge_parts(struct dps_operation *self, const void *input) {
    struct numbers all = {0};
    for (const struct numbers *in = input; in; in = dps_next(self))
        merge_into(&all, in);
    dps_post(self, &numbers, &all);
    free(all.value);
}

static unsigned to_target(const void *message, unsigned threads) { return ((const struct numbers *)message)->target % threads; }

static const struct dps_operation_kind split_kind = {"split numbers", DPS_SPLIT, split_numbers, {&numbers}, {&numbers}, NULL},
                                       sort_kind = {"sort part", DPS_LEAF, sort_part, {&numbers}, {&numbers}, NULL},
                                       merge_kind = {"merge parts", DPS_MERGE, merge_parts, {&numbers}, {&numbers}, NULL};

static struct dps_graph *build(unsigned workers) {
    struct dps_graph *graph = dps_graph_create("merge sort");
    dps_threads main_thread = dps_collection(graph, "main", NULL, NULL);
    dps_threads process_threads = dps_collection(graph, "process", NULL, NULL);
    place_main(graph, main_thread);
    place_workers(graph, process_threads, workers);
    dps_node split = dps_add(graph, &split_kind, main_thread, dps_to(0));
    dps_node sort = dps_add(graph, &sort_kind, process_threads, dps_by(to_target));
    dps_node merge = dps_add(graph, &merge_kind, main_thread, dps_to(0));
    dps_chain(graph, split, sort, merge);
    return graph;
}

static bool is_sorted(const struct numbers *result, unsigned count) {
    bool sorted = result->count == count;
    for (uint32_t i = 1; sorted && i < count; i++)
        sorted = result->value[i - 1] <= result->value[i];
    printf("%u numbers %s\n", result->count, sorted ? "sorted" : "NOT SORTED");
    return sorted;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    part_size = option_number(argc, argv, "-p", 4);
    unsigned count = option_number(argc, argv, "-c", 16);
    struct numbers in = {.count = count, .value = malloc(count * sizeof *in.value)}, out;
    if (!in.value)
        abort();
    for (unsigned i = 0; i < count; i++)
        in.value[i] = (int32_t)(i * 7919 % 10007);
    struct dps_graph *graph = build(option_number(argc, argv, "-w", placement_workers()));
    bool right = true;
    if (dps_call(graph, MPI_COMM_WORLD, &in, &out)) {
        right = is_sorted(&out, count);
        dps_release(&numbers, &out);
    }
    free(in.value);
    dps_graph_destroy(graph);
    MPI_Finalize();
    return right ? 0 : 1;
}
