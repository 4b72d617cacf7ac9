/* The process core of the preloaded library: state that must survive when memory becomes another local state. It lives in a
 * mapping of its own that the image does not track; only this header's functions touch it. */
#ifndef MODELS_MPI_PRELOAD_CONTROL_H
#define MODELS_MPI_PRELOAD_CONTROL_H

#include "ckpt/channel.h"
#include "ckpt/image.h"
#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/memory/spans.h"
#include "models/mpi/preload/process/clock.h"
#include "models/mpi/preload/process/threads.h"
#include "models/mpi/preload/process/vdso.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/system_calls/own_signals.h"
#include "models/mpi/protocol.h"

#include <stdbool.h>

enum { CONTROL_STACK_BYTES = 1 << 20, SIGNAL_STACK_BYTES = 1 << 18, USES_KNOWN = 256, REPEATED_MOST = 8 };

/* What a rank's process core keeps inside its local state. */
struct rank_core {
    int number, count;
    int agents;         /* enum agents */
    bool forgets;       /* leftovers.h */
    bool places_blocks; /* placed_blocks.h */
    uint32_t turns;     /* of files that are over (file_turns.h) */
    uint32_t kept_sites;
    struct kept_site kept_site[KEPT_SITES_MOST];
    uint32_t places; /* shared_places.h */
    struct wire_place_of_window place[PLACES_MOST];
    void *stack_pointer; /* of the blocked application */
    struct clock clock;
    struct own_signals signals;
    uint64_t random_state;
    bool started, finalized;
    struct rank_leaks leaks;
};
extern struct rank_core rank_core;

struct footprint;
struct caller;

/* shared_traps.h: what is closed to the program, and the access in it that is being made. */
enum { UNSEEN_MOST = 64, STORES_ADDED_MOST = 8 };
/* Of one instruction: what it accesses may begin in one page and end in the next; and scatters have sixteen such places. */
enum { OPENED_MOST = 34 };
enum guard {
    GUARD_PLACES = 0, /* ranks synchronise there */
    GUARD_UNSEEN,     /* windows that were not looked at (window_unseen.h) */
    GUARD_STORES,     /* to stores only (guarded_stores.h) */
    GUARD_FORGOTTEN,  /* buffers whose content was forgotten (pending_leftovers.h) */
};
struct shared_traps {
    bool closed;
    bool program_runs; /* with a shared window in its memory */
    bool is_ticking;   /* this process is sent a signal now and then */
    bool is_probing;   /* it runs for long: all shared windows are closed for a while, to see whether it waits for a store */
    uint32_t runs;     /* times that the program has gone on, and what that was at the last tick */
    uint32_t runs_before;
    uint32_t probes_left;
    uint8_t guard;    /* enum guard: what for */
    bool armed;       /* the next access is made as it is: everything has been prepared */
    uint8_t stepping; /* the one instruction that runs with all open: 0: none does */
    uint32_t spans;
    struct {
        uintptr_t start, end;
    } span[PLACES_MOST], unseen[UNSEEN_MOST]; /* unseen: the bytes in them that must not be touched */
    uint32_t unseens;
    bool stores_listed;    /* the spans are what is closed to stores (guarded_stores.c), but for that of these owners, which */
    uint32_t stores_added; /* were added since, numbered as in foreign_bytes.h */
    uint32_t stores_of[STORES_ADDED_MOST];
    uint32_t opened_pages; /* for the one instruction; all others are closed */
    uintptr_t opened_page[OPENED_MOST];
    struct shared_access {
        uintptr_t address;
        uint64_t size;
        uint32_t how; /* enum shared_how of window_sharing.h */
    } access;
    struct processor_part { /* where parts of the processor's state are when it is saved; 0 bytes: not known, or none */
        uint32_t bytes, offset;
    } part[8];
    struct
        repeated_accesses { /* the last ones, each with instruction and registers, and how often each came back after so many */
        uint64_t last[REPEATED_MOST];
        uint32_t count, times[REPEATED_MOST];
    } repeated;
};

/* foreign_bytes.c: of the step being run. */
struct foreign_bytes {
    uint32_t variant;         /* 0: none are put anywhere */
    uint32_t most;            /* if not 0: only the first so many puts */
    uint32_t puts;            /* how many there were, done or not; those of unseen windows apart */
    bool of_unseen;           /* these, and no others, are done */
    uint32_t unseen;          /* how many of these there were */
    uint32_t put_off;         /* how often windows were not looked at */
    uint32_t unseen_touched;  /* as in struct mailbox */
    uint32_t perhaps_touched; /* that, if what the program did first touched one */
    struct spans touched;     /* bytes of these that the program has touched, in so many accesses */
    uint32_t touches;
    bool touched_elsewhere; /* others too, or it is not known which */
    uint32_t forgotten;     /* as in struct mailbox */
    uint64_t forgotten_site;
    uint16_t function; /* what started the operation whose buffer was last done, where, and who */
    bool in_window;    /* it is no buffer, but this rank's window */
    int rank;
    uint64_t site;
    bool exposed;              /* what window_exposure.h puts is there */
    char *memory;              /* a mapping of its own */
    uint64_t room, used, last; /* used: so many bytes; last: where what was put last is */
    uint64_t taken_out;        /* where what was taken out last was, as long as there is anything put later */
    struct {                   /* what is being done, on the control stack */
        uint32_t number;
        const struct footprint *buffer;
        const struct caller *maker;
        int rank;
        bool was_intact;
        void *stack_pointer;
    } errand;
};

/* step_variants.h: of the step being run. */
struct step_variants {
    bool may_vary;
    uint32_t root_in;
    uint32_t variant;           /* that is being run; 0: it is the usual run */
    bool of_unseen;             /* ... for windows that were not looked at */
    uint32_t agreed;            /* variants that came to the same as the usual run, */
    enum channel_status status; /* which is this */
    uint32_t root_out, puts, unseen, forgotten;
    uint64_t forgotten_site;
    uint64_t report_used;
    char report[1 << 16];
};

struct control {
    struct image image;
    struct channel *channel;
    struct mailbox *mailbox;           /* ours; NULL before */
    uint64_t report_used;              /* bytes of the report area filled by this step */
    uint64_t record_at;                /* start of the last record in it */
    uint32_t command;                  /* number of the command being done */
    uint32_t base_root;                /* the image at MPI_Init */
    uint32_t final_root;               /* memory at this step's MPI_Finalize; BLOCK_NONE: not kept */
    uint32_t final_log;                /* its allocation log */
    uint32_t batch_begun, batch_steps; /* of the batch being done; equal: none is */
    uint64_t lap_at;                   /* nanoseconds: when the part of the step began that is being timed */
    bool in_step;                      /* the application is running */
    bool keeps_blocks;                 /* placed_blocks_wait said so in this step */
    struct foreign_bytes foreign;
    struct step_variants variants;
    struct shared_traps traps;
    bool pausing;         /* the call is not to be answered: somebody wants to look at the program */
    uint32_t spins;       /* how often await_command looks before it sleeps */
    bool answering;       /* it is in a system call that is being answered */
    void *bad_address[5]; /* answering: where to go (__builtin_longjmp) when it has passed an address that faults */
    struct vdso vdso;
    bool disk_open; /* disk_descriptor is open on disk_path, the file of the disk that was read last */
    int disk_descriptor;
    char disk_path[4096];
    struct known_use { /* uses of names that this step has reported */
        struct block_name path;
        uint32_t use;
    } use[USES_KNOWN];
    uint32_t uses;
    const void *stopped;                   /* ucontext_t of the program where a signal stopped it; NULL: none */
    struct raw_thread birth[THREADS_MOST]; /* of the threads, by their places in the table */
    int birth_number[THREADS_MOST];
    int ordered;        /* the thread that took its place in order last */
    bool gives_way;     /* the caller of the system call that is answered has woken others */
    bool order_changed; /* one of them was not where it was the last time */
    char stack[CONTROL_STACK_BYTES] __attribute__((aligned(64)));
    char signal_stack[SIGNAL_STACK_BYTES] __attribute__((aligned(64)));
    char thread_signal_stack[THREADS_MOST][SIGNAL_STACK_BYTES] __attribute__((aligned(64)));
};
extern struct control *control; /* set once, before any capture */

/* step_boundary.S: saves the application's registers, stores its stack pointer in *save, continues in `entry` on the stack
 * that ends at `stack_top`. Returns when step_resume is called with the stack pointer saved. */
void step_leave(void **save, void *stack_top, void (*entry)(void));
_Noreturn void step_resume(void *stack_pointer);
/* Continues in `entry` on another stack and forgets this one. */
_Noreturn void step_switch(void *stack_top, void (*entry)(void));

/* Adds a record to the report; returns where its body goes (zeroed padding included). */
void *report_add(uint32_t kind, size_t body);
void report_output(int stream, const void *bytes, size_t size);

/* Ends the step in failure or exit, from wherever it is (a signal handler too). */
_Noreturn void step_end(const struct wire_end *end, const char *text);
_Noreturn void step_end_refused(const char *text);

/* zygote.c: puts what is fixed in a channel, just mapped, out of the program's reach. */
void channel_seal(struct channel *channel);

/* executor.c */
void executor_finalized(void);         /* on the control stack: keeps the memory of a rank in MPI_Finalize, lets it go on */
_Noreturn void executor_pause(void);   /* on the application's stack: stays there */
_Noreturn void executor_blocked(void); /* on the control stack: capture, report, wait for commands */
_Noreturn void zygote_run(void);

/* shared_traps.c: all is open, whatever was going on. */
void shared_traps_end(void);

/* foreign_bytes.c: a step begins. */
void foreign_bytes_begin(uint32_t variant, uint32_t most, bool of_unseen);

/* system_calls.c: filter and handlers of this executor. False if the kernel denies them. */
bool system_calls_guard(void);

/* crash.c */
void crash_handlers_install(void);
/* Adds where the program was stopped (a ucontext_t) to the report. */
void report_stack(const void *stopped);

/* pending_buffers.c, lent_memory.c: memory from `from` to before `to` is given back to the allocator, and is no buffer any more,
 * whatever lies there later. */
void pending_buffers_note_freed(uintptr_t from, uintptr_t to);
void lent_memory_note_freed(uintptr_t from, uintptr_t to);

/* allocator.c: the arena that all of the application's memory comes from. */
void arena_limit(uint64_t bytes);
/* The size of an allocation that failed for lack of memory, 0 if none did, and the bytes that there are for a rank. */
size_t arena_refused(void);
/* Bytes from the address to the end of the block that it is in; SIZE_MAX if it is in none. */
size_t arena_room(const void *address);
/* Is it in the arena, and in no block? */
bool arena_is_free(const void *address);
uint64_t arena_most(void);
/* Its two mappings: page descriptors and pages; `used`: up to where this local state uses them. */
struct arena_bounds {
    uintptr_t descriptors, descriptors_end, descriptors_used;
    uintptr_t pages, pages_end, pages_used;
};
struct arena_bounds arena_bounds(void);
void *arena_map(size_t bytes); /* zeroed pages, or NULL */
/* For placed_blocks.c: small blocks have homes from now on, where those lie that the program allocates after a message. */
void arena_make_homes(void);
/* The program goes on after a message: its first place, and the one if that is taken. */
void arena_place_by(uint64_t first, uint64_t second);
/* ... or after something else. Were there more of the program's blocks than before the last message? */
bool arena_place_low(void);
/* Whole pages, which may be a part of what was mapped. False: that was before MPI_Init, and stays there. */
bool arena_unmap(void *address, size_t bytes);

#endif
