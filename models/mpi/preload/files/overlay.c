#include "models/mpi/preload/files/overlay.h"
#include "models/mpi/preload/memory/list_room.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static const size_t LARGEST = (size_t)1 << 40;

static struct {
    struct overlay_name *name;
    size_t count, room;
} names;

/* --- files ----------------------------------------------------------------------------------------------------------- */

struct overlay_file *overlay_make(bool directory, uint32_t mode) {
    struct overlay_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->directory = directory;
    file->opaque = directory;
    file->mode = mode & 07777;
    file->users = 1;
    file->device = 1;
    file->inode = (uintptr_t)file; /* distinct among the living */
    file->modified = OVERLAY_EPOCH;
    return file;
}

void overlay_drop(struct overlay_file *file) {
    if (!file || --file->users)
        return;
    if (file->bytes)
        arena_unmap(file->bytes, file->room);
    free(file->path);
    free(file);
}

long overlay_resize(struct overlay_file *file, size_t size) {
    enum { LEAST = 1 << 16 };
    if (size > LARGEST)
        return -EFBIG;
    size_t room = list_room(size, LEAST);
    if (size < file->size)
        memset(file->bytes + size, 0, file->size - size);
    if (room != file->room) {
        char *bytes = room ? arena_map(room) : NULL;
        if (room && !bytes)
            step_end_refused("the program writes larger files than a rank's share of the memory budget (--memory) can hold");
        size_t kept = size < file->size ? size : file->size;
        if (kept)
            memcpy(bytes, file->bytes, kept);
        if (file->bytes)
            arena_unmap(file->bytes, file->room);
        file->bytes = bytes;
        file->room = room;
    }
    file->size = size;
    file->modified = OVERLAY_EPOCH;
    file->handed = false;
    return 0;
}

long overlay_write(struct overlay_file *file, const void *bytes, size_t size, long offset) {
    size_t end;
    if (__builtin_add_overflow((size_t)offset, size, &end))
        return -EFBIG;
    long error = end > file->size ? overlay_resize(file, end) : 0;
    if (error)
        return error;
    memcpy(file->bytes + offset, bytes, size);
    file->modified = OVERLAY_EPOCH;
    file->handed = false;
    return (long)size;
}

long overlay_read(const struct overlay_file *file, void *bytes, size_t size, long offset) {
    if ((size_t)offset >= file->size)
        return 0;
    size_t left = file->size - (size_t)offset, count = size < left ? size : left;
    memcpy(bytes, file->bytes + offset, count);
    return (long)count;
}

/* --- names ----------------------------------------------------------------------------------------------------------- */

static size_t position(const char *path, bool *found) {
    size_t low = 0, high = names.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(names.name[middle].path, path);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *found = false;
    return low;
}

const struct overlay_name *overlay_find(const char *path) {
    bool found;
    size_t at = position(path, &found);
    return found ? &names.name[at] : NULL;
}

bool overlay_hides(const char *path) {
    if (names.count == 0)
        return false;
    char above[4096];
    strcpy(above, path);
    for (char *slash; (slash = strrchr(above, '/')) && slash != above;) {
        *slash = 0;
        const struct overlay_name *name = overlay_find(above);
        if (name)
            return !name->file || name->file->opaque || !name->file->directory;
    }
    return false;
}

static char *copy_text(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* Room for one name more or less. */
static bool fit(size_t count) {
    enum { LEAST = 8 };
    const size_t room = list_room(count, LEAST);
    if (room == names.room)
        return true;
    struct overlay_name *fitted = room ? realloc(names.name, room * sizeof *fitted) : NULL;
    if (room && !fitted)
        return false;
    if (!room)
        free(names.name);
    names.name = fitted;
    names.room = room;
    return true;
}

static bool insert(size_t at, const char *path) {
    char *copy = copy_text(path);
    if (!copy || !fit(names.count + 1)) {
        free(copy);
        return false;
    }
    memmove(&names.name[at + 1], &names.name[at], (names.count - at) * sizeof *names.name);
    names.count++;
    names.name[at] = (struct overlay_name){.path = copy};
    return true;
}

static void erase(size_t at) {
    free(names.name[at].path);
    memmove(&names.name[at], &names.name[at + 1], (names.count - at - 1) * sizeof *names.name);
    names.count--;
    memset(&names.name[names.count], 0, sizeof *names.name);
    fit(names.count);
}

static void unname(struct overlay_file *file) {
    if (!file)
        return;
    free(file->path);
    file->path = NULL;
    overlay_drop(file);
}

long overlay_set(const char *path, struct overlay_file *file) {
    bool found;
    size_t at = position(path, &found);
    char *copy = file ? copy_text(path) : NULL;
    if ((file && !copy) || (!found && !insert(at, path))) {
        free(copy);
        return -ENOSPC;
    }
    struct overlay_file *before = names.name[at].file;
    names.name[at].file = file;
    if (file) {
        file->users++;
        free(file->path);
        file->path = copy;
    }
    if (before != file)
        unname(before);
    else if (before)
        overlay_drop(before);
    return 0;
}

/* Without a word about the disk. */
static void forget(const char *path) {
    bool found;
    size_t at = position(path, &found);
    if (!found)
        return;
    struct overlay_file *file = names.name[at].file;
    erase(at);
    unname(file);
}

long overlay_remove(const char *path) {
    struct stat status;
    if (disk_status(path, &status) == 0)
        return overlay_set(path, NULL);
    forget(path);
    return 0;
}

void overlay_set_others(const char *path, bool is_others) {
    bool found;
    size_t at = position(path, &found);
    if (found)
        names.name[at].is_others = is_others;
}

const struct overlay_name *overlay_names(size_t *count) {
    *count = names.count;
    return names.name;
}

const char *overlay_child(const char *directory, const char *path) {
    size_t length = strlen(directory);
    if (length == 1)
        length = 0; /* the root */
    if (strncmp(path, directory, length) != 0 || path[length] != '/' || !path[length + 1])
        return NULL;
    return strchr(path + length + 1, '/') ? NULL : path + length + 1;
}

bool overlay_is_in(const char *directory, const char *path) {
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* The first name at or below `directory` that has a file; sorted order moves it before what is in it. */
static const struct overlay_name *first_below(const char *directory) {
    for (size_t i = 0; i < names.count; i++)
        if (names.name[i].file && overlay_is_in(directory, names.name[i].path))
            return &names.name[i];
    return NULL;
}

long overlay_rename(const char *from, const char *to) {
    struct overlay_file *file = overlay_find(from)->file;
    file->handed = false;
    long error = overlay_set(to, file);
    if (error)
        return error;
    /* The file has its new name already: the old one must not take that away. */
    bool found;
    names.name[position(from, &found)].file = NULL;
    overlay_drop(file);
    return overlay_remove(from);
}

long overlay_move_directory(const char *from, const char *to) {
    const struct overlay_name *name;
    while ((name = first_below(from))) {
        char old[4096], moved[8192];
        strcpy(old, name->path);
        strcpy(moved, to);
        strcat(moved, old + strlen(from));
        if (strlen(moved) >= sizeof old)
            return -ENAMETOOLONG;
        long error = overlay_rename(old, moved);
        if (error)
            return error;
    }
    return 0;
}

/* --- the disk -------------------------------------------------------------------------------------------------------- */

/* A directory changes whenever anybody makes a file in it, and access times when a file is read. */
static void make_constant(struct stat *status) {
    const struct timespec constant = {OVERLAY_EPOCH, 0};
    if (S_ISDIR(status->st_mode)) {
        status->st_mtim = status->st_ctim = constant;
        status->st_size = 4096;
        status->st_blocks = 8;
        status->st_nlink = 2;
    }
    status->st_atim = status->st_mtim;
}

long disk_status(const char *path, struct stat *status) {
    long error = RAW4(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
    if (error == 0)
        make_constant(status);
    return error;
}

void disk_close(void) {
    if (control->disk_open)
        RAW1(SYS_close, control->disk_descriptor);
    control->disk_open = false;
}

/* The file read last stays open: files are read in many small pieces. */
static long disk_descriptor(const char *path) {
    if (control->disk_open && strcmp(control->disk_path, path) == 0)
        return control->disk_descriptor;
    disk_close();
    long descriptor = RAW4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NOCTTY | O_CLOEXEC, 0);
    if (descriptor < 0)
        return descriptor;
    control->disk_open = true;
    control->disk_descriptor = (int)descriptor;
    strcpy(control->disk_path, path);
    return descriptor;
}

long disk_read(const char *path, void *bytes, size_t size, long offset) {
    long descriptor = disk_descriptor(path);
    if (descriptor < 0)
        return descriptor;
    make_writable((uintptr_t)bytes, size);
    return RAW4(SYS_pread64, descriptor, bytes, size, offset);
}

long disk_access(const char *path, int mode) { return RAW3(SYS_faccessat, AT_FDCWD, path, mode); }
