/* Seeded random abstract programs. Most begin as a consistent exchange of messages, written down for both sides, and some
 * are then damaged: so that many complete, some need buffering to complete, some deadlock, some race, some crash. */
#ifndef TESTS_ORACLE_GENERATOR_H
#define TESTS_ORACLE_GENERATOR_H

#include "tests/oracle/program.h"

/* What may appear. */
struct generator_options {
    bool cancels;
    bool loops;       /* polling without end */
    bool phases;      /* mostly messages from anyone on both sides of collectives that all wait for */
    bool agents;      /* only a server and its clients, whose requests commute in part */
    bool locks;       /* the same of a server one of whose windows has a lock */
    bool alike;       /* one rank and others that do the same, most of the time */
    bool asks;        /* ... that is asked what was done in one of two phases */
    bool awaits;      /* ... or two, whose answers some clients await, all together, before all meet */
    bool large;       /* too large for brute force */
    bool hurry;       /* ready sends, most of them to receives that are posted in time; attached buffers with little room */
    bool groups;      /* communicator 1 has not all ranks, and is used as often as the other; imrecv, detach */
    unsigned smaller; /* halves what happens so many times: for a program that was too large */
    bool apart; /* only what a proof by parts can look at, and less that depends on orders; with `loops` ranks that poll, too */
};

void generate(struct program *program, uint64_t seed, const struct generator_options *options);

#endif
