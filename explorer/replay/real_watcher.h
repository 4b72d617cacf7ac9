/* The process between mpiexec and a rank's program: gives the program our library and its output files, writes down how it ends,
 * and ends it when the explorer says so or is gone. It is explore itself, called `explore --watch-rank FOLDER LIBRARY COMMAND…`
 * by real_run. */
#ifndef EXPLORER_REAL_WATCHER_H
#define EXPLORER_REAL_WATCHER_H

#include <stdbool.h>

#define REAL_WATCHER_WORD "--watch-rank"

/* The exit code for mpiexec: the program's, or 128 + the signal that ended it. */
int real_watcher(int argc, char **argv);

#endif
