/* In a library that is preloaded into ranks: MPI's functions, looked up by name, where a program has no linker for them (an interpreter
 * that calls functions of libraries), or where a tool between the program and MPI asks for the next one. What it finds is the preloaded
 * library's function, if that has it, as for who is linked with MPICH. */
#ifndef MODELS_MPI_LOOKUPS_SYMBOL_LOOKUPS_H
#define MODELS_MPI_LOOKUPS_SYMBOL_LOOKUPS_H

/* The name that MPICH's ABI has. */
#define MPI_LIBRARY "libmpich.so.12"

/* MPICH's function; NULL: MPICH is not loaded, or has none of that name. */
void *symbol_lookups_next(const char *name);

#endif
