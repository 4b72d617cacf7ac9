/* Builds components for the model's tests without running anything: a rank "does" operations and then blocks in a call. */
#ifndef TESTS_MODEL_BUILDER_H
#define TESTS_MODEL_BUILDER_H

#include "models/mpi/model.h"

enum { RANKS = 3, ANY = -1, NONE = -2 };

struct world {
    struct mpi_model *model;
    uint32_t state[2 * RANKS]; /* behind the ranks their agents, if added */
    uint32_t next_local;
};

/* All ranks have passed MPI_Init and have not called anything yet. Payload number p is p bytes long. */
void world_begin(struct world *world, enum buffering buffering);

/* An agent for each rank: rank RANKS + r. */
void world_add_agents(struct world *world);

/* Operations for world_do; request numbers are the caller's. */
struct operation send(int to, int tag, uint32_t payload, uint32_t request, enum wire_send_mode mode);
struct operation receive(int from, int tag, uint64_t capacity, uint32_t request);
struct operation simple(enum wire_operation_kind kind, uint32_t request); /* cancel, free */
struct operation collective(enum wire_pattern pattern, int root, uint64_t agreement);
struct operation nonblocking(enum wire_pattern pattern, int root, uint32_t request);

/* A list that the operations of the next world_do may refer to in their part list, from entry 1 on. */
void world_list(const uint32_t *list, uint32_t length);

/* The rank goes on from its call (answered by `resolution`; NULL: MPI_Init's), does the operations and blocks in `kind`
 * with the given requests. Collective operations bring one part, payload 100 + rank. */
void world_do(struct world *world, unsigned rank, const struct resolution *resolution, const struct operation *operation,
              uint32_t operations, enum wire_call_kind kind, const uint32_t *request, uint32_t requests);
/* The same, blocking in a probe. */
void world_probe(struct world *world, unsigned rank, enum wire_call_kind kind, int from, int tag);

#define DO(world, rank, kind, requests, ...)                                                                \
    world_do(world, rank, NULL, (struct operation[]){__VA_ARGS__},                                          \
             sizeof((struct operation[]){__VA_ARGS__}) / sizeof(struct operation), kind, REQUESTS requests, \
             sizeof(REQUESTS requests) / sizeof(uint32_t))
#define REQUESTS(...) ((uint32_t[]){__VA_ARGS__})

/* Settles and demands that no rule is broken. */
void settle(struct world *world);
/* Is the rank's call answered whatever happens? */
const struct resolution *ready(struct world *world, unsigned rank);
/* The state's transitions, valid until the next call. */
size_t transitions(struct world *world, const struct transition **list);
/* How many transitions the rank owns, misses apart. */
unsigned choices(struct world *world, unsigned rank);
/* Can `rank` receive (or find) a message from `source` next? */
bool can_match(struct world *world, unsigned rank, unsigned source);
/* Takes the rank's transition of that description and returns the answer. */
const struct resolution *take_from(struct world *world, unsigned rank, unsigned source);
const struct resolution *take_optional(struct world *world, unsigned rank);
bool has_optional(struct world *world, unsigned rank);
bool influenced_by(struct world *world, unsigned rank, unsigned other);

#endif
