#include "models/dps/stacks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__x86_64__)
#error "stack_switch.S is for x86-64"
#endif

/* stack_switch.S */
void stack_switch(void **save, void *load);
void stack_entry(void);

/* What stack_switch pushes. */
struct frame {
    uint32_t mxcsr;
    uint16_t x87_control, zero;
    void *r15, *r14, *r13, *r12, *rbx, *rbp, *return_address;
};

enum { BLOCK = 4096, MXCSR = 0x1f80, X87_CONTROL = 0x37f };

void stacks_create(struct stacks *stacks, unsigned count, size_t bytes) {
    *stacks = (struct stacks){.bytes = (bytes + BLOCK - 1) / BLOCK * BLOCK + BLOCK, .count = count};
    stacks->memory = aligned_alloc(BLOCK, stacks->count * stacks->bytes);
    if (!stacks->memory)
        abort();
    memset(stacks->memory, 0, stacks->count * stacks->bytes);
}

void stacks_destroy(struct stacks *stacks) {
    free(stacks->memory);
    *stacks = (struct stacks){0};
}

void *stacks_start(struct stacks *stacks, unsigned number, void (*function)(void *), void *argument) {
    unsigned char *top = stacks->memory + (number + 1) * stacks->bytes;
    struct frame *frame = (struct frame *)(top - sizeof *frame); /* stack_entry begins at `top`, aligned for its call */
    *frame = (struct frame){.mxcsr = MXCSR,
                            .x87_control = X87_CONTROL,
                            .r12 = (void *)(uintptr_t)function,
                            .r13 = argument,
                            .return_address = (void *)(uintptr_t)stack_entry};
    return frame;
}

static bool is_zero(const unsigned char *bytes, size_t size) {
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Reads all, writes only where something is: pages never used stay untouched. */
static void clear(unsigned char *from, unsigned char *to) {
    for (unsigned char *block = from; block < to; block += BLOCK) {
        size_t size = to - block < BLOCK ? (size_t)(to - block) : BLOCK;
        if (!is_zero(block, size))
            memset(block, 0, size);
    }
}

bool stacks_resume(struct stacks *stacks, unsigned number, void **stack_pointer) {
    unsigned char *lowest = stacks->memory + number * stacks->bytes;
    stack_switch(&stacks->caller, *stack_pointer);
    stacks->caller = NULL;
    bool fits = (unsigned char *)*stack_pointer > lowest + BLOCK && is_zero(lowest, BLOCK);
    clear(lowest, *stack_pointer);
    return fits;
}

void stacks_leave(struct stacks *stacks, void **stack_pointer) { stack_switch(stack_pointer, stacks->caller); }

void stacks_end(struct stacks *stacks, unsigned number, void **stack_pointer) {
    unsigned char *lowest = stacks->memory + number * stacks->bytes;
    clear(lowest, lowest + stacks->bytes);
    *stack_pointer = NULL;
}
