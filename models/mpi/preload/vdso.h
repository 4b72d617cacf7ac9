/* Clocks that libc reads for itself, without a system call. */
#ifndef MODELS_MPI_PRELOAD_VDSO_H
#define MODELS_MPI_PRELOAD_VDSO_H

/* From now on every clock is read by a system call, so that the filter sees it: what libc's own functions (timespec_get, mkstemp)
 * call cannot be replaced by ours. Where the kernel does not allow it, those still see the real time, and a rank in which that
 * makes a difference is found to be nondeterministic. */
void vdso_use_system_calls(void);

#endif
