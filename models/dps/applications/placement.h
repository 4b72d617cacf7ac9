/* Where the applications put their threads: the main one on rank 0, each worker on a rank of its own from 1 on. With more
 * workers than ranks several share one; on a single rank all do. */
#ifndef MODELS_DPS_APPLICATIONS_PLACEMENT_H
#define MODELS_DPS_APPLICATIONS_PLACEMENT_H

#include "models/dps/dps.h"

#include <stdlib.h>
#include <string.h>

/* Workers if the user does not say. */
static inline unsigned placement_workers(void) {
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks > 1 ? (unsigned)ranks - 1 : 1;
}

static inline void place_main(struct dps_graph *graph, dps_threads threads) { dps_place(graph, threads, 0); }

static inline void place_workers(struct dps_graph *graph, dps_threads threads, unsigned workers) {
    unsigned places = placement_workers();
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (unsigned i = 0; i < workers; i++)
        dps_place(graph, threads, ranks > 1 ? (int)(1 + i % places) : 0);
}

/* The number after an option, or `otherwise`: option_number(argc, argv, "-t", 2). */
static inline unsigned option_number(int argc, char **argv, const char *option, unsigned otherwise) {
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], option) == 0)
            return (unsigned)strtoul(argv[i + 1], NULL, 10);
    return otherwise;
}

static inline bool option_given(int argc, char **argv, const char *option) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], option) == 0)
            return true;
    return false;
}

#endif
