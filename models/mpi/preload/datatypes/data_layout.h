/* Where the bytes of a datatype lie: the type map (MPI-3.1 section 4.1) as runs of bytes in the order in which they are
 * packed. */
#ifndef MODELS_MPI_PRELOAD_DATA_LAYOUT_H
#define MODELS_MPI_PRELOAD_DATA_LAYOUT_H

#include "models/mpi/preload/windows/window_accesses.h"

/* The runs of `count` elements whose first one is at `origin`, neighbours joined. To be freed; *runs is their number. */
struct access_run *data_layout(MPI_Count count, MPI_Datatype type, int64_t origin, uint64_t *runs);

/* The one predefined datatype of which the type consists, MPI_DATATYPE_NULL if there are several. */
MPI_Datatype data_basic_type(MPI_Datatype type);

#endif
