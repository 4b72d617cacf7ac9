/* Deeds: what a rank may do that concerns others, and sets of them, interned.
 *
 * A deed is that something is sent: to a rank, on a communicator, with a tag, and at an agent touching something. If a
 * collective comes before it that its rank cannot leave until all members have entered, the deed has a *gate*, the communicator
 * of the nearest such collective: it is not done before each member has entered, so not before one moves that has not.
 *
 * Nor is it done before its rank has received a message of each of those that it has *heard* of by then on all ways there. Two
 * deeds that differ in nothing else become one, behind those whom both have heard of.
 *
 * What touches something is two deeds. One says what it touches, for those who ask about requests that do not commute: whom its
 * rank has heard of is nothing to them. The other says all else, for those who ask about messages, and is the same whatever is
 * touched. So there are as many as there are things touched, and not as many for each set of ranks heard of by then.
 *
 * That its rank enters a collective is one of the deeds where there are agents: towards nobody, and known for whom was heard of.
 *
 * Of what is right only in time (strict_sends.c) more is known, as there whole programs would be undone by less: how many of
 * these collectives come before it. */
#ifndef MODELS_MPI_DEEDS_H
#define MODELS_MPI_DEEDS_H

#include "models/mpi/model.h"
#include "models/name_table.h"

enum {
    DEEDS_MOST = 1 << 15,
    DEED_WORDS = DEEDS_MOST / 64,
    HEARD_MOST = 1 << 12, /* sets of ranks heard of */
    ANYTHING = 0,         /* the deed that stands for all that could not be told apart any more */
    NOTHING = 0,          /* the empty set */
};

#define NO_GATE UINT32_MAX
/* What a deed touches that has a twin which tells it; of that one if there are too many: anything. */
#define TOUCHES_OF_TWIN UINT32_MAX
#define TOUCHES_ANYTHING (UINT32_MAX - 1)
#define HURRY_MOST UINT32_MAX
/* In the place of whom it is towards. */
#define DEED_ENTERS UINT32_MAX

struct deed {
    uint32_t to, context;
    int32_t tag; /* WIRE_ANY_TAG: perhaps any */
    uint32_t gate;
    uint32_t
        touches; /* as in struct operation: that is all it tells; or TOUCHES_...; 0: it has no twin, and touches perhaps anything */
    uint32_t hurry; /* 0: it is right at any time. HURRY_MOST: at some. n: if a receive is posted for it, and n - 1 others for
                         what else is sent to the rank on the communicator before */
    uint16_t gates; /* ... then, so many collectives at least come before it, one after the other, on the gate's communicator */
    uint16_t heard; /* deeds_ranks of those of each of whom a message must have been received before */
};

/* What comes before. */
struct gate {
    uint32_t context; /* each member has entered the collective in which the rank is; NO_GATE: none that waits for all */
    uint32_t heard;   /* deeds_ranks of the ranks of whom a message was received */
    uint32_t sent;    /* before all that follows the step, that it does itself: deeds_count */
};

/* So many messages go to a rank on a communicator. */
struct sent {
    uint32_t to, context, count;
};

/* Of deeds by their numbers. The words that follow the last one are zero. */
struct deed_set {
    uint64_t words; /* 1 or more */
    uint64_t word[];
};

/* All deeds and sets, by their numbers. They stay where they are. */
struct deeds {
    struct deed deed[DEEDS_MOST];  /* written once, before any set holds it */
    uint32_t count, touching;      /* touching: those among them that say what */
    uint64_t requests[DEED_WORDS]; /* those that tell only what is touched */
    struct name_table deed_names;
    uint16_t kind[DEEDS_MOST]; /* of each deed: equal if they differ only in whom was heard of */
    uint16_t one[DEEDS_MOST];  /* of each kind, while sets are added; else 0 */
    struct name_table kind_names;
    uint32_t kinds;
    struct deed_set **set;
    uint32_t sets, set_room;
    uint64_t set_bytes;
    struct name_table set_names;
    struct name_table sum_names;        /* of two sets behind a gate: the set that they make */
    bool hurry;                         /* there is one that does */
    bool agents;                        /* there are agents */
    struct rank_set *heard[HEARD_MOST]; /* number 1 first; written once, as deeds are */
    uint32_t heards;
    struct name_table heard_names;
    struct sent *sent; /* lists, each followed by one that says 0; the first is empty */
    uint32_t sents, sent_room;
    struct name_table sent_names;
};

/* All zero before. */
void deeds_begin(struct deeds *deeds);
void deeds_end(struct deeds *deeds);
/* Bytes held, besides the struct. */
uint64_t deeds_memory(const struct deeds *deeds);

/* Does it tell only what is touched? */
bool deed_is_of_requests(const struct deed *deed);
/* As in struct request. */
uint32_t deed_touches(const struct deed *deed);

/* The number of the set that so many words say. */
uint32_t deeds_intern(struct deeds *deeds, const uint64_t *word, uint32_t words);
/* Of the set of what a step sends. */
uint32_t deeds_sent(struct deeds *deeds, const struct step_result *result);
/* Of that of the deeds of both, all of them behind the gate: `a` is done in the step that is behind it, `b` after that. */
uint32_t deeds_sum(struct deeds *deeds, uint32_t a, uint32_t b, struct gate gate);
/* The number of a set of ranks; 0 if it is empty, or if there are too many. */
uint32_t deeds_ranks(struct deeds *deeds, const struct rank_set *ranks);
/* Of the list of what a step sends to whom. */
uint32_t deeds_count(struct deeds *deeds, const struct step_result *result);

void deeds_save(const struct deeds *deeds, FILE *out);
/* Into deeds that have just begun. False: the file is not one. */
bool deeds_load(struct deeds *deeds, FILE *in);

#endif
