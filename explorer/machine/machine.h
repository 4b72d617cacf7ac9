/* What the machine, or the container we are in, has. */
#ifndef EXPLORER_MACHINE_H
#define EXPLORER_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of memory that this process may use before the kernel starts to kill: the machine's, or the control group's limit. */
uint64_t machine_memory(void);

/* Can a process have the processor's cycle counter closed to itself? Some virtual machines say so, and leave it open. */
bool machine_closes_cycles(void);

#endif
