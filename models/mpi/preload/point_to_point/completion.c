/* Waiting for requests and testing them.
 *
 * A list may hold requests that are COMPLETE already and that the explorer no longer knows. Waiting for all is not affected:
 * they are left out. Waiting for any or some beside such a request cannot block, so it is put to the explorer as a test of the
 * others: "not yet" then means that the complete ones alone are reported. Of several complete ones MPI_Waitany and
 * MPI_Testany report the first, and MPI_Waitsome and MPI_Testsome report them all; other choices among them, which the standard
 * allows but no implementation makes, are not explored.
 *
 * The explorer knows the halves of a pair (request_make_pair), and may report one of them. Then the call goes on with the rest. */
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/buffers/buffer_room.h"
#include "models/mpi/preload/buffers/leftovers.h"
#include "models/mpi/preload/buffers/pending_leftovers.h"
#include "models/mpi/preload/error_handlers.h"
#include "models/mpi/preload/point_to_point/request_table.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/window_unseen.h"

#include <stdlib.h>
#include <string.h>

/* A list of requests, sorted out. */
struct awaited {
    uint32_t *number;   /* request numbers of the active ones, in list order, and room for their positions behind them */
    uint32_t *position; /* where in the list each of these is */
    uint32_t active;
    int complete;       /* how many are complete already */
    int first_complete; /* position */
    MPI_Request *handles;
    int count;
};

static MPI_Status *status_of(MPI_Status statuses[], int i) {
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

static void list_active(struct awaited *awaited, int position, MPI_Request handle) {
    awaited->number[awaited->active] = request_number(handle);
    awaited->position[awaited->active++] = (uint32_t)position;
}

static void list_halves(struct awaited *awaited, int position, const struct request *pair) {
    for (int i = 0; i < 2; i++) {
        if (request_find(pair->half[i])->state == REQUEST_ACTIVE)
            list_active(awaited, position, pair->half[i]);
    }
}

static void list(struct awaited *awaited) {
    awaited->active = 0;
    awaited->complete = 0;
    for (int i = 0; i < awaited->count; i++) {
        const struct request *request = request_find(awaited->handles[i]);
        if (request == NULL || request->state == REQUEST_INACTIVE)
            continue;
        if (request->state == REQUEST_COMPLETE && awaited->complete++ == 0)
            awaited->first_complete = i;
        if (request->state == REQUEST_ACTIVE && request_is_pair(request))
            list_halves(awaited, i, request);
        else if (request->state == REQUEST_ACTIVE)
            list_active(awaited, i, awaited->handles[i]);
    }
}

/* Is a request, which `handles` all name if they are not null, in the list twice? */
static bool is_twice_in(const MPI_Request handles[], int count) {
    uint32_t numbers = 0;
    for (int i = 0; i < count; i++) {
        if (handles[i] != MPI_REQUEST_NULL && request_number(handles[i]) >= numbers)
            numbers = request_number(handles[i]) + 1;
    }
    bool *seen = calloc(numbers + 1, sizeof *seen);
    bool twice = false;
    for (int i = 0; i < count && !twice; i++) {
        if (handles[i] == MPI_REQUEST_NULL)
            continue;
        twice = seen[request_number(handles[i])];
        seen[request_number(handles[i])] = true;
    }
    free(seen);
    return twice;
}

static void require_statuses(const struct caller *caller, const MPI_Status statuses[], int count) {
    if (statuses != MPI_STATUSES_IGNORE && count > 1)
        require_room_of_array(caller, statuses, (uint64_t)count * sizeof *statuses, "statuses");
}

/* The lists of `awaited` must be freed with sorting_done. */
static int sort_out(const struct caller *caller, int count, MPI_Request handles[], struct awaited *awaited) {
    int error = check_count(caller, MPI_COMM_WORLD, count);
    if (error != MPI_SUCCESS)
        return error;
    pending_leftovers_note_read(handles, (size_t)count * sizeof *handles);
    if (count > 1)
        require_room_of_array(caller, handles, (uint64_t)count * sizeof *handles, "requests");
    *awaited = (struct awaited){.handles = handles, .count = count};
    for (int i = 0; i < count; i++) {
        const struct request *request = request_find(handles[i]);
        if (handles[i] != MPI_REQUEST_NULL && (request == NULL || request->is_half))
            return reject(caller, MPI_COMM_WORLD, MPI_ERR_REQUEST, "a request that does not exist or was freed");
    }
    if (count > 1 && is_twice_in(handles, count))
        return reject(caller, MPI_COMM_WORLD, MPI_ERR_REQUEST, "a list that has one request twice");
    awaited->number = malloc((4 * (size_t)count + 1) * sizeof *awaited->number);
    awaited->position = malloc((2 * (size_t)count + 1) * sizeof *awaited->position);
    list(awaited);
    return MPI_SUCCESS;
}

static void sorting_done(struct awaited *awaited) {
    free(awaited->number);
    free(awaited->position);
}

/* Are null, inactive or complete requests in the list before active ones, so that these are not where they are among the active? */
static bool has_gaps(const struct awaited *awaited) {
    return awaited->active > 0 && awaited->position[awaited->active - 1] != awaited->active - 1;
}

static const struct wire_resolution *block(const struct caller *caller, uint8_t kind, const struct awaited *awaited) {
    struct wire_call call = {
        .kind = kind,
        .function = caller->function,
        .requests = awaited->active,
        .peer = -1,
        .site = caller->site,
    };
    if (kind != WIRE_CALL_WAIT_ALL && has_gaps(awaited)) {
        call.placed = 1;
        memcpy(awaited->number + awaited->active, awaited->position, awaited->active * sizeof *awaited->position);
    }
    return rank_block(&call, awaited->number);
}

/* Takes the data of an answer. All of it, before anything is reported: the handles keep their places until then. */
static void take_answer(const struct awaited *awaited, const struct wire_resolution *answer) {
    const struct wire_completion *completion = rank_completion(answer, 0);
    for (uint32_t i = 0; i < answer->completions; i += 1 + completion->parts, completion = rank_completion_past(completion)) {
        request_complete(request_numbered(awaited->number[completion->index]), completion);
        struct request *reported = request_find(awaited->handles[awaited->position[completion->index]]);
        if (request_is_pair(reported))
            request_settle_pair(reported);
    }
}

static bool is_complete(MPI_Request handle) {
    const struct request *request = request_find(handle);
    return request != NULL && request->state == REQUEST_COMPLETE;
}

/* The handler that is to be told of an error: the request's communicator has it. */
static MPI_Comm communicator_of(MPI_Request handle) { return request_find(handle)->transfer.communicator->handle; }

static int report(const struct awaited *awaited, int position, MPI_Status *status) {
    MPI_Request *handle = &awaited->handles[position];
    MPI_Comm communicator = communicator_of(*handle);
    int error = request_report(handle, status);
    return error == MPI_SUCCESS ? error : errors_handle(communicator, error);
}

/* The function waits for or tests one request, and returns its error. */
static int report_single(const struct awaited *awaited, MPI_Status *status) {
    if (is_complete(awaited->handles[0]))
        return report(awaited, 0, status);
    status_set_empty(status);
    return MPI_SUCCESS;
}

/* The errors of a list that is being reported. */
struct list_errors {
    int *error; /* of each status */
    bool any;
    MPI_Comm communicator; /* of the first one */
};

static void report_in_list(const struct awaited *awaited, int position, MPI_Status *status, int *error,
                           struct list_errors *errors) {
    MPI_Request *handle = &awaited->handles[position];
    MPI_Comm communicator = communicator_of(*handle);
    *error = request_report(handle, status);
    if (*error == MPI_SUCCESS || errors->any)
        return;
    errors->any = true;
    errors->communicator = communicator;
}

/* What went wrong with each is in its status, and the function returns MPI_ERR_IN_STATUS. */
static int list_done(struct list_errors *errors, MPI_Status statuses[], int count) {
    for (int i = 0; i < count && errors->any && statuses != MPI_STATUSES_IGNORE; i++)
        statuses[i].MPI_ERROR = errors->error[i];
    free(errors->error);
    return errors->any ? errors_handle(errors->communicator, MPI_ERR_IN_STATUS) : MPI_SUCCESS;
}

/* Every request of the list is complete, inactive or null. */
static int report_all(const struct awaited *awaited, MPI_Status statuses[]) {
    struct list_errors errors = {.error = calloc((size_t)awaited->count + 1, sizeof *errors.error)};
    for (int i = 0; i < awaited->count; i++) {
        if (is_complete(awaited->handles[i]))
            report_in_list(awaited, i, status_of(statuses, i), &errors.error[i], &errors);
        else
            status_set_empty(status_of(statuses, i));
    }
    return list_done(&errors, statuses, awaited->count);
}

static int report_some(const struct awaited *awaited, int *reported, int indices[], MPI_Status statuses[]) {
    struct list_errors errors = {.error = calloc((size_t)awaited->count + 1, sizeof *errors.error)};
    int found = 0;
    for (int i = 0; i < awaited->count; i++) {
        if (!is_complete(awaited->handles[i]))
            continue;
        report_in_list(awaited, i, status_of(statuses, found), &errors.error[found], &errors);
        indices[found++] = i;
    }
    *reported = found;
    return list_done(&errors, statuses, found);
}

/* How a list is reported: report_single or report_all. */
typedef int report_function(const struct awaited *awaited, MPI_Status statuses[]);

/* `set`: how many statuses will be set. */
static int wait_all(const struct caller *caller, int count, MPI_Request handles[], MPI_Status statuses[], int set,
                    report_function *report_list) {
    struct awaited awaited;
    int error = sort_out(caller, count, handles, &awaited);
    if (error != MPI_SUCCESS)
        return error;
    require_statuses(caller, statuses, set);
    if (awaited.active > 0) {
        unseen_note_statuses(statuses, set);
        leftovers_forget_statuses(statuses, set);
        take_answer(&awaited, block(caller, WIRE_CALL_WAIT_ALL, &awaited));
    }
    error = report_list(&awaited, statuses);
    sorting_done(&awaited);
    return error;
}

int request_wait(const struct caller *caller, MPI_Request *handle, MPI_Status *status) {
    return wait_all(caller, 1, handle, status, 1, report_single);
}

static int report_exchange(const struct awaited *awaited, MPI_Status *status) {
    report(awaited, 1, MPI_STATUS_IGNORE);
    return report(awaited, 0, status);
}

int requests_exchange(const struct caller *caller, MPI_Request receive, MPI_Request send, MPI_Status *status) {
    MPI_Request handles[2] = {receive, send};
    return wait_all(caller, 2, handles, status, 1, report_exchange);
}

static int test_all(const struct caller *caller, int count, MPI_Request handles[], int *flag, MPI_Status statuses[],
                    report_function *report_list) {
    struct awaited awaited;
    int error = sort_out(caller, count, handles, &awaited);
    if (error != MPI_SUCCESS)
        return error;
    *flag = 1;
    if (awaited.active > 0) {
        const struct wire_resolution *answer = block(caller, WIRE_CALL_TEST_ALL, &awaited);
        *flag = answer->kind != WIRE_NOT_YET;
        take_answer(&awaited, answer);
    }
    if (*flag) {
        require_statuses(caller, statuses, count);
        error = report_list(&awaited, statuses);
    }
    sorting_done(&awaited);
    return error;
}

/* Any: `kind` is used as it is if nothing is complete yet. Sets *index to MPI_UNDEFINED if no request is active; returns
 * whether there is something to report (else: "not yet"). */
static bool choose_one(const struct caller *caller, uint8_t kind, struct awaited *awaited, int *index) {
    *index = awaited->complete > 0 ? awaited->first_complete : MPI_UNDEFINED;
    while (awaited->active > 0) {
        const struct wire_resolution *answer = block(caller, awaited->complete > 0 ? WIRE_CALL_TEST_ANY : kind, awaited);
        if (answer->kind == WIRE_NOT_YET)
            return awaited->complete > 0;
        take_answer(awaited, answer);
        int position = (int)awaited->position[rank_completion(answer, 0)->index];
        if (is_complete(awaited->handles[position])) {
            *index = position;
            return true;
        }
        list(awaited);
    }
    return true;
}

static int any(const struct caller *caller, uint8_t kind, int count, MPI_Request handles[], int *index, int *flag,
               MPI_Status *status) {
    struct awaited awaited;
    int error = sort_out(caller, count, handles, &awaited);
    if (error != MPI_SUCCESS)
        return error;
    unseen_note_statuses(status, 1);
    if (kind == WIRE_CALL_WAIT_ANY && awaited.active > 0)
        leftovers_forget_statuses(status, 1);
    if (kind == WIRE_CALL_TEST_ANY && awaited.active > 0)
        leftovers_forget_number(flag);
    *flag = choose_one(caller, kind, &awaited, index);
    if (*flag && *index == MPI_UNDEFINED)
        status_set_empty(status);
    else if (*flag)
        error = report(&awaited, *index, status);
    sorting_done(&awaited);
    return error;
}

static int some(const struct caller *caller, uint8_t kind, int count, MPI_Request handles[], int *reported, int indices[],
                MPI_Status statuses[]) {
    struct awaited awaited;
    int error = sort_out(caller, count, handles, &awaited);
    if (error != MPI_SUCCESS)
        return error;
    bool any_active = awaited.active > 0 || awaited.complete > 0;
    unseen_note_statuses(statuses, (int)(awaited.active + awaited.complete));
    if (kind == WIRE_CALL_WAIT_SOME && awaited.active > 0) {
        /* What these were nobody can tell any more, as one at the least will be reported: local states need not differ in it. */
        *reported = indices[0] = 0;
        leftovers_forget_statuses(statuses, 1);
    }
    if (kind == WIRE_CALL_TEST_SOME && awaited.active > 0)
        leftovers_forget_number(reported);
    if (awaited.active > 0)
        take_answer(&awaited, block(caller, awaited.complete > 0 ? WIRE_CALL_TEST_SOME : kind, &awaited));
    list(&awaited);
    while (kind == WIRE_CALL_WAIT_SOME && any_active && awaited.complete == 0) {
        take_answer(&awaited, block(caller, kind, &awaited));
        list(&awaited);
    }
    require_statuses(caller, statuses, (int)awaited.complete);
    require_room_of_array(caller, indices, awaited.complete * sizeof *indices, "indices");
    if (!any_active)
        *reported = MPI_UNDEFINED;
    else
        error = report_some(&awaited, reported, indices, statuses);
    sorting_done(&awaited);
    return error;
}

EXPORT(Wait)
int MPI_Wait(MPI_Request *handle, MPI_Status *status) {
    ENTER(Wait, handle, status);
    return request_wait(caller, handle, status);
}

EXPORT(Waitall)
int MPI_Waitall(int count, MPI_Request handles[], MPI_Status statuses[]) {
    ENTER(Waitall, count, handles, statuses);
    return wait_all(caller, count, handles, statuses, count, report_all);
}

EXPORT(Waitany)
int MPI_Waitany(int count, MPI_Request handles[], int *index, MPI_Status *status) {
    ENTER(Waitany, count, handles, index, status);
    int flag;
    return any(caller, WIRE_CALL_WAIT_ANY, count, handles, index, &flag, status);
}

EXPORT(Waitsome)
int MPI_Waitsome(int count, MPI_Request handles[], int *reported, int indices[], MPI_Status statuses[]) {
    ENTER(Waitsome, count, handles, reported, indices, statuses);
    return some(caller, WIRE_CALL_WAIT_SOME, count, handles, reported, indices, statuses);
}

EXPORT(Test)
int MPI_Test(MPI_Request *handle, int *flag, MPI_Status *status) {
    ENTER(Test, handle, flag, status);
    return test_all(caller, 1, handle, flag, status, report_single);
}

EXPORT(Testall)
int MPI_Testall(int count, MPI_Request handles[], int *flag, MPI_Status statuses[]) {
    ENTER(Testall, count, handles, flag, statuses);
    return test_all(caller, count, handles, flag, statuses, report_all);
}

EXPORT(Testany)
int MPI_Testany(int count, MPI_Request handles[], int *index, int *flag, MPI_Status *status) {
    ENTER(Testany, count, handles, index, flag, status);
    return any(caller, WIRE_CALL_TEST_ANY, count, handles, index, flag, status);
}

EXPORT(Testsome)
int MPI_Testsome(int count, MPI_Request handles[], int *reported, int indices[], MPI_Status statuses[]) {
    ENTER(Testsome, count, handles, reported, indices, statuses);
    return some(caller, WIRE_CALL_TEST_SOME, count, handles, reported, indices, statuses);
}

/* As MPICH has it, the only function that tells of no error in an empty status. */
static void set_all_empty(MPI_Status *status) {
    status_set_empty(status);
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = MPI_SUCCESS;
}

/* A test that leaves the request in place: what the explorer reports is kept for the wait or test that will come. */
EXPORT(Request_get_status)
int MPI_Request_get_status(MPI_Request handle, int *flag, MPI_Status *status) {
    ENTER(Request_get_status, handle, flag, status);
    struct awaited awaited;
    int error = sort_out(caller, 1, &handle, &awaited);
    if (error != MPI_SUCCESS)
        return error;
    *flag = 1;
    if (awaited.active > 0) {
        const struct wire_resolution *answer = block(caller, WIRE_CALL_TEST_ALL, &awaited);
        *flag = answer->kind != WIRE_NOT_YET;
        take_answer(&awaited, answer);
    }
    if (*flag && is_complete(handle))
        error = request_show(handle, status);
    else if (*flag)
        set_all_empty(status);
    sorting_done(&awaited);
    return error;
}
