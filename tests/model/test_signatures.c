/* Type signatures (MPI-3.1 section 3.3.1): cyclic patterns of basic types, compared as far as the message goes. */
#include "models/mpi/signatures.h"

#include <criterion/criterion.h>
#include <string.h>

#define RUNS(...) \
    .runs = sizeof((struct wire_run[]){__VA_ARGS__}) / sizeof(struct wire_run), .run = (struct wire_run[]) { __VA_ARGS__ }
#define INTS(n) \
    { BASIC_MPI_INT, 0, 4 * (n) }
#define DOUBLES(n) \
    { BASIC_MPI_DOUBLE, 0, 8 * (n) }

static bool match(struct signature sent, struct signature received, uint64_t bytes) {
    struct signature_mismatch mismatch;
    return signatures_match(&sent, &received, bytes, &mismatch);
}

Test(signatures, an_unknown_one_matches_everything) {
    struct signature unknown = {0}, ints = {.name = 1, RUNS(INTS(1))};
    cr_assert(match(unknown, ints, 8) && match(ints, unknown, 8));
}

Test(signatures, only_the_sequence_counts) {
    /* {int, int, double} twice, and {int} {int, double, int} {int, double}: the same as one pattern of six. */
    struct signature one = {.name = 1, RUNS(INTS(2), DOUBLES(1))};
    struct signature other = {.name = 2, RUNS(INTS(1), INTS(1), DOUBLES(1), INTS(2), DOUBLES(1))};
    cr_assert(match(one, other, 2 * 16));
    cr_assert(match(one, other, 4 * 16));
}

Test(signatures, the_receive_may_be_longer_than_the_message) {
    struct signature ints = {.name = 1, RUNS(INTS(1))}, record = {.name = 2, RUNS(INTS(1), DOUBLES(2))};
    cr_assert(match(ints, record, 4), "the message ends within the record");
    cr_assert_not(match(ints, record, 8));
}

Test(signatures, a_mismatch_says_where_and_what) {
    struct signature sent = {.name = 1, RUNS(INTS(1), DOUBLES(1))}, received = {.name = 2, RUNS(INTS(1), DOUBLES(1), INTS(1))};
    struct signature_mismatch mismatch;
    cr_assert(signatures_match(&sent, &received, 16, &mismatch));
    sent.run = (struct wire_run[]){INTS(1), DOUBLES(2)};
    cr_assert_not(signatures_match(&sent, &received, 20, &mismatch));
    cr_assert(mismatch.sent == BASIC_MPI_DOUBLE && mismatch.received == BASIC_MPI_INT && mismatch.offset == 12);
    char room[BASIC_TYPE_ROOM];
    cr_assert_str_eq(basic_type_name(mismatch.sent, room), "MPI_DOUBLE");
}

Test(signatures, types_of_fortran_kinds_are_named_by_what_they_were_asked_for) {
    char room[BASIC_TYPE_ROOM];
    cr_assert_str_eq(basic_type_name(f90_type(F90_REAL, 15, 307), room), "MPI_Type_create_f90_real(15, 307)");
    cr_assert_str_eq(basic_type_name(f90_type(F90_COMPLEX, 6, -1), room), "MPI_Type_create_f90_complex(6, MPI_UNDEFINED)");
    cr_assert_str_eq(basic_type_name(f90_type(F90_INTEGER, 0, 9), room), "MPI_Type_create_f90_integer(9)");
    cr_assert_neq(f90_type(F90_REAL, 15, 307), f90_type(F90_REAL, 15, -1));
}

enum { LETTERS_MOST = 12 };

static bool is_letter(unsigned word, int place) { return word >> place & 1; }

static uint32_t runs_of(unsigned word, int length, struct wire_run run[LETTERS_MOST]) {
    uint32_t runs = 0;
    for (int i = 0; i < length; i++) {
        if (i == 0 || is_letter(word, i) != is_letter(word, i - 1))
            run[runs++] = (struct wire_run){.type = is_letter(word, i) ? BASIC_MPI_INT : BASIC_MPI_FLOAT};
        run[runs - 1].bytes += 4;
    }
    return runs;
}

static int shortest_repeated(unsigned word, int length) {
    for (int part = 1; part < length; part++) {
        int i = part;
        while (length % part == 0 && i < length && is_letter(word, i) == is_letter(word, i - part))
            i++;
        if (i == length)
            return part;
    }
    return length;
}

Test(signatures, the_root_of_a_sequence_is_the_shortest_that_it_repeats) {
    /* All sequences of two types of up to 12 elements; by definition, element by element. Those of one type have but one run. */
    for (int length = 2; length <= LETTERS_MOST; length++) {
        for (unsigned word = 1; word + 1 < 1u << length; word++) {
            struct wire_run reduced[LETTERS_MOST] = {0}, expected[LETTERS_MOST] = {0};
            const uint32_t runs = signature_root(reduced, runs_of(word, length, reduced));
            cr_assert_eq(runs, runs_of(word, shortest_repeated(word, length), expected), "%u, %d elements", word, length);
            cr_assert_arr_eq(reduced, expected, runs * sizeof *reduced, "%u, %d elements", word, length);
        }
    }
}
