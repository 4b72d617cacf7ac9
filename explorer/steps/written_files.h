/* The files that a rank leaves behind, where they are not as the disk has them. */
#ifndef EXPLORER_WRITTEN_FILES_H
#define EXPLORER_WRITTEN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct written_file {
    char *path;        /* absolute, free of "..", malloc'd */
    uint32_t state;    /* enum wire_file_state of models/mpi/protocol.h */
    const char *bytes; /* somebody else's */
    uint64_t size;
};

/* Sorted by path. */
struct written_files {
    struct written_file *file;
    size_t count;
};

void written_files_free(struct written_files *files);

/* --keep-files: writes files below `folder`: those in or below the working directory by their relative path, others under
 * `folder`/root. What was removed is not there. False: errno, and *failed is the path that could not be written (PATH_MAX
 * bytes). */
bool written_files_keep(const struct written_files *files, const char *folder, char *failed);
/* Makes the folder if need be. False: errno; nothing can be written there. */
bool written_files_can_keep(const char *folder);

#endif
