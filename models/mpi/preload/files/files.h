/* Files as a rank sees them after MPI_Init: descriptors (file_table.h) on the disk, which is only read, and on what the rank itself
 * has changed (overlay.h). Shared by the answers to the system calls:
 *
 *     descriptor_calls.c  on open files          places.c       names to places
 *     open_calls.c        that open by name      directories.c  what a directory holds
 *     name_calls.c        that look at names     file_report.c  what the explorer is told
 *     rename_calls.c      that make and remove   file_status.c  stat
 */
#ifndef MODELS_MPI_PRELOAD_FILES_H
#define MODELS_MPI_PRELOAD_FILES_H

#include "models/mpi/preload/files/file_table.h"

#include <limits.h>

extern mode_t file_mask; /* umask(2) */

/* Where a name leads. */
struct place {
    char path[PATH_MAX]; /* absolute, free of links, "." and ".."; of a link that is not followed: the link itself */
    bool exists;
    bool slash;                /* the name ended in one: it must be a directory */
    int descriptor;            /* the name is /proc/self/fd/N of a nameless file: N; else -1 */
    struct overlay_file *file; /* exists: in the overlay; NULL: on the disk, with this status */
    struct stat disk;
};

/* Follows a name from directory descriptor `at`. That the last component does not exist is no error. A negative errno value, or 0.
 * Notes that the links on the way, and whatever made it fail, were read. */
long place_find(struct place *place, int at, const char *name, bool follow);
/* As place_find, but stops at the last component, whatever it is: a link even if a slash follows, which is only noted. */
enum last_component { LAST_NAME, LAST_DOT, LAST_DOTS, LAST_ROOT };
long place_find_last(struct place *place, int at, const char *name, enum last_component *last);
mode_t place_mode(const struct place *place); /* type and permissions, of one that exists */
/* May files be made and removed in the directory that holds it? 0 or a negative errno value. */
long place_parent_writable(const struct place *place);
/* May it be used so (R_OK, W_OK, X_OK)? */
long place_access(const struct place *place, int mode);
/* The working directory. */
const char *place_working_directory(void);
long place_set_working_directory(const char *path);
/* What /proc/self/fd/N of an open file is called; NULL: nothing that can be opened by name. */
const char *place_of_descriptor(const struct open_file *open);

/* Where the link at `path` leads: the length of `target`, or a negative errno value. */
long place_link(const char *path, char *target, size_t room);

/* file_status.c: stat(2) of things. */
void status_of_overlay(const struct overlay_file *file, struct stat *status);
long status_of_open(const struct open_file *open, struct stat *status);
void status_of_place(const struct place *place, struct stat *status);
void status_extend(const struct stat *status, void *statx);

/* directories.c: a new nameless file with the entries of a directory as getdents64 gives them, sorted by name. NULL: no memory or
 * no permission. Its number of entries in *entries, "." and ".." included. */
struct overlay_file *directory_list(const char *path, size_t *entries);
long directory_read(struct open_file *open, void *buffer, size_t room);

/* What is behind an open file is looked at, which need not have been when it was opened (file_turns.h). */
void files_note_look(const struct open_file *open);
/* file_report.c. `use`: enum wire_use. */
void files_note_use(const char *path, uint32_t use);
void files_note_opening(const char *path, const int *member, int members); /* by MPI-IO; ranks in MPI_COMM_WORLD */
void files_note_name(const char *path);                                    /* a name appears, goes or changes its meaning */
/* Tells the explorer how each name differs from the disk. */
void files_report(void);

/* enum device, or -1. */
int files_device(const char *path);
/* Takes over descriptors and working directory at MPI_Init. False: stdin has been read from already. */
bool files_start(void);
/* descriptor_calls.c: for answer_mmap. Fills new zeroed memory with a file's content; 0 or a negative errno value. */
long files_map(long descriptor, char *memory, size_t size, long offset, bool shared);
/* Refuses to change a file that is mapped shared, whose mapping would have to change too. */
void files_require_unmapped(const char *path);

static inline bool opened_for_writing(int flags) { return (flags & 3) == 1 || (flags & 3) == 2; }
static inline bool opened_for_reading(int flags) { return (flags & 3) == 0 || (flags & 3) == 2; }

#endif
