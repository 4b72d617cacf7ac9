/* Functions that are not supported: each ends the rank with a sentence that names it. No mpi.h here, so that one form of stub,
 * which ignores its arguments, fits them all. */
#include "models/mpi/functions.h"
#include "models/mpi/preload/call_site.h"
#include "models/mpi/preload/rank.h"

#define MPI_FUNCTION(name) COVERED_##name = FUNCTION_##name,
#define MODELLED(name) MPI_FUNCTION(name)
#define FORWARDED(name) MPI_FUNCTION(name)
#define INERT(name) MPI_FUNCTION(name)
#define REFUSED(name) MPI_FUNCTION(name)
/* A function that coverage.def has twice, or that functions.def lacks, does not compile... */
enum {
#include "models/mpi/preload/coverage.def"
};
#undef MPI_FUNCTION
#undef MODELLED
#undef FORWARDED
#undef INERT
#undef REFUSED

/* ...nor does one that coverage.def lacks. */
#define MPI_FUNCTION(name) _Static_assert((int)COVERED_##name == (int)FUNCTION_##name, #name);
#include "models/mpi/functions.def"
#undef MPI_FUNCTION

static _Noreturn void refuse(uint16_t function, uint64_t site) {
    site = call_site_in_program(site);
    if (!rank_started())
        rank_start_early(function, site);
    rank_refuse(function, site, "%s is not supported yet", function_name(function));
}

#define MODELLED(name)
#define FORWARDED(name)
#define INERT(name)
#define REFUSED(name)                                                       \
    int name(void) __attribute__((visibility("default")));                  \
    int P##name(void) __attribute__((alias(#name), visibility("default"))); \
    int name(void) { refuse(FUNCTION_##name, (uint64_t)__builtin_return_address(0)); }
#include "models/mpi/preload/coverage.def"
