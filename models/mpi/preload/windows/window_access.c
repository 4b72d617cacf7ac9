/* MPI_Put, MPI_Get, MPI_Accumulate and their kin (MPI-3.1 section 11.3): keeps each access until its epoch completes it. */
#include "models/mpi/preload/buffers/pending_buffers.h"
#include "models/mpi/preload/collectives/operators.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/datatypes/data_layout.h"
#include "models/mpi/preload/memory/list_room.h"
#include "models/mpi/preload/point_to_point/request_table.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/own_accesses.h"
#include "models/mpi/preload/windows/window_announced.h"
#include "models/mpi/preload/windows/window_arguments.h"
#include "models/mpi/preload/windows/window_passive.h"
#include "models/mpi/preload/windows/window_served.h"
#include "models/mpi/preload/windows/window_told.h"

#include <stdlib.h>
#include <string.h>

static struct access *make_access(const struct caller *caller, const struct wanted *wanted, const struct access_run *run,
                                  uint64_t runs) {
    bool reads_given = wanted->op != MPI_NO_OP;
    uint64_t given = reads_given ? buffer_bytes(&wanted->given) : 0;
    uint64_t bytes = given + buffer_bytes(&wanted->compared);
    uint64_t size = sizeof(struct access) + runs * sizeof *run + (bytes + 7) / 8 * 8;
    struct access *access = calloc(1, size);
    *access = (struct access){
        .size = size,
        .kind = wanted->kind,
        .function = caller->function,
        .origin = rank_number(),
        .op = wanted->op,
        .type =
            wanted->kind == ACCESS_ACCUMULATE || wanted->kind == ACCESS_COMPARE_AND_SWAP ? data_basic_type(wanted->type) : 0,
        .runs = runs,
        .bytes = bytes,
        .result = wanted->kind == ACCESS_GET ? wanted_bytes(wanted) : buffer_bytes(&wanted->result),
        .site = caller->site,
    };
    if (runs > 0)
        memcpy(access + 1, run, runs * sizeof *run);
    char *data = (char *)access_data(access);
    if (given > 0)
        data_pack(data, wanted->given.address, wanted->given.count, wanted->given.type);
    if (bytes > given)
        data_pack(data + given, wanted->compared.address, wanted->compared.count, wanted->compared.type);
    return access;
}

static struct issued_buffer hold(struct issued_buffer buffer) {
    if (buffer.type != NO_TYPE)
        buffer.type = data_hold_type(buffer.type);
    return buffer;
}

static void release(struct issued_buffer *buffer) {
    if (buffer->type != NO_TYPE)
        data_release_type(buffer->type);
}

static void set_count(struct window_target *target, size_t count) {
    target->issued = list_fit(target->issued, target->issued_count, count, 1, sizeof *target->issued);
    target->issued_count = count;
    if (target->sent_count > count)
        target->sent_count = count;
}

static void keep(struct window_target *target, struct access *access, const struct wanted *wanted) {
    static const struct issued_buffer none = NO_BUFFER;
    set_count(target, target->issued_count + 1);
    target->issued[target->issued_count - 1] = (struct issued_access){
        .access = access,
        .result = hold(wanted->result),
        .given = {hold(wanted->op == MPI_NO_OP ? none : wanted->given), hold(wanted->compared)},
        .owned = PENDING_BUFFERS_NONE,
    };
}

/* A put may be shorter than what it is allowed to change. Returns how many runs are left. */
static uint64_t cut(struct access_run *run, uint64_t runs, uint64_t bytes) {
    uint64_t left = 0;
    for (; left < runs && bytes > 0; left++) {
        if (run[left].length > bytes)
            run[left].length = bytes;
        bytes -= run[left].length;
    }
    return left;
}

/* *window is NULL if there is nothing to do: the target is MPI_PROC_NULL, or an error has to be returned. */
static int issue(const struct caller *caller, MPI_Win handle, const struct wanted *wanted, struct window **window) {
    operator_require_none(caller->function, caller->site);
    int error = check_window(caller, handle, window);
    if (error != MPI_SUCCESS || wanted->target == MPI_PROC_NULL) {
        *window = NULL;
        return error;
    }
    struct window *in = *window;
    *window = NULL;
    error = check_wanted(caller, in, wanted);
    if (error != MPI_SUCCESS)
        return error;
    uint64_t runs;
    int64_t origin = (int64_t)wanted->displacement * in->target[wanted->target].unit;
    struct access_run *run = data_layout(wanted->count, wanted->type, origin, &runs);
    error = check_bounds(caller, in, wanted->target, run, runs);
    if (error == MPI_SUCCESS) {
        if (wanted->kind == ACCESS_PUT)
            runs = cut(run, runs, buffer_bytes(&wanted->given));
        struct access *access = make_access(caller, wanted, run, runs);
        access->heard = told_of(in, wanted->target);
        keep(&in->target[wanted->target], access, wanted);
        *window = in;
    }
    free(run);
    return error;
}

bool window_has_issued(const struct window *window) {
    for (int i = 0; i < window->communicator->size; i++) {
        if (window->target[i].issued_count > 0)
            return true;
    }
    return false;
}

bool window_target_fetches(const struct window_target *target) {
    for (size_t i = 0; i < target->issued_count; i++) {
        if (target->issued[i].access->result > 0)
            return true;
    }
    return false;
}

char *window_batch(const struct window_target *target, size_t *size) {
    *size = 0;
    for (size_t i = 0; i < target->issued_count; i++)
        *size += target->issued[i].access->size;
    char *batch = malloc(*size + 1);
    char *at = batch;
    for (size_t i = 0; i < target->issued_count; i++) {
        const struct access *access = target->issued[i].access;
        memcpy(at, access, access->size);
        at += access->size;
    }
    return batch;
}

static void require_unchanged(const struct caller *caller, const struct issued_access *issued) {
    const char *packed = access_data(issued->access);
    for (size_t i = 0; i < 2; i++) {
        const struct issued_buffer *given = &issued->given[i];
        uint64_t bytes = buffer_bytes(given);
        if (bytes == 0)
            continue;
        char *now = malloc(bytes);
        data_pack(now, given->address, given->count, given->type);
        if (memcmp(now, packed, bytes) != 0) {
            const struct wire_place place[2] = {
                {.site = issued->access->site, .rank = rank_number(), .function = issued->access->function}};
            rank_violation_at("rma-conflict", caller->function, caller->site, place,
                              "the buffer given to an access was changed before the access was complete");
        }
        free(now);
        packed += bytes;
    }
}

static void forget(struct issued_access *issued) {
    pending_buffers_release_access(issued->owned);
    release(&issued->result);
    release(&issued->given[0]);
    release(&issued->given[1]);
    free(issued->access);
}

void window_withdraw_last(struct window_target *target) {
    struct issued_access *last = &target->issued[target->issued_count - 1];
    forget(last);
    memset(last, 0, sizeof *last);
    set_count(target, target->issued_count - 1);
}

void windows_forget_request(uint32_t number) {
    struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++)
        for (int target = 0; target < window->communicator->size; target++)
            for (size_t k = 0; k < window->target[target].issued_count; k++) {
                struct issued_access *issued = &window->target[target].issued[k];
                issued->requested = issued->requested && issued->request != number;
            }
}

void window_complete_target(const struct caller *caller, const struct window *window, int target, const char *results) {
    struct window_target *at = (struct window_target *)&window->target[target];
    for (size_t i = 0; i < at->issued_count; i++)
        require_unchanged(caller, &at->issued[i]);
    for (size_t i = 0; i < at->issued_count; i++) {
        struct issued_access *issued = &at->issued[i];
        pending_buffers_release_access(issued->owned);
        issued->owned = PENDING_BUFFERS_NONE;
        if (issued->requested)
            request_give_back(issued->request, issued->access->site);
        if (issued->access->result > 0)
            data_unpack(issued->result.address, issued->result.type, results, issued->access->result);
        results += issued->access->result;
        forget(issued);
    }
    set_count(at, 0);
    if (target == window->communicator->rank)
        own_accesses_end(window, true);
}

static bool same_buffer(const struct issued_buffer *one, const struct issued_buffer *other) {
    return one->address == other->address && one->count == other->count && one->type == other->type;
}

/* A get that does again what the one before it does brings nothing new. True: it was dropped. */
static bool drop_repeated_get(struct window_target *target) {
    if (target->issued_count < 2)
        return false;
    const struct issued_access *last = &target->issued[target->issued_count - 1];
    const struct issued_access *before = last - 1;
    const bool was_sent = target->sent_count >= target->issued_count - 1;
    bool repeats = last->access->kind == ACCESS_GET && !was_sent && same_buffer(&last->result, &before->result) &&
                   last->access->size == before->access->size && memcmp(last->access, before->access, last->access->size) == 0;
    if (repeats)
        window_withdraw_last(target);
    return repeats;
}

static void add_buffer(struct footprint *footprint, const struct issued_buffer *buffer) {
    if (buffer->type != NO_TYPE)
        footprint_add(footprint, buffer->address, buffer->count, buffer->type);
}

/* The last access owns its buffers until it is complete. */
static void own_buffers(const struct caller *caller, struct window_target *target) {
    struct issued_access *last = &target->issued[target->issued_count - 1];
    struct buffers buffers = {0};
    add_buffer(&buffers.given, &last->given[0]);
    add_buffer(&buffers.given, &last->given[1]);
    add_buffer(&buffers.taken, &last->result);
    last->owned = pending_buffers_own_access(caller, &buffers);
}

static int access_window(const struct caller *caller, MPI_Win handle, const struct wanted *wanted) {
    struct window *window;
    int error = issue(caller, handle, wanted, &window);
    if (window == NULL)
        return error;
    struct window_target *target = &window->target[wanted->target];
    if (!drop_repeated_get(target)) {
        own_buffers(caller, target);
        announced_issue(caller, window, wanted->target);
        if (wanted->target == window->communicator->rank)
            own_accesses_add(caller, window, target->issued[target->issued_count - 1].access, OWN_ACCESS_OF_EPOCH);
    }
    if (window->epoch == EPOCH_START || window->epoch == EPOCH_FENCE)
        served_issued(caller, window, wanted->target);
    else
        passive_issued(window, wanted->target);
    return MPI_SUCCESS;
}

/* With a request of its own: only in passive target epochs (section 11.3.5). */
static int access_with_request(const struct caller *caller, MPI_Win handle, const struct wanted *wanted, MPI_Request *request) {
    static const MPI_Status nothing;
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error != MPI_SUCCESS)
        return error;
    if (wanted->target != MPI_PROC_NULL && window->epoch != EPOCH_LOCK && window->epoch != EPOCH_LOCK_ALL)
        return window_reject(caller, window, MPI_ERR_RMA_SYNC, "rma-epoch", "no lock held");
    struct window *issued_to;
    error = issue(caller, handle, wanted, &issued_to);
    if (error != MPI_SUCCESS)
        return error;
    if (issued_to != NULL) {
        passive_request(caller, window, wanted->target, request);
        return MPI_SUCCESS;
    }
    struct transfer none = {.kind = WIRE_SEND, .communicator = window->communicator, .type = MPI_BYTE, .peer = MPI_PROC_NULL};
    *request = request_make_complete(caller, &none, &nothing, MPI_SUCCESS, request);
    request_find(*request)->of_window = true;
    return MPI_SUCCESS;
}

/* The access functions come in pairs, of which the second gives a request: the arguments are the same otherwise. Each has a form
 * for large counts, which differs in the type of its counts. */

#define ORIGIN_BUFFER(number) void *origin, number origin_count, MPI_Datatype origin_type
#define RESULT_BUFFER(number) void *result, number result_count, MPI_Datatype result_type
#define TARGET_BUFFER(number) int target, MPI_Aint displacement, number target_count, MPI_Datatype target_type
#define ORIGIN origin, origin_count, origin_type
#define RESULT result, result_count, result_type
#define AT_TARGET target, displacement, target_count, target_type
#define GIVEN \
    { (void *)origin, origin_count, origin_type }

#define ACCESS(name, PARAMETERS, ARGUMENTS, WANTED)    \
    EXPORT(name)                                       \
    int MPI_##name(PARAMETERS, MPI_Win window) {       \
        ENTER(name, ARGUMENTS, window);                \
        struct wanted wanted = WANTED;                 \
        return access_window(caller, window, &wanted); \
    }
#define ACCESS_LATER(name, PARAMETERS, ARGUMENTS, WANTED)              \
    EXPORT(name)                                                       \
    int MPI_##name(PARAMETERS, MPI_Win window, MPI_Request *request) { \
        ENTER(name, ARGUMENTS, window, request);                       \
        struct wanted wanted = WANTED;                                 \
        return access_with_request(caller, window, &wanted, request);  \
    }
/* A function and that with a request, in both forms. PARAMETERS(number), WANTED(). */
#define ACCESSES(name, with_request, PARAMETERS, ARGUMENTS, WANTED)             \
    ACCESS(name, LIST(PARAMETERS(int)), LIST ARGUMENTS, WANTED())               \
    ACCESS(name##_c, LIST(PARAMETERS(MPI_Count)), LIST ARGUMENTS, WANTED())     \
    ACCESS_LATER(with_request, LIST(PARAMETERS(int)), LIST ARGUMENTS, WANTED()) \
    ACCESS_LATER(with_request##_c, LIST(PARAMETERS(MPI_Count)), LIST ARGUMENTS, WANTED())
#define LIST(...) __VA_ARGS__

#define PUT(number) const ORIGIN_BUFFER(number), TARGET_BUFFER(number)
#define GET(number) ORIGIN_BUFFER(number), TARGET_BUFFER(number)
#define ACCUMULATE(number) const ORIGIN_BUFFER(number), TARGET_BUFFER(number), MPI_Op op
#define GET_ACCUMULATE(number) const ORIGIN_BUFFER(number), RESULT_BUFFER(number), TARGET_BUFFER(number), MPI_Op op

#define WANTED_PUT() \
    { ACCESS_PUT, MPI_OP_NULL, GIVEN, NO_BUFFER, NO_BUFFER, AT_TARGET }
#define WANTED_GET() \
    { ACCESS_GET, MPI_OP_NULL, NO_BUFFER, NO_BUFFER, GIVEN, AT_TARGET }
#define WANTED_ACCUMULATE() \
    { ACCESS_ACCUMULATE, op, GIVEN, NO_BUFFER, NO_BUFFER, AT_TARGET }
#define WANTED_FETCH() wanted_fetch(op, (struct issued_buffer)GIVEN, (struct issued_buffer){RESULT}, AT_TARGET)

/* MPI_NO_OP: nothing is given. */
static struct wanted wanted_fetch(MPI_Op op, struct issued_buffer given, struct issued_buffer result, int target,
                                  MPI_Aint displacement, MPI_Count target_count, MPI_Datatype target_type) {
    const struct issued_buffer none = NO_BUFFER;
    return (struct wanted){ACCESS_ACCUMULATE, op, op == MPI_NO_OP ? none : given, none, result, AT_TARGET};
}

ACCESSES(Put, Rput, PUT, (ORIGIN, AT_TARGET), WANTED_PUT)
ACCESSES(Get, Rget, GET, (ORIGIN, AT_TARGET), WANTED_GET)
ACCESSES(Accumulate, Raccumulate, ACCUMULATE, (ORIGIN, AT_TARGET, op), WANTED_ACCUMULATE)
ACCESSES(Get_accumulate, Rget_accumulate, GET_ACCUMULATE, (ORIGIN, RESULT, AT_TARGET, op), WANTED_FETCH)

EXPORT(Fetch_and_op)
int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint displacement, MPI_Op op,
                     MPI_Win window) {
    ENTER(Fetch_and_op, origin, result, type, target, displacement, op, window);
    struct wanted wanted = wanted_fetch(op, (struct issued_buffer){(void *)origin, 1, type},
                                        (struct issued_buffer){result, 1, type}, target, displacement, 1, type);
    return access_window(caller, window, &wanted);
}

EXPORT(Compare_and_swap)
int MPI_Compare_and_swap(const void *origin, const void *compared, void *result, MPI_Datatype type, int target,
                         MPI_Aint displacement, MPI_Win window) {
    ENTER(Compare_and_swap, origin, compared, result, type, target, displacement, window);
    struct wanted wanted = {ACCESS_COMPARE_AND_SWAP,
                            MPI_OP_NULL,
                            {(void *)origin, 1, type},
                            {(void *)compared, 1, type},
                            {result, 1, type},
                            target,
                            displacement,
                            1,
                            type};
    return access_window(caller, window, &wanted);
}
