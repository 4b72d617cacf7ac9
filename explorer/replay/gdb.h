/* The GNU debugger, on a process of ours. */
#ifndef EXPLORER_GDB_H
#define EXPLORER_GDB_H

#include <sys/types.h>

/* Attaches gdb to the process, with further words of its command line (NULL: none), and waits until it has ended. Ctrl-C is the
 * debugger's meanwhile. Returns its exit code; 3 and a sentence if there is no gdb. */
int gdb_attach(pid_t process, char *const *words);

#endif
