#include "models/mpi/preload/process/instruction.h"

/* The prefixes of an instruction. */
struct prefixes {
    bool operand16, locked, repeat_not_equal, repeat, wide; /* 66, f0, f2, f3, rex.w */
    int vector;                                             /* bytes of a vector register, if encoded with one (vex, evex) */
};

enum { ADDRESS = 8, XMM = 16, YMM = 32, ZMM = 64 };

static uint32_t operand(const struct prefixes *prefixes) { return prefixes->wide ? 8 : prefixes->operand16 ? 2 : 4; }

static uint32_t pushed(const struct prefixes *prefixes) { return prefixes->operand16 ? 2 : 8; }

static uint32_t vector(const struct prefixes *prefixes) { return prefixes->vector ? (uint32_t)prefixes->vector : XMM; }

/* Scalars of single or double precision, or a whole vector. */
static uint32_t scalar_or_vector(const struct prefixes *prefixes) {
    return prefixes->repeat ? 4 : prefixes->repeat_not_equal ? 8 : vector(prefixes);
}

static uint32_t bytes_of_float(uint8_t opcode, uint8_t modrm) {
    int operation = modrm >> 3 & 7;
    switch (opcode) {
    case 0xd9: return operation < 4 ? 4 : operation == 5 || operation == 7 ? 2 : 0;
    case 0xdb: return operation == 5 || operation == 7 ? 10 : 4;
    case 0xdc: return 8;
    case 0xdd: return operation < 4 ? 8 : 0;
    case 0xde: return 2;
    case 0xdf: return operation == 5 || operation == 7 ? 8 : operation < 4 ? 2 : 10;
    default: return 4;
    }
}

/* Opcodes of one byte. */
static uint32_t bytes_of_short(const struct prefixes *prefixes, uint8_t opcode, uint8_t modrm) {
    uint32_t by_last_bit = opcode & 1 ? operand(prefixes) : 1;
    const int operation = modrm >> 3 & 7;
    if (opcode < 0x40 && (opcode & 7) < 4)
        return by_last_bit;
    if (opcode >= 0xd8 && opcode <= 0xdf)
        return bytes_of_float(opcode, modrm);
    if (opcode >= 0x50 && opcode <= 0x5f) /* push, pop */
        return pushed(prefixes);
    switch (opcode) {
    case 0x63: return 4; /* movsxd */
    case 0x69:
    case 0x6b:
    case 0x83: return operand(prefixes);
    case 0x68:
    case 0x6a:
    case 0x8f:
    case 0x9c:
    case 0x9d: return pushed(prefixes);
    case 0xc2:
    case 0xc3:
    case 0xc9:
    case 0xe8: return ADDRESS; /* ret, leave, call */
    case 0x80:
    case 0x81:
    case 0x84:
    case 0x85:
    case 0x86:
    case 0x87:
    case 0x88:
    case 0x89:
    case 0x8a:
    case 0x8b:
    case 0xa0:
    case 0xa1:
    case 0xa2:
    case 0xa3:
    case 0xa4:
    case 0xa5:
    case 0xa6:
    case 0xa7:
    case 0xaa:
    case 0xab:
    case 0xac:
    case 0xad:
    case 0xae:
    case 0xaf:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xc7:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
    case 0xf6:
    case 0xf7:
    case 0xfe: return by_last_bit;
    case 0xff:
        return operation < 2 ? operand(prefixes) : operation < 6 ? ADDRESS : pushed(prefixes); /* inc, dec; call, jmp; push */
    default: return 0;
    }
}

static bool modifies_short(uint8_t opcode, uint8_t modrm) {
    int operation = modrm >> 3 & 7;
    if (opcode < 0x40)
        return (opcode & 7) < 2 && opcode < 0x38; /* all but comparisons */
    switch (opcode) {
    case 0x80:
    case 0x81:
    case 0x83: return operation != 7;
    case 0x86:
    case 0x87:
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: return true;
    case 0xf6:
    case 0xf7: return operation == 2 || operation == 3; /* not, neg */
    case 0xfe:
    case 0xff: return operation < 2;
    default: return false;
    }
}

static bool modifies_long(uint8_t opcode, uint8_t modrm) {
    switch (opcode) {
    case 0xa4:
    case 0xa5:
    case 0xab:
    case 0xac:
    case 0xad:
    case 0xb0:
    case 0xb1:
    case 0xb3:
    case 0xbb:
    case 0xc0:
    case 0xc1:
    case 0xc7: return true;
    case 0xba: return (modrm >> 3 & 7) > 4; /* all but a test */
    default: return false;
    }
}

/* Opcodes after 0f, also those of vex and evex. */
static uint32_t bytes_of_long(const struct prefixes *prefixes, uint8_t opcode, uint8_t modrm) {
    if ((opcode >= 0x40 && opcode <= 0x4f && !prefixes->vector) || opcode == 0xaf)
        return operand(prefixes); /* cmov, imul */
    if (opcode >= 0x90 && opcode <= 0x9f)
        return 1; /* set */
    switch (opcode) {
    case 0xb6:
    case 0xbe:
    case 0xb0:
    case 0xc0: return 1;
    case 0xb7:
    case 0xbf: return 2;
    case 0xa3:
    case 0xab:
    case 0xb3:
    case 0xbb:
    case 0xba:
    case 0xb1:
    case 0xc1:
    case 0xc3:
    case 0xa4:
    case 0xa5:
    case 0xac:
    case 0xad:
    case 0xb8:
    case 0xbc:
    case 0xbd: return operand(prefixes);
    case 0xc7: return (modrm >> 3 & 7) != 1 ? 0 : prefixes->wide ? 16 : 8; /* cmpxchg8b, cmpxchg16b */
    case 0x12:
    case 0x13:
    case 0x16:
    case 0x17:
    case 0xd6: return 8;
    case 0x2a: return prefixes->wide ? 8 : 4;
    case 0x2c:
    case 0x2d: return prefixes->repeat ? 4 : 8;
    case 0x2e:
    case 0x2f: return prefixes->operand16 ? 8 : 4;
    case 0x6e: return prefixes->wide ? 8 : 4;
    case 0x7e: return prefixes->repeat || prefixes->wide ? 8 : 4;
    case 0x10:
    case 0x11:
    case 0x51:
    case 0x58:
    case 0x59:
    case 0x5a:
    case 0x5c:
    case 0x5d:
    case 0x5e:
    case 0x5f: return scalar_or_vector(prefixes);
    case 0x14:
    case 0x15:
    case 0x28:
    case 0x29:
    case 0x2b:
    case 0x54:
    case 0x55:
    case 0x56:
    case 0x57:
    case 0x6f:
    case 0x7f:
    case 0xe7: return vector(prefixes);
    default: return opcode >= 0x60 && opcode != 0x77 && opcode != 0xa2 ? vector(prefixes) : 0;
    }
}

static struct memory_access of_vector(const uint8_t *code, bool evex) {
    /* c5: RvvvvLpp; c4: RXBmmmmm WvvvvLpp; 62: P0 P1 P2 */
    struct prefixes prefixes = {0};
    bool two = code[0] == 0xc5;
    uint8_t map = two ? 1 : code[1] & (evex ? 7 : 31), last = two ? code[1] : code[2];
    const uint8_t *opcode = code + (two ? 2 : evex ? 4 : 3);
    prefixes.operand16 = (last & 3) == 1;
    prefixes.repeat = (last & 3) == 2;
    prefixes.repeat_not_equal = (last & 3) == 3;
    prefixes.wide = !two && last >> 7;
    int length = evex ? code[3] >> 5 & 3 : last >> 2 & 1;
    prefixes.vector = length == 0 ? XMM : length == 1 ? YMM : ZMM;
    if (map == 1)
        return (struct memory_access){bytes_of_long(&prefixes, opcode[0], opcode[1]), false, false};
    return (struct memory_access){(uint32_t)prefixes.vector, false, false};
}

/* Returns what follows them. */
static const uint8_t *read_prefixes(const uint8_t *code, struct prefixes *prefixes) {
    for (;; code++) {
        if (*code == 0x66)
            prefixes->operand16 = true;
        else if (*code == 0xf0)
            prefixes->locked = true;
        else if (*code == 0xf2)
            prefixes->repeat_not_equal = true;
        else if (*code == 0xf3)
            prefixes->repeat = true;
        else if (*code != 0x67 && *code != 0x2e && *code != 0x36 && *code != 0x3e && *code != 0x26 && *code != 0x64 &&
                 *code != 0x65)
            break;
    }
    if (*code >> 4 == 4) /* rex, the last one */
        prefixes->wide = *code++ & 8;
    return code;
}

/* movs and cmps, and pop to memory; with avx gathers, and with avx-512 scatters too. */
bool instruction_accesses_several(const uint8_t *code) {
    struct prefixes prefixes = {0};
    code = read_prefixes(code, &prefixes);
    const bool evex = *code == 0x62;
    if (*code == 0xc4 || evex) {
        const uint8_t map = code[1] & (evex ? 7 : 31), opcode = code[evex ? 4 : 3];
        return map == 2 && ((opcode >= 0x90 && opcode <= 0x93) || (opcode >= 0xa0 && opcode <= 0xa3));
    }
    return (*code >= 0xa4 && *code <= 0xa7) || *code == 0x8f;
}

/* maskmovq; ... that store to what they have compared with, if at all; fxsave and others. mmx registers have half the bytes. */
static uint32_t stored_by_long(const struct prefixes *prefixes, const uint8_t *code) {
    const bool mmx = !prefixes->operand16 && !prefixes->repeat && !prefixes->vector;
    switch (*code) {
    case 0xae:
    case 0xb0:
    case 0xb1:
    case 0xc7:
    case 0xf7: return 0;
    case 0x7f:
    case 0xe7: return mmx ? 8 : vector(prefixes);
    default: return bytes_of_long(prefixes, code[0], code[1]);
    }
}

/* Those of map 2 and 3 may be masked, or store a part of a register; with evex others too. */
static uint32_t stored_by_vector(const uint8_t *code) {
    const bool evex = *code == 0x62, two = *code == 0xc5;
    const uint8_t map = two ? 1 : code[1] & (evex ? 7 : 31), opcode = code[two ? 2 : evex ? 4 : 3];
    const bool masked = evex && (code[3] & 7) != 0;
    return map != 1 || masked || opcode == 0xf7 ? 0 : of_vector(code, evex).bytes;
}

uint32_t instruction_stores(const uint8_t *code) {
    struct prefixes prefixes = {0};
    code = read_prefixes(code, &prefixes);
    if (*code == 0xc4 || *code == 0xc5 || *code == 0x62)
        return stored_by_vector(code);
    if (code[0] != 0x0f)
        return bytes_of_short(&prefixes, code[0], code[1]);
    if (code[1] == 0x38 || code[1] == 0x3a)
        return code[1] == 0x38 && code[2] == 0xf1 ? operand(&prefixes) : 0;
    return stored_by_long(&prefixes, code + 1);
}

struct memory_access instruction_access(const uint8_t *code) {
    struct prefixes prefixes = {0};
    code = read_prefixes(code, &prefixes);
    if (*code == 0xc4 || *code == 0xc5 || *code == 0x62)
        return of_vector(code, *code == 0x62);
    bool exchanges = *code == 0x86 || *code == 0x87;
    if (code[0] != 0x0f)
        return (struct memory_access){bytes_of_short(&prefixes, code[0], code[1]), prefixes.locked || exchanges,
                                      modifies_short(code[0], code[1])};
    if (code[1] == 0x38 || code[1] == 0x3a) {
        bool moves = code[1] == 0x38 && (code[2] == 0xf0 || code[2] == 0xf1);
        return (struct memory_access){moves ? operand(&prefixes) : XMM, false, false};
    }
    return (struct memory_access){bytes_of_long(&prefixes, code[1], code[2]), prefixes.locked, modifies_long(code[1], code[2])};
}

struct repeated_store instruction_stores_repeatedly(const uint8_t *code) {
    struct prefixes prefixes = {0};
    const uint8_t *at = read_prefixes(code, &prefixes);
    if (!prefixes.repeat || (*at != 0xaa && *at != 0xab))
        return (struct repeated_store){0};
    return (struct repeated_store){(uint32_t)(at + 1 - code), bytes_of_short(&prefixes, at[0], at[1])};
}

/* Bytes of modrm and what follows it, an address in memory; 0: it is a register. */
static uint32_t length_of_address(const uint8_t *modrm) {
    enum { SIB = 4, NO_BASE = 5 };
    const int mode = *modrm >> 6, base = *modrm & 7;
    const bool has_sib = base == SIB;
    const uint32_t length = has_sib ? 2 : 1;
    switch (mode) {
    case 0: return base == NO_BASE || (has_sib && (modrm[1] & 7) == NO_BASE) ? length + 4 : length;
    case 1: return length + 1;
    case 2: return length + 4;
    default: return 0;
    }
}

static struct simple_access move(const struct prefixes *prefixes, const uint8_t *code, uint8_t rex, uint32_t prefixed) {
    enum { EXTENDS_REGISTER = 4, STORES = 0x89, LOADS = 0x8b };
    const uint32_t length = length_of_address(code + 1);
    if ((*code != STORES && *code != LOADS) || length == 0)
        return (struct simple_access){0};
    return (struct simple_access){.kind = *code == STORES ? SIMPLE_STORE : SIMPLE_LOAD,
                                  .length = prefixed + 1 + length,
                                  .bytes = operand(prefixes),
                                  .number = (code[1] >> 3 & 7u) + (rex & EXTENDS_REGISTER ? 8u : 0)};
}

struct simple_access instruction_simple(const uint8_t *code) {
    enum { OPERAND16 = 0x66, PUSH = 0x50, POP = 0x58, CALL = 0xe8, RETURN = 0xc3, RSP = 4, EXTENDS_BASE = 1, WIDE = 8 };
    struct prefixes prefixes = {.operand16 = *code == OPERAND16};
    uint32_t prefixed = prefixes.operand16;
    const uint8_t rex = (code[prefixed] & 0xf0) == 0x40 ? code[prefixed] : 0;
    prefixed += rex != 0;
    prefixes.wide = (rex & WIDE) != 0;
    code += prefixed;
    const uint32_t number = (*code & 7u) + (rex & EXTENDS_BASE ? 8u : 0);
    struct simple_access simple = {.length = prefixed + 1, .bytes = ADDRESS, .number = number};
    if (prefixes.operand16 || *code < PUSH || (*code >= PUSH && *code < POP + 8 && number == RSP))
        return move(&prefixes, code, rex, prefixed);
    if (*code < POP + 8) {
        simple.kind = *code < POP ? SIMPLE_PUSH : SIMPLE_POP;
    } else if (prefixed == 0 && *code == RETURN) {
        simple.kind = SIMPLE_RETURN;
    } else if (prefixed == 0 && *code == CALL) {
        simple.kind = SIMPLE_CALL;
        simple.length += sizeof simple.distance;
        for (uint32_t i = 0; i < sizeof simple.distance; i++)
            simple.distance = (int32_t)((uint32_t)simple.distance | (uint32_t)code[1 + i] << 8 * i);
    } else {
        return move(&prefixes, code, rex, prefixed);
    }
    return simple;
}
