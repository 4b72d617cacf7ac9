/* The explorer's side of a mailbox (ckpt/channel.h). */
#ifndef CKPT_BACKENDS_DIALOGUE_H
#define CKPT_BACKENDS_DIALOGUE_H

#include "ckpt/channel.h"

#include <stdbool.h>

/* Waits until the other side has done command `number`, or that step of a batch, at most `milliseconds`. True if it has. Looks for
 * that long without sleeping first: going to sleep and waking up cost as much as a short step, but a core is busy meanwhile. */
enum { SPIN_SHORT = 20000, SPIN_LONG = 400000 }; /* cycles: some 7 and 130 us */
bool channel_wait(struct mailbox *mailbox, uint32_t number, int milliseconds, uint64_t spin_cycles);
/* Gives the command in `mailbox` (verb and arguments already filled in); returns its number. */
uint32_t channel_command(struct mailbox *mailbox);
/* The same for a batch of `count` steps; returns the number of the last one. */
uint32_t channel_commands(struct mailbox *mailbox, uint32_t count);
bool channel_has_reached(const struct mailbox *mailbox, uint32_t number);
/* Rings at a parking place. */
void channel_ring(struct parking *parking);

#endif
