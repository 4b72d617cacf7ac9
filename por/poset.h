/* Partial orders of few elements: in how many orders all of them may come, and where the order falls into groups. */
#ifndef POR_POSET_H
#define POR_POSET_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct poset {
    size_t elements, words;
    uint64_t *before; /* for each element, `words` words: the set of all that precede it, not only immediately */
};

struct poset poset_new(size_t elements);
void poset_free(struct poset *poset);
bool poset_precedes(const struct poset *poset, size_t earlier, size_t later);
/* And what follows from it. Not if `later` precedes or is `earlier`. */
void poset_add(struct poset *poset, size_t earlier, size_t later);
/* The order among some of the elements, which are then numbered as in `element`. */
struct poset poset_part(const struct poset *poset, const uint32_t *element, size_t elements);
/* One of its orders: that in which each element comes before those that more precede. */
void poset_order(const struct poset *poset, uint32_t *order);
/* Numbers the groups between two cuts (poeg.h): each element of one precedes each of the next. Returns how many there are. */
size_t poset_groups(const struct poset *poset, uint32_t *group);

/* Adds edges between elements that may be exchanged, until no more may be added (Schaeli 2009, section 4.4.3): a before b only if
 * each of a and what precedes a but not b may be exchanged with each of b and what follows b but not a, or precedes it already.
 * Lower numbers come first where both could. `exchangeable` is symmetric, and true of no element and itself.
 *
 * No proof may rest on what is left: of two elements that may be exchanged with each other, but not with a third one, one then
 * comes first, and the order in which the third is between them the other way round is left out, though no order that is left is
 * like it. */
void poset_reduce(struct poset *poset, bool (*exchangeable)(void *context, uint32_t a, uint32_t b), void *context);

/* How many different orders the two expressions of section 4.4.4 give: each element as late as possible (4.1), and each two right
 * after one another, both as early as possible, either way round (4.2). Up to a name of 128 bits each. */
size_t poset_subset(const struct poset *poset);

/* How far counting may go. */
struct poset_limits {
    size_t sets;                                 /* different beginnings of orders, as sets, that are met */
    bool (*stop)(void *context, uint64_t bytes); /* asked now and then, with the bytes that are held; NULL: never */
    void *context;
};
/* The number of orders (linear extensions), exactly, and of the edges of their graph: from each set that an order may begin with to
 * those with one element more. False: it was given up. `count` is initialised. */
bool poset_count(const struct poset *poset, const struct poset_limits *limits, mpz_t count, uint64_t *edges);

#endif
