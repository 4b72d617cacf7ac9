/* A set of behaviours of a program, each one line of text, sorted:
 *     completed 0:[3 17] 1:[]        what each rank printed
 *     deadlock 0@4 2@1               the blocked ranks and where each is (index of the instruction)
 *     crash 1                        the rank
 *     livelock                       a cycle that cannot be left
 *     collective-mismatch, unreceived-message, request-leak
 */
#ifndef TESTS_ORACLE_BEHAVIOURS_H
#define TESTS_ORACLE_BEHAVIOURS_H

#include "tests/oracle/program.h"

struct behaviours {
    size_t count, room;
    char **line;
};

/* Adds a line unless it is there. */
void behaviours_add(struct behaviours *set, const char *line);
void behaviours_add_completed(struct behaviours *set, const struct process *const *process, unsigned ranks);
/* `blocked[i]`: the instruction at which rank i is blocked, or -1. */
void behaviours_add_deadlock(struct behaviours *set, const int *blocked, unsigned ranks);

/* How many lines begin with `class_name`. */
size_t behaviours_of(const struct behaviours *set, const char *class_name);
bool behaviours_has(const struct behaviours *set, const char *line);
/* Are the lines that begin with `class_name` the same in both? */
bool behaviours_agree(const struct behaviours *a, const struct behaviours *b, const char *class_name);
bool behaviours_contain(const struct behaviours *all, const struct behaviours *part, const char *class_name);
void behaviours_print(const struct behaviours *set, FILE *out);
void behaviours_clear(struct behaviours *set);

#endif
