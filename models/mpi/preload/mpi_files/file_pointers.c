/* Seeking and telling positions (MPI-3.1 sections 13.4.3 and 13.4.4). */
#include "models/mpi/preload/mpi_files/mpi_files.h"

static int check_pointer(const struct caller *caller, MPI_File handle, struct mpi_file **file) {
    int error = check_file(caller, handle, file);
    if (error == MPI_SUCCESS && ((*file)->amode & MPI_MODE_SEQUENTIAL))
        return file_fail(caller, *file, MPI_ERR_UNSUPPORTED_OPERATION, "a file that was opened with MPI_MODE_SEQUENTIAL");
    return error;
}

/* Sets *target, from a pointer that is at `position` now. */
static int find_target(const struct caller *caller, struct mpi_file *file, int64_t position, MPI_Offset offset, int whence,
                       int64_t *target) {
    switch (whence) {
    case MPI_SEEK_SET: *target = offset; break;
    case MPI_SEEK_CUR: *target = position + offset; break;
    case MPI_SEEK_END: *target = file_view_etypes_before(&file->view, file_size(caller, file)) + offset; break;
    default: return file_reject(caller, file, MPI_ERR_ARG, "%d, which is none of MPI_SEEK_SET, _CUR and _END", whence);
    }
    if (*target < 0)
        return file_reject(caller, file, MPI_ERR_ARG, "an offset that leads to %lld", (long long)*target);
    return MPI_SUCCESS;
}

EXPORT(File_seek)
int MPI_File_seek(MPI_File handle, MPI_Offset offset, int whence) {
    ENTER(File_seek, handle, offset, whence);
    struct mpi_file *file;
    int64_t target;
    int error = check_pointer(caller, handle, &file);
    if (error == MPI_SUCCESS)
        error = find_target(caller, file, file->position, offset, whence, &target);
    if (error == MPI_SUCCESS)
        file->position = target;
    return error;
}

EXPORT(File_get_position)
int MPI_File_get_position(MPI_File handle, MPI_Offset *offset) {
    ENTER(File_get_position, handle, offset);
    struct mpi_file *file;
    int error = check_pointer(caller, handle, &file);
    if (error == MPI_SUCCESS)
        *offset = file->position;
    return error;
}

static const char *name_of_whence(int whence) {
    switch (whence) {
    case MPI_SEEK_SET: return "MPI_SEEK_SET";
    case MPI_SEEK_CUR: return "MPI_SEEK_CUR";
    case MPI_SEEK_END: return "MPI_SEEK_END";
    default: return "none of MPI's";
    }
}

/* Collective: everybody says the same. */
EXPORT(File_seek_shared)
int MPI_File_seek_shared(MPI_File handle, MPI_Offset offset, int whence) {
    ENTER(File_seek_shared, handle, offset, whence);
    struct mpi_file *file;
    int64_t target = 0;
    int error = check_pointer(caller, handle, &file);
    if (error != MPI_SUCCESS)
        return error;
    file_exchange(
        caller, file,
        &(struct file_exchange){.agreement = file_agreement_named((uint64_t)offset, (uint64_t)whence, name_of_whence(whence))});
    if (file_is_leader(file)) {
        error = find_target(caller, file, file_shared_get(caller, file), offset, whence, &target);
        if (error == MPI_SUCCESS)
            file_shared_set(caller, file, target);
    }
    file_barrier(caller, file);
    return error;
}

EXPORT(File_get_position_shared)
int MPI_File_get_position_shared(MPI_File handle, MPI_Offset *offset) {
    ENTER(File_get_position_shared, handle, offset);
    struct mpi_file *file;
    int error = check_pointer(caller, handle, &file);
    if (error == MPI_SUCCESS)
        *offset = file_shared_get(caller, file);
    return error;
}
