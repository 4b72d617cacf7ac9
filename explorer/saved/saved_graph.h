/* How far the graph is, in an exploration directory: one file, `graph`, that is replaced as a whole every few seconds, the longer
 * it takes the more seldom. It is of use only with the steps that were saved before it; without it the graph is made again from its
 * root. A file that is torn or damaged, which its checksum tells, counts as none. */
#ifndef EXPLORER_SAVED_GRAPH_H
#define EXPLORER_SAVED_GRAPH_H

#include "explorer/processes/programs.h"
#include "explorer/search/search.h"

/* Environment variable: seconds between two writings at least; 1 if it is not there. */
#define GRAPH_SECONDS_VARIABLE "EXPLORE_GRAPH_SECONDS"

struct saved_graph {
    struct saved *saved;
    struct programs *programs;
    struct mpi_model *model;
    double written, took; /* seconds: when it was last, and how long */
};

/* Writes it if it is time. */
void saved_graph_write_now_and_then(struct saved_graph *graph, const struct search *search, int agents_kind);

/* A file to be read, at the place where model and search are. NULL: there is none of use. *agents_kind: which agents the search
 * has. */
FILE *saved_graph_open(const struct saved_graph *graph, int *agents_kind);
/* Reads it, which closes it. The agents must be there. False: it is not of this exploration; neither model nor search is of use any
 * more. */
bool saved_graph_read(const struct saved_graph *graph, FILE *file, struct search *search);

#endif
