/* Exploring the graph alone, without any process: a collector that receives one message from each other rank, in any order, and
 * forgets. Its states are the sets of ranks heard: 2^(n-1), with (n-1) 2^(n-2) transitions between them.
 *
 *     graph_rate RANKS WORKERS       prints states, transitions, seconds, seconds of all cores, bytes at the end, most bytes resident
 */
#include "explorer/search/search.h"
#include "tests/search/toy_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { RANKS_MOST = 32 };

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* These programs have no loops: no rank can come back to a local state. For programs that run, explore sees that from their
 * steps. */
static bool never_back(void *self) {
    (void)self;
    return false;
}

static uint64_t most_resident(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

int main(int argc, char **argv) {
    unsigned ranks = argc == 3 ? (unsigned)atoi(argv[1]) : 0, workers = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
    if (ranks < 2 || ranks > RANKS_MOST || !workers) {
        fprintf(stderr, "usage: graph_rate RANKS WORKERS\n");
        return 2;
    }
    struct toy_instruction collector[RANKS_MOST] = {{0}}, sender[] = {{TOY_SEND, 0, 0, 0, 0}, {0}};
    const struct toy_instruction *programs[RANKS_MOST] = {collector};
    int32_t member[RANKS_MOST] = {0};
    for (unsigned rank = 1; rank < ranks; rank++) {
        collector[rank - 1] = (struct toy_instruction){TOY_RECV, WIRE_ANY_SOURCE, 0, 0, TOY_NOWHERE};
        programs[rank] = sender;
        member[rank] = (int32_t)rank;
    }
    struct toy *toy = toy_create(ranks, programs);
    struct step_source steps = toy_steps(toy);
    steps.cyclic = never_back;
    struct mpi_model *model = mpi_model_create(ranks, BUFFERING_ALL, toy_payload_size, NULL);
    mpi_model_context(model, WIRE_WORLD_CONTEXT, member, ranks);
    const struct search_options options = {.workers = workers, .symmetric_from = SIZE_MAX};
    struct search *search = search_create(ranks, model, &steps, &options, NULL, NULL, NULL, NULL);
    double start = seconds_of(CLOCK_MONOTONIC), busy_start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    enum search_end end = search_run(search);
    double taken = seconds_of(CLOCK_MONOTONIC) - start, busy = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - busy_start;
    const struct search_statistics *statistics = search_statistics(search);
    bool expected = end == SEARCH_COMPLETE && statistics->states == 1ul << (ranks - 1) &&
                    statistics->transitions == (ranks - 1) * (1ul << (ranks - 2)) + 1; /* and the edge from the root */
    printf("%lu %lu %.6f %.6f %lu %lu\n", (unsigned long)statistics->states, (unsigned long)statistics->transitions, taken,
           busy, (unsigned long)search_memory(search), (unsigned long)most_resident());
    search_destroy(search);
    mpi_model_destroy(model);
    toy_destroy(toy);
    return expected ? 0 : 1;
}
