/* A hash of a number that leaves no bit where it was: two rounds of a multiplication by an odd constant, with shifts that bring the
 * upper bits down. No two numbers have the same one. */
#ifndef EXPLORER_MIXED_NUMBER_H
#define EXPLORER_MIXED_NUMBER_H

#include <stdint.h>

static inline uint64_t mixed_number(uint64_t number) {
    number ^= number >> 32;
    number *= 0x9fb21c651e98df25u;
    number ^= number >> 35;
    number *= 0x9e3779b97f4a7c15u;
    return number ^ number >> 29;
}

#endif
