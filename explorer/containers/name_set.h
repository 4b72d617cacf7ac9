/* A set of names of states: numbers of 64 bits with two marks each. Lossless, and safe for several workers at once without a lock.
 *
 *     name      left: 30 bits   right: 30   kind: 2   marks: 2, 0 in a name
 *
 * As long as the two numbers of all names are small, a name is one of few, and a slot of 4 bytes holds it: a bijection scrambles
 * the bits that vary into a number h, the upper bits of h say which slot is its home, and only the lower ones are kept. What is
 * between them follows from the slot's place and how far it is from home.
 *
 *     h              1011 0010 1101 0001 1110 1010 0011 …     home = h * homes >> bits of h
 *     narrow slot    low bits of h: 22   distance + 1: 8   marks: 2          0: free
 *     wide slot      the name with its marks: 64                             0: free
 *
 * Names that are too large, or find no free slot within the distance, are in wide slots; so are all while there are few, and all of
 * a graph for which 22 bits are not enough. Tables are open-addressed, at most 4/5 full, and grow by a quarter.
 *
 * (Cleary: Compact Hash Tables Using Bidirectional Linear Probing, 1984; van der Vegt, Laarman: A Parallel Compact Hash Table,
 * 2011.)
 */
#ifndef EXPLORER_NAME_SET_H
#define EXPLORER_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NAME_NUMBER_BITS = 30, NAME_MARKS = 3 };

struct name_set;

struct name_set *name_set_create(void);
void name_set_destroy(struct name_set *set);

/* False: it is there. There must be room. */
bool name_set_add(struct name_set *set, uint64_t name);
bool name_set_has(const struct name_set *set, uint64_t name);
/* Gives memory time to answer. */
void name_set_prefetch(const struct name_set *set, uint64_t name);
/* Sets marks of a name that is there; returns those that it had. */
unsigned name_set_mark(struct name_set *set, uint64_t name, unsigned marks);
unsigned name_set_marks(const struct name_set *set, uint64_t name);

/* Is there room for so many more? If not, all workers but one must stop, and that one make some. */
bool name_set_has_room(const struct name_set *set, size_t names);
void name_set_make_room(struct name_set *set, size_t names);
/* How many bytes more that takes, at most, while it is done and after. */
uint64_t name_set_growth(const struct name_set *set, size_t names);

size_t name_set_count(const struct name_set *set);
uint64_t name_set_memory(const struct name_set *set); /* bytes */

/* For walking over all names when nobody adds any: places 0 … name_set_places - 1, and the name there with its marks, or 0. Places
 * change when room is made. */
size_t name_set_places(const struct name_set *set);
uint64_t name_set_at(const struct name_set *set, size_t place);
size_t name_set_place(const struct name_set *set, uint64_t name);

/* Writes the set; errors show on the stream. Reads it back, with the same places; NULL if it cannot be one. */
void name_set_save(const struct name_set *set, FILE *out);
struct name_set *name_set_read(FILE *in);

#endif
