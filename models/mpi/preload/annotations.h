/* What the program says of itself through include/explore.h. */
#ifndef MODELS_MPI_PRELOAD_ANNOTATIONS_H
#define MODELS_MPI_PRELOAD_ANNOTATIONS_H

/* Zeroes the memory that the program wants ignored. Called whenever the rank is about to block. */
void annotations_zero_ignored(void);

#endif
