#include "explorer/debug_information/stack_walk.h"

/* libdwfl asks for the state of a process; there is one thread, which stands where we say. */
struct walk {
    const uint64_t *value;
    uint32_t known;
    walk_read read;
    void *context;
    struct stack_frame *frame;
    size_t count, room;
    bool first_exact;
};

enum { THREAD = 1 };

/* A Dwfl can be attached to one state only: `context` is the place where the walk of the moment is to be found. */
static pid_t next_thread(Dwfl *dwfl, void *context, void **thread) {
    (void)dwfl;
    if (*thread)
        return 0;
    *thread = *(struct walk **)context;
    return THREAD;
}

static bool get_thread(Dwfl *dwfl, pid_t number, void *context, void **thread) {
    (void)dwfl;
    *thread = *(struct walk **)context;
    return number == THREAD;
}

static bool read_word(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *context) {
    (void)dwfl;
    struct walk *walk = *(struct walk **)context;
    return walk->read(walk->context, address, word);
}

static bool set_registers(Dwfl_Thread *thread, void *context) {
    const struct walk *walk = context;
    for (int i = 0; i < WALK_REGISTERS; i++) {
        Dwarf_Word word = walk->value[i];
        if ((walk->known >> i & 1) && !dwfl_thread_state_registers(thread, i, 1, &word))
            return false;
    }
    dwfl_thread_state_register_pc(thread, walk->value[REGISTER_RIP]);
    return true;
}

static const Dwfl_Thread_Callbacks callbacks = {
    .next_thread = next_thread,
    .get_thread = get_thread,
    .memory_read = read_word,
    .set_initial_registers = set_registers,
};

static int add_frame(Dwfl_Frame *found, void *context) {
    struct walk *walk = context;
    struct stack_frame *frame = &walk->frame[walk->count];
    Dwarf_Addr pc;
    bool exact = false;
    if (!dwfl_frame_pc(found, &pc, &exact))
        return DWARF_CB_ABORT;
    *frame = (struct stack_frame){.pc = pc, .exact = walk->count == 0 ? walk->first_exact : exact};
    for (unsigned i = 0; i < WALK_REGISTERS; i++) {
        Dwarf_Word word;
        if (dwfl_frame_reg(found, i, &word) != 0)
            continue;
        frame->value[i] = word;
        frame->known |= 1u << i;
    }
    /* On this machine the caller's stack pointer is the canonical frame address. */
    if (walk->count && (frame->known >> REGISTER_RSP & 1))
        frame[-1].cfa = frame->value[REGISTER_RSP];
    return ++walk->count < walk->room ? DWARF_CB_OK : DWARF_CB_ABORT;
}

size_t stack_walk(struct modules *modules, const uint64_t value[WALK_REGISTERS], uint32_t known, bool exact, walk_read read,
                  void *context, struct stack_frame *frame, size_t room) {
    struct walk walk = {value, known, read, context, frame, 0, room, exact};
    Dwfl *dwfl = modules_dwfl(modules);
    void **place = modules_walk_place(modules);
    if (room == 0 || (dwfl_pid(dwfl) < 0 && !dwfl_attach_state(dwfl, NULL, THREAD, &callbacks, place)))
        return 0;
    *place = &walk;
    dwfl_getthread_frames(dwfl, THREAD, add_frame, &walk);
    *place = NULL;
    return walk.count;
}
