/* The files that ranks have looked at, as facts of an exploration directory: a step that was saved is only what a rank would do
 * again as long as what it has read is the same. What the kernel makes up (/proc, /sys, /dev) is left out. */
#ifndef EXPLORER_SAVED_INPUTS_H
#define EXPLORER_SAVED_INPUTS_H

#include "explorer/saved/saved.h"
#include "explorer/steps/file_uses.h"

/* Notes those that are not noted yet. */
void saved_inputs_note(struct saved *saved, const struct file_uses *uses);
/* False: one of them is not as it was; *error is a malloc'd sentence. */
bool saved_inputs_check(struct saved *saved, char **error);

#endif
