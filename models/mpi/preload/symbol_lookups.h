/* MPI's functions, looked up by name: where a program has no linker for them (an interpreter that calls functions of libraries), or
 * where a tool between the program and MPI asks for the next one. What it finds is this library's own function, as for who is linked
 * with MPICH. Before MPICH is loaded too: then real.c has the explorer load it. */
#ifndef MODELS_MPI_PRELOAD_SYMBOL_LOOKUPS_H
#define MODELS_MPI_PRELOAD_SYMBOL_LOOKUPS_H

/* What dlsym(RTLD_NEXT, …) is in any other library: MPICH's function, or NULL. */
void *symbol_lookups_next(const char *name);

#endif
