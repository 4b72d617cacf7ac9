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

#endif
