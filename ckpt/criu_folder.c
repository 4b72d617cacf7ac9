#include "ckpt/criu_folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define FOLDER_PREFIX "explore-images-"

static char *text_of(const char *first, const char *second) {
    char *text;
    int length = asprintf(&text, "%s%s", first, second);
    assert(length >= 0);
    return text;
}

static bool is_entry(const struct dirent *entry) { return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0; }

/* Deletes what is in `folder`, a descriptor that it closes. */
static void empty(int folder) {
    DIR *listing = folder >= 0 ? fdopendir(folder) : NULL;
    if (!listing)
        return;
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (!is_entry(entry) || unlinkat(folder, entry->d_name, 0) == 0 || errno != EISDIR)
            continue;
        empty(openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        unlinkat(folder, entry->d_name, AT_REMOVEDIR);
    }
    closedir(listing);
}

void folder_remove(const char *path) {
    empty(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    rmdir(path);
}

uint64_t folder_bytes(const char *path) {
    uint64_t bytes = 0;
    DIR *listing = opendir(path);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        struct stat status;
        if (fstatat(dirfd(listing), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
            bytes += (uint64_t)status.st_blocks * 512;
    }
    if (listing)
        closedir(listing);
    return bytes;
}

bool folder_in_memory(const char *path) {
    struct statfs system;
    return statfs(path, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

/* The lock on a folder, as a descriptor; -1 if somebody has it. */
static int lock_folder(int parent, const char *name) {
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 || flock(folder, LOCK_EX | LOCK_NB) == 0)
        return folder;
    close(folder);
    return -1;
}

/* Ours only: another user's would be another user's to remove. */
static bool is_own(int folder) {
    struct stat status;
    return fstat(folder, &status) == 0 && status.st_uid == geteuid();
}

static void remove_abandoned(const char *parent) {
    DIR *listing = opendir(parent);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        if (strncmp(entry->d_name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) != 0)
            continue;
        int lock = lock_folder(dirfd(listing), entry->d_name);
        if (lock >= 0 && is_own(lock)) {
            empty(fcntl(lock, F_DUPFD_CLOEXEC, 0));
            unlinkat(dirfd(listing), entry->d_name, AT_REMOVEDIR);
        }
        if (lock >= 0)
            close(lock);
    }
    if (listing)
        closedir(listing);
}

bool image_folder_is_empty(const char *path) {
    DIR *listing = opendir(path);
    bool empty = listing != NULL;
    for (struct dirent *entry; empty && (entry = readdir(listing));)
        empty = !is_entry(entry) || strncmp(entry->d_name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) == 0;
    if (listing)
        closedir(listing);
    return empty;
}

/* Locked, and still there: before the lock somebody may have taken it for abandoned. */
static bool own_folder(struct image_folder *folder) {
    struct stat status;
    folder->lock = lock_folder(AT_FDCWD, folder->path);
    if (folder->lock >= 0 && fstat(folder->lock, &status) == 0 && status.st_nlink > 0 && access(folder->path, W_OK) == 0)
        return true;
    if (folder->lock >= 0)
        close(folder->lock);
    return false;
}

char *image_folder_make(struct image_folder *folder, const char *parent) {
    if (!parent)
        parent = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    remove_abandoned(parent);
    for (;;) {
        *folder = (struct image_folder){.path = text_of(parent, "/" FOLDER_PREFIX "XXXXXX"), .lock = -1};
        char *error = mkdtemp(folder->path) ? NULL : text_of("cannot make a folder for checkpoints: ", strerror(errno));
        if (!error && own_folder(folder))
            return NULL;
        free(folder->path);
        folder->path = NULL;
        if (error)
            return error;
    }
}

void image_folder_remove(struct image_folder *folder) {
    if (!folder->path)
        return;
    folder_remove(folder->path);
    close(folder->lock);
    free(folder->path);
    folder->path = NULL;
}
