/* What instruction.h says of an instruction is what the processor does: each one is run with its operand at the end of memory that
 * may be accessed, nearer and nearer to what may not, until it faults, and once more where nothing may be written. */
#include "models/mpi/preload/process/instruction.h"

#include <criterion/criterion.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Each a function of its own whose last instruction but the return is the one in question. Its operand is (%rdi). */
#define INSTRUCTION(name, before, text) \
    void begin_##name(void *);          \
    extern const uint8_t at_##name[];   \
    __asm__(".text\nbegin_" #name ":\n" before "\nat_" #name ":\n" text "\nret");
#define INSTRUCTIONS                                                   \
    EACH(load_byte, "", "movb (%rdi), %al", 0, 0)                      \
    EACH(load_high_byte, "", "movb (%rdi), %r9b", 0, 0)                \
    EACH(load_word, "", "movw (%rdi), %ax", 0, 0)                      \
    EACH(load_int, "", "movl (%rdi), %eax", 0, 0)                      \
    EACH(load_long, "", "movq (%rdi), %rax", 0, 0)                     \
    EACH(load_zero_byte, "", "movzbl (%rdi), %eax", 0, 0)              \
    EACH(load_signed_word, "", "movswq (%rdi), %rax", 0, 0)            \
    EACH(load_signed_int, "", "movslq (%rdi), %rax", 0, 0)             \
    EACH(compare_int, "", "cmpl $0, (%rdi)", 0, 0)                     \
    EACH(compare_byte, "", "cmpb $0, (%rdi)", 0, 0)                    \
    EACH(compare_register, "", "cmpq %rax, (%rdi)", 0, 0)              \
    EACH(test_int, "", "testl $1, (%rdi)", 0, 0)                       \
    EACH(test_byte, "", "testb $1, (%rdi)", 0, 0)                      \
    EACH(add_from, "", "addl (%rdi), %eax", 0, 0)                      \
    EACH(multiply, "", "imull (%rdi), %eax", 0, 0)                     \
    EACH(conditional, "", "cmovzl (%rdi), %eax", 0, 0)                 \
    EACH(bit_test, "", "btl $1, (%rdi)", 0, 0)                         \
    EACH(push, "popq %r8", "pushq (%rdi)\npopq %rax\npushq %r8", 0, 0) \
    EACH(store_byte, "", "movb %al, (%rdi)", 0, 0)                     \
    EACH(store_word, "", "movw %ax, (%rdi)", 0, 0)                     \
    EACH(store_constant, "", "movl $7, (%rdi)", 0, 0)                  \
    EACH(store_long, "", "movq %rax, (%rdi)", 0, 0)                    \
    EACH(store_condition, "", "setz (%rdi)", 0, 0)                     \
    EACH(store_at_string, "", "stosl", 0, 0)                           \
    EACH(store_around_cache, "", "movnti %eax, (%rdi)", 0, 0)          \
    EACH(add_constant, "", "addl $1, (%rdi)", 0, 1)                    \
    EACH(add_register, "", "addq %rax, (%rdi)", 0, 1)                  \
    EACH(increment, "", "incb (%rdi)", 0, 1)                           \
    EACH(negate, "", "negw (%rdi)", 0, 1)                              \
    EACH(shift, "", "shll $1, (%rdi)", 0, 1)                           \
    EACH(set_bit, "", "btsl $1, (%rdi)", 0, 1)                         \
    EACH(exchange_int, "", "xchgl %eax, (%rdi)", 1, 1)                 \
    EACH(exchange_byte, "", "xchgb %al, (%rdi)", 1, 1)                 \
    EACH(locked_add, "", "lock addl $1, (%rdi)", 1, 1)                 \
    EACH(locked_or_word, "", "lock orw $1, (%rdi)", 1, 1)              \
    EACH(locked_decrement, "", "lock decq (%rdi)", 1, 1)               \
    EACH(locked_fetch_add, "", "lock xaddl %eax, (%rdi)", 1, 1)        \
    EACH(locked_fetch_add_byte, "", "lock xaddb %al, (%rdi)", 1, 1)    \
    EACH(locked_compare, "", "lock cmpxchgq %rcx, (%rdi)", 1, 1)       \
    EACH(locked_compare_byte, "", "lock cmpxchgb %cl, (%rdi)", 1, 1)   \
    EACH(locked_set_bit, "", "lock btsl $1, (%rdi)", 1, 1)             \
    EACH(unlocked_compare, "", "cmpxchgl %ecx, (%rdi)", 0, 1)          \
    EACH(load_float, "", "movss (%rdi), %xmm0", 0, 0)                  \
    EACH(load_double, "", "movsd (%rdi), %xmm0", 0, 0)                 \
    EACH(store_double, "", "movsd %xmm0, (%rdi)", 0, 0)                \
    EACH(store_low, "", "movq %xmm0, (%rdi)", 0, 0)                    \
    EACH(store_low_int, "", "movd %xmm0, (%rdi)", 0, 0)                \
    EACH(load_low, "", "movq (%rdi), %xmm0", 0, 0)                     \
    EACH(add_double, "", "addsd (%rdi), %xmm0", 0, 0)                  \
    EACH(compare_double, "", "ucomisd (%rdi), %xmm0", 0, 0)            \
    EACH(convert_int, "", "cvtsi2sdl (%rdi), %xmm0", 0, 0)             \
    EACH(convert_double, "", "cvttsd2si (%rdi), %eax", 0, 0)           \
    EACH(load_vector, "", "movups (%rdi), %xmm0", 0, 0)                \
    EACH(store_vector, "", "movdqu %xmm0, (%rdi)", 0, 0)               \
    EACH(load_extended, "", "fldt (%rdi)\nfstp %st(0)", 0, 0)          \
    EACH(load_x87_double, "", "fldl (%rdi)\nfstp %st(0)", 0, 0)        \
    EACH(load_x87_int, "", "fildl (%rdi)\nfstp %st(0)", 0, 0)          \
    EACH(store_x87_float, "fldz", "fstps (%rdi)", 0, 0)                \
    EACH(store_x87_extended, "fldz", "fstpt (%rdi)", 0, 0)             \
    EACH(store_control_word, "", "fnstcw (%rdi)", 0, 0)

#define EACH(name, before, text, atomic, modifies) INSTRUCTION(name, before, text)
INSTRUCTIONS
#undef EACH

static const struct tried {
    const char *name;
    void (*run)(void *);
    const uint8_t *code;
    bool atomic, modifies;
} tried[] = {
#define EACH(name, before, text, atomic, modifies) {#name, begin_##name, at_##name, atomic, modifies},
    INSTRUCTIONS
#undef EACH
};

static sigjmp_buf failed;
static void on_fault(int signal) {
    (void)signal;
    siglongjmp(failed, 1);
}

static bool works(const struct tried *instruction, char *operand) {
    if (sigsetjmp(failed, 1))
        return false;
    instruction->run(operand);
    return true;
}

Test(instruction, says_what_the_processor_does) {
    enum { PAGE = 4096, MOST = 64 };
    char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + PAGE, PAGE, PROT_NONE);
    signal(SIGSEGV, on_fault);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        const struct tried *instruction = &tried[i];
        uint32_t bytes = 1;
        while (bytes < MOST && !works(instruction, memory + PAGE - bytes))
            bytes++;
        struct memory_access access = instruction_access(instruction->code);
        cr_expect_eq(access.bytes, bytes, "%s: %u bytes instead of %u", instruction->name, access.bytes, bytes);
        cr_expect_eq(access.atomic, instruction->atomic, "%s: atomic", instruction->name);
        cr_expect_eq(access.modifies, instruction->modifies, "%s: modifies", instruction->name);
        mprotect(memory, PAGE, PROT_READ);
        bool writes = !works(instruction, memory);
        mprotect(memory, PAGE, PROT_READ | PROT_WRITE);
        cr_expect(writes || (!access.modifies && !access.atomic), "%s does not write", instruction->name);
        const uint32_t stored = strstr(instruction->name, "compare") ? 0 : bytes;
        if (writes)
            cr_expect_eq(instruction_stores(instruction->code), stored, "%s stores", instruction->name);
    }
    munmap(memory, 2 * PAGE);
}

/* Some of these store to less than they may, depending on registers; of others it is not worth knowing. */
Test(instruction, what_may_store_less_is_not_known) {
    static const uint8_t stores[][8] = {
        {0x66, 0x0f, 0xf7, 0xc1},             /* maskmovdqu %xmm1, %xmm0 */
        {0xc5, 0xf9, 0xf7, 0xc1},             /* vmaskmovdqu %xmm1, %xmm0 */
        {0xc4, 0xe2, 0x75, 0x2e, 0x07},       /* vmaskmovps %ymm0, %ymm1, (%rdi) */
        {0xc4, 0xe2, 0x75, 0x8e, 0x07},       /* vpmaskmovd %ymm0, %ymm1, (%rdi) */
        {0xc4, 0xe3, 0x7d, 0x19, 0x07, 0x01}, /* vextractf128 $1, %ymm0, (%rdi) */
        {0x66, 0x0f, 0x3a, 0x14, 0x07, 0x01}, /* pextrb $1, %xmm0, (%rdi) */
        {0x62, 0xf1, 0x7c, 0x49, 0x11, 0x07}, /* vmovups %zmm0, (%rdi){%k1} */
        {0x0f, 0xae, 0x07},                   /* fxsave (%rdi) */
    };
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        cr_expect_eq(instruction_stores(stores[i]), 0u, "number %zu", i);
    static const uint8_t mmx[] = {0x0f, 0x7f, 0x07}, ymm[] = {0xc5, 0xfc, 0x11, 0x07},
                         zmm[] = {0x62, 0xf1, 0x7c, 0x48, 0x11, 0x07};
    cr_expect_eq(instruction_stores(mmx), 8u);
    cr_expect_eq(instruction_stores(ymm), 32u);
    cr_expect_eq(instruction_stores(zmm), 64u);
}

/* As the processor's manual has it (Intel's, volume 2): an address each, or a word where there is a prefix. */
Test(instruction, what_uses_the_stack_accesses_what_it_pushes_or_pops) {
    static const struct {
        uint8_t code[8];
        uint32_t bytes;
    } of_stack[] = {
        {{0x50}, 8},             /* push %rax */
        {{0x41, 0x54}, 8},       /* push %r12 */
        {{0x66, 0x50}, 2},       /* push %ax */
        {{0x5d}, 8},             /* pop %rbp */
        {{0x6a, 0x07}, 8},       /* push $7 */
        {{0x68, 0x07}, 8},       /* push $7, of four bytes */
        {{0x9c}, 8},             /* pushf */
        {{0x9d}, 8},             /* popf */
        {{0xe8}, 8},             /* call */
        {{0x66, 0x48, 0xe8}, 8}, /* call, as of __tls_get_addr */
        {{0xff, 0xd0}, 8},       /* call *%rax */
        {{0xff, 0x37}, 8},       /* push (%rdi) */
        {{0x66, 0xff, 0x37}, 2}, /* pushw (%rdi) */
        {{0xc9}, 8},             /* leave */
        {{0xc3}, 8},             /* ret */
        {{0xc2, 0x08}, 8},       /* ret $8 */
    };
    for (size_t i = 0; i < sizeof of_stack / sizeof *of_stack; i++) {
        cr_expect_eq(instruction_access(of_stack[i].code).bytes, of_stack[i].bytes, "number %zu", i);
        cr_expect_not(instruction_accesses_several(of_stack[i].code), "number %zu", i);
    }
    static const uint8_t pop_to_memory[] = {0x41, 0x8f, 0x07};
    cr_expect(instruction_accesses_several(pop_to_memory));
}

Test(instruction, what_is_stored_repeatedly_is_told_from_what_is_stored_once) {
    static const struct {
        uint8_t code[8];
        struct repeated_store store;
    } tried_here[] = {
        {{0xf3, 0xaa}, {2, 1}},       /* rep stosb */
        {{0x66, 0xf3, 0xab}, {3, 2}}, /* rep stosw */
        {{0xf3, 0xab}, {2, 4}},       /* rep stosl */
        {{0xf3, 0x48, 0xab}, {3, 8}}, /* rep stosq */
        {{0x48, 0xab}, {0, 0}},       /* stosq */
        {{0xf3, 0x48, 0xa5}, {0, 0}}, /* rep movsq */
        {{0xf3, 0x0f, 0x11}, {0, 0}}, /* movss */
    };
    for (size_t i = 0; i < sizeof tried_here / sizeof *tried_here; i++) {
        const struct repeated_store store = instruction_stores_repeatedly(tried_here[i].code);
        cr_expect_eq(store.length, tried_here[i].store.length, "number %zu", i);
        cr_expect_eq(store.bytes, tried_here[i].store.bytes, "number %zu", i);
    }
}

Test(instruction, what_is_not_known_has_no_bytes) {
    static const uint8_t cpuid[] = {0x0f, 0xa2, 0xc3}, undefined[] = {0x0f, 0x0b, 0xc3}, call_far[] = {0x9a, 0, 0, 0, 0};
    cr_expect_eq(instruction_access(cpuid).bytes, 0u);
    cr_expect_eq(instruction_access(undefined).bytes, 0u);
    cr_expect_eq(instruction_access(call_far).bytes, 0u);
}

/* As the processor's manual has it (Intel's, volume 2): what is encoded is beside each. */
Test(instruction, what_moves_a_register_is_known_with_its_length) {
    static const struct {
        uint8_t code[8];
        struct simple_access access;
    } moves[] = {
        {{0x8b, 0x07}, {SIMPLE_LOAD, 2, 4, 0, 0}},                       /* movl (%rdi), %eax */
        {{0x48, 0x8b, 0x45, 0xe8}, {SIMPLE_LOAD, 4, 8, 0, 0}},           /* movq -24(%rbp), %rax */
        {{0x44, 0x8b, 0x4c, 0x24, 0x1c}, {SIMPLE_LOAD, 5, 4, 9, 0}},     /* movl 28(%rsp), %r9d */
        {{0x8b, 0x05, 1, 2, 3, 4}, {SIMPLE_LOAD, 6, 4, 0, 0}},           /* movl 0x4030201(%rip), %eax */
        {{0x8b, 0x04, 0x25, 1, 2, 3, 4}, {SIMPLE_LOAD, 7, 4, 0, 0}},     /* movl 0x4030201, %eax */
        {{0x8b, 0x84, 0x83, 1, 2, 3, 4}, {SIMPLE_LOAD, 7, 4, 0, 0}},     /* movl 0x4030201(%rbx,%rax,4), %eax */
        {{0x66, 0x8b, 0x47, 0x06}, {SIMPLE_LOAD, 4, 2, 0, 0}},           /* movw 6(%rdi), %ax */
        {{0x66, 0x4c, 0x8b, 0x27}, {SIMPLE_LOAD, 4, 8, 12, 0}},          /* the wide one counts */
        {{0x41, 0x89, 0x14, 0x24}, {SIMPLE_STORE, 4, 4, 2, 0}},          /* movl %edx, (%r12) */
        {{0x4c, 0x89, 0xa5, 1, 2, 3, 4}, {SIMPLE_STORE, 7, 8, 12, 0}},   /* movq %r12, 0x4030201(%rbp) */
        {{0x66, 0x89, 0x0f}, {SIMPLE_STORE, 3, 2, 1, 0}},                /* movw %cx, (%rdi) */
        {{0x55}, {SIMPLE_PUSH, 1, 8, 5, 0}},                             /* pushq %rbp */
        {{0x41, 0x57}, {SIMPLE_PUSH, 2, 8, 15, 0}},                      /* pushq %r15 */
        {{0x41, 0x54}, {SIMPLE_PUSH, 2, 8, 12, 0}},                      /* pushq %r12, not %rsp */
        {{0x5b}, {SIMPLE_POP, 1, 8, 3, 0}},                              /* popq %rbx */
        {{0x41, 0x5e}, {SIMPLE_POP, 2, 8, 14, 0}},                       /* popq %r14 */
        {{0xc3}, {SIMPLE_RETURN, 1, 8, 3, 0}},                           /* ret */
        {{0xe8, 0xfb, 0xff, 0xff, 0xff}, {SIMPLE_CALL, 5, 8, 0, -5}},    /* call of itself */
        {{0xe8, 0x01, 0x02, 0x00, 0x00}, {SIMPLE_CALL, 5, 8, 0, 0x201}}, /* call 0x201 behind it */
    };
    static const uint8_t others[][8] = {
        {0x8b, 0xc7},             /* movl %edi, %eax */
        {0x8a, 0x07},             /* movb (%rdi), %al */
        {0x03, 0x07},             /* addl (%rdi), %eax */
        {0x64, 0x8b, 0x04, 0x25}, /* movl %fs:…, %eax */
        {0x67, 0x8b, 0x07},       /* movl (%edi), %eax */
        {0x54},                   /* pushq %rsp */
        {0x5c},                   /* popq %rsp */
        {0x66, 0x50},             /* pushw %ax */
        {0xc2, 0x08},             /* ret $8 */
        {0xf3, 0xc3},             /* rep ret */
        {0x66, 0x48, 0xe8},       /* call, as of __tls_get_addr */
        {0xff, 0x14, 0x24},       /* call *(%rsp) */
        {0xc9},                   /* leave */
    };
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        const struct simple_access access = instruction_simple(moves[i].code);
        cr_expect_eq(access.kind, moves[i].access.kind, "number %zu", i);
        cr_expect_eq(access.length, moves[i].access.length, "number %zu", i);
        cr_expect_eq(access.bytes, moves[i].access.bytes, "number %zu", i);
        cr_expect_eq(access.distance, moves[i].access.distance, "number %zu", i);
        if (access.kind != SIMPLE_RETURN && access.kind != SIMPLE_CALL)
            cr_expect_eq(access.number, moves[i].access.number, "number %zu", i);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect_eq(instruction_simple(others[i]).kind, SIMPLE_NONE, "number %zu", i);
}
