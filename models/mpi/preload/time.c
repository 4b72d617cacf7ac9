/* Clocks and the processor's name: the same in every run. */
#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/rank.h"

#include <stdio.h>

/* Also after MPI_Finalize, where programs print how long they took. */
EXPORT_ANYTIME(Wtime)
double MPI_Wtime(void) {
    ENTER_ANYTIME(Wtime);
    return rank_started() ? rank_clock() : 0;
}

EXPORT_ANYTIME(Wtick)
double MPI_Wtick(void) {
    ENTER_ANYTIME(Wtick);
    return 1e-6;
}

EXPORT(Get_processor_name)
int MPI_Get_processor_name(char *name, int *length) {
    ENTER(Get_processor_name, name, length);
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "rank-%d", rank_number());
    return MPI_SUCCESS;
}
