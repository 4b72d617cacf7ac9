/* Other bytes than there are, in buffers that the program must not read. A step that is run only to see whether the program does
 * so (struct mailbox, `variant`) has them there while the program runs; in other steps nothing is put anywhere, only counted.
 *
 *     variant 1: the other sign and far from 0, as integers and as floating-point numbers: bytes 0x7e in place of those with the
 *                highest bit, bytes 0xfe in place of the others, and odd ones, 0x7f and 0xff, at even addresses
 *     variant 2: all bytes 0, or 0x7e if they are all 0 already
 *
 * Between them, zero or not, positive or negative, and odd or even differ from what there is, whatever that is, and what is 0
 * or -1 becomes a large number too. For windows that were not looked at there is one variant only: all bits differ. What is
 * kept meanwhile is no part of the rank's memory. */
#ifndef MODELS_MPI_PRELOAD_FOREIGN_BYTES_H
#define MODELS_MPI_PRELOAD_FOREIGN_BYTES_H

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/datatypes/footprint.h"

/* From this number on: windows that were not looked at (window_unseen.h), which only executions for their sake have other bytes
 * in. */
#define FOREIGN_UNSEEN (5u << 29)
/* From this number on: what window_exposure.h puts. */
#define FOREIGN_EXPOSED (6u << 29)
/* From this number on: what an access changes in this process's window. */
#define FOREIGN_IN_WINDOW (7u << 29)

/* Is all of the buffer memory that is kept? Nothing is put elsewhere: a program may give a count for which there is no memory,
 * relying on shorter messages. */
bool foreign_bytes_may_be_put(const struct footprint *buffer);

/* `number` stands for the buffer, which the explorer is told to be of the call `maker` of a rank. */
void foreign_bytes_put(uint32_t number, const struct footprint *buffer, const struct caller *maker, int rank);
/* Puts back what was there; false if the program has written there. Without a matching put: true. */
bool foreign_bytes_take_out(uint32_t number, const struct footprint *buffer);
/* Does what only some variants do, on the control stack, where it leaves no traces: the errand ends with foreign_bytes_return. */
void foreign_bytes_do_aside(void (*errand)(void));
_Noreturn void foreign_bytes_return(void);
/* The same without looking at what the program did. */
void foreign_bytes_withdraw(uint32_t number, const struct footprint *buffer);

#endif
