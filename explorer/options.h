/* The command line: one table drives parsing and --help, one struct holds all options. */
#ifndef EXPLORER_OPTIONS_H
#define EXPLORER_OPTIONS_H

#include "ckpt/backends/checkpoint.h"
#include "models/mpi/model.h"

#include <stdbool.h>
#include <stdint.h>

enum { CLASSES_MOST = 32 };

struct options {
    unsigned ranks;
    unsigned jobs;               /* executors */
    enum buffering buffering;
    const struct backend *checkpoint;
    const char *spill_dir;       /* NULL: pages stay in memory */
    int tracker;                 /* enum tracker_choice */
    double seconds;              /* --time; 0: none */
    double step_seconds;
    uint64_t memory_bytes;       /* --memory; 0: most of the machine's */
    uint64_t states;             /* --states; 0: none */
    bool keep_going, verbose, quiet, help, version, no_reduction;
    bool race_on_state;          /* the memory in which ranks end is part of the outcome */
    bool list_states;            /* print a table of local states */
    uint32_t explain[2];         /* numbers of two local states to compare; 0: none */
    const char *json, *junit;    /* paths, or NULL */
    const char *input;           /* --stdin: a path, "-" for our own; NULL: our own if it is a regular file */
    const char *keep_files;      /* folder for the files of the reference ordering, or NULL */
    const char *output_dir;      /* where witnesses go */
    const char *allow[CLASSES_MOST], *deny[CLASSES_MOST];
    unsigned allows, denies;
    bool replay;                 /* `explore replay FILE [PROGRAM …]` */
    const char *witness;         /* its FILE */
    char **program;              /* program and its arguments, NULL-terminated; NULL: none given */
};

/* Parses the command line. False: `sentence` (room bytes) says what is wrong. Strings point into argv; options->program must be
 * freed with free(). */
bool options_parse(struct options *options, int argc, char **argv, char *sentence, size_t room);
void options_help(void);

/* Does a finding of this class fail the run? */
bool options_fails(const struct options *options, const char *class_name);
const char *buffering_name(enum buffering buffering);

#endif
