/* Accesses of the program to the places by which ranks synchronise in shared windows (shared_places.h). While the program runs, the
 * pages that have such places, or are watched, are closed to it. An access there faults, and the handler looks at the instruction:
 *
 *   it accesses bytes of such places only     it is a step of its own. The program goes on in shared_traps_enter.S, as if it had
 *                                             called it there: the memory is brought up to date (passive_begin_access), the one
 *                                             instruction runs with all open, what it has stored is told (passive_end_access)
 *   anything else                             it runs with all open, and is remembered
 *
 * So accesses to these places happen one after the other, in every order, each with all that its rank stored before and with all
 * that others told before it: as C11 has them by default (memory_order_seq_cst). */
#ifndef MODELS_MPI_PRELOAD_SHARED_TRAPS_H
#define MODELS_MPI_PRELOAD_SHARED_TRAPS_H

#include <stdbool.h>
#include <stdint.h>

/* The program goes on; the library is at work. */
void shared_traps_close(void);
void shared_traps_open(void);
/* Does the program run, with all closed that is to be? Not in a call, nor in what a call calls back. */
bool shared_traps_are_set(void);

/* The rank has, or is to have, other threads: while one of them is in a call all is open to the others, whose accesses would be
 * missed. */
void shared_traps_refuse_threads(void);
/* The program goes on, and must not touch these bytes (window_unseen.h), which are added and then closed: what it accesses there is
 * noted, and it may be stopped. */
void shared_traps_begin_unseen(void);
void shared_traps_add_unseen(uintptr_t start, uintptr_t end);
void shared_traps_close_unseen(void);
/* The same, for buffers whose content was forgotten (pending_leftovers.h); then add and close as above. */
void shared_traps_begin_forgotten(void);
/* ... and must not store to these bytes (guarded_stores.h), which are known to whom it is said where it stores. They are added
 * one after the other to those of the last time, unless these are forgotten, and then closed, until so many stores were to others in
 * their pages. False: there have been as many in this step. */
bool shared_traps_begin_stores(uint32_t beside);
void shared_traps_forget_stores(void);
void shared_traps_add_stores(uintptr_t start, uintptr_t end);
void shared_traps_close_stores(void);
/* A system call is answered, which may have the kernel access what is closed: it is open meanwhile. A call that may be given a window
 * which must not be touched touches it. True: it was closed, and is to be again. */
bool shared_traps_open_to_call(long number, const long argument[6]);
void shared_traps_close_to_call(void);

/* Some of the program's time has passed. */
void shared_traps_tick(void);

/* From the signal handler: was the fault, or the trap after an instruction, ours? The program then goes on. */
bool shared_traps_fault(uintptr_t address, void *context);
bool shared_traps_stepped(void *context);

#endif
