/* The local variables and parameters in scope where a frame stands, and where they are. */
#ifndef EXPLORER_FRAME_VARIABLES_H
#define EXPLORER_FRAME_VARIABLES_H

#include "explorer/debug_information/debug_types.h"
#include "explorer/debug_information/source_names.h"
#include "explorer/debug_information/stack_walk.h"

struct frame_variable {
    Dwarf_Die die;
    Dwarf_Die type;
    uint64_t size;
    char function[SOURCE_NAME_ROOM]; /* the function, an inlined one too, that it is declared in */
    bool in_memory;                  /* at `place`; otherwise `place` is its value, of at most 8 bytes */
    uint64_t place;
};

/* Calls visit for each variable that has a place there. `read` reads the memory that the frame is in. */
void frame_variables(struct modules *modules, const struct stack_frame *frame, walk_read read, void *context,
                     void (*visit)(void *visitor, const struct frame_variable *variable), void *visitor);

/* Which function a frame is in, and the source line. */
struct frame_function {
    uint64_t start;              /* its first instruction; 0 if not known */
    char name[SOURCE_NAME_ROOM]; /* never empty: "0x…" if nothing is known */
    char line[128];              /* "app.c:12", or the module's name */
};
struct frame_function frame_function(struct modules *modules, const struct stack_frame *frame);

#endif
