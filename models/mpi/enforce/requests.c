/* Requests that real MPI has no equivalent of, and those that something has to be remembered of. */
#include "models/mpi/enforce/enforce.h"

#include <stdlib.h>

static struct tracked *table;
static size_t count, room;

struct tracked *tracked_find(MPI_Request handle) {
    for (size_t i = 0; i < count; i++)
        if (table[i].handle == handle)
            return &table[i];
    return NULL;
}

struct tracked *tracked_add(MPI_Request handle) {
    if (count == room) {
        room = room * 2 + 16;
        table = realloc(table, room * sizeof *table);
        if (!table)
            abort();
    }
    table[count] = (struct tracked){.handle = handle, .current = MPI_REQUEST_NULL};
    return &table[count++];
}

void tracked_forget(MPI_Request handle) {
    struct tracked *tracked = tracked_find(handle);
    if (tracked)
        *tracked = table[--count];
}

/* --- generalized requests ------------------------------------------------------------------------------------------------ */

/* The addresses of these say what a generalized request stands for. */
static char idle, no_process, done;

static int query(void *stands_for, MPI_Status *status) {
    REAL(Status_set_elements)(status, MPI_BYTE, 0);
    REAL(Status_set_cancelled)(status, stands_for == &idle);
    status->MPI_SOURCE = stands_for == &no_process ? MPI_PROC_NULL : MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    return MPI_SUCCESS;
}

static int nothing_to_free(void *stands_for) {
    (void)stands_for;
    return MPI_SUCCESS;
}

static MPI_Request cancelled; /* the request that is being cancelled: its callback is not told */

static int cancel(void *stands_for, int complete) {
    if (stands_for == &idle && !complete)
        REAL(Grequest_complete)(cancelled);
    return MPI_SUCCESS;
}

static int make(char *stands_for, MPI_Request *request) {
    return REAL(Grequest_start)(query, nothing_to_free, cancel, stands_for, request);
}

int enforce_complete_request(bool of_no_process, MPI_Request *request) {
    int result = make(of_no_process ? &no_process : &done, request);
    return result == MPI_SUCCESS ? REAL(Grequest_complete)(*request) : result;
}

int enforce_idle_request(MPI_Request *request) {
    int result = make(&idle, request);
    if (result == MPI_SUCCESS)
        tracked_add(*request)->idle = true;
    return result;
}

/* --- what programs do with requests besides waiting ------------------------------------------------------------------------ */

/* If the ordering has the message win, the cancellation is as if it came too late. */
EXPORT(Cancel)
int MPI_Cancel(MPI_Request *request) {
    ENTER(Cancel, request);
    const struct tracked *tracked = tracked_find(*request);
    cancelled = tracked && tracked->persistent ? tracked->current : *request;
    tracked = tracked_find(cancelled);
    bool wins = enforce_records() || (tracked && tracked->idle);
    LEAVE(wins ? REAL(Cancel)(&cancelled) : MPI_SUCCESS);
}

EXPORT(Request_free)
int MPI_Request_free(MPI_Request *request) {
    ENTER(Request_free, request);
    struct tracked *tracked = tracked_find(*request);
    if (tracked && tracked->persistent && tracked->current != MPI_REQUEST_NULL)
        REAL(Request_free)(&tracked->current);
    tracked_forget(*request);
    LEAVE(REAL(Request_free)(request));
}
