/* The kernel's vDSO answers some calls (clocks, the processor's number) without a system call, which no filter sees. */
#ifndef MODELS_MPI_PRELOAD_VDSO_H
#define MODELS_MPI_PRELOAD_VDSO_H

/* Makes each of its functions a system call. Where the kernel does not let us, only libc's own functions are replaced. */
void vdso_make_system_calls(void);

#endif
