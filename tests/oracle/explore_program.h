/* Runs the real model and the real search over an abstract program. */
#ifndef TESTS_ORACLE_EXPLORE_PROGRAM_H
#define TESTS_ORACLE_EXPLORE_PROGRAM_H

#include "explorer/search/search.h"
#include "models/mpi/apart.h"
#include "tests/oracle/behaviours.h"
#include "tests/oracle/program.h"

struct exploration {
    struct behaviours set;
    enum search_end end;
    size_t races;    /* findings of a class "race-…" */
    size_t outcomes; /* as counted by search_outcomes */
    uint64_t states;
    uint64_t merged;   /* local states that were taken for others */
    unsigned mistakes; /* times that this was wrong, and the search done again */
    bool alike;        /* ranks were found to be interchangeable, and nothing to report */
};

struct explore_way {
    unsigned
        breaks;  /* 0, or after how many layers the search ends and another one, with another model, goes on from what it has
                        saved, for twice as many, and so on */
    bool merges; /* local states that behave alike are taken for one from the beginning on; not with `breaks` */
};

/* Fills `exploration`; its set must be cleared by the caller. */
void explore_program(const struct program *program, const struct search_options *options, struct explore_way way,
                     struct exploration *exploration);
/* Is it proved by parts to end alike in every ordering, without errors? */
bool prove_program(const struct program *program, enum buffering buffering);

/* Is there advice on this synchronous send (explore --advice)? Of a program that is proved by parts. */
bool is_named_useless(const struct program *program, unsigned rank, unsigned index);
/* Is there on its blocking barriers, as if all of them were in one place? */
bool are_barriers_named_useless(const struct program *program);
/* Where its blocking barriers are, in groups (models/mpi/apart.h); `call`: malloc'd. Is there advice on a group? */
size_t find_barriers(const struct program *program, struct apart_call **call);
bool is_group_named_useless(const struct program *program, const struct apart_call *call, size_t calls, uint32_t group);

#endif
