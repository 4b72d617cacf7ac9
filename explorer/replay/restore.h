/* `explore restore FOLDER`: brings back a process that an exploration kept with --keep-images, to be looked at. */
#ifndef EXPLORER_RESTORE_H
#define EXPLORER_RESTORE_H

#include <stdbool.h>

/* Says what the state is and where each thread stands, and holds the process until standard input ends or `interrupt` is
 * set. Returns the exit code: 0, or that of what cannot be run. */
int restore(const char *folder, const volatile bool *interrupt);

#endif
