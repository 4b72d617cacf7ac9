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
