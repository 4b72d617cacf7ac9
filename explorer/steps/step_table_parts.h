/* What the parts of the step table share; nobody else includes this.
 *
 *     step_table.c        local states, payloads, resolutions and steps, each interned
 *     step_output.c       what ranks write
 *     step_report.c       turns the report of a step into its result
 */
#ifndef EXPLORER_STEP_TABLE_PARTS_H
#define EXPLORER_STEP_TABLE_PARTS_H

#include "explorer/containers/memory.h"
#include "explorer/steps/file_uses.h"
#include "explorer/steps/step_table.h"

/* What a rank writes: the streams of the wire and, as it exits, its files. A file is one piece: a struct wire_file, path and
 * content. */
enum { STREAM_FILES = WIRE_STREAMS_END, STREAMS = STREAM_FILES };

/* A piece of output and what came before it. Hashes are polynomial and not a library's because they must not depend on how
 * the bytes were cut into writes: appending needs only the hash so far. */
struct output {
    const struct output *before;
    uint64_t hash[STREAMS]; /* of each stream up to here */
    uint32_t stream;
    size_t size;
    char bytes[];
};

struct local {
    uint32_t image_root;
    uint16_t rank, program;
    uint32_t origin; /* step by which it was first reached, NAME_UNKNOWN for a root */
    const struct output *output;
    uint32_t log; /* allocation log, BLOCK_NONE: none */
    struct local_story story;
};

struct step {
    uint32_t local, resolution;
    uint32_t look;              /* what its answer says of it, from 1; 0: nothing */
    bool is_followed;           /* what comes after it is wanted, too */
    struct step_result *result; /* NULL: not executed */
};

struct payload {
    uint64_t size, hash;
    char *bytes;
};

struct step_table {
    struct mpi_model *model;
    struct sites *sites;
    struct local *local;
    size_t locals, local_room;
    struct step *step;
    size_t steps, step_room;
    struct payload *payload;
    size_t payloads, payload_room;
    const struct resolution **resolution;
    size_t resolutions, resolution_room;
    struct resolution *ordered; /* scratch: one whose parts are in order, and these */
    uint32_t *part;
    size_t ordered_room, part_room;
    struct wire_look *look;
    size_t looks, look_room;
    struct name_table local_names, step_names, payload_names, resolution_names, look_names;
    const struct step_result **result; /* by number */
    size_t results, result_room;
    uint32_t *met; /* local states by the numbers that users know, less 1 */
    size_t met_count, met_room;
    void **owned; /* outputs and results, freed at the end */
    size_t owned_count, owned_room;
    uint64_t payload_bytes, other_bytes;
    struct file_uses file_uses;
    struct rank_set with_threads;
    char *refusal; /* the first conflict between the ranks' uses of files */
};

/* The result of a step, which gets the next number. */
void step_table_set_result(struct step_table *table, uint32_t step, struct step_result *result);
/* Zeroed memory that lives as long as the table. */
void *step_table_own(struct step_table *table, size_t bytes);

/* The number of a payload, made if new. */
uint32_t step_table_payload(struct step_table *table, const void *bytes, uint64_t size);

/* What tells the local states of one output apart. Ranks of one program never share an image: their number is in their memory. */
static inline uint64_t image_name(unsigned program, uint32_t image_root) { return (uint64_t)program << 32 | image_root; }
/* A rank that has ended well, and whose memory does not count any more. */
static inline uint64_t ended_name(unsigned rank) { return (uint64_t)1 << 63 | rank; }

uint32_t step_table_local(struct step_table *table, uint64_t distinct, unsigned rank, unsigned program, uint32_t image_root,
                          const struct output *output, uint32_t origin);

/* step_output.c: what was written before, and one piece more. */
const struct output *output_append(struct step_table *table, const struct output *before, uint32_t stream, const void *bytes,
                                   size_t size);
uint64_t output_hash(const struct output *output);

/* Sizes on the wire are rounded up to 8 bytes. */
static inline size_t wire_padded(size_t bytes) { return (bytes + 7) / 8 * 8; }

#endif
