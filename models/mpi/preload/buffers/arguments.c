#include "models/mpi/preload/buffers/arguments.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/error_handlers.h"
#include "models/mpi/preload/objects.h"
#include "models/mpi/preload/rank.h"

#include <stdarg.h>
#include <stdio.h>

int reject(const struct caller *caller, MPI_Comm handle, int error_class, const char *format, ...) {
    if (communicator_find(handle) == NULL) /* freed while an operation still held it */
        handle = MPI_COMM_WORLD;
    if (!errors_are_fatal(handle))
        return errors_handle(handle, error_class);
    char reason[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    rank_violation("invalid-argument", caller->function, caller->site, "%s was called with %s", function_name(caller->function),
                   reason);
}

int check_communicator(const struct caller *caller, MPI_Comm handle, struct communicator **communicator) {
    *communicator = communicator_find(handle);
    if (*communicator != NULL && (*communicator)->is_incomplete)
        return reject(caller, handle, MPI_ERR_COMM, "a communicator whose duplication is not complete");
    if (*communicator != NULL)
        return MPI_SUCCESS;
    return reject(caller, MPI_COMM_WORLD, MPI_ERR_COMM, "%s",
                  handle == MPI_COMM_NULL ? "MPI_COMM_NULL" : "a communicator that does not exist or was freed");
}

int check_count(const struct caller *caller, MPI_Comm handle, MPI_Count count) {
    return count >= 0 ? MPI_SUCCESS : reject(caller, handle, MPI_ERR_COUNT, "a negative count (%lld)", (long long)count);
}

/* What MPI_Get_count says of a message that is no whole number of elements is taken for a count. */
static const char *meaning_of(MPI_Count count) { return count == MPI_UNDEFINED ? ", which is MPI_UNDEFINED" : ""; }

struct data_fault data_fault(const void *buffer, MPI_Count count, MPI_Datatype type) {
    struct data_fault fault = {.error_class = MPI_SUCCESS};
    if (count < 0) {
        snprintf(fault.reason, sizeof fault.reason, "a negative count (%lld%s)", (long long)count, meaning_of(count));
        fault.error_class = MPI_ERR_COUNT;
        return fault;
    }
    if (type == MPI_DATATYPE_NULL)
        return (struct data_fault){MPI_ERR_TYPE, "MPI_DATATYPE_NULL"};
    if (!object_exists(OBJECT_DATATYPE, type))
        return (struct data_fault){MPI_ERR_TYPE, "a datatype that does not exist or was freed"};
    if (!data_type_usable(type))
        return (struct data_fault){MPI_ERR_TYPE, "a datatype that was not committed"};
    if (buffer == MPI_IN_PLACE)
        return (struct data_fault){MPI_ERR_BUFFER, "MPI_IN_PLACE where it does not apply"};
    if (buffer == NULL && count > 0 && real_is_predefined(type)) {
        snprintf(fault.reason, sizeof fault.reason, "a null buffer and count %lld", (long long)count);
        fault.error_class = MPI_ERR_BUFFER;
    }
    return fault;
}

int check_data(const struct caller *caller, const struct communicator *communicator, const void *buffer, MPI_Count count,
               MPI_Datatype type) {
    struct data_fault fault = data_fault(buffer, count, type);
    if (fault.error_class == MPI_SUCCESS)
        return MPI_SUCCESS;
    return reject(caller, communicator->handle, fault.error_class, "%s", fault.reason);
}

static int highest_tag; /* MPI_TAG_UB */

void arguments_start(void) {
    int *highest = NULL;
    int found = 0;
    REAL(Comm_get_attr)(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &found);
    highest_tag = found ? *highest : INT32_MAX;
}

int check_tag(const struct caller *caller, const struct communicator *communicator, int tag) {
    if (tag >= 0 && tag <= highest_tag)
        return MPI_SUCCESS;
    return reject(caller, communicator->handle, MPI_ERR_TAG, "tag %d%s, which is outside 0..%d", tag,
                  tag == MPI_ANY_TAG ? " (MPI_ANY_TAG)" : "", highest_tag);
}

int check_intracommunicator(const struct caller *caller, const struct communicator *communicator) {
    if (!communicator_is_inter(communicator))
        return MPI_SUCCESS;
    return reject(caller, communicator->handle, MPI_ERR_COMM, "an intercommunicator");
}

/* What a rank is one of. */
static const char *kind_of(const struct communicator *communicator) {
    return communicator_is_inter(communicator) ? "remote group" : "communicator";
}

int check_send_peer(const struct caller *caller, const struct communicator *communicator, int destination, int tag) {
    if (destination != MPI_PROC_NULL && (destination < 0 || destination >= communicator_peers(communicator)))
        return reject(caller, communicator->handle, MPI_ERR_RANK, "destination %d%s in a %s of size %d", destination,
                      destination == MPI_ANY_SOURCE ? " (MPI_ANY_SOURCE)" : "", kind_of(communicator),
                      communicator_peers(communicator));
    return check_tag(caller, communicator, tag);
}

int check_receive_peer(const struct caller *caller, const struct communicator *communicator, int source, int tag) {
    bool wildcard = source == MPI_ANY_SOURCE || source == MPI_PROC_NULL;
    if (!wildcard && (source < 0 || source >= communicator_peers(communicator)))
        return reject(caller, communicator->handle, MPI_ERR_RANK, "source %d in a %s of size %d", source, kind_of(communicator),
                      communicator_peers(communicator));
    return tag == MPI_ANY_TAG ? MPI_SUCCESS : check_tag(caller, communicator, tag);
}

int check_root(const struct caller *caller, const struct communicator *communicator, int root) {
    bool inter = communicator_is_inter(communicator);
    if ((root >= 0 && root < communicator_peers(communicator)) || (inter && (root == MPI_ROOT || root == MPI_PROC_NULL)))
        return MPI_SUCCESS;
    return reject(caller, communicator->handle, MPI_ERR_ROOT, "root %d in a %s of size %d", root, kind_of(communicator),
                  communicator_peers(communicator));
}

int check_operator(const struct caller *caller, MPI_Comm handle, MPI_Op op, MPI_Datatype type) {
    if (op == MPI_OP_NULL)
        return reject(caller, handle, MPI_ERR_OP, "MPI_OP_NULL");
    if (!object_exists(OBJECT_OPERATOR, op))
        return reject(caller, handle, MPI_ERR_OP, "an operator that does not exist or was freed");
    if (!data_operator_usable(op, type))
        return reject(caller, handle, MPI_ERR_OP, "an operator that does not apply to the datatype");
    return MPI_SUCCESS;
}

int check_window_handle(const struct caller *caller, MPI_Win window) {
    if (window != MPI_WIN_NULL && object_exists(OBJECT_WINDOW, window))
        return MPI_SUCCESS;
    return reject(caller, MPI_COMM_WORLD, MPI_ERR_WIN, "%s",
                  window == MPI_WIN_NULL ? "MPI_WIN_NULL" : "a window that does not exist or was freed");
}

static int error_class_of(enum object_kind kind) {
    switch (kind) {
    case OBJECT_COMMUNICATOR: return MPI_ERR_COMM;
    case OBJECT_DATATYPE: return MPI_ERR_TYPE;
    case OBJECT_OPERATOR: return MPI_ERR_OP;
    case OBJECT_INFO: return MPI_ERR_INFO;
    case OBJECT_WINDOW: return MPI_ERR_WIN;
    default: return MPI_ERR_ARG;
    }
}

int check_request_place(const struct caller *caller, const MPI_Request *place) {
    return place != NULL ? MPI_SUCCESS : reject(caller, MPI_COMM_WORLD, MPI_ERR_ARG, "a null pointer");
}

int check_object(const struct caller *caller, enum object_kind kind, int handle) {
    bool null = (uint32_t)handle >> 30 == 0;
    if (null || object_exists(kind, handle))
        return MPI_SUCCESS;
    return reject(caller, MPI_COMM_WORLD, error_class_of(kind), "%s that does not exist or was freed", object_kind_name(kind));
}
