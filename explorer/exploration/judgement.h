/* What came of an exploration: the verdict, why it is no better, and what the findings are about. */
#ifndef EXPLORER_JUDGEMENT_H
#define EXPLORER_JUDGEMENT_H

#include "explorer/exploration/exploration.h"

/* How many orderings a whole graph stands for, and how many of them fail. */
void judgement_count_orderings(struct exploration *exploration, struct report *report);

/* The findings, the verdict with its sentence, and the note, of a search that ended so. Its statistics are in the report. */
void judgement_make(struct exploration *exploration, struct report *report, enum search_end end);

#endif
