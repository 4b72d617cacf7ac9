/* MPI_Win_fence (MPI-3.1 section 11.5.1).
 *
 * A fence that ends an epoch is one exchange: each member gives every other its accesses and leaves when it has those of
 * all. That is as much as the standard guarantees and as little: accesses to a window are complete when its owner leaves,
 * any member may have made some, and so a member cannot leave before all have entered. A second exchange takes back what
 * was fetched, if anything was; it blocks nobody for longer, as all are there.
 *
 * With MPI_MODE_NOPRECEDE no member has made accesses, and a fence that only begins an epoch need not synchronise: it is
 * local. That accesses reach a target only after its fence holds by itself, as they are done by the target's next fence.
 * The other asserts promise things that cost nothing here to do without. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/own_accesses.h"
#include "models/mpi/preload/windows/window_announced.h"
#include "models/mpi/preload/windows/window_beside.h"
#include "models/mpi/preload/windows/window_exposure.h"
#include "models/mpi/preload/windows/window_passive.h"
#include "models/mpi/preload/windows/window_served.h"
#include "models/mpi/preload/windows/window_sharing.h"
#include "models/mpi/preload/windows/window_told.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static int check_fence(const struct caller *caller, const struct window *window, int assertion) {
    const int known = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
    if (assertion & ~known)
        return window_reject(caller, window, MPI_ERR_ASSERT, "invalid-argument", "an assert that is not one of a fence's");
    if (window->exposed || window->epoch == EPOCH_START)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "an epoch of post or start open");
    if (window->epoch == EPOCH_LOCK || window->epoch == EPOCH_LOCK_ALL)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "a lock held");
    if ((assertion & MPI_MODE_NOPRECEDE) && window_has_issued(window))
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "MPI_MODE_NOPRECEDE, but accesses precede it");
    return MPI_SUCCESS;
}

/* Of a shared window everybody is given all of it, unless an agent does it. */
static bool is_given_to_all(const struct window *window) {
    return window->sharing != NULL && !served_in_fences(window, window->communicator->rank);
}

static void enter_shared(const struct window *window, uint64_t fetches) {
    size_t size;
    char *batches = sharing_write_batches(window, &size);
    for (int i = 0; i < window->communicator->size; i++) {
        char *part = rank_add_part(sizeof fetches + size);
        memcpy(part, &fetches, sizeof fetches);
        memcpy(part + sizeof fetches, batches, size);
    }
    free(batches);
}

/* What the members give each other: whether any of their accesses fetches something, then those to the receiver. */
static void enter(struct collective *collective, const struct window *window) {
    const struct communicator *communicator = window->communicator;
    uint64_t fetches = 0;
    for (int i = 0; i < communicator->size; i++)
        fetches |= window_target_fetches(&window->target[i]);
    collective->agreement = window->fences | 1;
    collective_enter(collective, communicator->size);
    if (is_given_to_all(window)) {
        enter_shared(window, fetches);
        return;
    }
    for (int i = 0; i < communicator->size; i++) {
        size_t size;
        char *batch = window_batch(&window->target[i], &size);
        char *part = rank_add_part(sizeof fetches + size);
        memcpy(part, &fetches, sizeof fetches);
        memcpy(part + sizeof fetches, batch, size);
        free(batch);
    }
}

/* All members' accesses to this process's window, in the order of their ranks; `sizes` gets the bytes of each. To be
 * freed. */
static char *leave(const struct collective *collective, const struct window *window, size_t *sizes, size_t *total,
                   bool *fetches) {
    struct collective_answer answer = collective_leave(collective);
    char *batch = NULL;
    *total = 0;
    *fetches = false;
    for (int i = 0; i < window->communicator->size; i++) {
        struct collective_part part = collective_part(&answer, i);
        uint64_t member_fetches;
        memcpy(&member_fetches, part.bytes, sizeof member_fetches);
        *fetches = *fetches || member_fetches != 0;
        const char *bytes = (const char *)part.bytes + sizeof member_fetches;
        sizes[i] = part.size - sizeof member_fetches;
        if (is_given_to_all(window))
            bytes = sharing_note_batches(window, bytes, &sizes[i]);
        batch = realloc(batch, *total + sizes[i] + 1);
        memcpy(batch + *total, bytes, sizes[i]);
        *total += sizes[i];
    }
    return batch;
}

/* Bytes of results of the accesses in a block. */
static size_t results_of(const char *batch, size_t size) {
    size_t results = 0;
    const struct access *end = (const struct access *)(batch + size);
    for (const struct access *at = (const struct access *)batch; at < end; at = access_next(at))
        results += at->result;
    return results;
}

/* `served`: what agents have fetched for this process. */
static void give_back(const struct caller *caller, const struct window *window, const char *batch, const size_t *sizes,
                      const char *results, char *const *served) {
    const struct communicator *communicator = window->communicator;
    struct collective collective = collective_of_all(caller, window->communicator);
    collective_enter(&collective, communicator->size);
    for (int i = 0; i < communicator->size; i++) {
        size_t size = results_of(batch, sizes[i]);
        memcpy(rank_add_part(size), results, size);
        results += size;
        batch += sizes[i];
    }
    struct collective_answer answer = collective_leave(&collective);
    for (int i = 0; i < communicator->size; i++)
        window_complete_target(caller, window, i, served[i] != NULL ? served[i] : collective_part(&answer, i).bytes);
}

static uint64_t count_accesses(const char *batch, size_t size) {
    uint64_t accesses = 0;
    const struct access *end = (const struct access *)(batch + size);
    for (const struct access *at = (const struct access *)batch; at < end; at = access_next(at))
        accesses++;
    return accesses;
}

/* Returns what they fetch, in the order of `batch`, to be freed. */
static char *do_accesses(const struct caller *caller, struct window *window, const char *batch, size_t total) {
    if (served_in_fences(window, window->communicator->rank)) {
        window_check(caller, window, batch, total);
        served_end_fence(caller, window, count_accesses(batch, total));
        return calloc(1, results_of(batch, total) + 1);
    }
    char *results = window_apply(caller, window, batch, total, NULL);
    if (window->sharing == NULL)
        exposure_note(window, batch, total);
    return results;
}

static void exchange(const struct caller *caller, struct window *window, int assertion) {
    char **served = calloc((size_t)window->communicator->size, sizeof *served);
    served_take_fetched(caller, window, served);
    size_t *sizes = calloc((size_t)window->communicator->size, sizeof *sizes);
    size_t total;
    bool fetches;
    struct collective collective = collective_of_all(caller, window->communicator);
    enter(&collective, window);
    char *batch = leave(&collective, window, sizes, &total, &fetches);
    beside_ask(caller, window);
    announced_end(caller, window, batch, total);
    exposure_check_asserts(caller, window, assertion, batch, total);
    char *results = do_accesses(caller, window, batch, total);
    /* The second exchange is for the public copies too: no member may leave before they show what the fence did. */
    if (window->sharing != NULL)
        passive_exchange_changes(caller, window);
    if (fetches || window->agents != NULL)
        give_back(caller, window, batch, sizes, results, served);
    for (int i = 0; i < window->communicator->size; i++) {
        window_complete_target(caller, window, i, NULL);
        free(served[i]);
    }
    beside_note(window, batch, total);
    free(results);
    free(batch);
    free(sizes);
    free(served);
}

/* No epoch ends. */
static void begin_only(const struct caller *caller, struct window *window) {
    beside_ask(caller, window);
    served_begin_fence(caller, window);
}

EXPORT(Win_fence)
int MPI_Win_fence(int assertion, MPI_Win handle) {
    ENTER(Win_fence, assertion, handle);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error == MPI_SUCCESS)
        error = check_fence(caller, window, assertion);
    if (error != MPI_SUCCESS)
        return error;
    exposure_uncover();
    passive_look_at_all(caller);
    own_accesses_end(window, false);
    /* Members must agree on these two; that they did shows at the next fence that synchronises. */
    uint64_t agreed = (uint64_t)(assertion & (MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED));
    window->fences = XXH3_64bits_withSeed(&agreed, sizeof agreed, window->fences);
    if (!(assertion & MPI_MODE_NOPRECEDE))
        exchange(caller, window, assertion);
    else
        begin_only(caller, window);
    window->asserted = assertion;
    window_refresh_shadow(window);
    window->epoch = assertion & MPI_MODE_NOSUCCEED ? EPOCH_NONE : EPOCH_FENCE;
    window->begun = assertion & MPI_MODE_NOPRECEDE ? window->begun + 1 : 0;
    told_begin(window);
    exposure_begun(window);
    window->opened = *caller;
    exposure_cover(FUNCTION_none);
    return MPI_SUCCESS;
}
