/* Which names in the file system the ranks use, over all steps ever executed. Ranks share a disk, but each is modelled with what
 * it has changed itself, and what others have in earlier turns (models/mpi/preload/files/file_turns.h): right as long as no rank uses
 * in a turn what another one changes in the same, in whatever order. */
#ifndef EXPLORER_FILE_USES_H
#define EXPLORER_FILE_USES_H

#include "models/name_table.h"

#include <stdbool.h>

struct file_uses {
    struct file_use_entry *entry;
    size_t count, room;
    struct name_table names;
    size_t news;    /* how often a name was used in a way in which that user had not used it before */
    bool by_mpi_io; /* MPI-IO has to do with some of them */
};

/* How a sentence ends that says what does not go together in a program whose ranks take no turns. If they take them it may be well. */
#define FILE_USES_IN_TURNS "communication through files is not supported"

/* Notes that a rank uses the absolute path in the ways `use` (enum wire_use of models/mpi/protocol.h), in that turn (0: none are taken).
 * NULL, or a malloc'd sentence that names the path and the two ranks if another rank's use does not go with it. */
char *file_uses_add(struct file_uses *uses, unsigned rank, const char *path, size_t size, unsigned use, uint64_t turn);
/* Notes that the group of these ranks opens the path together, by MPI-IO. Of a file that always the same group opens, the uses of
 * its members by other calls go with those of MPI-IO: each of them comes before a member's MPI_File_open or after its
 * MPI_File_close, which wait for the others, and the members see to it that what they find then is right. What some of them open and
 * close between those two need not be noted. As file_uses_add. */
char *file_uses_add_opening(struct file_uses *uses, const char *path, size_t size, const int32_t *member, size_t members);
/* The path at `at` < uses->count, and in which ways (enum wire_use) somebody uses it. */
const char *file_uses_path(const struct file_uses *uses, size_t at);
unsigned file_uses_ways(const struct file_uses *uses, size_t at);
size_t file_uses_bytes(const struct file_uses *uses);
void file_uses_free(struct file_uses *uses);

/* Replaces what cannot be shown in a sentence: paths are any bytes. */
char *file_printable(char *text);
/* The path as a user in the working directory would write it; part of `path`. */
const char *file_shown_path(const char *path);

#endif
