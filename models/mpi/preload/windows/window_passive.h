/* Passive target synchronisation (MPI-3.1 section 11.5.3): what its parts (window_public.c, window_flush.c,
 * window_lock.c) offer each other and the rest of the chapter. Without agents, as long as nothing was locked, all of it
 * does nothing. */
#ifndef MODELS_MPI_PRELOAD_WINDOW_PASSIVE_H
#define MODELS_MPI_PRELOAD_WINDOW_PASSIVE_H

#include "models/mpi/preload/windows/window_agent.h"
#include "models/mpi/preload/windows/window_sharing.h"
#include "models/mpi/preload/windows/windows.h"

/* The window's public copy is made and given up; `attach` and `detach` for regions of a dynamic window. They return when
 * the agent has done it (`end`: will do it with the next window's beginning). */
void passive_begin(const struct caller *caller, struct window *window);
void passive_end(struct window *window);
void passive_attach(const struct caller *caller, struct window *window, const struct window_region *region);
void passive_detach(const struct caller *caller, struct window *window, size_t region);
/* The memory of a region is lost (window_lost.h). */
void passive_lose(const struct caller *caller, struct window *window, size_t region);

/* Ends the rank if the agents there cannot do what is needed: it begins anew with others (enum agents). */
void passive_require_agents(const struct caller *caller, const struct window *window, int agents);
/* It begins anew with these, or those that are there if they can do more, which besides can do that (AGENTS_EXPOSING, or 0). */
_Noreturn void passive_begin_anew(const struct caller *caller, int agents, int besides);
/* Has the agent of `target`, this process's own, make the public copy of that window's memory, and forget those of windows that
 * are no more. */
void passive_ask_creation(const struct caller *caller, struct window *window, int target, const struct window_memory *memory);

/* May this process hear something of others by the answer to a call that waits for these requests? */
bool passive_hears(const uint32_t *request, const struct wire_resolution *answer);
/* The same of what it must have heard by then, as somebody says it: nothing from whom it need not wait for, nor by "not yet". */
bool passive_is_told(const struct wire_call *call, const uint32_t *request, const struct wire_resolution *answer);

/* Is there any other window? */
bool passive_has_other_windows(const struct window *window);
/* Has this process's window memory, and a public copy of it? */
bool passive_holds_memory(const struct window *window);
/* What this rank has not said of its stores to a shared window is said, for the last time; NULL: to all. */
void passive_finish(const struct caller *caller, struct window *window);
/* In a fence on a shared window, where accesses have been done: see window_sharing.h. */
void passive_exchange_changes(const struct caller *caller, struct window *window);
/* Its private and its public copy become the same; for a call of the program. Blocks. */
void passive_synchronise(const struct caller *caller, struct window *window);
/* ... at these bytes, by offset. */
void passive_look_at_part(const struct caller *caller, struct window *window, const struct spans *part);
/* The same, but what others changed comes when it matters (window_unseen.h). So it is with all other windows then: what is found in
 * one, or was fetched from somebody's, may tell that something has been put into another one. */
void passive_look(const struct caller *caller, struct window *window);
/* Is the window looked at at once, as the program touches it all the time, or as it must be? */
bool passive_looks_at_once(const struct window *window);
/* Else: what must be asked about others' accesses meanwhile (`delivers` of struct agent_request). */
uint8_t passive_asks(const struct window *window);
/* That has been asked: what they changed comes when it matters. */
void passive_look_later(const struct caller *caller, struct window *window);
/* The others only, if this one has been looked at. */
void passive_look_at_others(const struct caller *caller, const struct window *window);
/* It matters now, in all windows. */
void passive_look_at_all(const struct caller *caller);
/* What others changed comes into the private copy; what was asked about their accesses: for agent_await. */
void passive_take_changes(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size);
void passive_take_asked(const struct caller *caller, struct window *window, int target, const char *bytes, size_t size);

/* The agent is asked for AGENT_PASSED. */
void passive_ask_passed(const struct caller *caller, struct window *window,
                        void (*use)(const struct caller *caller, struct window *window, int target, const char *bytes,
                                    size_t size));

/* The program is about to access these bytes of a shared window, by which ranks synchronise, and has done so: it learns all that
 * others said before, and what it stored is known. */
struct shared_bytes;
void passive_begin_access(const struct caller *caller, const struct shared_bytes *bytes, enum shared_how how);
void passive_end_access(const struct caller *caller, const struct shared_bytes *bytes, enum shared_how how);

/* An access to `target` was issued: if the target is locked, it goes to its agent in time. */
void passive_issued(struct window *window, int target);

/* The last access issued to `target` becomes the request's: it is complete for the window's epoch. */
void passive_request(const struct caller *caller, struct window *window, int target, MPI_Request *request);

/* The agent is told what is used of this process's windows' memory (window_uses.h), but not where that ends. */
void passive_tell_uses(const struct caller *caller);

/* Completes all accesses if some use this process's own memory of the window, while it still has the lock on that. */
void passive_flush_uses(const struct caller *caller, struct window *window);
/* All accesses under locks are sent: what comes after them elsewhere may meet them. */
void passive_send_all(struct window *window);

/* All that was put off and can be seen by others is sent. */
void passive_send_put_off(void);
/* A lock on the window that was not asked for is, now. */
void passive_ask_lock(struct window *window);

/* Has this process a lock on anybody's window? Else reports it. */
int passive_check_epoch(const struct caller *caller, const struct window *window);
/* Is the target locked by this process? Else reports it. */
int passive_check(const struct caller *caller, const struct window *window, int target);
/* Are there accesses to it that are not complete? */
bool passive_is_pending(const struct window_target *target);
/* Sends what is left together with `request`, whose flags say what else is to be done, and expects the reply. */
struct agent_replies;
void passive_ask_completion(const struct caller *caller, struct window *window, int target, struct agent_request request,
                            struct agent_replies *replies);
/* Blocks until all replies are there: the accesses are complete. */
void passive_learn(const struct caller *caller, struct window *window, struct agent_replies *replies);

#endif
