#include "models/mpi/preload/files/file_turns.h"

#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/files/files.h"
#include "models/mpi/preload/memory/list_room.h"
#include "models/mpi/preload/process/control.h"
#include "models/mpi/preload/system_calls/system_calls.h"

#include <stdlib.h>
#include <string.h>

/* What this rank has changed in this turn, by path. */
static struct change {
    char *path;
    bool is_named;
} * changed;
static size_t changes;

bool turns_are_taken(void) { return (rank_core.agents & AGENTS_TAKING_TURNS) != 0; }

uint32_t turn_number(void) { return turns_are_taken() ? rank_core.turns + 1 : 0; }

bool turn_is_of_all(const struct communicator *communicator) {
    return communicator->remote == NULL && communicator->size == rank_count();
}

/* ---- what is changed ---- */

static void resize(size_t count) {
    enum { LEAST = 8 };
    changed = list_fit(changed, changes, count, LEAST, sizeof *changed);
    changes = count;
}

void turn_note_change(const char *path, bool is_named) {
    size_t at = 0;
    while (at < changes && strcmp(changed[at].path, path) < 0)
        at++;
    if (at == changes || strcmp(changed[at].path, path) != 0) {
        resize(changes + 1);
        memmove(&changed[at + 1], &changed[at], (changes - at - 1) * sizeof *changed);
        changed[at] = (struct change){.path = strdup(path)};
    }
    changed[at].is_named = changed[at].is_named || is_named;
    const struct overlay_name *name = overlay_find(path);
    if (rank_core.finalized && name != NULL && name->is_others)
        refuse_call("changes \"%.200s\", which another rank has changed, and that after MPI_Finalize and so long", path);
    overlay_set_others(path, false);
}

static void forget_changes(void) {
    for (size_t i = 0; i < changes; i++)
        free(changed[i].path);
    memset(changed, 0, changes * sizeof *changed);
    resize(0);
}

/* ---- as it is given to the others ---- */

/* The path with its end, and the content follow. */
struct given {
    uint64_t path, size; /* bytes */
    uint32_t mode;
    uint8_t is_named, exists, is_directory, is_opaque;
    int64_t modified;
};

static struct given given_of(const struct change *change, const struct overlay_file **file) {
    const struct overlay_name *name = overlay_find(change->path);
    struct given given = {.path = strlen(change->path) + 1, .is_named = change->is_named};
    *file = name == NULL ? NULL : name->file;
    if (*file != NULL) {
        given.exists = true;
        given.is_directory = (*file)->directory;
        given.is_opaque = (*file)->opaque;
        given.mode = (*file)->mode;
        given.modified = (*file)->modified;
        given.size = (*file)->size;
    }
    return given;
}

static size_t size_of_given(const struct given *given) { return sizeof *given + given->path + given->size; }

/* How many there are, and all of them, without padding. */
static void give(void) {
    const struct overlay_file *file;
    uint64_t count = changes;
    size_t size = sizeof count;
    for (size_t i = 0; i < changes; i++) {
        const struct given given = given_of(&changed[i], &file);
        size += size_of_given(&given);
    }
    char *part = mempcpy(rank_add_part(size), &count, sizeof count);
    for (size_t i = 0; i < changes; i++) {
        const struct given given = given_of(&changed[i], &file);
        part = mempcpy(part, &given, sizeof given);
        part = mempcpy(part, changed[i].path, given.path);
        if (given.size > 0)
            part = mempcpy(part, file->bytes, given.size);
    }
}

/* ---- as it is taken ---- */

static void make_new(const char *path, const struct given *given) {
    struct overlay_file *file = overlay_make(given->is_directory, given->mode);
    file->opaque = given->is_opaque;
    overlay_set(path, file);
    overlay_drop(file);
}

/* The file of that name, which has it by now, whether it is on the disk or in the overlay; NULL: a removed one, or none. */
static struct overlay_file *file_named(const char *path) {
    struct overlay_file *file = NULL;
    return file_table_detach_name(path, &file) == 0 ? file : NULL;
}

static void take_content(const char *path, const struct given *given, const char *bytes) {
    struct overlay_file *file = given->is_named ? NULL : file_named(path);
    if (file == NULL) {
        make_new(path, given);
        file = overlay_find(path)->file;
    }
    file->mode = given->mode;
    if (!given->is_directory) {
        overlay_resize(file, given->size);
        if (given->size > 0)
            memcpy(file->bytes, bytes, given->size);
    }
    file->modified = given->modified;
}

/* A name that has another file now, or none, is no name of what this rank has open, or works in. */
static void require_closed(const struct caller *caller, const char *path) {
    const char *what = file_table_has(path) || file_table_is_in(path)   ? "has open"
                       : overlay_is_in(path, place_working_directory()) ? "works in"
                                                                        : NULL;
    if (what != NULL)
        rank_refuse(caller->function, caller->site,
                    "what one rank %s while another one removes or replaces it is not supported (\"%.200s\")", what, path);
}

static const char *take(const struct caller *caller, const char *part) {
    struct given given;
    memcpy(&given, part, sizeof given);
    const char *path = part + sizeof given, *bytes = path + given.path;
    if (given.is_named)
        require_closed(caller, path);
    files_require_unmapped(path);
    if (given.exists)
        take_content(path, &given, bytes);
    else
        overlay_remove(path);
    overlay_set_others(path, true);
    return bytes + given.size;
}

static void take_all(const struct caller *caller, const char *part) {
    uint64_t count;
    memcpy(&count, part, sizeof count);
    part += sizeof count;
    while (count-- > 0)
        part = take(caller, part);
}

void turn_end(const struct caller *caller, struct communicator *communicator) {
    struct collective collective = collective_of_all(caller, communicator);
    collective.is_turn = true;
    collective_enter(&collective, 1);
    give();
    forget_changes();
    struct collective_answer answer = collective_leave(&collective);
    for (int member = 0; member < communicator->size; member++) {
        const struct collective_part part = collective_part(&answer, member);
        if (member != communicator->rank)
            take_all(caller, part.bytes);
    }
    rank_core.turns++;
}
