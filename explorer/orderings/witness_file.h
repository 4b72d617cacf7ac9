/* Witness files: one found ordering, to be replayed; and ordering files: one that was recorded under real MPI. JSON, described by
 * explorer/orderings/witness.schema.json. */
#ifndef EXPLORER_WITNESS_FILE_H
#define EXPLORER_WITNESS_FILE_H

#include "explorer/command_line/options.h"
#include "explorer/debug_information/sites.h"
#include "explorer/search/search.h"
#include "models/mpi/enforce/choices.h"

struct witness_file {
    unsigned ranks;
    enum buffering buffering;
    char **program; /* words of all programs, each followed by NULL */
    struct program programs[PROGRAMS_MOST];
    unsigned program_count;
    size_t words;
    char class_name[24]; /* "": an ordering without a finding */
    char *message;
    int agents;                      /* enum agents */
    char *places;                    /* of shared windows (places.h) */
    struct ordering ordering, other; /* only the transitions, and what differs, are filled in; other: races */
    bool race;
    struct choices *choices;      /* recorded: what each rank chose, and `ordering` is empty; NULL: a witness */
    bool threads;                 /* found with a backend that keeps threads: the program may have some */
    struct expectations expected; /* on which it depends what is a decision */
    char *
        directory; /* where the program was run, and the variables that were set for it; NULL, 0: by mpiexec's command line only */
    char *variable[VARIABLES_MOST];
    unsigned variables;
    uint64_t build; /* hash of the executables; 0: not known */
};

/* Writes <program>.<class>-<k>.json in options->output_dir, the smallest k whose file is not there. `path` has the paths of
 * all programs' executables. Returns the path of the witness, malloc'd, or NULL: errno. */
char *witness_write(const struct options *options, char *const *path, const struct finding *finding, struct sites *sites);
/* Writes what each rank chose in options->output, or if that is NULL in <program>.ordering-<k>.json in options->output_dir. As
 * above. */
char *ordering_write(const struct options *options, char *const *path, const struct choices *choices);
/* False: `sentence` says what is wrong with the file. On success free with witness_free. */
bool witness_read(const char *path, struct witness_file *witness, char *sentence, size_t room);
/* False if the executables at these paths are others than the witness was found with. */
bool witness_is_of(const struct witness_file *witness, char *const *path);
void witness_free(struct witness_file *witness);

#endif
