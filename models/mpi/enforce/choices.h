/* What one rank chose, or was given, where MPI leaves it open, in the order of its own calls: the language in which an ordering
 * goes from the explorer to a run under the user's own MPI, and back. One choice is one line,
 *
 *     CLASS FUNCTION [NUMBERS] [WORD]
 *
 *     receive MPI_Irecv 2              the receive posted there gets its message from rank 2 of MPI_COMM_WORLD
 *     receive MPI_Irecv none           it never gets one; "cancelled": MPI_Cancel withdraws it
 *     send MPI_Send 1 buffered         this send to rank 1 completes before it is matched; "synchronous": only then;
 *                                      "cancelled": withdrawn; no word: either
 *     probe MPI_Iprobe 2               a message from rank 2 is found; "none": not yet
 *     complete MPI_Waitsome 0,2        requests 0 and 2 are reported, counted in the array of the call with null requests,
 *                                      inactive ones and those that need no waiting left out; "all", "none": not yet
 *     collective MPI_Bcast early       this collective is left before all have entered; "synchronous": only then; no word: either
 *
 * "pending" says that the call had not returned when the ordering ended. Requests to MPI_PROC_NULL do not count. Written by the
 * explorer and by the library of this folder, read by both. */
#ifndef MODELS_MPI_ENFORCE_CHOICES_H
#define MODELS_MPI_ENFORCE_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum choice_class { CHOICE_RECEIVE, CHOICE_SEND, CHOICE_PROBE, CHOICE_COMPLETE, CHOICE_COLLECTIVE, CHOICE_CLASSES };

enum choice_word {
    WORD_NOTHING,
    WORD_NONE,
    WORD_CANCELLED,
    WORD_BUFFERED,
    WORD_SYNCHRONOUS,
    WORD_ALL,
    WORD_PENDING,
    WORD_EARLY,
    WORDS
};

struct choice_made {
    uint8_t kind;      /* enum choice_class */
    uint8_t word;      /* enum choice_word */
    uint16_t function; /* enum mpi_function */
    uint32_t numbers;
    int32_t *number; /* ascending; owned */
};

/* Those of one rank. */
struct choices {
    struct choice_made *choice;
    size_t count, room;
};

/* How far each class has been read. */
struct choice_cursor {
    size_t at[CHOICE_CLASSES];
};

/* Takes over choice->number. Running out of memory ends the process, here and below. */
void choices_add(struct choices *choices, const struct choice_made *choice);
void choices_free(struct choices *choices);
/* The next choice of a class; NULL if there is none. */
const struct choice_made *choices_next(const struct choices *choices, struct choice_cursor *cursor, enum choice_class kind);
/* Choice number k of a class, from 0: what the rank chose the k-th time. NULL if it never came to that. */
const struct choice_made *choices_get(const struct choices *choices, enum choice_class kind, size_t k);

void choice_set_numbers(struct choice_made *choice, const int32_t *number, uint32_t numbers);
/* Without the end of the line. */
void choice_write(FILE *out, const struct choice_made *choice);
/* Adds the choice that the line says; false: it says none. */
bool choice_read(struct choices *choices, const char *line);

/* Is it one of the functions that send and receive? The messages by which others do their work are no choices. */
bool choice_is_message(uint16_t function);
/* Is it one of the blocking collectives that can be held until all have entered? Others are no choices. */
bool choice_is_collective(uint16_t function);

#endif
