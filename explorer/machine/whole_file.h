/* Files that are either the old or the new whole: written beside their place, then renamed. What is no ordinary file (a pipe, a
 * terminal, /dev/stdout) is never replaced: it is written to. */
#ifndef EXPLORER_WHOLE_FILE_H
#define EXPLORER_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct whole_file {
    FILE *file;
    char path[4096], temporary[4096 + 16]; /* temporary: "" if written in place */
};

/* False: errno. */
bool whole_file_open(struct whole_file *whole, const char *path);
/* Puts it into place. False: errno; nothing is left behind. */
bool whole_file_close(struct whole_file *whole);
/* Leaves things as they were; what was written in place stays. */
void whole_file_discard(struct whole_file *whole);
/* Puts it under the first of the names <before>1<after>, <before>2<after>, … that no file has, and leaves that name in
 * whole->path. False: errno; nothing is left behind. */
bool whole_file_close_numbered(struct whole_file *whole, const char *before, const char *after);
/* All that is in a file, malloc'd, followed by a zero that *size does not count; nothing if it cannot be read. */
char *whole_file_content(const char *path, size_t *size);
/* Could a file be put there? Leaves nothing behind. False: errno. */
bool whole_file_possible(const char *path);

#endif
