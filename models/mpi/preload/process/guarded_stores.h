/* Stores of the program's to memory that it must leave alone, which show although they leave it as it is: what it stores back,
 * where a message or another process's access comes at the same time, may undo that. Other bytes (foreign_bytes.h) tell nothing
 * there, as they are stored back too. So, while the program runs in the usual run of a step, such memory is closed to stores
 * (shared_traps.h): what others access in the epoch that is asked about (window_exposure.h), what accesses to this process's
 * window change (own_accesses.h), what accesses elsewhere fetch into, and of what else is pending the pages that are received
 * into alone (pending_buffers.h).
 *
 * Stores to other bytes in the same pages are let pass, which takes as long as some thousand others each, so that there is a
 * limit to them in a step: then it stays open. So does the stack, where there are too many. */
#ifndef MODELS_MPI_PRELOAD_GUARDED_STORES_H
#define MODELS_MPI_PRELOAD_GUARDED_STORES_H

#include "models/mpi/preload/datatypes/footprint.h"
#include "models/mpi/protocol.h"

/* The program goes on; a call begins. */
void guarded_stores_close(void);
void guarded_stores_open(void);

/* Of what is closed: the bytes of this owner, as foreign_bytes.h numbers them, are to be closed too; some are not any more. */
void guarded_stores_note_more(uint32_t number);
void guarded_stores_note_less(void);

/* To be called while it is closed: this is among it. */
void guarded_stores_add(const struct footprint *footprint);

/* From a signal handler, `context` (a ucontext_t) being where the program is: it stores there. Returns if it may. */
void guarded_stores_check(uintptr_t from, uintptr_t to, const void *context);
/* ... It may not. */
_Noreturn void guarded_stores_end(const char *class_name, const struct wire_place *place, const void *context,
                                  const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
