#include "models/mpi/preload/files/files.h"

#include "ckpt/raw_syscall.h"

#include <errno.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

static void set_size(struct stat *status, size_t size) {
    status->st_size = (off_t)size;
    status->st_blksize = 4096;
    status->st_blocks = (blkcnt_t)((size + 511) / 512);
}

void status_of_overlay(const struct overlay_file *file, struct stat *status) {
    *status = (struct stat){
        .st_dev = file->device,
        .st_ino = file->inode,
        .st_nlink = file->directory ? 2
                    : file->path    ? 1
                                    : 0,
        .st_mode = (file->directory ? S_IFDIR : S_IFREG) | file->mode,
        .st_uid = (uid_t)RAW0(SYS_geteuid),
        .st_gid = (gid_t)RAW0(SYS_getegid),
    };
    set_size(status, file->directory ? 4096 : file->size);
    status->st_mtim.tv_sec = status->st_ctim.tv_sec = status->st_atim.tv_sec = file->modified;
}

/* Under mpiexec the standard streams are pipes. */
static void status_of_pipe(struct stat *status) {
    *status = (struct stat){.st_dev = 1, .st_ino = 1, .st_nlink = 1, .st_mode = S_IFIFO | 0600, .st_blksize = 4096};
}

static void status_of_device(int device, struct stat *status) {
    static const unsigned minor[] = {3, 5, 7, 9};
    *status = (struct stat){.st_dev = 1,
                            .st_ino = 2 + (ino_t)device,
                            .st_nlink = 1,
                            .st_mode = S_IFCHR | 0666,
                            .st_rdev = makedev(1, minor[device]),
                            .st_blksize = 4096};
}

static long status_of_file(const struct open_file *open, struct stat *status) {
    if (open->file) {
        status_of_overlay(open->file, status);
        return 0;
    }
    long error = disk_status(open->path, status);
    if (overlay_find(open->path) || overlay_hides(open->path))
        status->st_nlink = 0; /* its name is gone, or another file's */
    return error;
}

long status_of_open(const struct open_file *open, struct stat *status) {
    files_note_look(open);
    switch (open->kind) {
    case OPEN_DEVICE: status_of_device(open->number, status); return 0;
    case OPEN_FILE: return status_of_file(open, status);
    case OPEN_DIRECTORY: {
        const struct overlay_name *name = overlay_find(open->path);
        if (!name || !name->file)
            return disk_status(open->path, status);
        status_of_overlay(name->file, status);
        return 0;
    }
    default: status_of_pipe(status); return 0;
    }
}

void status_of_place(const struct place *place, struct stat *status) {
    if (place->descriptor >= 0)
        status_of_open(file_table_get(place->descriptor), status);
    else if (place->file)
        status_of_overlay(place->file, status);
    else
        *status = place->disk;
}

static struct statx_timestamp extended_time(struct timespec time) {
    return (struct statx_timestamp){.tv_sec = time.tv_sec, .tv_nsec = (uint32_t)time.tv_nsec};
}

void status_extend(const struct stat *status, void *extended) {
    struct statx result = {
        .stx_mask = STATX_BASIC_STATS,
        .stx_blksize = (uint32_t)status->st_blksize,
        .stx_nlink = (uint32_t)status->st_nlink,
        .stx_uid = status->st_uid,
        .stx_gid = status->st_gid,
        .stx_mode = (uint16_t)status->st_mode,
        .stx_ino = status->st_ino,
        .stx_size = (uint64_t)status->st_size,
        .stx_blocks = (uint64_t)status->st_blocks,
        .stx_atime = extended_time(status->st_atim),
        .stx_ctime = extended_time(status->st_ctim),
        .stx_mtime = extended_time(status->st_mtim),
        .stx_rdev_major = major(status->st_rdev),
        .stx_rdev_minor = minor(status->st_rdev),
        .stx_dev_major = major(status->st_dev),
        .stx_dev_minor = minor(status->st_dev),
    };
    memcpy(extended, &result, sizeof result);
}
