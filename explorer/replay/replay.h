/* `explore replay`: runs one found ordering again. */
#ifndef EXPLORER_REPLAY_H
#define EXPLORER_REPLAY_H

#include "explorer/command_line/options.h"

/* The exit code: 1 if the finding is there again, 2 if not, 3 if it cannot be run. */
int replay(struct options *options, const volatile bool *interrupt);

#endif
