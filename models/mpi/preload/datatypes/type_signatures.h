/* The type signatures (models/mpi/signatures.h) of the program's datatypes. */
#ifndef MODELS_MPI_PRELOAD_TYPE_SIGNATURES_H
#define MODELS_MPI_PRELOAD_TYPE_SIGNATURES_H

#include "models/mpi/preload/real.h"

/* The name of the signature of a buffer of this type. The explorer is told what it means. 0: not known, as with MPI_PACKED. */
uint64_t type_signature(MPI_Datatype type);

/* A hash of the whole signature of `count` elements, the same for all types that have it; 0: not known, or empty. */
uint64_t type_signature_whole(MPI_Count count, MPI_Datatype type);
/* The name of the basic type of which so many bytes have that hash; NULL: there is none. */
const char *type_signature_name(uint64_t hash, uint64_t bytes);

#endif
