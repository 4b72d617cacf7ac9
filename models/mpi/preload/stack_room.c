#include "models/mpi/preload/stack_room.h"

#include "models/mpi/preload/caller.h"
#include "models/mpi/preload/control.h"

#include <unwind.h>

/* A walk up the stack, whose frames lie one above the other:
 *
 *     `low` of one frame | its variables | saved registers | where it returns to | `low` of the next */
struct walk {
    uintptr_t address;
    uintptr_t low;   /* of the frame visited last */
    uintptr_t below; /* `low` of the one before the address's */
    uintptr_t end;   /* where it is said what the address's function returns to; 0: not found */
};

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *frame, void *context) {
    struct walk *walk = context;
    const uintptr_t before = walk->low, low = _Unwind_GetCFA(frame);
    walk->low = low;
    if (low < before || low > control->image.stack_high || walk->address < before)
        return _URC_END_OF_STACK; /* another stack */
    if (before == 0 || walk->address >= low)
        return _URC_NO_REASON;
    walk->below = before;
    walk->end = low - sizeof(void *);
    return _URC_END_OF_STACK;
}

static bool is_on_stack(uintptr_t address) {
    return address >= control->image.stack_low && address < control->image.stack_high;
}

static uintptr_t at(uintptr_t address) { return *(const uintptr_t *)address; }

/* The frame that the present MPI function was called from begins where that function's ends, of which the first words are the saved
 * frame pointer and where it returns to. */
static uintptr_t callers_pointer(void) { return at(caller_stack); }
static uintptr_t callers_low(void) { return caller_stack + 2 * sizeof(uintptr_t); }
static uintptr_t callers_place(void) { return at(caller_stack + sizeof(uintptr_t)); }

/* A walk takes some microseconds, and most buffers are in the frame that calls MPI, from the same place again and again. */
static struct known_frame *known_frame(void) {
    return &control->known_frame[(callers_place() ^ caller_stack >> 4) % KNOWN_FRAMES];
}

/* A frame whose size is not the same in each call has a frame pointer. Where it ended in one may in another be in an array that nobody
 * has written yet, and still say what it returned to. */
static bool is_known(const struct known_frame *known, uintptr_t address) {
    return known->low == callers_low() && known->called_at == callers_place() &&
           (known->pointer == 0 || known->pointer == callers_pointer()) && address >= known->low && address < known->end &&
           at(known->end) == known->returns_to;
}

static void note_frame(struct known_frame *known, const struct walk *walk) {
    const uintptr_t pointer = callers_pointer();
    if (walk->end == 0 || walk->below != callers_low())
        return;
    *known = (struct known_frame){.called_at = callers_place(),
                                  .low = walk->below,
                                  .end = walk->end,
                                  .returns_to = at(walk->end),
                                  .pointer = pointer >= walk->below && pointer < walk->end ? pointer : 0};
}

static uintptr_t frame_end(uintptr_t address) {
    struct walk walk = {.address = address};
    if (!is_on_stack(address))
        return 0;
    struct known_frame *known = is_on_stack(caller_stack) ? known_frame() : NULL;
    if (known != NULL && is_known(known, address))
        return known->end;
    _Unwind_Backtrace(visit_frame, &walk);
    if (known != NULL)
        note_frame(known, &walk);
    return walk.end;
}

size_t stack_room(const void *address) {
    const uintptr_t from = (uintptr_t)address, end = frame_end(from);
    if (end == 0)
        return SIZE_MAX;
    return from < end ? end - from : 0;
}

struct stack_frame stack_frame_of(const void *address) {
    const uintptr_t *place = (const uintptr_t *)frame_end((uintptr_t)address);
    return (struct stack_frame){place, place != NULL ? *place : 0};
}

bool stack_frame_is_left(const struct stack_frame *frame) {
    if (frame->place == NULL)
        return false;
    return *frame->place != frame->returns_to || (is_on_stack(caller_stack) && (uintptr_t)frame->place < caller_stack);
}
