/* System calls on open files. */
#include "models/mpi/preload/files/files.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The open file that a call is about. NULL: there is none. */
static struct open_file *usable(long descriptor) {
    struct open_file *open = file_table_get(descriptor);
    if (open && open->kind == OPEN_FOREIGN)
        refuse_call("uses descriptor %ld, which it opened before MPI_Init and which is neither a file nor a directory,",
                    descriptor);
    if (open && open->inherited)
        files_note_use(open->path, WIRE_USE_READ);
    return open;
}

/* --- reading --------------------------------------------------------------------------------------------------------- */

static long read_device(const struct open_file *open, void *bytes, size_t size) {
    if (open->number == DEVICE_NULL)
        return 0;
    if (open->number == DEVICE_RANDOM)
        fixed_random(bytes, size);
    else
        memset(bytes, 0, size);
    return (long)size;
}

/* As mpiexec does it, rank 0 gets the input and the others nothing. */
static long read_input(struct open_file *open, void *bytes, size_t size) {
    if (rank_core.number != 0)
        return 0;
    make_writable((uintptr_t)bytes, size);
    long got = RAW4(SYS_pread64, open->number, bytes, size, open->offset);
    if (got > 0)
        open->offset += got;
    return got;
}

/* `offset` NULL: at the open file's own, which moves. */
static long read_open(struct open_file *open, void *bytes, size_t size, const long *offset) {
    bool seekable = open->kind == OPEN_FILE || open->kind == OPEN_DIRECTORY || open->kind == OPEN_DEVICE;
    if (!opened_for_reading(open->flags) || (open->flags & O_PATH))
        return -EBADF;
    if (offset && !seekable)
        return -ESPIPE;
    if (offset && *offset < 0)
        return -EINVAL;
    switch (open->kind) {
    case OPEN_INPUT: return read_input(open, bytes, size);
    case OPEN_DEVICE: return read_device(open, bytes, size);
    case OPEN_DIRECTORY: return -EISDIR;
    default: break;
    }
    files_note_look(open);
    long at = offset ? *offset : open->offset;
    long got = open->file ? overlay_read(open->file, bytes, size, at) : disk_read(open->path, bytes, size, at);
    if (!offset && got > 0)
        open->offset += got;
    return got;
}

/* --- writing --------------------------------------------------------------------------------------------------------- */

static void note_change(const struct open_file *open) {
    if (open->file->path)
        files_note_use(open->file->path, WIRE_USE_WRITTEN);
}

/* The content of the file is about to change. */
static long begin_change(struct open_file *open) {
    long error = file_table_detach(open);
    if (!error)
        note_change(open);
    return error;
}

static long write_file(struct open_file *open, const void *bytes, size_t size, const long *offset) {
    if (size == 0)
        return 0;
    long error = begin_change(open);
    if (error)
        return error;
    bool append = open->flags & O_APPEND;
    long at = append ? (long)open->file->size : offset ? *offset : open->offset;
    long put = overlay_write(open->file, bytes, size, at);
    if (!offset && put > 0)
        open->offset = at + put;
    return put;
}

static long write_open(struct open_file *open, const void *bytes, size_t size, const long *offset) {
    if (!opened_for_writing(open->flags) || (open->flags & O_PATH))
        return -EBADF;
    if (offset && open->kind != OPEN_FILE && open->kind != OPEN_DEVICE)
        return -ESPIPE;
    if (offset && *offset < 0)
        return -EINVAL;
    if (open->kind == OPEN_FILE)
        return write_file(open, bytes, size, offset);
    if (open->kind == OPEN_DEVICE)
        return open->number == DEVICE_FULL ? -ENOSPC : (long)size;
    if (size)
        report_output(open->number, bytes, size);
    return (long)size;
}

/* --- the calls that move bytes --------------------------------------------------------------------------------------- */

typedef long (*mover)(struct open_file *open, void *bytes, size_t size, const long *offset);

static long move_in(struct open_file *open, void *bytes, size_t size, const long *offset) {
    return read_open(open, bytes, size, offset);
}
static long move_out(struct open_file *open, void *bytes, size_t size, const long *offset) {
    /* A bad address must show before anything is changed. */
    for (size_t at = 0; at < size; at += PAGE_BYTES)
        (void)((const volatile char *)bytes)[at];
    if (size)
        (void)((const volatile char *)bytes)[size - 1];
    return write_open(open, bytes, size, offset);
}

static long move(const long argument[6], mover mover, bool at_offset) {
    struct open_file *open = usable(argument[0]);
    return open ? mover(open, (void *)argument[1], (size_t)argument[2], at_offset ? &argument[3] : NULL) : -EBADF;
}

static long move_pieces(const long argument[6], mover mover, bool at_offset) {
    struct open_file *open = usable(argument[0]);
    const struct iovec *piece = (const struct iovec *)argument[1];
    long total = 0, offset = argument[3];
    if (!open)
        return -EBADF;
    if (argument[2] < 0 || argument[2] > 1024)
        return -EINVAL;
    for (long i = 0; i < argument[2]; i++) {
        long moved = mover(open, piece[i].iov_base, piece[i].iov_len, at_offset ? &offset : NULL);
        if (moved < 0)
            return total ? total : moved;
        total += moved;
        offset += moved;
        if ((size_t)moved < piece[i].iov_len)
            break;
    }
    return total;
}

static long answer_read(const long argument[6]) { return move(argument, move_in, false); }
static long answer_pread(const long argument[6]) { return move(argument, move_in, true); }
static long answer_readv(const long argument[6]) { return move_pieces(argument, move_in, false); }
static long answer_preadv(const long argument[6]) { return move_pieces(argument, move_in, true); }
static long answer_write(const long argument[6]) { return move(argument, move_out, false); }
static long answer_pwrite(const long argument[6]) { return move(argument, move_out, true); }
static long answer_writev(const long argument[6]) { return move_pieces(argument, move_out, false); }
static long answer_pwritev(const long argument[6]) { return move_pieces(argument, move_out, true); }

static long answer_getdents(const long argument[6]) {
    struct open_file *open = usable(argument[0]);
    if (!open)
        return -EBADF;
    return open->kind == OPEN_DIRECTORY ? directory_read(open, (void *)argument[1], (size_t)argument[2]) : -ENOTDIR;
}

/* --- offsets and sizes ----------------------------------------------------------------------------------------------- */

static long size_of(const struct open_file *open) {
    struct stat status;
    long error = status_of_open(open, &status);
    return error ? error : status.st_size;
}

static long sought(const struct open_file *open, long offset, int whence) {
    long size = size_of(open);
    if (size < 0)
        return size;
    switch (whence) {
    case SEEK_SET: return offset;
    case SEEK_CUR: return open->offset + offset;
    case SEEK_END: return size + offset;
    case SEEK_DATA: /* files have no holes */ return offset >= 0 && offset < size ? offset : -ENXIO;
    case SEEK_HOLE: return offset >= 0 && offset < size ? size : -ENXIO;
    default: return -EINVAL;
    }
}

static long answer_lseek(const long argument[6]) {
    struct open_file *open = usable(argument[0]);
    if (!open || (open->flags & O_PATH))
        return -EBADF;
    if (open->kind == OPEN_DEVICE)
        return 0;
    if (open->kind != OPEN_FILE && open->kind != OPEN_DIRECTORY)
        return -ESPIPE;
    int whence = (int)argument[2];
    long offset = sought(open, argument[1], whence);
    if (offset < 0)
        return whence == SEEK_DATA || whence == SEEK_HOLE ? offset : -EINVAL;
    return open->offset = offset;
}

static long answer_ftruncate(const long argument[6]) {
    struct open_file *open = usable(argument[0]);
    if (!open)
        return -EBADF;
    if (argument[1] < 0 || open->kind != OPEN_FILE || !opened_for_writing(open->flags))
        return -EINVAL;
    if (size_of(open) == argument[1])
        return 0;
    long error = begin_change(open);
    return error ? error : overlay_resize(open->file, (size_t)argument[1]);
}

static long answer_fallocate(const long argument[6]) {
    struct open_file *open = usable(argument[0]);
    if (!open || !opened_for_writing(open->flags))
        return -EBADF;
    if (open->kind != OPEN_FILE)
        return open->kind == OPEN_DEVICE ? -ENODEV : -ESPIPE;
    if (argument[1] & ~(long)FALLOC_FL_KEEP_SIZE)
        return -EOPNOTSUPP;
    if (argument[2] < 0 || argument[3] <= 0)
        return -EINVAL;
    long end = argument[2] + argument[3];
    if ((argument[1] & FALLOC_FL_KEEP_SIZE) || size_of(open) >= end)
        return 0;
    long error = begin_change(open);
    return error ? error : overlay_resize(open->file, (size_t)end);
}

/* --- descriptors ----------------------------------------------------------------------------------------------------- */

static long answer_close(const long argument[6]) { return file_table_close((int)argument[0]); }

static long answer_close_range(const long argument[6]) {
    unsigned long first = (unsigned)argument[0], last = (unsigned)argument[1];
    if (first > last)
        return -EINVAL;
    for (unsigned long descriptor = first; descriptor <= last && descriptor < DESCRIPTORS_MOST; descriptor++) {
        if (argument[2] & CLOSE_RANGE_CLOEXEC)
            *file_table_close_on_exec((long)descriptor) = file_table_get((long)descriptor) != NULL;
        else
            file_table_close((long)descriptor);
    }
    return 0;
}

static long duplicate(long descriptor, long lowest, bool close_on_exec) {
    struct open_file *open = file_table_get(descriptor);
    if (!open)
        return -EBADF;
    if (lowest < 0 || lowest >= DESCRIPTORS_MOST)
        return -EINVAL;
    return file_table_add(open, lowest, close_on_exec);
}

static long answer_dup(const long argument[6]) { return duplicate((int)argument[0], 0, false); }

static long answer_dup2(const long argument[6]) {
    struct open_file *open = file_table_get((int)argument[0]);
    if (!open)
        return -EBADF;
    return argument[0] == argument[1] ? argument[1] : file_table_set(open, (int)argument[1], false);
}

static long answer_dup3(const long argument[6]) {
    struct open_file *open = file_table_get((int)argument[0]);
    if (argument[0] == argument[1] || (argument[2] & ~(long)O_CLOEXEC))
        return -EINVAL;
    return open ? file_table_set(open, (int)argument[1], argument[2] & O_CLOEXEC) : -EBADF;
}

static long set_flags(struct open_file *open, long flags) {
    const int changeable = O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME;
    open->flags = (open->flags & ~changeable) | ((int)flags & changeable);
    return 0;
}

/* No other process has this rank's files, or the explorer would refuse. */
static long tell_unlocked(struct flock *lock) {
    lock->l_type = F_UNLCK;
    return 0;
}

static long answer_fcntl(const long argument[6]) {
    struct open_file *open = file_table_get((int)argument[0]);
    if (!open)
        return -EBADF;
    switch (argument[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: return duplicate((int)argument[0], (int)argument[2], argument[1] == F_DUPFD_CLOEXEC);
    case F_GETFD: return *file_table_close_on_exec(argument[0]) ? FD_CLOEXEC : 0;
    case F_SETFD: *file_table_close_on_exec(argument[0]) = argument[2] & FD_CLOEXEC; return 0;
    case F_GETFL: return open->flags;
    case F_SETFL: return set_flags(open, argument[2]);
    case F_GETLK:
    case F_OFD_GETLK: return tell_unlocked((struct flock *)argument[2]);
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_SETLK:
    case F_OFD_SETLKW: return 0;
    default: return -EINVAL;
    }
}

static long answer_ioctl(const long argument[6]) {
    struct open_file *open = file_table_get((int)argument[0]);
    if (!open)
        return -EBADF;
    switch (argument[1]) {
    case FIOCLEX:
    case FIONCLEX: *file_table_close_on_exec((int)argument[0]) = argument[1] == FIOCLEX; return 0;
    case FIONBIO: return 0;
    case FIONREAD:
        if (open->kind != OPEN_FILE)
            return -ENOTTY;
        *(int *)argument[2] = (int)(size_of(open) - open->offset);
        return 0;
    default: /* none of them is a terminal */ return -ENOTTY;
    }
}

/* The disk is never behind. */
static long answer_sync(const long argument[6]) {
    const struct open_file *open = file_table_get((int)argument[0]);
    if (!open)
        return -EBADF;
    return open->kind == OPEN_FILE || open->kind == OPEN_DIRECTORY ? 0 : -EINVAL;
}
static long answer_if_open(const long argument[6]) { return file_table_get((int)argument[0]) ? 0 : -EBADF; }
static long answer_done(const long argument[6]) {
    (void)argument;
    return 0;
}

/* --- what libc has another way for ----------------------------------------------------------------------------------- */

static long answer_no_such_call(const long argument[6]) {
    (void)argument;
    return -ENOSYS;
}
static long answer_cannot_copy(const long argument[6]) {
    (void)argument;
    return -EINVAL;
}

/* --- mappings -------------------------------------------------------------------------------------------------------- */

static struct {
    char **path;
    size_t count;
} shared_mappings;

static bool mapped_shared(const char *path) {
    for (size_t i = 0; i < shared_mappings.count; i++)
        if (strcmp(shared_mappings.path[i], path) == 0)
            return true;
    return false;
}

void files_require_unmapped(const char *path) {
    if (mapped_shared(path))
        refuse_call("changes the file \"%.200s\", which it has mapped with MAP_SHARED,", path);
}

static long remember_shared(const char *path) {
    if (mapped_shared(path))
        return 0;
    char **grown = realloc(shared_mappings.path, (shared_mappings.count + 1) * sizeof *grown);
    char *copy = malloc(strlen(path) + 1);
    if (grown)
        shared_mappings.path = grown;
    if (!grown || !copy) {
        free(copy);
        return -ENOMEM;
    }
    grown[shared_mappings.count++] = strcpy(copy, path);
    return 0;
}

long files_map(long descriptor, char *memory, size_t size, long offset, bool shared) {
    struct open_file *open = usable(descriptor);
    if (!open)
        return -EBADF;
    if (open->kind == OPEN_DEVICE && open->number == DEVICE_ZERO)
        return 0;
    if (open->kind != OPEN_FILE)
        return -ENODEV;
    if (!opened_for_reading(open->flags))
        return -EACCES;
    if (shared && (open->file || opened_for_writing(open->flags)))
        refuse_call("maps the file \"%.200s\", which it may write, with MAP_SHARED", open->path ? open->path : "");
    for (size_t at = 0; at < size;) {
        long here = offset + (long)at;
        long got = read_open(open, memory + at, size - at, &here);
        if (got < 0)
            return got;
        if (got == 0)
            break;
        at += (size_t)got;
    }
    return shared ? remember_shared(open->path) : 0;
}

/* --- the table ------------------------------------------------------------------------------------------------------- */

const struct system_call descriptor_calls[] = {
    {SYS_read, answer_read},
    {SYS_pread64, answer_pread},
    {SYS_readv, answer_readv},
    {SYS_preadv, answer_preadv},
    {SYS_write, answer_write},
    {SYS_pwrite64, answer_pwrite},
    {SYS_writev, answer_writev},
    {SYS_pwritev, answer_pwritev},
    {SYS_preadv2, answer_no_such_call},
    {SYS_pwritev2, answer_no_such_call},
    {SYS_getdents64, answer_getdents},
    {SYS_getdents, answer_no_such_call},
    {SYS_lseek, answer_lseek},
    {SYS_ftruncate, answer_ftruncate},
    {SYS_fallocate, answer_fallocate},
    {SYS_close, answer_close},
    {SYS_close_range, answer_close_range},
    {SYS_dup, answer_dup},
    {SYS_dup2, answer_dup2},
    {SYS_dup3, answer_dup3},
    {SYS_fcntl, answer_fcntl},
    {SYS_ioctl, answer_ioctl},
    {SYS_fsync, answer_sync},
    {SYS_fdatasync, answer_sync},
    {SYS_syncfs, answer_if_open},
    {SYS_sync_file_range, answer_if_open},
    {SYS_flock, answer_if_open},
    {SYS_fadvise64, answer_if_open},
    {SYS_readahead, answer_if_open},
    {SYS_sync, answer_done},
    {SYS_msync, answer_done},
    {SYS_copy_file_range, answer_no_such_call},
    {SYS_sendfile, answer_cannot_copy},
    {SYS_splice, answer_cannot_copy},
    {SYS_tee, answer_cannot_copy},
    {SYS_vmsplice, answer_cannot_copy},
    {SYS_io_setup, answer_no_such_call},
    {SYS_io_uring_setup, answer_no_such_call},
};
const size_t descriptor_calls_count = sizeof descriptor_calls / sizeof *descriptor_calls;
