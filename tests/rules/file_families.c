/* Calls that all who have opened a file make together (MPI-3.1 chapter 13): rank 1 makes them too. */
#include "rules.h"

#include <stddef.h>

#define FILE_CALLS(CALL)                                                                                                     \
    CALL(File_sync_of_all, HAS_COMMON_FILE | HAS_OTHER_CALL, MPI_File_sync(with->file))                                      \
    CALL(File_set_size_of_all, HAS_COMMON_FILE | HAS_VALUE, MPI_File_set_size(with->file, with->count))                      \
    CALL(File_preallocate_of_all, HAS_COMMON_FILE | HAS_VALUE, MPI_File_preallocate(with->file, with->count))                \
    CALL(File_seek_shared_of_all, HAS_COMMON_FILE | HAS_VALUE, MPI_File_seek_shared(with->file, with->count, MPI_SEEK_SET))  \
    CALL(File_set_atomicity_of_all, HAS_COMMON_FILE | HAS_VALUE, MPI_File_set_atomicity(with->file, with->count == 1))       \
    CALL(File_set_view_of_all, HAS_COMMON_FILE, MPI_File_set_view(with->file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL)) \
    CALL(File_set_info_of_all, HAS_COMMON_FILE, MPI_File_set_info(with->file, MPI_INFO_NULL))                                \
    CALL(File_write_all_of_all, HAS_COMMON_FILE, MPI_File_write_at_all(with->file, apart(), DATA, MPI_STATUS_IGNORE))        \
    CALL(File_read_all_of_all, HAS_COMMON_FILE, MPI_File_read_all(with->file, DATA, MPI_STATUS_IGNORE))                      \
    CALL(File_read_at_all_of_all, HAS_COMMON_FILE, MPI_File_read_at_all(with->file, 0, DATA, MPI_STATUS_IGNORE))             \
    CALL(File_read_ordered_of_all, HAS_COMMON_FILE, MPI_File_read_ordered(with->file, DATA, MPI_STATUS_IGNORE))              \
    CALL(File_write_ordered_of_all, HAS_COMMON_FILE, MPI_File_write_ordered(with->file, DATA, MPI_STATUS_IGNORE))            \
    CALL(File_read_all_begin_of_all, HAS_COMMON_FILE, MPI_File_read_all_begin(with->file, DATA);                             \
         MPI_File_read_all_end(with->file, with->buffer, MPI_STATUS_IGNORE))                                                 \
    CALL(File_write_ordered_begin_of_all, HAS_COMMON_FILE, MPI_File_write_ordered_begin(with->file, DATA);                   \
         MPI_File_write_ordered_end(with->file, with->buffer, MPI_STATUS_IGNORE))                                            \
    CALL(File_iread_all_of_all, HAS_COMMON_FILE, MPI_Request request; MPI_File_iread_all(with->file, DATA, &request);        \
         WAIT(request))

/* What ranks write must not be the same bytes. */
static MPI_Offset apart(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank * (MPI_Offset)sizeof(int);
}

#define DEFINE(name, has, call) \
    static void do_##name(struct arguments *with) { call; }
FILE_CALLS(DEFINE)

#define LIST(name, has, call) FAMILY(name, has, MEETS),
const struct family file_families[] = {FILE_CALLS(LIST)};
const int file_family_count = sizeof file_families / sizeof file_families[0];
