/* The code that an MPI function returns to the program where an error handler has changed it (handler_functions.h). The library itself
 * must know that there was an error, whatever the handler has made of it: all that it does in such a call goes by the code that it
 * had. So the call returns to a few instructions (return_instead.S) that have the changed one returned in its place. */
#include "models/mpi/preload/caller.h"

#include <stddef.h>

extern const char return_instead[];

/* Zero, but from when the code is changed until the call returns. */
struct returning_instead {
    uint64_t to;
    int32_t code;
} returning_instead __attribute__((visibility("hidden")));
_Static_assert(offsetof(struct returning_instead, code) == 8, "return_instead.S has it there");

void caller_return(int code) {
    uint64_t *returns_to = caller_frame == 0 ? NULL : (uint64_t *)caller_frame + 1;
    if (returns_to != NULL && *returns_to == (uint64_t)return_instead)
        returning_instead.code = code;
    if (returns_to == NULL || call_site_in_program(*returns_to) != caller_current.site)
        return;
    returning_instead = (struct returning_instead){*returns_to, code};
    *returns_to = (uint64_t)return_instead;
}
