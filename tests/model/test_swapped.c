/* Images: what two ranks do when they have changed places. */
#include "tests/model/builder.h"

#include <criterion/criterion.h>
#include <string.h>

enum { ANYONE = WIRE_ANY_SOURCE, ANY_TAG = WIRE_ANY_TAG, TAG = 5, LONG = 8, SHORT = 4 };

static struct world world;

/* Messages are their own images, but for what was learnt last. */
static struct message learnt;
static uint32_t learnt_payload;
static bool knows_better; /* each message that is to be learnt is known to say something else */

static bool image_of(void *context, const struct message *message, uint32_t *payload) {
    (void)context;
    *payload = memcmp(message, &learnt, sizeof learnt) == 0 ? learnt_payload : message->payload;
    return true;
}

static bool learn(void *context, const struct message *message, uint32_t payload) {
    (void)context;
    learnt = *message;
    learnt_payload = payload;
    return !knows_better;
}

static bool nothing_known(void *context, const struct message *message, uint32_t *payload) {
    (void)context, (void)message, (void)payload;
    return false;
}

/* Ranks 1 and 2 change places. */
static struct swap swap = {1, 2, RANKS, image_of, learn, NULL};

static void begin(void) {
    learnt = (struct message){0};
    knows_better = false;
    world_begin(&world, BUFFERING_NONE);
}

/* Is what rank 2 did last the image of what rank 1 did? */
static bool is_image(void) {
    return mpi_model_is_image_result(world.model, &swap, 1, mpi_model_result(world.model, world.state[1]),
                                     mpi_model_result(world.model, world.state[2]));
}

static bool are_images(struct operation one, struct operation other) {
    begin();
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (1), one);
    DO(&world, 2, WIRE_CALL_WAIT_ALL, (1), other);
    return is_image();
}

static struct operation sent(void) { return send(0, TAG, LONG, 1, WIRE_STANDARD); }

Test(swapped, the_same_send_of_the_other_rank_is_the_image) {
    cr_assert(are_images(sent(), sent()));
    cr_assert_eq(learnt.from, 1);
    cr_assert_eq(learnt.to, 0);
    cr_assert_eq(learnt.tag, TAG);
    cr_assert_eq(learnt_payload, LONG);
}

Test(swapped, whoever_is_named_has_changed_places) {
    cr_assert(are_images(send(2, TAG, LONG, 1, WIRE_STANDARD), send(1, TAG, LONG, 1, WIRE_STANDARD)));
    cr_assert_not(are_images(send(2, TAG, LONG, 1, WIRE_STANDARD), send(2, TAG, LONG, 1, WIRE_STANDARD)));
    cr_assert(are_images(receive(ANYONE, TAG, LONG, 1), receive(ANYONE, TAG, LONG, 1)));
}

Test(swapped, all_else_must_be_the_same) {
    struct operation other = sent();
    other.tag = TAG + 1;
    cr_assert_not(are_images(sent(), other), "the tag");
    other = sent();
    other.mode = WIRE_SYNCHRONOUS;
    cr_assert_not(are_images(sent(), other), "the mode");
    other = sent();
    other.site = 7;
    cr_assert_not(are_images(sent(), other), "the call site");
    other = sent();
    other.request = 2;
    cr_assert_not(are_images(sent(), other), "the request");
    other = sent();
    other.agreement = 9;
    cr_assert_not(are_images(sent(), other), "the type");
    cr_assert_not(are_images(receive(0, TAG, LONG, 1), receive(0, TAG, SHORT, 1)), "the room");
    cr_assert_not(are_images(receive(0, TAG, LONG, 1), sent()), "the kind");
}

/* A payload of the builder is as long as its number says. */
Test(swapped, messages_are_as_long) {
    cr_assert_not(are_images(sent(), send(0, TAG, SHORT, 1, WIRE_STANDARD)));
    cr_assert_not(are_images(sent(), send(0, TAG, NO_PAYLOAD, 1, WIRE_STANDARD)));
}

Test(swapped, a_message_has_one_image) {
    begin();
    knows_better = true;
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (1), sent());
    DO(&world, 2, WIRE_CALL_WAIT_ALL, (1), sent());
    cr_assert_not(is_image());
}

Test(swapped, calls_are_the_same) {
    begin();
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (1), sent());
    DO(&world, 2, WIRE_CALL_WAIT_ANY, (1), sent());
    cr_assert_not(is_image());
    world_probe(&world, 1, WIRE_CALL_PROBE, 2, TAG);
    world_probe(&world, 2, WIRE_CALL_PROBE, 1, TAG);
    cr_assert(is_image());
    world_probe(&world, 2, WIRE_CALL_PROBE, 2, TAG);
    cr_assert_not(is_image(), "it probes for itself");
}

/* Everybody the same to everybody. */
static struct operation brings(enum wire_pattern pattern) {
    struct operation operation = collective(pattern, -1, 0);
    world_list((const uint32_t[]){LONG}, 1);
    operation.payload = 1;
    return operation;
}

/* In so much of the attached buffer. */
static struct operation buffered(uint64_t room) {
    struct operation operation = send(0, TAG, LONG, 1, WIRE_BUFFERED);
    operation.capacity = room;
    return operation;
}

/* Who is where decides of whom a member of a prefix reduction hears; a matched probe has taken a message away; whether a buffer has
 * room, or a receive is posted in time, depends on when. */
Test(swapped, some_have_no_image) {
    cr_assert(are_images(brings(WIRE_ALL_TO_ALL), brings(WIRE_ALL_TO_ALL)));
    cr_assert_not(are_images(brings(WIRE_PREFIX), brings(WIRE_PREFIX)));
    cr_assert_not(are_images(brings(WIRE_PREFIX_EXCLUSIVE), brings(WIRE_PREFIX_EXCLUSIVE)));
    cr_assert_not(are_images(brings(WIRE_NEIGHBOURS), brings(WIRE_NEIGHBOURS)));
    cr_assert_not(are_images(buffered(LONG), buffered(LONG)));
    cr_assert_not(are_images(send(0, TAG, LONG, 1, WIRE_READY), send(0, TAG, LONG, 1, WIRE_READY)));
    begin();
    world_probe(&world, 1, WIRE_CALL_MPROBE, 0, TAG);
    world_probe(&world, 2, WIRE_CALL_MPROBE, 0, TAG);
    cr_assert_not(is_image());
}

static struct operation request(uint32_t touches) {
    struct operation operation = buffered(0);
    operation.touches = touches;
    return operation;
}

/* What agents are asked has an image if it touches the same; of who listens the same is calm. */
Test(swapped, requests_touch_the_same) {
    cr_assert(are_images(request(0), request(0)));
    cr_assert(are_images(request(3), request(3)));
    cr_assert_not(are_images(request(3), request(4)));
    struct operation calm = receive(ANYONE, ANY_TAG, LONG, 1), locked = calm;
    calm.mode = locked.mode = WIRE_CALM;
    locked.touches = 3;
    cr_assert(are_images(calm, calm));
    cr_assert(are_images(locked, locked));
    cr_assert_not(are_images(calm, locked));
    cr_assert_not(are_images(calm, receive(ANYONE, ANY_TAG, LONG, 1)));
}

Test(swapped, agents_change_places_with_their_ranks) {
    const struct swap with_agents = {.one = 1, .other = 2, .program_ranks = 4};
    const unsigned image[] = {0, 2, 1, 3, 4, 6, 5, 7};
    for (unsigned rank = 0; rank < 8; rank++)
        cr_assert_eq(swap_rank(&with_agents, rank), image[rank]);
}

static bool image_of_first(uint32_t *image) {
    return mpi_model_swap_component(world.model, &swap, 1, world.state[1], mpi_model_local(world.model, world.state[2]),
                                    mpi_model_result(world.model, world.state[2]), image);
}

Test(swapped, the_image_of_a_component_is_what_the_other_rank_comes_to) {
    uint32_t image;
    begin();
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (1), send(2, TAG, LONG, 1, WIRE_STANDARD), receive(2, TAG, LONG, 2));
    DO(&world, 2, WIRE_CALL_WAIT_ALL, (1), send(1, TAG, LONG, 1, WIRE_STANDARD), receive(1, TAG, LONG, 2));
    cr_assert(mpi_model_is_image(world.model, &swap, 1, world.state[1], world.state[2]));
    cr_assert(image_of_first(&image));
    cr_assert_eq(image, world.state[2]);
    swap.image = nothing_known;
    cr_assert_not(image_of_first(&image), "what its message says is not known");
    swap.image = image_of;
}

Test(swapped, an_answer_tells_of_the_other_sender) {
    union {
        struct resolution resolution;
        char room[sizeof(struct resolution) + sizeof(struct completion)];
    } image;
    begin();
    DO(&world, 1, WIRE_CALL_WAIT_ALL, (1), sent());
    DO(&world, 0, WIRE_CALL_WAIT_ALL, (1), receive(ANYONE, TAG, LONG, 1));
    settle(&world);
    cr_assert_null(take_from(&world, 0, 1));
    const struct resolution *answer = ready(&world, 0);
    cr_assert(mpi_model_swap_answer(world.model, &swap, 0, world.state[0], answer, &image.resolution));
    cr_assert_eq(answer->completion[0].source, 1);
    cr_assert_eq(image.resolution.completion[0].source, 2);
    cr_assert_eq(image.resolution.completion[0].payload, LONG);
    cr_assert_eq(image.resolution.completion[0].tag, TAG);
}
