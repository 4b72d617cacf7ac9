/* Command lines of mpiexec: `explore mpiexec -n 4 -genv KEY VALUE ./app arguments` explores what that line would run. */
#ifndef EXPLORER_LAUNCH_LINE_H
#define EXPLORER_LAUNCH_LINE_H

#include "explorer/command_line/options.h"

/* Is this the name of a program that starts MPI programs: mpiexec, mpirun, srun, with or without a folder and a suffix? */
bool launch_line_begins(const char *word);
/* Takes that word and those after it, up to NULL. A program without a number of ranks has one rank, or as many as explore's own
 * option says. Options that say where ranks run, or how their output looks, have no effect. False: the
 * sentence names the word that is not understood. */
bool launch_line_parse(struct options *options, char **words, char *sentence, size_t room);
/* Sets the environment variables that the line asks for, and goes to its working directory; paths of reports and witnesses stay
 * where they are. To be called once. False: a sentence. */
bool launch_line_apply(struct options *options, char *sentence, size_t room);

#endif
