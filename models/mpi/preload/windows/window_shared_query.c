/* MPI_Win_shared_query (MPI-3.1 section 11.2.3). */
#include "models/mpi/functions.h"
#include "models/mpi/preload/windows/window_sharing.h"

#include <string.h>

/* The member that is meant: MPI_PROC_NULL stands for the first whose segment is not empty. */
static int queried_member(const struct window *window, int rank) {
    if (rank != MPI_PROC_NULL)
        return rank;
    for (int i = 0; i < window->communicator->size; i++) {
        if (window->target[i].size > 0)
            return i;
    }
    return window->communicator->rank;
}

/* What the program is told of a member's segment. */
struct segment {
    MPI_Aint size, unit;
    void *base;
};

static int query(const struct caller *caller, MPI_Win handle, int rank, struct segment *segment) {
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error != MPI_SUCCESS)
        return error;
    if (window->flavor != MPI_WIN_FLAVOR_SHARED)
        return window_reject(caller, window, MPI_ERR_RMA_FLAVOR, "invalid-argument",
                             "a window that was not made by MPI_Win_allocate_shared");
    int member = queried_member(window, rank);
    if (member < 0 || member >= window->communicator->size)
        return window_reject(caller, window, MPI_ERR_RANK, "invalid-argument", "rank %d in a group of size %d", rank,
                             window->communicator->size);
    const struct window_target *target = &window->target[member];
    char *base = window->sharing != NULL ? window->sharing->memory[member].region[0].bytes : window->allocated;
    *segment = (struct segment){(MPI_Aint)target->size, target->unit, target->size > 0 ? base : NULL};
    return MPI_SUCCESS;
}

#define WIN_SHARED_QUERY(name, number)                                                   \
    EXPORT(name)                                                                         \
    int MPI_##name(MPI_Win handle, int rank, MPI_Aint *size, number *unit, void *base) { \
        ENTER(name, handle, rank, size, unit, base);                                     \
        struct segment segment;                                                          \
        int error = query(caller, handle, rank, &segment);                               \
        if (error != MPI_SUCCESS)                                                        \
            return error;                                                                \
        *size = segment.size;                                                            \
        *unit = (number)segment.unit;                                                    \
        memcpy(base, &segment.base, sizeof segment.base);                                \
        return MPI_SUCCESS;                                                              \
    }

WIN_SHARED_QUERY(Win_shared_query, int)
WIN_SHARED_QUERY(Win_shared_query_c, MPI_Aint)
