/* What a program may tell explore about itself. Without explore all of this does nothing, and there is nothing to link: it goes
 * through MPI_Pcontrol, which the MPI standard keeps for such tools and MPI libraries leave empty. C and C++.
 * All of it is to be called between MPI_Init and MPI_Finalize.
 *
 * Fortran: MPI_Pcontrol has no further arguments there. Compile a C function that calls what is needed and declare it with bind(c):
 *
 *     void observe_real(const char *name, const double *value) { explore_observe_double(name, *value); }
 */
#ifndef EXPLORE_H
#define EXPLORE_H

#include <mpi.h>
#include <stddef.h>

/* Levels of MPI_Pcontrol, far from those that profilers use. */
enum {
    EXPLORE_IGNORE = 0x45585001,
    EXPLORE_HEED,
    EXPLORE_OBSERVE_BYTES,
    EXPLORE_OBSERVE_INTEGER,
    EXPLORE_OBSERVE_DOUBLE,
    EXPLORE_ATOMIC
};

/* These bytes do not matter: statistics, caches that can be computed again, scratch space. States of a rank that differ
 * in nothing else are explored once.
 *
 * Their content is lost, that is zeroed, at every MPI call that may wait or poll (sends, receives, Wait*, Test*, probes,
 * collectives), under explore only. A program may not depend on it across such a call; that is what makes a rank's next step depend
 * on what does matter alone. Static or allocated memory, not the stack; it must stay allocated until explore_heed. At most 64
 * ranges. */
static inline void explore_ignore(void *start, size_t size) { MPI_Pcontrol(EXPLORE_IGNORE, start, size); }

/* The range that begins at `start` matters again. */
static inline void explore_heed(void *start) { MPI_Pcontrol(EXPLORE_HEED, start); }

/* Adds a named value to the outcome of this rank, as if it had been printed: two orderings in which a rank observes different
 * values, or the same ones in a different order, are a race (class race-output), and the report names the observation. */
static inline void explore_observe(const char *name, const void *value, size_t size) {
    MPI_Pcontrol(EXPLORE_OBSERVE_BYTES, name, value, size);
}
static inline void explore_observe_int(const char *name, long long value) {
    MPI_Pcontrol(EXPLORE_OBSERVE_INTEGER, name, value);
}
/* Compared to the last bit, so that the order of a sum shows. */
static inline void explore_observe_double(const char *name, double value) {
    MPI_Pcontrol(EXPLORE_OBSERVE_DOUBLE, name, &value);
}

/* This memory of a shared window (MPI_Win_allocate_shared) is an atomic object, or an array of such: all ranks access it by atomic
 * loads and stores only. To be said by any rank, for objects that are accessed by plain instructions (memory_order_release,
 * _acquire, _relaxed) and that no rank waits for in a loop: explore sees all others by itself. */
static inline void explore_atomic(volatile void *start, size_t size) { MPI_Pcontrol(EXPLORE_ATOMIC, start, size); }

#endif
