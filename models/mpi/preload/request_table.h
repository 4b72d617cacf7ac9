/* The request table itself, shared by making (requests.c) and waiting (completion.c). */
#ifndef MODELS_MPI_PRELOAD_REQUEST_TABLE_H
#define MODELS_MPI_PRELOAD_REQUEST_TABLE_H

#include "models/mpi/preload/requests.h"

enum request_state { REQUEST_UNUSED = 0, REQUEST_INACTIVE, REQUEST_ACTIVE, REQUEST_COMPLETE };

struct request {
    enum request_state state;
    struct transfer transfer;
    struct caller maker;
    MPI_Status status; /* COMPLETE: what the wait or test will report */
};

/* NULL if the handle names none. Valid until the next request is made. */
struct request *request_find(MPI_Request handle);
/* By its number; NULL if it is none of the program's. */
const struct request *request_numbered(uint32_t number);
/* Its number towards the explorer. */
uint32_t request_number(MPI_Request handle);

/* The explorer's answer: ACTIVE -> COMPLETE, with the data unpacked and the status kept. */
void request_complete(struct request *request, const struct wire_completion *completion);
/* COMPLETE -> UNUSED or INACTIVE: gives the status to the program. */
void request_report(struct request *request, MPI_Request *handle, MPI_Status *status);
void request_discard(struct request *request);

#endif
