/* Graphs with one mistake each, and near-identical ones without. */
#include "models/dps/graph.h"
#include "tests/dps/samples.h"

#include <criterion/criterion.h>
#include <string.h>

static void nothing(struct dps_operation *self, const void *input) {
    (void)self;
    (void)input;
}
static bool again(const void *message) {
    (void)message;
    return false;
}

#define KIND(variable, operation_form, in, out) \
    static const struct dps_operation_kind variable = {#variable, operation_form, nothing, {in}, {out}, NULL}

KIND(split, DPS_SPLIT, &point, &point);
KIND(leaf, DPS_LEAF, &point, &point);
KIND(merge, DPS_MERGE, &point, &point);
KIND(stream, DPS_STREAM, &point, &point);
KIND(tree_leaf, DPS_LEAF, &tree, &point);
KIND(tree_merge, DPS_MERGE, &tree, &point);
static const struct dps_operation_kind tree_split = {"tree_split", DPS_SPLIT, nothing, {&point, &tree}, {&point}, NULL};
static const struct dps_operation_kind needs_tree = {"needs_tree", DPS_LEAF, nothing, {&point}, {&point}, &tree},
                                       two_ways = {"two_ways", DPS_SPLIT, nothing, {&point}, {&point, &tree}, NULL},
                                       two_results = {"two_results", DPS_MERGE, nothing, {&point}, {&point, &tree}, NULL},
                                       speechless = {"speechless", DPS_LEAF, nothing, {&point}, {NULL}, NULL};

struct fixture {
    struct dps_graph *graph;
    dps_threads one, three; /* collections with as many threads */
};

static struct fixture fresh(void) {
    struct fixture f = {.graph = dps_graph_create("g")};
    f.one = dps_collection(f.graph, "one", NULL, NULL);
    f.three = dps_collection(f.graph, "three", NULL, NULL);
    dps_place(f.graph, f.one, 0);
    for (int i = 0; i < 3; i++)
        dps_place(f.graph, f.three, i);
    return f;
}

static dps_node add(struct fixture *f, const struct dps_operation_kind *kind) {
    return dps_add(f->graph, kind, f->one, dps_to(0));
}

static void is_right(struct fixture f) {
    const char *error = dps_graph_error(f.graph);
    cr_assert_null(error, "%s", error);
    dps_graph_destroy(f.graph);
}

static void is_wrong(struct fixture f, const char *expected) {
    const char *error = dps_graph_error(f.graph);
    cr_assert(error, "no mistake found; expected: %s", expected);
    cr_assert_str_eq(error, expected);
    dps_graph_destroy(f.graph);
}

Test(validate, split_leaf_merge_is_a_graph) {
    struct fixture f = fresh();
    dps_chain(f.graph, add(&f, &split), add(&f, &leaf), add(&f, &merge));
    is_right(f);
}

Test(validate, nested_splits_streams_and_loops_are_graphs) {
    struct fixture f = fresh();
    dps_node inner = add(&f, &split), end = add(&f, &merge), s = add(&f, &stream), work = add(&f, &leaf);
    dps_chain(f.graph, add(&f, &split), inner, add(&f, &leaf), end, s, work, add(&f, &merge));
    dps_loop(f.graph, inner, end, again);
    dps_loop(f.graph, s, work, again); /* figure 2.5b */
    is_right(f);
}

Test(validate, an_empty_graph) { is_wrong(fresh(), "graph \"g\": it has no operations"); }

Test(validate, a_split_without_merge) {
    struct fixture f = fresh();
    dps_chain(f.graph, add(&f, &split), add(&f, &leaf));
    is_wrong(f, "graph \"g\": split has no matching merge after it");
}

Test(validate, a_merge_without_split) {
    struct fixture f = fresh();
    dps_chain(f.graph, add(&f, &leaf), add(&f, &merge));
    is_wrong(f, "graph \"g\": merge has no matching split before it");
}

Test(validate, a_merge_first) {
    struct fixture f = fresh();
    dps_chain(f.graph, add(&f, &merge), add(&f, &leaf));
    is_wrong(f, "graph \"g\": merge comes first and has no split before it");
}

Test(validate, a_circle) {
    struct fixture f = fresh();
    dps_node a = add(&f, &leaf), b = add(&f, &leaf), c = add(&f, &leaf), d = add(&f, &leaf);
    dps_chain(f.graph, a, b, c, d);
    dps_connect(f.graph, c, b);
    is_wrong(f, "graph \"g\": leaf posts point, which both leaf and leaf take");
}

Test(validate, a_circle_of_everything) {
    struct fixture f = fresh();
    dps_node a = add(&f, &leaf), b = add(&f, &leaf);
    dps_chain(f.graph, a, b, a);
    is_wrong(f, "graph \"g\": its operations form a circle: use dps_loop");
}

Test(validate, two_beginnings) {
    struct fixture f = fresh();
    dps_node end = add(&f, &leaf), a = add(&f, &split), b = add(&f, &stream);
    dps_connect(f.graph, a, end);
    dps_connect(f.graph, b, end);
    is_wrong(f, "graph \"g\": both split and stream come first");
}

Test(validate, branches_go_by_type) {
    struct fixture f = fresh();
    dps_node from = add(&f, &two_ways), a = add(&f, &leaf), b = add(&f, &tree_leaf), end = add(&f, &merge);
    dps_chain(f.graph, from, a, end);
    dps_chain(f.graph, from, b, end);
    is_right(f);
}

Test(validate, two_branches_for_one_type) {
    struct fixture f = fresh();
    dps_node from = add(&f, &split), a = add(&f, &leaf), b = add(&f, &needs_tree), end = add(&f, &merge);
    dps_chain(f.graph, from, a, end);
    dps_chain(f.graph, from, b, end);
    is_wrong(f, "graph \"g\": split posts point, which both leaf and needs_tree take");
}

Test(validate, a_type_that_nobody_takes) {
    struct fixture f = fresh();
    dps_chain(f.graph, add(&f, &two_ways), add(&f, &leaf), add(&f, &merge));
    is_wrong(f, "graph \"g\": two_ways posts tree, which none of its successors takes");
}

/* One goes round, the other one is the result. */
Test(validate, a_last_operation_with_a_type_that_loops) {
    struct fixture f = fresh();
    dps_node first = add(&f, &split), last = add(&f, &two_results);
    dps_chain(f.graph, first, add(&f, &leaf), last);
    dps_loop(f.graph, first, last, again);
    cr_assert_null(dps_graph_error(f.graph));
    cr_assert_eq(graph_next(f.graph, last.number, &tree, NULL), GRAPH_RESULT);
    cr_assert_eq(graph_next(f.graph, last.number, &point, NULL), GRAPH_NOWHERE, "not again: and the result is a tree");
    is_right(f);
}

Test(validate, a_last_operation_with_two_results_or_none) {
    struct fixture f = fresh();
    dps_chain(f.graph, add(&f, &split), add(&f, &leaf), add(&f, &two_results));
    is_wrong(f, "graph \"g\": two_results comes last, and of the types that it posts more than one go round no loop");
    f = fresh();
    dps_node points = add(&f, &split), trees = add(&f, &tree_split), last = add(&f, &two_results);
    dps_chain(f.graph, points, trees, add(&f, &merge), last);
    dps_loop(f.graph, points, last, again);
    dps_loop(f.graph, trees, last, again);
    is_wrong(f, "graph \"g\": two_results comes last, and of the types that it posts each goes round a loop");
}

Test(validate, an_edge_without_a_common_type) {
    struct fixture f = fresh();
    dps_chain(f.graph, add(&f, &leaf), add(&f, &tree_leaf));
    is_wrong(f, "graph \"g\": tree_leaf takes nothing that leaf posts");
}

Test(validate, an_operation_that_posts_nothing) {
    struct fixture f = fresh();
    add(&f, &speechless);
    is_wrong(f, "graph \"g\": speechless posts no type of message");
}

/* A branch around a stream: its messages would be counted by another split than the rest. */
Test(validate, a_branch_that_goes_round_a_stream) {
    struct fixture f = fresh();
    dps_node from = add(&f, &two_ways), s = add(&f, &stream), round = add(&f, &tree_leaf), end = add(&f, &merge);
    dps_chain(f.graph, from, s, end);
    dps_chain(f.graph, from, round, end);
    is_wrong(f, "graph \"g\": merge is reached inside different splits; one of the ways is from tree_leaf");
}

Test(validate, a_loop_that_leaves_a_split_open) {
    struct fixture f = fresh();
    dps_node a = add(&f, &split), b = add(&f, &leaf), c = add(&f, &merge);
    dps_chain(f.graph, a, b, c);
    dps_loop(f.graph, a, b, again);
    is_wrong(f, "graph \"g\": the loop from split to leaf does not close the splits that it opens");
}

Test(validate, storage_of_another_type) {
    struct fixture f = fresh();
    add(&f, &needs_tree);
    is_wrong(f, "graph \"g\": needs_tree needs threads that store a tree, and those of one store nothing");
}

Test(validate, storage_of_the_type_needed) {
    struct fixture f = fresh();
    dps_threads trees = dps_collection(f.graph, "trees", &tree, NULL);
    dps_place(f.graph, trees, 0);
    dps_add(f.graph, &needs_tree, trees, dps_to(0));
    is_right(f);
}

Test(validate, threads_that_were_not_placed_are_on_all_ranks) {
    struct fixture f = fresh();
    dps_threads placed = dps_collection(f.graph, "placed", NULL, NULL), rest = dps_collection(f.graph, "rest", NULL, NULL);
    dps_place(f.graph, placed, 1);
    dps_chain(f.graph, dps_add(f.graph, &leaf, placed, dps_to(0)), dps_add(f.graph, &leaf, rest, dps_to(2)));
    cr_assert_null(dps_graph_error(f.graph), "how many ranks there are is not known yet");
    graph_place_rest(f.graph, 3);
    cr_assert_eq(f.graph->collection[placed.number].threads, 1);
    cr_assert_eq(f.graph->collection[rest.number].threads, 3);
    cr_assert_eq(f.graph->collection[rest.number].rank[2], 2);
    is_right(f);
}

Test(validate, a_route_to_a_thread_that_was_not_placed_is_wrong_on_too_few_ranks) {
    struct fixture f = fresh();
    dps_add(f.graph, &leaf, dps_collection(f.graph, "rest", NULL, NULL), dps_to(2));
    cr_assert_null(dps_graph_error(f.graph));
    graph_place_rest(f.graph, 2);
    is_wrong(f, "graph \"g\": leaf is routed to thread 2 of rest, which has 2");
}

Test(validate, functions_that_are_missing) {
    static const struct dps_operation_kind idle = {"idle", DPS_LEAF, NULL, {&point}, {&point}, NULL};
    struct fixture f = fresh();
    add(&f, &idle);
    is_wrong(f, "graph \"g\": idle has no function to execute");
    f = fresh();
    dps_add(f.graph, &leaf, f.three, dps_by(NULL));
    is_wrong(f, "graph \"g\": leaf is routed by content and has no function for that");
    f = fresh();
    dps_node a = add(&f, &leaf);
    dps_loop(f.graph, a, a, NULL);
    is_wrong(f, "graph \"g\": the loop from leaf to leaf has no condition");
}

Test(validate, a_connection_made_twice) {
    struct fixture f = fresh();
    dps_node a = add(&f, &leaf), b = add(&f, &leaf);
    dps_chain(f.graph, a, b);
    dps_connect(f.graph, a, b);
    is_wrong(f, "graph \"g\": leaf is connected to leaf twice");
}

/* Of its four messages, say, neither merge would ever get all. */
Test(validate, a_split_with_two_merges) {
    struct fixture f = fresh();
    dps_node from = add(&f, &two_ways), a = add(&f, &merge), b = add(&f, &tree_merge), end = add(&f, &leaf);
    dps_chain(f.graph, from, a, end);
    dps_chain(f.graph, from, b, end);
    is_wrong(f, "graph \"g\": messages of two_ways end in both merge and tree_merge");
}

Test(validate, a_loop_that_goes_forward_or_to_another_branch) {
    struct fixture f = fresh();
    dps_node a = add(&f, &leaf), b = add(&f, &leaf);
    dps_chain(f.graph, a, b);
    dps_loop(f.graph, b, a, again);
    is_wrong(f, "graph \"g\": the loop from leaf to leaf: the latter does not come after the former");
    f = fresh();
    dps_node from = add(&f, &two_ways), one = add(&f, &leaf), other = add(&f, &tree_leaf), end = add(&f, &merge);
    dps_chain(f.graph, from, one, end);
    dps_chain(f.graph, from, other, end);
    dps_loop(f.graph, one, other, again);
    is_wrong(f, "graph \"g\": the loop from leaf to tree_leaf: the latter does not come after the former");
}

Test(validate, a_constant_route_to_a_thread_that_is_not_there) {
    struct fixture f = fresh();
    dps_add(f.graph, &leaf, f.three, dps_to(3));
    is_wrong(f, "graph \"g\": leaf is routed to thread 3 of three, which has 3");
}

Test(validate, the_same_thread_of_a_smaller_collection) {
    struct fixture f = fresh();
    dps_chain(f.graph, dps_add(f.graph, &leaf, f.three, dps_to(2)), dps_add(f.graph, &leaf, f.one, dps_same_thread()));
    is_wrong(f, "graph \"g\": leaf is to run on the same thread as leaf, and one has fewer threads than three");
}

Test(validate, load_balancing_needs_flow_control) {
    for (int controlled = 0; controlled < 2; controlled++) {
        struct fixture f = fresh();
        dps_node from = add(&f, &split);
        dps_chain(f.graph, from, dps_add(f.graph, &leaf, f.three, dps_balanced()), add(&f, &merge));
        if (controlled) {
            dps_flow_control(f.graph, from, 3, 1);
            is_right(f);
        } else {
            is_wrong(f, "graph \"g\": leaf is load-balanced, and split has no flow control");
        }
    }
}

Test(validate, flow_control_of_a_leaf_or_with_a_group_above_the_limit) {
    struct fixture f = fresh();
    dps_flow_control(f.graph, add(&f, &leaf), 3, 1);
    is_wrong(f, "graph \"g\": leaf is no split and no stream: it has no flow to control");
    f = fresh();
    dps_flow_control(f.graph, add(&f, &split), 3, 4);
    is_wrong(f, "graph \"g\": flow control of split: 1 <= group (4) <= limit (3) <= 256 must hold");
}

Test(validate, more_splits_inside_each_other_than_identifiers_have_levels) {
    for (int splits = 7; splits <= 8; splits++) {
        struct fixture f = fresh();
        dps_node last = add(&f, &split);
        for (int i = 1; i < splits; i++) {
            dps_node next = add(&f, &split);
            dps_connect(f.graph, last, next);
            last = next;
        }
        for (int i = 0; i < splits; i++) {
            dps_node next = add(&f, &merge);
            dps_connect(f.graph, last, next);
            last = next;
        }
        if (splits == 7)
            is_right(f);
        else
            is_wrong(f, "graph \"g\": split is the 8th split inside another; at most 7 are possible");
    }
}
