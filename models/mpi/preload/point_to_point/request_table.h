/* The request table itself, shared by making (requests.c) and waiting (completion.c). */
#ifndef MODELS_MPI_PRELOAD_REQUEST_TABLE_H
#define MODELS_MPI_PRELOAD_REQUEST_TABLE_H

#include "models/mpi/preload/buffers/pending_buffers.h"
#include "models/mpi/preload/point_to_point/requests.h"

enum request_state { REQUEST_UNUSED = 0, REQUEST_INACTIVE, REQUEST_ACTIVE, REQUEST_COMPLETE };

struct request {
    enum request_state state;
    struct transfer transfer;
    uint64_t signature;            /* of the type, see type_signatures.h */
    struct collective *collective; /* owned; NULL: point-to-point */
    struct caller maker;
    MPI_Status status;               /* COMPLETE: what the wait or test will report */
    int error;                       /* COMPLETE: what it will return */
    struct generalized *generalized; /* NULL: none */
    struct buffers buffers;          /* ACTIVE: what the operation owns */
    MPI_Request half[2];             /* a pair: its receive and its send; 0: not one */
    bool is_half;                    /* of a pair: no request of the program's */
    bool forgotten;                  /* ACTIVE: what its buffer held before (leftovers.h, pending_leftovers.h) */
    bool of_window;                  /* of an access to one; else of a message or a collective, or */
    uint64_t file;                   /* ... to the file with this communicator's context; 0: to none */
    bool done;                       /* of what was done when it was made */
    uint64_t file_bytes;             /* access to a file: how many were read or written, as the status will say */
};

/* NULL if the handle names none. Valid until the next request is made. */
struct request *request_find(MPI_Request handle);
/* By its number, from 0; NULL beyond the last one. It may be UNUSED. */
struct request *request_numbered(uint32_t number);
/* How many numbers there are. */
uint32_t request_slots(void);
/* By number: within which its buffers lie, as long as it owns them. Programs have thousands of requests, most of which are not
 * near: here one need not look at each. */
struct buffers_bounds *request_bounds(void);
/* The bytes that a receive has room for. */
uint64_t request_room(const struct request *request);
/* Its number towards the explorer. */
uint32_t request_number(MPI_Request handle);

static inline bool request_is_pair(const struct request *request) { return request->half[0] != 0; }
/* ACTIVE -> COMPLETE if both halves of the pair are. */
void request_settle_pair(struct request *request);

/* A request of what is done owns what it gives all the same, until it is reported or request_give_back is called with the
 * place that made it. */
void request_lend(MPI_Request handle, const struct buffers *buffers);
void request_give_back(uint32_t number, uint64_t site);

/* The explorer's answer: ACTIVE -> COMPLETE, with the data unpacked and the status kept. */
void request_complete(struct request *request, const struct wire_completion *completion);
/* COMPLETE -> UNUSED or INACTIVE: gives the status to the program. Returns the request's error; its error handler is not
 * called. */
int request_report(MPI_Request *handle, MPI_Status *status);
/* The status alone: the request stays COMPLETE. */
int request_show(MPI_Request handle, MPI_Status *status);
void request_discard(struct request *request);

/* generalized_requests.c: what the program's callbacks do where other requests are known to the explorer. */
struct generalized {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free;
    MPI_Grequest_cancel_function *cancel;
    void *extra_state;
    bool freed;      /* MPI_Request_free came before MPI_Grequest_complete */
    bool is_fortran; /* the functions are subroutines: they take addresses, and store their error */
};
/* Asks the program for the status of a request that is complete. */
int generalized_query(MPI_Request handle, MPI_Status *status);
/* The request is over: UNUSED. */
int generalized_release(MPI_Request handle);
/* MPI_Request_free: as soon as it is complete, it is over. */
int generalized_free(MPI_Request handle);
int generalized_cancel(MPI_Request handle);

#endif
