/* Collectives and the other calls that may wait. A collective that is to synchronise is preceded by a barrier that does not block,
 * and left when that is over too; a rank that leaves early enters the barrier for the others' sake. */
#include "models/mpi/enforce/enforce.h"

#include <stdlib.h>

static MPI_Request *barrier; /* those that this rank did not wait for */
static int barriers, room;

static MPI_Request *barrier_new(void) {
    if (barriers == room) {
        room = room * 2 + 16;
        barrier = realloc(barrier, (size_t)room * sizeof *barrier);
        if (!barrier)
            abort();
    }
    return &barrier[barriers++];
}

/* Is this rank to wait for the others afterwards? */
static bool hold_back(MPI_Comm communicator) {
    if (enforce_records()) {
        enforce_record(CHOICE_COLLECTIVE, WORD_NOTHING, NULL, 0);
        return false;
    }
    const struct choice_made *choice = enforce_choice(CHOICE_COLLECTIVE);
    if (!enforce_holds_back(choice))
        return false;
    REAL(Ibarrier)(communicator, barrier_new());
    return !choice || choice->word == WORD_SYNCHRONOUS;
}

static int wait_for_all(bool waits, int result) {
    if (waits && result == MPI_SUCCESS)
        result = REAL(Wait)(&barrier[--barriers], MPI_STATUS_IGNORE);
    return enforce_leave(result);
}

void enforce_end_barriers(void) { REAL(Waitall)(barriers, barrier, MPI_STATUSES_IGNORE); }

#define WAITING_CALL(name, parameters, arguments)                             \
    EXPORT(name)                                                              \
    int MPI_##name parameters {                                               \
        if (!enforce_enter(FUNCTION_MPI_##name, __builtin_return_address(0))) \
            return REAL(name) arguments;                                      \
        return enforce_leave(REAL(name) arguments);                           \
    }
#define COLLECTIVE_CALL(name, parameters, arguments, communicator)            \
    EXPORT(name)                                                              \
    int MPI_##name parameters {                                               \
        if (!enforce_enter(FUNCTION_MPI_##name, __builtin_return_address(0))) \
            return REAL(name) arguments;                                      \
        const bool waits = hold_back(communicator);                           \
        return wait_for_all(waits, REAL(name) arguments);                     \
    }
#include "models/mpi/enforce/waiting_calls.def"
