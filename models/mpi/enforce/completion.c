/* Waiting for requests and testing them: what the ordering reports is waited for, and reported. */
#include "models/mpi/enforce/enforce.h"

#include <stdlib.h>
#include <string.h>

/* A list of requests, sorted out as the explorer does it. */
struct list {
    MPI_Request *handle; /* the program's */
    MPI_Request *real;   /* what to ask MPI for in their place */
    MPI_Status *status;  /* one for each */
    int *position;       /* where in the list each active one is */
    bool *complete;      /* needs no waiting */
    int count, active, completes;
};

static void *taken(size_t bytes) {
    void *block = calloc(1, bytes + 1);
    if (!block)
        abort();
    return block;
}

static void list_open(struct list *list, int count, MPI_Request handles[]) {
    size_t most = count > 0 ? (size_t)count : 0;
    *list = (struct list){.handle = handles,
                          .real = taken(most * sizeof *list->real),
                          .status = taken(most * sizeof *list->status),
                          .position = taken(most * sizeof *list->position),
                          .complete = taken(most * sizeof *list->complete),
                          .count = count};
    for (int i = 0; i < count; i++) {
        const struct tracked *tracked = handles[i] == MPI_REQUEST_NULL ? NULL : tracked_find(handles[i]);
        list->real[i] = tracked && tracked->persistent ? tracked->current : handles[i];
        const struct tracked *current = list->real[i] == MPI_REQUEST_NULL ? NULL : tracked_find(list->real[i]);
        list->complete[i] = current && current->complete;
        list->completes += list->complete[i];
        if (list->real[i] != MPI_REQUEST_NULL && !list->complete[i])
            list->position[list->active++] = i;
    }
}

static int list_close(struct list *list, int result) {
    free(list->real);
    free(list->status);
    free(list->position);
    free(list->complete);
    return result;
}

/* A request of the list is over: its handle goes, or becomes inactive, and recordings learn what it got. */
static void settle(struct list *list, int i, MPI_Request before) {
    struct tracked *tracked = before == MPI_REQUEST_NULL ? NULL : tracked_find(before);
    int cancelled = 0;
    if (tracked && tracked->receives)
        REAL(Test_cancelled)(&list->status[i], &cancelled);
    if (tracked && (tracked->wildcard || cancelled)) {
        int32_t source = cancelled ? 0 : enforce_world_rank(tracked->transfer.communicator, list->status[i].MPI_SOURCE);
        enforce_amend(tracked->choice, cancelled ? WORD_CANCELLED : WORD_NOTHING, &source, !cancelled);
    }
    tracked_forget(before);
    struct tracked *persistent = list->handle[i] == MPI_REQUEST_NULL ? NULL : tracked_find(list->handle[i]);
    if (persistent && persistent->persistent)
        persistent->current = MPI_REQUEST_NULL;
    else
        list->handle[i] = list->real[i];
}

static int wait_one(struct list *list, int i) {
    MPI_Request before = list->real[i];
    int result = REAL(Wait)(&list->real[i], &list->status[i]);
    settle(list, i, before);
    return result;
}

/* MPI's own call for several: it is what shows where a rank hangs. */
static int wait_all(struct list *list) {
    MPI_Request *before = taken((size_t)list->count * sizeof *before);
    memcpy(before, list->real, (size_t)list->count * sizeof *before);
    int result = REAL(Waitall)(list->count, list->real, list->status);
    for (int i = 0; i < list->count; i++)
        settle(list, i, before[i]);
    free(before);
    return result;
}

static void give(MPI_Status *to, const MPI_Status *from) {
    if (to == MPI_STATUS_IGNORE)
        return;
    int error = to->MPI_ERROR;
    *to = *from;
    to->MPI_ERROR = error;
}

static void give_all(MPI_Status to[], const struct list *list, const int *index, int count) {
    for (int i = 0; i < count && to != MPI_STATUSES_IGNORE; i++)
        give(&to[i], &list->status[index ? index[i] : i]);
}

int enforce_wait(MPI_Request *request, MPI_Status *status) {
    struct list list;
    list_open(&list, 1, request);
    int result = wait_one(&list, 0);
    give(status, &list.status[0]);
    return list_close(&list, result);
}

/* Where a choice says which, in the program's list. */
static int place(const struct list *list, int32_t number) {
    if (number >= list->active)
        enforce_depart("has %d requests to wait for where the ordering has it choose number %d", list->active, number);
    return list->position[number];
}

/* And back. -1: it needed no waiting. */
static int32_t number_of(const struct list *list, int place) {
    for (int i = 0; i < list->active; i++)
        if (list->position[i] == place)
            return i;
    return -1;
}

/* --- all ----------------------------------------------------------------------------------------------------------------- */

static int real_testall(struct list *list, int *flag) {
    MPI_Request *before = taken((size_t)list->count * sizeof *before);
    memcpy(before, list->real, (size_t)list->count * sizeof *before);
    int result = REAL(Testall)(list->count, list->real, flag, list->status);
    for (int i = 0; i < list->count && *flag; i++)
        settle(list, i, before[i]);
    free(before);
    if (list->active && enforce_records())
        enforce_record(CHOICE_COMPLETE, *flag ? WORD_ALL : WORD_NONE, NULL, 0);
    return result;
}

static int test_all(struct list *list, int *flag) {
    if (!list->active || enforce_records())
        return real_testall(list, flag);
    const struct choice_made *choice = enforce_choice(CHOICE_COMPLETE);
    if (!choice)
        return real_testall(list, flag);
    *flag = choice->word != WORD_NONE;
    return *flag ? wait_all(list) : MPI_SUCCESS;
}

/* --- any ----------------------------------------------------------------------------------------------------------------- */

static void record_one(const struct list *list, int index, bool flag) {
    int32_t number = flag && index != MPI_UNDEFINED ? number_of(list, index) : -1;
    enforce_record(CHOICE_COMPLETE, number < 0 ? WORD_NONE : WORD_NOTHING, &number, number >= 0);
}

/* MPI_Waitany, or with `tests` MPI_Testany. */
static int real_any(struct list *list, bool tests, int *index, int *flag) {
    MPI_Request *before = taken((size_t)list->count * sizeof *before);
    MPI_Status status;
    memcpy(before, list->real, (size_t)list->count * sizeof *before);
    *flag = 1;
    int result = tests ? REAL(Testany)(list->count, list->real, index, flag, &status)
                       : REAL(Waitany)(list->count, list->real, index, &status);
    if (*flag && *index != MPI_UNDEFINED) {
        list->status[*index] = status;
        settle(list, *index, before[*index]);
    }
    free(before);
    if (list->active && enforce_records())
        record_one(list, *index, *flag);
    return result;
}

static int first_complete(const struct list *list) {
    int i = 0;
    while (!list->complete[i])
        i++;
    return i;
}

static int any(struct list *list, bool tests, int *index, int *flag) {
    const struct choice_made *choice = NULL;
    if (list->active && !enforce_records())
        choice = enforce_choice(CHOICE_COMPLETE);
    if (!choice)
        return real_any(list, tests, index, flag);
    *flag = choice->word != WORD_NONE || list->completes > 0;
    *index = MPI_UNDEFINED;
    if (!*flag)
        return MPI_SUCCESS;
    *index = choice->word == WORD_NONE ? first_complete(list) : place(list, choice->number[0]);
    return wait_one(list, *index);
}

static void give_one(MPI_Status *status, const struct list *list, int index, int flag) {
    static const MPI_Status empty = {.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG};
    if (flag)
        give(status, index == MPI_UNDEFINED ? &empty : &list->status[index]);
}

/* --- some ---------------------------------------------------------------------------------------------------------------- */

static void record_some(const struct list *list, const int *index, int count) {
    int32_t *number = taken((size_t)list->count * sizeof *number);
    uint32_t numbers = 0;
    for (int i = 0; i < list->active; i++) {
        bool reported = false;
        for (int k = 0; k < count; k++)
            reported |= index[k] == list->position[i];
        if (reported)
            number[numbers++] = i;
    }
    enforce_record(CHOICE_COMPLETE, numbers ? WORD_NOTHING : WORD_NONE, number, numbers);
    free(number);
}

static int real_some(struct list *list, bool tests, int *count, int index[]) {
    MPI_Request *before = taken((size_t)list->count * sizeof *before);
    MPI_Status *status = taken((size_t)list->count * sizeof *status);
    memcpy(before, list->real, (size_t)list->count * sizeof *before);
    int result = (tests ? REAL(Testsome) : REAL(Waitsome))(list->count, list->real, count, index, status);
    for (int i = 0; *count != MPI_UNDEFINED && i < *count; i++) {
        list->status[index[i]] = status[i];
        settle(list, index[i], before[index[i]]);
    }
    free(before);
    free(status);
    if (list->active && enforce_records())
        record_some(list, index, *count);
    return result;
}

static int some(struct list *list, bool tests, int *count, int index[]) {
    const struct choice_made *choice = NULL;
    if (list->active && !enforce_records())
        choice = enforce_choice(CHOICE_COMPLETE);
    if (!choice)
        return real_some(list, tests, count, index);
    bool *chosen = taken((size_t)list->count * sizeof *chosen);
    for (uint32_t i = 0; i < choice->numbers; i++)
        chosen[place(list, choice->number[i])] = true;
    int result = MPI_SUCCESS;
    *count = 0;
    for (int i = 0; i < list->count && result == MPI_SUCCESS; i++)
        if (chosen[i] || list->complete[i]) {
            index[(*count)++] = i;
            result = wait_one(list, i);
        }
    free(chosen);
    return result;
}

/* --- MPI's functions ----------------------------------------------------------------------------------------------------- */

EXPORT(Wait)
int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    ENTER(Wait, request, status);
    LEAVE(enforce_wait(request, status));
}

EXPORT(Waitall)
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    ENTER(Waitall, count, requests, statuses);
    struct list list;
    list_open(&list, count, requests);
    int result = wait_all(&list);
    give_all(statuses, &list, NULL, count);
    LEAVE(list_close(&list, result));
}

EXPORT(Test)
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    ENTER(Test, request, flag, status);
    struct list list;
    list_open(&list, 1, request);
    int result = test_all(&list, flag);
    give_one(status, &list, 0, *flag);
    LEAVE(list_close(&list, result));
}

EXPORT(Testall)
int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    ENTER(Testall, count, requests, flag, statuses);
    struct list list;
    list_open(&list, count, requests);
    int result = test_all(&list, flag);
    if (*flag)
        give_all(statuses, &list, NULL, count);
    LEAVE(list_close(&list, result));
}

EXPORT(Waitany)
int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    ENTER(Waitany, count, requests, index, status);
    struct list list;
    int flag;
    list_open(&list, count, requests);
    int result = any(&list, false, index, &flag);
    give_one(status, &list, *index, flag);
    LEAVE(list_close(&list, result));
}

EXPORT(Testany)
int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    ENTER(Testany, count, requests, index, flag, status);
    struct list list;
    list_open(&list, count, requests);
    int result = any(&list, true, index, flag);
    give_one(status, &list, *index, *flag);
    LEAVE(list_close(&list, result));
}

EXPORT(Waitsome)
int MPI_Waitsome(int count, MPI_Request requests[], int *reported, int indices[], MPI_Status statuses[]) {
    ENTER(Waitsome, count, requests, reported, indices, statuses);
    struct list list;
    list_open(&list, count, requests);
    int result = some(&list, false, reported, indices);
    give_all(statuses, &list, indices, *reported == MPI_UNDEFINED ? 0 : *reported);
    LEAVE(list_close(&list, result));
}

EXPORT(Testsome)
int MPI_Testsome(int count, MPI_Request requests[], int *reported, int indices[], MPI_Status statuses[]) {
    ENTER(Testsome, count, requests, reported, indices, statuses);
    struct list list;
    list_open(&list, count, requests);
    int result = some(&list, true, reported, indices);
    give_all(statuses, &list, indices, *reported == MPI_UNDEFINED ? 0 : *reported);
    LEAVE(list_close(&list, result));
}

/* The request stays: the wait or test that will come finds it complete. */
EXPORT(Request_get_status)
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
    ENTER(Request_get_status, request, flag, status);
    struct list list;
    list_open(&list, 1, &request);
    MPI_Request real = list.real[0];
    const struct choice_made *choice = list.active && !enforce_records() ? enforce_choice(CHOICE_COMPLETE) : NULL;
    int result = MPI_SUCCESS;
    *flag = 0;
    if (!choice || choice->word != WORD_NONE)
        do
            result = REAL(Request_get_status)(real, flag, status);
        while (result == MPI_SUCCESS && choice && !*flag);
    if (list.active && enforce_records())
        enforce_record(CHOICE_COMPLETE, *flag ? WORD_ALL : WORD_NONE, NULL, 0);
    if (*flag && list.active) {
        struct tracked *tracked = tracked_find(real);
        (tracked ? tracked : tracked_add(real))->complete = true;
    }
    LEAVE(list_close(&list, result));
}
