/* Whether steps lead back to a local state. */
#ifndef EXPLORER_STEP_CYCLES_H
#define EXPLORER_STEP_CYCLES_H

#include "explorer/steps/step_table.h"

bool steps_have_cycle(const struct step_table *table);

#endif
