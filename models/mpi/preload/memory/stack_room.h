/* What the stack of the function tells that a local variable belongs to. */
#ifndef MODELS_MPI_PRELOAD_STACK_ROOM_H
#define MODELS_MPI_PRELOAD_STACK_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes from the address to where the frame that it is in ends, with the address that its function returns to: no variable goes on
 * there. SIZE_MAX if the address is not on the stack, or nothing tells where frames end: they are found as exceptions find them. */
size_t stack_room(const void *address);

/* Below it no function of the program's has variables any more: the program's stack when it called MPI, or the stack's low end
 * if it runs on another one. */
uintptr_t stack_left_to(void);

/* A frame, known by the address that its function returns to: that stays where it is as long as the frame does, and mostly what
 * comes to lie in its place is something else, even if the next function is called from the same one. */
struct stack_frame {
    const uintptr_t *place; /* NULL: none */
    uintptr_t returns_to;
};

/* The frame that the address is in; none where stack_room says SIZE_MAX. */
struct stack_frame stack_frame_of(const void *address);
/* Has its function returned? Not of no frame. */
bool stack_frame_is_left(const struct stack_frame *frame);

/* The frame of a function, by its __builtin_frame_address(0). */
struct stack_frame stack_frame_at(const void *address);
/* Has its function been left, be it by longjmp or an exception? Walks the stack, so that nothing left behind there is taken for the
 * frame, as far as anything tells where frames end. */
bool stack_frame_is_gone(const struct stack_frame *frame);

#endif
