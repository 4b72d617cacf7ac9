#include "models/mpi/preload/windows/windows.h"

#include "ckpt/page_tree.h"
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/buffers/buffer_room.h"
#include "models/mpi/preload/buffers/pending_buffers.h"
#include "models/mpi/preload/collectives/collective_data.h"
#include "models/mpi/preload/communicators/groups.h"
#include "models/mpi/preload/communicators/keyvals.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/error_handlers.h"
#include "models/mpi/preload/rank.h"
#include "models/mpi/preload/windows/own_accesses.h"
#include "models/mpi/preload/windows/window_beside.h"
#include "models/mpi/preload/windows/window_exposure.h"
#include "models/mpi/preload/windows/window_lost.h"
#include "models/mpi/preload/windows/window_passive.h"
#include "models/mpi/preload/windows/window_sharing.h"
#include "models/mpi/preload/windows/window_told.h"
#include "models/mpi/preload/windows/window_unseen.h"
#include "models/mpi/preload/windows/window_uses.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PURPOSE_WINDOW = 0x77696e64 };

/* All that the program has not freed, in the order of their creation. */
static struct window **table;
static size_t entries;

struct window *window_at(size_t i) {
    return i < entries ? table[i] : NULL;
}

static struct window *find(MPI_Win handle) {
    for (size_t i = 0; i < entries; i++) {
        if (table[i]->handle == handle)
            return table[i];
    }
    return NULL;
}

int window_reject(const struct caller *caller, const struct window *window, int error_class, const char *class_name,
                  const char *format, ...) {
    if (!window_errors_are_fatal(window->handle))
        return window_errors_handle(window->handle, error_class);
    char reason[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    rank_violation(class_name, caller->function, caller->site, "%s was called with %s", function_name(caller->function),
                   reason);
}

/* What is attached need not be there as long as nobody accesses it (window_lost.h). */
static void require_memory(const struct caller *caller, struct window *window) {
    if (window->flavor == MPI_WIN_FLAVOR_CREATE)
        lent_memory_require(caller, window->lent[0], "memory");
    lost_look(caller, window);
}

int check_window(const struct caller *caller, MPI_Win handle, struct window **window) {
    *window = find(handle);
    int error = check_window_handle(caller, handle);
    if (error == MPI_SUCCESS && caller->function != FUNCTION_MPI_Win_free) /* which does nothing with it */
        require_memory(caller, *window);
    return error;
}

bool window_has_others_memory(const struct window *window) {
    for (int i = 0; i < window->communicator->size; i++) {
        if (window_is_loaded_by_others(window, i))
            return true;
    }
    return false;
}

/* ---- shadow ---- */

static void add_region(struct window_memory *memory, struct window_region region) {
    memory->region = realloc(memory->region, (memory->regions + 1) * sizeof *memory->region);
    memory->region[memory->regions++] = region;
}

/* Memory that the program gives is lent from now on. */
static void lend(const struct caller *caller, struct window *window, const void *bytes, size_t size) {
    require_room(caller, bytes, (MPI_Count)size, MPI_BYTE);
    window->lent = realloc(window->lent, window->memory.regions * sizeof(struct lent_memory *));
    struct lent_memory *lent = calloc(1, sizeof *lent);
    lent_memory_begin(lent, caller, bytes, size);
    window->lent[window->memory.regions - 1] = lent;
}

static void give_back(struct window *window, size_t region) {
    if (window->lent == NULL)
        return;
    lent_memory_end(window->lent[region]);
    free(window->lent[region]);
    size_t behind = window->memory.regions - region - 1;
    memmove(&window->lent[region], &window->lent[region + 1], behind * sizeof(struct lent_memory *));
    window->lent[window->memory.regions - 1] = NULL;
}

/* `start`: offset of the region's first byte. */
static void expose_region(struct window *window, int64_t start, void *bytes, uint64_t size) {
    exposure_uncover(); /* it is copied */
    pending_buffers_uncover((uintptr_t)bytes, (uintptr_t)bytes + size);
    add_region(&window->memory, (struct window_region){start, size, bytes, 0});
    char *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    add_region(&window->shadow, (struct window_region){start, size, copy, 0});
}

static void hide_region(struct window *window, size_t i) {
    give_back(window, i);
    lost_forget(&window->memory.region[i]);
    free(window->shadow.region[i].bytes);
    size_t behind = (--window->memory.regions - i) * sizeof(struct window_region);
    window->shadow.regions--;
    memmove(&window->memory.region[i], &window->memory.region[i + 1], behind);
    memmove(&window->shadow.region[i], &window->shadow.region[i + 1], behind);
}

void window_refresh_shadow(struct window *window) {
    for (size_t i = 0; i < window->memory.regions; i++)
        memcpy(window->shadow.region[i].bytes, window->memory.region[i].bytes, window->memory.region[i].size);
    beside_forget(window);
}

/* ---- creation ---- */

/* What each member says at the creation of a window. */
struct announcement {
    uint64_t size;
    int64_t unit;
    int64_t flavor;
    int64_t within;
};

/* What this process gives. */
struct creation {
    int flavor;
    void *base;
    MPI_Aint size;
    MPI_Aint unit;
    MPI_Info info;
    bool allocates;
    void *allocated; /* what is to be freed */
};

static int check_creation(const struct caller *caller, MPI_Comm handle, const struct creation *creation,
                          struct communicator **parent) {
    int error = check_communicator(caller, handle, parent);
    if (error == MPI_SUCCESS)
        error = check_intracommunicator(caller, *parent);
    if (error == MPI_SUCCESS)
        error = check_object(caller, OBJECT_INFO, creation->info);
    if (error != MPI_SUCCESS)
        return error;
    if (creation->size < 0)
        return reject(caller, handle, MPI_ERR_SIZE, "a negative size (%lld)", (long long)creation->size);
    if (creation->unit <= 0)
        return reject(caller, handle, MPI_ERR_DISP, "a displacement unit of %lld", (long long)creation->unit);
    if (creation->base == NULL && creation->size > 0 && !creation->allocates)
        return reject(caller, handle, MPI_ERR_BASE, "a null base and a size of %lld", (long long)creation->size);
    return MPI_SUCCESS;
}

static MPI_Win make_carrier(const struct communicator *parent, const struct creation *creation) {
    MPI_Win handle = MPI_WIN_NULL;
    if (creation->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        REAL(Win_create_dynamic)(creation->info, parent->handle, &handle);
    else
        REAL(Win_create_c)(creation->base, creation->size, creation->unit, creation->info, parent->handle, &handle);
    errors_start_window(handle);
    return handle;
}

static struct window *add_window(struct communicator *parent, const struct creation *creation, MPI_Win handle) {
    struct window *window = calloc(1, sizeof *window + (size_t)parent->size * sizeof window->target[0]);
    window->handle = handle;
    window->communicator = communicator_make_hidden(parent, (uint64_t)PURPOSE_WINDOW << 32 | parent->created, NULL);
    window->flavor = creation->flavor;
    window->allocated = creation->allocated;
    if (creation->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        expose_region(window, 0, creation->base, (uint64_t)creation->size);
    table = realloc(table, (entries + 1) * sizeof(struct window *));
    table[entries++] = window;
    object_made(OBJECT_WINDOW, handle);
    return window;
}

/* Blocks until all members have done so; sets what they say. */
static void announce(const struct caller *caller, struct communicator *parent, const struct creation *creation, int within,
                     struct announcement *said) {
    struct collective collective = collective_of_all(caller, parent);
    collective_enter(&collective, 1);
    *(struct announcement *)rank_add_part(sizeof(struct announcement)) =
        (struct announcement){(uint64_t)creation->size, creation->unit, creation->flavor, within};
    struct collective_answer answer = collective_leave(&collective);
    for (int i = 0; i < parent->size; i++)
        memcpy(&said[i], collective_part(&answer, i).bytes, sizeof said[i]);
}

static void allocate_own(struct creation *creation) {
    creation->allocated = creation->base = calloc(1, (size_t)creation->size + 1);
}

static bool wants_segments_apart(MPI_Info info) {
    char value[8] = "";
    int found = 0;
    if (info != MPI_INFO_NULL)
        REAL(Info_get)(info, "alloc_shared_noncontig", sizeof value - 1, value, &found);
    return found && strcmp(value, "true") == 0;
}

/* Where the segments of a shared window are, all of which this process has; to be freed. */
static struct segment_place *allocate_segments(const struct caller *caller, struct communicator *parent,
                                               struct creation *creation) {
    struct announcement *said = calloc((size_t)parent->size, sizeof *said);
    struct segment_place *place = calloc((size_t)parent->size, sizeof *place);
    announce(caller, parent, creation, 0, said);
    for (int i = 0; i < parent->size; i++)
        place[i].size = said[i].size;
    free(said);
    /* Nothing else is in its pages, which may be closed to the program (shared_traps.h). */
    uint64_t size = sharing_lay_out(caller, place, parent->size, wants_segments_apart(creation->info));
    size = (size / PAGE_BYTES + 1) * PAGE_BYTES;
    creation->allocated = aligned_alloc(PAGE_BYTES, size);
    memset(creation->allocated, 0, size);
    creation->base = (char *)creation->allocated + place[parent->rank].offset;
    return place;
}

static int create(const struct caller *caller, MPI_Comm handle, struct creation *creation, MPI_Win *result) {
    struct communicator *parent;
    int error = check_creation(caller, handle, creation, &parent);
    if (error != MPI_SUCCESS)
        return error;
    struct segment_place *place = NULL;
    if (creation->flavor == MPI_WIN_FLAVOR_SHARED && parent->size > 1)
        place = allocate_segments(caller, parent, creation);
    else if (creation->allocates)
        allocate_own(creation);
    communicator_count_creation(parent);
    *result = make_carrier(parent, creation);
    struct window *window = add_window(parent, creation, *result);
    if (creation->flavor == MPI_WIN_FLAVOR_CREATE)
        lend(caller, window, creation->base, (size_t)creation->size);
    if (place != NULL)
        sharing_begin(window, place);
    passive_begin(caller, window);
    free(place);
    struct announcement *said = calloc((size_t)parent->size, sizeof *said);
    announce(caller, parent, creation, window->target[parent->rank].within, said);
    for (int i = 0; i < parent->size; i++) {
        window->target[i].size = said[i].size;
        window->target[i].unit = said[i].unit;
        window->target[i].within = (int)said[i].within;
    }
    told_begin(window);
    free(said);
    return MPI_SUCCESS;
}

/* Each function with a displacement unit has a form for large counts, which differs in the type of that. */
#define WIN_CREATE(name, number)                                                                              \
    EXPORT(name)                                                                                              \
    int MPI_##name(void *base, MPI_Aint size, number unit, MPI_Info info, MPI_Comm handle, MPI_Win *window) { \
        ENTER(name, base, size, unit, info, handle, window);                                                  \
        struct creation creation = {MPI_WIN_FLAVOR_CREATE, base, size, unit, info, false, NULL};              \
        return create(caller, handle, &creation, window);                                                     \
    }

WIN_CREATE(Win_create, int)
WIN_CREATE(Win_create_c, MPI_Aint)

static int allocate(const struct caller *caller, int flavor, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm handle,
                    void *base, MPI_Win *window) {
    struct creation creation = {flavor, NULL, size, unit, info, true, NULL};
    int error = create(caller, handle, &creation, window);
    if (error == MPI_SUCCESS)
        memcpy(base, &creation.base, sizeof creation.base);
    return error;
}

#define WIN_ALLOCATE(name, number, flavor)                                                                    \
    EXPORT(name)                                                                                              \
    int MPI_##name(MPI_Aint size, number unit, MPI_Info info, MPI_Comm handle, void *base, MPI_Win *window) { \
        ENTER(name, size, unit, info, handle, base, window);                                                  \
        return allocate(caller, flavor, size, unit, info, handle, base, window);                              \
    }

WIN_ALLOCATE(Win_allocate, int, MPI_WIN_FLAVOR_ALLOCATE)
WIN_ALLOCATE(Win_allocate_c, MPI_Aint, MPI_WIN_FLAVOR_ALLOCATE)
WIN_ALLOCATE(Win_allocate_shared, int, MPI_WIN_FLAVOR_SHARED)
WIN_ALLOCATE(Win_allocate_shared_c, MPI_Aint, MPI_WIN_FLAVOR_SHARED)

EXPORT(Win_create_dynamic)
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm handle, MPI_Win *window) {
    ENTER(Win_create_dynamic, info, handle, window);
    struct creation creation = {MPI_WIN_FLAVOR_DYNAMIC, MPI_BOTTOM, 0, 1, info, false, NULL};
    return create(caller, handle, &creation, window);
}

EXPORT(Win_attach)
int MPI_Win_attach(MPI_Win handle, void *base, MPI_Aint size) {
    ENTER(Win_attach, handle, base, size);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error != MPI_SUCCESS)
        return error;
    if (window->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        return window_reject(caller, window, MPI_ERR_RMA_FLAVOR, "invalid-argument", "a window that is not dynamic");
    if (size < 0)
        return window_reject(caller, window, MPI_ERR_SIZE, "invalid-argument", "a negative size (%lld)", (long long)size);
    int64_t start = (int64_t)(intptr_t)base;
    for (size_t i = 0; i < window->memory.regions; i++) {
        const struct window_region *region = &window->memory.region[i];
        if (start < region->start + (int64_t)region->size && region->start < start + size)
            return window_reject(caller, window, MPI_ERR_RMA_ATTACH, "invalid-argument",
                                 "memory that overlaps memory attached already");
    }
    if (size == 0)
        return MPI_SUCCESS;
    passive_attach(caller, window, &(struct window_region){start, (uint64_t)size, base, 0});
    expose_region(window, start, base, (uint64_t)size);
    lend(caller, window, base, (size_t)size);
    return MPI_SUCCESS;
}

EXPORT(Win_detach)
int MPI_Win_detach(MPI_Win handle, const void *base) {
    ENTER(Win_detach, handle, base);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error != MPI_SUCCESS)
        return error;
    for (size_t i = 0; i < window->memory.regions; i++) {
        if (window->memory.region[i].start != (int64_t)(intptr_t)base)
            continue;
        lent_memory_require(caller, window->lent[i], "memory");
        unseen_note_gone(window);
        passive_detach(caller, window, i);
        hide_region(window, i);
        return MPI_SUCCESS;
    }
    return window_reject(caller, window, MPI_ERR_BASE, "invalid-argument", "memory that was not attached");
}

/* ---- end ---- */

static void forget(struct window *window) {
    size_t at = 0;
    while (table[at] != window)
        at++;
    memmove(&table[at], &table[at + 1], (--entries - at) * sizeof(struct window *));
    table[entries] = NULL;
    object_freed(OBJECT_WINDOW, window->handle);
    passive_end(window);
    own_accesses_forget(window);
    while (window->memory.regions > 0)
        hide_region(window, 0);
    free(window->lent);
    free(window->memory.region);
    free(window->shadow.region);
    told_forget(window);
    beside_forget(window);
    uses_forget(window);
    sharing_end(window);
    free(window->allocated);
    communicator_release(window->communicator);
    free(window);
}

static const char *unfinished(const struct window *window) {
    if (window->exposed)
        return "an exposure epoch that MPI_Win_wait has not ended";
    if (window->epoch == EPOCH_START)
        return "an access epoch that MPI_Win_complete has not ended";
    if (window->epoch == EPOCH_LOCK || window->epoch == EPOCH_LOCK_ALL)
        return "a lock that has not been released";
    return window_has_issued(window) ? "accesses that no fence has completed" : NULL;
}

/* The call that began what is not finished: the first access that is left, else what opened the epoch. */
static struct wire_place beginning_of_unfinished(const struct window *window) {
    const struct caller *began = window->exposed ? &window->posted : &window->opened;
    struct wire_place place = {.site = began->site, .rank = rank_number(), .function = began->function};
    for (int i = 0; i < window->communicator->size && window->epoch == EPOCH_FENCE; i++) {
        const struct window_target *target = &window->target[i];
        if (target->issued_count == 0)
            continue;
        place.site = target->issued[0].access->site;
        place.function = target->issued[0].access->function;
        break;
    }
    return place;
}

static int reject_unfinished(const struct caller *caller, const struct window *window, const char *why_not) {
    if (!window_errors_are_fatal(window->handle))
        return window_errors_handle(window->handle, MPI_ERR_RMA_SYNC);
    const struct wire_place place[2] = {beginning_of_unfinished(window)};
    rank_violation_at("rma-epoch", caller->function, caller->site, place, "%s was called with %s",
                      function_name(caller->function), why_not);
}

EXPORT(Win_free)
int MPI_Win_free(MPI_Win *handle) {
    ENTER(Win_free, handle);
    struct window *window;
    int error = check_window(caller, *handle, &window);
    if (error != MPI_SUCCESS)
        return error;
    const char *why_not = unfinished(window);
    if (why_not != NULL)
        return reject_unfinished(caller, window, why_not);
    passive_finish(caller, window);
    struct collective collective = collective_of_all(caller, window->communicator);
    collective_enter(&collective, 0);
    collective_leave(&collective);
    passive_look_at_all(caller);
    /* The program's delete callbacks still see the window. */
    error = REAL(Win_free)(handle);
    if (error == MPI_SUCCESS)
        forget(window);
    return error;
}

/* ---- questions ---- */

EXPORT(Win_get_group)
int MPI_Win_get_group(MPI_Win handle, MPI_Group *group) {
    ENTER(Win_get_group, handle, group);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error == MPI_SUCCESS)
        *group = group_create(window->communicator->world, window->communicator->size);
    return error;
}

const int *window_predefined(const struct window *window, int keyval) {
    static const int model = MPI_WIN_UNIFIED;
    if (keyval == MPI_WIN_MODEL)
        return &model;
    return keyval == MPI_WIN_CREATE_FLAVOR ? &window->flavor : NULL;
}

EXPORT(Win_get_attr)
int MPI_Win_get_attr(MPI_Win handle, int keyval, void *value, int *flag) {
    ENTER(Win_get_attr, handle, keyval, value, flag);
    struct window *window;
    int error = check_window(caller, handle, &window);
    if (error == MPI_SUCCESS)
        error = check_keyval(caller, MPI_COMM_WORLD, OBJECT_WINDOW, keyval);
    if (error != MPI_SUCCESS)
        return error;
    const int *predefined = window_predefined(window, keyval);
    if (predefined == NULL)
        return REAL(Win_get_attr)(handle, keyval, value, flag);
    *(const int **)value = predefined;
    *flag = 1;
    return MPI_SUCCESS;
}

bool window_has_memory_of(const struct window *window, const struct window_region *region) {
    for (size_t i = 0; i < window->memory.regions; i++) {
        const struct window_region *own = &window->memory.region[i];
        if (region->bytes < own->bytes + own->size && own->bytes < region->bytes + region->size)
            return true;
    }
    return false;
}

bool windows_hold(const struct footprint *buffer) {
    const struct window *window;
    for (size_t i = 0; (window = window_at(i)) != NULL; i++) {
        for (size_t n = 0; n < window->memory.regions; n++) {
            const struct window_region *region = &window->memory.region[n];
            if (footprint_enters(buffer, (uintptr_t)region->bytes, (uintptr_t)region->bytes + region->size))
                return true;
        }
        for (int member = 0; window->sharing != NULL && member < window->communicator->size; member++) {
            const struct window_region *segment = &window->sharing->memory[member].region[0];
            if (footprint_enters(buffer, (uintptr_t)segment->bytes, (uintptr_t)segment->bytes + segment->size))
                return true;
        }
    }
    return false;
}
