/* A step during which the program must not read some memory is run again, in the executor itself, with other bytes there
 * (foreign_bytes.h): if all that it comes to is the same, it did not. The explorer is told how many runs agreed. Where one does
 * not, it is told of the usual run alone, and looks for itself at what differs. */
#ifndef MODELS_MPI_PRELOAD_STEP_VARIANTS_H
#define MODELS_MPI_PRELOAD_STEP_VARIANTS_H

#include "ckpt/channel.h"

#include <stdbool.h>

/* A step begins at the local state that memory holds. It may only be run again if `may_vary`. */
void step_variants_begin(bool may_vary);

/* A run has come to *status, with the rest in mailbox and report. True: the step is to be run again, in the variant that
 * control->variants says. False: *status, mailbox and report are what the usual run came to. */
bool step_variants_go_on(enum channel_status *status);

#endif
