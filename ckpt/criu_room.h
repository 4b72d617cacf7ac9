/* The room of a restored process (see criu.h): its namespaces and its keeper. */
#ifndef CKPT_CRIU_ROOM_H
#define CKPT_CRIU_ROOM_H

#include "ckpt/criu_command.h"

#include <sys/types.h>

/* What CRIU found out about the kernel, kept as the file /run/criu.kdat, which it believes on a tmpfs only. Where /run is none,
 * each room gets one that holds this. */
struct room_facts {
    bool cover_run;
    char *bytes; /* of criu.kdat; may be NULL: CRIU finds out again, in some 20 ms */
    size_t size;
};

/* Makes a room and runs `restore` in it, which must leave `process` (its number inside) as the keeper's child. Returns the keeper,
 * a child of the caller that dies with the calling thread; -1 on failure, with the reason in the log of `restore`. */
pid_t room_open(const struct criu_command *restore, pid_t process, const struct room_facts *facts);
/* Ends everything in the room and reaps its keeper. */
void room_close(pid_t keeper);

#endif
