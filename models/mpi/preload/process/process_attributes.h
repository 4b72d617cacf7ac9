/* What the kernel keeps of a process, as each rank has set it (process_attributes.c). */
#ifndef MODELS_MPI_PRELOAD_PROCESS_ATTRIBUTES_H
#define MODELS_MPI_PRELOAD_PROCESS_ATTRIBUTES_H

#include <stdbool.h>

/* The number of the processor that the rank says it runs on: the first of those that it has chosen, else the first of all. */
unsigned process_processor(void);
/* Has the rank changed what this file of the kernel tells? */
bool process_tells_otherwise(const char *path);

#endif
