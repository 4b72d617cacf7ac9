/* Messages to the two of a mirror by a third rank, one after the other: the tasks of a new round, the news that there are no more.
 *
 *     here                      the image: the same program, so in the same order
 *     A -> sends a to one       A' -> sends a' to one
 *       -> sends b to other        -> sends b' to other
 *       -> B                       -> B'
 *
 * No step is another one's image. But if the two are waiting for these messages already when A is left, with nobody else having to
 * do anything, then what comes of it is the same as if the sender had gone from A to B at once, in either order: and B' is the image
 * of B if b' is that of a, and a' that of b. The local states between have no image, but are met between two states of the graph
 * only.
 *
 *     The messages of several mirrors may be a series, from a local state before all of them to one behind. That all receivers are
 *     waiting is made sure of wherever a series begins: from there the others do what they can do while the sender stays where it
 *     is, then all messages go out while the others stay where they are. As determined moves commute, that leads to the same state
 *     as any other order of them. In an image of the state, and in images of images, the images of these moves can be made, and
 *     the messages then do not wait for anything either, as each depends on none of the others, and they are for the same ranks. */
#include "explorer/search/symmetry_parts.h"

#include "explorer/containers/search_storage.h"

#include <string.h>

/* So many steps that nobody chooses may come one after the other; perhaps they never end. */
enum { STEPS_MOST = 1 << 12 };

bool turns_hold_up(const struct mirror *mirror, uint32_t local) {
    return local < mirror->in_turn_room && mirror->in_turn[local];
}

static bool is_within(const struct symmetry *symmetry, uint32_t local) {
    unsigned i = 0;
    while (i < symmetry->mirrors && !turns_hold_up(&symmetry->mirror[i], local))
        i++;
    return i < symmetry->mirrors;
}

bool symmetry_is_always_told(const struct symmetry *symmetry, uint32_t local) { return is_within(symmetry, local); }

/* False: the local state is none of those between, or somebody has come there when that was not known. */
static bool set_within(const struct symmetry *symmetry, struct mirror *mirror, uint32_t local) {
    const bool passed = local < symmetry->passed_room && symmetry->passed[local];
    if (image_of_local(mirror, local) || (passed && !is_within(symmetry, local)))
        return false;
    mirror->in_turn = storage_grow_zeroed(mirror->in_turn, &mirror->in_turn_room, (size_t)local + 1, sizeof *mirror->in_turn);
    mirror->in_turn[local] = true;
    return true;
}

/* ---- at one rank ---- */

/* The answer to the call that ended a step. */
union given {
    struct resolution resolution;
    char room[EXPECTED_ANSWER_BYTES];
};

/* Does the step end by waiting for the message that it has sent last, and for nothing else? */
static bool waits_for_message(const struct step_result *result, union given *answer) {
    return mpi_model_expects_answer(result, &answer->resolution) && answer->resolution.completions == 1 &&
           result->operation[result->operations - 1].request == result->call.request[0];
}

static const struct operation *message_of(const struct step_result *result) {
    return &result->operation[result->operations - 1];
}

/* Both sides, in lockstep. */
struct turns {
    struct symmetry *symmetry;
    struct mirror *mirror;
    unsigned rank;
    const struct step_result *here, *there;
};

static bool is_image(const struct turns *turns, const struct step_result *result, uint32_t operation,
                     const struct step_result *image, uint32_t operation_of_image) {
    return mpi_model_is_image_operation(turns->symmetry->model, &turns->mirror->swap, turns->rank, result, operation, image,
                                        operation_of_image);
}

/* What one step did besides sending the first message. */
static bool rest_is_image(const struct turns *turns) {
    uint32_t same = 0;
    while (same + 1 < turns->here->operations && is_image(turns, turns->here, same, turns->there, same))
        same++;
    return same + 1 == turns->here->operations;
}

/* The step that follows when the message is out; *answer is then that it is. NULL: there is none. */
static const struct step_result *next_step(const struct symmetry *symmetry, const struct step_result *result,
                                           union given *answer) {
    const struct step_source *steps = symmetry->steps;
    if (!waits_for_message(result, answer))
        return NULL;
    const struct step_result *next = steps->get(steps->self, result->local, &answer->resolution);
    return next && !step_ended_badly(next) ? next : NULL;
}

/* Goes on on both sides. The ranks are then known to be able to take the steps of the image. */
static bool go_on(struct turns *turns) {
    struct symmetry *symmetry = turns->symmetry;
    union given answer;
    const struct step_result *here = next_step(symmetry, turns->here, &answer);
    const struct step_result *there = here ? next_step(symmetry, turns->there, &answer) : NULL;
    if (!there || !set_within(symmetry, turns->mirror, turns->here->local) ||
        !set_within(symmetry, turns->mirror, turns->there->local))
        return false;
    add_step(symmetry, turns->rank, symmetry->state[turns->rank], &answer.resolution, there);
    mpi_model_step(symmetry->model, symmetry->state, turns->rank, &answer.resolution, there);
    turns->here = here;
    turns->there = there;
    return true;
}

/* The first message is out: is the second one next, or one to a third rank? */
static bool is_one_message(const struct turns *turns) {
    union given answer;
    return turns->here->operations == 1 && turns->there->operations == 1 && waits_for_message(turns->here, &answer) &&
           waits_for_message(turns->there, &answer);
}

static bool is_of_mirror(const struct swap *swap, int32_t peer) {
    return peer == (int32_t)swap->one || peer == (int32_t)swap->other;
}

/* The messages between the two that the mirror exchanges. */
static bool pass_others(struct turns *turns, int32_t last) {
    for (unsigned passed = 0; is_one_message(turns); passed++) {
        if (message_of(turns->here)->peer == last)
            return true;
        if (passed == turns->symmetry->ranks || !is_image(turns, turns->here, 0, turns->there, 0) || !go_on(turns))
            return false;
    }
    return false;
}

static bool learn_end(struct turns *turns) {
    return mpi_model_is_image_result(turns->symmetry->model, &turns->mirror->swap, turns->rank, turns->here, turns->there) &&
           learn_local(turns->mirror, turns->rank, turns->here->local, turns->here, turns->there->local, turns->there);
}

bool turns_learn(struct symmetry *symmetry, struct mirror *mirror, const struct known_step *step, uint32_t there,
                 const struct step_result *image) {
    const struct swap *swap = &mirror->swap;
    struct turns turns = {symmetry, mirror, step->rank, step->result, image};
    union given answer;
    if (swap_rank(swap, step->rank) != step->rank || step->result->operations != image->operations ||
        !waits_for_message(step->result, &answer) || !waits_for_message(image, &answer))
        return false;
    const int32_t peer = message_of(image)->peer;
    if (!is_of_mirror(swap, peer) || message_of(step->result)->peer != peer || !rest_is_image(&turns))
        return false;
    symmetry->state[step->rank] = there;
    mpi_model_step(symmetry->model, symmetry->state, step->rank, symmetry->image, image);
    return go_on(&turns) && pass_others(&turns, (int32_t)swap_rank(swap, (unsigned)peer)) &&
           is_image(&turns, step->result, step->result->operations - 1, turns.there, 0) &&
           is_image(&turns, turns.here, 0, image, image->operations - 1) && go_on(&turns) && learn_end(&turns);
}

/* ---- among all ranks ---- */

/* What comes of looking: something else will show that the state is none of those that mirrors are for. */
enum looking { GOES_ON, IS_ANOTHER, FAILS };

static enum looking step_on(struct symmetry *symmetry, unsigned rank, const struct resolution *answer) {
    const struct step_source *steps = symmetry->steps;
    const struct step_result *result = steps->get(steps->self, mpi_model_local(symmetry->model, symmetry->trial[rank]), answer);
    if (!result)
        return FAILS;
    if (step_ended_badly(result))
        return IS_ANOTHER;
    if (!learn_step(symmetry, rank, symmetry->trial[rank], answer, result))
        return FAILS;
    mpi_model_step(symmetry->model, symmetry->trial, rank, answer, result);
    return GOES_ON;
}

/* The others do what they can do while the rank stays where it is. */
static enum looking others_settle(struct symmetry *symmetry, unsigned staying) {
    struct violation violation;
    bool any = true;
    for (unsigned round = 0; any; round++) {
        any = false;
        if (round == STEPS_MOST)
            return FAILS;
        if (!mpi_model_settle(symmetry->model, symmetry->trial, &violation))
            return IS_ANOTHER;
        for (unsigned rank = 0; rank < symmetry->ranks; rank++) {
            const struct resolution *answer = rank == staying ? NULL : mpi_model_ready(symmetry->model, symmetry->trial, rank);
            const enum looking went = answer ? step_on(symmetry, rank, answer) : GOES_ON;
            if (went != GOES_ON)
                return went;
            any |= answer != NULL;
        }
    }
    return GOES_ON;
}

/* Has every rank an image? */
static enum looking look_for_images(struct symmetry *symmetry, struct mirror *mirror) {
    uint32_t image;
    for (unsigned rank = 0; rank < symmetry->ranks; rank++) {
        const uint32_t component = symmetry->trial[rank];
        if (turns_hold_up(mirror, mpi_model_local(symmetry->model, component)))
            return FAILS;
        if (!image_of_component(symmetry, mirror, rank, component, &image))
            return IS_ANOTHER;
    }
    return GOES_ON;
}

/* By some mirror? */
static enum looking look_at_mirrors(struct symmetry *symmetry) {
    enum looking went = IS_ANOTHER;
    for (unsigned i = 0; i < symmetry->mirrors; i++) {
        const enum looking by_this = look_for_images(symmetry, &symmetry->mirror[i]);
        if (by_this == FAILS)
            return FAILS;
        if (by_this == GOES_ON)
            went = GOES_ON;
    }
    return went;
}

/* All messages go out while the others stay where they are. */
static enum looking send_all(struct symmetry *symmetry, unsigned rank) {
    struct violation violation;
    for (unsigned step = 0; is_within(symmetry, mpi_model_local(symmetry->model, symmetry->trial[rank])); step++) {
        if (step == STEPS_MOST)
            return FAILS;
        if (!mpi_model_settle(symmetry->model, symmetry->trial, &violation))
            return IS_ANOTHER;
        const struct resolution *answer = mpi_model_ready(symmetry->model, symmetry->trial, rank);
        const enum looking went = answer ? step_on(symmetry, rank, answer) : FAILS;
        if (went != GOES_ON)
            return went;
    }
    return GOES_ON;
}

static enum looking look(struct symmetry *symmetry, const uint32_t *state, unsigned rank, const struct resolution *answer,
                         const struct step_result *result) {
    memcpy(symmetry->trial, state, symmetry->ranks * sizeof *state);
    enum looking went = others_settle(symmetry, rank);
    if (went == GOES_ON)
        went = look_at_mirrors(symmetry);
    if (went != GOES_ON)
        return went;
    mpi_model_step(symmetry->model, symmetry->trial, rank, answer, result);
    return send_all(symmetry, rank);
}

static void note_passed(struct symmetry *symmetry, uint32_t local) {
    symmetry->passed =
        storage_grow_zeroed(symmetry->passed, &symmetry->passed_room, (size_t)local + 1, sizeof *symmetry->passed);
    symmetry->passed[local] = true;
}

bool turns_hold(struct symmetry *symmetry, const uint32_t *state, unsigned rank, const struct resolution *answer,
                const struct step_result *result) {
    note_passed(symmetry, result->local);
    const bool begins =
        is_within(symmetry, result->local) && !is_within(symmetry, mpi_model_local(symmetry->model, state[rank]));
    return !begins || look(symmetry, state, rank, answer, result) != FAILS;
}
