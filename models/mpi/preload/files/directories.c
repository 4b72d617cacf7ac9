/* What a directory holds: what the disk has in it and the rank has not removed, and what the rank has made in it. Sorted, so that
 * the order depends on neither the file system nor the history. */
#include "models/mpi/preload/files/files.h"

#include "ckpt/raw_syscall.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

struct kernel_entry { /* struct linux_dirent64 */
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

struct item {
    char *name;
    uint64_t inode;
    uint8_t type;
};

struct items {
    struct item *item;
    size_t count, room;
    bool failed;
};

static void add(struct items *items, const char *name, uint64_t inode, uint8_t type) {
    size_t low = 0, high = items->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(items->item[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (items->count == items->room) {
        size_t room = items->room ? 2 * items->room : 16;
        struct item *grown = realloc(items->item, room * sizeof *grown);
        items->failed = items->failed || !grown;
        if (!grown)
            return;
        items->item = grown;
        items->room = room;
    }
    char *copy = malloc(strlen(name) + 1);
    items->failed = items->failed || !copy;
    if (!copy)
        return;
    memmove(&items->item[low + 1], &items->item[low], (items->count - low) * sizeof *items->item);
    items->item[low] = (struct item){strcpy(copy, name), inode, type};
    items->count++;
}

static void add_from_disk(struct items *items, const char *path, const char *buffer, long size) {
    char child[PATH_MAX + NAME_MAX + 2];
    for (long at = 0; at < size;) {
        const struct kernel_entry *entry = (const struct kernel_entry *)(buffer + at);
        at += entry->length;
        strcpy(child, path[1] ? path : "");
        strcat(child, "/");
        strcat(child, entry->name);
        if (!overlay_find(child))
            add(items, entry->name, entry->inode, entry->type);
    }
}

static void read_disk(struct items *items, const char *path) {
    _Alignas(8) char buffer[16384];
    long descriptor = RAW4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (descriptor < 0) {
        items->failed = true;
        return;
    }
    long size;
    while ((size = RAW3(SYS_getdents64, descriptor, buffer, sizeof buffer)) > 0)
        add_from_disk(items, path, buffer, size);
    RAW1(SYS_close, descriptor);
}

static void read_overlay(struct items *items, const char *path) {
    size_t count;
    const struct overlay_name *name = overlay_names(&count);
    for (size_t i = 0; i < count; i++) {
        const char *child = overlay_child(path, name[i].path);
        if (child && name[i].file)
            add(items, child, name[i].file->inode, name[i].file->directory ? DT_DIR : DT_REG);
    }
}

static void list_descriptors(struct items *items) {
    char name[16];
    for (long descriptor = 0; descriptor < DESCRIPTORS_MOST; descriptor++)
        if (file_table_get(descriptor)) {
            snprintf(name, sizeof name, "%ld", descriptor);
            add(items, name, (uint64_t)descriptor + 1, DT_LNK);
        }
}

static struct overlay_file *written_down(const struct items *items) {
    struct overlay_file *listing = overlay_make(false, 0);
    for (size_t i = 0; listing && i < items->count; i++) {
        size_t name = strlen(items->item[i].name) + 1, start = listing->size;
        size_t length = (offsetof(struct kernel_entry, name) + name + 7) / 8 * 8;
        if (overlay_resize(listing, start + length) != 0) {
            overlay_drop(listing);
            return NULL;
        }
        struct kernel_entry *entry = (struct kernel_entry *)(listing->bytes + start);
        *entry = (struct kernel_entry){items->item[i].inode, (int64_t)(start + length), (uint16_t)length, items->item[i].type};
        memcpy(entry->name, items->item[i].name, name);
    }
    return listing;
}

struct overlay_file *directory_list(const char *path, size_t *entries) {
    struct items items = {0};
    const struct overlay_name *name = overlay_find(path);
    bool opaque = name ? !name->file || name->file->opaque : overlay_hides(path);
    bool descriptors = strcmp(path, "/proc/self/fd") == 0;
    if (!descriptors && overlay_is_in("/proc", path) && !overlay_is_in("/proc/sys", path))
        refuse_call("lists \"%.200s\", which tells of the moment and not of the program,", path);
    if (opaque || descriptors) {
        add(&items, ".", 1, DT_DIR);
        add(&items, "..", 1, DT_DIR);
    } else {
        read_disk(&items, path);
    }
    if (descriptors)
        list_descriptors(&items);
    read_overlay(&items, path);
    struct overlay_file *listing = items.failed ? NULL : written_down(&items);
    *entries = items.count;
    for (size_t i = 0; i < items.count; i++)
        free(items.item[i].name);
    free(items.item);
    return listing;
}

long directory_read(struct open_file *open, void *buffer, size_t room) {
    if (open->offset == 0 || !open->file) {
        size_t entries;
        files_note_use(open->path, WIRE_USE_LISTED);
        struct overlay_file *listing = directory_list(open->path, &entries);
        if (!listing)
            return -EACCES;
        overlay_drop(open->file);
        open->file = listing;
    }
    size_t taken = 0;
    while ((size_t)open->offset < open->file->size) {
        const struct kernel_entry *entry = (const struct kernel_entry *)(open->file->bytes + open->offset);
        if (taken + entry->length > room)
            return taken ? (long)taken : -EINVAL;
        memcpy((char *)buffer + taken, entry, entry->length);
        taken += entry->length;
        open->offset = entry->offset;
    }
    return (long)taken;
}
