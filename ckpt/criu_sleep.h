/* How a process that shares memory with its explorer lets itself be dumped, and what it does when it or a copy of it is woken.
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

#include <stddef.h>
#include <sys/socket.h>

/* Room for one descriptor beside a message. */
union criu_ancillary {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

/* By raw system calls only, on a stack outside the region. Returns in each copy that is woken, with the bytes of the message
 * received (at most `size` are stored), or with a negative errno value: then the explorer is gone, most likely. */
long criu_sleep(int socket, void *region, size_t region_bytes, void *message, size_t size);

#endif
