/* Ranks that are interchangeable. Two ranks are if, from some state on, the program is the same with the two in each other's place:
 * then states that differ only in who of them is who need not be told apart, and one of them is visited for all.
 *
 * That is proved by what the ranks do. A mirror exchanges two ranks, and their agents. It has an image of each local state that it
 * knows of, and of each message; both begin with a state whose image is that state itself, and go on in lockstep: of each step from a
 * local state that has an image, the step of that one with the image of the answer is executed too, and must do the image of what the
 * step does.
 * Where it does, the local states that the two lead to, and the messages that they send, are each other's image; one that had
 * another image before breaks the mirror. Images are images of their images.
 *
 *     Take the program in which a rank halts instead of making a step that is not known. If all that is known is closed under a
 *     mirror, as symmetry_close sees to, then a transition leads from a state that has an image to one whose image is where the
 *     image of the transition leads: states behave as their images. So whatever can be reached from a state, up to mirrors, can be
 *     reached from its image. The search visits an image instead of a state now and then, and meets no step that is not known: so
 *     it meets, up to mirrors, what the program in which ranks halt can reach, and none of them ever halts.
 *
 * Messages to the two, one after the other, are an exception (symmetry_turns.c).
 *
 * Whether the state that a mirror begins with can be reached at all is of no concern to that. But what is found in an image need not
 * happen: so whatever is to be reported is looked for without mirrors. Nor is how ranks end part of what is mirrored, which may
 * print their numbers: symmetry_ends tells whose ends must be what they should.
 *
 * Persistent sets go with that (Emerson, Jha, Peled: Combining Partial Order and Symmetry Reductions, TACAS 1997), if what is assumed
 * of ranks is known to hold of images as well: of each step its images are noted. */
#ifndef EXPLORER_SYMMETRY_H
#define EXPLORER_SYMMETRY_H

#include "explorer/steps/step_source.h"
#include "models/mpi/model.h"

struct symmetry;

/* `ranks`: agents included. The others must outlive it. */
struct symmetry *symmetry_create(unsigned ranks, unsigned program_ranks, struct mpi_model *model,
                                 const struct step_source *steps);
void symmetry_destroy(struct symmetry *symmetry);
uint64_t symmetry_memory(const struct symmetry *symmetry); /* bytes */

/* A rank of the state is about to make a step, which must be known from now on, and of its images the same is made known. To be
 * told of all steps that are taken, of most of them once. False: a mirror broke, or a step could not be executed; nothing is proved
 * by mirrors then. */
bool symmetry_note(struct symmetry *symmetry, const uint32_t *state, unsigned rank, const struct resolution *answer,
                   const struct step_result *result);

/* Must it be told of steps that lead to this local state each time they are taken? */
bool symmetry_is_always_told(const struct symmetry *symmetry, uint32_t local);

/* Looks for mirrors that leave this state as it is, of ranks that have none yet, and keep a good part of the steps told of. Only
 * before the first state is changed. False: that has taken long enough. */
bool symmetry_look(struct symmetry *symmetry, const uint32_t *state);
bool symmetry_is_known(const struct symmetry *symmetry); /* there is a mirror */

/* A state is about to be explored from the root again. */
void symmetry_begin(struct symmetry *symmetry);
/* Changes a state to one of its images, if that is the one to be visited for it; from symmetry_begin on always to the same. */
void symmetry_change(struct symmetry *symmetry, uint32_t *state);

/* Makes everything known that must be. False: as symmetry_note. */
bool symmetry_close(struct symmetry *symmetry);
/* Calls for each end of a rank that has an image, and that image. All of them as they should be, or none of such a pair: then it
 * returns true. */
bool symmetry_ends(const struct symmetry *symmetry,
                   bool (*as_it_should)(void *context, unsigned rank, uint32_t local, const struct step_result *result),
                   void *context);

/* To which of the ranks a rank is interchangeable: the lowest of them, itself if there is no other. */
unsigned symmetry_first_like(const struct symmetry *symmetry, unsigned rank);

#endif
