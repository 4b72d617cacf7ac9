/* What an exploration rests on, as facts of an exploration directory: explore itself, the machine, the programs and their
 * libraries, their command lines, environment and input, the options that matter. Budgets, reports and the number of processes may
 * be others each time. */
#ifndef EXPLORER_SURROUNDINGS_H
#define EXPLORER_SURROUNDINGS_H

#include "explorer/command_line/options.h"
#include "explorer/saved/saved.h"

#include <stdio.h>
#include <sys/types.h>

/* Before the programs start. `path`: of each program's executable. Of an exploration that is resumed the environment becomes the
 * one that was saved: what differs then is about terminals and sessions. False: something is not as it was; *error is a malloc'd
 * sentence. */
bool surroundings_check(struct saved *saved, const struct options *options, char *const *path, char **error);
/* When a program is at MPI_Init: whether its addresses are the same each time, the files that its process has mapped, and its input
 * (an open file). */
bool surroundings_check_process(struct saved *saved, unsigned program, pid_t process, int input, char **error);

/* Of content after other content; of a file: 0 if it cannot be read. */
uint64_t surroundings_hash(const void *bytes, size_t size, uint64_t before);
uint64_t surroundings_hash_of_file(const char *path);
/* Of what is left of a stream. */
uint64_t surroundings_hash_of_stream(FILE *file);

#endif
