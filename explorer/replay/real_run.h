/* One run of a program under the user's own MPI: mpiexec, a watcher of ours for each rank (real_watcher.h), and the program with
 * libexplore_enforce.so preloaded (models/mpi/enforce). What they share is a folder that goes when the run is stopped. */
#ifndef EXPLORER_REAL_RUN_H
#define EXPLORER_REAL_RUN_H

#include "explorer/command_line/options.h"
#include "models/mpi/enforce/choices.h"
#include "models/mpi/enforce/run_state.h"

#include <limits.h>
#include <sys/types.h>

struct real_run_options {
    unsigned ranks;                 /* of all programs */
    const struct program *programs; /* which run together; the first of each one's words is replaced by its path */
    unsigned program_count;
    char *const *path;            /* of each one's executable */
    char *const *prefix;          /* words to put before each: a debugger, valgrind; NULL: none */
    const struct choices *wanted; /* of each rank; NULL: the run is recorded */
    const bool *goes_on;          /* of each rank: it fails, and does as it likes where its choices end; may be NULL */
    enum run_end end;             /* how the wanted ordering ends */
    bool keeps_output;            /* for real_run_output; else it goes where ours goes */
    const char *input;            /* file that rank 0 reads; NULL: nothing; "-": our own input */
    double seconds;               /* longest it may take; 0: no limit */
    double runaway_seconds;       /* how long ranks may compute without an MPI call; 0: no limit */
    const volatile bool *interrupt;
};

struct real_run {
    struct real_run_options options;
    char folder[64];
    struct run_state *state; /* NULL: not started */
    size_t state_bytes;
    pid_t mpiexec; /* 0: it has ended */
    int mpiexec_status;
};

enum real_end {
    REAL_ENDED,    /* mpiexec has ended: see the ranks' status */
    REAL_BLOCKED,  /* every rank that is left stays in a call */
    REAL_RUNS_ON,  /* ... or computes, for longer than runaway_seconds */
    REAL_DEPARTED, /* a rank does not do what the ordering says */
    REAL_TIME,
    REAL_INTERRUPTED,
};

/* False: `sentence` says why it cannot be started. To be stopped in either case. */
bool real_run_start(struct real_run *run, const struct real_run_options *options, char *sentence, size_t room);
/* Waits until something of this has happened. May be called again. */
enum real_end real_run_watch(struct real_run *run);
/* Ends all processes of the run and removes its folder. */
void real_run_stop(struct real_run *run);

/* What a rank has written to stdout (1) or stderr (2); malloc'd. */
char *real_run_output(const struct real_run *run, unsigned rank, int stream, size_t *size);
/* What a rank has recorded so far. False: nothing that can be read. */
bool real_run_record(const struct real_run *run, unsigned rank, struct choices *choices);
/* What mpiexec itself has said, its last line; malloc'd. */
char *real_run_complaint(const struct real_run *run);

/* The rank that departed, or NULL. */
const struct rank_state *real_run_departed(const struct real_run *run, unsigned *rank);
/* Has a rank ended otherwise than with exit status 0? */
bool real_run_failed(const struct real_run *run, unsigned rank);

#endif
