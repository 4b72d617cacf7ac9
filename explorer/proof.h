/* The proof by parts as one phase of an exploration. */
#ifndef EXPLORER_PROOF_H
#define EXPLORER_PROOF_H

#include "explorer/parts_of_program.h"

#include <stdbool.h>

struct exploration;

/* Is it worth a try: is it wanted, and does the program use nothing that rules it out? */
bool proof_is_possible(const struct exploration *exploration);
/* Tries, within the budgets. */
bool proof_by_parts(struct exploration *exploration, struct parts_proof *proof);

/* Calls of MPI_Barrier, MPI_Ssend and MPI_Issend that order no messages: if those of one place held nobody up, messages would be
 * received just as they can be now (Schaeli 2009, section 5.5.4). Of a program that is race-free, as far as it can be looked at by
 * parts. Returns how many places; `call`: malloc'd. */
size_t proof_useless_calls(struct exploration *exploration, struct apart_call **call);

/* For --poeg: how many orders of messages there are, in what is left of the budgets. */
void proof_count_orders(struct exploration *exploration, struct counted_orders *counted);

#endif
