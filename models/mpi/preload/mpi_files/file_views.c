/* File views (MPI-3.1 section 13.3): which bytes of a file a process sees, and where they are. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/buffers/arguments.h"
#include "models/mpi/preload/datatypes/data.h"
#include "models/mpi/preload/datatypes/type_signatures.h"
#include "models/mpi/preload/mpi_files/data_representations.h"
#include "models/mpi/preload/mpi_files/file_server.h"
#include "models/mpi/preload/objects.h"

#include "ckpt/block_store.h"

#include <stdlib.h>
#include <string.h>

static void set_types(struct file_view *view, MPI_Datatype etype, MPI_Datatype filetype) {
    MPI_Count lower_bound = 0;
    MPI_Count extent = 0;
    REAL(Type_get_extent_x)(filetype, &lower_bound, &extent);
    view->etype = data_hold_type(etype);
    view->filetype = data_hold_type(filetype);
    view->unit = (int64_t)data_size(etype);
    view->bytes = (int64_t)data_size(filetype);
    view->extent = extent;
    view->run = data_layout(1, filetype, 0, &view->runs);
}

void file_view_begin(struct file_view *view) {
    memset(view, 0, sizeof *view);
    strcpy(view->datarep, "native");
    set_types(view, MPI_BYTE, MPI_BYTE);
}

void file_view_end(struct file_view *view) {
    data_release_type(view->etype);
    data_release_type(view->filetype);
    free(view->run);
}

/* The run of a copy that byte `n` of its data is in, and how far in. */
static uint64_t find_run(const struct file_view *view, int64_t n, int64_t *within) {
    uint64_t run = 0;
    for (; run + 1 < view->runs && n >= (int64_t)view->run[run].length; run++)
        n -= (int64_t)view->run[run].length;
    *within = n;
    return run;
}

int64_t file_view_offset(const struct file_view *view, int64_t n) {
    if (view->bytes == 0)
        return view->displacement;
    int64_t within;
    uint64_t run = find_run(view, n % view->bytes, &within);
    return view->displacement + n / view->bytes * view->extent + view->run[run].offset + within;
}

static void add_piece(struct file_pieces *pieces, uint64_t *room, int64_t offset, uint64_t length) {
    struct access_run *last = pieces->runs > 0 ? &pieces->run[pieces->runs - 1] : NULL;
    if (last != NULL && last->offset + (int64_t)last->length == offset) {
        last->length += length;
        return;
    }
    if (pieces->runs == *room) {
        *room = *room == 0 ? 4 : 2 * *room;
        pieces->run = realloc(pieces->run, *room * sizeof *pieces->run);
    }
    pieces->run[pieces->runs++] = (struct access_run){offset, length};
}

struct file_pieces file_view_pieces(const struct file_view *view, int64_t n, uint64_t length) {
    struct file_pieces pieces = {0};
    uint64_t room = 0;
    if (length == 0 || view->bytes == 0)
        return pieces;
    int64_t within;
    int64_t copy = n / view->bytes;
    uint64_t run = find_run(view, n % view->bytes, &within);
    if (view->runs == 1 && (int64_t)view->run[0].length == view->extent) { /* no holes */
        add_piece(&pieces, &room, file_view_offset(view, n), length);
        return pieces;
    }
    while (length > 0) {
        uint64_t take = view->run[run].length - (uint64_t)within;
        take = take < length ? take : length;
        add_piece(&pieces, &room, view->displacement + copy * view->extent + view->run[run].offset + within, take);
        length -= take;
        within = 0;
        if (++run == view->runs) {
            run = 0;
            copy++;
        }
    }
    return pieces;
}

/* By halving: where etypes begin only goes up. */
int64_t file_view_etypes_before(const struct file_view *view, uint64_t size) {
    if (view->bytes == 0 || view->unit == 0 || (int64_t)size <= file_view_offset(view, 0))
        return 0;
    int64_t low = 0;
    int64_t high = ((int64_t)size - view->displacement) / view->extent * (view->bytes / view->unit) + view->bytes / view->unit;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (file_view_offset(view, middle * view->unit) < (int64_t)size)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- calls ---- */

static int check_representation(const struct caller *caller, struct mpi_file *file, const char *name) {
    if (name != NULL && data_representation_is_predefined(name))
        return MPI_SUCCESS;
    if (name != NULL && data_representation_is_registered(name))
        return file_fail(caller, file, MPI_ERR_UNSUPPORTED_DATAREP,
                         "a data representation of the program's own, which MPICH does not support");
    return file_reject(caller, file, MPI_ERR_UNSUPPORTED_DATAREP, "an unknown data representation");
}

/* Offsets of a filetype must not go down, and it must not overlap itself if it is for writing (section 13.3). */
static bool is_ascending(const struct access_run *run, uint64_t runs, bool may_overlap) {
    for (uint64_t i = 0; i < runs; i++) {
        if (run[i].offset < 0)
            return false;
        if (i > 0 && run[i].offset < run[i - 1].offset)
            return false;
        if (i > 0 && !may_overlap && run[i].offset < run[i - 1].offset + (int64_t)run[i - 1].length)
            return false;
    }
    return true;
}

static int check_type(const struct caller *caller, struct mpi_file *file, MPI_Datatype type) {
    if (type == MPI_DATATYPE_NULL)
        return file_reject(caller, file, MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    if (!object_exists(OBJECT_DATATYPE, type))
        return file_reject(caller, file, MPI_ERR_TYPE, "a datatype that does not exist or was freed");
    if (!data_type_usable(type))
        return file_reject(caller, file, MPI_ERR_TYPE, "a datatype that was not committed");
    return MPI_SUCCESS;
}

static bool is_possible(const struct mpi_file *file, MPI_Datatype type) {
    uint64_t runs;
    struct access_run *run = data_layout(1, type, 0, &runs);
    bool ascending = is_ascending(run, runs, file->amode & MPI_MODE_RDONLY);
    free(run);
    return ascending;
}

static int check_view(const struct caller *caller, struct mpi_file *file, MPI_Offset displacement, MPI_Datatype etype,
                      MPI_Datatype filetype, const char *datarep) {
    int error = check_type(caller, file, etype);
    if (error == MPI_SUCCESS)
        error = check_type(caller, file, filetype);
    if (error != MPI_SUCCESS)
        return error;
    bool sequential = file->amode & MPI_MODE_SEQUENTIAL;
    if (displacement < 0 && !(sequential && displacement == MPI_DISPLACEMENT_CURRENT))
        return file_reject(caller, file, MPI_ERR_ARG, "a displacement of %lld", (long long)displacement);
    error = check_representation(caller, file, datarep);
    if (error != MPI_SUCCESS)
        return error;
    size_t unit = data_size(etype);
    if (unit == 0 || data_size(filetype) % unit != 0)
        return file_reject(caller, file, MPI_ERR_ARG, "a filetype that does not consist of whole etypes");
    if (!is_possible(file, etype) || !is_possible(file, filetype))
        return file_fail(caller, file, MPI_ERR_IO,
                         "a filetype whose displacements are negative or not ascending, or which overlaps");
    return MPI_SUCCESS;
}

/* Data representation and extent of the etype must be the same everywhere. */
static uint64_t agreement_on(const struct file_view *view) {
    return file_agreement_named((uint64_t)data_extent(view->etype), block_name(view->datarep, strlen(view->datarep)).low,
                                view->datarep);
}

/* What a member says of its view. */
struct view_told {
    uint64_t name;
    uint64_t site;
};

static uint64_t name_of(const struct file_view *view) {
    const int64_t numbers[] = {view->displacement, view->unit, view->bytes, view->extent,
                               (int64_t)block_name(view->run, view->runs * sizeof *view->run).low};
    return block_name(numbers, sizeof numbers).low;
}

static void take_told(void *context, int member, const void *bytes, size_t size) {
    struct mpi_file *file = context;
    struct view_told told;
    memcpy(&told, bytes, size);
    if (file->other.exists || told.name == name_of(&file->view))
        return;
    file->other.exists = true;
    file->other.rank = file->communicator->world[member];
    file->other.site = told.site;
}

/* All have set theirs. */
static void exchange_views(const struct caller *caller, struct mpi_file *file) {
    const struct view_told told = {name_of(&file->view), caller->site};
    memset(&file->other, 0, sizeof file->other);
    file_exchange(
        caller, file,
        &(struct file_exchange){
            .own = &told, .size = sizeof told, .agreement = agreement_on(&file->view), .take = take_told, .context = file});
}

void file_require_etypes(const struct caller *caller, const struct mpi_file *file, MPI_Count count, MPI_Datatype type) {
    const struct file_view *view = &file->view;
    const MPI_Count size = count * (MPI_Count)data_size(type);
    const uint64_t given = type_signature_whole(count, type), needed = type_signature_whole(size / view->unit, view->etype);
    if (given == 0 || needed == 0 || given == needed || needed == type_signature_whole(size, MPI_BYTE))
        return;
    const char *given_name = type_signature_name(given, (uint64_t)size),
               *needed_name = type_signature_name(needed, (uint64_t)size);
    const bool known = given_name != NULL && needed_name != NULL;
    const struct wire_place places[2] = {{.site = view->site, .rank = rank_number(), .function = FUNCTION_MPI_File_set_view}};
    rank_violation_at("type-mismatch", caller->function, caller->site, places,
                      "%s accesses a file by other types than the elementary type of its view%s%s%s%s",
                      function_name(caller->function), known ? ": " : "", known ? given_name : "", known ? " and " : "",
                      known ? needed_name : "");
}

void file_require_same_view(const struct caller *caller, const struct mpi_file *file) {
    const struct wire_place places[2] = {
        {.site = file->other.site, .rank = file->other.rank, .function = FUNCTION_MPI_File_set_view}};
    if (file->other.exists)
        rank_violation_at("invalid-argument", caller->function, caller->site, places,
                          "%s uses the shared pointer of a file of which ranks %d and %d have different views",
                          function_name(caller->function), rank_number(), file->other.rank);
}

EXPORT(File_set_view)
int MPI_File_set_view(MPI_File handle, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep,
                      MPI_Info info) {
    ENTER(File_set_view, handle, displacement, etype, filetype, datarep, info);
    struct mpi_file *file;
    int error = check_idle_file(caller, handle, &file);
    if (error == MPI_SUCCESS)
        error = check_view(caller, file, displacement, etype, filetype, datarep);
    if (error == MPI_SUCCESS)
        error = check_object(caller, OBJECT_INFO, info);
    if (error != MPI_SUCCESS)
        return error;
    if (displacement == MPI_DISPLACEMENT_CURRENT) {
        displacement = file_view_offset(&file->view, file_shared_get(caller, file) * file->view.unit);
        file_barrier(caller, file); /* all know it before it is set anew */
    }
    file_view_end(&file->view);
    memset(&file->view, 0, sizeof file->view);
    file->view.displacement = displacement;
    strcpy(file->view.datarep, datarep);
    file->view.external = strcmp(datarep, "external32") == 0;
    set_types(&file->view, etype, filetype);
    file->view.site = caller->site;
    file->position = 0;
    if (file_is_leader(file))
        file_shared_set(caller, file, 0);
    exchange_views(caller, file);
    return MPI_SUCCESS;
}

/* A new handle for the program to free, except of a predefined type. */
static MPI_Datatype type_for_program(MPI_Datatype type) {
    if (real_is_predefined(type))
        return type;
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    REAL(Type_dup)(type, &copy);
    object_made(OBJECT_DATATYPE, copy);
    return copy;
}

EXPORT(File_get_view)
int MPI_File_get_view(MPI_File handle, MPI_Offset *displacement, MPI_Datatype *etype, MPI_Datatype *filetype, char *datarep) {
    ENTER(File_get_view, handle, displacement, etype, filetype, datarep);
    struct mpi_file *file;
    int error = check_file(caller, handle, &file);
    if (error != MPI_SUCCESS)
        return error;
    *displacement = file->view.displacement;
    *etype = type_for_program(file->view.etype);
    *filetype = type_for_program(file->view.filetype);
    strcpy(datarep, file->view.datarep);
    return MPI_SUCCESS;
}

EXPORT(File_get_byte_offset)
int MPI_File_get_byte_offset(MPI_File handle, MPI_Offset offset, MPI_Offset *displacement) {
    ENTER(File_get_byte_offset, handle, offset, displacement);
    struct mpi_file *file;
    int error = check_file(caller, handle, &file);
    if (error != MPI_SUCCESS)
        return error;
    if (offset < 0)
        return file_reject(caller, file, MPI_ERR_ARG, "an offset of %lld", (long long)offset);
    *displacement = file_view_offset(&file->view, offset * file->view.unit);
    return MPI_SUCCESS;
}

#define FILE_GET_TYPE_EXTENT(name, number, get_extent)                                      \
    EXPORT(name)                                                                            \
    int MPI_##name(MPI_File handle, MPI_Datatype type, number *extent) {                    \
        ENTER(name, handle, type, extent);                                                  \
        struct mpi_file *file;                                                              \
        int error = check_file(caller, handle, &file);                                      \
        if (error == MPI_SUCCESS)                                                           \
            error = check_type(caller, file, type);                                         \
        number lower_bound;                                                                 \
        return error != MPI_SUCCESS ? error : REAL(get_extent)(type, &lower_bound, extent); \
    }

FILE_GET_TYPE_EXTENT(File_get_type_extent, MPI_Aint, Type_get_extent)
FILE_GET_TYPE_EXTENT(File_get_type_extent_c, MPI_Count, Type_get_extent_c)
