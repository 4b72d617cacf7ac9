/* Files that are either the old or the new whole: written beside their place, then renamed. */
#ifndef EXPLORER_WHOLE_FILE_H
#define EXPLORER_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct whole_file {
    FILE *file;
    char path[4096], temporary[4096 + 16];
};

/* False: errno. */
bool whole_file_open(struct whole_file *whole, const char *path);
/* Puts it into place. False: errno; nothing is left behind. */
bool whole_file_close(struct whole_file *whole);
/* Could a file be put there? Leaves nothing behind. False: errno. */
bool whole_file_possible(const char *path);

#endif
