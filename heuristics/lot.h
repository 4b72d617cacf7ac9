/* Lots drawn from a seed: the same on every machine (splitmix64). */
#ifndef HEURISTICS_LOT_H
#define HEURISTICS_LOT_H

#include <stdint.h>

static inline uint64_t lot_draw(uint64_t *lot) {
    uint64_t z = *lot += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* One of 0 … count - 1, each as probable as the other (to one part in 2^64 / count). */
static inline uint64_t lot_among(uint64_t *lot, uint64_t count) {
    return (uint64_t)((unsigned __int128)lot_draw(lot) * count >> 64);
}

#endif
