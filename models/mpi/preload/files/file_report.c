/* What the explorer is told of files: which names a step used and how, and at the end how the rank has left them. */
#include "models/mpi/preload/files/files.h"

#include "models/mpi/preload/files/file_turns.h"
#include "models/mpi/preload/files/handed_files.h"
#include "models/mpi/preload/process/control.h"

#include <string.h>

static bool ends_in(const char *path, const char *end) {
    size_t length = strlen(path), tail = strlen(end);
    return length >= tail && strcmp(path + length - tail, end) == 0;
}

/* What the compiler's instrumentation counts (gcov, gprof, LLVM's profiles): each rank adds to the same file when it ends, and
 * nothing in the program depends on it. Every rank has its own, of which nobody is told. */
static bool is_profile(const char *path) {
    return ends_in(path, ".gcda") || ends_in(path, ".profraw") || ends_in(path, "/gmon.out");
}

static bool noted_already(const char *path, uint32_t use) {
    struct block_name name = block_name(path, strlen(path));
    for (uint32_t i = 0; i < control->uses; i++) {
        struct known_use *known = &control->use[i];
        if (known->path.low != name.low || known->path.high != name.high)
            continue;
        bool before = (known->use & use) == use;
        known->use |= use;
        return before;
    }
    /* Saying it twice does no harm. */
    if (control->uses < USES_KNOWN)
        control->use[control->uses++] = (struct known_use){name, use};
    return false;
}

void files_note_use(const char *path, uint32_t use) {
    if (is_profile(path))
        return;
    handed_require_free(path, use);
    if (turns_are_taken() && (use & WIRE_USE_WRITTEN))
        turn_note_change(path, false);
    if (noted_already(path, use))
        return;
    size_t length = strlen(path);
    if (rank_is_agent())
        use |= WIRE_USE_BY_AGENT;
    struct wire_file_use *record = report_add(WIRE_FILE_USE, sizeof *record + length);
    *record = (struct wire_file_use){use, (uint32_t)length, turn_number()};
    memcpy(record + 1, path, length);
}

void files_note_look(const struct open_file *open) {
    const char *path = open->file != NULL ? open->file->path : open->path;
    if (turns_are_taken() && open->kind == OPEN_FILE && path != NULL)
        files_note_use(path, WIRE_USE_READ);
}

void files_note_opening(const char *path, const int *member, int members) {
    size_t length = strlen(path), of_members = (size_t)members * sizeof(int32_t);
    struct wire_file_opening *record = report_add(WIRE_FILE_OPENING, sizeof *record + of_members + length);
    *record = (struct wire_file_opening){(uint32_t)members, (uint32_t)length};
    memcpy(record + 1, member, of_members);
    memcpy((char *)(record + 1) + of_members, path, length);
}

void files_note_name(const char *path) {
    char parent[PATH_MAX];
    if (is_profile(path))
        return;
    files_note_use(path, WIRE_USE_WRITTEN);
    if (turns_are_taken())
        turn_note_change(path, true);
    strcpy(parent, path);
    char *slash = strrchr(parent, '/');
    slash[slash == parent] = 0;
    files_note_use(parent, WIRE_USE_ENTRY);
}

static bool same_as_disk(const struct overlay_file *file, const char *path, const struct stat *status) {
    char block[8192];
    if (!S_ISREG(status->st_mode) || (size_t)status->st_size != file->size)
        return false;
    for (size_t at = 0; at < file->size;) {
        long got = disk_read(path, block, sizeof block, (long)at);
        if (got <= 0 || (size_t)got > file->size - at || memcmp(block, file->bytes + at, (size_t)got) != 0)
            return false;
        at += (size_t)got;
    }
    return true;
}

static void report(const char *path, uint32_t state, const void *bytes, size_t size) {
    size_t length = strlen(path);
    struct wire_file *record = report_add(WIRE_FILE, sizeof *record + length + size);
    *record = (struct wire_file){state, (uint32_t)length, size};
    memcpy(record + 1, path, length);
    if (size)
        memcpy((char *)(record + 1) + length, bytes, size);
}

static void report_name(const struct overlay_name *name) {
    struct stat status;
    bool on_disk = disk_status(name->path, &status) == 0;
    if (!name->file) {
        if (on_disk)
            report(name->path, WIRE_FILE_REMOVED, NULL, 0);
    } else if (name->file->directory) {
        if (!on_disk || !S_ISDIR(status.st_mode))
            report(name->path, WIRE_FILE_DIRECTORY, NULL, 0);
    } else if (!on_disk || !same_as_disk(name->file, name->path, &status)) {
        report(name->path, WIRE_FILE_CONTENT, name->file->bytes, name->file->size);
    }
}

void files_report(void) {
    size_t count;
    const struct overlay_name *name = overlay_names(&count);
    for (size_t i = 0; i < count; i++) {
        if (!name[i].is_others && !handed_has(name[i].path) && !is_profile(name[i].path))
            report_name(&name[i]);
    }
}
