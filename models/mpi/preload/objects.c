#include "models/mpi/preload/objects.h"

#include <stdlib.h>
#include <string.h>

struct object {
    enum object_kind kind;
    int handle;
    bool permanent;
    struct caller maker;
    uint64_t signature; /* see object_signature */
};

static struct object *table;
static size_t entries;

const char *object_kind_name(enum object_kind kind) {
    static const char *const name[] = {
        [OBJECT_NONE] = "an object",      [OBJECT_COMMUNICATOR] = "a communicator",    [OBJECT_GROUP] = "a group",
        [OBJECT_DATATYPE] = "a datatype", [OBJECT_OPERATOR] = "an operator",           [OBJECT_INFO] = "an info object",
        [OBJECT_KEYVAL] = "a keyval",     [OBJECT_ERROR_HANDLER] = "an error handler", [OBJECT_WINDOW] = "a window",
    };
    return name[kind];
}

/* MPICH's handles of the pair types (MPI_DOUBLE_INT and the like) have the form of the program's own types'. */
static bool is_predefined(enum object_kind kind, int handle) {
    if (real_is_predefined(handle))
        return true;
    if (kind != OBJECT_DATATYPE)
        return false;
    return handle == MPI_FLOAT_INT || handle == MPI_DOUBLE_INT || handle == MPI_LONG_INT || handle == MPI_SHORT_INT ||
           handle == MPI_LONG_DOUBLE_INT;
}

static size_t find(enum object_kind kind, int handle) {
    size_t at = 0;
    while (at < entries && (table[at].kind != kind || table[at].handle != handle))
        at++;
    return at;
}

static void add(enum object_kind kind, int handle, bool permanent) {
    if (is_predefined(kind, handle))
        return;
    table = realloc(table, (entries + 1) * sizeof *table);
    struct object *added = memset(&table[entries++], 0, sizeof *table);
    added->kind = kind;
    added->handle = handle;
    added->permanent = permanent;
    added->signature = OBJECT_UNSIGNED;
    added->maker = caller_current;
}

void object_made(enum object_kind kind, int handle) { add(kind, handle, false); }

void object_made_permanent(enum object_kind kind, int handle) {
    if (!object_exists(kind, handle))
        add(kind, handle, true);
}

void object_freed(enum object_kind kind, int handle) {
    size_t at = find(kind, handle);
    if (at == entries)
        return;
    memmove(&table[at], &table[at + 1], (--entries - at) * sizeof *table);
    table = realloc(table, entries * sizeof *table);
}

bool object_exists(enum object_kind kind, int handle) { return is_predefined(kind, handle) || find(kind, handle) < entries; }

int object_next(enum object_kind kind, size_t *at) {
    while (*at < entries && table[*at].kind != kind)
        ++*at;
    return *at < entries ? table[(*at)++].handle : 0;
}

uint64_t *object_signature(enum object_kind kind, int handle) {
    size_t at = find(kind, handle);
    return at < entries ? &table[at].signature : NULL;
}

void objects_leaked(struct rank_leaks *leaks) {
    for (size_t i = 0; i < entries; i++) {
        if (table[i].permanent || leaks->handles++ > 0)
            continue;
        leaks->handle_site = table[i].maker.site;
        leaks->handle_function = table[i].maker.function;
        strncpy(leaks->handle_kind, object_kind_name(table[i].kind), sizeof leaks->handle_kind - 1);
    }
}
