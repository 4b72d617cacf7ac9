#include "models/mpi/preload/mpi_files/file_data.h"

#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/buffers/buffer_room.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/mpi_files/file_server.h"
#include "models/mpi/preload/objects.h"
#include "models/mpi/preload/point_to_point/request_table.h"
#include "models/mpi/preload/windows/window_received.h"

#include <stdlib.h>
#include <string.h>

/* ---- checks ---- */

static int check_buffer(const struct file_access *access, struct mpi_file *file) {
    if (access->count < 0)
        return file_reject(access->caller, file, MPI_ERR_COUNT, "a negative count (%lld)", (long long)access->count);
    if (access->type == MPI_DATATYPE_NULL)
        return file_reject(access->caller, file, MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    if (!object_exists(OBJECT_DATATYPE, access->type))
        return file_reject(access->caller, file, MPI_ERR_TYPE, "a datatype that does not exist or was freed");
    if (!data_type_usable(access->type))
        return file_reject(access->caller, file, MPI_ERR_TYPE, "a datatype that was not committed");
    if (access->buffer == NULL && access->count > 0 && data_is_plain(access->type))
        return file_reject(access->caller, file, MPI_ERR_BUFFER, "a null buffer and count %lld", (long long)access->count);
    if ((uint64_t)access->count * data_size(access->type) % (uint64_t)file->view.unit != 0)
        return file_reject(access->caller, file, MPI_ERR_IO, "data that does not consist of whole etypes");
    return MPI_SUCCESS;
}

static int check_mode(const struct file_access *access, struct mpi_file *file) {
    bool by_pointer = access->positioning == FILE_SHARED_POINTER || access->positioning == FILE_ORDERED;
    if (access->writes && (file->amode & MPI_MODE_RDONLY))
        return file_fail(access->caller, file, MPI_ERR_READ_ONLY, "a file that was opened with MPI_MODE_RDONLY");
    if (!access->writes && (file->amode & MPI_MODE_WRONLY))
        return file_fail(access->caller, file, MPI_ERR_ACCESS, "a file that was opened with MPI_MODE_WRONLY");
    if (!by_pointer && (file->amode & MPI_MODE_SEQUENTIAL))
        return file_fail(access->caller, file, MPI_ERR_UNSUPPORTED_OPERATION,
                         "a file that was opened with MPI_MODE_SEQUENTIAL");
    if (access->positioning == FILE_AT && access->offset < 0)
        return file_reject(access->caller, file, MPI_ERR_ARG, "an offset of %lld", (long long)access->offset);
    if (access->collective && file->split.end != 0)
        return file_reject_pending(access->caller, file, &file->split.begun);
    return MPI_SUCCESS;
}

static struct buffers buffers_of(const struct file_access *access) {
    struct buffers buffers = {0};
    footprint_add(access->writes ? &buffers.given : &buffers.taken, access->buffer, access->count, access->type);
    return buffers;
}

/* What pending operations own. */
static void require_buffer(const struct file_access *access) {
    if (!pending_buffers_matter())
        return;
    struct buffers buffers = buffers_of(access);
    pending_buffers_require_free(access->caller, &buffers);
    buffers_free(&buffers);
}

static int check_access(const struct file_access *access, struct mpi_file **file) {
    int error = check_file(access->caller, access->handle, file);
    if (error == MPI_SUCCESS)
        error = check_mode(access, *file);
    if (error == MPI_SUCCESS)
        error = check_buffer(access, *file);
    if (error == MPI_SUCCESS) {
        file_require_etypes(access->caller, *file, access->count, access->type);
        require_buffer(access);
    }
    return error;
}

/* ---- data representation ---- */

/* Where the sizes are the same, external32 differs in the order of bytes only. */
static void require_same_size(const struct file_access *access) {
    MPI_Aint size = 0;
    REAL(Pack_external_size)("external32", 1, access->type, &size);
    if ((size_t)size != data_size(access->type))
        rank_refuse(access->caller->function, access->caller->site,
                    "a datatype whose size in external32 is not its size in memory is not supported");
}

static void to_file(const struct file_access *access, const struct mpi_file *file, char *bytes, uint64_t size) {
    MPI_Aint position = 0;
    if (!file->view.external) {
        data_pack(bytes, access->buffer, access->count, access->type);
        return;
    }
    require_same_size(access);
    REAL(Pack_external_c)("external32", access->buffer, access->count, access->type, bytes, (MPI_Count)size, &position);
}

static void from_file(const struct file_access *access, const struct mpi_file *file, char *bytes, uint64_t size) {
    if (!file->view.external) {
        data_unpack(access->buffer, access->type, bytes, size);
        windows_note_received(access->buffer, access->type, size);
        return;
    }
    MPI_Aint position = 0;
    require_same_size(access);
    size_t element = data_size(access->type);
    if (size >= element)
        REAL(Unpack_external)
    ("external32", bytes, (MPI_Aint)size, &position, access->buffer, (int)(size / element), access->type);
}

/* ---- positions ---- */

struct ordered {
    int rank;
    int64_t before, total; /* etypes of the members before this one, and of all */
    int64_t start;
};

static void take_amount(void *context, int member, const void *bytes, size_t size) {
    struct ordered *ordered = context;
    int64_t amount;
    memcpy(&amount, bytes, size);
    ordered->total += amount;
    if (member < ordered->rank)
        ordered->before += amount;
}

static void take_start(void *context, int member, const void *bytes, size_t size) {
    struct ordered *ordered = context;
    if (member == 0)
        memcpy(&ordered->start, bytes, size);
}

/* In the order of ranks, from where the shared pointer is. */
static int64_t ordered_position(const struct caller *caller, struct mpi_file *file, int64_t etypes) {
    struct ordered ordered = {.rank = file->communicator->rank};
    int64_t start = 0;
    file_exchange(caller, file,
                  &(struct file_exchange){.own = &etypes, .size = sizeof etypes, .take = take_amount, .context = &ordered});
    if (file_is_leader(file))
        start = file_shared_take(caller, file, ordered.total);
    file_exchange(caller, file,
                  &(struct file_exchange){.own = &start, .size = sizeof start, .take = take_start, .context = &ordered});
    return ordered.start + ordered.before;
}

static int64_t position_of(const struct file_access *access, struct mpi_file *file, int64_t etypes) {
    int64_t position = access->offset;
    if (access->positioning == FILE_SHARED_POINTER || access->positioning == FILE_ORDERED)
        file_require_same_view(access->caller, file);
    switch (access->positioning) {
    case FILE_AT: break;
    case FILE_INDIVIDUAL:
        position = file->position;
        file->position += etypes;
        break;
    case FILE_SHARED_POINTER: position = file_shared_take(access->caller, file, etypes); break;
    case FILE_ORDERED: position = ordered_position(access->caller, file, etypes); break;
    }
    return position;
}

/* ---- the access itself ---- */

static struct file_pieces pieces_of(const struct file_access *access, struct mpi_file *file, uint64_t size) {
    int64_t position = position_of(access, file, (int64_t)size / file->view.unit);
    return file_view_pieces(&file->view, position * file->view.unit, size);
}

/* Returns the bytes read or written. `collective`: its number, or 0. */
static uint64_t do_access(const struct file_access *access, struct mpi_file *file, uint32_t collective) {
    uint64_t size = (uint64_t)access->count * data_size(access->type);
    struct file_pieces pieces = pieces_of(access, file, size);
    char *bytes = malloc(size + 1);
    if (access->writes) {
        require_room_for(access->caller, access->buffer, size, access->type);
        to_file(access, file, bytes, size);
        file_write(access->caller, file, collective, &pieces, bytes);
    } else {
        size = file_read(access->caller, file, collective, &pieces, bytes);
        require_room_for(access->caller, access->buffer, size, access->type);
        from_file(access, file, bytes, size);
    }
    free(bytes);
    free(pieces.run);
    return size;
}

static void set_status(MPI_Status *status, uint64_t bytes) {
    if (status == MPI_STATUS_IGNORE)
        return;
    status_set_empty(status);
    REAL(Status_set_elements_x)(status, MPI_BYTE, (MPI_Count)bytes);
}

static uint64_t do_blocking(const struct file_access *access, struct mpi_file *file) {
    if (!access->collective)
        return do_access(access, file, 0);
    uint32_t number = file_begin_collective(file);
    uint64_t bytes = do_access(access, file, number);
    file_exchange(access->caller, file, &(struct file_exchange){.completes = number});
    return bytes;
}

int file_access(const struct file_access *access, MPI_Status *status) {
    struct mpi_file *file;
    int error = check_access(access, &file);
    if (error == MPI_SUCCESS)
        set_status(status, do_blocking(access, file));
    return error;
}

/* ---- nonblocking ---- */

/* A read that the file's home does when it gets to it, which may be any time until the request is complete. */
static void start_shared_read(const struct file_access *access, struct mpi_file *file, MPI_Request *request) {
    struct file_pieces pieces = pieces_of(access, file, (uint64_t)access->count * data_size(access->type));
    struct transfer transfer = {.kind = WIRE_RECEIVE,
                                .communicator = file_repliers(),
                                .buffer = access->buffer,
                                .count = access->count,
                                .type = access->type,
                                .peer = file->agent - rank_count()};
    *request = request_make(access->caller, &transfer, request);
    int tag = FILE_REPLY_TO_REQUEST + (int)request_number(*request);
    request_find(*request)->transfer.tag = tag;
    struct file_request asked = {
        .verb = FILE_READ_NOW, .file = file->communicator->context, .runs = pieces.runs, .reply = (uint32_t)tag, .bare = 1};
    file_ask(access->caller, file->agent, asked, pieces.run, pieces.runs * sizeof *pieces.run, NULL, 0);
    request_start(access->caller, *request);
    free(pieces.run);
}

/* What was done when it began could be done until the request is complete. */
static void lend_to_request(const struct file_access *access, MPI_Request request) {
    const struct buffers buffers = buffers_of(access);
    pending_buffers_release(request_number(request)); /* what goes to the other members is no buffer of the program's */
    request_lend(request, &buffers);
}

int file_access_start(const struct file_access *access, MPI_Request *request) {
    struct mpi_file *file;
    int error = check_access(access, &file);
    if (error != MPI_SUCCESS)
        return error;
    if (access->collective) {
        uint32_t number = file_begin_collective(file);
        uint64_t bytes = do_access(access, file, number);
        file_exchange_start(access->caller, file, number, request);
        request_find(*request)->file_bytes = bytes;
        lend_to_request(access, *request);
    } else if (file->shared && !access->writes && !file->view.external) {
        start_shared_read(access, file, request); /* which owns the buffer as any receive does */
    } else {
        uint64_t bytes = do_access(access, file, 0);
        *request = request_make_done(access->caller, file->communicator, 0, request);
        request_find(*request)->file_bytes = bytes;
        lend_to_request(access, *request);
    }
    request_find(*request)->file = file->communicator->context;
    return MPI_SUCCESS;
}

/* ---- split collectives: done when they begin, as an implementation may ---- */

int file_access_begin(const struct file_access *access, uint16_t end) {
    struct mpi_file *file;
    int error = check_access(access, &file);
    if (error != MPI_SUCCESS)
        return error;
    set_status(&file->split.status, do_blocking(access, file));
    file->split.end = end;
    file->split.begun = *access->caller;
    file->split.buffer = access->buffer;
    const struct buffers buffers = buffers_of(access);
    file->split.owned = pending_buffers_own_split(access->caller, &buffers);
    return MPI_SUCCESS;
}

int file_access_end(const struct caller *caller, MPI_File handle, const void *buffer, MPI_Status *status) {
    struct mpi_file *file;
    int error = check_file(caller, handle, &file);
    if (error != MPI_SUCCESS)
        return error;
    if (file->split.end != caller->function)
        return file_reject(caller, file, MPI_ERR_OTHER, "a file where no such access was begun");
    if (file->split.buffer != buffer)
        return file_reject(caller, file, MPI_ERR_BUFFER, "another buffer than the access was begun with");
    if (status != MPI_STATUS_IGNORE) {
        int kept = status->MPI_ERROR;
        *status = file->split.status;
        status->MPI_ERROR = kept;
    }
    pending_buffers_check_split(file->split.owned);
    pending_buffers_release_access(file->split.owned);
    memset(&file->split, 0, sizeof file->split);
    return MPI_SUCCESS;
}
