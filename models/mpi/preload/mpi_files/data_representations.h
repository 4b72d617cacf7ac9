/* Data representations (MPI-3.1 section 13.5): names of how the data in a file is written down. */
#ifndef MODELS_MPI_PRELOAD_DATA_REPRESENTATIONS_H
#define MODELS_MPI_PRELOAD_DATA_REPRESENTATIONS_H

#include <stdbool.h>

bool data_representation_is_predefined(const char *name);
/* Has this process registered it (section 13.5.3)? */
bool data_representation_is_registered(const char *name);

#endif
