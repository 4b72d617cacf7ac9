/* In a library that is preloaded into ranks: MPI's functions, looked up by name, where a program has no linker for them (an interpreter
 * that calls functions of libraries), or where a tool between the program and MPI asks for the next one. What it finds is the preloaded
 * library's function, if that has it, as for who is linked with MPICH. */
#ifndef MODELS_MPI_LOOKUPS_SYMBOL_LOOKUPS_H
#define MODELS_MPI_LOOKUPS_SYMBOL_LOOKUPS_H

/* What dlsym(RTLD_NEXT, …) is in any other library: MPICH's function; NULL: MPICH is not loaded, or nobody but who has loaded it can
 * see it. */
void *symbol_lookups_next(const char *name);
/* The same in one library. */
void *symbol_lookups_in(void *library, const char *name);

#endif
