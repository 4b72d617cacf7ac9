/* Which local states are taken for one, and that all that would tell them apart is looked at. Ranks are scripts: the steps are listed,
 * and what is not listed must not be asked for. Numbers of local states are the scripts'. */
#include "explorer/search/bisimilar.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MOST = 32, LOCALS_MOST = 32 };

struct scripted {
    uint32_t from, told;
    struct step_result result;
    struct operation said;
    unsigned executed;
    bool makes_wait; /* so long that somebody else asks 3 for 9 meanwhile */
};

struct script {
    struct scripted step[STEPS_MOST];
    unsigned steps;
    uint64_t output[LOCALS_MOST];
    struct step_source source;
    const struct step_source *merged; /* over it */
};

static struct resolution *message(uint32_t payload) {
    struct resolution *answer = calloc(1, sizeof *answer + sizeof answer->completion[0]);
    answer->kind = WIRE_COMPLETED;
    answer->completions = 1;
    answer->completion[0] = (struct completion){.payload = payload, .with_data = 1};
    return answer;
}

static uint32_t root(void *self, unsigned rank) {
    (void)self;
    return rank;
}

static struct scripted *find(struct script *script, uint32_t from, uint32_t told) {
    for (unsigned i = 0; i < script->steps; i++)
        if (script->step[i].from == from && script->step[i].told == told)
            return &script->step[i];
    cr_assert_fail("local state %u is told %u, which is not in the script", from, told);
    abort();
}

static uint32_t goes(const struct step_source *steps, uint32_t from, uint32_t told);

static const struct step_result *get(void *self, uint32_t local, const struct resolution *resolution) {
    struct scripted *step = find(self, local, resolution->completion[0].payload);
    step->executed++;
    if (step->makes_wait)
        goes(((struct script *)self)->merged, 3, 9);
    return &step->result;
}

static void want(void *self, uint32_t local, const struct resolution *resolution, bool follow) {
    (void)self, (void)local, (void)resolution, (void)follow;
}

static uint64_t output(void *self, uint32_t local) { return ((struct script *)self)->output[local]; }

static void begin(struct script *script) {
    *script = (struct script){.source = {.root = root, .get = get, .want = want, .output = output, .self = script}};
}

/* A local state that is told this payload comes to another one, at a call in `site`. */
static struct scripted *leads(struct script *script, uint32_t from, uint32_t told, uint32_t to, uint32_t site) {
    struct scripted *step = &script->step[script->steps++];
    *step =
        (struct scripted){.from = from, .told = told, .result = {.local = to, .call = {.kind = WIRE_CALL_PROBE, .site = site}}};
    return step;
}

static void says(struct scripted *step, uint32_t payload) {
    step->said = (struct operation){.kind = WIRE_SEND, .request = WIRE_NO_REQUEST, .payload = payload};
    step->result.operations = 1;
    step->result.operation = &step->said;
}

static void ends(struct scripted *step, int code) {
    step->result.ended = true;
    step->result.end = (struct wire_end){.kind = WIRE_EXIT, .finalized = 1, .code = code};
}

/* Where the step leads, as it is told; UINT32_MAX: it is refused. */
static uint32_t goes(const struct step_source *steps, uint32_t from, uint32_t told) {
    struct resolution *answer = message(told);
    const struct step_result *result = steps->get(steps->self, from, answer);
    free(answer);
    return result ? result->local : UINT32_MAX;
}

/* The rank is told 1 and 2, in either order, and is then in 3 or 4. */
static void tell_in_two_orders(struct script *script) {
    leads(script, 0, 1, 1, 10);
    leads(script, 0, 2, 2, 10);
    leads(script, 1, 2, 3, 20);
    leads(script, 2, 1, 4, 20);
}

/* It is in 3, and in 4 if that is not taken for 3. */
static void go_in_two_orders(const struct step_source *steps, uint32_t other) {
    cr_assert_eq(steps->root(steps->self, 0), 0);
    cr_assert_eq(goes(steps, 0, 1), 1);
    cr_assert_eq(goes(steps, 0, 2), 2);
    cr_assert_eq(goes(steps, 1, 2), 3);
    cr_assert_eq(goes(steps, 2, 1), other);
}

Test(bisimilar, what_was_told_the_same_in_another_order_is_one) {
    struct script script;
    begin(&script);
    tell_in_two_orders(&script);
    leads(&script, 3, 9, 5, 30);
    leads(&script, 4, 9, 6, 30);
    struct bisimilar *bisimilar = bisimilar_create(1);
    const struct step_source *steps = bisimilar_begin(bisimilar, &script.source);
    go_in_two_orders(steps, 3);
    cr_assert_eq(goes(steps, 3, 9), 5);
    cr_assert_eq(find(&script, 4, 9)->executed, 1, "it is checked that 4 does the same");
    cr_assert(!bisimilar_differs(bisimilar));
    bisimilar_destroy(bisimilar);
}

Test(bisimilar, of_agents_nothing_is_guessed) {
    struct script script;
    begin(&script);
    tell_in_two_orders(&script);
    struct bisimilar *bisimilar = bisimilar_create(0);
    go_in_two_orders(bisimilar_begin(bisimilar, &script.source), 4);
    bisimilar_destroy(bisimilar);
}

/* After 3 and 4 were taken for one, they turn out to differ: the next search tells them apart. */
static void must_differ(struct script *script) {
    struct bisimilar *bisimilar = bisimilar_create(1);
    const struct step_source *steps = bisimilar_begin(bisimilar, &script->source);
    go_in_two_orders(steps, 3);
    cr_assert_eq(goes(steps, 3, 9), UINT32_MAX);
    cr_assert(bisimilar_differs(bisimilar));
    cr_assert(bisimilar_has_guesses(bisimilar));
    steps = bisimilar_begin(bisimilar, &script->source);
    cr_assert(!bisimilar_differs(bisimilar));
    go_in_two_orders(steps, 4);
    cr_assert_eq(goes(steps, 3, 9), 5);
    bisimilar_destroy(bisimilar);
}

Test(bisimilar, those_that_come_to_different_calls_differ) {
    struct script script;
    begin(&script);
    tell_in_two_orders(&script);
    leads(&script, 3, 9, 5, 30);
    leads(&script, 4, 9, 6, 31);
    must_differ(&script);
}

Test(bisimilar, those_that_say_different_things_differ) {
    struct script script;
    begin(&script);
    tell_in_two_orders(&script);
    says(leads(&script, 3, 9, 5, 30), 100);
    says(leads(&script, 4, 9, 6, 30), 101);
    must_differ(&script);
}

Test(bisimilar, those_of_which_one_says_nothing_differ) {
    struct script script;
    begin(&script);
    tell_in_two_orders(&script);
    leads(&script, 3, 9, 5, 30);
    says(leads(&script, 4, 9, 6, 30), 101);
    must_differ(&script);
}

Test(bisimilar, those_that_write_different_things_differ) {
    struct script script;
    begin(&script);
    tell_in_two_orders(&script);
    leads(&script, 3, 9, 5, 30);
    leads(&script, 4, 9, 6, 30);
    script.output[6] = 1;
    must_differ(&script);
}

Test(bisimilar, those_that_end_otherwise_differ) {
    struct script script;
    begin(&script);
    tell_in_two_orders(&script);
    ends(leads(&script, 3, 9, 5, 0), 0);
    ends(leads(&script, 4, 9, 6, 0), 1);
    must_differ(&script);
}

Test(bisimilar, who_comes_later_is_asked_what_was_asked_before) {
    struct script script;
    begin(&script);
    tell_in_two_orders(&script);
    says(leads(&script, 3, 9, 5, 30), 100);
    says(leads(&script, 4, 9, 6, 30), 101);
    struct bisimilar *bisimilar = bisimilar_create(1);
    const struct step_source *steps = bisimilar_begin(bisimilar, &script.source);
    steps->root(steps->self, 0);
    goes(steps, 0, 1);
    goes(steps, 0, 2);
    goes(steps, 1, 2);
    cr_assert_eq(goes(steps, 3, 9), 5);
    cr_assert_eq(goes(steps, 2, 1), UINT32_MAX);
    cr_assert(bisimilar_differs(bisimilar));
    bisimilar_destroy(bisimilar);
}

/* 3 and 4 lead to 5 and 6, which were met before on ways of their own, and asked for 7 and for 8. */
static const struct step_source *meet_before(struct script *script, struct bisimilar *bisimilar) {
    leads(script, 0, 5, 5, 30);
    leads(script, 0, 6, 6, 30);
    leads(script, 3, 9, 5, 30);
    leads(script, 4, 9, 6, 30);
    const struct step_source *steps = bisimilar_begin(bisimilar, &script->source);
    steps->root(steps->self, 0);
    cr_assert_eq(goes(steps, 0, 5), 5);
    cr_assert_eq(goes(steps, 0, 6), 6);
    return steps;
}

/* What 5 and 6 do then: 6 comes to calls in these sites. */
static void lead_on(struct script *script, uint32_t site_told_7, uint32_t site_told_8) {
    leads(script, 5, 7, 7, 40);
    leads(script, 6, 7, 8, site_told_7);
    leads(script, 5, 8, 9, 40);
    leads(script, 6, 8, 10, site_told_8);
}

Test(bisimilar, where_two_lead_that_are_alike_is_one) {
    struct script script;
    begin(&script);
    tell_in_two_orders(&script);
    lead_on(&script, 40, 40);
    struct bisimilar *bisimilar = bisimilar_create(1);
    const struct step_source *steps = meet_before(&script, bisimilar);
    goes(steps, 5, 7);
    goes(steps, 6, 8);
    go_in_two_orders(steps, 3);
    cr_assert_eq(goes(steps, 3, 9), 5);
    cr_assert_eq(find(&script, 6, 7)->executed, 1, "6 is asked what 5 was");
    cr_assert_eq(find(&script, 5, 8)->executed, 1, "and 5 what 6 was");
    cr_assert(!bisimilar_differs(bisimilar));
    bisimilar_destroy(bisimilar);
}

/* ... and do not do the same. */
static void must_differ_later(uint32_t site_told_7, uint32_t site_told_8, uint32_t first, uint32_t second) {
    struct script all, *script = &all;
    begin(script);
    tell_in_two_orders(script);
    lead_on(script, site_told_7, site_told_8);
    struct bisimilar *bisimilar = bisimilar_create(1);
    const struct step_source *steps = meet_before(script, bisimilar);
    goes(steps, 5, first);
    goes(steps, 6, second);
    go_in_two_orders(steps, 3);
    cr_assert_eq(goes(steps, 3, 9), UINT32_MAX);
    cr_assert(bisimilar_differs(bisimilar));
    bisimilar_destroy(bisimilar);
}

Test(bisimilar, what_the_one_was_asked_before_tells_them_apart) { must_differ_later(41, 40, 7, 8); }

Test(bisimilar, what_the_other_was_asked_before_tells_them_apart) { must_differ_later(40, 41, 7, 8); }

Test(bisimilar, what_both_were_asked_before_tells_them_apart) { must_differ_later(41, 40, 7, 7); }

/* 5 turns out to be what 6 is while it is executed; what 6 did is compared with what 5 then does. */
Test(bisimilar, what_is_being_asked_tells_them_apart) {
    struct script script;
    begin(&script);
    tell_in_two_orders(&script);
    lead_on(&script, 41, 40);
    struct bisimilar *bisimilar = bisimilar_create(1);
    script.merged = meet_before(&script, bisimilar);
    goes(script.merged, 6, 7);
    go_in_two_orders(script.merged, 3);
    find(&script, 5, 7)->makes_wait = true;
    cr_assert_eq(goes(script.merged, 5, 7), UINT32_MAX);
    cr_assert(bisimilar_differs(bisimilar));
    bisimilar_destroy(bisimilar);
}

Test(bisimilar, a_step_that_was_told_of_is_told_of_again) {
    struct script script;
    begin(&script);
    tell_in_two_orders(&script);
    leads(&script, 3, 9, 5, 30);
    leads(&script, 4, 9, 6, 30);
    struct bisimilar *bisimilar = bisimilar_create(1);
    const struct step_source *steps = bisimilar_begin(bisimilar, &script.source);
    go_in_two_orders(steps, 3);
    struct resolution *answer = message(1);
    cr_assert_eq(steps->get(steps->self, 2, answer), steps->get(steps->self, 2, answer), "the model compares pointers");
    free(answer);
    bisimilar_destroy(bisimilar);
}
