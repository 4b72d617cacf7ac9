/* Names and values of what differs: variables of this very program, captured by hand. */
#include "explorer/debug_information/end_place.h"
#include "explorer/debug_information/frame_variables.h"
#include "explorer/debug_information/modules.h"
#include "explorer/local_states/state_difference.h"
#include "tests/state/fabricated.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum colour { RED, GREEN = 5 };

/* volatile: nothing is optimised away. The padding after `letter` is 3 bytes. */
static volatile struct subject {
    char letter;
    int number;
    double matrix[2][3];
    unsigned low : 3, high : 5;
    union {
        int whole;
        char part[4];
    } either;
    struct {
        enum colour colour;
        bool flag;
        void *pointer;
        char text[12];
        float single;
        long double extended;
    } inner[2];
} subject;

static struct fabricated *made;
static struct modules *modules;
static struct state_difference found;

/* The pages of the variable, and 8 of an unnamed mapping. */
static void set_up(void) {
    uint64_t start = (uintptr_t)&subject / PAGE_BYTES * PAGE_BYTES;
    made = fabricated_new();
    fabricated_range(made, start, 2);
    fabricated_range(made, 0x7f0000000000, 8);
    modules = modules_load(getpid());
    cr_assert_not_null(modules);
}

static void tear_down(void) {
    state_difference_free(&found);
    modules_free(modules);
}

TestSuite(difference, .init = set_up, .fini = tear_down);

/* Two states that hold these bytes there. */
static void compare(const volatile void *at, const void *a, const void *b, size_t size) {
    uint64_t address = (uintptr_t)at;
    const struct captured_state state[2] = {{fabricated_write(made, 0, address, a, size), BLOCK_NONE},
                                            {fabricated_write(made, 0, address, b, size), BLOCK_NONE}};
    state_difference_free(&found);
    state_difference_find(&made->memory, modules, state, &found);
}

static bool told(size_t at, const char *name, const char *values) {
    char *text = at < found.count ? difference_text(&found.difference[at]) : strdup("");
    char start[128];
    snprintf(start, sizeof start, "variable \"%s\" (static, test_difference.c:", name);
    const char *end = strstr(text, "): ");
    bool same = strncmp(text, start, strlen(start)) == 0 && end && strcmp(end + 3, values) == 0;
    if (!same)
        fprintf(stderr, "%s\n", text);
    free(text);
    return same;
}

#define COMPARE(member, type, a, b)                                 \
    compare(&subject.member, &(type){a}, &(type){b}, sizeof(type)); \
    cr_assert_eq(found.count, 1)

Test(difference, equal_states_have_none) {
    compare(&subject, "abc", "abc", 3);
    cr_assert_eq(found.count, 0);
}

Test(difference, values_are_written_by_their_types) {
    COMPARE(number, int, -3, 4);
    cr_assert(told(0, "subject.number", "-3 and 4"));
    COMPARE(letter, char, 'x', '\n');
    cr_assert(told(0, "subject.letter", "'x' and 10"));
    COMPARE(inner[1].colour, enum colour, RED, GREEN);
    cr_assert(told(0, "subject.inner[1].colour", "RED and GREEN"));
    COMPARE(inner[1].flag, bool, false, true);
    cr_assert(told(0, "subject.inner[1].flag", "false and true"));
    COMPARE(inner[0].pointer, void *, NULL, (void *)0x1234);
    cr_assert(told(0, "subject.inner[0].pointer", "NULL and 0x1234"));
    COMPARE(inner[0].single, float, 0.1f, -2);
    cr_assert(told(0, "subject.inner[0].single", "0.100000001 and -2"));
    COMPARE(inner[0].extended, long double, 1.25L, 2.5L);
    cr_assert(told(0, "subject.inner[0].extended", "1.25 and 2.5"));
}

Test(difference, elements_of_arrays_have_their_indices) {
    COMPARE(matrix[1][2], double, 0.1, 1e300);
    cr_assert(told(0, "subject.matrix[1][2]", "0.1 and 1e+300"));
    double a[2][3] = {{0}}, b[2][3] = {{1, 0, 0}, {0, 2, 0}};
    compare(&subject.matrix, a, b, sizeof a);
    cr_assert_eq(found.count, 2);
    cr_assert(told(0, "subject.matrix[0][0]", "0 and 1"));
    cr_assert(told(1, "subject.matrix[1][1]", "0 and 2"));
}

Test(difference, texts_are_quoted) {
    compare(&subject.inner[1].text, "one\nline", "two\0\0\0\0\0", 9);
    cr_assert_eq(found.count, 1);
    cr_assert(told(0, "subject.inner[1].text", "\"one\\nline\" and \"two\""));
}

Test(difference, padding_bit_fields_and_unions_are_bytes) {
    compare(&subject.letter + 2, "\1", "\2", 1);
    cr_assert_eq(found.count, 1);
    cr_assert(told(0, "subject (padding)", "01 00 and 02 00"));
    const volatile char *bits = (const volatile char *)&subject.matrix + sizeof subject.matrix;
    compare(bits, "\1", "\2", 1);
    cr_assert_eq(found.count, 1);
    cr_assert(told(0, "subject.low", "01 and 02"));
    COMPARE(either.part[1], char, 1, 2);
    cr_assert(told(0, "subject.either", "00 01 00 00 and 00 02 00 00"));
}

Test(difference, memory_of_no_module_is_told_by_its_address) {
    compare((void *)0x7f0000001ffe, "abcd", "abxd", 4);
    cr_assert_eq(found.count, 1);
    cr_assert_eq(found.difference[0].kind, DIFFERENT_LIBRARY);
    cr_assert(strstr(found.difference[0].name, "0x7f0000002000"));
    cr_assert_str_eq(found.difference[0].value[0], "63");
    cr_assert_str_eq(found.difference[0].value[1], "78");
}

Test(difference, works_without_modules) {
    const struct captured_state state[2] = {{0, BLOCK_NONE}, {fabricated_write(made, 0, 0x7f0000000010, "x", 1), BLOCK_NONE}};
    state_difference_find(&made->memory, NULL, state, &found);
    cr_assert_eq(found.count, 1);
}

/* --- stacks ---------------------------------------------------------------------------------------------------------- */

/* Unlike a pointer, the file refuses what is not there: the walk may come to frames of which nothing is known. */
static size_t read_memory(uint64_t address, void *to, size_t size) {
    int file = open("/proc/self/mem", O_RDONLY);
    ssize_t got = file < 0 ? -1 : pread(file, to, size, (off_t)address);
    close(file);
    return got < 0 ? 0 : (size_t)got;
}

static bool read_own(void *context, uint64_t address, uint64_t *word) {
    (void)context;
    return read_memory(address, word, sizeof *word) == sizeof *word;
}

static const int registers[WALK_REGISTERS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                              REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
static struct stack_frame frame[WALK_FRAMES];
static size_t frames;
static struct wire_stack *stack;
static int seen_value;

static void note_value(void *visitor, const struct frame_variable *variable) {
    Dwarf_Die die = variable->die;
    if (strcmp(dwarf_diename(&die), visitor) != 0)
        return;
    seen_value = variable->in_memory ? *(const int *)variable->place : (int)variable->place;
}

/* What a rank reports when it crashes, taken here; then a walk while the frames are still there. */
__attribute__((noinline)) static int innermost(int depth) {
    ucontext_t here;
    getcontext(&here);
    uint64_t value[WALK_REGISTERS];
    for (int i = 0; i < WALK_REGISTERS; i++)
        value[i] = (uint64_t)here.uc_mcontext.gregs[registers[i]];
    size_t size = 16384;
    stack = malloc(sizeof *stack + size);
    memcpy(stack->value, value, sizeof value);
    stack->address = value[REGISTER_RSP];
    stack->size = read_memory(stack->address, stack + 1, size);
    frames = stack_walk(modules, value, (1u << WALK_REGISTERS) - 1, true, read_own, NULL, frame, WALK_FRAMES);
    for (size_t i = 0; i < frames; i++)
        if (strcmp(frame_function(modules, &frame[i]).name, "outermost") == 0)
            frame_variables(modules, &frame[i], read_own, NULL, note_value, "marker");
    return depth + 1;
}

__attribute__((noinline)) static int outermost(void) {
    volatile int marker = 4711;
    int result = innermost(1);
    return result + (marker != 0);
}

Test(difference, a_stack_is_walked_and_its_variables_found) {
#ifdef __SANITIZE_ADDRESS__
    cr_skip_test("locals are elsewhere");
#endif
    cr_assert_eq(outermost(), 3);
    cr_assert_gt(frames, 2);
    cr_assert_str_eq(frame_function(modules, &frame[0]).name, "innermost");
    cr_assert_str_eq(frame_function(modules, &frame[1]).name, "outermost");
    cr_assert_eq(strncmp(frame_function(modules, &frame[1]).line, "test_difference.c:", 18), 0);
    cr_assert_eq(frame[0].cfa, frame[1].value[REGISTER_RSP]);
    cr_assert_eq(seen_value, 4711);
}

Test(difference, an_end_has_its_place) {
#ifdef __SANITIZE_ADDRESS__
    cr_skip_test("the stack is not one piece");
#endif
    outermost();
    struct wire_end end = {.kind = WIRE_CRASH, .site = 77};
    struct end_place place = end_place_find(modules, &end, stack);
    cr_assert_str_eq(place.text, "in innermost");
    cr_assert_eq(place.site, stack->value[REGISTER_RIP] + 1);
    cr_assert_eq(end_place_find(NULL, &end, stack).site, 77, "nothing is known of modules");
    cr_assert_eq(end_place_find(modules, &end, NULL).site, 77, "nor of the stack");
    stack->value[REGISTER_RIP] = 16; /* a call through a wild pointer, with a return address that is one no more */
    stack->value[REGISTER_RSP] = 0;
    cr_assert_eq(end_place_find(modules, &end, stack).site, 77);
    free(stack);
}
