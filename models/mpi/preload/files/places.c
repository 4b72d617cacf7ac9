/* Names to places, component by component, as the kernel does it: the overlay decides where it knows a path, else the disk. */
#include "models/mpi/preload/files/files.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *working_directory;

const char *place_working_directory(void) { return working_directory; }

long place_set_working_directory(const char *path) {
    char *copy = malloc(strlen(path) + 1);
    if (!copy)
        return -ENOMEM;
    free(working_directory);
    working_directory = strcpy(copy, path);
    return 0;
}

mode_t place_mode(const struct place *place) {
    if (!place->file)
        return place->disk.st_mode;
    return (place->file->directory ? S_IFDIR : S_IFREG) | place->file->mode;
}

static bool permitted(const struct overlay_file *file, int mode) {
    unsigned bits = file->mode >> 6 & 7; /* made by this user */
    if (RAW0(SYS_geteuid) == 0)
        return !(mode & X_OK) || file->directory || (file->mode & 0111);
    return (bits & (unsigned)mode) == (unsigned)mode;
}

long place_access(const struct place *place, int mode) {
    if (!place->file)
        return disk_access(place->path, mode);
    return permitted(place->file, mode) ? 0 : -EACCES;
}

/* Looks up place->path. */
static long look(struct place *place) {
    const struct overlay_name *name = overlay_find(place->path);
    place->exists = false;
    place->file = NULL;
    if (name) {
        place->file = name->file;
        place->exists = name->file != NULL;
        return 0;
    }
    if (overlay_hides(place->path))
        return 0;
    long error = disk_status(place->path, &place->disk);
    if (error && error != -ENOENT)
        return error;
    place->exists = error == 0;
    return 0;
}

const char *place_of_descriptor(const struct open_file *open) {
    if (!open)
        return NULL;
    if (open->kind == OPEN_FILE && open->file)
        return open->file->path;
    return open->path;
}

/* The way still to go. */
struct way {
    char text[2 * PATH_MAX];
    char *rest;
    int links;
};

static bool own_descriptor(const char *path, long *descriptor) {
    const char *prefix = "/proc/self/fd/";
    if (strncmp(path, prefix, strlen(prefix)) != 0)
        return false;
    char *end;
    *descriptor = strtol(path + strlen(prefix), &end, 10);
    return *end == 0;
}

/* Where a link leads; the kernel's own links of a process tell of the wrong one. */
long place_link(const char *path, char *target, size_t room) {
    long descriptor;
    if (strcmp(path, "/proc/self/cwd") == 0)
        return snprintf(target, room, "%s", working_directory);
    if (own_descriptor(path, &descriptor)) {
        const char *named = place_of_descriptor(file_table_get(descriptor));
        return named ? snprintf(target, room, "%s", named) : -ENOENT;
    }
    long length = RAW4(SYS_readlinkat, AT_FDCWD, path, target, room - 1);
    if (length >= 0)
        target[length] = 0;
    return length;
}

static void remove_last(char *path) {
    char *slash = strrchr(path, '/');
    slash[slash == path] = 0;
}

static long follow_link(struct place *place, struct way *way) {
    char target[PATH_MAX], rest[2 * PATH_MAX];
    if (++way->links > 40)
        return -ELOOP;
    files_note_use(place->path, WIRE_USE_READ);
    long length = place_link(place->path, target, sizeof target);
    if (length < 0)
        return length;
    strcpy(rest, way->rest);
    if ((size_t)length + 1 + strlen(rest) >= sizeof way->text)
        return -ENAMETOOLONG;
    strcpy(way->text, target);
    strcat(way->text, "/");
    strcat(way->text, rest);
    /* Nothing after the link: nothing that asks for a directory either. */
    if (!rest[0])
        way->text[length] = 0;
    way->rest = way->text;
    if (target[0] == '/')
        strcpy(place->path, "/");
    else
        remove_last(place->path);
    return look(place);
}

static bool is_directory(const struct place *place) { return place->exists && S_ISDIR(place_mode(place)); }

static long add_component(struct place *place, const char *component, size_t length) {
    size_t used = strlen(place->path);
    if (length > NAME_MAX || used + length + 2 > sizeof place->path)
        return -ENAMETOOLONG;
    if (used > 1)
        place->path[used++] = '/';
    memcpy(place->path + used, component, length);
    place->path[used + length] = 0;
    return look(place);
}

/* The kernel's directory of the calling process is not one of the application's. */
static bool own_process(const char *path) { return strcmp(path, "/proc/self") == 0 || strcmp(path, "/proc/thread-self") == 0; }

/* The numbers of processes are invented, and what the kernel says of others depends on the moment. */
static bool other_process(const char *path) { return strncmp(path, "/proc/", 6) == 0 && path[6] >= '0' && path[6] <= '9'; }

static long enter(struct place *place, struct way *way, const char *component, size_t length, bool follow) {
    if (length == 1 && component[0] == '.')
        return 0;
    if (length == 2 && component[0] == '.' && component[1] == '.') {
        remove_last(place->path);
        return look(place);
    }
    long error = add_component(place, component, length);
    if (error)
        return error;
    if (other_process(place->path)) {
        if (strtol(place->path + 6, NULL, 10) != own_process_number())
            refuse_call("looks at \"%.200s\"", place->path);
        strcpy(place->path, "/proc/self");
    }
    if (own_process(place->path)) {
        place->exists = true;
        place->disk.st_mode = S_IFDIR | 0555;
        return 0;
    }
    bool last = !way->rest[0];
    long descriptor;
    if (own_descriptor(place->path, &descriptor)) {
        place->exists = file_table_get(descriptor) != NULL;
        place->disk = (struct stat){.st_mode = S_IFLNK | 0700, .st_nlink = 1};
        if (last && follow && place->exists && !place_of_descriptor(file_table_get(descriptor))) {
            place->descriptor = (int)descriptor;
            return 0;
        }
    }
    if (place->exists && S_ISLNK(place_mode(place)) && (!last || follow))
        return follow_link(place, way);
    return 0;
}

static long start(struct place *place, int at, const char *name) {
    *place = (struct place){.descriptor = -1};
    if (name[0] == '/') {
        strcpy(place->path, "/");
    } else if (at == AT_FDCWD) {
        strcpy(place->path, working_directory);
    } else {
        const struct open_file *open = file_table_get(at);
        if (!open)
            return -EBADF;
        if (open->kind != OPEN_DIRECTORY)
            return -ENOTDIR;
        strcpy(place->path, open->path);
    }
    return look(place);
}

/* The next component of the way; NULL at its end. */
static const char *next_component(struct place *place, struct way *way, size_t *length) {
    way->rest += strspn(way->rest, "/");
    if (!*way->rest)
        return NULL;
    const char *component = way->rest;
    *length = strcspn(component, "/");
    way->rest += *length;
    size_t slashes = strspn(way->rest, "/");
    place->slash = slashes > 0;
    /* "link/" is followed like "link/.". */
    if (slashes && !way->rest[slashes])
        slashes = 0;
    way->rest += slashes;
    return component;
}

long place_find(struct place *place, int at, const char *name, bool follow) {
    struct way way = {.links = 0};
    if (!name[0])
        return -ENOENT;
    if (strlen(name) >= PATH_MAX)
        return -ENAMETOOLONG;
    strcpy(way.text, name);
    way.rest = way.text;
    long error = start(place, at, name);
    size_t length;
    const char *component;
    char copy[NAME_MAX + 1];
    while (error == 0 && (component = next_component(place, &way, &length))) {
        if (!is_directory(place))
            error = place->exists ? -ENOTDIR : -ENOENT;
        else if (length > NAME_MAX)
            error = -ENAMETOOLONG;
        else {
            memcpy(copy, component, length); /* following a link rewrites the way */
            error = enter(place, &way, copy, length, follow);
        }
    }
    if (error == 0 && place->slash && place->exists && !is_directory(place))
        error = -ENOTDIR;
    if (error)
        files_note_use(place->path, WIRE_USE_READ);
    return error;
}

static enum last_component last_of(const char *name) {
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    if (!*last)
        return LAST_ROOT;
    return strcmp(last, ".") == 0 ? LAST_DOT : strcmp(last, "..") == 0 ? LAST_DOTS : LAST_NAME;
}

long place_find_last(struct place *place, int at, const char *name, enum last_component *last) {
    char stripped[PATH_MAX];
    size_t length = strlen(name);
    if (length >= sizeof stripped)
        return -ENAMETOOLONG;
    strcpy(stripped, name);
    while (length > 1 && stripped[length - 1] == '/')
        stripped[--length] = 0;
    *last = last_of(stripped);
    long error = place_find(place, at, stripped, false);
    place->slash = name[length] != 0;
    return error;
}

static void parent_of(const struct place *place, struct place *parent) {
    *parent = (struct place){.descriptor = -1};
    strcpy(parent->path, place->path);
    remove_last(parent->path);
    look(parent);
}

long place_parent_writable(const struct place *place) {
    struct place parent;
    parent_of(place, &parent);
    return place_access(&parent, W_OK | X_OK);
}
