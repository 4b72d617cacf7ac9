/* Files that MPI-IO uses and the process's own calls (open, write, unlink …) use as well. What own calls change is in the process's
 * overlay (overlay.h), what MPI-IO changes is with the file's home (file_server.h). They are one file, but not at the same time:
 *
 *     own calls            MPI_File_open … MPI_File_close            own calls            MPI_Finalize
 *              \ what they have made of it         \ what it has become       \ what they have made of it
 *               -------------------> home           ------------> overlays     ----------------> home
 *
 * This is right as long as one group opens the file and other ranks' own calls change nothing that this rank's use, which the
 * explorer watches over (explorer/steps/file_uses.h). Own calls in between are refused here, but reads of what stays as on the disk.
 * While it is open, some of its members may open it again and close it, which hands over nothing.
 *
 * It takes FILES_HANDED, without which nothing is handed over: a process that would need it has the search start over. */
#ifndef MODELS_MPI_PRELOAD_HANDED_FILES_H
#define MODELS_MPI_PRELOAD_HANDED_FILES_H

#include "models/mpi/preload/mpi_files/mpi_files.h"

/* Collective, by those who are about to open the file: what a member's own calls have made of it comes to its home before what the
 * leader asks next. `agreement`: as in struct file_exchange. */
void handed_open(const struct caller *caller, struct mpi_file *file, uint64_t agreement);
/* The file is open. */
void handed_opened(const struct mpi_file *file);

/* How a file is that nobody has open; followed by its content, if `state` is HANDED_CONTENT. */
enum handed_state { HANDED_AS_ON_DISK, HANDED_GONE, HANDED_CONTENT };
/* It is closed; of `bytes` the state says whether they count. */
void handed_closed(const char *path, enum handed_state state, const void *bytes, size_t size);

/* Around MPI_File_delete. */
void handed_delete(const struct caller *caller, const char *path);
void handed_deleted(const char *path);

/* At MPI_Finalize: what own calls have made of files since they were closed comes to their homes. */
void handed_finish(const struct caller *caller);

/* A call of the process's own is about to use a name (enum wire_use). Returns if it may. */
void handed_require_free(const char *path, uint32_t use);
/* Has this process it open by MPI-IO? */
bool handed_is_open(const char *path);
/* Is it for the file's home to say what becomes of it? */
bool handed_has(const char *path);

#endif
