/* Receives that are still pending when the program goes on, and whose buffers' contents were forgotten while it waited (leftovers.h).
 * A master that posts the next receive where the last result was has one state then for each set of results that it has had, and not
 * one more for each that may have been the last of each worker.
 *
 * That is right as long as nobody looks at such a buffer before the message is there, all of it. A right program does not; one that
 * does might do anything else with what was really there, of which other bytes (foreign_bytes.h) need not show anything: it may
 * wait for one value. So it must be known that nothing is read:
 *
 *     by the program             each step in which the program goes on so is run once more, as it is, with these buffers closed to
 *                                the program (CLOSED_VARIANT; shared_traps.h): each access there is seen
 *     by the system              a system call that is given such memory is seen then, too
 *     by this library            a call that reads memory it is given, other than what it sends, which a pending operation must not
 *                                own anyway, says so; of functions that are not known to do no more, all count as doing it
 *     by what a call calls back  the program's functions count as reading it when they run in a call, where all is open
 *
 * If so, or if the program accesses other bytes of the same pages too often to be looked at, the rank ends with a wish: the search
 * starts over, and receives of this call site keep what they have while they are pending (KEPT_WHILE_PENDING). Then everything
 * is found, or not, as if nothing had ever been forgotten there. */
#ifndef MODELS_MPI_PRELOAD_PENDING_LEFTOVERS_H
#define MODELS_MPI_PRELOAD_PENDING_LEFTOVERS_H

#include "models/mpi/preload/point_to_point/request_table.h"

/* Does the program not look at it, as far as that can be found out? */
bool pending_leftovers_may_be(const struct request *receive);
/* What the receive's buffer held is forgotten; it is overwritten, or needed no more. Both may be said twice. */
void pending_leftovers_add(struct request *receive);
void pending_leftovers_remove(struct request *receive);

/* A call begins, of this function; the program goes on. */
void pending_leftovers_open(uint16_t function);
void pending_leftovers_close(void);

/* This library is about to read memory that the program has given it; to call a function of the program. */
void pending_leftovers_note_read(const void *memory, size_t bytes);
void pending_leftovers_note_callback(void);
/* If this call makes attributes with functions of the program: MPI functions may call these from now on, not only those that they
 * are given. */
void pending_leftovers_note_keyval(uint16_t function, const long *word);

/* From a signal handler: the program accesses such a buffer, or memory near the address. */
_Noreturn void pending_leftovers_end(uintptr_t address);

#endif
