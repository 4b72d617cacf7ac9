#include "explorer/steps/written_files.h"

#include "explorer/machine/whole_file.h"
#include "explorer/steps/file_uses.h"
#include "models/mpi/protocol.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void written_files_free(struct written_files *files) {
    for (size_t i = 0; i < files->count; i++)
        free(files->file[i].path);
    free(files->file);
    *files = (struct written_files){0};
}

static bool make_directory(const char *path) { return mkdir(path, 0777) == 0 || errno == EEXIST; }

/* Makes every directory above `path` that comes after its first `from` bytes. */
static bool make_directories(char *path, size_t from) {
    for (char *slash = path + from; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        bool made = make_directory(path);
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

static bool write_content(const struct written_file *file, const char *path) {
    struct whole_file whole;
    if (!whole_file_open(&whole, path))
        return false;
    fwrite(file->bytes, 1, file->size, whole.file);
    return whole_file_close(&whole);
}

static bool keep(const struct written_file *file, const char *folder, char *path) {
    if (file->state == WIRE_FILE_REMOVED)
        return true;
    const char *shown = file_shown_path(file->path);
    int length = snprintf(path, PATH_MAX, "%s/%s%s", folder, shown[0] == '/' ? "root" : "", shown);
    if (length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!make_directories(path, strlen(folder) + 1))
        return false;
    return file->state == WIRE_FILE_DIRECTORY ? make_directory(path) : write_content(file, path);
}

bool written_files_keep(const struct written_files *files, const char *folder, char *failed) {
    for (size_t i = 0; i < files->count; i++)
        if (!keep(&files->file[i], folder, failed))
            return false;
    return true;
}

bool written_files_can_keep(const char *folder) {
    char probe[PATH_MAX];
    if (snprintf(probe, sizeof probe, "%s/probe", folder) >= (int)sizeof probe) {
        errno = ENAMETOOLONG;
        return false;
    }
    return make_directory(folder) && whole_file_possible(probe);
}
