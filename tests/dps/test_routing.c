/* Which thread a message goes to. */
#include "models/dps/routing.h"

#include <criterion/criterion.h>

static unsigned doubled(const void *message, unsigned threads) { return *(const unsigned *)message * 2 % threads; }

Test(routing, constant_same_thread_and_content) {
    unsigned message = 5;
    struct posting posting = {.message = &message, .thread = 2, .number = 9};
    struct dps_route constant = dps_to(1), same = dps_same_thread(), content = dps_by(doubled);
    cr_assert_eq(routing_thread(&constant, 4, &posting), 1);
    cr_assert_eq(routing_thread(&same, 4, &posting), 2);
    cr_assert_eq(routing_thread(&content, 4, &posting), 2);
}

Test(routing, round_robin_goes_by_the_number_of_the_message) {
    struct dps_route route = dps_round_robin();
    for (int32_t number = 0; number < 9; number++) {
        struct posting posting = {.number = number};
        cr_assert_eq(routing_thread(&route, 3, &posting), (unsigned)number % 3);
    }
}

/* Flow limit 4, 3 threads: 0 1 2 0 at first, then whoever has returned a result, in that order. */
Test(routing, load_balancing_goes_to_threads_that_have_returned_results) {
    struct free_workers workers = {0};
    struct posting posting = {.flow_limit = 4, .workers = &workers};
    struct dps_route route = dps_balanced();
    const unsigned first[4] = {0, 1, 2, 0};
    for (int i = 0; i < 4; i++)
        cr_assert_eq(routing_thread(&route, 3, &posting), first[i]);
    workers_return(&workers, (const uint16_t[]){2}, 1);
    workers_return(&workers, (const uint16_t[]){1, 2}, 2);
    cr_assert_eq(routing_thread(&route, 3, &posting), 2);
    cr_assert_eq(routing_thread(&route, 3, &posting), 1);
    cr_assert_eq(routing_thread(&route, 3, &posting), 2);
    cr_assert_eq(workers.count, 0);
    for (int i = 0; i < GRAPH_FLOW_MOST; i++)
        cr_assert_eq(workers.thread[i], 0, "places not in use are zero: equal states have equal bytes");
}
