/* MPI_Win_start, MPI_Win_complete, MPI_Win_post, MPI_Win_wait and MPI_Win_test (MPI-3.1 section 11.5.2), as messages on the
 * window's hidden communicator:
 *
 *     origin                                        target
 *     MPI_Win_start      -- START, standard mode -> received by MPI_Win_post, which nobody waits for
 *                        <- TOKEN, buffered ------- MPI_Win_post: what the window holds
 *     MPI_Win_complete   -- BATCH, standard mode -> received from MPI_Win_post on, awaited by MPI_Win_wait
 *
 * That START and BATCH are standard sends says precisely what the standard leaves open: MPI_Win_start and MPI_Win_complete may
 * block until the target has posted, or not (p. 442); they are buffered or not, each for itself. With MPI_MODE_NOCHECK START is a
 * ready send: the target must have posted.
 *
 * What is fetched must be there as soon as the target has posted, without its calling MPI again. Nobody may change what is fetched
 * by MPI_Get while the epoch lasts, so it is taken from the token, unless agents do the accesses (window_served.h). Fetching
 * accumulates see those of the same origin, which repeats them on the token's copy; with several origins they see the others' too, so
 * these agents do. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/communicators/groups.h"
#include "models/mpi/preload/point_to_point/hidden_messages.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/own_accesses.h"
#include "models/mpi/preload/windows/window_announced.h"
#include "models/mpi/preload/windows/window_beside.h"
#include "models/mpi/preload/windows/window_exposure.h"
#include "models/mpi/preload/windows/window_passive.h"
#include "models/mpi/preload/windows/window_served.h"
#include "models/mpi/preload/windows/window_told.h"

#include <stdlib.h>
#include <string.h>

enum { TAG_START = 1, TAG_TOKEN, TAG_BATCH };

static struct wire_operation operation_of(const struct caller *caller, const struct window *window, int member, uint8_t kind,
                                          int tag) {
    return (struct wire_operation){
        .kind = kind,
        .function = caller->function,
        .request = WIRE_NO_REQUEST,
        .context = window->communicator->context,
        .peer = window->communicator->world[member],
        .tag = tag,
        .capacity = kind == WIRE_RECEIVE ? UINT64_MAX : 0,
        .site = caller->site,
        .parts = kind == WIRE_SEND,
    };
}

/* Returns its request number. */
static uint32_t receive(const struct caller *caller, const struct window *window, int member, int tag) {
    return hidden_receive(caller, window->communicator->context, window->communicator->world[member], tag);
}

static uint32_t send(const struct caller *caller, const struct window *window, int member, int tag, enum wire_send_mode mode,
                     const void *bytes, size_t size) {
    struct wire_operation operation = operation_of(caller, window, member, WIRE_SEND, tag);
    operation.mode = (uint8_t)mode;
    operation.request = hidden_request_take();
    rank_issue(&operation);
    memcpy(rank_add_part(size), bytes, size);
    return operation.request;
}

/* Blocks until all are complete. */
static const struct wire_resolution *await(const struct caller *caller, uint8_t kind, const uint32_t *request,
                                           uint32_t requests) {
    struct wire_call call = {
        .kind = kind, .function = caller->function, .requests = requests, .peer = -1, .site = caller->site};
    const struct wire_resolution *answer = rank_block(&call, request);
    for (uint32_t i = 0; i < requests && answer->kind != WIRE_NOT_YET; i++)
        hidden_request_release(request[i]);
    return answer;
}

/* The members of a group given by the program: their ranks in the window's. To be freed. */
static int find_members(const struct caller *caller, const struct window *window, MPI_Group handle, int **member,
                        int *members) {
    const struct group *group;
    int error = check_group(caller, handle, &group);
    if (error != MPI_SUCCESS)
        return error;
    *member = malloc(((size_t)group->size + 1) * sizeof **member);
    *members = group->size;
    for (int i = 0; i < group->size; i++) {
        (*member)[i] = communicator_rank_of(window->communicator, group->world[i]);
        if ((*member)[i] != MPI_UNDEFINED)
            continue;
        free(*member);
        return window_reject(caller, window, MPI_ERR_GROUP, "invalid-argument", "a group that is not part of the window's");
    }
    return MPI_SUCCESS;
}

/* May an epoch be opened with these asserts? `taken`: there is one of the same kind. */
static int check_free_for(const struct caller *caller, const struct window *window, bool taken, int assertion, int known) {
    if (assertion & ~known)
        return window_reject(caller, window, MPI_ERR_ASSERT, "invalid-argument", "an assert that is not one of its own");
    if (taken)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "such an epoch open already");
    if (window->epoch == EPOCH_LOCK || window->epoch == EPOCH_LOCK_ALL)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "a lock held");
    if (window->epoch == EPOCH_FENCE && window_has_issued(window))
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "an epoch of a fence open");
    return MPI_SUCCESS;
}

/* ---- the origin ---- */

EXPORT(Win_start)
int MPI_Win_start(MPI_Group group, int assertion, MPI_Win handle) {
    ENTER(Win_start, group, assertion, handle);
    struct window *window;
    int *member;
    int members;
    int error = check_window(caller, handle, &window);
    if (error == MPI_SUCCESS)
        error = check_free_for(caller, window, window->epoch == EPOCH_START, assertion, MPI_MODE_NOCHECK);
    if (error == MPI_SUCCESS)
        error = find_members(caller, window, group, &member, &members);
    if (error != MPI_SUCCESS)
        return error;
    const enum wire_send_mode mode = assertion & MPI_MODE_NOCHECK ? WIRE_READY : WIRE_STANDARD;
    uint32_t *request = malloc(((size_t)members + 1) * sizeof *request);
    for (int i = 0; i < members; i++) {
        struct window_target *target = &window->target[member[i]];
        target->in_access_group = true;
        announced_start(window, member[i]);
        target->token = receive(caller, window, member[i], TAG_TOKEN);
        request[i] = send(caller, window, member[i], TAG_START, mode, NULL, 0);
    }
    window->epoch = EPOCH_START;
    window->opened = *caller;
    window->is_starting = true;
    if (members > 0)
        await(caller, WIRE_CALL_WAIT_ALL, request, (uint32_t)members);
    window->is_starting = false;
    free(request);
    free(member);
    return MPI_SUCCESS;
}

/* What MPI_Win_post tells each origin: to how many origins it exposes the window, and what that holds, if it is needed. */
static void add_token(const struct caller *caller, const struct window *window, int member, int origins) {
    struct wire_operation operation = operation_of(caller, window, member, WIRE_SEND, TAG_TOKEN);
    const struct window_memory nothing = {0}, *content = served_by_own_agent(window) == SERVED_ALL ? &nothing : &window->memory;
    operation.mode = WIRE_BUFFERED;
    rank_issue(&operation);
    char *part = rank_add_part(sizeof(uint64_t) + window_memory_bytes(content));
    *(uint64_t *)part = (uint64_t)origins;
    window_memory_write(content, part + sizeof(uint64_t));
}

static void require_agents_to_fetch(const struct window_target *target, uint64_t origins) {
    for (size_t i = 0; i < target->issued_count && origins > 1 && !rank_agents_expose(); i++) {
        const struct access *access = target->issued[i].access;
        const struct caller issuer = {access->function, access->site};
        if (access->result > 0 && access_is_atomic(access))
            served_want_atomic(&issuer);
    }
}

/* Does this origin's accesses on the token's copy of the target's window, but for what agents do; returns what they fetch, to be
 * freed. */
static char *fetch_from_token(const struct window_target *target, const char *bytes) {
    uint64_t origins;
    memcpy(&origins, bytes, sizeof origins);
    require_agents_to_fetch(target, origins);
    struct window_memory memory;
    window_memory_read(&memory, bytes + sizeof origins);
    size_t size = 0;
    for (size_t i = 0; i < target->issued_count; i++)
        size += target->issued[i].access->result;
    char *results = calloc(1, size + 1);
    char *at = results;
    for (size_t i = 0; i < target->issued_count; i++) {
        const struct access *access = target->issued[i].access;
        const bool served = access_is_atomic(access) && rank_agents_expose();
        if (!served && access_fits(&memory, access)) /* if not, the target will say so */
            access_apply(&memory, access, at);
        at += access->result;
    }
    window_memory_free(&memory);
    return results;
}

/* Waits for the tokens that are needed and takes from them what was fetched; the others will not be asked for. results[i]
 * is what was fetched from member i, to be freed. */
static void use_tokens(const struct caller *caller, struct window *window, char **results) {
    int size = window->communicator->size;
    uint32_t *request = malloc(((size_t)size + 1) * sizeof *request);
    int *member = malloc(((size_t)size + 1) * sizeof *member);
    uint32_t needed = 0;
    for (int i = 0; i < size; i++) {
        struct window_target *target = &window->target[i];
        if (!target->in_access_group)
            continue;
        if (window_target_fetches(target)) {
            member[needed] = i;
            request[needed++] = target->token;
            continue;
        }
        struct wire_operation operation = operation_of(caller, window, i, WIRE_FREE, TAG_TOKEN);
        operation.request = target->token;
        rank_issue(&operation);
        hidden_request_release(target->token);
    }
    if (needed > 0) {
        const struct wire_resolution *answer = await(caller, WIRE_CALL_WAIT_ALL, request, needed);
        for (uint32_t i = 0; i < needed; i++) {
            const struct window_target *target = &window->target[member[i]];
            if (served_by_agent(window, member[i]) != SERVED_ALL)
                results[member[i]] = fetch_from_token(target, rank_completion_data(rank_completion(answer, i)));
        }
    }
    free(request);
    free(member);
}

static void send_batches(const struct caller *caller, const struct window *window) {
    uint32_t *request = malloc(((size_t)window->communicator->size + 1) * sizeof *request);
    uint32_t requests = 0;
    for (int i = 0; i < window->communicator->size; i++) {
        if (!window->target[i].in_access_group)
            continue;
        size_t size;
        char *batch = window_batch(&window->target[i], &size);
        request[requests++] = send(caller, window, i, TAG_BATCH, WIRE_STANDARD, batch, size);
        free(batch);
    }
    if (requests > 0)
        await(caller, WIRE_CALL_WAIT_ALL, request, requests);
    free(request);
}

EXPORT(Win_complete)
int MPI_Win_complete(MPI_Win handle) {
    ENTER(Win_complete, handle);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error != MPI_SUCCESS)
        return error;
    if (window->epoch != EPOCH_START)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "no epoch opened by MPI_Win_start");
    int size = window->communicator->size;
    char **results = calloc((size_t)size + 1, sizeof(char *));
    use_tokens(caller, window, results);
    send_batches(caller, window);
    const bool fetched = served_complete(caller, window, results);
    told_complete(window);
    for (int i = 0; i < size; i++) {
        if (window->target[i].in_access_group)
            window_complete_target(caller, window, i, results[i]);
        window->target[i].in_access_group = false;
        free(results[i]);
    }
    free(results);
    window->epoch = EPOCH_NONE;
    if (fetched) /* which may tell of what others have done elsewhere */
        passive_look(caller, window);
    return MPI_SUCCESS;
}

/* ---- the target ---- */

EXPORT(Win_post)
int MPI_Win_post(MPI_Group group, int assertion, MPI_Win handle) {
    ENTER(Win_post, group, assertion, handle);
    struct window *window;
    int *member;
    int members;
    int error = check_window(caller, handle, &window);
    if (error == MPI_SUCCESS)
        error =
            check_free_for(caller, window, window->exposed, assertion, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
    if (error == MPI_SUCCESS)
        error = find_members(caller, window, group, &member, &members);
    if (error != MPI_SUCCESS)
        return error;
    exposure_uncover();
    passive_look_at_all(caller);
    if (assertion & MPI_MODE_NOCHECK) /* a step of its own: what was issued before may have come to others long before */
        window_choose(caller, window->communicator->context, 1, NULL);
    beside_ask(caller, window);
    window_refresh_shadow(window);
    for (int i = 0; i < members; i++) {
        struct wire_operation operation = operation_of(caller, window, member[i], WIRE_RECEIVE, TAG_START);
        rank_issue(&operation);
        window->target[member[i]].in_exposure_group = true;
        announced_post(window, member[i]);
        window->target[member[i]].batch = receive(caller, window, member[i], TAG_BATCH);
        add_token(caller, window, member[i], members);
    }
    if (served_by_own_agent(window) != SERVED_NOT)
        served_expose(caller, window, member, members);
    window->exposed = true;
    window->posted = *caller;
    window->barriers = 0;
    window->out_of_step = false;
    window->asserted = assertion;
    told_begin(window);
    exposure_begun(window);
    exposure_cover(FUNCTION_none);
    free(member);
    return MPI_SUCCESS;
}

/* The requests for the accesses of all origins; returns their number. */
static uint32_t list_batches(const struct window *window, uint32_t *request) {
    uint32_t requests = 0;
    for (int i = 0; i < window->communicator->size; i++) {
        if (window->target[i].in_exposure_group)
            request[requests++] = window->target[i].batch;
    }
    return requests;
}

/* A function of its own, so that what it keeps in its frame is no hole in that of who waits before it: see EXPORT. */
__attribute__((noinline)) static void end_exposure(const struct caller *caller, struct window *window,
                                                   const struct wire_resolution *answer, uint32_t requests) {
    char *batch = NULL;
    size_t size = 0;
    for (uint32_t i = 0; i < requests; i++) {
        const struct wire_completion *completion = rank_completion(answer, i);
        batch = realloc(batch, size + completion->data + 1);
        memcpy(batch + size, rank_completion_data(completion), completion->data);
        size += completion->data;
    }
    beside_ask(caller, window);
    announced_end(caller, window, batch, size);
    exposure_check_asserts(caller, window, 0, batch, size);
    told_judge(window, batch, size);
    const enum served served = served_by_own_agent(window);
    struct window_memory atomic = {0};
    if (served == SERVED_ALL)
        window_check(caller, window, batch, size);
    if (served != SERVED_NOT)
        atomic = served_conclude(caller, window);
    if (served != SERVED_ALL) {
        free(window_apply(caller, window, batch, size, served == SERVED_ATOMIC ? &atomic : NULL));
        beside_note(window, batch, size);
        exposure_note(window, batch, size);
    }
    window_memory_free(&atomic);
    own_accesses_end(window, false);
    free(batch);
    for (int i = 0; i < window->communicator->size; i++)
        window->target[i].in_exposure_group = false;
    window->exposed = false;
    window->posted = (struct caller){0};
    told_forget(window);
    window_refresh_shadow(window);
}

/* Ends the exposure epoch, or (kind WIRE_CALL_TEST_ALL) looks whether it has ended. */
static int finish(const struct caller *caller, MPI_Win handle, uint8_t kind, int *flag) {
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error != MPI_SUCCESS)
        return error;
    if (!window->exposed)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "no epoch opened by MPI_Win_post");
    exposure_uncover();
    uint32_t *request = malloc(((size_t)window->communicator->size + 1) * sizeof *request);
    uint32_t requests = list_batches(window, request);
    const struct wire_resolution *answer = requests > 0 ? await(caller, kind, request, requests) : NULL;
    *flag = answer == NULL || answer->kind != WIRE_NOT_YET;
    if (*flag)
        end_exposure(caller, window, answer, requests);
    else
        exposure_cover(FUNCTION_none);
    free(request);
    return MPI_SUCCESS;
}

EXPORT(Win_wait)
int MPI_Win_wait(MPI_Win handle) {
    ENTER(Win_wait, handle);
    int flag;
    return finish(caller, handle, WIRE_CALL_WAIT_ALL, &flag);
}

EXPORT(Win_test)
int MPI_Win_test(MPI_Win handle, int *flag) {
    ENTER(Win_test, handle, flag);
    return finish(caller, handle, WIRE_CALL_TEST_ALL, flag);
}
