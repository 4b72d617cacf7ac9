/* The programs that run together: `explore -n 2 ./a : -n 3 ./b`, mostly one. Each has executors of its own, copies of its own first
 * process; local states, payloads and steps of all are in one table, so that the search sees one step source. */
#ifndef EXPLORER_PROGRAMS_H
#define EXPLORER_PROGRAMS_H

#include "explorer/processes/executors.h"

#include <stdio.h>

struct programs;

struct started_program {
    const char *path;  /* of the executable */
    char *const *argv; /* NULL-terminated, argv[0] included */
    unsigned ranks;
};

/* `options` holds what all have in common: what is of one program is filled in. Ranks are numbered through the list. NULL and a
 * malloc'd sentence in *error if a program cannot be run, as executors_start. `sites` must outlive the programs. */
struct programs *programs_start(const struct executors_options *options, const struct started_program *list, unsigned count,
                                struct sites *sites, char **error);
/* Must be called before the first step: steps are interpreted for this model. */
void programs_set_model(struct programs *programs, struct mpi_model *model);
/* Then, of an exploration that is resumed (options->saved), reads the steps that were saved. False: *error is a malloc'd
 * sentence. */
bool programs_resume(struct programs *programs, char **error);
uint64_t programs_payload_size(void *programs, uint32_t payload); /* for mpi_model_create */
const struct step_source *programs_steps(struct programs *programs);
/* As executors_begin_anew: each rank's is in the rank's program. */
bool programs_begin_anew(struct programs *programs, int agents, const struct places *places, const struct leftovers *leftovers,
                         bool places_blocks);

/* Sums over all programs. */
struct executors_statistics programs_statistics(struct programs *programs);
/* As executors_spill, executors_failure and executors_store_full. */
uint64_t programs_spill(struct programs *programs, uint64_t bytes);
/* As executors_limit_pages, for all of them together. */
void programs_limit_pages(struct programs *programs, uint64_t bytes);
/* As executors_page_bytes, executors_crawl and executors_pin. */
uint64_t programs_page_bytes(const struct programs *programs);
bool programs_crawl(const struct programs *programs);
bool programs_pin(struct programs *programs, unsigned at, uint32_t local);
/* Runs a rank to where it last was in a local state that is no end, if it has come that far: of an end the one before. */
bool programs_run_to(struct programs *programs, uint32_t local);
const char *programs_failure(const struct programs *programs);
bool programs_store_full(const struct programs *programs);

/* Everything known of local states, for reading. */
const struct step_table *programs_table(const struct programs *programs);
/* As step_table_load_met. */
bool programs_load_met(struct programs *programs, FILE *in);
/* All that a rank wrote to stream 1 or 2 up to a local state; malloc'd. */
char *programs_output(const struct programs *programs, uint32_t local, int stream, size_t *size);
/* The files of a rank that has ended in a local state; to be freed, and valid as long as the programs. */
struct written_files programs_files(const struct programs *programs, uint32_t local);
/* The memory of the local states of the rank that this one is of. */
struct captured_memory programs_memory(const struct programs *programs, uint32_t local);
/* As executors_pause. */
pid_t programs_pause(struct programs *programs, uint32_t local);
/* As executors_divergence. */
const struct divergence *programs_divergence(const struct programs *programs, const struct step_result *result);

/* Ends all processes and frees everything. */
void programs_stop(struct programs *programs);

#endif
