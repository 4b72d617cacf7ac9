/* What the explorer and the ranks of a run under real MPI share: a folder of the run's own, named by EXPLORE_REAL_RUN, with
 *
 *     state        struct run_state, mapped by all: who is where
 *     script.R     what rank R chooses, one line each (choices.h); read by the library
 *     record.R     the same, written by the library while it records
 *     out.R err.R  what the rank wrote, if that is kept
 *
 * Writers: the explorer the head and `goes_on`; rank R's library `rank[R]` from phase to text; the process that watches it
 * (explore's own, between mpiexec and the program) the rest of it. */
#ifndef MODELS_MPI_ENFORCE_RUN_STATE_H
#define MODELS_MPI_ENFORCE_RUN_STATE_H

#include <stdatomic.h>
#include <stdint.h>

#define REAL_RUN_FOLDER "EXPLORE_REAL_RUN"

enum run_mode { RUN_ENFORCES = 1, RUN_RECORDS };

/* How the ordering ends, and so what a rank does that has made all its choices. */
enum run_end {
    RUN_ENDS_WELL = 1, /* it has no more choices to make */
    RUN_DEADLOCKS,     /* its last call never returns: it is made as the program makes it */
    RUN_FAILS,         /* a rank fails: the others wait in their next choice until they are ended */
};

enum run_phase {
    PHASE_ABSENT,    /* before MPI_Init */
    PHASE_COMPUTING, /* outside of MPI calls */
    PHASE_IN_CALL,   /* in a call that may wait */
    PHASE_HELD,      /* the ordering is over for this rank: the library keeps it */
    PHASE_DEPARTED,  /* it called something else than the ordering says: `text`; the library keeps it */
    PHASE_FINALIZED,
};

struct rank_state {
    _Atomic uint32_t phase; /* enum run_phase */
    _Atomic uint32_t calls; /* calls entered and left so far: as long as it stays the same, the rank stays where it is */
    _Atomic uint32_t left;  /* choices that are still to be made */
    uint16_t function;      /* the last call: enum mpi_function */
    uint16_t goes_on;       /* the explorer: it is the one that fails, so where its choices end it does as it likes */
    int32_t pid;            /* the process that called MPI_Init; 0: none did */
    char text[236];
    int32_t watcher;        /* the process between mpiexec and the program */
    int32_t child;          /* what it has started: the program, or the debugger before it */
    _Atomic uint32_t ended; /* then `status` holds */
    int32_t status;         /* as waitpid has it */
};
_Static_assert(sizeof(struct rank_state) == 272, "the same for the explorer and the library");

struct run_state {
    uint32_t version; /* RUN_STATE_VERSION */
    uint32_t ranks;
    uint32_t mode;    /* enum run_mode */
    uint32_t end;     /* enum run_end */
    int32_t explorer; /* its process number: when it is gone, so is everybody */
    uint32_t keeps_output;
    _Atomic uint32_t stop; /* the watchers are to end their ranks */
    uint32_t zero;
    struct rank_state rank[];
};
enum { RUN_STATE_VERSION = 1 };

#endif
