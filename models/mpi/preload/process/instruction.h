/* What an instruction does to the memory that it accesses: for faults of programs in memory that is closed to them. */
#ifndef MODELS_MPI_PRELOAD_INSTRUCTION_H
#define MODELS_MPI_PRELOAD_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

struct memory_access {
    uint32_t bytes; /* of one access; 0: the instruction is not known */
    bool atomic;    /* an atomic read-modify-write: locked, or an exchange */
    bool modifies;  /* it stores what depends on what it loads there, atomically or not */
};

/* `code`: the instruction, which accesses memory by an operand that it names or implies, be it on the stack, and what follows it: up
 * to two bytes behind an opcode are looked at, whether or not they are its own (no function ends with an instruction that goes on;
 * one ends with `ret`, but padding or another function follows). x86-64. */
struct memory_access instruction_access(const uint8_t *code);

/* Does it access memory in several places? What it pushes is apart: that lies directly below the stack pointer. */
bool instruction_accesses_several(const uint8_t *code);

/* The bytes from where a store of it faults that it surely stores to, whatever they hold and registers say; 0: that is not
 * known. */
uint32_t instruction_stores(const uint8_t *code);

/* Of an instruction that stores a register again and again, `rep stos`: how long it is, and the bytes that are stored each time; all
 * zero: it is none. */
struct repeated_store {
    uint32_t length, bytes;
};
struct repeated_store instruction_stores_repeatedly(const uint8_t *code);

/* An instruction that does nothing but move what is in a register to memory, or back, so that somebody else can do it as well: to have
 * it run by itself takes a trap, which takes as long as thousands of others where the processor is a virtual one. */
enum simple_kind {
    SIMPLE_NONE = 0, /* it is none of these */
    SIMPLE_LOAD,     /* mov from memory to the register: its low bytes, and if these are 4, zero to the others */
    SIMPLE_STORE,
    SIMPLE_PUSH, /* 8 bytes */
    SIMPLE_POP,
    SIMPLE_RETURN, /* pop to the instruction pointer */
    SIMPLE_CALL,   /* push where the next instruction is, which is then `distance` farther */
};
struct simple_access {
    enum simple_kind kind;
    uint32_t length; /* of the instruction */
    uint32_t bytes;  /* that are moved */
    uint32_t number; /* of the register, as instructions have it: 0 is rax, 15 is r15; never 4, rsp, of a push or pop */
    int32_t distance;
};
struct simple_access instruction_simple(const uint8_t *code);

#endif
