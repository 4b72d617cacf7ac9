/* One run of the criu command: its arguments, the descriptors that it gets, and why it failed. Prepared before a fork, so that the
 * child needs system calls only. */
#ifndef CKPT_CRIU_COMMAND_H
#define CKPT_CRIU_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

enum { COMMAND_ARGUMENTS = 48, COMMAND_PASSED = 9, COMMAND_FIRST_PASSED = 100 };

struct criu_command {
    char *argument[COMMAND_ARGUMENTS + 1]; /* malloc'd, NULL-terminated */
    size_t arguments;
    int passed[COMMAND_PASSED]; /* descriptors of the caller; criu has them as COMMAND_FIRST_PASSED + i */
    size_t passed_count;
    int log; /* a file that all its output goes to */
};

/* False if the log cannot be made. */
bool command_begin(struct criu_command *command, const char *program);
void command_end(struct criu_command *command);
/* At most COMMAND_ARGUMENTS. */
void command_add(struct criu_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Passes a descriptor on; returns the number that criu knows it by. At most COMMAND_PASSED. */
int command_pass(struct criu_command *command, int descriptor);

/* In a forked child: becomes criu. */
_Noreturn void command_execute(const struct criu_command *command);
/* In a forked child that cannot even get that far: says why in the log, as criu would. */
void command_note(const struct criu_command *command, const char *what);

/* The first error in the log, without its time and place: the others follow from it. A malloc'd sentence "WHAT: …". */
char *command_explain(const struct criu_command *command, const char *what);

#endif
