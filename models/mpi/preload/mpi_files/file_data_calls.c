/* Reading and writing in all the forms that MPI has for it: table 13.1 of MPI-3.1, by positioning, synchronism and
 * coordination. */
#include "models/mpi/preload/mpi_files/file_data.h"

/* A read has a buffer that is written, so the parameter's type is the word that comes first. Each has a form for large counts,
 * which differs in the type of its count. */
#define ACCESS(WRITES, POSITIONING, COLLECTIVE, OFFSET)                                                           \
    (struct file_access) {                                                                                        \
        .caller = caller, .handle = file, .writes = WRITES, .positioning = POSITIONING, .collective = COLLECTIVE, \
        .offset = OFFSET, .buffer = (void *)buffer, .count = count, .type = type                                  \
    }

#define BLOCKING(name, CONST, WRITES, POSITIONING, COLLECTIVE)       \
    BLOCKING_FORM(name, int, CONST, WRITES, POSITIONING, COLLECTIVE) \
    BLOCKING_FORM(name##_c, MPI_Count, CONST, WRITES, POSITIONING, COLLECTIVE)
#define BLOCKING_FORM(name, number, CONST, WRITES, POSITIONING, COLLECTIVE)                                  \
    EXPORT(name)                                                                                             \
    int MPI_##name(MPI_File file, CONST void *buffer, number count, MPI_Datatype type, MPI_Status *status) { \
        ENTER(name, file, buffer, count, type, status);                                                      \
        return file_access(&ACCESS(WRITES, POSITIONING, COLLECTIVE, 0), status);                             \
    }

#define BLOCKING_AT(name, CONST, WRITES, COLLECTIVE)       \
    BLOCKING_AT_FORM(name, int, CONST, WRITES, COLLECTIVE) \
    BLOCKING_AT_FORM(name##_c, MPI_Count, CONST, WRITES, COLLECTIVE)
#define BLOCKING_AT_FORM(name, number, CONST, WRITES, COLLECTIVE)                                         \
    EXPORT(name)                                                                                          \
    int MPI_##name(MPI_File file, MPI_Offset offset, CONST void *buffer, number count, MPI_Datatype type, \
                   MPI_Status *status) {                                                                  \
        ENTER(name, file, offset, buffer, count, type, status);                                           \
        return file_access(&ACCESS(WRITES, FILE_AT, COLLECTIVE, offset), status);                         \
    }

#define NONBLOCKING(name, CONST, WRITES, POSITIONING, COLLECTIVE)       \
    NONBLOCKING_FORM(name, int, CONST, WRITES, POSITIONING, COLLECTIVE) \
    NONBLOCKING_FORM(name##_c, MPI_Count, CONST, WRITES, POSITIONING, COLLECTIVE)
#define NONBLOCKING_FORM(name, number, CONST, WRITES, POSITIONING, COLLECTIVE)                                 \
    EXPORT(name)                                                                                               \
    int MPI_##name(MPI_File file, CONST void *buffer, number count, MPI_Datatype type, MPI_Request *request) { \
        ENTER(name, file, buffer, count, type, request);                                                       \
        return file_access_start(&ACCESS(WRITES, POSITIONING, COLLECTIVE, 0), request);                        \
    }

#define NONBLOCKING_AT(name, CONST, WRITES, COLLECTIVE)       \
    NONBLOCKING_AT_FORM(name, int, CONST, WRITES, COLLECTIVE) \
    NONBLOCKING_AT_FORM(name##_c, MPI_Count, CONST, WRITES, COLLECTIVE)
#define NONBLOCKING_AT_FORM(name, number, CONST, WRITES, COLLECTIVE)                                      \
    EXPORT(name)                                                                                          \
    int MPI_##name(MPI_File file, MPI_Offset offset, CONST void *buffer, number count, MPI_Datatype type, \
                   MPI_Request *request) {                                                                \
        ENTER(name, file, offset, buffer, count, type, request);                                          \
        return file_access_start(&ACCESS(WRITES, FILE_AT, COLLECTIVE, offset), request);                  \
    }

#define SPLIT_END(name, CONST)                                              \
    EXPORT(name)                                                            \
    int MPI_##name(MPI_File file, CONST void *buffer, MPI_Status *status) { \
        ENTER(name, file, buffer, status);                                  \
        return file_access_end(caller, file, buffer, status);               \
    }

#define SPLIT(name, CONST, WRITES, POSITIONING)                 \
    SPLIT_FORM(name, , int, CONST, WRITES, POSITIONING)         \
    SPLIT_FORM(name, _c, MPI_Count, CONST, WRITES, POSITIONING) \
    SPLIT_END(name##_end, CONST)
#define SPLIT_FORM(name, suffix, number, CONST, WRITES, POSITIONING)                                     \
    EXPORT(name##_begin##suffix)                                                                         \
    int MPI_##name##_begin##suffix(MPI_File file, CONST void *buffer, number count, MPI_Datatype type) { \
        ENTER(name##_begin##suffix, file, buffer, count, type);                                          \
        return file_access_begin(&ACCESS(WRITES, POSITIONING, true, 0), FUNCTION_MPI_##name##_end);      \
    }

#define SPLIT_AT(name, CONST, WRITES)                 \
    SPLIT_AT_FORM(name, , int, CONST, WRITES)         \
    SPLIT_AT_FORM(name, _c, MPI_Count, CONST, WRITES) \
    SPLIT_END(name##_end, CONST)
#define SPLIT_AT_FORM(name, suffix, number, CONST, WRITES)                                                                  \
    EXPORT(name##_begin##suffix)                                                                                            \
    int MPI_##name##_begin##suffix(MPI_File file, MPI_Offset offset, CONST void *buffer, number count, MPI_Datatype type) { \
        ENTER(name##_begin##suffix, file, offset, buffer, count, type);                                                     \
        return file_access_begin(&ACCESS(WRITES, FILE_AT, true, offset), FUNCTION_MPI_##name##_end);                        \
    }

#define NOTHING
BLOCKING_AT(File_read_at, NOTHING, false, false)
BLOCKING_AT(File_write_at, const, true, false)
BLOCKING_AT(File_read_at_all, NOTHING, false, true)
BLOCKING_AT(File_write_at_all, const, true, true)
NONBLOCKING_AT(File_iread_at, NOTHING, false, false)
NONBLOCKING_AT(File_iwrite_at, const, true, false)
NONBLOCKING_AT(File_iread_at_all, NOTHING, false, true)
NONBLOCKING_AT(File_iwrite_at_all, const, true, true)
SPLIT_AT(File_read_at_all, NOTHING, false)
SPLIT_AT(File_write_at_all, const, true)

BLOCKING(File_read, NOTHING, false, FILE_INDIVIDUAL, false)
BLOCKING(File_write, const, true, FILE_INDIVIDUAL, false)
BLOCKING(File_read_all, NOTHING, false, FILE_INDIVIDUAL, true)
BLOCKING(File_write_all, const, true, FILE_INDIVIDUAL, true)
NONBLOCKING(File_iread, NOTHING, false, FILE_INDIVIDUAL, false)
NONBLOCKING(File_iwrite, const, true, FILE_INDIVIDUAL, false)
NONBLOCKING(File_iread_all, NOTHING, false, FILE_INDIVIDUAL, true)
NONBLOCKING(File_iwrite_all, const, true, FILE_INDIVIDUAL, true)
SPLIT(File_read_all, NOTHING, false, FILE_INDIVIDUAL)
SPLIT(File_write_all, const, true, FILE_INDIVIDUAL)

BLOCKING(File_read_shared, NOTHING, false, FILE_SHARED_POINTER, false)
BLOCKING(File_write_shared, const, true, FILE_SHARED_POINTER, false)
NONBLOCKING(File_iread_shared, NOTHING, false, FILE_SHARED_POINTER, false)
NONBLOCKING(File_iwrite_shared, const, true, FILE_SHARED_POINTER, false)
BLOCKING(File_read_ordered, NOTHING, false, FILE_ORDERED, true)
BLOCKING(File_write_ordered, const, true, FILE_ORDERED, true)
SPLIT(File_read_ordered, NOTHING, false, FILE_ORDERED)
SPLIT(File_write_ordered, const, true, FILE_ORDERED)
