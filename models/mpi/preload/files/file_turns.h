/* Files that ranks use in turns: one writes what another one reads, or goes on to write, and between them all ranks meet in a
 * collective that nobody leaves before all have entered it.
 *
 *     rank 0   fopen, fprintf, fclose   MPI_Barrier                              MPI_Barrier   fopen, fscanf
 *     rank 1                            MPI_Barrier   fopen, fprintf, fclose     MPI_Barrier   fopen, fscanf
 *     turn               1                                    2                                      3
 *
 * Each such blocking collective, of all ranks, ends a turn, and so does MPI_Finalize: in one more, made before it, each rank gives the
 * others what it has changed in the turn, which they take into their overlays (overlay.h). What ranks use in different turns is in
 * order; in one turn no two may use the same file if one of them changes it, which the explorer watches over
 * (explorer/steps/file_uses.h). How a file is in the end is told by who has changed it last.
 *
 * It takes AGENTS_TAKING_TURNS: the explorer starts over with it when it finds that ranks use the same files. */
#ifndef MODELS_MPI_PRELOAD_FILE_TURNS_H
#define MODELS_MPI_PRELOAD_FILE_TURNS_H

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/communicators/communicators.h"

#include <stdbool.h>
#include <stdint.h>

bool turns_are_taken(void);
/* The turn that this rank is in, from 1 on; 0: none are taken. */
uint32_t turn_number(void);
/* The rank changes what the path names, or (`is_named`) what has that name. After MPI_Finalize it may be nothing of another rank's. */
void turn_note_change(const char *path, bool is_named);
/* Are all ranks of the program in it, as one group? */
bool turn_is_of_all(const struct communicator *communicator);
/* The turn ends: a collective of all ranks. */
void turn_end(const struct caller *caller, struct communicator *communicator);

#endif
