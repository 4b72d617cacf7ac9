/* Reading and writing the bytes of a file, in either of the two ways (mpi_files.h). */
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/mpi_files/file_server.h"

#include <stdlib.h>
#include <string.h>

static const int64_t END_OF_ALL = INT64_MAX;

void file_copy_resize(struct mpi_file *file, uint64_t size) {
    if (size == 0) {
        free(file->bytes);
        file->bytes = NULL;
    } else {
        file->bytes = realloc(file->bytes, size);
        if (file->bytes == NULL)
            rank_refuse(caller_current.function, caller_current.site, "a file of %llu bytes is too large for the rank's memory",
                        (unsigned long long)size);
        if (size > file->size)
            memset(file->bytes + file->size, 0, size - file->size);
    }
    file->size = size;
}

static struct file_request request_of(const struct mpi_file *file, enum file_verb verb) {
    return (struct file_request){.verb = verb, .file = file->communicator->context};
}

static struct file_answer ask(const struct caller *caller, const struct mpi_file *file, struct file_request request) {
    return file_ask_and_wait(caller, file->agent, request, NULL, 0, NULL, 0);
}

/* ---- copies ---- */

static uint64_t read_copy(const struct mpi_file *file, const struct file_pieces *pieces, char *data) {
    uint64_t got = 0;
    for (uint64_t i = 0; i < pieces->runs; i++) {
        uint64_t offset = (uint64_t)pieces->run[i].offset;
        uint64_t there = offset < file->size ? file->size - offset : 0;
        uint64_t take = there < pieces->run[i].length ? there : pieces->run[i].length;
        if (take > 0)
            memcpy(data + got, file->bytes + offset, take);
        got += take;
        if (take < pieces->run[i].length)
            break;
    }
    return got;
}

static void write_copy(struct mpi_file *file, const struct file_pieces *pieces, const char *data) {
    for (uint64_t i = 0; i < pieces->runs; i++) {
        uint64_t offset = (uint64_t)pieces->run[i].offset;
        uint64_t length = pieces->run[i].length;
        if (offset + length > file->size)
            file_copy_resize(file, offset + length);
        memcpy(file->bytes + offset, data, length);
        data += length;
    }
}

/* Knowing where the file ends is like reading what is behind. */
static void note_end(struct mpi_file *file, enum file_note_kind kind, uint32_t collective, uint64_t from) {
    struct access_run rest = {(int64_t)from, (uint64_t)(END_OF_ALL - (int64_t)from)};
    file_note(file, kind, collective, &(struct file_pieces){&rest, 1}, NULL);
}

/* ---- both ---- */

static uint64_t bytes_of(const struct file_pieces *pieces) {
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < pieces->runs; i++)
        bytes += pieces->run[i].length;
    return bytes;
}

uint64_t file_read(const struct caller *caller, struct mpi_file *file, uint32_t collective, const struct file_pieces *pieces,
                   char *data) {
    if (!file->shared) {
        file_note(file, FILE_READ, collective, pieces, NULL);
        return read_copy(file, pieces, data);
    }
    if (pieces->runs == 0)
        return 0;
    struct file_request request = request_of(file, FILE_READ_NOW);
    request.runs = pieces->runs;
    struct file_answer answer =
        file_ask_and_wait(caller, file->agent, request, pieces->run, pieces->runs * sizeof *pieces->run, NULL, 0);
    memcpy(data, answer.bytes, answer.size);
    return answer.size;
}

/* In atomic mode and in collective accesses the write is waited for: everybody must see it then. */
void file_write(const struct caller *caller, struct mpi_file *file, uint32_t collective, const struct file_pieces *pieces,
                const char *data) {
    file->changed = true;
    if (!file->shared) {
        file_note(file, FILE_WRITTEN, collective, pieces, data);
        write_copy(file, pieces, data);
        return;
    }
    if (pieces->runs == 0)
        return;
    struct file_request request = request_of(file, FILE_WRITE_NOW);
    request.runs = pieces->runs;
    request.collective = collective > 0 || file->atomic;
    uint64_t runs = pieces->runs * sizeof *pieces->run;
    if (request.collective)
        file_ask_and_wait(caller, file->agent, request, pieces->run, runs, data, bytes_of(pieces));
    else
        file_ask(caller, file->agent, request, pieces->run, runs, data, bytes_of(pieces));
    file->unflushed = !request.collective;
}

uint64_t file_size(const struct caller *caller, struct mpi_file *file) {
    if (file->shared)
        return (uint64_t)ask(caller, file, request_of(file, FILE_TELL_SIZE)).head.value;
    note_end(file, FILE_READ, 0, file->size);
    return file->size;
}

void file_resize(const struct caller *caller, struct mpi_file *file, uint64_t size, bool only_grows) {
    uint32_t number = file_begin_collective(file);
    file_flush(caller, file);
    file->changed = true;
    if (!file->shared)
        note_end(file, FILE_RESIZED, number, size < file->size ? size : file->size);
    file_exchange(caller, file, &(struct file_exchange){.agreement = file_agreement(size, 0), .completes = number});
    if (!file->shared) {
        if (!only_grows || size > file->size)
            file_copy_resize(file, size);
        return;
    }
    if (file_is_leader(file)) {
        struct file_request request = request_of(file, only_grows ? FILE_GROW : FILE_RESIZE);
        request.size = size;
        ask(caller, file, request);
    }
    file_barrier(caller, file);
}

void file_flush(const struct caller *caller, struct mpi_file *file) {
    if (file->unflushed)
        ask(caller, file, request_of(file, FILE_FLUSH));
    file->unflushed = false;
}

/* When all have come, and before anyone goes on, the leader asks for something. */
static void ask_for_all(const struct caller *caller, struct mpi_file *file, enum file_verb verb, uint64_t agreement) {
    file_flush(caller, file);
    file_exchange(caller, file, &(struct file_exchange){.agreement = agreement});
    if (!file->shared)
        return;
    if (file_is_leader(file))
        ask(caller, file, request_of(file, verb));
    file_barrier(caller, file);
}

void file_sync(const struct caller *caller, struct mpi_file *file) {
    ask_for_all(caller, file, FILE_SYNC, 0);
    file->syncs++;
}

/* ---- calls ---- */

EXPORT(File_get_size)
int MPI_File_get_size(MPI_File handle, MPI_Offset *size) {
    ENTER(File_get_size, handle, size);
    struct mpi_file *file;
    int error = check_file(caller, handle, &file);
    if (error == MPI_SUCCESS)
        *size = (MPI_Offset)file_size(caller, file);
    return error;
}

static int resize(const struct caller *caller, MPI_File handle, MPI_Offset size, bool only_grows) {
    struct mpi_file *file;
    int error = only_grows ? check_file(caller, handle, &file) : check_idle_file(caller, handle, &file);
    if (error != MPI_SUCCESS)
        return error;
    if (size < 0)
        return file_reject(caller, file, MPI_ERR_ARG, "a size of %lld", (long long)size);
    if (file->amode & MPI_MODE_RDONLY)
        return file_fail(caller, file, MPI_ERR_READ_ONLY, "a file that was opened with MPI_MODE_RDONLY");
    file_resize(caller, file, (uint64_t)size, only_grows);
    return MPI_SUCCESS;
}

EXPORT(File_set_size)
int MPI_File_set_size(MPI_File handle, MPI_Offset size) {
    ENTER(File_set_size, handle, size);
    return resize(caller, handle, size, false);
}

EXPORT(File_preallocate)
int MPI_File_preallocate(MPI_File handle, MPI_Offset size) {
    ENTER(File_preallocate, handle, size);
    return resize(caller, handle, size, true);
}

EXPORT(File_sync)
int MPI_File_sync(MPI_File handle) {
    ENTER(File_sync, handle);
    struct mpi_file *file;
    int error = check_idle_file(caller, handle, &file);
    if (error == MPI_SUCCESS)
        file_sync(caller, file);
    return error;
}

EXPORT(File_set_atomicity)
int MPI_File_set_atomicity(MPI_File handle, int flag) {
    ENTER(File_set_atomicity, handle, flag);
    struct mpi_file *file;
    int error = check_file(caller, handle, &file);
    if (error != MPI_SUCCESS)
        return error;
    if (flag && !file->shared && file->communicator->size > 1)
        rank_want_file_agents(FILES_SHARED);
    ask_for_all(caller, file, FILE_SHOW_ALL, file_agreement(flag != 0, 0));
    file->atomic = flag != 0;
    return MPI_SUCCESS;
}

EXPORT(File_get_atomicity)
int MPI_File_get_atomicity(MPI_File handle, int *flag) {
    ENTER(File_get_atomicity, handle, flag);
    struct mpi_file *file;
    int error = check_file(caller, handle, &file);
    if (error == MPI_SUCCESS)
        *flag = file->atomic;
    return error;
}
