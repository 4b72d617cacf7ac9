#include "explorer/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool whole_file_open(struct whole_file *whole, const char *path) {
    struct stat there;
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if ((size_t)snprintf(whole->path, sizeof whole->path, "%s", path) >= sizeof whole->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    snprintf(whole->temporary, sizeof whole->temporary, "%s.XXXXXX", whole->path);
    int descriptor = mkstemp(whole->temporary);
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

bool whole_file_close(struct whole_file *whole) {
    bool bad = ferror(whole->file) != 0;
    bad = fclose(whole->file) != 0 || bad;
    bad = bad || rename(whole->temporary, whole->path) != 0;
    int cause = errno;
    if (bad)
        unlink(whole->temporary);
    errno = cause;
    return !bad;
}

bool whole_file_possible(const char *path) {
    struct whole_file whole;
    if (!whole_file_open(&whole, path))
        return false;
    fclose(whole.file);
    unlink(whole.temporary);
    return true;
}
