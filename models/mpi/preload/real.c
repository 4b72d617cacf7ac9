#include "models/mpi/preload/real.h"

#include "ckpt/page_tree.h"
#include "models/mpi/functions.h"
#include "models/mpi/lookups/symbol_lookups.h"

#include <stdio.h>
#include <unistd.h>

void *real_function[FUNCTION_count] __attribute__((aligned(PAGE_BYTES)));

/* What the loader would say of a library that lacks it; the explorer starts such a program again, with MPICH loaded beforehand
 * (explorer/processes/zygote_launch.c). */
static _Noreturn void end_without_mpi(void) {
    fputs("libexplore_mpi.so: undefined symbol: MPI_Init\n", stderr);
    _exit(127);
}

/* Everything is looked up before main, so that no rank's memory depends on which function it happened to call first. There is no
 * MPI in a program that loads it later, nor in one that never calls it and is started by the application before MPI_Init. */
__attribute__((constructor)) static void find_real_functions(void) {
    bool with_mpi = symbol_lookups_next("PMPI_Init") != NULL;
    for (int function = FUNCTION_none + 1; function < FUNCTION_count; function++) {
        char name[96];
        snprintf(name, sizeof name, "P%s", function_name((uint16_t)function));
        real_function[function] = with_mpi ? symbol_lookups_next(name) : (void *)end_without_mpi;
    }
}
