/* `explore replay --export`: an ordering as text, for people and scripts. Stable: later versions add lines that begin with "#" and
 * fields after the last one only.
 *
 *     # explore ordering 1
 *     # ranks 3
 *     # finding deadlock: rank 1 in MPI_Send waits …     (none: "# finding none")
 *     # decisions 2                                       (a race: "# decisions 2 of the other ordering" before the second part)
 *     1 <tab> 2 <tab> MPI_Recv <tab> app.c:21 <tab> receives from <tab> 0 <tab> MPI_Send <tab> app.c:26 <tab> tag 1
 *
 * The fields: number of the decision; the rank whose decision it is, its call, its source line; what happens ("receives from", "is
 * buffered", "is told of", "finds a message from", "is told "not yet"", "cancels", "leaves early", "completes early", "begins", "goes
 * on"); the other rank, its call, its source line, "-" each if there is none; and what else is to be said ("request 1", "to rank 2",
 * "tag 1", separated by ", "; "-" if nothing). */
#ifndef EXPLORER_ORDERING_TEXT_H
#define EXPLORER_ORDERING_TEXT_H

#include "explorer/orderings/ending.h"
#include "explorer/orderings/witness_file.h"

/* Writes the witness to `path`, "-" for standard output. The exit code: 0, or 3 and a sentence. */
int ordering_export(struct exploration *exploration, const struct witness_file *witness, const char *path);

#endif
