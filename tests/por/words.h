/* A toy for reductions: clients that each have one word for one of some servers, which take words in any order. A word may only be said
 * after another one was taken. A server's next event is another one than its last, whatever word it takes. */
#ifndef TESTS_POR_WORDS_H
#define TESTS_POR_WORDS_H

#include "por/ordering_listener.h"

enum { WORDS = 8, NOTHING = -1 };

struct word {
    uint16_t server;
    int after; /* the word that must have been taken before, or NOTHING */
};

struct words {
    const struct word *word;
    size_t words;
    unsigned forgetful; /* servers that remember what they have heard, but not in which order: a bit each */
    struct event_offered list[WORDS];
};

/* How many words each word's server had taken before it, plus one; 0: it has not been taken. */
struct words_state {
    uint8_t taken[WORDS];
};

/* Begins with a state of zeros. */
struct event_system words_system(struct words *words);

/* Nothing may fail or be cut. Sets *ends, if it is not NULL, to how many different places there are at the ends. */
struct ordering_counts words_count(explore_orderings *explore, const struct word *word, size_t words, unsigned forgetful,
                                   size_t *ends);
/* The words of a random program; returns how many. */
size_t words_draw(uint32_t *random, struct word *word);

#endif
