/* Replays that stop on the way: `--step`, `--until N`, `--gdb N`. */
#ifndef EXPLORER_REPLAY_WALK_H
#define EXPLORER_REPLAY_WALK_H

#include "explorer/orderings/ending.h"
#include "explorer/orderings/witness_file.h"

/* Walks the ordering (of a race the first one), printing its decisions, and stops where it is asked to. The exit code: 0 if it was
 * stopped there, 2 if it was interrupted, 3 if it cannot be run. Stepwise to the very end it is -1: the replay goes on as any other
 * to say what the ordering leads to. */
int replay_walk(struct exploration *exploration, const struct witness_file *witness);

#endif
