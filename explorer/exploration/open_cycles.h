/* The processor's cycle counter is closed to ranks, which get their logical clock instead; but some virtual machines leave it open,
 * whatever the kernel says. A rank that reads it there is no pure function of what it is told, which is not always noticed. */
#ifndef EXPLORER_OPEN_CYCLES_H
#define EXPLORER_OPEN_CYCLES_H

#include "explorer/exploration/exploration.h"

/* A sentence that names the code of a program's that may read the counter, if it is open; malloc'd. NULL: no code does, or it is
 * closed. */
char *open_cycles_tell(const struct exploration *exploration);

#endif
