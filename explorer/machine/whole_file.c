#include "explorer/machine/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NUMBERS = 100000 };

static bool is_same(const struct stat *a, const struct stat *b) { return a->st_dev == b->st_dev && a->st_ino == b->st_ino; }

/* Our own stdout or stderr by another name, such as /dev/stdout when it is redirected to a file. */
static bool is_own_output(const struct stat *there) {
    struct stat own;
    for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fstat(descriptor, &own) == 0 && is_same(&own, there))
            return true;
    return false;
}

static bool open_in_place(struct whole_file *whole) {
    int descriptor = open(whole->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    whole->file = descriptor < 0 ? NULL : fdopen(descriptor, "a");
    if (!whole->file && descriptor >= 0)
        close(descriptor);
    return whole->file != NULL;
}

static bool open_beside(struct whole_file *whole) {
    snprintf(whole->temporary, sizeof whole->temporary, "%s.XXXXXX", whole->path);
    int descriptor = mkostemp(whole->temporary, O_CLOEXEC);
    if (descriptor < 0)
        return false;
    fchmod(descriptor, 0644);
    whole->file = fdopen(descriptor, "w");
    if (whole->file)
        return true;
    close(descriptor);
    unlink(whole->temporary);
    return false;
}

/* Where a file that may be a symbolic link really is: the link stays, its target is replaced. */
static bool take_path(struct whole_file *whole, const char *path, bool exists) {
    char *real = exists ? realpath(path, NULL) : NULL;
    size_t length = (size_t)snprintf(whole->path, sizeof whole->path, "%s", real ? real : path);
    free(real);
    if (length < sizeof whole->path)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

bool whole_file_open(struct whole_file *whole, const char *path) {
    struct stat there;
    bool exists = stat(path, &there) == 0;
    *whole = (struct whole_file){0};
    if (exists && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return false;
    }
    bool ordinary = !exists || (S_ISREG(there.st_mode) && !is_own_output(&there));
    if (!take_path(whole, path, exists && ordinary))
        return false;
    return ordinary ? open_beside(whole) : open_in_place(whole);
}

static bool finish(struct whole_file *whole) {
    bool good = ferror(whole->file) == 0;
    return fclose(whole->file) == 0 && good;
}

static bool end(struct whole_file *whole, bool good) {
    int cause = errno;
    if (!good && whole->temporary[0])
        unlink(whole->temporary);
    errno = cause;
    return good;
}

bool whole_file_close(struct whole_file *whole) {
    bool good = finish(whole);
    return end(whole, good && (!whole->temporary[0] || rename(whole->temporary, whole->path) == 0));
}

void whole_file_discard(struct whole_file *whole) {
    finish(whole);
    end(whole, false);
}

/* Not every file system can rename without replacing; those that cannot have links. */
static bool rename_new(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    return link(from, to) == 0 && unlink(from) == 0;
}

bool whole_file_close_numbered(struct whole_file *whole, const char *before, const char *after) {
    bool good = finish(whole), placed = false;
    for (int number = 1; good && !placed; number++) {
        size_t length = (size_t)snprintf(whole->path, sizeof whole->path, "%s%d%s", before, number, after);
        if (length >= sizeof whole->path)
            errno = ENAMETOOLONG;
        placed = length < sizeof whole->path && rename_new(whole->temporary, whole->path);
        good = placed || (errno == EEXIST && number < NUMBERS);
    }
    return end(whole, good);
}

bool whole_file_possible(const char *path) {
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return access(path, W_OK) == 0; /* opening a pipe would wait for its reader */
    struct whole_file whole;
    if (!whole_file_open(&whole, path))
        return false;
    fclose(whole.file);
    end(&whole, false);
    return true;
}

char *whole_file_content(const char *path, size_t *size) {
    char *content = NULL, block[1 << 14];
    FILE *file = fopen(path, "re"), *copy = open_memstream(&content, size);
    for (size_t got; file && (got = fread(block, 1, sizeof block, file)) > 0;)
        fwrite(block, 1, got, copy);
    if (file)
        fclose(file);
    fclose(copy);
    return content;
}
