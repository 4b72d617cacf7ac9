#include "models/mpi/preload/files/file_table.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/files/files.h"
#include "models/mpi/preload/process/control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    struct open_file *open;
    bool close_on_exec;
} descriptor_table[DESCRIPTORS_MOST] __attribute__((aligned(PAGE_BYTES)));

struct open_file *file_table_get(long descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS_MOST ? descriptor_table[descriptor].open : NULL;
}

struct open_file *file_table_make(enum open_kind kind, int number, int flags, const char *path, struct overlay_file *file) {
    struct open_file *open = calloc(1, sizeof *open);
    char *copy = path ? malloc(strlen(path) + 1) : NULL;
    if (!open || (path && !copy)) {
        free(open);
        free(copy);
        return NULL;
    }
    *open = (struct open_file){.kind = kind, .number = number, .users = 1, .flags = flags, .file = file};
    open->path = path ? strcpy(copy, path) : NULL;
    if (file)
        file->users++;
    return open;
}

void file_table_drop(struct open_file *open) {
    if (!open || --open->users)
        return;
    overlay_drop(open->file);
    free(open->path);
    free(open);
}

static void put(struct open_file *open, long descriptor, bool close_on_exec) {
    open->users++;
    descriptor_table[descriptor].open = open;
    descriptor_table[descriptor].close_on_exec = close_on_exec;
}

long file_table_add(struct open_file *open, long lowest, bool close_on_exec) {
    for (long descriptor = lowest; descriptor < DESCRIPTORS_MOST; descriptor++)
        if (!descriptor_table[descriptor].open) {
            put(open, descriptor, close_on_exec);
            return descriptor;
        }
    return -EMFILE;
}

bool file_table_is_full(void) {
    for (long descriptor = 0; descriptor < DESCRIPTORS_MOST; descriptor++)
        if (!descriptor_table[descriptor].open)
            return false;
    return true;
}

bool file_table_is_in(const char *path) {
    for (long descriptor = 0; descriptor < DESCRIPTORS_MOST; descriptor++) {
        const struct open_file *open = descriptor_table[descriptor].open;
        if (open && open->kind == OPEN_DIRECTORY && overlay_is_in(path, open->path))
            return true;
    }
    return false;
}

bool file_table_has(const char *path) {
    for (long descriptor = 0; descriptor < DESCRIPTORS_MOST; descriptor++) {
        const struct open_file *open = descriptor_table[descriptor].open;
        if (open && open->kind == OPEN_FILE && open->path && strcmp(open->path, path) == 0)
            return true;
        if (open && open->file && open->file->path && strcmp(open->file->path, path) == 0)
            return true;
    }
    return false;
}

long file_table_close(long descriptor) {
    struct open_file *open = file_table_get(descriptor);
    if (!open)
        return -EBADF;
    descriptor_table[descriptor].open = NULL;
    descriptor_table[descriptor].close_on_exec = false;
    file_table_drop(open);
    return 0;
}

long file_table_set(struct open_file *open, long descriptor, bool close_on_exec) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS_MOST)
        return -EBADF;
    file_table_close(descriptor);
    put(open, descriptor, close_on_exec);
    return descriptor;
}

bool *file_table_close_on_exec(long descriptor) { return &descriptor_table[descriptor].close_on_exec; }

/* --- copies ---------------------------------------------------------------------------------------------------------- */

static struct overlay_file *copy_of(const char *path, long *error) {
    struct stat status;
    *error = disk_status(path, &status);
    if (*error)
        return NULL;
    struct overlay_file *copy = overlay_make(S_ISDIR(status.st_mode), status.st_mode);
    *error = copy ? 0 : -ENOSPC;
    if (!copy)
        return NULL;
    copy->opaque = false;
    copy->device = status.st_dev;
    copy->inode = status.st_ino;
    if (S_ISDIR(status.st_mode))
        return copy;
    *error = overlay_resize(copy, (size_t)status.st_size);
    for (size_t at = 0; *error == 0 && at < copy->size;) {
        long got = disk_read(path, copy->bytes + at, copy->size - at, (long)at);
        if (got <= 0)
            *error = got ? got : -EIO;
        else
            at += (size_t)got;
    }
    copy->modified = status.st_mtim.tv_sec;
    if (*error == 0)
        return copy;
    overlay_drop(copy);
    return NULL;
}

/* Everybody who has the disk's file open now has `copy`. */
static void hand_out(const char *path, struct overlay_file *copy) {
    for (long i = 0; i < DESCRIPTORS_MOST; i++) {
        struct open_file *open = descriptor_table[i].open;
        if (!open || open->kind != OPEN_FILE || open->file || strcmp(open->path, path) != 0)
            continue;
        open->file = copy;
        copy->users++;
    }
}

static bool named_on_disk(const char *path) { return !overlay_find(path) && !overlay_hides(path); }

long file_table_detach(struct open_file *open) {
    if (open->file)
        return 0;
    files_require_unmapped(open->path);
    long error;
    struct overlay_file *copy = copy_of(open->path, &error);
    if (!copy)
        return error;
    if (named_on_disk(open->path))
        error = overlay_set(open->path, copy);
    hand_out(open->path, copy);
    overlay_drop(copy);
    return error;
}

long file_table_detach_name(const char *path, struct overlay_file **file) {
    const struct overlay_name *name = overlay_find(path);
    if (name) {
        *file = name->file;
        return 0;
    }
    files_require_unmapped(path);
    long error;
    struct overlay_file *copy = copy_of(path, &error);
    if (!copy)
        return error;
    error = overlay_set(path, copy);
    hand_out(path, copy);
    overlay_drop(copy);
    *file = copy;
    return error;
}

/* --- what is open at MPI_Init ---------------------------------------------------------------------------------------- */

static struct open_file *taken_over(int descriptor, const char *path) {
    struct stat status;
    int flags = fcntl(descriptor, F_GETFL) & ~O_CLOEXEC;
    if (strcmp(path, "/memfd:" STREAM_NAME_OUT " (deleted)") == 0)
        return file_table_make(OPEN_STREAM, 1, O_WRONLY, NULL, NULL);
    if (strcmp(path, "/memfd:" STREAM_NAME_ERROR " (deleted)") == 0)
        return file_table_make(OPEN_STREAM, 2, O_WRONLY, NULL, NULL);
    if (strcmp(path, "/memfd:" STREAM_NAME_INPUT " (deleted)") == 0) {
        if (lseek(descriptor, 0, SEEK_CUR) != 0)
            return NULL;
        return file_table_make(OPEN_INPUT, descriptor, O_RDONLY, NULL, NULL);
    }
    int device = files_device(path);
    if (device >= 0)
        return file_table_make(OPEN_DEVICE, device, flags, path, NULL);
    /* A path that leads elsewhere by now (removed, replaced) has another file. */
    struct stat named;
    bool same = fstat(descriptor, &status) == 0 && stat(path, &named) == 0 && status.st_ino == named.st_ino &&
                status.st_dev == named.st_dev;
    if (same && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) {
        struct open_file *open = file_table_make(S_ISDIR(status.st_mode) ? OPEN_DIRECTORY : OPEN_FILE, 0, flags, path, NULL);
        if (open)
            open->inherited = true;
        if (open && S_ISREG(status.st_mode))
            open->offset = lseek(descriptor, 0, SEEK_CUR);
        return open;
    }
    return file_table_make(OPEN_FOREIGN, 0, flags, NULL, NULL);
}

/* The open file of an earlier descriptor that shares its offset with this one. */
static struct open_file *shared_with_earlier(int descriptor) {
    enum { KCMP_FILE = 0 };
    long self = RAW0(SYS_getpid);
    for (int earlier = 0; earlier < descriptor; earlier++)
        if (descriptor_table[earlier].open && RAW6(SYS_kcmp, self, self, KCMP_FILE, earlier, descriptor, 0) == 0)
            return descriptor_table[earlier].open;
    return NULL;
}

static bool take_over(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return true;
    path[length] = 0;
    struct open_file *shared = shared_with_earlier(descriptor), *open = shared ? shared : taken_over(descriptor, path);
    if (!open)
        return false;
    put(open, descriptor, fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
    if (!shared)
        file_table_drop(open);
    return true;
}

/* Which are open, but for the one by which that is read: to ask about each would be a third of all system calls of a short run. */
static void list_open(bool is_open[DESCRIPTORS_MOST]) {
    _Alignas(struct dirent64) char entries[2048];
    const long list = RAW4(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    for (long size; list >= 0 && (size = RAW3(SYS_getdents64, list, entries, sizeof entries)) > 0;) {
        const struct dirent64 *entry;
        for (long at = 0; at < size; at += entry->d_reclen) {
            entry = (const struct dirent64 *)(entries + at);
            const long descriptor = atol(entry->d_name);
            if (descriptor < DESCRIPTORS_MOST && descriptor != list && entry->d_name[0] != '.')
                is_open[descriptor] = true;
        }
    }
    if (list >= 0)
        RAW1(SYS_close, list);
}

bool file_table_start(void) {
    bool is_open[DESCRIPTORS_MOST] = {false}, well = true;
    list_open(is_open);
    for (int descriptor = 0; descriptor < DESCRIPTORS_MOST; descriptor++)
        if (is_open[descriptor])
            well = take_over(descriptor) && well;
    return well;
}
