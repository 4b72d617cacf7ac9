/* The fewest differences with which a goal is reached, by brute force: every ordering with at most so many is walked, each from
 * the start, without merging states, without reduction, in no special order. */
#ifndef TESTS_MINIMAL_FEWEST_H
#define TESTS_MINIMAL_FEWEST_H

#include "explorer/orderings/minimal.h"

enum fewest { FEWEST_REACHED, FEWEST_NOT_REACHED, FEWEST_TOO_MANY };

/* Is the goal reached by an ordering with at most `differences`? What is a difference is as the seeker's model assumes things
 * now. */
enum fewest fewest_reach(const struct seeker *seeker, const struct search_goal *goal, size_t differences);

#endif
