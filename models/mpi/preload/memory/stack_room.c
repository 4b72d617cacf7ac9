#include "models/mpi/preload/memory/stack_room.h"

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/process/control.h"

#include <unwind.h>

/* A walk up the stack, whose frames lie one above the other:
 *
 *     `low` of one frame | its variables | saved registers | where it returns to | `low` of the next */
struct walk {
    uintptr_t address;
    uintptr_t low; /* of the frame visited last */
    uintptr_t end; /* where it is said what the address's function returns to; 0: not found */
};

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *frame, void *context) {
    struct walk *walk = context;
    const uintptr_t before = walk->low, low = _Unwind_GetCFA(frame);
    walk->low = low;
    if (low < before || low > control->image.stack_high || walk->address < before)
        return _URC_END_OF_STACK; /* another stack */
    if (before == 0 || walk->address >= low)
        return _URC_NO_REASON;
    walk->end = low - sizeof(void *);
    return _URC_END_OF_STACK;
}

static bool is_on_stack(uintptr_t address) {
    return address >= control->image.stack_low && address < control->image.stack_high;
}

static uintptr_t frame_end(uintptr_t address) {
    struct walk walk = {.address = address};
    if (is_on_stack(address))
        _Unwind_Backtrace(visit_frame, &walk);
    return walk.end;
}

size_t stack_room(const void *address) {
    const uintptr_t at = (uintptr_t)address, end = frame_end(at);
    if (end == 0)
        return SIZE_MAX;
    return at < end ? end - at : 0;
}

struct stack_frame stack_frame_of(const void *address) {
    const uintptr_t *place = (const uintptr_t *)frame_end((uintptr_t)address);
    return (struct stack_frame){place, place != NULL ? *place : 0};
}

uintptr_t stack_left_to(void) { return is_on_stack(caller_stack) ? caller_stack : control->image.stack_low; }

bool stack_frame_is_left(const struct stack_frame *frame) {
    return frame->place != NULL && (*frame->place != frame->returns_to || (uintptr_t)frame->place < stack_left_to());
}

struct stack_frame stack_frame_at(const void *address) {
    const uintptr_t *place = (const uintptr_t *)address + 1;
    return (struct stack_frame){place, *place};
}

struct search {
    const struct stack_frame *frame;
    uintptr_t end; /* where the frame visited last returns to */
};

static _Unwind_Reason_Code look_for_frame(struct _Unwind_Context *at, void *context) {
    struct search *search = context;
    search->end = _Unwind_GetCFA(at) - sizeof(void *);
    return search->end < (uintptr_t)search->frame->place ? _URC_NO_REASON : _URC_END_OF_STACK;
}

bool stack_frame_is_gone(const struct stack_frame *frame) {
    struct search search = {.frame = frame};
    _Unwind_Backtrace(look_for_frame, &search);
    return search.end > (uintptr_t)frame->place || *frame->place != frame->returns_to;
}
