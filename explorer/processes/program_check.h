/* Looks at an executable before it is run: most of what cannot be explored can be told from the file. */
#ifndef EXPLORER_PROGRAM_CHECK_H
#define EXPLORER_PROGRAM_CHECK_H

#include "explorer/command_line/options.h"

#include <stdbool.h>
#include <stddef.h>

/* Finds the program as mpiexec would (a word without "/" in this folder, then in PATH) and checks it. True: `path` is what to run.
 * False: `sentence` says why it cannot be. */
bool program_check(const char *program, char *path, size_t path_room, char *sentence, size_t room);

/* The paths of all programs that run together, each checked; NULL: `sentence` says why one cannot be run. To be freed. */
char **program_check_all(const struct program *programs, unsigned count, char *sentence, size_t room);
void program_paths_free(char **path, unsigned count); /* NULL: does nothing */

#endif
