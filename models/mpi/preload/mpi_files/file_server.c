#include "models/mpi/preload/mpi_files/file_server.h"

#include "models/mpi/preload/files/files.h"
#include "models/mpi/preload/files/handed_files.h"
#include "models/mpi/preload/point_to_point/hidden_messages.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/windows/window_accesses.h"
#include "models/mpi/preload/windows/windows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Content as one rank may still see it, kept only where it differs from the file: what was there at a MPI_File_sync of those who
 * opened the file with it, with its own writes and collective ones since. A rank need not see what was written since the last
 * but one, as that was not separated from what it does by two of them. */
enum age { AT_LAST_BUT_ONE, AT_LAST };
struct older_content {
    uint64_t file;
    int rank;
    enum age age;
    char *bytes;
    uint64_t size;
};

/* A file that somebody has open, or that is not as the disk has it. Sorted by path. */
struct served_file {
    char *path;
    bool exists;
    bool changed; /* not as on the disk */
    bool left;    /* open, and somebody will not close it */
    char *bytes;  /* NULL if size is 0 */
    uint64_t size;
    struct opened {
        uint64_t name; /* context */
        int amode;
        int64_t pointer; /* shared file pointer, in etypes */
        char *foreign;   /* writes of those who opened the file otherwise, since the last MPI_File_sync: requests */
        size_t foreign_size;
    } * opened; /* sorted by name */
    size_t openings;
    struct older_content *older; /* sorted by file, rank and age */
    size_t olders;
};

static const struct caller nobody;

static struct served_file *table;
static size_t entries;

/* ---- the disk ---- */

/* Reads a file of the disk. MPI error class. */
static int load(struct served_file *file) {
    struct stat status;
    files_note_use(file->path, WIRE_USE_READ); /* also that it is not there */
    if (disk_status(file->path, &status) != 0)
        return MPI_ERR_NO_SUCH_FILE;
    if (!S_ISREG(status.st_mode))
        return MPI_ERR_BAD_FILE;
    if (disk_access(file->path, R_OK) != 0)
        return MPI_ERR_ACCESS;
    file->exists = true;
    file->size = (uint64_t)status.st_size;
    file->bytes = file->size > 0 ? malloc(file->size) : NULL;
    for (uint64_t at = 0; at < file->size;) {
        long got = disk_read(file->path, file->bytes + at, file->size - at, (long)at);
        if (got <= 0)
            return MPI_ERR_IO;
        at += (uint64_t)got;
    }
    return MPI_SUCCESS;
}

static bool parent_exists(const char *path) {
    char parent[PATH_MAX];
    struct stat status;
    strcpy(parent, path);
    char *slash = strrchr(parent, '/');
    slash[slash == parent] = 0;
    return disk_status(parent, &status) == 0 && S_ISDIR(status.st_mode);
}

/* ---- files ---- */

static struct served_file *find(const char *path) {
    for (size_t i = 0; i < entries; i++) {
        if (strcmp(table[i].path, path) == 0)
            return &table[i];
    }
    return NULL;
}

static struct served_file *add(const char *path) {
    size_t at = 0;
    while (at < entries && strcmp(table[at].path, path) < 0)
        at++;
    table = realloc(table, (entries + 1) * sizeof *table);
    memmove(&table[at + 1], &table[at], (entries++ - at) * sizeof *table);
    table[at] = (struct served_file){.path = strdup(path)};
    return &table[at];
}

static void drop_content(struct served_file *file) {
    free(file->bytes);
    file->bytes = NULL;
    file->size = 0;
}

static void drop(struct served_file *file) {
    drop_content(file);
    free(file->path);
    free(file->opened);
    size_t at = (size_t)(file - table);
    memmove(file, file + 1, (--entries - at) * sizeof *table);
    if (entries == 0) {
        free(table);
        table = NULL;
    }
}

static void drop_if_unused(struct served_file *file) {
    if (file->openings == 0 && !file->changed)
        drop(file);
}

static void change(struct served_file *file) {
    file->changed = true;
    files_note_name(file->path);
}

static struct opened *opened_as(uint64_t name, struct served_file **file) {
    for (size_t i = 0; i < entries; i++) {
        for (size_t k = 0; k < table[i].openings; k++) {
            if (table[i].opened[k].name != name)
                continue;
            *file = &table[i];
            return &table[i].opened[k];
        }
    }
    abort();
}

static void resize(char **bytes, uint64_t *size, uint64_t wanted) {
    if (wanted == 0) {
        free(*bytes);
        *bytes = NULL;
    } else {
        *bytes = realloc(*bytes, wanted);
        if (wanted > *size)
            memset(*bytes + *size, 0, wanted - *size);
    }
    *size = wanted;
}

/* ---- the explorer: what all files have become ---- */

static void report_file(const struct served_file *file) {
    struct stat status;
    if (!file->exists && disk_status(file->path, &status) != 0)
        return;
    size_t length = strlen(file->path);
    size_t size = file->exists ? file->size : 0;
    struct wire_file *record = report_add(WIRE_FILE, sizeof *record + length + size);
    *record = (struct wire_file){file->exists ? WIRE_FILE_CONTENT : WIRE_FILE_REMOVED, (uint32_t)length, size};
    memcpy(record + 1, file->path, length);
    if (size > 0)
        memcpy((char *)(record + 1) + length, file->bytes, size);
}

/* Files count when nobody has them open, or never will close them. */
static void report_all(void) {
    report_add(WIRE_FILES_ANEW, 0);
    for (size_t i = 0; i < entries; i++) {
        if (table[i].changed && (table[i].openings == 0 || table[i].left))
            report_file(&table[i]);
    }
}

/* ---- older contents ---- */

static bool comes_before(const struct older_content *older, uint64_t name, int rank, enum age age) {
    if (older->file != name)
        return older->file < name;
    return older->rank != rank ? older->rank < rank : older->age < age;
}

/* Where it is, or would be. */
static size_t older_place(const struct served_file *file, uint64_t name, int rank, enum age age) {
    size_t at = 0;
    while (at < file->olders && comes_before(&file->older[at], name, rank, age))
        at++;
    return at;
}

static bool older_is(const struct served_file *file, size_t at, uint64_t name, int rank) {
    return at < file->olders && file->older[at].file == name && file->older[at].rank == rank;
}

/* The oldest content that a rank may see; NULL: it sees the file. */
static const struct older_content *oldest_of(const struct served_file *file, uint64_t name, int rank) {
    size_t at = older_place(file, name, rank, AT_LAST_BUT_ONE);
    return older_is(file, at, name, rank) ? &file->older[at] : NULL;
}

static void drop_older(struct served_file *file, size_t at) {
    free(file->older[at].bytes);
    memmove(&file->older[at], &file->older[at + 1], (--file->olders - at) * sizeof *file->older);
    if (file->olders == 0) {
        free(file->older);
        file->older = NULL;
    }
}

/* Before the file changes, a rank that may not see the change yet keeps what there is. */
static void keep_older(struct served_file *file, uint64_t name, int rank) {
    size_t at = older_place(file, name, rank, AT_LAST);
    if (older_is(file, at, name, rank))
        return;
    file->older = realloc(file->older, (file->olders + 1) * sizeof *file->older);
    memmove(&file->older[at + 1], &file->older[at], (file->olders++ - at) * sizeof *file->older);
    struct older_content *older = &file->older[at];
    *older = (struct older_content){.file = name, .rank = rank, .age = AT_LAST};
    resize(&older->bytes, &older->size, file->size);
    if (file->size > 0)
        memcpy(older->bytes, file->bytes, file->size);
}

/* ... of those who have opened it as `name`. Whoever writes sees that, and what is collective or atomic is seen by all who opened
 * the file together. */
static void keep_older_of(struct served_file *file, uint64_t name, const struct file_request *write, int origin) {
    for (int rank = 0; rank < rank_count(); rank++) {
        if (name != write->file || (rank != origin && !write->collective))
            keep_older(file, name, rank);
    }
}

static void put(char **bytes, uint64_t *size, const struct access_run *run, uint64_t runs, const char *data) {
    for (uint64_t i = 0; i < runs; i++) {
        uint64_t end = (uint64_t)run[i].offset + run[i].length;
        if (end > *size)
            resize(bytes, size, end);
        memcpy(*bytes + run[i].offset, data, run[i].length);
        data += run[i].length;
    }
}

static uint64_t bytes_of(const struct access_run *run, uint64_t runs) {
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < runs; i++)
        bytes += run[i].length;
    return bytes;
}

/* A write that others' next MPI_File_sync brings: number of runs, runs and data, zero padded to 8. */
static void add_foreign(struct opened *opened, const struct access_run *run, uint64_t runs) {
    uint64_t payload = runs * sizeof *run + bytes_of(run, runs);
    size_t size = sizeof runs + (payload + 7) / 8 * 8;
    opened->foreign = realloc(opened->foreign, opened->foreign_size + size);
    char *at = opened->foreign + opened->foreign_size;
    memset(at, 0, size);
    memcpy(at, &runs, sizeof runs);
    memcpy(at + sizeof runs, run, payload);
    opened->foreign_size += size;
}

static void put_foreign(struct older_content *older, const struct opened *opened) {
    for (size_t at = 0; at < opened->foreign_size;) {
        uint64_t runs;
        memcpy(&runs, opened->foreign + at, sizeof runs);
        const struct access_run *run = (const struct access_run *)(opened->foreign + at + sizeof runs);
        put(&older->bytes, &older->size, run, runs, (const char *)(run + runs));
        at += sizeof runs + (runs * sizeof *run + bytes_of(run, runs) + 7) / 8 * 8;
    }
}

static bool is_as_the_file(const struct served_file *file, const struct older_content *older) {
    return older->size == file->size && (file->size == 0 || memcmp(older->bytes, file->bytes, file->size) == 0);
}

static void drop_foreign(struct opened *opened) {
    free(opened->foreign);
    opened->foreign = NULL;
    opened->foreign_size = 0;
}

/* All who opened the file as `opened` synchronise. */
static void age_contents(struct served_file *file, struct opened *opened) {
    for (size_t i = file->olders; i-- > 0;) {
        struct older_content *older = &file->older[i];
        if (older->file != opened->name)
            continue;
        if (older->age == AT_LAST)
            put_foreign(older, opened);
        if (older->age == AT_LAST_BUT_ONE || is_as_the_file(file, older))
            drop_older(file, i);
        else
            older->age = AT_LAST_BUT_ONE;
    }
    drop_foreign(opened);
}

static void forget_contents(struct served_file *file, struct opened *opened) {
    for (size_t i = file->olders; i-- > 0;) {
        if (file->older[i].file == opened->name)
            drop_older(file, i);
    }
    drop_foreign(opened);
}

/* ---- replies ---- */

static void reply_with(int origin, const struct file_request *request, const struct file_reply *head, const void *bytes,
                       size_t size) {
    if (request->reply == 0)
        return;
    size_t before = request->bare ? 0 : sizeof *head;
    char *part = hidden_send(NULL, request->replies, origin, (int)request->reply, before + size);
    memcpy(part, head, before);
    if (size > 0)
        memcpy(part + before, bytes, size);
}

static void reply_error(int origin, const struct file_request *request, int error) {
    reply_with(origin, request, &(struct file_reply){.error = error}, NULL, 0);
}

static void reply_value(int origin, const struct file_request *request, int64_t value) {
    reply_with(origin, request, &(struct file_reply){.value = value}, NULL, 0);
}

/* ---- opening and closing ---- */

static int make_or_find(struct served_file *file, int amode) {
    if (file->exists && (amode & MPI_MODE_EXCL) && (amode & MPI_MODE_CREATE))
        return MPI_ERR_FILE_EXISTS;
    if (file->exists) {
        bool writes = !(amode & MPI_MODE_RDONLY);
        struct stat status;
        bool on_disk = disk_status(file->path, &status) == 0;
        return writes && on_disk && disk_access(file->path, W_OK) != 0 ? MPI_ERR_ACCESS : MPI_SUCCESS;
    }
    if (!(amode & MPI_MODE_CREATE) || !parent_exists(file->path))
        return MPI_ERR_NO_SUCH_FILE;
    file->exists = true;
    change(file);
    return MPI_SUCCESS;
}

static bool is_busy(const struct served_file *file, int amode) {
    bool writes = !(amode & MPI_MODE_RDONLY);
    for (size_t i = 0; i < file->openings; i++)
        writes = writes || !(file->opened[i].amode & MPI_MODE_RDONLY);
    return file->openings > 0 && writes;
}

static void add_opening(struct served_file *file, uint64_t name, int amode) {
    size_t at = 0;
    while (at < file->openings && file->opened[at].name < name)
        at++;
    file->opened = realloc(file->opened, (file->openings + 1) * sizeof *file->opened);
    memmove(&file->opened[at + 1], &file->opened[at], (file->openings++ - at) * sizeof *file->opened);
    file->opened[at] = (struct opened){.name = name, .amode = amode};
}

static void serve_open(int origin, const struct file_request *request, const char *path) {
    struct served_file *file = find(path);
    if (file == NULL) {
        file = add(path);
        int error = load(file);
        if (error != MPI_SUCCESS && error != MPI_ERR_NO_SUCH_FILE) {
            drop(file);
            reply_error(origin, request, error);
            return;
        }
    }
    int error = make_or_find(file, request->amode);
    if (error != MPI_SUCCESS) {
        drop_if_unused(file);
        reply_error(origin, request, error);
        return;
    }
    struct file_reply head = {.busy = is_busy(file, request->amode), .value = (int64_t)file->size};
    add_opening(file, request->file, request->amode);
    reply_with(origin, request, &head, file->bytes, file->size);
}

static void remove_file(struct served_file *file) {
    struct stat status;
    drop_content(file);
    file->exists = false;
    file->changed = true;
    files_note_name(file->path);
    if (disk_status(file->path, &status) != 0)
        file->changed = false;
}

/* How the file is, for those who have closed it. */
static void reply_state(int origin, const struct file_request *request, const struct served_file *file) {
    struct file_reply head = {.value = file->changed ? HANDED_CONTENT : HANDED_AS_ON_DISK};
    if (!file->exists)
        head.value = HANDED_GONE;
    bool with_content = (rank_file_agents() & FILES_HANDED) && head.value == HANDED_CONTENT;
    reply_with(origin, request, &head, file->bytes, with_content ? file->size : 0);
}

static void serve_close(int origin, const struct file_request *request, const char *bytes, size_t size) {
    struct served_file *file;
    struct opened *opened = opened_as(request->file, &file);
    if (request->size) {
        resize(&file->bytes, &file->size, size);
        if (size > 0)
            memcpy(file->bytes, bytes, size);
        change(file);
    }
    bool deletes = opened->amode & MPI_MODE_DELETE_ON_CLOSE;
    forget_contents(file, opened);
    memmove(opened, opened + 1, (size_t)(&file->opened[--file->openings] - opened) * sizeof *opened);
    if (file->openings == 0) {
        free(file->opened);
        file->opened = NULL;
    }
    if (deletes && file->exists)
        remove_file(file);
    reply_state(origin, request, file);
    drop_if_unused(file);
    report_all();
}

/* What calls that are not MPI-IO's have made of it. Nobody has it open. */
static void serve_put(const struct file_request *request, const char *bytes, size_t size) {
    char *path = strndup(bytes, request->size);
    struct served_file *file = find(path);
    if (file == NULL)
        file = add(path);
    size -= request->size;
    drop_content(file);
    file->exists = request->state == HANDED_CONTENT;
    if (file->exists) {
        resize(&file->bytes, &file->size, size);
        if (size > 0)
            memcpy(file->bytes, bytes + request->size, size);
        change(file);
    } else {
        remove_file(file);
    }
    drop_if_unused(file);
    report_all();
    free(path);
}

static void serve_delete(int origin, const struct file_request *request, const char *path) {
    struct served_file *file = find(path);
    int error = MPI_SUCCESS;
    if (file == NULL)
        error = load(file = add(path));
    if (error == MPI_SUCCESS && !file->exists)
        error = MPI_ERR_NO_SUCH_FILE;
    if (error == MPI_SUCCESS && file->openings > 0)
        error = MPI_ERR_FILE_IN_USE;
    if (error == MPI_SUCCESS)
        remove_file(file);
    drop_if_unused(file);
    report_all();
    reply_error(origin, request, error);
}

/* ---- accesses ---- */

static char *read_runs(const char *bytes, uint64_t size, const struct access_run *run, uint64_t runs, uint64_t *got) {
    char *data = malloc(bytes_of(run, runs) + 1);
    *got = 0;
    for (uint64_t i = 0; i < runs; i++) {
        uint64_t offset = (uint64_t)run[i].offset;
        uint64_t there = offset < size ? size - offset : 0;
        uint64_t take = there < run[i].length ? there : run[i].length;
        if (take > 0)
            memcpy(data + *got, bytes + offset, take);
        *got += take;
        if (take < run[i].length)
            break;
    }
    return data;
}

/* Is a process to be given what there was before? Decided by the explorer, which hears who asks. */
static bool gives_older(int origin) {
    const struct access reader = {.origin = origin};
    const struct access *const contents[2] = {&reader, &reader};
    return window_choose(&nobody, WIRE_AGENTS_CONTEXT, 2, contents) == 1;
}

static void serve_read(int origin, const struct file_request *request, const struct access_run *run) {
    struct served_file *file;
    opened_as(request->file, &file);
    uint64_t size;
    char *data = read_runs(file->bytes, file->size, run, request->runs, &size);
    const struct older_content *older = oldest_of(file, request->file, origin);
    if (older != NULL) {
        uint64_t old_size;
        char *old = read_runs(older->bytes, older->size, run, request->runs, &old_size);
        bool differ = old_size != size || memcmp(old, data, size) != 0;
        if (differ && gives_older(origin)) {
            free(data);
            data = old;
            size = old_size;
        } else {
            free(old);
        }
    }
    reply_with(origin, request, &(struct file_reply){0}, data, size);
    free(data);
}

static void serve_write(int origin, const struct file_request *request, const struct access_run *run) {
    struct served_file *file;
    opened_as(request->file, &file);
    const char *data = (const char *)(run + request->runs);
    for (size_t i = 0; i < file->openings; i++) {
        keep_older_of(file, file->opened[i].name, request, origin);
        if (file->opened[i].name != request->file)
            add_foreign(&file->opened[i], run, request->runs);
    }
    put(&file->bytes, &file->size, run, request->runs, data);
    for (size_t i = 0; i < file->olders; i++) {
        struct older_content *older = &file->older[i];
        if (older->file == request->file && (request->collective || older->rank == origin))
            put(&older->bytes, &older->size, run, request->runs, data);
    }
    change(file);
    reply_error(origin, request, MPI_SUCCESS);
}

static void serve_resize(int origin, const struct file_request *request, bool only_grows) {
    struct served_file *file;
    opened_as(request->file, &file);
    if (!only_grows || request->size > file->size)
        resize(&file->bytes, &file->size, request->size);
    for (size_t i = 0; i < file->olders; i++) {
        struct older_content *older = &file->older[i];
        if (older->file == request->file && (!only_grows || request->size > older->size))
            resize(&older->bytes, &older->size, request->size);
    }
    change(file);
    reply_error(origin, request, MPI_SUCCESS);
}

static void serve_sync(int origin, const struct file_request *request) {
    struct served_file *file;
    struct opened *opened = opened_as(request->file, &file);
    if (request->verb == FILE_SYNC)
        age_contents(file, opened);
    if (request->verb == FILE_SHOW_ALL)
        forget_contents(file, opened);
    reply_error(origin, request, MPI_SUCCESS);
}

static void serve_left_open(const struct file_request *request) {
    struct served_file *file;
    opened_as(request->file, &file);
    file->left = true;
    report_all();
}

static void serve_pointer(int origin, const struct file_request *request) {
    struct served_file *file;
    struct opened *opened = opened_as(request->file, &file);
    int64_t before = opened->pointer;
    opened->pointer = request->verb == FILE_SET ? (int64_t)request->size : before + (int64_t)request->size;
    reply_value(origin, request, before);
}

static void serve_size(int origin, const struct file_request *request) {
    struct served_file *file;
    opened_as(request->file, &file);
    uint64_t size = file->size;
    const struct older_content *older = oldest_of(file, request->file, origin);
    if (older != NULL && older->size != size && gives_older(origin))
        size = older->size;
    reply_value(origin, request, (int64_t)size);
}

bool file_server_is_calm(void) {
    for (size_t i = 0; i < entries; i++) {
        if (table[i].olders > 0)
            return false;
    }
    return true;
}

void file_server_serve(int origin, const struct file_request *request, size_t size) {
    const struct file_request kept = *request; /* the message is gone once the agent blocks */
    const char *bytes = (const char *)(request + 1);
    size -= sizeof *request;
    request = &kept;
    char *path = strndup(bytes, request->verb == FILE_OPEN || request->verb == FILE_DELETE ? size : 0);
    switch (request->verb) {
    case FILE_OPEN: serve_open(origin, request, path); break;
    case FILE_CLOSE: serve_close(origin, request, bytes, size); break;
    case FILE_DELETE: serve_delete(origin, request, path); break;
    case FILE_FETCH_ADD:
    case FILE_SET: serve_pointer(origin, request); break;
    case FILE_READ_NOW: serve_read(origin, request, (const struct access_run *)bytes); break;
    case FILE_WRITE_NOW: serve_write(origin, request, (const struct access_run *)bytes); break;
    case FILE_TELL_SIZE: serve_size(origin, request); break;
    case FILE_RESIZE: serve_resize(origin, request, false); break;
    case FILE_GROW: serve_resize(origin, request, true); break;
    case FILE_FLUSH:
    case FILE_SYNC:
    case FILE_SHOW_ALL: serve_sync(origin, request); break;
    case FILE_PUT: serve_put(request, bytes, size); break;
    case FILE_LEFT_OPEN: serve_left_open(request); break;
    default: abort();
    }
    free(path);
}
