/* Futures: what a rank may yet send, by the local state that it is in. For as long as its steps are being found out, they are what
 * the steps known so far lead to; the reduction relies on them as it does on acts.c, for each local state instead of each rank. */
#ifndef MODELS_MPI_FUTURES_H
#define MODELS_MPI_FUTURES_H

#include "models/mpi/model.h"

struct futures;

struct futures *futures_create(void);
/* There are agents. Before anything is noted. */
void futures_expect_agents(struct futures *futures);
void futures_destroy(struct futures *futures);
uint64_t futures_memory(const struct futures *futures);

/* A step leads from a local state on. With the lock held, like all that changes futures. `gate`: the communicator whose other
 * members all must have entered the collective in which the rank is, before the step; UINT32_MAX: there is none. `heard`: of
 * each of them a message must have come. */
void futures_note(struct futures *futures, uint32_t from, uint32_t gate, const struct rank_set *heard,
                  const struct step_result *result);

/* From now on what is known is relied on. Local states from which no step is known: nothing comes after them if `hopeful`, else
 * anything may. */
void futures_assume(struct futures *futures, bool hopeful);
/* Has no more become known of a local state than was relied on? */
bool futures_assumed_enough(struct futures *futures);

/* Is the rank `source`, where it is, assumed to send this to `to` in future, before that moves? `relied_on`: a no will be. Any
 * number of threads may ask. */
bool futures_may_send(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned to, uint32_t context,
                      int32_t tag, bool relied_on);

/* ... something that is right only in time; and is not known to be if `to` does not move before? */
bool futures_may_hurry(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned to, bool relied_on);
bool futures_may_be_early(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned to, bool relied_on);
/* Is it assumed to make a buffered send to anybody before `to` moves? */
bool futures_may_overflow(const struct mpi_model *model, const uint32_t *state, unsigned source, unsigned to, bool relied_on);

/* Is it assumed to make a request that does not commute with this one of another rank, a match at a calm agent, before that is
 * taken and while no request is that does not commute with it? */
bool futures_may_rival(const struct mpi_model *model, const uint32_t *state, unsigned source, const struct transition *request,
                       bool relied_on);

void futures_save(struct futures *futures, FILE *out);
/* False: the file is not one. */
bool futures_load(struct futures *futures, FILE *in);

#endif
