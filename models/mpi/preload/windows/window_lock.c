/* MPI_Win_lock, MPI_Win_unlock and their kin (MPI-3.1 section 11.5.3), by requests to the targets' agents.
 *
 * MPI_Win_lock returns at once, before the lock is granted, unless the target is the calling process itself, which may
 * then load and store. What is asked of a target under a lock that is not granted waits at the agent.
 *
 * An exclusive lock, while this process holds none, is not even asked for before something is to be done under it, or this
 * process blocks or says something to others, or touches its own window if that is the one: until then nobody can tell. Mostly all
 * of the epoch then is one message, and epochs in which different bytes are accessed need not be explored in every order.
 *
 * The agents of AGENTS_EXCLUSIVE let the owner of a window wait while somebody else holds the lock on it; if that could
 * be the reason for a deadlock the explorer starts over with AGENTS_GENERAL. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_asking.h"
#include "models/mpi/preload/windows/window_passive.h"
#include "models/mpi/preload/windows/window_sharing.h"
#include "models/mpi/preload/windows/window_told.h"

#include <stdlib.h>

enum { MOST_RANKS = 512 }; /* with as many agents */

void passive_require_agents(const struct caller *caller, const struct window *window, int agents) {
    if (agents == AGENTS_EXCLUSIVE && passive_has_other_windows(window))
        agents = AGENTS_GENERAL;
    if (rank_agents() >= agents)
        return;
    passive_begin_anew(caller, agents, 0);
}

void passive_begin_anew(const struct caller *caller, int agents, int besides) {
    if (rank_count() > MOST_RANKS)
        rank_refuse(caller->function, caller->site, "%s on more than %d ranks is not supported",
                    function_name(caller->function), MOST_RANKS);
    rank_want_agents((rank_agents() > agents ? rank_agents() : agents) | besides);
}

/* Where all locks are shared nobody need be asked for one. */
static bool asks_for_locks(const struct window *window, int target) {
    return window_is_loaded_by_others(window, target) ? rank_agents_lock_segments() : rank_agents() >= AGENTS_EXCLUSIVE;
}

static void require_agents_for(const struct caller *caller, const struct window *window, int target, int type) {
    passive_require_agents(caller, window, type == MPI_LOCK_SHARED ? AGENTS_SHARED : AGENTS_EXCLUSIVE);
    if (type == MPI_LOCK_EXCLUSIVE && window_is_loaded_by_others(window, target) && !rank_agents_lock_segments())
        rank_want_agents(rank_agents() | AGENTS_LOCKING);
}

static int check_lockable(const struct caller *caller, const struct window *window, int assertion) {
    if (assertion & ~MPI_MODE_NOCHECK)
        return window_reject(caller, window, MPI_ERR_ASSERT, "invalid-argument", "an assert that is not MPI_MODE_NOCHECK");
    if (window->epoch == EPOCH_START || (window->epoch == EPOCH_FENCE && window_has_issued(window)))
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "an epoch of a fence or start open");
    return MPI_SUCCESS;
}

/* So may that of another rank if the window is shared: the lock is waited for. What others stored is seen when all are there. */
static void lock_segment(const struct caller *caller, struct window *window, int target, int type, bool unchecked) {
    const struct agent_request request = {.verb = AGENT_LOCK, .lock = (uint16_t)type, .unchecked = unchecked};
    if (asks_for_locks(window, target))
        agent_ask_and_wait(caller, window, target, request, agent_no_body(), agent_use_nothing);
}

static void learn_of_segments(const struct caller *caller, struct window *window) {
    if (window->sharing != NULL)
        passive_synchronise(caller, window);
    else
        passive_look_at_others(caller, window);
}

static bool holds_another(const struct window *but) {
    const struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        if (window->epoch == EPOCH_LOCK_ALL || window->locks > (window == but))
            return true;
    }
    return false;
}

static void ask_all_locks(void) {
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++)
        passive_ask_lock(window);
}

void passive_ask_lock(struct window *window) {
    const int target = window->unasked - 1;
    const struct agent_request request = {.verb = AGENT_LOCK, .lock = MPI_LOCK_EXCLUSIVE};
    if (target < 0)
        return;
    window->unasked = 0;
    if (target != window->communicator->rank) {
        agent_ask(&window->opened, window, target, request, agent_no_body());
        return;
    }
    agent_ask_own(&window->opened, window, request, agent_no_body(), agent_use_nothing);
    told_heard(true); /* also if that is for a look: who had the lock before has released it */
}

/* Who holds two locks may wait for the second while others wait for the first. */
static bool may_ask_later(const struct window *window, int type, bool unchecked) {
    return type == MPI_LOCK_EXCLUSIVE && !unchecked && !rank_agents_meet() && !holds_another(window);
}

/* Is our own window not to be looked at before the program touches it? Then the lock is had before that. */
static bool is_put_off(const struct caller *caller, struct window *window) {
    if (!passive_holds_memory(window) || passive_looks_at_once(window))
        return false;
    passive_look(caller, window);
    return window->unseen && !window->is_up_to_date;
}

/* Our own window may be loaded from and stored to once this returns. Who shares a lock on it mostly does not do so soon. */
static void lock_own(const struct caller *caller, struct window *window, int type, bool unchecked) {
    const bool shared = type == MPI_LOCK_SHARED;
    struct agent_request request = {
        .verb = AGENT_LOCK, .lock = (uint16_t)type, .unchecked = unchecked, .reads = shared, .phase = window->phase};
    if (!asks_for_locks(window, window->communicator->rank)) {
        passive_look(caller, window);
    } else if (may_ask_later(window, type, unchecked) && is_put_off(caller, window)) {
        window->unasked = window->communicator->rank + 1;
    } else if (passive_holds_memory(window)) {
        const bool at_once = passive_looks_at_once(window);
        request.delivers = at_once ? AGENT_DELIVERS : passive_asks(window);
        agent_ask_own(caller, window, request, agent_no_body(), at_once ? passive_take_changes : passive_take_asked);
        if (!at_once)
            passive_look_later(caller, window);
        passive_look_at_others(caller, window);
    } else {
        agent_ask(caller, window, window->communicator->rank, request, agent_no_body());
    }
}

static void lock_target(const struct caller *caller, struct window *window, int target, int type, int assertion) {
    const bool shared = type == MPI_LOCK_SHARED, unchecked = assertion & MPI_MODE_NOCHECK;
    const struct agent_request request = {.verb = AGENT_LOCK, .lock = (uint16_t)type, .unchecked = unchecked, .reads = shared};
    window->target[target].lock = type;
    ask_all_locks();
    if (window_is_loaded_by_others(window, target))
        lock_segment(caller, window, target, type, unchecked);
    else if (target == window->communicator->rank)
        lock_own(caller, window, type, unchecked);
    else if (asks_for_locks(window, target) && may_ask_later(window, type, unchecked))
        window->unasked = target + 1;
    else if (asks_for_locks(window, target))
        agent_ask(caller, window, target, request, agent_no_body());
}

EXPORT(Win_lock)
int MPI_Win_lock(int type, int target, int assertion, MPI_Win handle) {
    ENTER(Win_lock, type, target, assertion, handle);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error != MPI_SUCCESS || target == MPI_PROC_NULL)
        return error;
    if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE)
        return window_reject(caller, window, MPI_ERR_LOCKTYPE, "invalid-argument", "a lock type that does not exist");
    if (target < 0 || target >= window->communicator->size)
        return window_reject(caller, window, MPI_ERR_RANK, "invalid-argument", "target %d in a group of size %d", target,
                             window->communicator->size);
    error = check_lockable(caller, window, assertion);
    if (error != MPI_SUCCESS)
        return error;
    if (window->epoch == EPOCH_LOCK_ALL || window->target[target].lock != 0)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "target %d, whose window is locked already",
                             target);
    require_agents_for(caller, window, target, type);
    window->epoch = EPOCH_LOCK;
    window->opened = *caller;
    window->locks++;
    lock_target(caller, window, target, type, assertion);
    if (window_is_loaded_by_others(window, target))
        learn_of_segments(caller, window);
    return MPI_SUCCESS;
}

EXPORT(Win_lock_all)
int MPI_Win_lock_all(int assertion, MPI_Win handle) {
    ENTER(Win_lock_all, assertion, handle);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error == MPI_SUCCESS)
        error = check_lockable(caller, window, assertion);
    if (error != MPI_SUCCESS)
        return error;
    if (window->epoch == EPOCH_LOCK || window->epoch == EPOCH_LOCK_ALL)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "a lock held already");
    if (window->sharing == NULL) /* without accesses it may need none */
        passive_require_agents(caller, window, AGENTS_SHARED);
    window->epoch = EPOCH_LOCK_ALL;
    window->opened = *caller;
    for (int i = 0; i < window->communicator->size; i++)
        lock_target(caller, window, i, MPI_LOCK_SHARED, assertion);
    if (window_has_others_memory(window))
        learn_of_segments(caller, window);
    return MPI_SUCCESS;
}

/* Where locks are asked for the agent has to be told that this one is released; else it is a flush. */
static void ask_unlock(const struct caller *caller, struct window *window, int target, struct agent_replies *replies) {
    struct agent_request request = {.closes = 1, .unlocks = asks_for_locks(window, target)};
    if (request.unlocks || passive_is_pending(&window->target[target]))
        passive_ask_completion(caller, window, target, request, replies);
}

EXPORT(Win_unlock)
int MPI_Win_unlock(int target, MPI_Win handle) {
    ENTER(Win_unlock, target, handle);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error != MPI_SUCCESS || target == MPI_PROC_NULL)
        return error;
    error = passive_check(caller, window, target);
    if (error != MPI_SUCCESS)
        return error;
    if (window->epoch == EPOCH_LOCK_ALL)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "a lock of MPI_Win_lock_all");
    struct agent_replies replies = {0};
    ask_unlock(caller, window, target, &replies);
    passive_learn(caller, window, &replies);
    window->target[target].lock = 0;
    if (--window->locks == 0)
        window->epoch = EPOCH_NONE;
    return MPI_SUCCESS;
}

EXPORT(Win_unlock_all)
int MPI_Win_unlock_all(MPI_Win handle) {
    ENTER(Win_unlock_all, handle);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error != MPI_SUCCESS)
        return error;
    if (window->epoch != EPOCH_LOCK_ALL)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "no lock of MPI_Win_lock_all");
    struct agent_replies replies = {0};
    passive_flush_uses(caller, window);
    for (int i = 0; i < window->communicator->size; i++)
        ask_unlock(caller, window, i, &replies);
    passive_learn(caller, window, &replies);
    for (int i = 0; i < window->communicator->size; i++)
        window->target[i].lock = 0;
    window->epoch = EPOCH_NONE;
    return MPI_SUCCESS;
}

EXPORT(Win_sync)
int MPI_Win_sync(MPI_Win handle) {
    ENTER(Win_sync, handle);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error == MPI_SUCCESS)
        error = passive_check_epoch(caller, window);
    if (error != MPI_SUCCESS)
        return error;
    if (window->sharing != NULL)
        sharing_synchronise(caller, window);
    else
        passive_look(caller, window);
    return MPI_SUCCESS;
}
