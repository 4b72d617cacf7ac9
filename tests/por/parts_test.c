/* The proof by parts on toy ranks: scripts of sends, receives and meetings. */
#include "por/parts.h"
#include "por/poeg.h"
#include "por/poeg_counts.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { RANKS = 4, OPERATIONS = 8, ANY = -1, STATES = 4096, MEETING_LINE = 1000, NOTHING_LOOSE = -1 };

struct operation {
    /* Add, mix: receives, and what becomes of the value. Poll: as add, but looks again and again. Turns: as poll, looking by
     * turns for the tag and the next one. */
    enum { END, SEND, ADD, MIX, POLL, TURNS, SYNCHRONOUS, MEET } kind;
    int other, tag;
};

/* What a rank is at. `blocked`: in the synchronous send or meeting that it has given its gift for. */
struct toy_state {
    unsigned at;
    bool blocked;
    bool turn; /* looks for the next tag */
    int value;
};

struct toy {
    struct operation script[RANKS][OPERATIONS];
    struct toy_state state[STATES];
    uint32_t states;
    struct part_gift gift[OPERATIONS];
    size_t gifts;
    struct part_own own;
    bool meetings_hold_nobody; /* a member may leave whoever has entered */
    int loose;                 /* tag of synchronous sends or meetings that are loose */
};

static uint32_t intern(struct toy *toy, struct toy_state state) {
    for (uint32_t i = 0; i < toy->states; i++)
        if (toy->state[i].at == state.at && toy->state[i].blocked == state.blocked && toy->state[i].turn == state.turn &&
            toy->state[i].value == state.value)
            return i;
    cr_assert_lt(toy->states, STATES);
    toy->state[toy->states] = state;
    return toy->states++;
}

static bool receives(const struct operation *operation) { return operation->kind >= ADD && operation->kind <= TURNS; }
static bool polls(const struct operation *operation) { return operation->kind == POLL || operation->kind == TURNS; }

/* Contents: sender and tag. */
static uint32_t content_of(unsigned from, int tag) { return from * 100 + (uint32_t)tag; }
static uint32_t line_of(unsigned from, unsigned to) { return from * RANKS + to; }

static void give(struct toy *toy, unsigned rank, const struct operation *operation) {
    bool meets = operation->kind == MEET;
    toy->gift[toy->gifts++] = (struct part_gift){.line = meets ? MEETING_LINE : line_of(rank, (unsigned)operation->other),
                                                 .to = meets ? PART_MEETING : (uint32_t)operation->other,
                                                 .content = content_of(rank, operation->tag),
                                                 .likeness = (uint32_t)operation->tag,
                                                 .synchronous = operation->kind == SYNCHRONOUS && operation->tag != toy->loose,
                                                 .loose = operation->kind >= SYNCHRONOUS && operation->tag == toy->loose};
}

/* On to where it waits. */
static struct toy_state run_on(struct toy *toy, unsigned rank, struct toy_state state) {
    for (;; state.at++) {
        const struct operation *operation = &toy->script[rank][state.at];
        if (operation->kind == END || receives(operation))
            return state;
        give(toy, rank, operation);
        state.blocked = operation->kind != SEND;
        if (state.blocked)
            return state;
    }
}

static bool move(void *self, unsigned rank, uint32_t number, const struct part_move *move, uint32_t *reached,
                 const struct part_gift **gift, size_t *gifts) {
    struct toy *toy = self;
    struct toy_state state = move->kind == PART_BEGIN ? (struct toy_state){0} : toy->state[number];
    toy->gifts = 0;
    const struct operation *operation = &toy->script[rank][state.at];
    if (move->kind == PART_TAKE) {
        int from = (int)(move->content[0] / 100) + 1;
        state.value = operation->kind == MIX ? state.value * 10 + from : state.value + from;
    }
    if (move->kind == PART_MISS) {
        state.turn = operation->kind == TURNS && !state.turn;
    } else if (move->kind != PART_BEGIN) {
        state.at++;
        state.turn = false;
    }
    state.blocked = false;
    *reached = intern(toy, run_on(toy, rank, state));
    *gift = toy->gift;
    *gifts = toy->gifts;
    return true;
}

static bool stand(void *self, unsigned rank, uint32_t number, struct part_stand *stand) {
    struct toy *toy = self;
    const struct toy_state *state = &toy->state[number];
    const struct operation *operation = &toy->script[rank][state->at];
    *stand = (struct part_stand){.ended = operation->kind == END, .outcome = (uint64_t)state->value};
    static const struct part_entry meeting = {.line = MEETING_LINE};
    stand->polls = polls(operation);
    stand->entry = &meeting;
    stand->entries = operation->kind == MEET;
    if (operation->kind == SYNCHRONOUS) {
        toy->own = (struct part_own){line_of(rank, (unsigned)operation->other), (uint32_t)operation->tag};
        stand->releases = 1;
        stand->own = &toy->own;
        stand->owns = 1;
    }
    return true;
}

static uint32_t takes(void *self, unsigned rank, uint32_t number, uint32_t content) {
    const struct toy *toy = self;
    const struct toy_state *state = &toy->state[number];
    const struct operation *operation = &toy->script[rank][state->at];
    bool right = receives(operation) && (operation->other == ANY || operation->other == (int)(content / 100)) &&
                 (operation->tag == ANY || operation->tag + state->turn == (int)(content % 100));
    return right ? 0 : PART_NONE;
}

static uint32_t unreleased(void *self, unsigned rank, uint32_t number, uint32_t content) {
    const struct toy *toy = self;
    const struct toy_state *state = &toy->state[number];
    const struct operation *operation = &toy->script[rank][state->at];
    return state->blocked && operation->kind == SYNCHRONOUS && content_of(rank, operation->tag) == content;
}

/* All receives block. */
static bool unnoticed(void *self, unsigned rank, uint32_t number, uint32_t content) {
    (void)self, (void)rank, (void)number, (void)content;
    return false;
}

static uint32_t members(void *self, uint32_t line) {
    const struct toy *toy = self;
    cr_assert_eq(line, MEETING_LINE);
    uint32_t members = 0;
    for (unsigned rank = 0; rank < RANKS; rank++)
        for (unsigned i = 0; i < OPERATIONS; i++)
            if (toy->script[rank][i].kind == MEET) {
                members++;
                break;
            }
    return members;
}

static bool needs(void *self, uint32_t content, unsigned other) {
    (void)other;
    const struct toy *toy = self;
    return !toy->meetings_hold_nobody && (int)(content % 100) != toy->loose;
}

static bool fits(void *self, unsigned rank, const uint32_t *content, size_t contents) {
    (void)self, (void)rank, (void)content, (void)contents;
    return true;
}

static bool stop(void *self, uint64_t bytes) {
    (void)self, (void)bytes;
    return false;
}

struct attempt {
    bool proved;
    struct parts_statistics statistics;
    char why[256];
};

static struct parts_model toy_ranks(const struct operation (*script)[OPERATIONS], bool meetings_hold_nobody) {
    static struct toy toy;
    toy = (struct toy){.meetings_hold_nobody = meetings_hold_nobody, .loose = NOTHING_LOOSE};
    memcpy(toy.script, script, sizeof toy.script);
    return (struct parts_model){&toy, RANKS, move, NULL, stand, takes, members, unreleased, unnoticed, needs, fits, stop};
}

static struct attempt attempt(const struct operation (*script)[OPERATIONS], bool meetings_hold_nobody) {
    const struct parts_model model = toy_ranks(script, meetings_hold_nobody);
    struct attempt attempt;
    attempt.proved = parts_prove(&model, 10000, &attempt.statistics, attempt.why, sizeof attempt.why);
    return attempt;
}

static void gives_up(const struct operation (*script)[OPERATIONS], bool meetings_hold_nobody, const char *why) {
    struct attempt got = attempt(script, meetings_hold_nobody);
    cr_assert(!got.proved);
    cr_assert(strstr(got.why, why), "%s", got.why);
}

Test(parts, a_sum_of_messages_in_any_order) {
    const struct operation script[RANKS][OPERATIONS] = {
        {{ADD, ANY, ANY}, {ADD, ANY, ANY}, {ADD, ANY, ANY}}, {{SEND, 0, 0}}, {{SEND, 0, 0}}, {{SEND, 0, 0}}};
    struct attempt got = attempt(script, false);
    cr_assert(got.proved, "%s", got.why);
    /* Rank 0: the subsets of 3 messages, and an edge for each message not yet in one: 3 * 4. Each rank: its beginning. */
    cr_assert_eq(got.statistics.states, 8 + 3);
    cr_assert_eq(got.statistics.transitions, 12 + 4);
    cr_assert_eq(got.statistics.deliveries, 12);
    cr_assert_eq(got.statistics.messages, 3);
    cr_assert_eq(got.statistics.rounds, 1, "no rank sends anything after less than in the run");
}

Test(parts, what_depends_on_order_is_not_proved) {
    const struct operation script[RANKS][OPERATIONS] = {{{MIX, ANY, ANY}, {MIX, ANY, ANY}}, {{SEND, 0, 0}}, {{SEND, 0, 0}}};
    gives_up(script, false, "how rank 0 ends depends");
}

Test(parts, a_message_waits_for_what_it_needs) {
    /* Rank 2's message needs rank 1's answer, and that rank 0's question: asked after rank 3's message came. */
    const struct operation script[RANKS][OPERATIONS] = {{{MIX, ANY, ANY}, {SEND, 1, 0}, {MIX, ANY, ANY}},
                                                        {{ADD, 0, ANY}, {SEND, 2, 0}},
                                                        {{ADD, 1, ANY}, {SEND, 0, 0}},
                                                        {{SEND, 0, 0}}};
    struct attempt got = attempt(script, false);
    cr_assert(got.proved, "%s", got.why);
    cr_assert_eq(got.statistics.states, 3 + 2 + 2 + 1, "one order at each rank");
}

Test(parts, the_first_of_two_may_be_either) {
    /* As before, but rank 2 answers the first of two messages, and the other one is rank 3's: then rank 0's question is not needed.
     * Rank 3 sends it late in the run, after a few messages from rank 1 that has to wait for nothing. */
    const struct operation script[RANKS][OPERATIONS] = {
        {{MIX, ANY, ANY}, {SEND, 1, 0}, {MIX, ANY, ANY}},
        {{SEND, 3, 1}, {SEND, 3, 1}, {SEND, 3, 1}, {SEND, 3, 1}, {ADD, 0, ANY}, {SEND, 2, 0}},
        {{ADD, ANY, ANY}, {SEND, 0, 0}, {ADD, ANY, ANY}},
        {{SEND, 0, 0}, {ADD, 1, 1}, {ADD, 1, 1}, {ADD, 1, 1}, {ADD, 1, 1}, {SEND, 2, 0}}};
    gives_up(script, false, "how rank 0 ends depends");
}

Test(parts, a_meeting_keeps_what_is_behind_it_apart) {
    const struct operation script[RANKS][OPERATIONS] = {
        {{MIX, ANY, ANY}, {MEET, 0, 0}, {MIX, ANY, ANY}}, {{SEND, 0, 0}, {MEET, 0, 0}}, {{MEET, 0, 0}, {SEND, 0, 0}}};
    struct attempt got = attempt(script, false);
    cr_assert(got.proved, "%s", got.why);
    cr_assert_eq(got.statistics.meetings, 3, "one, with three entries");
    gives_up(script, true, "in another order"); /* it might be in the meeting with rank 1's message still to be received */
}

Test(parts, a_cycle_of_synchronous_sends_is_not_proved) {
    const struct operation script[RANKS][OPERATIONS] = {{{SYNCHRONOUS, 1, 0}, {ADD, 1, ANY}},
                                                        {{SYNCHRONOUS, 0, 0}, {ADD, 0, ANY}}};
    gives_up(script, false, "does not end");
}

Test(parts, a_synchronous_send_that_is_received_is_proved) {
    const struct operation script[RANKS][OPERATIONS] = {{{SYNCHRONOUS, 1, 0}, {ADD, 1, ANY}},
                                                        {{ADD, 0, ANY}, {SYNCHRONOUS, 0, 0}}};
    struct attempt got = attempt(script, false);
    cr_assert(got.proved, "%s", got.why);
}

/* Rank 1's first message is taken last; it waits for the second one before it gives the third. */
Test(parts, a_synchronous_send_may_be_received_before_another_of_its_line) {
    const struct operation script[RANKS][OPERATIONS] = {{{ADD, 1, 1}, {ADD, 1, 2}, {ADD, 1, 5}},
                                                        {{SEND, 0, 5}, {SYNCHRONOUS, 0, 1}, {SEND, 0, 2}}};
    struct attempt got = attempt(script, false);
    cr_assert(got.proved, "%s", got.why);
}

/* So it is here, but the message that it waits for is taken behind the third one. */
Test(parts, a_synchronous_send_that_is_received_too_late_is_not_proved) {
    const struct operation script[RANKS][OPERATIONS] = {{{ADD, 1, 5}, {ADD, 1, 2}, {ADD, 1, 1}},
                                                        {{SEND, 0, 5}, {SYNCHRONOUS, 0, 1}, {SEND, 0, 2}}};
    cr_assert(!attempt(script, false).proved);
}

Test(parts, a_message_that_nobody_takes_is_not_proved) {
    const struct operation script[RANKS][OPERATIONS] = {{{END, 0, 0}}, {{SEND, 0, 0}}};
    gives_up(script, false, "does not take all messages");
}

Test(parts, messages_of_one_line_do_not_overtake) {
    /* Rank 1's second message is what rank 0 waits for by name in the end: if it could come first, the last receive would find
     * nothing. */
    const struct operation script[RANKS][OPERATIONS] = {
        {{MIX, 1, ANY}, {ADD, 2, ANY}, {MIX, 1, ANY}}, {{SEND, 0, 1}, {SEND, 0, 2}}, {{SEND, 0, 0}}};
    struct attempt got = attempt(script, false);
    cr_assert(got.proved, "%s", got.why);
    cr_assert_eq(got.statistics.deliveries, 3);
}

Test(parts, a_poll_ends_when_its_message_comes) {
    const struct operation script[RANKS][OPERATIONS] = {
        {{POLL, ANY, ANY}, {POLL, ANY, ANY}, {POLL, ANY, ANY}}, {{SEND, 0, 0}}, {{SEND, 0, 0}}, {{SEND, 0, 0}}};
    struct attempt got = attempt(script, false);
    cr_assert(got.proved, "%s", got.why);
    /* As without polling; and in each state but the end it may be told that there is nothing yet. */
    cr_assert_eq(got.statistics.states, 8 + 3);
    cr_assert_eq(got.statistics.transitions, 12 + 4 + 7);
    cr_assert_eq(got.statistics.deliveries, 12);
}

Test(parts, what_is_polled_for_by_turns_comes_in_either_order) {
    const struct operation script[RANKS][OPERATIONS] = {
        {{TURNS, ANY, 1}, {TURNS, ANY, 1}, {SEND, 3, 0}}, {{SEND, 0, 1}}, {{SEND, 0, 2}}, {{ADD, 0, 0}}};
    struct attempt got = attempt(script, false);
    cr_assert(got.proved, "%s", got.why);
    /* Rank 0: nothing taken, either, both; and but for the end it looks for one tag or the other. Rank 3 waits, and ends. */
    cr_assert_eq(got.statistics.states, 3 * 2 + 1 + 1 + 1 + 2);
}

Test(parts, a_poll_for_what_never_comes_is_not_proved) {
    const struct operation script[RANKS][OPERATIONS] = {{{POLL, ANY, 1}}, {{SEND, 0, 0}}};
    gives_up(script, false, "on and on");
}

Test(parts, a_poll_that_is_endless_in_another_order_is_not_proved) {
    /* In the run rank 1's message is the first one. If rank 2's is, rank 0 polls for a second one of that rank. */
    const struct operation script[RANKS][OPERATIONS] = {{{ADD, ANY, ANY}, {POLL, 2, ANY}}, {{SEND, 0, 0}}, {{SEND, 0, 0}}};
    gives_up(script, false, "does not come");
}

Test(parts, a_poll_that_refuses_what_came_first_is_not_proved) {
    /* If rank 2's message comes first, rank 0 polls for rank 3's, which waits for rank 1's, which waits for rank 0's. */
    const struct operation script[RANKS][OPERATIONS] = {{{ADD, ANY, ANY}, {POLL, ANY, 6}, {SEND, 1, 0}, {ADD, ANY, ANY}},
                                                        {{SEND, 0, 5}, {ADD, 0, 0}, {SEND, 3, 0}},
                                                        {{SEND, 0, 6}},
                                                        {{ADD, 1, 0}, {SEND, 0, 6}}};
    gives_up(script, false, "in another order");
    /* It looks for rank 1's as well, by turns. */
    struct operation by_turns[RANKS][OPERATIONS];
    memcpy(by_turns, script, sizeof by_turns);
    by_turns[0][1] = (struct operation){TURNS, ANY, 5};
    struct attempt got = attempt(by_turns, false);
    cr_assert(got.proved, "%s", got.why);
}

Test(parts, who_waits_for_itself_must_have_sent) {
    /* In the run rank 0 takes the message of its own that it has sent first; if rank 1's comes first, the next receive is for
     * the one that it only sends then. */
    const struct operation script[RANKS][OPERATIONS] = {
        {{SEND, 0, 1}, {MIX, ANY, ANY}, {ADD, 1, ANY}, {ADD, 0, 2}, {SEND, 0, 2}}, {{SEND, 0, 0}}};
    gives_up(script, false, "does not end");
}

/* "1<0,2" for each event: its rank (m: a meeting) and what is immediately before it. */
static void write_event(void *context, const struct poeg_event *event) {
    char *text = context;
    if (event->rank == PART_MEETING)
        strcat(text, "m");
    else
        sprintf(text + strlen(text), "%u", event->rank);
    for (size_t i = 0; i < event->befores; i++)
        sprintf(text + strlen(text), "%c%u", i ? ',' : '<', event->before[i]);
    strcat(text, " ");
}

static void has_order(const struct operation (*script)[OPERATIONS], const char *order) {
    const struct parts_model model = toy_ranks(script, false);
    char text[256] = "", why[256];
    cr_assert(poeg_visit(&model, write_event, text, why, sizeof why), "%s", why);
    cr_assert_str_eq(text, order);
}

Test(poeg, edges_that_follow_from_others_are_left_out) {
    /* The last event is rank 0's second: after its first (0), which follows from that rank 2's message needs it. */
    const struct operation script[RANKS][OPERATIONS] = {{{ADD, ANY, ANY}, {SEND, 1, 0}, {ADD, ANY, ANY}},
                                                        {{ADD, 0, ANY}, {SEND, 2, 0}},
                                                        {{ADD, 1, ANY}, {SEND, 0, 0}},
                                                        {{SEND, 0, 0}}};
    has_order(script, "0 1<0 2<1 0<2 ");
}

Test(poeg, what_is_independent_has_no_edge) {
    const struct operation script[RANKS][OPERATIONS] = {{{ADD, 1, ANY}}, {{SEND, 0, 0}}, {{ADD, 3, ANY}}, {{SEND, 2, 0}}};
    has_order(script, "0 2 ");
}

Test(poeg, a_meeting_is_one_event) {
    const struct operation script[RANKS][OPERATIONS] = {{{ADD, 1, ANY}, {MEET, 0, 0}, {ADD, 1, ANY}},
                                                        {{SEND, 0, 0}, {MEET, 0, 0}, {SEND, 0, 0}},
                                                        {{ADD, 3, ANY}, {MEET, 0, 0}},
                                                        {{SEND, 2, 0}}};
    has_order(script, "0 2 m<0,1 0<2 ");
}

/* ---- what is loose ---- */

static bool is_useless(const struct operation (*script)[OPERATIONS], int loose) {
    const struct parts_model model = toy_ranks(script, false);
    ((struct toy *)model.self)->loose = loose;
    char why[256];
    return parts_prove_useless(&model, 10000, why, sizeof why);
}

/* Rank 1 sends to rank 0 (tag 1), then lets rank 2 go (tag 2), which sends to rank 0 (tag 3). */
static const struct operation let_go[RANKS][OPERATIONS] = {
    {{MIX, ANY, ANY}, {MIX, ANY, ANY}}, {{SYNCHRONOUS, 0, 1}, {SYNCHRONOUS, 2, 2}}, {{ADD, 1, ANY}, {SEND, 0, 3}}};

Test(order, a_synchronous_send_that_was_received_precedes_what_follows) {
    /* If it did not, rank 0's first message could be either, and its value 12 or 21. */
    struct attempt got = attempt(let_go, false);
    cr_assert(got.proved, "%s", got.why);
    has_order(let_go, "0 2<0 0<1 ");
}

Test(order, a_synchronous_send_that_decides_what_is_received_is_needed) {
    struct operation added[RANKS][OPERATIONS];
    cr_assert(!is_useless(let_go, 1), "not proved without");
    memcpy(added, let_go, sizeof added);
    added[0][0].kind = added[0][1].kind = ADD;
    cr_assert(!is_useless(added, 1), "proved without, but rank 0 may receive rank 2's message first");
}

Test(order, a_synchronous_send_that_decides_nothing_is_useless) {
    struct operation named[RANKS][OPERATIONS];
    cr_assert(is_useless(let_go, 2), "rank 1 sends nothing after it");
    memcpy(named, let_go, sizeof named);
    named[0][0].other = 1;
    cr_assert(is_useless(named, 1), "rank 0 receives rank 1's message first in any case");
}

Test(order, a_chain_of_messages_leads_back_to_the_receiver) {
    /* As let_go, by way of rank 3. */
    const struct operation script[RANKS][OPERATIONS] = {{{ADD, ANY, ANY}, {ADD, ANY, ANY}},
                                                        {{SYNCHRONOUS, 0, 1}, {SEND, 3, 2}},
                                                        {{ADD, 3, ANY}, {SEND, 0, 3}},
                                                        {{ADD, 1, ANY}, {SEND, 2, 4}}};
    cr_assert(!is_useless(script, 1));
}

Test(order, a_meeting_is_needed_if_a_message_from_behind_it_could_be_received_before_it) {
    /* Rank 2 sends behind the meeting, so rank 0 receives rank 1's message before it. */
    const struct operation anyone[RANKS][OPERATIONS] = {
        {{ADD, ANY, ANY}, {MEET, 0, 9}, {ADD, ANY, ANY}}, {{SEND, 0, 1}, {MEET, 0, 9}}, {{MEET, 0, 9}, {SEND, 0, 3}}};
    const struct operation named[RANKS][OPERATIONS] = {
        {{ADD, 1, ANY}, {MEET, 0, 9}, {ADD, 2, ANY}}, {{SEND, 0, 1}, {MEET, 0, 9}}, {{MEET, 0, 9}, {SEND, 0, 3}}};
    cr_assert(!is_useless(anyone, 9));
    cr_assert(is_useless(named, 9));
}

Test(order, a_meeting_of_some_may_be_needed_by_another) {
    /* Ranks 1 and 2 meet between rank 1's message to rank 0, which must have been received before, and rank 2's. */
    const struct operation script[RANKS][OPERATIONS] = {
        {{ADD, ANY, ANY}, {ADD, ANY, ANY}}, {{SYNCHRONOUS, 0, 1}, {MEET, 0, 9}}, {{MEET, 0, 9}, {SEND, 0, 3}}};
    cr_assert(!is_useless(script, 9), "the meeting");
    cr_assert(!is_useless(script, 1), "the synchronous send");
}

/* ---- subgroups ---- */

/* "0:0 " for each event: its rank and subgroup. */
static void write_subgroup(void *context, const struct poeg_event *event) {
    char *text = context;
    if (event->rank == PART_MEETING)
        strcat(text, "m ");
    else
        sprintf(text + strlen(text), "%u:%u ", event->rank, event->subgroup);
}

static void has_subgroups(const struct operation (*script)[OPERATIONS], const char *subgroups) {
    const struct parts_model model = toy_ranks(script, false);
    char text[256] = "", why[256];
    cr_assert(poeg_visit(&model, write_subgroup, text, why, sizeof why), "%s", why);
    cr_assert_str_eq(text, subgroups);
}

Test(subgroups, messages_in_any_order_are_one) {
    const struct operation script[RANKS][OPERATIONS] = {
        {{ADD, ANY, ANY}, {ADD, ANY, ANY}, {ADD, ANY, ANY}}, {{SEND, 0, 0}}, {{SEND, 0, 0}}, {{SEND, 0, 0}}};
    has_subgroups(script, "0:0 0:0 0:0 ");
}

Test(subgroups, an_answer_to_all_of_them_begins_another) {
    /* Rank 0 takes messages of ranks 1 and 2 in any order, then asks both; their answers, again in any order, come behind a cut.
     * The thesis puts a node between the two pairs, which are fully interconnected: the flow of 1/2 + 1/2 passes it. */
    const struct operation script[RANKS][OPERATIONS] = {
        {{ADD, ANY, ANY}, {ADD, ANY, ANY}, {SEND, 1, 1}, {SEND, 2, 1}, {ADD, ANY, ANY}, {ADD, ANY, ANY}},
        {{SEND, 0, 0}, {ADD, 0, ANY}, {SEND, 0, 2}},
        {{SEND, 0, 0}, {ADD, 0, ANY}, {SEND, 0, 2}}};
    has_subgroups(script, "0:0 0:0 1:0 2:0 0:1 0:1 ");
}

Test(subgroups, what_overlaps_is_not_cut) {
    /* Rank 1's answer needs rank 0's first message to have come; the message that happens to come last needs nothing and may come
     * to any place: no cut. */
    const struct operation script[RANKS][OPERATIONS] = {{{ADD, ANY, ANY}, {SEND, 1, 1}, {ADD, ANY, ANY}, {ADD, ANY, ANY}},
                                                        {{ADD, 0, ANY}, {SEND, 0, 0}},
                                                        {{SEND, 0, 0}},
                                                        {{SEND, 0, 0}}};
    has_subgroups(script, "0:0 1:0 0:0 0:0 ");
}

Test(subgroups, receives_that_name_their_source_come_one_after_the_other) {
    const struct operation script[RANKS][OPERATIONS] = {
        {{ADD, 1, ANY}, {ADD, 2, ANY}, {ADD, 1, ANY}}, {{SEND, 0, 0}, {SEND, 0, 0}}, {{SEND, 0, 0}}};
    has_subgroups(script, "0:0 0:1 0:2 ");
}

Test(subgroups, messages_of_one_line_come_one_after_the_other) {
    const struct operation script[RANKS][OPERATIONS] = {{{ADD, ANY, ANY}, {ADD, ANY, ANY}}, {{SEND, 0, 0}, {SEND, 0, 0}}};
    has_subgroups(script, "0:0 0:1 ");
}

Test(subgroups, a_meeting_is_a_cut) {
    /* Itself the one event of the subgroup between. */
    const struct operation script[RANKS][OPERATIONS] = {
        {{ADD, ANY, ANY}, {ADD, ANY, ANY}, {MEET, 0, 0}, {ADD, ANY, ANY}, {ADD, ANY, ANY}},
        {{SEND, 0, 0}, {MEET, 0, 0}, {SEND, 0, 0}},
        {{SEND, 0, 0}, {MEET, 0, 0}, {SEND, 0, 0}}};
    has_subgroups(script, "0:0 0:0 m 0:2 0:2 ");
}

Test(subgroups, a_rank_has_several_where_another_has_one) {
    /* In the run rank 0 takes rank 2's messages first, then rank 1's answer to what it sent at once: that could come to any place.
     * Rank 1 gets both its messages from rank 0, one after the other. */
    const struct operation script[RANKS][OPERATIONS] = {
        {{SEND, 1, 0}, {ADD, ANY, ANY}, {SEND, 1, 0}, {ADD, ANY, ANY}, {ADD, ANY, ANY}},
        {{ADD, 0, ANY}, {SEND, 0, 0}, {ADD, 0, ANY}},
        {{SEND, 0, 0}, {SEND, 0, 0}}};
    has_subgroups(script, "0:0 1:0 0:0 1:1 0:0 ");
}

/* ---- how many orders there are ---- */

static const char *digits(const char *number) { return number ? number : "unknown"; }

/* "GROUPS/ORDERINGS/DELIVERIES" of the whole, by rank and by subgroup. */
static void has_counts(const struct operation (*script)[OPERATIONS], const char *expected) {
    const struct parts_model model = toy_ranks(script, false);
    struct poeg_counts counts;
    char text[256] = "", why[256];
    cr_assert(poeg_counts_find(&model, 10000, NULL, &counts, why, sizeof why), "%s", why);
    const struct poeg_count *of[] = {&counts.whole, &counts.by_rank, &counts.by_subgroup};
    for (size_t i = 0; i < 3; i++)
        sprintf(text + strlen(text), "%s%zu/%s/%s", i ? " " : "", of[i]->groups, digits(of[i]->orderings),
                digits(of[i]->deliveries));
    poeg_counts_free(&counts);
    cr_assert_str_eq(text, expected);
}

Test(counts, messages_in_any_order_come_in_all_permutations) {
    const struct operation script[RANKS][OPERATIONS] = {
        {{ADD, ANY, ANY}, {ADD, ANY, ANY}, {ADD, ANY, ANY}}, {{SEND, 0, 0}}, {{SEND, 0, 0}}, {{SEND, 0, 0}}};
    has_counts(script, "1/6/18 1/6/18 1/6/18");
}

Test(counts, subgroups_are_summed_up) {
    /* Rank 0 takes two messages, asks both, takes two answers: 2 orders before and 2 behind. Ranks 1 and 2 have one message each,
     * between rank 0's pairs. All together: 2 ways before; then of the two questions either may be taken first, and its answer
     * before or after the other question: two chains of a question and an answer, 6 ways. */
    const struct operation script[RANKS][OPERATIONS] = {
        {{ADD, ANY, ANY}, {ADD, ANY, ANY}, {SEND, 1, 1}, {SEND, 2, 1}, {ADD, ANY, ANY}, {ADD, ANY, ANY}},
        {{SEND, 0, 0}, {ADD, 0, ANY}, {SEND, 0, 2}},
        {{SEND, 0, 0}, {ADD, 0, ANY}, {SEND, 0, 2}}};
    has_counts(script, "1/12/72 3/6/18 4/6/10");
}

Test(counts, what_one_run_had_before_it_by_chance_does_not_precede) {
    /* Rank 1 answers rank 2 after the first of two messages, whichever it is, and rank 0 after both. So both precede the second
     * answer, and neither the first one: that one of them does is no partial order. */
    const struct operation script[RANKS][OPERATIONS] = {{{SEND, 1, 0}, {ADD, 1, ANY}},
                                                        {{ADD, ANY, ANY}, {SEND, 2, 0}, {ADD, ANY, ANY}, {SEND, 0, 0}},
                                                        {{ADD, 1, ANY}},
                                                        {{SEND, 1, 0}}};
    /* To rank 1 in 2 orders, then to rank 0; and to rank 2 in any of 4 places. */
    has_counts(script, "1/8/32 3/4/6 3/4/6");
}

Test(counts, receives_that_name_their_source_and_messages_of_one_line_have_one_order) {
    const struct operation named[RANKS][OPERATIONS] = {
        {{ADD, 1, ANY}, {ADD, 2, ANY}, {ADD, 1, ANY}}, {{SEND, 0, 0}, {SEND, 0, 0}}, {{SEND, 0, 0}}};
    const struct operation line[RANKS][OPERATIONS] = {{{ADD, ANY, ANY}, {ADD, ANY, ANY}}, {{SEND, 0, 0}, {SEND, 0, 0}}};
    has_counts(named, "1/1/3 1/1/3 3/3/3");
    has_counts(line, "1/1/2 1/1/2 2/2/2");
}

Test(counts, meetings_order_messages_and_are_not_counted) {
    const struct operation script[RANKS][OPERATIONS] = {
        {{ADD, ANY, ANY}, {MEET, 0, 9}, {ADD, ANY, ANY}}, {{SEND, 0, 1}, {MEET, 0, 9}, {SEND, 0, 3}}, {{MEET, 0, 9}}};
    has_counts(script, "1/1/2 1/1/2 2/2/2");
}

Test(counts, there_are_none_of_what_is_not_proved) {
    const struct operation script[RANKS][OPERATIONS] = {{{MIX, ANY, ANY}, {MIX, ANY, ANY}}, {{SEND, 0, 0}}, {{SEND, 0, 0}}};
    const struct parts_model model = toy_ranks(script, false);
    struct poeg_counts counts;
    char why[256];
    cr_assert(!poeg_counts_find(&model, 10000, NULL, &counts, why, sizeof why));
    cr_assert_str_eq(why, "how rank 0 ends depends on the order of messages");
    poeg_counts_free(&counts);
}

/* Messages with one tag. */
static bool have_one_tag(void *context, uint32_t rank, uint32_t content, uint32_t other) {
    (void)context, (void)rank;
    return content % 100 == other % 100;
}

Test(counts, exchanges_are_left_out_of_the_reduced_ones) {
    /* Three messages in 6 orders. Those with tag 1 may be exchanged: they come in one order, and tag 2 before, between or behind
     * them. */
    const struct operation script[RANKS][OPERATIONS] = {
        {{ADD, ANY, ANY}, {ADD, ANY, ANY}, {ADD, ANY, ANY}}, {{SEND, 0, 1}}, {{SEND, 0, 1}}, {{SEND, 0, 2}}};
    const struct parts_model model = toy_ranks(script, false);
    const struct poeg_exchange exchange = {.may = have_one_tag};
    struct poeg_counts counts;
    char why[256];
    cr_assert(poeg_counts_find(&model, 10000, &exchange, &counts, why, sizeof why), "%s", why);
    cr_assert_str_eq(counts.by_rank.deliveries, "18");
    cr_assert_str_eq(counts.by_rank_reduced.deliveries, "9");
    cr_assert_str_eq(counts.by_subgroup_reduced.deliveries, "9");
    cr_assert_eq(counts.by_rank.edges, 12);        /* each message is added to half of the 8 sets */
    cr_assert_eq(counts.by_rank_reduced.edges, 7); /* 3 beginnings of tag 1, with tag 2 or without: 2 2 + 3 */
    cr_assert(counts.messages == 3 && !counts.subgroup[0] && !counts.subgroup[1] && !counts.subgroup[2]);
    poeg_counts_free(&counts);
}

/* ---- compared with all orders, tried one by one ---- */

/* All ranks as they go on: what each has sent that is not taken yet, by line. */
struct together {
    unsigned at[RANKS];
    struct {
        int tag[OPERATIONS];
        unsigned first, end;
    } line[RANKS][RANKS];
};

/* Lets ranks send what they can. */
static void send_all(const struct operation (*script)[OPERATIONS], struct together *ranks) {
    for (unsigned rank = 0; rank < RANKS; rank++)
        for (; script[rank][ranks->at[rank]].kind == SEND; ranks->at[rank]++) {
            const struct operation *send = &script[rank][ranks->at[rank]];
            ranks->line[rank][send->other].tag[ranks->line[rank][send->other].end++] = send->tag;
        }
}

/* How many orders there are in which messages can be taken from here; *stuck: some end before all ranks do. Receives take any
 * tag. */
static unsigned long count_orders(const struct operation (*script)[OPERATIONS], struct together ranks, bool *stuck) {
    unsigned long orders = 0;
    bool ended = true, any = false;
    send_all(script, &ranks);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        const struct operation *receive = &script[rank][ranks.at[rank]];
        ended &= receive->kind == END;
        for (unsigned from = 0; receive->kind == ADD && from < RANKS; from++) {
            if (ranks.line[from][rank].first == ranks.line[from][rank].end ||
                (receive->other != ANY && receive->other != (int)from))
                continue;
            struct together next = ranks;
            next.line[from][rank].first++;
            next.at[rank]++;
            any = true;
            orders += count_orders(script, next, stuck);
        }
    }
    *stuck |= !any && !ended;
    return any ? orders : 1;
}

static unsigned long random_below(uint64_t *seed, unsigned long limit) {
    *seed = *seed * 6364136223846793005 + 1442695040888963407;
    return (unsigned long)(*seed >> 33) % limit;
}

/* Messages to each rank as it takes any, dealt out at random. */
static void make_random(uint64_t *seed, struct operation (*script)[OPERATIONS]) {
    unsigned length[RANKS] = {0};
    memset(script, 0, RANKS * sizeof *script);
    for (unsigned messages = 0; messages < 8; messages++) {
        unsigned from = (unsigned)random_below(seed, RANKS), to = (from + 1 + (unsigned)random_below(seed, RANKS - 1)) % RANKS;
        if (length[from] >= OPERATIONS - 1 || length[to] >= OPERATIONS - 1)
            continue;
        script[from][length[from]++] = (struct operation){SEND, (int)to, 0};
        script[to][length[to]++] = (struct operation){ADD, ANY, ANY};
    }
}

/* Every script sends each message before somebody receives one, so all end; as values are added up, they end alike. A rank takes
 * whichever of several messages comes first, and what it sends then has none of them before it: so a partial order may admit more
 * orders than there are, and never fewer. */
Test(counts, no_order_is_left_out) {
    uint64_t seed = 1;
    unsigned exact = 0, counted = 0;
    for (unsigned i = 0; i < 300; i++) {
        struct operation script[RANKS][OPERATIONS];
        make_random(&seed, script);
        const struct parts_model model = toy_ranks(script, false);
        struct poeg_counts counts;
        char why[256];
        bool stuck = false;
        unsigned long orders = count_orders(script, (struct together){0}, &stuck);
        cr_assert(!stuck);
        if (poeg_counts_find(&model, 10000, NULL, &counts, why, sizeof why)) {
            unsigned long admitted = strtoul(counts.whole.orderings, NULL, 10);
            cr_assert_geq(admitted, orders, "script %u", i);
            exact += admitted == orders;
            counted++;
        }
        poeg_counts_free(&counts);
    }
    cr_assert_gt(counted, 200);
    cr_assert_gt(exact, 100);
}
