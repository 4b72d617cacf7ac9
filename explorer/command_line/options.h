/* The command line: one table drives parsing and --help, one struct holds all options. */
#ifndef EXPLORER_OPTIONS_H
#define EXPLORER_OPTIONS_H

#include "ckpt/backends/checkpoint.h"
#include "models/mpi/model.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CLASSES_MOST = 32, PROGRAMS_MOST = 64, VARIABLES_MOST = 64, OWNED_MOST = 16 };

/* One of the programs that run together. */
struct program {
    unsigned ranks;
    char **words; /* program and its arguments, NULL-terminated; part of options->program */
};

struct options {
    unsigned ranks;
    bool ranks_chosen; /* not the default */
    const char *slip;  /* the first of the program's words that is nearly an option of ours; NULL: none is */
    const char *meant; /* that option */
    const char *taken; /* an option of ours with one dash that stands where the program's own might; NULL: none does */
    const char *taken_as;
    unsigned jobs; /* executors */
    enum buffering buffering;
    const struct backend *checkpoint;
    bool checkpoint_chosen; /* not the default */
    bool takes_turns;       /* ranks use files in turns (models/mpi/preload/files/file_turns.h): no option, it turns out */
    const char *spill_dir;  /* NULL: pages stay in memory */
    int tracker;            /* enum tracker_choice */
    double seconds;         /* --time; 0: none */
    double step_seconds;
    uint64_t memory_bytes; /* --memory; 0: most of the machine's */
    uint64_t states;       /* --states; 0: none */
    enum proof_wanted { PROOF_AUTO, PROOF_DECOMPOSITION, PROOF_STATE_GRAPH, PROOF_ORDERINGS, PROOF_REVERSAL } proof;
    enum symmetry_wanted { SYMMETRY_AUTO, SYMMETRY_ALWAYS, SYMMETRY_NEVER } symmetry;
    const char *strategy;  /* --strategy: names separated by commas, or "portfolio"; NULL: the search */
    uint64_t seed;         /* of strategies that draw lots */
    uint64_t orderings;    /* with --strategy: how many at most; 0: none given */
    bool advice;           /* --advice: look for calls that order nothing */
    const char *reference; /* --reference: a recorded ordering, or NULL */
    bool keep_going, verbose, quiet, help, version, no_reduction, count_orderings, rerun;
    bool race_on_state;               /* the memory in which ranks end is part of the outcome */
    bool list_states;                 /* print a table of local states */
    uint32_t explain[2];              /* numbers of two local states to compare; 0: none */
    const char *json, *junit, *sarif; /* paths, or NULL */
    const char *input;                /* --stdin: a path, "-" for our own; NULL: our own if it is a regular file */
    const char *keep_files;           /* folder for the files of the reference ordering, or NULL */
    const char *poeg;                 /* a path for the partial order of one run, or NULL */
    const char *access;               /* a path of what messages have to do with ranks' states, or NULL */
    const char *keep_images;          /* folder for the images of local states, or NULL */
    const char *restore;              /* `explore restore FOLDER`, or NULL */
    const char *save, *resume;        /* folder of the exploration to be saved, or gone on with; or NULL */
    struct saved *resumed;            /* that one, opened by whoever parsed the command line */
    char *const *command;             /* the command line without argv[0] and --save */
    int command_words;
    const char *output_dir; /* where witnesses go */
    const char *allow[CLASSES_MOST], *deny[CLASSES_MOST];
    unsigned allows, denies;
    bool replay;         /* `explore replay FILE [PROGRAM …]` */
    const char *witness; /* its FILE */
    bool under_mpiexec;  /* a replay under real MPI; `prefix`: words before the program there, NULL-terminated, or NULL */
    char **prefix;
    bool step;                              /* stop before each decision and ask */
    uint32_t until, gdb;                    /* stop after, or a debugger before, this decision; 0: none */
    const char *export_to;                  /* a path or "-": write the ordering as text; NULL: do not */
    bool record;                            /* `explore record PROGRAM …` */
    const char *output;                     /* its file; NULL: numbered, in output_dir */
    bool hold;                              /* leave ranks that are blocked there for a debugger */
    char **program;                         /* program and its arguments, NULL-terminated; first word NULL: none given */
    struct program programs[PROGRAMS_MOST]; /* all of them: `explore -n 2 ./a : -n 3 ./b`; `ranks` is their sum */
    unsigned program_count;
    size_t words;                   /* of all programs so far, while parsing */
    const char *directory;          /* where mpiexec would run the program; NULL: here */
    char *variable[VARIABLES_MOST]; /* environment variables "KEY=VALUE" that mpiexec would set */
    unsigned variables;
    char *owned[OWNED_MOST]; /* strings to be freed */
    unsigned owns;
};

/* Parses the command line. False: `sentence` (room bytes) says what is wrong. Strings point into argv. To be freed with
 * options_free in either case. */
bool options_parse(struct options *options, int argc, char **argv, char *sentence, size_t room);
/* The same for a command line that only has options (`explore --resume DIR --time 1h`), which go over those of an earlier one. */
bool options_parse_again(struct options *options, int argc, char **argv, char *const *earlier, int earlier_words,
                         char *sentence, size_t room);
/* Could local states be kept so, with the other options that are given? */
bool options_may_keep(const struct options *options, const struct backend *checkpoint);
void options_help(void);
/* How explore is called, in a few lines. */
void options_usage(FILE *out);

void options_free(struct options *options);
/* A number of ranks. */
bool options_read_ranks(const char *text, unsigned *ranks);
/* For parsing: adds a word of the program at hand; ends it, so that the next word begins another one, of options->ranks ranks. */
void options_add_word(struct options *options, char *word);
void options_end_program(struct options *options);

/* Does --proof ask for orderings of all classes (explorer/orderings/inequivalent.h)? */
bool options_orders_all(const struct options *options);
/* Does a finding of this class fail the run? */
bool options_fails(const struct options *options, const char *class_name);
const char *buffering_name(enum buffering buffering);

#endif
