#include "models/mpi/preload/stack_room.h"

#include "models/mpi/preload/control.h"

#include <unwind.h>

/* A walk up the stack, whose frames lie one above the other:
 *
 *     `low` of one frame | its variables | saved registers | where it returns to | `low` of the next */
struct walk {
    uintptr_t address;
    uintptr_t low; /* of the frame visited last */
    size_t room;
};

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *frame, void *context) {
    struct walk *walk = context;
    const uintptr_t before = walk->low, low = _Unwind_GetCFA(frame);
    walk->low = low;
    if (low < before || low > control->image.stack_high || walk->address < before)
        return _URC_END_OF_STACK; /* another stack */
    if (before == 0 || walk->address >= low)
        return _URC_NO_REASON;
    const uintptr_t end = low - sizeof(void *);
    walk->room = walk->address < end ? end - walk->address : 0;
    return _URC_END_OF_STACK;
}

size_t stack_room(const void *address) {
    struct walk walk = {.address = (uintptr_t)address, .room = SIZE_MAX};
    if (walk.address >= control->image.stack_low && walk.address < control->image.stack_high)
        _Unwind_Backtrace(visit_frame, &walk);
    return walk.room;
}
