/* Starting the program under test: environment, descriptors, and the shared region, up to its call of MPI_Init. */
#ifndef EXPLORER_ZYGOTE_LAUNCH_H
#define EXPLORER_ZYGOTE_LAUNCH_H

#include "ckpt/backends/checkpoint.h"
#include "explorer/processes/executors.h"

#include <sys/types.h>

struct launch {
    struct channel *channel; /* mapped shared region */
    pid_t zygote;
    int input;      /* file that holds what rank 0 reads as stdin */
    int spill;      /* the file that cold pages go to, or -1 */
    int line;       /* our end of the socket that executors sleep at, or -1 */
    int region;     /* the region's file, kept for those that wake up; or -1 */
    int output[2];  /* files that hold what the program wrote to stdout and stderr before MPI_Init */
    bool lacks_mpi; /* it does not begin with MPICH, which the preloaded library needs */
};

/* Makes the region, starts the program and waits until it is in MPI_Init. False and a malloc'd sentence in *error if it cannot
 * be started, or ends, fails or is interrupted before. A program that is not linked with MPICH may load it later: it gets it at
 * once. */
bool launch(struct launch *launch, const struct executors_options *options, char **error);
/* All that was written to stream 1 or 2 before MPI_Init; malloc'd. */
char *launch_output(const struct launch *launch, int stream, size_t *size);
/* Ends the zygote, unmaps the region. Accepts a launch whose start failed. */
void launch_stop(struct launch *launch);

#endif
