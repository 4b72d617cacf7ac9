/* What the machine, or the container we are in, has. */
#ifndef EXPLORER_MACHINE_H
#define EXPLORER_MACHINE_H

#include <stdint.h>

/* Bytes of memory that this process may use before the kernel starts to kill: the machine's, or the control group's limit. */
uint64_t machine_memory(void);

#endif
