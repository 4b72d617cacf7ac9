/* Pairs of histories: two ways for a rank to come to a point. Where they leave the program in the same situation, they must leave
 * it in one local state; where they do not, in two. The skeleton that runs them is in histories.c; run_histories says how
 * states are counted. */
#ifndef TESTS_MEMORY_HISTORIES_H
#define TESTS_MEMORY_HISTORIES_H

#ifdef __cplusplus
extern "C" {
#endif

enum relation { SAME, DIFFERENT };

struct pair {
    const char *name;
    enum relation relation;
    void (*a)(void);
    void (*b)(void); /* NULL: nothing happens */
};

/* Ended by an entry without name. */
extern const struct pair memory_pairs[], library_pairs[], mpi_pairs[], process_pairs[], cxx_pairs[];

#ifdef __cplusplus
}
#endif

#endif
