/* Windows of MPI_Win_allocate_shared with several members, whose memory every member loads from and stores to. Each has all
 * segments in memory of its own.
 *
 * As long as the members synchronise in no other way than all at once, by barriers and fences, all that each stored since the last
 * time is exchanged then, and each looks whether others stored where it has stored too.
 *
 * In a program that does anything else there are agents. That of the first member has the public copies (window_views.c). A rank
 * meets the agent before it tells anybody anything, before it waits, and when it has learned something: it says what it has stored,
 * and in the last case is told what others have. So a program that synchronises its ranks in whatever way sees what they stored
 * before.
 *
 * When it says one thing after the other, having stored nothing, it meets the agent only once. Then what the program loaded before
 * it said the last cannot be told from what it loaded after that. If that matters the explorer starts over with AGENTS_GENERAL,
 * where a rank meets the agent whenever it says anything.
 *
 * Loads and stores by which ranks synchronise are meetings too (shared_places.h).
 *
 * Between two meetings the program runs within one step; what others stored meanwhile, in the order in which the agent was met, it
 * must neither have stored to nor loaded: the latter is found as window_exposure.h has it. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_SHARING_H
#define MODELS_MPI_PRELOAD_WINDOW_SHARING_H

#include "models/mpi/preload/windows/windows.h"

struct sharing {
    struct window_memory *memory;    /* by member: its segment as this process has it */
    struct window_memory *published; /* ... as the agent knows that it has it */
    bool program_ran;                /* since the agent or the members were met */
    bool waits;                      /* the agent was told so then */
    bool told;                       /* ... and the rank has learned nothing since */
    bool over;                       /* it is met no more: soon it will not know the window */
    uint32_t synchronised;           /* times that MPI_Win_sync was called since */
};

/* A member's segment among all. */
struct segment_place {
    uint64_t size;
    uint64_t offset; /* from the first byte of all */
};

/* Sets the offsets, and returns the bytes of all. `apart`: segments are not right behind each other. Ends the rank if there are too
 * many bytes. */
uint64_t sharing_lay_out(const struct caller *caller, struct segment_place *place, int members, bool apart);

/* The window's segments are from window->allocated on, as laid out. */
void sharing_begin(struct window *window, const struct segment_place *place);
void sharing_end(struct window *window);
/* Has the agent, this process's own, make their public copies. */
void sharing_ask_creation(const struct caller *caller, struct window *window);

/* Is there a window of this kind? Does a byte from `from` to before `to` lie in one? */
bool sharing_any(void);
bool sharing_holds(uintptr_t from, uintptr_t to);

/* Meets the agent or the other members, as the rank is about to say something, if there is a reason to. */
void sharing_publish(const struct wire_operation *operation, struct window *window);
/* The same before the rank waits, to learn something; or waits without learning anything, which ends the step. */
void sharing_wait(const struct caller *caller, struct window *window);
void sharing_stop(const struct caller *caller, struct window *window);
/* The same for the last time. */
void sharing_finish(const struct caller *caller, struct window *window);
/* MPI_Win_sync: that somebody else has stored something meanwhile shows when it is called again and again. */
void sharing_synchronise(const struct caller *caller, struct window *window);
/* An access by which ranks synchronise. */
enum shared_how {
    SHARED_LOADS,
    SHARED_WRITES,   /* an atomic operation, or a store: nobody else accesses the window meanwhile */
    SHARED_MODIFIES, /* a load and a store by an instruction that is not atomic: others may come between */
};
/* Is told what others have stored, to access these bytes; tells what it has stored by it. */
struct shared_bytes;
void sharing_begin_access(const struct caller *caller, const struct shared_bytes *bytes, enum shared_how how);
void sharing_end_access(const struct caller *caller, struct window *window, enum shared_how how);
/* In a fence, where accesses have been done: without agents the members are told now of what they have changed. */
void sharing_exchange_changes(const struct caller *caller, struct window *window);
/* Is told what others have stored. */
void sharing_learn(const struct caller *caller, struct window *window);

/* The program goes on after a call. */
void sharing_go_on(void);

/* Of a window of this kind: all accesses between two fences, of all members to all, each target's with its number and size before
 * it. To be freed. */
char *sharing_write_batches(const struct window *window, size_t *size);
/* Notes what a member's accesses were to (window_exposure.h); returns where those to this process are among its bytes, and how many
 * bytes these are. */
const char *sharing_note_batches(const struct window *window, const char *bytes, size_t *size);

#endif
