/* System calls that make, remove and rename what has a name. */
#include "models/mpi/preload/files/files.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RENAME_TO_NEW_ONLY = 1 };

static long make_directory(int at, const char *name, mode_t mode) {
    struct place place;
    enum last_component last;
    long error = place_find_last(&place, at, name, &last);
    if (error)
        return error;
    files_note_use(place.path, WIRE_USE_READ);
    if (place.exists || last != LAST_NAME)
        return -EEXIST;
    error = place_parent_writable(&place);
    if (error)
        return error;
    struct overlay_file *directory = overlay_make(true, mode & ~file_mask);
    if (!directory)
        return -ENOSPC;
    files_note_name(place.path);
    error = overlay_set(place.path, directory);
    overlay_drop(directory);
    return error;
}
static long answer_mkdir(const long argument[6]) {
    return make_directory(AT_FDCWD, (const char *)argument[0], (mode_t)argument[1]);
}
static long answer_mkdirat(const long argument[6]) {
    return make_directory((int)argument[0], (const char *)argument[1], (mode_t)argument[2]);
}

static long remove_file(const struct place *place) {
    bool directory = S_ISDIR(place_mode(place));
    if (place->slash)
        return directory ? -EISDIR : -ENOTDIR;
    long error = place_parent_writable(place);
    if (error || directory)
        return error ? error : -EISDIR;
    files_note_name(place->path);
    return overlay_remove(place->path);
}

/* 0, or what Linux says of a directory that is not empty. */
static long require_empty(const char *path) {
    size_t entries;
    struct overlay_file *listing = directory_list(path, &entries);
    if (!listing)
        return -EACCES;
    overlay_drop(listing);
    if (entries > 2)
        files_note_use(path, WIRE_USE_LISTED);
    return entries > 2 ? -ENOTEMPTY : 0;
}

static long remove_directory(const struct place *place) {
    long error = place_parent_writable(place);
    if (error)
        return error;
    if (!S_ISDIR(place_mode(place)))
        return -ENOTDIR;
    error = require_empty(place->path);
    if (error)
        return error;
    files_note_name(place->path);
    return overlay_remove(place->path);
}

/* What Linux says of names that end in no name. */
static long not_a_name(enum last_component last, bool directory) {
    static const long of_directory[] = {[LAST_DOT] = -EINVAL, [LAST_DOTS] = -ENOTEMPTY, [LAST_ROOT] = -EBUSY};
    return directory ? of_directory[last] : -EISDIR;
}

static long remove_name(int at, const char *name, bool directory) {
    struct place place;
    enum last_component last;
    long error = place_find_last(&place, at, name, &last);
    if (error)
        return error;
    if (last != LAST_NAME)
        return not_a_name(last, directory);
    files_note_use(place.path, WIRE_USE_READ);
    if (!place.exists)
        return -ENOENT;
    return directory ? remove_directory(&place) : remove_file(&place);
}
static long answer_unlink(const long argument[6]) { return remove_name(AT_FDCWD, (const char *)argument[0], false); }
static long answer_rmdir(const long argument[6]) { return remove_name(AT_FDCWD, (const char *)argument[0], true); }
static long answer_unlinkat(const long argument[6]) {
    return remove_name((int)argument[0], (const char *)argument[1], argument[2] & AT_REMOVEDIR);
}

/* All that is in it has another name, too. */
static void note_moved(const char *from, const char *to) {
    size_t count, length = strlen(from);
    const struct overlay_name *name = overlay_names(&count);
    for (size_t i = 0; i < count; i++) {
        char moved[2 * PATH_MAX];
        if (!overlay_is_in(from, name[i].path))
            continue;
        snprintf(moved, sizeof moved, "%s%s", to, name[i].path + length);
        files_note_name(name[i].path);
        if (strlen(moved) < PATH_MAX) /* else it cannot be moved */
            files_note_name(moved);
    }
}

static long rename_directory(const struct place *from, const struct place *to) {
    long error = to->exists ? require_empty(to->path) : 0;
    if (error)
        return error;
    if (!from->file || !from->file->opaque)
        refuse_call("renames the directory \"%.200s\", which it has not made,", from->path);
    if (file_table_is_in(from->path) || overlay_is_in(from->path, place_working_directory()))
        refuse_call("renames the directory \"%.200s\", which it has open or works in,", from->path);
    note_moved(from->path, to->path);
    return overlay_move_directory(from->path, to->path);
}

static long rename_file(const struct place *from, const struct place *to) {
    if (S_ISLNK(place_mode(from)))
        refuse_call("renames the symbolic link \"%.200s\"", from->path);
    struct overlay_file *file;
    files_note_name(from->path);
    files_note_name(to->path);
    long error = file_table_detach_name(from->path, &file);
    return error ? error : overlay_rename(from->path, to->path);
}

/* The errors of two places that are there, in the kernel's order. */
static long may_rename(const struct place *from, const struct place *to, bool to_new_only) {
    bool directory = S_ISDIR(place_mode(from));
    if (to->exists && to_new_only)
        return -EEXIST;
    if (!directory && (from->slash || to->slash))
        return -ENOTDIR;
    if (strcmp(from->path, to->path) == 0)
        return 0;
    if (overlay_is_in(from->path, to->path))
        return -EINVAL;
    if (overlay_is_in(to->path, from->path))
        return -ENOTEMPTY;
    long error = place_parent_writable(from);
    if (error == 0)
        error = place_parent_writable(to);
    if (error || !to->exists || directory == (bool)S_ISDIR(place_mode(to)))
        return error;
    return directory ? -ENOTDIR : -EISDIR;
}

static long rename_name(int from_at, const char *from_name, int to_at, const char *to_name, long flags) {
    struct place from, to;
    enum last_component from_last, to_last;
    if (flags & ~(long)RENAME_TO_NEW_ONLY)
        return -EINVAL;
    long error = place_find_last(&from, from_at, from_name, &from_last);
    if (error == 0)
        error = place_find_last(&to, to_at, to_name, &to_last);
    if (error)
        return error;
    if (from_last != LAST_NAME || to_last != LAST_NAME)
        return from_last == LAST_NAME && flags ? -EEXIST : -EBUSY;
    files_note_use(from.path, WIRE_USE_READ);
    files_note_use(to.path, WIRE_USE_READ);
    error = from.exists ? may_rename(&from, &to, flags & RENAME_TO_NEW_ONLY) : -ENOENT;
    if (error || strcmp(from.path, to.path) == 0)
        return error;
    return S_ISDIR(place_mode(&from)) ? rename_directory(&from, &to) : rename_file(&from, &to);
}
static long answer_rename(const long argument[6]) {
    return rename_name(AT_FDCWD, (const char *)argument[0], AT_FDCWD, (const char *)argument[1], 0);
}
static long answer_renameat(const long argument[6]) {
    return rename_name((int)argument[0], (const char *)argument[1], (int)argument[2], (const char *)argument[3], 0);
}
static long answer_renameat2(const long argument[6]) {
    return rename_name((int)argument[0], (const char *)argument[1], (int)argument[2], (const char *)argument[3], argument[4]);
}

static long answer_link(const long argument[6]) {
    (void)argument;
    refuse_call("makes links or special files");
}

const struct system_call rename_calls[] = {
    {SYS_mkdir, answer_mkdir},       {SYS_mkdirat, answer_mkdirat},     {SYS_rmdir, answer_rmdir},
    {SYS_unlink, answer_unlink},     {SYS_unlinkat, answer_unlinkat},   {SYS_rename, answer_rename},
    {SYS_renameat, answer_renameat}, {SYS_renameat2, answer_renameat2}, {SYS_link, answer_link},
    {SYS_linkat, answer_link},       {SYS_symlink, answer_link},        {SYS_symlinkat, answer_link},
    {SYS_mknod, answer_link},        {SYS_mknodat, answer_link},
};
const size_t rename_calls_count = sizeof rename_calls / sizeof *rename_calls;
