/* Libraries prepare things at their first use: tables, caches, buffers. Whether a rank has used a function before would show in
 * its local state for ever, though the program cannot tell. So each of them is used once before the ranks part. */
#ifndef MODELS_MPI_PRELOAD_WARM_UP_H
#define MODELS_MPI_PRELOAD_WARM_UP_H

/* To be called once, between MPICH's initialisation and rank_start. What the program can see (errno, locale, time zone, floating
 * point environment but for the inexact flag, which MPI_Init may raise as any library function may) stays as it is. */
void warm_up(void);

#endif
