/* Where a call came from, by its return address. Usable without mpi.h.
 *
 * libmpich calls some of its own MPI functions through the dynamic linker, so these calls arrive at our definitions. They are
 * told from the program's by their return address, which works inside callbacks too: an attribute's copy function
 * that MPICH calls is program code again. */
#ifndef MODELS_MPI_PRELOAD_CALL_SITE_H
#define MODELS_MPI_PRELOAD_CALL_SITE_H

#include <stdbool.h>
#include <stdint.h>

/* Does libmpich itself make the call? */
bool call_site_is_mpich(uint64_t site);

/* Does the C library? */
bool call_site_is_libc(uint64_t site);

/* Where the program called from: the return address itself, or, if that lies in MPICH's Fortran bindings, the return address
 * of the first function outside them. */
uint64_t call_site_in_program(uint64_t site);

#endif
