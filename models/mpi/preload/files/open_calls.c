/* System calls that open files by name. */
#include "models/mpi/preload/files/files.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/process/process_attributes.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int files_device(const char *path) {
    static const struct {
        const char *path;
        enum device device;
    } known[] = {{"/dev/null", DEVICE_NULL},
                 {"/dev/zero", DEVICE_ZERO},
                 {"/dev/full", DEVICE_FULL},
                 {"/dev/random", DEVICE_RANDOM},
                 {"/dev/urandom", DEVICE_RANDOM}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(path, known[i].path) == 0)
            return (int)known[i].device;
    return -1;
}

/* The descriptor of a new open file. */
static long opened(enum open_kind kind, int number, int flags, const char *path, struct overlay_file *file) {
    const int kept = ~(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY);
    struct open_file *open = file_table_make(kind, number, flags & kept, path, file);
    if (!open)
        return -ENOMEM;
    long descriptor = file_table_add(open, 0, flags & O_CLOEXEC);
    file_table_drop(open);
    return descriptor;
}

static long open_new(const struct place *place, int flags, mode_t mode) {
    long error = place_parent_writable(place);
    if (error)
        return error;
    struct overlay_file *file = overlay_make(false, mode & ~file_mask);
    if (!file)
        return -ENOSPC;
    files_note_name(place->path);
    error = overlay_set(place->path, file);
    long descriptor = error ? error : opened(OPEN_FILE, 0, flags, place->path, file);
    overlay_drop(file);
    return descriptor;
}

static long open_nameless(const struct place *place, int flags, mode_t mode) {
    if (!place->exists)
        return -ENOENT;
    if (!S_ISDIR(place_mode(place)))
        return -ENOTDIR;
    long error = place_access(place, W_OK | X_OK);
    if (error)
        return error;
    struct overlay_file *file = overlay_make(false, mode & ~file_mask);
    if (!file)
        return -ENOSPC;
    long descriptor = opened(OPEN_FILE, 0, flags & ~O_TMPFILE, NULL, file);
    overlay_drop(file);
    return descriptor;
}

static long open_directory(const struct place *place, int flags) {
    if (opened_for_writing(flags) || (flags & O_CREAT))
        return -EISDIR;
    long error = flags & O_PATH ? 0 : place_access(place, R_OK);
    return error ? error : opened(OPEN_DIRECTORY, 0, flags, place->path, NULL);
}

static bool begins_with(const char *path, const char *prefix) { return strncmp(path, prefix, strlen(prefix)) == 0; }

/* What the kernel tells of this very process or moment would differ from one run of a step to the next. (So may the mappings, but
 * libc itself looks for the stack in them: pthread_getattr_np.) */
static bool constant_in_proc(const char *path) {
    static const char *const constant[] = {"/proc/cpuinfo",        "/proc/version",      "/proc/filesystems",
                                           "/proc/self/cmdline",   "/proc/self/environ", "/proc/self/comm",
                                           "/proc/self/mounts",    "/proc/self/limits",  "/proc/self/cgroup",
                                           "/proc/self/mountinfo", "/proc/self/maps",    "/proc/self/loginuid"};
    for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
        if (strcmp(path, constant[i]) == 0)
            return !process_tells_otherwise(path);
    return false;
}

static bool ends_with(const char *path, const char *suffix) {
    const size_t length = strlen(path), end = strlen(suffix);
    return length >= end && strcmp(path + length - end, suffix) == 0;
}

/* Among settings of the kernel, and what it tells of devices and of groups of processes, are some of the moment. */
static bool is_of_the_moment(const char *path) {
    static const char *const end[] = {"/random/uuid",  "/random/entropy_avail",
                                      "/ns_last_pid",  "/pty/nr",
                                      "-nr",           "-state",
                                      "/meminfo",      "/numastat",
                                      "/vmstat",       "/stat",
                                      "/inflight",     "cur_freq",
                                      "_input",        ".current",
                                      ".stat",         ".peak",
                                      ".pressure",     ".events",
                                      "_in_bytes",     ".usage",
                                      "/uevent_seqnum"};
    bool found = strstr(path, "/statistics/") != NULL;
    for (size_t i = 0; i < sizeof end / sizeof *end && !found; i++)
        found = ends_with(path, end[i]);
    return found;
}

static bool tells_of_the_program(const char *path) {
    if (begins_with(path, "/proc/") && !begins_with(path, "/proc/sys/"))
        return constant_in_proc(path);
    return !is_of_the_moment(path);
}

/* What programs look at to report how much memory they use: as sysinfo has it, and always the same. %ld is the process. */
static const char *usual_text(const char *path) {
    static const struct {
        const char *path, *text;
    } usual[] = {{"/proc/loadavg", "0.00 0.00 0.00 1/100 %ld\n"},
                 {"/proc/meminfo", "MemTotal:        4194304 kB\nMemFree:         2097152 kB\nMemAvailable:    2097152 kB\n"
                                   "Buffers:               0 kB\nCached:                0 kB\nSwapCached:            0 kB\n"
                                   "SwapTotal:             0 kB\nSwapFree:              0 kB\n"},
                 {"/proc/self/statm", "16384 4096 1024 256 0 8192 0\n"},
                 {"/proc/self/status", "Name:\tprogram\nState:\tR (running)\nTgid:\t%1$ld\nPid:\t%1$ld\n"
                                       "VmPeak:\t   65536 kB\nVmSize:\t   65536 kB\nVmLck:\t       0 kB\nVmPin:\t       0 kB\n"
                                       "VmHWM:\t   16384 kB\nVmRSS:\t   16384 kB\nRssAnon:\t   12288 kB\n"
                                       "RssFile:\t    4096 kB\nRssShmem:\t       0 kB\nVmData:\t   32768 kB\n"
                                       "VmStk:\t     136 kB\nVmExe:\t    1024 kB\nVmLib:\t    8192 kB\nVmPTE:\t     128 kB\n"
                                       "VmSwap:\t       0 kB\nThreads:\t1\n"}};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(path, usual[i].path) == 0)
            return usual[i].text;
    return NULL;
}

static long write_usual(struct overlay_file *file, const char *format) {
    char text[1024];
    int length = snprintf(text, sizeof text, format, own_process_number());
    return overlay_write(file, text, (size_t)length, 0);
}

static long copy_from_disk(struct overlay_file *file, const char *path) {
    char block[4096];
    long got = 1;
    while (got > 0 && (got = disk_read(path, block, sizeof block, (long)file->size)) > 0)
        got = overlay_write(file, block, (size_t)got, (long)file->size);
    return got;
}

/* Files of the kernel have no size, and are read once. */
static long open_snapshot(const struct place *place, int flags) {
    if (opened_for_writing(flags))
        refuse_call("opens the special file \"%.200s\" for writing", place->path);
    const char *usual = usual_text(place->path);
    if (!usual && !tells_of_the_program(place->path))
        refuse_call("opens \"%.200s\", which tells of the moment and not of the program,", place->path);
    struct overlay_file *file = overlay_make(false, 0444);
    long got = !file ? -ENOMEM : usual ? write_usual(file, usual) : copy_from_disk(file, place->path);
    long descriptor = got < 0 ? got : opened(OPEN_FILE, 0, flags, place->path, file);
    overlay_drop(file);
    return descriptor;
}

static long open_regular(const struct place *place, int flags) {
    int wanted = (opened_for_reading(flags) ? R_OK : 0) | (opened_for_writing(flags) || (flags & O_TRUNC) ? W_OK : 0);
    long error = place_access(place, wanted);
    if (error)
        return error;
    struct overlay_file *file = place->file;
    if (flags & O_TRUNC) {
        files_note_use(place->path, WIRE_USE_WRITTEN);
        error = file_table_detach_name(place->path, &file);
        if (error == 0)
            error = overlay_resize(file, 0);
    }
    return error ? error : opened(OPEN_FILE, 0, flags, place->path, file);
}

static long open_stream(const struct place *place, int flags) {
    struct open_file *open = file_table_get(place->descriptor);
    if (open->kind == OPEN_FILE || open->kind == OPEN_FOREIGN)
        refuse_call("opens the descriptor %d, whose file has no name, again", place->descriptor);
    return opened(open->kind, open->number, flags, NULL, NULL);
}

static long open_existing(const struct place *place, int flags) {
    if ((flags & O_CREAT) && (flags & O_EXCL))
        return -EEXIST;
    if (place->descriptor >= 0)
        return open_stream(place, flags);
    mode_t mode = place_mode(place);
    if (S_ISDIR(mode))
        return open_directory(place, flags);
    if (flags & O_DIRECTORY)
        return -ENOTDIR;
    if (S_ISLNK(mode))
        return -ELOOP;
    int device = files_device(place->path);
    if (device >= 0)
        return opened(OPEN_DEVICE, device, flags, place->path, NULL);
    if (strcmp(place->path, "/dev/tty") == 0)
        return -ENXIO; /* ranks have no terminal */
    if (!S_ISREG(mode) || (flags & O_PATH))
        refuse_call("opens the special file \"%.200s\"", place->path);
    if (begins_with(place->path, "/proc/") || begins_with(place->path, "/sys/"))
        return open_snapshot(place, flags);
    return open_regular(place, flags);
}

/* No file is made by a name that ends in a slash, whatever there is; that the way there leads nowhere comes first. */
static bool ends_in_slash(const char *name) {
    size_t length = strlen(name);
    return length > 1 && name[length - 1] == '/' && name[strspn(name, "/")];
}

static long open_name(int at, const char *name, int flags, mode_t mode) {
    struct place place;
    if (file_table_is_full())
        return -EMFILE;
    bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
    bool follow = !(flags & O_NOFOLLOW) && !((flags & O_CREAT) && (flags & O_EXCL));
    bool slash = (flags & O_CREAT) && ends_in_slash(name);
    enum last_component last;
    long error = slash ? place_find_last(&place, at, name, &last) : place_find(&place, at, name, nameless || follow);
    if (error || slash)
        return error ? error : -EISDIR;
    files_note_use(place.path, WIRE_USE_READ);
    if (nameless)
        return open_nameless(&place, flags, mode);
    if (!place.exists && (flags & O_CREAT))
        return open_new(&place, flags, mode);
    return place.exists ? open_existing(&place, flags) : -ENOENT;
}

static long answer_open(const long argument[6]) {
    return open_name(AT_FDCWD, (const char *)argument[0], (int)argument[1], (mode_t)argument[2]);
}
static long answer_openat(const long argument[6]) {
    return open_name((int)argument[0], (const char *)argument[1], (int)argument[2], (mode_t)argument[3]);
}
static long answer_creat(const long argument[6]) {
    return open_name(AT_FDCWD, (const char *)argument[0], O_WRONLY | O_CREAT | O_TRUNC, (mode_t)argument[1]);
}
static long answer_openat2(const long argument[6]) {
    (void)argument;
    return -ENOSYS; /* libc has openat */
}

const struct system_call open_calls[] = {
    {SYS_open, answer_open},
    {SYS_openat, answer_openat},
    {SYS_openat2, answer_openat2},
    {SYS_creat, answer_creat},
};
const size_t open_calls_count = sizeof open_calls / sizeof *open_calls;
