/* How much of the stack a function has from one of its local variables on. */
#ifndef MODELS_MPI_PRELOAD_STACK_ROOM_H
#define MODELS_MPI_PRELOAD_STACK_ROOM_H

#include <stddef.h>

/* Bytes from the address to where the frame that it is in ends, with the address that its function returns to: no variable goes on
 * there. SIZE_MAX if the address is not on the stack, or nothing tells where frames end: they are found as exceptions find them. */
size_t stack_room(const void *address);

#endif
