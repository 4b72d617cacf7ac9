/* Starting the program under test: environment, descriptors, and the shared region, up to its call of MPI_Init. */
#ifndef EXPLORER_ZYGOTE_LAUNCH_H
#define EXPLORER_ZYGOTE_LAUNCH_H

#include "explorer/executors.h"
#include "models/mpi/preload/channel.h"

#include <sys/types.h>

struct launch {
    struct channel *channel; /* mapped shared region */
    pid_t zygote;
    int input;               /* file that holds what rank 0 reads as stdin */
    int output[2];           /* files that hold what the program wrote to stdout and stderr before MPI_Init */
};

/* Makes the region and starts the program. False and a malloc'd sentence in *error if that fails. */
bool launch_start(struct launch *launch, const struct executors_options *options, char **error);
/* Waits until the program is in MPI_Init. False and a sentence if it ends, fails or is interrupted before. */
bool launch_wait(struct launch *launch, const struct executors_options *options, char **error);
/* All that was written to stream 1 or 2 before MPI_Init; malloc'd. */
char *launch_output(const struct launch *launch, int stream, size_t *size);
/* Ends the zygote, unmaps the region. Accepts a launch whose start failed. */
void launch_stop(struct launch *launch);

/* Waits until the other side has done command `number`, at most `milliseconds`. True if it has. Looks for that long without
 * sleeping first: going to sleep and waking up cost as much as a short step, but a core is busy meanwhile. */
enum { SPIN_SHORT = 20000, SPIN_LONG = 400000 }; /* cycles: some 7 and 130 us */
bool channel_wait(struct mailbox *mailbox, uint32_t number, int milliseconds, uint64_t spin_cycles);
/* Gives the command in `mailbox` (verb and arguments already filled in); returns its number. */
uint32_t channel_command(struct mailbox *mailbox);

#endif
