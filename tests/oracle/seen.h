/* A set of byte strings of one size, compared in full. */
#ifndef TESTS_ORACLE_SEEN_H
#define TESTS_ORACLE_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen {
    size_t size; /* bytes of a member */
    size_t count, slots;
    uint32_t *slot; /* member number + 1; 0: free */
    size_t slot_room;
    unsigned char *member;
    size_t member_room; /* bytes */
    uint32_t *hash;     /* of each member */
    size_t hash_room;
};

/* Only one set is in use at a time. */
void seen_begin(struct seen *seen, size_t size);
/* The number of a member, counted from 0 in order of addition; adds it if it is not there. */
size_t seen_number(struct seen *seen, const void *member, bool *added);
void seen_end(struct seen *seen);

#endif
