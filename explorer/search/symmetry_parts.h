/* What the parts of symmetry.c share. */
#ifndef EXPLORER_SYMMETRY_PARTS_H
#define EXPLORER_SYMMETRY_PARTS_H

#include "explorer/search/symmetry.h"
#include "models/name_table.h"

/* A step that was taken, or whose image was. */
struct known_step {
    unsigned rank;
    uint32_t component; /* in which it was taken */
    struct resolution *answer;
    const struct step_result *result;
};

/* Images of components: none asked for; that there is none; else two more than the number. */
enum { NOT_ASKED, NO_IMAGE, IMAGES };

struct local_image {
    uint32_t next;                    /* one more than the local state; 0: there is none */
    const struct step_result *result; /* that led there */
    const struct step_result *own;    /* one that led to the local state itself */
    unsigned rank;                    /* whose local state it is */
};

struct mirror {
    struct swap swap;
    struct local_image *local; /* by local state */
    size_t local_room;
    struct name_table messages; /* to the payload of the image */
    uint32_t *component;        /* by component */
    size_t component_room;
    uint8_t *closed; /* by known step: its image is known */
    size_t closed_room, closed_count;
    uint8_t *in_turn; /* by local state: it is between messages to the two (symmetry_turns.c) */
    size_t in_turn_room;
};

struct symmetry {
    unsigned ranks, program_ranks; /* agents included; without */
    struct mpi_model *model;
    const struct step_source *steps;
    struct known_step *step;
    size_t count, room;
    size_t looked_at; /* steps before this one have been looked at as they came */
    struct name_table names;
    uint64_t answer_bytes;
    struct mirror *mirror; /* by the first of the two */
    unsigned mirrors;
    uint32_t *kind; /* by component: equal for images; 0: not known */
    size_t kind_room;
    uint32_t kinds;
    uint64_t looks;  /* at steps while mirrors are looked for */
    uint8_t *passed; /* by local state: a step that leads there was taken since mirrors are known */
    size_t passed_room;
    uint32_t *state, *other; /* scratch */
    uint32_t *trial;
    uint32_t *orbit;
    unsigned *orbit_rank;
    size_t orbit_room, orbit_rank_room;
    struct resolution *image;
    size_t image_room;
};

/* The image of a local state; NULL: none is known. */
const struct local_image *image_of_local(const struct mirror *mirror, uint32_t local);
/* Learns the image of a local state of a rank: the results are those that led to the two. False: it has another one. */
bool learn_local(struct mirror *mirror, unsigned rank, uint32_t local, const struct step_result *own, uint32_t image,
                 const struct step_result *result);
/* The image of a component of a rank. False: none is known. */
bool image_of_component(struct symmetry *symmetry, struct mirror *mirror, unsigned rank, uint32_t component, uint32_t *image);

/* Notes a step of a rank that is taken, or may be. False: it was known. */
bool add_step(struct symmetry *symmetry, unsigned rank, uint32_t component, const struct resolution *answer,
              const struct step_result *result);
/* Is told of a step that is taken, and has those of its images executed. False: as symmetry_note. */
bool learn_step(struct symmetry *symmetry, unsigned rank, uint32_t component, const struct resolution *answer,
                const struct step_result *result);

/* ---- symmetry_turns.c: messages to the two, one after the other ---- */

/* A step is none of those whose image is as it should be: does it begin such messages, as `image`, the step taken in the
 * component `there` with the answer symmetry->image, does? Then learns where they lead. False: it does not. */
bool turns_learn(struct symmetry *symmetry, struct mirror *mirror, const struct known_step *step, uint32_t there,
                 const struct step_result *image);
/* A rank of the state is about to make a step. If it begins such messages: they go out whatever the others do. False: perhaps they
 * do not. To be told of all steps that are taken, but those that do not lead to where symmetry_is_always_told may be left out after
 * the first time. */
bool turns_hold(struct symmetry *symmetry, const uint32_t *state, unsigned rank, const struct resolution *answer,
                const struct step_result *result);
/* Is a rank in the middle of them? */
bool turns_hold_up(const struct mirror *mirror, uint32_t local);

#endif
