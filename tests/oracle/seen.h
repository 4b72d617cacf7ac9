/* A set of states, compared in full. A state is some pieces of one size, of which most are those of the state that it comes from: each
 * piece is kept once, and a state is the numbers of its pieces. */
#ifndef TESTS_ORACLE_SEEN_H
#define TESTS_ORACLE_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Byte strings of one size, numbered from 0 in order of addition. */
struct seen_table {
    size_t size; /* bytes of a member */
    size_t count, slots;
    uint32_t *slot; /* member number + 1; 0: free */
    size_t slot_room;
    unsigned char *member;
    size_t member_room; /* bytes */
    uint32_t *hash;     /* of each member */
    size_t hash_room;
};

#define SEEN_PIECES 6 /* at most */

struct seen {
    unsigned pieces;
    struct seen_table piece, state;
};

/* Only one set is in use at a time. */
void seen_begin(struct seen *seen, unsigned pieces, size_t piece_size);
/* The number of a state, counted from 0 in order of addition; adds it if it is not there. `from`: a state that it has most pieces of;
 * of no account for the first. */
size_t seen_number(struct seen *seen, const void *state, size_t from, bool *added);
void seen_end(struct seen *seen);

#endif
