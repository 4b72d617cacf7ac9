#include "models/mpi/preload/files/handed_files.h"

#include "models/mpi/preload/files/files.h"
#include "models/mpi/preload/mpi_files/file_server.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <stdlib.h>
#include <string.h>

/* Files that MPI-IO has to do with, as this process knows them. Sorted by path. */
static struct known_file {
    char *path;
    enum handed_state state; /* when it was last handed over, in either direction */
    uint32_t openings;       /* of this process, by MPI-IO */
    bool is_written;         /* ... one of them not only to read */
} * table;
static size_t entries;

static size_t place_of(const char *path) {
    size_t at = 0;
    while (at < entries && strcmp(table[at].path, path) < 0)
        at++;
    return at;
}

static struct known_file *find(const char *path) {
    size_t at = place_of(path);
    return at < entries && strcmp(table[at].path, path) == 0 ? &table[at] : NULL;
}

static struct known_file *find_or_add(const char *path) {
    struct known_file *known = find(path);
    if (known != NULL)
        return known;
    size_t at = place_of(path);
    table = realloc(table, (entries + 1) * sizeof *table);
    memmove(&table[at + 1], &table[at], (entries++ - at) * sizeof *table);
    table[at] = (struct known_file){.path = strdup(path)};
    return &table[at];
}

bool handed_has(const char *path) { return find(path) != NULL; }

bool handed_is_open(const char *path) {
    const struct known_file *known = find(path);
    return known != NULL && known->openings > 0;
}

static bool is_handed(void) { return (rank_file_agents() & FILES_HANDED) != 0; }

static void want_handed(void) { rank_want_file_agents(rank_file_agents() | FILES_HANDED); }

/* ---- own calls ---- */

/* Have own calls changed it since it was last handed over? */
static bool is_changed(const struct known_file *known) {
    const struct overlay_name *name = overlay_find(known->path);
    if (known->state == HANDED_AS_ON_DISK)
        return name != NULL;
    if (known->state == HANDED_GONE)
        return name != NULL && name->file != NULL;
    return name == NULL || name->file == NULL || !name->file->handed;
}

void handed_require_free(const char *path, uint32_t use) {
    const struct known_file *known = find(path);
    if (known == NULL || use == WIRE_USE_DELETED)
        return;
    if (!is_handed())
        want_handed();
    bool only_looks = use == WIRE_USE_READ && known->state == HANDED_AS_ON_DISK && !known->is_written;
    if (known->openings > 0 && !only_looks)
        refuse_call("uses \"%.200s\" by calls of its own while it has it open by MPI-IO", path);
    if (rank_core.finalized && (use & WIRE_USE_WRITTEN))
        refuse_call("changes \"%.200s\", which MPI-IO has used, and that after MPI_Finalize and so long", path);
}

/* It would go on with the file that it has opened, whatever MPI-IO makes of the name. */
static void require_closed(const struct caller *caller, const struct mpi_file *file, const struct known_file *known) {
    bool stays = known->state == HANDED_AS_ON_DISK && !is_changed(known) && (file->amode & MPI_MODE_RDONLY);
    if (file_table_has(known->path) && !stays)
        rank_refuse(caller->function, caller->site,
                    "a file that calls other than MPI-IO's have open is not supported (\"%.200s\")", known->path);
    files_require_unmapped(known->path);
}

/* ---- to the home ---- */

/* What a member of the group says: its own calls' content follows. */
struct handing {
    uint64_t changed;
    uint64_t state; /* enum handed_state */
};

static struct handing handing_of(const struct known_file *known, const struct overlay_file **content) {
    const struct overlay_name *name = overlay_find(known->path);
    *content = name == NULL ? NULL : name->file;
    return (struct handing){.changed = is_changed(known), .state = *content == NULL ? HANDED_GONE : HANDED_CONTENT};
}

static void put(const struct caller *caller, const char *path, enum handed_state state, const void *bytes, size_t size) {
    size_t length = strlen(path);
    struct file_request request = {.verb = FILE_PUT, .size = length, .state = state};
    file_ask(caller, file_home(path), request, path, length, bytes, size);
}

static void note_put(struct known_file *known) {
    const struct overlay_name *name = overlay_find(known->path);
    known->state = name == NULL || name->file == NULL ? HANDED_GONE : HANDED_CONTENT;
    if (known->state == HANDED_CONTENT)
        name->file->handed = true;
}

static void put_if_changed(const struct caller *caller, struct known_file *known) {
    const struct overlay_file *content;
    struct handing handing = handing_of(known, &content);
    if (!handing.changed)
        return;
    put(caller, known->path, handing.state, content == NULL ? NULL : content->bytes, content == NULL ? 0 : content->size);
    note_put(known);
}

/* ---- opening ---- */

struct handings {
    const struct caller *caller;
    const struct mpi_file *file;
};

/* The leader passes on what it gets: no two members have changed the file, or the explorer would have refused it. */
static void take_handing(void *context, int member, const void *bytes, size_t size) {
    const struct handings *handings = context;
    struct handing handing;
    (void)member;
    memcpy(&handing, bytes, sizeof handing);
    if (handing.changed && file_is_leader(handings->file))
        put(handings->caller, handings->file->path, handing.state, (const char *)bytes + sizeof handing, size - sizeof handing);
}

void handed_open(const struct caller *caller, struct mpi_file *file, uint64_t agreement) {
    struct known_file *known = find_or_add(file->path);
    if (!is_handed()) {
        if (is_changed(known) || file_table_has(file->path))
            want_handed();
        return;
    }
    require_closed(caller, file, known);
    const struct overlay_file *content;
    struct handing handing = handing_of(known, &content);
    if (content != NULL && (content->mode & (S_IRUSR | S_IWUSR)) != (S_IRUSR | S_IWUSR))
        rank_refuse(caller->function, caller->site, "a file that its owner may not read or write is not supported (\"%.200s\")",
                    file->path);
    size_t size = handing.changed && content != NULL ? content->size : 0;
    char *own = malloc(sizeof handing + size);
    memcpy(own, &handing, sizeof handing);
    if (size > 0)
        memcpy(own + sizeof handing, content->bytes, size);
    if (handing.changed)
        note_put(known);
    struct handings handings = {caller, file};
    file_exchange(
        caller, file,
        &(struct file_exchange){
            .own = own, .size = sizeof handing + size, .agreement = agreement, .take = take_handing, .context = &handings});
    free(own);
}

void handed_opened(const struct mpi_file *file) {
    struct known_file *known = find_or_add(file->path);
    known->is_written = known->is_written || !(file->amode & MPI_MODE_RDONLY);
    known->openings++;
}

/* ---- closing: from the home ---- */

static bool is_there_already(const char *path, const void *bytes, size_t size) {
    const struct overlay_name *name = overlay_find(path);
    return name != NULL && name->file != NULL && name->file->size == size &&
           (size == 0 || memcmp(name->file->bytes, bytes, size) == 0);
}

/* Its permissions stay as they were. */
static uint32_t mode_of(const char *path) {
    enum { DEFAULT = 0666 };
    struct stat status;
    const struct overlay_name *name = overlay_find(path);
    if (name != NULL && name->file != NULL)
        return name->file->mode;
    return disk_status(path, &status) == 0 ? status.st_mode : DEFAULT & ~file_mask;
}

static void take_over(const char *path, const void *bytes, size_t size) {
    if (!is_there_already(path, bytes, size)) {
        struct overlay_file *file = overlay_make(false, mode_of(path));
        overlay_resize(file, size);
        if (size > 0)
            memcpy(file->bytes, bytes, size);
        overlay_set(path, file);
        overlay_drop(file);
    }
    overlay_find(path)->file->handed = true;
}

void handed_closed(const char *path, enum handed_state state, const void *bytes, size_t size) {
    struct known_file *known = find(path);
    if (--known->openings > 0 || !is_handed())
        return;
    known->state = state;
    known->is_written = false;
    if (state == HANDED_CONTENT)
        take_over(path, bytes, size);
    if (state == HANDED_GONE)
        overlay_remove(path);
}

/* ---- deleting, and the end ---- */

void handed_delete(const struct caller *caller, const char *path) {
    struct known_file *known = find_or_add(path);
    files_note_use(path, WIRE_USE_DELETED);
    if (is_handed())
        put_if_changed(caller, known);
    else if (is_changed(known))
        want_handed();
}

void handed_deleted(const char *path) {
    if (!is_handed())
        return;
    find(path)->state = HANDED_GONE;
    overlay_remove(path);
}

void handed_finish(const struct caller *caller) {
    for (size_t i = 0; i < entries && is_handed(); i++)
        put_if_changed(caller, &table[i]);
}
