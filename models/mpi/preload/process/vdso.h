/* Clocks that libc reads for itself, without a system call. */
#ifndef MODELS_MPI_PRELOAD_VDSO_H
#define MODELS_MPI_PRELOAD_VDSO_H

#include <stdint.h>

enum { VDSO_FUNCTIONS = 4 };

/* Where the kernel has put its functions; `end` 0: not found. */
struct vdso {
    uintptr_t start, end;
    struct {
        unsigned char *code;
        uint32_t number; /* of the system call that does the same */
    } function[VDSO_FUNCTIONS];
};

/* Called once, while libc may still be used. */
void vdso_find(struct vdso *vdso);
/* From now on every clock is read by a system call, so that the filter sees it: what libc's own functions (timespec_get, mkstemp)
 * call cannot be replaced by ours. Uses no libc; to be called again in a process that was restored from files, which has got
 * a new copy of the kernel's functions. Where the kernel does not allow it, those still see the real time, and a rank in which
 * that makes a difference is found to be nondeterministic. */
void vdso_use_system_calls(const struct vdso *vdso);

#endif
