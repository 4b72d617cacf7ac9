/* The proof by parts as one phase of an exploration. */
#ifndef EXPLORER_PROOF_H
#define EXPLORER_PROOF_H

#include "explorer/search/parts_of_program.h"

#include <stdbool.h>

struct exploration;

/* What the program uses that no rank can be looked at alone with; NULL: nothing. */
const char *proof_ruled_out(const struct exploration *exploration);
/* Is it worth a try: is it wanted, and not ruled out? */
bool proof_is_possible(const struct exploration *exploration);
/* Tries, within the budgets. */
bool proof_by_parts(struct exploration *exploration, struct parts_proof *proof);

/* Tries whether what is loose orders no messages. */
bool proof_without(struct exploration *exploration, struct apart_loose loose);

/* For --poeg: how many orders of messages there are, in what is left of the budgets. */
void proof_count_orders(struct exploration *exploration, struct counted_orders *counted);

#endif
