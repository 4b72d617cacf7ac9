/* Looks at an executable before it is run: most of what cannot be explored can be told from the file. */
#ifndef EXPLORER_PROGRAM_CHECK_H
#define EXPLORER_PROGRAM_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the program as mpiexec would (a word without "/" in this folder, then in PATH) and checks it. True: `path` is what to run.
 * False: `sentence` says why it cannot be. */
bool program_check(const char *program, char *path, size_t path_room, char *sentence, size_t room);

#endif
