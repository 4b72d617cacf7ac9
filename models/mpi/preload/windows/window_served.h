/* Accesses between MPI_Win_start and MPI_Win_complete that the target's agent does (AGENTS_EXPOSING), for one of the reasons for which
 * the target cannot do them itself when its epoch ends:
 *
 *     SERVED_ALL      they are to a shared window, or one within it, from which others load meanwhile
 *     SERVED_ATOMIC   accumulates and their kin, of several origins, fetch what others have made of it: the origins must have that when
 *                     MPI_Win_complete returns, before the target says anything more
 *
 *     origin                           agent of the target                        target
 *                                      <- AGENT_EXPOSE: whom it listens to ------ MPI_Win_post, after its stores
 *     access -- AGENT_ACCESS --------> waits until its origin is listened to
 *     MPI_Win_complete
 *            -- AGENT_ACCESS, ends --> its origin is not listened to any more
 *            <- what was fetched ----
 *                                      <- AGENT_CONCLUDE, waits until nobody is - MPI_Win_wait
 *                                      -- everything has been done ------------->
 *
 * The messages of window_post.c are the same, so that who waits for whom is. No order is lost: an access is a message of its own,
 * which nobody waits for, and of SERVED_ALL the origin sends it when it makes the access, so the agent gets it at any time from the
 * post on (MPI-3.1 section 11.5: accesses wait for it) until the target's wait, in whatever order with what other ranks say of their
 * stores; and as the origins of one epoch are independent of each other, in every order with theirs. Those of one origin it gets as
 * they were made, also to different places; where that would lose an order window_order.c says so.
 *
 * SERVED_ATOMIC are sent by MPI_Win_complete, as nothing shows before that when in their epoch they are made. What the window holds
 * came with the post: the agent does them on that, and the target takes the bytes that they are to when it waits. Nobody else may
 * access these bytes in the epoch, which the target finds when it has all accesses, as without agents (window_order.c): nor need the
 * public copy know of them before. Accesses that are not atomic, which must not meet those, go the usual way.
 *
 * No conflict is lost, and none is made. Of SERVED_ALL an access goes on in the agent until the target's MPI_Win_wait, as only
 * that completes it there (p. 442), or if it only reads until it is complete at its origin. Stores that the agent is told of meanwhile
 * are in conflict with it (agent_check_open), as it may be the later or the earlier of the two: before a rank says anything from
 * which somebody could know that it has stored, the agent knows. A rank that meets the agent while an access goes on that changes
 * something is told of it as of others' stores, whether these bytes have become others or not: what its program loaded there since
 * the meeting before it loaded at the same time. For if the access had come after the load because its origin, or the target, had
 * heard of it, the agent would have been met in between (window_sharing.h says when that is not so, and what happens then). */
#ifndef MODELS_MPI_PRELOAD_WINDOW_SERVED_H
#define MODELS_MPI_PRELOAD_WINDOW_SERVED_H

#include "models/mpi/preload/windows/windows.h"

/* How much of what is to this target's window is done so, in epochs of start and post? */
enum served { SERVED_NOT, SERVED_ATOMIC, SERVED_ALL };
enum served served_by_agent(const struct window *window, int target);
enum served served_by_own_agent(const struct window *window);

/* Begins anew with agents that do SERVED_ATOMIC. */
_Noreturn void served_want_atomic(const struct caller *caller);

/* MPI_Win_post, with these origins. */
void served_expose(const struct caller *caller, const struct window *window, const int *member, int members);
/* The same epoch ends: everything is done, which returns when it is, with what the window holds by SERVED_ATOMIC, to be freed. */
struct window_memory served_conclude(const struct caller *caller, struct window *window);

/* The last access to `target` was issued in an epoch of start, or of fences. If an agent is to do it at once, it is sent; begins anew
 * with agents that do if they have to. */
void served_issued(const struct caller *caller, struct window *window, int target);
/* MPI_Win_complete has sent what it sends to the targets: waits for what is fetched, which goes to results[target], in the order of
 * the accesses: with SERVED_ALL to be freed, else to its place among what is there. False: nothing is. */
bool served_complete(const struct caller *caller, struct window *window, char **results);

/* The same of epochs of fences, of windows within shared ones (window_within.h), and of shared ones where windows may have memory in
 * common: is it so? A fence begins, and takes what was fetched; a fence that ends no epoch has
 * been called; all members have entered one that does, and have made so many accesses to this process's window. */
bool served_in_fences(const struct window *window, int target);
void served_take_fetched(const struct caller *caller, struct window *window, char **results);
void served_begin_fence(const struct caller *caller, const struct window *window);
void served_end_fence(const struct caller *caller, struct window *window, uint64_t accesses);

#endif
