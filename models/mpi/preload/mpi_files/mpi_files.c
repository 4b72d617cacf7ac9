#include "models/mpi/preload/mpi_files/mpi_files.h"

#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/communicators/groups.h"
#include "models/mpi/preload/files/file_turns.h"
#include "models/mpi/preload/files/files.h"
#include "models/mpi/preload/files/handed_files.h"
#include "models/mpi/preload/mpi_files/file_server.h"
#include "models/mpi/preload/point_to_point/request_table.h"

#include "ckpt/block_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Open files, in the order of their opening. */
static struct mpi_file **table;
static size_t entries;

enum { ACCESS_MODES = MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY };

MPI_File file_handle(const struct mpi_file *file) { return (MPI_File)(uintptr_t)file; }

static struct mpi_file *find(MPI_File handle) {
    for (size_t i = 0; i < entries; i++) {
        if (file_handle(table[i]) == handle)
            return table[i];
    }
    return NULL;
}

struct mpi_file *file_of_context(uint64_t context) {
    for (size_t i = 0; i < entries; i++) {
        if (table[i]->communicator->context == context)
            return table[i];
    }
    return NULL;
}

int check_file(const struct caller *caller, MPI_File handle, struct mpi_file **file) {
    *file = find(handle);
    if (*file != NULL)
        return MPI_SUCCESS;
    return file_reject(caller, NULL, MPI_ERR_FILE, "%s",
                       handle == MPI_FILE_NULL ? "MPI_FILE_NULL" : "a file that does not exist or was closed");
}

/* Nobody will exchange what was read and written since the last collective call, so each access must have gone to the file's
 * home. */
static void leave_open(struct mpi_file *file) {
    if (!file->shared)
        rank_want_file_agents(FILES_SHARED);
    struct file_request request = {.verb = FILE_LEFT_OPEN, .file = file->communicator->context};
    file_ask(&file->opener, file->agent, request, NULL, 0, NULL, 0);
}

void files_leaked(struct rank_leaks *leaks) {
    for (size_t i = 0; i < entries; i++) {
        leave_open(table[i]);
        if (leaks->handles++ > 0)
            continue;
        leaks->handle_site = table[i]->opener.site;
        leaks->handle_function = table[i]->opener.function;
        strcpy(leaks->handle_kind, "a file");
    }
}

/* ---- names ---- */

/* MPICH takes a file system's name before the path. */
static const char *without_file_system(const char *name) {
    static const char *const known[] = {"ufs:", "nfs:", "xfs:", "lustre:", "gpfs:", "panfs:", "testfs:"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strncmp(name, known[i], strlen(known[i])) == 0)
            return name + strlen(known[i]);
    }
    return name;
}

static int class_of(long error) {
    switch (-error) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP: return MPI_ERR_NO_SUCH_FILE;
    case ENAMETOOLONG:
    case EISDIR: return MPI_ERR_BAD_FILE;
    case EACCES:
    case EPERM: return MPI_ERR_ACCESS;
    case EROFS: return MPI_ERR_READ_ONLY;
    case ENOSPC: return MPI_ERR_NO_SPACE;
    default: return MPI_ERR_IO;
    }
}

/* An absolute path without links, to be freed; NULL and an error class if there can be none. */
static char *find_path(const char *name, int *error) {
    struct place *place = calloc(1, sizeof *place);
    long found = place_find(place, AT_FDCWD, without_file_system(name), true);
    char *path = found == 0 ? strdup(place->path) : NULL;
    if (found == 0 && place->exists && !S_ISREG(place_mode(place)))
        found = -EISDIR;
    *error = found == 0 ? MPI_SUCCESS : class_of(found);
    free(place);
    return path;
}

/* Files need agents to live with. */
static void require_homes(const struct caller *caller) {
    enum { MOST_RANKS = 512 }; /* with as many agents */
    if (turns_are_taken())
        rank_refuse(caller->function, caller->site, "MPI-IO in a program whose ranks use files in turns is not supported");
    if (rank_file_agents() != FILES_NONE)
        return;
    if (rank_count() > MOST_RANKS)
        rank_refuse(caller->function, caller->site, "MPI-IO on more than %d ranks is not supported", MOST_RANKS);
    rank_want_file_agents(FILES_COPIED);
}

static uint64_t hash_of(const char *text) { return block_name(text, strlen(text)).low; }

/* ---- opening ---- */

static int check_amode(const struct caller *caller, int amode) {
    int access = amode & ACCESS_MODES;
    if (access != MPI_MODE_RDONLY && access != MPI_MODE_RDWR && access != MPI_MODE_WRONLY)
        return file_fail(caller, NULL, MPI_ERR_AMODE, "not exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY");
    if (access == MPI_MODE_RDONLY && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)))
        return file_fail(caller, NULL, MPI_ERR_AMODE, "MPI_MODE_RDONLY and MPI_MODE_CREATE or MPI_MODE_EXCL");
    if (access == MPI_MODE_RDWR && (amode & MPI_MODE_SEQUENTIAL))
        return file_fail(caller, NULL, MPI_ERR_AMODE, "MPI_MODE_RDWR and MPI_MODE_SEQUENTIAL");
    return MPI_SUCCESS;
}

static struct mpi_file *make(const struct caller *caller, struct communicator *parent, char *path, int amode, MPI_Info info) {
    struct mpi_file *file = calloc(1, sizeof *file);
    communicator_count_creation(parent);
    file->communicator = communicator_make_hidden(parent, parent->created, NULL);
    file->path = path;
    file->agent = file_home(path);
    file->amode = amode;
    file->info = MPI_INFO_NULL;
    file->opener = *caller;
    file->shared = (rank_file_agents() & ~FILES_HANDED) == FILES_SHARED;
    file_errors_begin(&file->errors);
    file_view_begin(&file->view);
    if (info != MPI_INFO_NULL)
        REAL(Info_dup)(info, &file->info);
    return file;
}

static void discard(struct mpi_file *file) {
    file_view_end(&file->view);
    communicator_release(file->communicator);
    if (file->info != MPI_INFO_NULL)
        REAL(Info_free)(&file->info);
    free(file->path);
    free(file->bytes);
    free(file->note);
    free(file->known);
    free(file->pending);
    free(file);
}

/* What the agent said, as the leader passes it on: the reply and the content. */
struct opening {
    struct mpi_file *file;
    struct file_reply reply;
};

static void take_content(void *context, int member, const void *bytes, size_t size) {
    struct opening *opening = context;
    if (member != 0)
        return;
    memcpy(&opening->reply, bytes, sizeof opening->reply);
    if (opening->file->shared)
        return;
    file_copy_resize(opening->file, size - sizeof opening->reply);
    if (opening->file->size > 0)
        memcpy(opening->file->bytes, (const char *)bytes + sizeof opening->reply, opening->file->size);
}

/* The leader asks the file's home; everybody learns the answer. */
static struct file_reply ask_home(const struct caller *caller, struct mpi_file *file, uint64_t agreement) {
    struct opening opening = {.file = file};
    char *own = NULL;
    size_t size = 0;
    if (file_is_leader(file)) {
        struct file_request request = {.verb = FILE_OPEN, .file = file->communicator->context, .amode = file->amode};
        struct file_answer answer = file_ask_and_wait(caller, file->agent, request, file->path, strlen(file->path), NULL, 0);
        if (answer.head.busy && !file->shared)
            rank_want_file_agents(FILES_SHARED);
        size_t content = file->shared ? 0 : answer.size;
        size = sizeof answer.head + content;
        own = malloc(size);
        memcpy(own, &answer.head, sizeof answer.head);
        memcpy(own + sizeof answer.head, answer.bytes, content);
    }
    file_exchange(
        caller, file,
        &(struct file_exchange){.own = own, .size = size, .agreement = agreement, .take = take_content, .context = &opening});
    free(own);
    return opening.reply;
}

/* Enough of it to be told. */
static const char *end_of(const char *path) {
    const size_t length = strlen(path);
    return length < WIRE_MEANING_ROOM ? path : path + length - (WIRE_MEANING_ROOM - 1);
}

/* This process's opening of the path that it is the first to have; NULL if it has none. */
static const struct mpi_file *outermost(const char *path) {
    for (size_t i = 0; i < entries; i++) {
        if (strcmp(table[i]->path, path) == 0)
            return table[i];
    }
    return NULL;
}

static bool has_member(const struct mpi_file *file, int world) {
    const struct communicator *communicator = file->communicator;
    for (int i = 0; i < communicator->size; i++) {
        if (communicator->world[i] == world)
            return true;
    }
    return false;
}

/* Is another one, which may write if this one may, open at all its members? As long as that stays open, what is done by this one comes
 * between its opening and its closing. */
static bool is_within(const struct mpi_file *file, const struct mpi_file *other) {
    if (other == NULL || ((other->amode & MPI_MODE_RDONLY) && !(file->amode & MPI_MODE_RDONLY)))
        return false;
    for (int i = 0; i < file->communicator->size; i++) {
        if (!has_member(other, file->communicator->world[i]))
            return false;
    }
    return true;
}

static void note_opening(const struct mpi_file *file) {
    files_note_opening(file->path, file->communicator->world, file->communicator->size);
}

static int open_file(const struct caller *caller, MPI_Comm handle, const char *name, int amode, MPI_Info info,
                     MPI_File *result) {
    struct communicator *parent;
    int error = check_communicator(caller, handle, &parent);
    if (error == MPI_SUCCESS)
        error = check_intracommunicator(caller, parent);
    if (error == MPI_SUCCESS)
        error = check_object(caller, OBJECT_INFO, info);
    if (error == MPI_SUCCESS)
        error = check_amode(caller, amode);
    if (error != MPI_SUCCESS)
        return error;
    require_homes(caller);
    char *path = find_path(name, &error);
    if (path == NULL)
        return file_fail(caller, NULL, error, "a file name that leads nowhere");
    struct mpi_file *file = make(caller, parent, path, amode, info);
    uint64_t agreement = file_agreement_named((uint64_t)amode, hash_of(path), end_of(path));
    if (!is_within(file, outermost(path)))
        note_opening(file);
    handed_open(caller, file, agreement);
    struct file_reply reply = ask_home(caller, file, agreement);
    if (reply.error != MPI_SUCCESS) {
        discard(file);
        return file_fail(caller, NULL, reply.error, "a file that cannot be opened like this");
    }
    table = realloc(table, (entries + 1) * sizeof(struct mpi_file *));
    table[entries++] = file;
    handed_opened(file);
    if (amode & MPI_MODE_APPEND) {
        file->position = (int64_t)reply.value;
        if (file_is_leader(file))
            file_shared_set(caller, file, reply.value);
        file_barrier(caller, file);
    }
    *result = file_handle(file);
    return MPI_SUCCESS;
}

EXPORT(File_open)
int MPI_File_open(MPI_Comm handle, const char *name, int amode, MPI_Info info, MPI_File *file) {
    ENTER(File_open, handle, name, amode, info, file);
    *file = MPI_FILE_NULL;
    return open_file(caller, handle, name, amode, info, file);
}

/* ---- closing ---- */

/* Those that were within this one are so no more, as it is closed before them. */
static void note_left_open(const struct mpi_file *file) {
    if (file != outermost(file->path))
        return;
    for (size_t i = 0; i < entries; i++) {
        if (table[i] != file && strcmp(table[i]->path, file->path) == 0)
            note_opening(table[i]);
    }
}

static void forget(struct mpi_file *file) {
    size_t at = 0;
    while (table[at] != file)
        at++;
    memmove(&table[at], &table[at + 1], (--entries - at) * sizeof(struct mpi_file *));
    table[entries] = NULL;
    discard(file);
}

static void take_closed(void *context, int member, const void *bytes, size_t size) {
    const struct mpi_file *file = context;
    struct file_reply reply;
    if (member != 0)
        return;
    memcpy(&reply, bytes, sizeof reply);
    handed_closed(file->path, (enum handed_state)reply.value, (const char *)bytes + sizeof reply, size - sizeof reply);
}

/* The leader tells the file's home; everybody learns what the file has become. */
static void close_at_home(const struct caller *caller, struct mpi_file *file) {
    char *own = NULL;
    size_t size = 0;
    if (file_is_leader(file)) {
        bool brings = !file->shared && file->changed;
        struct file_request request = {.verb = FILE_CLOSE, .file = file->communicator->context, .size = brings};
        struct file_answer answer =
            file_ask_and_wait(caller, file->agent, request, file->bytes, brings ? file->size : 0, NULL, 0);
        size = sizeof answer.head + answer.size;
        own = malloc(size);
        memcpy(own, &answer.head, sizeof answer.head);
        memcpy(own + sizeof answer.head, answer.bytes, answer.size);
    }
    file_exchange(caller, file, &(struct file_exchange){.own = own, .size = size, .take = take_closed, .context = file});
    free(own);
}

/* Who has begun an access that is not complete: not for the program, which has to wait for it, whatever was done already. */
static const struct caller *maker_of_pending(const struct mpi_file *file) {
    for (uint32_t i = 0; i < request_slots(); i++) {
        const struct request *request = request_numbered(i);
        if (request->state >= REQUEST_ACTIVE && request->file == file->communicator->context)
            return &request->maker;
    }
    return file->freed.function != FUNCTION_none ? &file->freed : NULL;
}

int check_idle_file(const struct caller *caller, MPI_File handle, struct mpi_file **file) {
    int error = check_file(caller, handle, file);
    if (error != MPI_SUCCESS)
        return error;
    const struct caller *pending = (*file)->split.end != 0 ? &(*file)->split.begun : maker_of_pending(*file);
    return pending == NULL ? MPI_SUCCESS : file_reject_pending(caller, *file, pending);
}

void file_note_freed(uint64_t context, const struct caller *access) {
    struct mpi_file *file = file_of_context(context);
    if (file != NULL)
        file->freed = *access;
}

EXPORT(File_close)
int MPI_File_close(MPI_File *handle) {
    ENTER(File_close, handle);
    struct mpi_file *file;
    int error = check_idle_file(caller, *handle, &file);
    if (error != MPI_SUCCESS)
        return error;
    note_left_open(file);
    file_flush(caller, file);
    file_barrier(caller, file);
    close_at_home(caller, file);
    forget(file);
    *handle = MPI_FILE_NULL;
    return MPI_SUCCESS;
}

EXPORT(File_delete)
int MPI_File_delete(const char *name, MPI_Info info) {
    ENTER(File_delete, name, info);
    int error = check_object(caller, OBJECT_INFO, info);
    if (error != MPI_SUCCESS)
        return error;
    require_homes(caller);
    char *path = find_path(name, &error);
    if (path != NULL) {
        struct file_request request = {.verb = FILE_DELETE};
        handed_delete(caller, path);
        error = file_ask_and_wait(caller, file_home(path), request, path, strlen(path), NULL, 0).head.error;
        if (error == MPI_SUCCESS)
            handed_deleted(path);
        free(path);
    }
    return error == MPI_SUCCESS ? error : file_fail(caller, NULL, error, "a file that cannot be deleted");
}

/* ---- questions ---- */

EXPORT(File_get_group)
int MPI_File_get_group(MPI_File handle, MPI_Group *group) {
    ENTER(File_get_group, handle, group);
    struct mpi_file *file;
    int error = check_file(caller, handle, &file);
    if (error == MPI_SUCCESS)
        *group = group_create(file->communicator->world, file->communicator->size);
    return error;
}

EXPORT(File_get_amode)
int MPI_File_get_amode(MPI_File handle, int *amode) {
    ENTER(File_get_amode, handle, amode);
    struct mpi_file *file;
    int error = check_file(caller, handle, &file);
    if (error == MPI_SUCCESS)
        *amode = file->amode;
    return error;
}

EXPORT(File_get_info)
int MPI_File_get_info(MPI_File handle, MPI_Info *info) {
    ENTER(File_get_info, handle, info);
    struct mpi_file *file;
    int error = check_file(caller, handle, &file);
    if (error != MPI_SUCCESS)
        return error;
    if (file->info == MPI_INFO_NULL)
        REAL(Info_create)(info);
    else
        REAL(Info_dup)(file->info, info);
    object_made(OBJECT_INFO, *info);
    return MPI_SUCCESS;
}

/* Hints change nothing that a program can see. */
EXPORT(File_set_info)
int MPI_File_set_info(MPI_File handle, MPI_Info info) {
    ENTER(File_set_info, handle, info);
    struct mpi_file *file;
    int error = check_file(caller, handle, &file);
    if (error == MPI_SUCCESS)
        error = check_object(caller, OBJECT_INFO, info);
    if (error != MPI_SUCCESS)
        return error;
    if (file->info != MPI_INFO_NULL)
        REAL(Info_free)(&file->info);
    if (info != MPI_INFO_NULL)
        REAL(Info_dup)(info, &file->info);
    file_barrier(caller, file);
    return MPI_SUCCESS;
}

/* ---- handles of Fortran: the lowest number that is free, from 1 on ---- */

static struct mpi_file *numbered(int number) {
    for (size_t i = 0; i < entries; i++) {
        if (table[i]->fortran == number)
            return table[i];
    }
    return NULL;
}

EXPORT(File_c2f)
MPI_Fint MPI_File_c2f(MPI_File handle) {
    ENTER(File_c2f, handle);
    struct mpi_file *file = find(handle);
    if (file == NULL)
        return 0;
    for (int number = 1; file->fortran == 0; number++) {
        if (numbered(number) == NULL)
            file->fortran = number;
    }
    return file->fortran;
}

EXPORT(File_f2c)
MPI_File MPI_File_f2c(MPI_Fint number) {
    ENTER(File_f2c, number);
    const struct mpi_file *file = number > 0 ? numbered(number) : NULL;
    return file == NULL ? MPI_FILE_NULL : file_handle(file);
}
