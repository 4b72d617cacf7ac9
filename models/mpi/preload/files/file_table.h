/* The open files of a rank: part of its local state, and unknown to the kernel. Reading a file of the disk opens it by name each
 * time (overlay.c), so that restoring a local state need not care for files at all.
 *
 *     descriptor 0   1   2   3   4
 *                |   |   |   |___|___ open file {offset 12, flags} -> overlay file, or the disk's by path
 *                input  streams
 */
#ifndef MODELS_MPI_PRELOAD_FILE_TABLE_H
#define MODELS_MPI_PRELOAD_FILE_TABLE_H

#include "models/mpi/preload/files/overlay.h"

#include <stdbool.h>

enum { DESCRIPTORS_MOST = 1024 };

enum open_kind {
    OPEN_STREAM, /* stdout or stderr: `number` 1 or 2 */
    OPEN_INPUT,  /* stdin: the kernel's descriptor `number` holds what rank 0 gets */
    OPEN_FILE,
    OPEN_DIRECTORY,
    OPEN_DEVICE,  /* `number`: enum device */
    OPEN_FOREIGN, /* from before MPI_Init, and not to be modelled: a socket, a pipe… */
};

enum device { DEVICE_NULL, DEVICE_ZERO, DEVICE_FULL, DEVICE_RANDOM };

struct open_file {
    enum open_kind kind;
    int number;
    uint32_t users; /* descriptors */
    bool inherited; /* opened before MPI_Init: the explorer does not know yet that the rank reads it */
    int flags;      /* of open(2), those that F_GETFL tells */
    long offset;
    char *path;                /* when it was opened; NULL: never had a name */
    struct overlay_file *file; /* OPEN_FILE: NULL, it is as on the disk. OPEN_DIRECTORY: its listing, once it is read */
};

/* Takes over what is open at MPI_Init. False: stdin has been read from already. */
bool file_table_start(void);

/* NULL: not open. */
struct open_file *file_table_get(long descriptor);
/* A new open file with one user, who must drop it; NULL: no memory. `path` is copied, `file` gets a user. */
struct open_file *file_table_make(enum open_kind kind, int number, int flags, const char *path, struct overlay_file *file);
void file_table_drop(struct open_file *open);
/* Gives an open file (which gets a user) the lowest free descriptor from `lowest` on: its number, or -EMFILE. */
long file_table_add(struct open_file *open, long lowest, bool close_on_exec);
bool file_table_is_full(void);
/* Is a directory open that is `path` or below it? */
bool file_table_is_in(const char *path);
/* Is a file of this name open, or one that had it when it was opened? */
bool file_table_has(const char *path);
/* As dup2: what was open there is closed. */
long file_table_set(struct open_file *open, long descriptor, bool close_on_exec);
/* 0 or -EBADF. */
long file_table_close(long descriptor);
bool *file_table_close_on_exec(long descriptor);

/* The file behind an open file is about to change: it is copied from the disk if it is there still, and every open file of
 * it sees the copy. 0 or a negative errno value. */
long file_table_detach(struct open_file *open);
/* The same for a name, whether open or not; its file in *file. */
long file_table_detach_name(const char *path, struct overlay_file **file);

#endif
