/* What is known of the ranks: local states, payloads, resolutions, and the steps between local states, each executed once. Turns
 * the reports of executors into step results. Knows nothing of processes. */
#ifndef EXPLORER_STEP_TABLE_H
#define EXPLORER_STEP_TABLE_H

#include "explorer/debug_information/sites.h"
#include "explorer/steps/file_uses.h"
#include "explorer/steps/written_files.h"
#include "models/mpi/model.h"
#include "models/name_table.h"

struct step_table;

/* `model` and `sites` must outlive the table. */
struct step_table *step_table_create(struct mpi_model *model, struct sites *sites);
void step_table_destroy(struct step_table *table);
/* The table can exist before the model that needs its payload sizes: set once. */
void step_table_set_model(struct step_table *table, struct mpi_model *model);

/* The local state in which a rank begins, which runs one of the programs that run together (numbered from 0). Those that its steps
 * lead to are the same rank's. */
uint32_t step_table_root(struct step_table *table, unsigned rank, unsigned program, uint32_t image_root);
unsigned step_table_rank(const struct step_table *table, uint32_t local);
unsigned step_table_program(const struct step_table *table, uint32_t local);
uint32_t step_table_image_root(const struct step_table *table, uint32_t local);
/* The allocation log that goes with the image, BLOCK_NONE if none is known; the first one set is kept. */
uint32_t step_table_log(const struct step_table *table, uint32_t local);
void step_table_set_log(struct step_table *table, uint32_t local, uint32_t log);
/* The step by which a local state was first reached; NAME_UNKNOWN for a root. */
uint32_t step_table_origin(const struct step_table *table, uint32_t local);
size_t step_table_locals(const struct step_table *table);
/* Has a rank ended in any of the steps finished so far? */
bool step_table_has_ends(const struct step_table *table);

/* What is known of a local state for those who read about it. */
struct local_story {
    uint32_t rank;
    uint32_t number;   /* as users know it, from 1, in the order in which the search first met them; 0: it has not yet */
    uint16_t function; /* the call in which it is blocked: enum mpi_function */
    uint32_t site;
    bool ended; /* the rank has ended; its memory is that of its last call */
};
struct local_story step_table_story(const struct step_table *table, uint32_t local);
/* Says that the search has met a root of `rank`, blocked in this call. */
void step_table_meet_root(struct step_table *table, uint32_t local, uint32_t rank, uint16_t function, uint64_t site);
/* Says that the search has met the result of a step. */
void step_table_meet(struct step_table *table, uint32_t step);
/* The local state with a number that users know; NAME_UNKNOWN: there is none. Numbers end at step_table_met. */
uint32_t step_table_numbered(const struct step_table *table, uint32_t number);
uint32_t step_table_met(const struct step_table *table);
/* Writes which local states have been met, and reads it back into a table that has the same ones; errors show on the stream. */
void step_table_save_met(const struct step_table *table, FILE *out);
bool step_table_load_met(struct step_table *table, FILE *in);

uint64_t step_table_output_hash(const struct step_table *table, uint32_t local);
/* All that was written to `stream` up to this local state; malloc'd. */
char *step_table_output(const struct step_table *table, uint32_t local, int stream, size_t *size);
/* The files of a rank that has ended in this local state; to be freed, and valid as long as the table. */
struct written_files step_table_files(const struct step_table *table, uint32_t local);
/* Why the steps finished so far cannot be modelled together: a rank uses a file that another one changes. Else NULL. */
const char *step_table_refusal(const struct step_table *table);
/* The files that the steps finished so far use. */
const struct file_uses *step_table_file_uses(const struct step_table *table);
/* The ranks of which more than one thread calls MPI in steps finished so far. */
const struct rank_set *step_table_with_threads(const struct step_table *table);
/* Adds output to a local state's: for what a program wrote before MPI_Init. */
uint32_t step_table_add_output(struct step_table *table, uint32_t local, int stream, const void *bytes, size_t size);

uint64_t step_table_payload_size(void *table, uint32_t payload);
/* Valid until the next step is finished. NO_PAYLOAD: none. */
const void *step_table_payload_bytes(const struct step_table *table, uint32_t payload, size_t *size);

/* The step from `local` with `resolution`: its number, made if new. The same for resolutions that differ only in who brings which part
 * of an unordered collective. */
uint32_t step_table_step(struct step_table *table, uint32_t local, const struct resolution *resolution);
/* Its result, or NULL if it has not been executed. */
const struct step_result *step_table_result(const struct step_table *table, uint32_t step);
/* The result that was set as the number'th one (from 0), those of lost executors not counted; NULL: there are fewer. */
const struct step_result *step_table_result_numbered(const struct step_table *table, uint32_t number);
/* How many there are. */
uint32_t step_table_results(const struct step_table *table);
uint32_t step_table_step_local(const struct step_table *table, uint32_t step);
const struct resolution *step_table_resolution(const struct step_table *table, uint32_t step);
/* From now on its answer tells the rank to look at its windows. Does it? */
void step_table_make_look(struct step_table *table, uint32_t step, const struct wire_look *look);
bool step_table_looks(const struct step_table *table, uint32_t step);
/* Of a step that is wanted: so is what comes after it. */
void step_table_follow(struct step_table *table, uint32_t step);
bool step_table_is_followed(const struct step_table *table, uint32_t step);
/* Writes the resolution in wire form to `area`; returns its bytes, or 0 if it does not fit into `room`. */
size_t step_table_write_answer(const struct step_table *table, uint32_t step, void *area, size_t room);

/* Sets the result of a step from an executor's report: `image_root` is the image reached (BLOCK_NONE if the rank ended
 * and its memory then does not count). The
 * report is not trusted: false if it is not well formed. */
bool step_table_finish(struct step_table *table, uint32_t step, uint32_t image_root, const void *report, size_t size);
/* Sets the result of a step that ended without a report. */
void step_table_finish_lost(struct step_table *table, uint32_t step, enum wire_end_kind kind);

struct step_table_statistics {
    uint64_t local_states; /* that the search has met */
    uint64_t steps, payloads, payload_bytes, bytes;
};
struct step_table_statistics step_table_statistics(const struct step_table *table);

#endif
