#include "tests/por/spelt.h"

#include <criterion/criterion.h>
#include <string.h>

static size_t offered(void *self, const void *state, const struct event_offered **list) {
    struct spelt *spelt = self;
    const uint8_t taken = *(const uint8_t *)state;
    size_t count = 0;
    for (size_t i = 0; i < spelt->events; i++)
        if (!(taken >> spelt->does[i] & 1) && (spelt->needs[i] & ~taken) == 0 && !(spelt->excluded_by[i] & taken))
            spelt->list[count++] = (struct event_offered){1 + i, {.owner = spelt->owner[i], .a = (uint32_t)i}};
    *list = spelt->list;
    return count;
}

static enum event_taken take(void *self, void *state, const struct transition *transition) {
    const struct spelt *spelt = self;
    *(uint8_t *)state |= (uint8_t)(1 << spelt->does[transition->a]);
    return spelt->fail >> transition->a & 1 ? EVENT_FAULT : EVENT_TAKEN;
}

static struct name place(void *self, const void *state) {
    (void)self;
    return name_of_hash(*(const uint8_t *)state);
}

static void forget(void *self, void *state) { (void)self, (void)state; }

static bool note_end(void *context, enum ordering_end end, const void *state, const struct ordering_step *step, size_t steps) {
    struct spelt_ends *ends = context;
    (void)step, (void)steps;
    cr_assert(end == ORDERING_QUIET || end == ORDERING_FAULT);
    ends->in[*(const uint8_t *)state] = true;
    return true;
}

struct spelt_ends spelt_ends_of(explore_orderings *explore, struct spelt *spelt, struct ordering_counts *counts) {
    const uint8_t initial = 0;
    const struct event_system system = {
        .state_bytes = 1, .offered = offered, .take = take, .place = place, .forget = forget, .self = spelt};
    struct spelt_ends ends = {{0}};
    const struct ordering_listener listener = {note_end, &ends};
    struct ordering_counts own;
    cr_assert(explore(&system, &initial, &listener, counts ? counts : &own));
    return ends;
}

bool spelt_are_alike(const struct spelt_ends *a, const struct spelt_ends *b) { return !memcmp(a, b, sizeof *a); }

static uint32_t draw(uint32_t *random, uint32_t below) {
    *random = *random * 1664525 + 1013904223;
    return (*random >> 16) % below;
}

static void exclude(struct spelt *spelt, unsigned i, unsigned j) {
    spelt->excluded_by[i] |= (uint8_t)(1 << j);
    spelt->excluded_by[j] |= (uint8_t)(1 << i);
}

/* Owners, and what events need. */
static struct spelt draw_causes(uint32_t *random) {
    struct spelt spelt = {.events = 2 + draw(random, SPELT_MOST - 1)};
    const uint32_t owners = 1 + draw(random, 4), needy = draw(random, 4);
    for (unsigned i = 0; i < spelt.events; i++) {
        spelt.owner[i] = (uint16_t)draw(random, owners);
        spelt.does[i] = (uint8_t)i;
        for (unsigned j = 0; j < i; j++)
            if (draw(random, 10) < needy)
                spelt.needs[i] |= (uint8_t)(1 << j);
    }
    return spelt;
}

/* Has event i do what an earlier one of its owner does, that nobody needed yet for what it does. */
static void draw_twin(uint32_t *random, struct spelt *spelt, unsigned i) {
    for (unsigned j = 0; j < i; j++)
        if (spelt->owner[i] == spelt->owner[j] && spelt->does[j] == j && !(spelt->needs[i] >> j & 1) && draw(random, 6) == 0)
            spelt->does[i] = (uint8_t)j;
}

struct spelt spelt_draw(uint32_t *random) {
    struct spelt spelt = draw_causes(random);
    const uint32_t jealous = draw(random, 4);
    for (unsigned i = 0; i < spelt.events; i++)
        draw_twin(random, &spelt, i);
    for (unsigned i = 0; i < spelt.events; i++)
        for (unsigned j = 0; j < i; j++)
            if (spelt.owner[i] == spelt.owner[j] && spelt.does[i] == i && spelt.does[j] == j && draw(random, 4) < jealous)
                exclude(&spelt, i, j);
    for (unsigned i = 0; i < spelt.events; i++)
        spelt.excluded_by[i] = spelt.excluded_by[spelt.does[i]];
    return spelt;
}

struct spelt spelt_draw_rivals(uint32_t *random) {
    struct spelt spelt = draw_causes(random);
    const uint32_t kinds = 1 + draw(random, 3);
    uint32_t kind[SPELT_MOST];
    for (unsigned i = 0; i < spelt.events; i++) {
        kind[i] = draw(random, kinds);
        for (unsigned j = 0; j < i; j++)
            if (spelt.owner[i] == spelt.owner[j] && kind[i] == kind[j] && !(spelt.needs[i] >> j & 1))
                exclude(&spelt, i, j);
    }
    return spelt;
}
