/* System calls that look at what a name leads to, or change it. */
#include "models/mpi/preload/files/files.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/files/handed_files.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <unistd.h>

mode_t file_mask;

bool files_start(void) {
    char path[PATH_MAX];
    file_mask = umask(0);
    umask(file_mask);
    return place_set_working_directory(getcwd(path, sizeof path) ? path : "/") == 0 && file_table_start();
}

/* A place that must be there; that it is read is noted. */
static long find_existing(struct place *place, int at, const char *name, bool follow) {
    long error = place_find(place, at, name, follow);
    if (error)
        return error;
    files_note_use(place->path, WIRE_USE_READ);
    return place->exists ? 0 : -ENOENT;
}

/* --- looking --------------------------------------------------------------------------------------------------------- */

static long find_status(int at, const char *name, int flags, struct stat *status) {
    if ((flags & AT_EMPTY_PATH) && (!name || !name[0]) && at != AT_FDCWD) {
        struct open_file *open = file_table_get(at);
        return open ? status_of_open(open, status) : -EBADF;
    }
    struct place place;
    long error = find_existing(&place, at, flags & AT_EMPTY_PATH && !name[0] ? "." : name, !(flags & AT_SYMLINK_NOFOLLOW));
    if (error)
        return error;
    status_of_place(&place, status);
    return 0;
}

static long put_status(int at, const char *name, int flags, void *target) {
    struct stat status;
    long error = find_status(at, name, flags, &status);
    if (error == 0)
        memcpy(target, &status, sizeof status);
    return error;
}

static long answer_stat(const long argument[6]) {
    return put_status(AT_FDCWD, (const char *)argument[0], 0, (void *)argument[1]);
}
static long answer_lstat(const long argument[6]) {
    return put_status(AT_FDCWD, (const char *)argument[0], AT_SYMLINK_NOFOLLOW, (void *)argument[1]);
}
static long answer_fstat(const long argument[6]) {
    return put_status((int)argument[0], "", AT_EMPTY_PATH, (void *)argument[1]);
}
static long answer_fstatat(const long argument[6]) {
    return put_status((int)argument[0], (const char *)argument[1], (int)argument[3], (void *)argument[2]);
}
static long answer_statx(const long argument[6]) {
    struct stat status;
    long error = find_status((int)argument[0], (const char *)argument[1], (int)argument[2], &status);
    if (error == 0)
        status_extend(&status, (void *)argument[4]);
    return error;
}

static long find_access(int at, const char *name, int mode, int flags) {
    struct place place;
    long error = find_existing(&place, at, name, !(flags & AT_SYMLINK_NOFOLLOW));
    if (error)
        return error;
    return place.descriptor >= 0 ? 0 : place_access(&place, mode);
}
static long answer_access(const long argument[6]) {
    return find_access(AT_FDCWD, (const char *)argument[0], (int)argument[1], 0);
}
static long answer_faccessat(const long argument[6]) {
    return find_access((int)argument[0], (const char *)argument[1], (int)argument[2], 0);
}
static long answer_faccessat2(const long argument[6]) {
    return find_access((int)argument[0], (const char *)argument[1], (int)argument[2], (int)argument[3]);
}

static long put_link(int at, const char *name, char *target, long room) {
    struct place place;
    char text[PATH_MAX];
    long error = room > 0 ? find_existing(&place, at, name, false) : -EINVAL;
    if (error)
        return error;
    if (!S_ISLNK(place_mode(&place)))
        return -EINVAL;
    long length = place_link(place.path, text, sizeof text);
    if (length > room)
        length = room;
    if (length > 0)
        memcpy(target, text, (size_t)length);
    return length;
}
static long answer_readlink(const long argument[6]) {
    return put_link(AT_FDCWD, (const char *)argument[0], (char *)argument[1], argument[2]);
}
static long answer_readlinkat(const long argument[6]) {
    return put_link((int)argument[0], (const char *)argument[1], (char *)argument[2], argument[3]);
}

/* How full a disk is depends on everybody. */
static long put_file_system(struct statfs *target) {
    const struct statfs file_system = {.f_type = 0xef53,
                                       .f_bsize = 4096,
                                       .f_frsize = 4096,
                                       .f_blocks = 1 << 28,
                                       .f_bfree = 1 << 27,
                                       .f_bavail = 1 << 27,
                                       .f_files = 1 << 24,
                                       .f_ffree = 1 << 23,
                                       .f_namelen = NAME_MAX};
    memcpy(target, &file_system, sizeof file_system);
    return 0;
}
/* Of a file it tells no more than that it is there, as what this process has open by MPI-IO is. */
static long answer_statfs(const long argument[6]) {
    struct place place;
    long error = place_find(&place, AT_FDCWD, (const char *)argument[0], true);
    if (error == 0 && !handed_is_open(place.path))
        error = find_existing(&place, AT_FDCWD, (const char *)argument[0], true);
    return error ? error : put_file_system((struct statfs *)argument[1]);
}
static long answer_fstatfs(const long argument[6]) {
    return file_table_get((int)argument[0]) ? put_file_system((struct statfs *)argument[1]) : -EBADF;
}

/* --- the working directory ------------------------------------------------------------------------------------------- */

static long answer_getcwd(const long argument[6]) {
    const char *path = place_working_directory();
    size_t size = strlen(path) + 1;
    if (size > (size_t)argument[1])
        return -ERANGE;
    memcpy((void *)argument[0], path, size);
    return (long)size;
}

static long answer_chdir(const long argument[6]) {
    struct place place;
    long error = find_existing(&place, AT_FDCWD, (const char *)argument[0], true);
    if (error)
        return error;
    if (!S_ISDIR(place_mode(&place)))
        return -ENOTDIR;
    error = place_access(&place, X_OK);
    return error ? error : place_set_working_directory(place.path);
}

static long answer_fchdir(const long argument[6]) {
    struct open_file *open = file_table_get((int)argument[0]);
    if (!open)
        return -EBADF;
    return open->kind == OPEN_DIRECTORY ? place_set_working_directory(open->path) : -ENOTDIR;
}

static long answer_umask(const long argument[6]) {
    mode_t before = file_mask;
    file_mask = (mode_t)argument[0] & 0777;
    return before;
}

/* --- size, mode, times ----------------------------------------------------------------------------------------------- */

/* A file, or directory, of the overlay that is about to change: by name, or an open one's. */
static long find_changing(struct overlay_file **file, int at, const char *name, int flags) {
    struct open_file *open = !name || ((flags & AT_EMPTY_PATH) && !name[0]) ? file_table_get(at) : NULL;
    if ((!name || !name[0]) && !open)
        return name ? -ENOENT : -EBADF;
    *file = NULL;
    if (open && open->kind == OPEN_FILE) {
        long error = file_table_detach(open);
        *file = open->file;
        if (!error && open->file->path)
            files_note_use(open->file->path, WIRE_USE_WRITTEN);
        return error;
    }
    if (open && open->kind != OPEN_DIRECTORY)
        return 0; /* streams and devices stay as they are */
    struct place place;
    long error = find_existing(&place, at, open ? open->path : name, !(flags & AT_SYMLINK_NOFOLLOW));
    if (error || place.descriptor >= 0 || files_device(place.path) >= 0)
        return error;
    mode_t mode = place_mode(&place);
    if (!S_ISREG(mode) && !S_ISDIR(mode))
        refuse_call("changes the mode or times of the special file or link \"%.200s\"", place.path);
    files_note_use(place.path, WIRE_USE_WRITTEN);
    return file_table_detach_name(place.path, file);
}

static long answer_truncate(const long argument[6]) {
    struct place place;
    struct overlay_file *file;
    long error = argument[1] < 0 ? -EINVAL : find_existing(&place, AT_FDCWD, (const char *)argument[0], true);
    if (error)
        return error;
    mode_t mode = place_mode(&place);
    if (!S_ISREG(mode))
        return S_ISDIR(mode) ? -EISDIR : -EINVAL;
    error = place_access(&place, W_OK);
    if (error)
        return error;
    files_note_use(place.path, WIRE_USE_WRITTEN);
    error = file_table_detach_name(place.path, &file);
    return error ? error : overlay_resize(file, (size_t)argument[1]);
}

static long change_mode(int at, const char *name, long mode, int flags) {
    struct overlay_file *file;
    long error = find_changing(&file, at, name, flags);
    if (error == 0 && file)
        file->mode = (uint32_t)mode & 07777;
    return error;
}
static long answer_chmod(const long argument[6]) { return change_mode(AT_FDCWD, (const char *)argument[0], argument[1], 0); }
static long answer_fchmod(const long argument[6]) { return change_mode((int)argument[0], NULL, argument[1], 0); }
static long answer_fchmodat(const long argument[6]) {
    return change_mode((int)argument[0], (const char *)argument[1], argument[2], 0);
}

/* seconds < 0: now, which here is always the same moment. */
static long change_time(int at, const char *name, long seconds, int flags) {
    struct overlay_file *file;
    long error = find_changing(&file, at, name, flags);
    if (error == 0 && file)
        file->modified = seconds < 0 ? OVERLAY_EPOCH : seconds;
    return error;
}
static long answer_utime(const long argument[6]) {
    const long *times = (const long *)argument[1]; /* struct utimbuf: access, modification */
    return change_time(AT_FDCWD, (const char *)argument[0], times ? times[1] : -1, 0);
}
static long answer_utimes(const long argument[6]) {
    const struct timeval *times = (const struct timeval *)argument[1];
    return change_time(AT_FDCWD, (const char *)argument[0], times ? times[1].tv_sec : -1, 0);
}
static long answer_futimesat(const long argument[6]) {
    const struct timeval *times = (const struct timeval *)argument[2];
    return change_time((int)argument[0], (const char *)argument[1], times ? times[1].tv_sec : -1, 0);
}
static long answer_utimensat(const long argument[6]) {
    const struct timespec *times = (const struct timespec *)argument[2];
    if (times && times[1].tv_nsec == UTIME_OMIT)
        return 0;
    bool now = !times || times[1].tv_nsec == UTIME_NOW;
    return change_time((int)argument[0], (const char *)argument[1], now ? -1 : times[1].tv_sec, (int)argument[3]);
}

static long answer_owner(const long argument[6]) {
    (void)argument;
    refuse_call("changes the owner of files");
}
static long answer_no_attributes(const long argument[6]) {
    (void)argument;
    return -EOPNOTSUPP;
}

/* --- the table ------------------------------------------------------------------------------------------------------- */

const struct system_call name_calls[] = {
    {SYS_stat, answer_stat},
    {SYS_lstat, answer_lstat},
    {SYS_fstat, answer_fstat},
    {SYS_newfstatat, answer_fstatat},
    {SYS_statx, answer_statx},
    {SYS_access, answer_access},
    {SYS_faccessat, answer_faccessat},
    {SYS_faccessat2, answer_faccessat2},
    {SYS_readlink, answer_readlink},
    {SYS_readlinkat, answer_readlinkat},
    {SYS_statfs, answer_statfs},
    {SYS_fstatfs, answer_fstatfs},
    {SYS_getcwd, answer_getcwd},
    {SYS_chdir, answer_chdir},
    {SYS_fchdir, answer_fchdir},
    {SYS_umask, answer_umask},
    {SYS_truncate, answer_truncate},
    {SYS_chmod, answer_chmod},
    {SYS_fchmod, answer_fchmod},
    {SYS_fchmodat, answer_fchmodat},
    {SYS_utime, answer_utime},
    {SYS_utimes, answer_utimes},
    {SYS_futimesat, answer_futimesat},
    {SYS_utimensat, answer_utimensat},
    {SYS_chown, answer_owner},
    {SYS_fchown, answer_owner},
    {SYS_lchown, answer_owner},
    {SYS_fchownat, answer_owner},
    {SYS_getxattr, answer_no_attributes},
    {SYS_lgetxattr, answer_no_attributes},
    {SYS_fgetxattr, answer_no_attributes},
    {SYS_listxattr, answer_no_attributes},
    {SYS_llistxattr, answer_no_attributes},
    {SYS_flistxattr, answer_no_attributes},
    {SYS_setxattr, answer_no_attributes},
    {SYS_lsetxattr, answer_no_attributes},
    {SYS_fsetxattr, answer_no_attributes},
    {SYS_removexattr, answer_no_attributes},
    {SYS_lremovexattr, answer_no_attributes},
    {SYS_fremovexattr, answer_no_attributes},
};
const size_t name_calls_count = sizeof name_calls / sizeof *name_calls;
