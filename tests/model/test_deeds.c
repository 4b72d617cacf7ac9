/* Deeds are told apart as long as there is room for them. Where there is none a set must hold one that stands for more. */
#include "models/bit_set.h"
#include "models/mpi/deeds.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MANY = 3 * DEEDS_MOST };

static struct deeds deeds;

static const struct deed_set *sent(uint32_t context, int32_t tag) {
    struct operation operation = {.kind = WIRE_SEND, .peer = 1, .context = context, .tag = tag};
    const struct step_result result = {.operations = 1, .operation = &operation};
    uint32_t number = deeds_sent(&deeds, &result);
    return deeds.set[number];
}

static const struct deed_set *behind(uint32_t set, uint32_t gate) {
    uint32_t number = deeds_sum(&deeds, set, NOTHING, (struct gate){.context = gate});
    return deeds.set[number];
}

/* Does the set hold something that a message of this kind may be? */
static bool holds(const struct deed_set *set, uint32_t context, int32_t tag) {
    bool found = set_has(set->word, ANYTHING);
    for (uint32_t i = 1; i < deeds.count && i < set->words * 64 && !found; i++) {
        const struct deed *deed = &deeds.deed[i];
        found = set_has(set->word, i) && deed->to == 1 && deed->context == context &&
                (deed->tag == tag || deed->tag == WIRE_ANY_TAG);
    }
    return found;
}

static void begin(void) {
    memset(&deeds, 0, sizeof deeds);
    deeds_begin(&deeds);
}

Test(deeds, of_too_many_communicators_are_anything) {
    begin();
    for (uint32_t context = 0; context < MANY; context++)
        cr_assert(holds(sent(context, 5), context, 5));
    cr_assert_leq(deeds.count, DEEDS_MOST);
    cr_assert(set_has(sent(MANY, 5)->word, ANYTHING));
    cr_assert_not(set_has(sent(0, 5)->word, ANYTHING));
    deeds_end(&deeds);
}

Test(deeds, of_too_many_tags_are_of_any_tag) {
    begin();
    for (int32_t tag = 0; tag < MANY; tag++)
        cr_assert(holds(sent(0, tag), 0, tag));
    cr_assert_lt(deeds.count, DEEDS_MOST);
    cr_assert(holds(sent(0, MANY), 0, 0));
    cr_assert_not(holds(sent(0, 0), 0, 1));
    deeds_end(&deeds);
}

Test(deeds, behind_too_many_gates_are_anything) {
    begin();
    struct operation operation = {.kind = WIRE_SEND, .peer = 1, .context = 0, .tag = 5};
    const struct step_result result = {.operations = 1, .operation = &operation};
    uint32_t set = deeds_sent(&deeds, &result);
    for (uint32_t gate = 0; gate < MANY; gate++)
        cr_assert(holds(behind(set, gate), 0, 5));
    cr_assert(set_has(behind(set, MANY)->word, ANYTHING));
    deeds_end(&deeds);
}

/* The set of a request to rank 1 that touches this, after each of these ranks was heard of. */
static const struct deed_set *request_touching(uint32_t touches, uint64_t heard) {
    struct operation operation = {.kind = WIRE_SEND, .peer = 1, .context = 0, .tag = 5, .touches = touches};
    const struct step_result result = {.operations = 1, .operation = &operation};
    const struct rank_set ranks = {.word = {heard}};
    const struct gate gate = {NO_GATE, deeds_ranks(&deeds, &ranks), 0};
    const uint32_t number = deeds_sum(&deeds, NOTHING, deeds_sent(&deeds, &result), gate);
    return deeds.set[number];
}

/* Does the set tell of a request that touches this, or perhaps does? */
static bool tells_of(const struct deed_set *set, uint32_t touches) {
    bool found = set_has(set->word, ANYTHING);
    for (uint32_t i = 1; i < deeds.count && i < set->words * 64 && !found; i++)
        found = set_has(set->word, i) && deed_is_of_requests(&deeds.deed[i]) &&
                (deed_touches(&deeds.deed[i]) == touches || deed_touches(&deeds.deed[i]) == 0);
    return found;
}

Test(deeds, that_touch_too_much_may_touch_anything) {
    begin();
    for (uint32_t touches = 1; touches <= MANY; touches++) {
        const struct deed_set *set = request_touching(touches, 0);
        cr_assert(tells_of(set, touches));
        cr_assert(holds(set, 0, 5), "and it is a message still");
    }
    cr_assert_lt(deeds.count, DEEDS_MOST);
    cr_assert(tells_of(request_touching(MANY, 0), 1));
    cr_assert_not(tells_of(request_touching(1, 0), 2));
    deeds_end(&deeds);
}

/* Ten things touched and seven sets of ranks heard of are ten deeds that tell what is touched; that tell the rest there is one
 * before anybody was heard of, and one for each of these sets. */
Test(deeds, that_touch_something_are_not_told_apart_by_who_was_heard_of) {
    enum { TOUCHED = 10, HEARD = 7 };
    begin();
    const uint32_t before = deeds.count;
    for (uint32_t touches = 1; touches <= TOUCHED; touches++) {
        for (uint64_t heard = 1; heard <= HEARD; heard++)
            cr_assert(tells_of(request_touching(touches, heard), touches));
    }
    cr_assert_eq(deeds.count - before, TOUCHED + 1 + HEARD);
    deeds_end(&deeds);
}
