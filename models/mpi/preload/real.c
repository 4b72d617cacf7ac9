#include "models/mpi/preload/real.h"

#include "models/mpi/preload/names.h"

#include <dlfcn.h>
#include <stdio.h>

void *real_function[FUNCTION_count];

/* Everything is looked up before main, so that no rank's memory depends on which function it happened to call first. */
__attribute__((constructor)) static void find_real_functions(void) {
    for (int function = FUNCTION_none + 1; function < FUNCTION_count; function++) {
        char name[96];
        snprintf(name, sizeof name, "P%s", function_name((uint16_t)function));
        real_function[function] = dlsym(RTLD_NEXT, name);
    }
}
