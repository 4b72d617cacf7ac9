#include "models/mpi/lookups/symbol_lookups.h"

#include "models/mpi/functions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* symbol_lookups_enter.S: dlsym, which goes on in the system's one, with the same caller, if this finds nothing. */
void *(*symbol_lookups_real)(void *handle, const char *name) __attribute__((visibility("hidden")));
void *symbol_lookups_find(const char *name) __attribute__((visibility("hidden")));

/* The first lookup may be made before any constructor of ours has run. */
static void find_real(void) {
    if (symbol_lookups_real == NULL)
        *(void **)&symbol_lookups_real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
}

void *symbol_lookups_find(const char *name) {
    find_real();
    const char *plain = name[0] == 'P' ? name + 1 : name;
    if (strncmp(plain, "MPI", 3) != 0 || function_of_name(plain) == FUNCTION_none)
        return NULL;
    char profiled[96]; /* the program may have an MPI_... of its own, and asks for what is behind it */
    snprintf(profiled, sizeof profiled, "P%s", plain);
    return symbol_lookups_real(RTLD_DEFAULT, profiled);
}

void *symbol_lookups_next(const char *name) {
    find_real();
    void *next = symbol_lookups_real(RTLD_NEXT, name);
    /* An interpreter may have loaded it where nobody else sees it. */
    void *library = next ? NULL : dlopen(MPI_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
    return library ? symbol_lookups_real(library, name) : next;
}
