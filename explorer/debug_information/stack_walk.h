/* Walks up a stack by the call frame information of its modules, given registers and a way to read memory. */
#ifndef EXPLORER_STACK_WALK_H
#define EXPLORER_STACK_WALK_H

#include "explorer/debug_information/modules.h"

/* Registers by their DWARF numbers: rax rdx rcx rbx rsi rdi rbp rsp r8 … r15 rip. */
enum { WALK_REGISTERS = 17, REGISTER_RBX = 3, REGISTER_RBP = 6, REGISTER_RSP = 7, REGISTER_RIP = 16, WALK_FRAMES = 256 };

struct stack_frame {
    uint64_t pc;
    bool exact; /* pc is the instruction itself; otherwise the one after a call */
    uint64_t value[WALK_REGISTERS];
    uint32_t known; /* bit per register: its value is known */
    uint64_t cfa;   /* address above the frame; 0 if not known */
};

/* An address within the instruction that the frame is at. */
static inline uint64_t frame_place(const struct stack_frame *frame) { return frame->exact ? frame->pc : frame->pc - 1; }

typedef bool (*walk_read)(void *context, uint64_t address, uint64_t *word);

/* Fills in at most `room` frames, innermost first; returns how many. `known`: bit per register given. */
size_t stack_walk(struct modules *modules, const uint64_t value[WALK_REGISTERS], uint32_t known, bool exact, walk_read read,
                  void *context, struct stack_frame *frame, size_t room);

#endif
