/* The MPI objects that the program has made and not freed: what a freed handle is known by, and what MPI_Finalize finds leaked.
 * Requests have a table of their own (requests.h).
 *
 *     kind        handle      maker
 *     datatype    0x8c000007  MPI_Type_vector, app.c:12
 *     group       0x88000000  MPI_Comm_group, app.c:20
 *
 * The table is a list in the order of creation, as long as what is alive: it has no history. One handle may be in it more than
 * once, as MPI counts references (MPI_Type_get_contents). */
#ifndef MODELS_MPI_PRELOAD_OBJECTS_H
#define MODELS_MPI_PRELOAD_OBJECTS_H

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/rank.h"

enum object_kind {
    OBJECT_NONE = 0,
    OBJECT_COMMUNICATOR,
    OBJECT_GROUP,
    OBJECT_DATATYPE,
    OBJECT_OPERATOR,
    OBJECT_INFO,
    OBJECT_KEYVAL,
    OBJECT_ERROR_HANDLER,
    OBJECT_WINDOW,
};

/* "a datatype", "an operator" … */
const char *object_kind_name(enum object_kind kind);

/* The call that the program is in (caller_current) has made or freed the object. Predefined handles are ignored, as is freeing
 * what is not in the table. */
void object_made(enum object_kind kind, int handle);
void object_freed(enum object_kind kind, int handle);
/* The same for one that the program cannot free: it exists for ever and is no leak. */
void object_made_permanent(enum object_kind kind, int handle);

/* Is it predefined, or in the table? */
bool object_exists(enum object_kind kind, int handle);

/* Goes through those of a kind that are in the table, `at` being 0 at first: a handle, or 0 behind the last. */
int object_next(enum object_kind kind, size_t *at);

/* Room for the name of a datatype's signature, OBJECT_UNSIGNED as long as nothing was stored there; NULL if it is not in the
 * table. Valid until the next object is made. */
#define OBJECT_UNSIGNED UINT64_MAX
uint64_t *object_signature(enum object_kind kind, int handle);

/* Fills in what is alive. */
void objects_leaked(struct rank_leaks *leaks);
/* init.c: one was freed that may be freed after MPI_Finalize too. */
void leaks_changed(void);

#endif
