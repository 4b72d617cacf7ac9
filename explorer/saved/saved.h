/* An exploration directory (--save, --resume): all that it took processes to find out, so that a later explorer need not run them
 * again. It holds
 *
 *     stream 0   the command line, facts that must not change, each program's memory layout, and the roots
 *     stream 1   the steps, in the order in which they were finished (saved_steps.h)
 *     stream 2…  the blocks of memory of one program each (saved_memory.h)
 *
 * of a journal, and beside that the graph as far as it is (saved_graph.h), which can be made of the steps again. Numbers (of
 * blocks, local states, payloads, call sites, communicators) are not translated: what gave them out is done again in the same
 * order.
 *
 * Memory of two processes is never the same to the last byte (the stack protector's secret, random seeds of libraries), so a
 * saved exploration goes on from the memory that was saved, in which every local state has its origin, and takes nothing of the
 * new process but that. */
#ifndef EXPLORER_SAVED_H
#define EXPLORER_SAVED_H

#include "ckpt/memory_layout.h"
#include "explorer/saved/journal.h"

enum saved_stream { SAVED_STORY, SAVED_STEPS, SAVED_BLOCKS };

struct saved;

/* Makes an exploration directory. `words`: the command line, argv[0] left out. NULL and a malloc'd sentence if that cannot be. */
struct saved *saved_create(const char *folder, char *const *words, int count, char **error);
/* Opens one and reads the stream 0. */
struct saved *saved_open(const char *folder, char **error);
void saved_close(struct saved *saved);

struct journal *saved_journal(struct saved *saved);
const char *saved_folder(const struct saved *saved);
/* It was opened: there is something to go on from. */
bool saved_is_resumed(const struct saved *saved);
/* The command line that it was made with; NULL-terminated, valid as long as `saved`. */
char *const *saved_words(const struct saved *saved, int *count);

/* --- facts: what must be as it was ------------------------------------------------------------------------------------ */

enum fact_kind {
    FACT_FIXED,    /* compared: the kernel, an option, the content of the executable */
    FACT_VARIABLE, /* of the environment */
    FACT_FILE,     /* a name in the file system that a rank looked at, and what is there: label: the path */
    FACT_LISTING,  /* a directory that a rank has listed */
};

struct saved_fact {
    enum fact_kind kind;
    char *label, *value;
    bool met;
};

/* Notes a fact of a new exploration; of one that is resumed compares it. False: it is not as it was; *error is a malloc'd sentence.
 * A value that begins with '#' is a hash, and not shown. */
bool saved_fact(struct saved *saved, enum fact_kind kind, const char *label, const char *value, char **error);
bool saved_knows(const struct saved *saved, enum fact_kind kind, const char *label);
/* Notes a fact that is not known yet. */
void saved_note(struct saved *saved, enum fact_kind kind, const char *label, const char *value);
/* False: one of the kind was not met since: something has gone. */
bool saved_all_met(struct saved *saved, enum fact_kind kind, char **error);
/* The facts known, to be looked through. */
struct saved_fact *saved_facts(struct saved *saved, size_t *count);

/* --- programs and roots ----------------------------------------------------------------------------------------------- */

struct saved_program {
    uint64_t arena_bytes; /* most memory that a rank may allocate: it is part of the layout */
    struct memory_layout layout;
};

/* NULL: not known. */
const struct saved_program *saved_program(const struct saved *saved, unsigned number);
void saved_add_program(struct saved *saved, unsigned number, const struct saved_program *program);

/* The local state of a rank at MPI_Init. */
struct saved_root {
    uint32_t program, variant, rank; /* variant: as in struct channel */
    uint32_t image, log;             /* trees of blocks */
    uint32_t size[2];
    uint32_t zero;
    char *text[2]; /* what the program had written to stdout and stderr */
};

/* NULL: not known. */
const struct saved_root *saved_root(const struct saved *saved, unsigned program, unsigned variant, unsigned rank);
/* How many roots were read. */
size_t saved_roots(const struct saved *saved);
/* Also puts a mark into the steps: roots and steps give out the numbers of local states. `text` is copied. */
void saved_add_root(struct saved *saved, const struct saved_root *root);

/* Begins a record of SAVED_STEPS. */
enum saved_step_kind { SAVED_ROOT_MARK = 1, SAVED_STEP };

#endif
