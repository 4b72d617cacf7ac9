/* How a process lets itself be dumped while it shares memory with its explorer, and what it does when a copy of it is woken.
 *
 *     process                               explorer
 *     unmaps the region
 *     -- one byte: asleep ----------------> criu_asleep
 *                                           criu_dump, any number of times; criu_restore, any number of times
 *                                           criu_wake, on the other end of the socket that this copy inherited
 *     <- a message and the region's file --
 *     maps the region where it was
 *
 * The socket is one of a SOCK_SEQPACKET pair of AF_UNIX; the file comes as SCM_RIGHTS, so that it has no number to agree on. */
#ifndef CKPT_CRIU_SLEEP_H
#define CKPT_CRIU_SLEEP_H

#include <stdbool.h>
#include <stddef.h>

/* In the process, by raw system calls only, on a stack outside the region. Returns in each copy that is woken, with the bytes of
 * the message received (at most `size` are stored), or with a negative errno value: then the explorer is gone, most likely. */
long criu_sleep(int socket, void *region, size_t region_bytes, void *message, size_t size);

/* In the explorer. Waits until the process sleeps; false if it has ended. */
bool criu_asleep(int socket);
/* False if nobody is there to be woken. */
bool criu_wake(int socket, int region_file, const void *message, size_t size);

#endif
