/* The program's operators: what one is known by to other ranks, and those of reductions that are under way, which MPI_Op_free must
 * not take away, nor what they compute with communicate (MPI-3.1 section 5.9.5). */
#ifndef MODELS_MPI_PRELOAD_OPERATORS_H
#define MODELS_MPI_PRELOAD_OPERATORS_H

#include "models/mpi/preload/real.h"

#include <stdbool.h>
#include <stdint.h>

/* The program has made it (MPI_Op_create). */
void operator_made(MPI_Op op, const void *function, bool commutes);
/* Equal for equal operators of all ranks: the handle of a predefined one; of another one a hash of whether it commutes and, where
 * all ranks run one program, of its function's place in that. 0: MPI_OP_NULL. */
uint32_t operator_identity(MPI_Op op);

void operator_hold(MPI_Op op);
/* Frees the operator if the program has done so in the meantime and nothing else holds it. */
void operator_release(MPI_Op op);

/* An operator computes, called from the function with this __builtin_frame_address(0); no longer. */
void operator_begin(const void *frame);
void operator_end(void);
/* Ends the rank if it is an operator that communicates by this call. */
void operator_require_none(uint16_t function, uint64_t site);

#endif
