/* Random programs: what they need at least, against brute force. */
#ifndef TESTS_MINIMAL_RANDOM_H
#define TESTS_MINIMAL_RANDOM_H

#include <stdint.h>

struct random_tally {
    unsigned found;     /* programs with a finding */
    unsigned decided;   /* of them said to be minimal, and brute force agrees */
    unsigned too_large; /* for brute force */
    unsigned different; /* a witness that needs some difference */
    unsigned failed;
};

/* Adds the program of a seed. */
void random_check(uint64_t seed, struct random_tally *tally);

#endif
