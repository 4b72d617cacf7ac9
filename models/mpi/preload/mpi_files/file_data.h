/* One access to a file's data as the program asks for it (MPI-3.1 section 13.4): all its forms are this. */
#ifndef MODELS_MPI_PRELOAD_FILE_DATA_H
#define MODELS_MPI_PRELOAD_FILE_DATA_H

#include "models/mpi/preload/mpi_files/mpi_files.h"

enum file_positioning { FILE_AT, FILE_INDIVIDUAL, FILE_SHARED_POINTER, FILE_ORDERED };

struct file_access {
    const struct caller *caller;
    MPI_File handle;
    bool writes;
    enum file_positioning positioning;
    bool collective;
    MPI_Offset offset; /* FILE_AT, in etypes */
    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
};

/* Does it and returns when it is done. */
int file_access(const struct file_access *access, MPI_Status *status);
/* Does it; the program learns of that with a request. */
int file_access_start(const struct file_access *access, MPI_Request *request);
/* Split collectives: does it, and keeps the status for the call `end`. */
int file_access_begin(const struct file_access *access, uint16_t end);
int file_access_end(const struct caller *caller, MPI_File handle, const void *buffer, MPI_Status *status);

#endif
