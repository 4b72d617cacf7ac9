/* `explore record`: one run under the user's own MPI, and the ordering that it took. */
#ifndef EXPLORER_RECORD_H
#define EXPLORER_RECORD_H

#include "explorer/command_line/options.h"

/* The exit code: 0 if the program ended well, 1 if it failed or hung (what it chose until then is kept too), 2 if it was
 * interrupted, 3 if it cannot be run. */
int record(const struct options *options, const volatile bool *interrupt);

#endif
