/* What a rank has changed in the file system, kept in its own memory over a disk that is only read: part of its local state.
 *
 *     names, sorted:  /home/u/out.txt -> file: 12 bytes
 *                     /home/u/run     -> file: directory, opaque (made by the rank: nothing of the disk shows in it)
 *                     /home/u/old.txt -> NULL: removed
 *
 * A path here is absolute and free of links, "." and "..". A file outlives its name while it is open. */
#ifndef MODELS_MPI_PRELOAD_OVERLAY_H
#define MODELS_MPI_PRELOAD_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum { OVERLAY_EPOCH = 1700000000 }; /* when all files of the overlay were last changed, unless the program sets it */

struct overlay_file {
    char *path; /* its name, NULL if it has none (any more) */
    bool directory;
    bool opaque;    /* directory: nothing of the disk shows in it */
    bool handed;    /* it is as the home of an MPI file knows it (handed_files.h) */
    uint32_t users; /* its name and open files */
    uint32_t mode;  /* permission bits */
    uint64_t device, inode;
    int64_t modified; /* seconds */
    char *bytes;      /* NULL if size is 0 */
    size_t size, room;
};

struct overlay_name {
    char *path;
    struct overlay_file *file; /* NULL: removed */
    bool is_others;            /* as another rank has left it (file_turns.h) */
};

/* A new file without a name and with one user; NULL: no memory. */
struct overlay_file *overlay_make(bool directory, uint32_t mode);
void overlay_drop(struct overlay_file *file); /* one user less */

/* Bytes beyond the old size are zero. 0, or -EFBIG. Ends the step if the rank's memory is used up: a disk would have had room. */
long overlay_resize(struct overlay_file *file, size_t size);
/* Bytes moved, or -EFBIG. `offset` is not negative. */
long overlay_write(struct overlay_file *file, const void *bytes, size_t size, long offset);
long overlay_read(const struct overlay_file *file, void *bytes, size_t size, long offset);

/* NULL: nothing is known of this path, so it is as on the disk unless overlay_hides. */
const struct overlay_name *overlay_find(const char *path);
/* A directory above was removed or made by the rank, so that the disk does not show here. */
bool overlay_hides(const char *path);
/* Gives `path` to a file (whose user the name becomes, besides those it has), or with NULL marks it removed; what had it loses
 * it. 0, or -ENOSPC. */
long overlay_set(const char *path, struct overlay_file *file);
/* Takes the name away: the path is removed if the disk has it, else as if it had never been. */
long overlay_remove(const char *path);
/* Moves a name that has a file. */
long overlay_rename(const char *from, const char *to);
/* Moves a directory of the overlay and all that is in it. */
long overlay_move_directory(const char *from, const char *to);
/* It is as another rank has left it, or as this one does, if anything is known of it. */
void overlay_set_others(const char *path, bool is_others);
/* All names, sorted. */
const struct overlay_name *overlay_names(size_t *count);
/* Is `path` the directory, or in it at any depth? */
bool overlay_is_in(const char *directory, const char *path);
/* Is `path` in the directory itself? Then its last component, else NULL. */
const char *overlay_child(const char *directory, const char *path);

/* The disk, whatever the overlay says: 0 or a negative errno value. Links are not followed. Times that change by being looked
 * at are made constant. */
long disk_status(const char *path, struct stat *status);
/* Reads at `offset`; bytes read, or a negative errno value. `bytes` may be the application's memory. */
long disk_read(const char *path, void *bytes, size_t size, long offset);
/* Lets go of the file that disk_read keeps open. */
void disk_close(void);
/* Access as access(2) asks for; 0 or a negative errno value. */
long disk_access(const char *path, int mode);

#endif
