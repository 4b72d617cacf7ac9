/* Keys of attributes. One that is freed goes on to exist as long as an attribute has it (MPI-3.1 section 6.7.2), and may be used by a
 * copy of its handle until then. */
#ifndef MODELS_MPI_PRELOAD_KEYVALS_H
#define MODELS_MPI_PRELOAD_KEYVALS_H

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/objects.h"

#include <mpi.h>

/* Reports a key that was freed and that no communicator, window or datatype (which of them says `kind`) has; to the error handler of
 * `handle`. Null and predefined ones pass. */
int check_keyval(const struct caller *caller, MPI_Comm handle, enum object_kind kind, int keyval);

#endif
