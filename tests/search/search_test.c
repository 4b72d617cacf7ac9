/* The search on toy programs whose state counts, findings and witnesses are derived by hand. */
#include "explorer/search/search.h"
#include "models/mpi/functions.h"
#include "tests/search/toy_ranks.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANY = WIRE_ANY_SOURCE, NO = TOY_NOWHERE };

typedef struct toy_instruction program[];

/* A search over toy ranks, with all that it needs. */
struct trial {
    struct toy *toy;
    struct step_source *steps;
    struct mpi_model *model;
    struct search *search;
    enum search_end end;
    const struct finding *finding;
    size_t findings;
};

static struct trial begin(unsigned ranks, const struct toy_instruction *const *programs, struct search_options options) {
    struct trial trial = {.toy = toy_create(ranks, programs)};
    trial.model = mpi_model_create(ranks, options.buffering, toy_payload_size, NULL);
    int32_t *member = calloc(ranks, sizeof *member);
    for (unsigned rank = 0; rank < ranks; rank++)
        member[rank] = (int32_t)rank;
    mpi_model_context(trial.model, WIRE_WORLD_CONTEXT, member, ranks);
    free(member);
    trial.steps = malloc(sizeof *trial.steps);
    *trial.steps = toy_steps(trial.toy);
    trial.search = search_create(ranks, trial.model, trial.steps, &options, NULL, NULL, NULL, NULL);
    return trial;
}

static struct trial run(unsigned ranks, const struct toy_instruction *const *programs, struct search_options options) {
    struct trial trial = begin(ranks, programs, options);
    trial.end = search_run(trial.search);
    trial.findings = search_findings(trial.search, &trial.finding);
    return trial;
}

static void end(struct trial *trial) {
    search_destroy(trial->search);
    mpi_model_destroy(trial->model);
    toy_destroy(trial->toy);
    free(trial->steps);
}

static size_t outcomes(const struct trial *trial) {
    const uint64_t *list;
    return search_outcomes(trial->search, &list);
}

static bool has_place(const struct where *list, size_t count, unsigned rank, unsigned position) {
    for (size_t i = 0; i < count; i++)
        if (list[i].rank == rank && list[i].site == toy_site(rank, position))
            return true;
    return false;
}

/* Following the witness ends in the same finding. (A livelock shows only by going round once more.) */
static void check_witness(const unsigned ranks, const struct toy_instruction *const *programs, struct search_options options,
                          const struct finding *finding) {
    struct trial replay = begin(ranks, programs, options);
    cr_assert_eq(search_follow(replay.search, &finding->witness, NULL, NULL), SEARCH_FOUND);
    replay.findings = search_findings(replay.search, &replay.finding);
    cr_assert_eq(replay.findings, 1);
    cr_assert_str_eq(replay.finding[0].class_name, finding->class_name);
    cr_assert_str_eq(replay.finding[0].message, finding->message);
    cr_assert_geq(replay.finding[0].witness.decisions, finding->witness.decisions);
    end(&replay);
}

/* ---- fan-in ---- */

enum { MOST_SENDERS = 8 };

/* n senders of their own rank, and a master that receives n times and forgets. */
struct fan_in {
    struct toy_instruction master[2 * MOST_SENDERS + 4], sender[MOST_SENDERS][2];
    const struct toy_instruction *programs[MOST_SENDERS + 1];
};

static void make_fan_in(struct fan_in *fan_in, int senders, bool remember) {
    memset(fan_in, 0, sizeof *fan_in);
    struct toy_instruction *at = fan_in->master;
    for (int i = 0; i < senders; i++) {
        *at++ = (struct toy_instruction){TOY_RECV, ANY, 0, 0, NO};
        if (remember)
            *at++ = (struct toy_instruction){TOY_FOLD, 1, 0, 0, 0};
        else
            *at++ = (struct toy_instruction){TOY_ADD, 1, 0, 0, 0};
    }
    fan_in->programs[0] = fan_in->master;
    for (int i = 0; i < senders; i++) {
        fan_in->sender[i][0] = (struct toy_instruction){TOY_SEND, 0, 0, remember ? i + 1 : 0, 0};
        fan_in->programs[i + 1] = fan_in->sender[i];
    }
}

/* The master keeps nothing: a state is the set of senders received from. Quiet states: all sets, 2^n, the full one being the end;
 * every set but it has one edge for each sender left: n * 2^(n-1). Buffering a send is never needed, nor explored. */
Test(search, fan_in_that_forgets_visits_subsets) {
    for (int n = 1; n <= MOST_SENDERS; n++) {
        struct fan_in fan_in;
        make_fan_in(&fan_in, n, false);
        struct trial trial = run((unsigned)n + 1, fan_in.programs, (struct search_options){.buffering = BUFFERING_ALL});
        const struct search_statistics *statistics = search_statistics(trial.search);
        cr_assert_eq(trial.end, SEARCH_COMPLETE);
        cr_assert_eq(trial.findings, 0);
        cr_assert_eq(statistics->states, 1u << n, "n = %d: %lu states", n, statistics->states);
        cr_assert_eq(statistics->transitions, (unsigned)n * (1u << (n - 1)) + 1, "and the edge from the root");
        cr_assert_eq(statistics->deliveries, (unsigned)n * (1u << (n - 1)), "one for each edge but the root's");
        cr_assert_eq(outcomes(&trial), 1);
        end(&trial);
    }
}

/* The master remembers the order: states are sequences of distinct senders, sum over k of n! / (n - k)!: 16 for n = 3, 65 for 4. */
Test(search, fan_in_that_remembers_visits_sequences) {
    unsigned expected[] = {[3] = 1 + 3 + 6 + 6, [4] = 1 + 4 + 12 + 24 + 24};
    for (int n = 3; n <= 4; n++) {
        struct fan_in fan_in;
        make_fan_in(&fan_in, n, true);
        struct trial trial = run((unsigned)n + 1, fan_in.programs, (struct search_options){.keep_going = true});
        cr_assert_eq(trial.end, SEARCH_COMPLETE);
        cr_assert_eq(search_statistics(trial.search)->states, expected[n]);
        cr_assert_eq(outcomes(&trial), 1, "it prints nothing");
        end(&trial);
    }
}

/* Printing the order of three makes 3! outcomes. The nearest other one to 123 takes one other decision: 132 or 213. */
Test(search, printed_order_is_a_race) {
    struct fan_in fan_in;
    make_fan_in(&fan_in, 3, true);
    fan_in.master[6] = (struct toy_instruction){TOY_PRINT, 1, 0, 0, 0};
    struct trial trial = run(4, fan_in.programs, (struct search_options){.keep_going = true});
    cr_assert_eq(outcomes(&trial), 6);
    cr_assert_gt(trial.findings, 0);
    cr_assert_str_eq(trial.finding[0].class_name, "race-output");
    cr_assert(trial.finding[0].race);
    cr_assert_eq(trial.finding[0].difference.rank, 0);
    cr_assert_neq(trial.finding[0].difference.local, trial.finding[0].difference.other_local);
    unsigned differing = 0;
    for (size_t i = 0; i < trial.finding[0].witness.decisions; i++)
        differing += trial.finding[0].witness.decision[i].differs;
    cr_assert_eq(differing, 1);
    end(&trial);
    trial = run(4, fan_in.programs, (struct search_options){0});
    cr_assert_eq(trial.end, SEARCH_FOUND);
    cr_assert_eq(trial.findings, 1);
    end(&trial);
}

/* Crashes in the order 3, 2, 1 alone. Decisions: 3 of {1,2,3}, then 2 of {1,2}; both differ from the reference. The last
 * receive has no choice. */
Test(search, crash_in_one_of_six_orders_has_the_shortest_witness) {
    struct fan_in fan_in;
    make_fan_in(&fan_in, 3, true);
    fan_in.master[6] = (struct toy_instruction){TOY_CRASH_IF, 1, 321, 0, 0};
    struct search_options options = {.buffering = BUFFERING_NONE}; /* else buffering a send is another choice everywhere */
    struct trial trial = run(4, fan_in.programs, options);
    cr_assert_eq(trial.end, SEARCH_FOUND);
    const struct finding *crash = &trial.finding[0];
    cr_assert_str_eq(crash->class_name, "crash");
    cr_assert_str_eq(crash->message, "rank 0 crashed: Segmentation fault (signal 11)");
    cr_assert_eq(crash->wheres, 1);
    cr_assert_eq(crash->where[0].site, toy_site(0, 6));
    cr_assert_eq(crash->witness.decisions, 2);
    cr_assert(crash->witness.decision[0].differs && crash->witness.decision[1].differs);
    cr_assert_eq(crash->witness.decision[0].transition.partner, 3);
    cr_assert_eq(crash->witness.decision[0].choices, 3);
    cr_assert_eq(crash->witness.decision[1].transition.partner, 2);
    cr_assert_eq(crash->witness.decision[1].choices, 2);
    check_witness(4, fan_in.programs, options, crash);
    end(&trial);
}

/* ---- deadlocks ---- */

Test(search, head_to_head_sends_deadlock_unless_buffered) {
    program a = {{TOY_SEND, 1, 0, 7, 0}, {TOY_RECV, 1, 0, 0, NO}, {0}};
    program b = {{TOY_SEND, 0, 0, 8, 0}, {TOY_RECV, 0, 0, 0, NO}, {0}};
    const struct toy_instruction *const programs[] = {a, b};
    struct search_options options = {.buffering = BUFFERING_ALL};
    struct trial trial = run(2, programs, options);
    cr_assert_eq(trial.end, SEARCH_FOUND);
    const struct finding *deadlock = &trial.finding[0];
    cr_assert_str_eq(deadlock->class_name, "deadlock");
    cr_assert_str_eq(deadlock->message, "rank 0 in MPI_Send waits for rank 1, rank 1 in MPI_Send waits for rank 0");
    cr_assert_eq(deadlock->wheres, 2);
    cr_assert_eq(deadlock->buffereds, 0);
    cr_assert_eq(deadlock->synchronouses, 2);
    cr_assert(has_place(deadlock->synchronous, 2, 0, 0) && has_place(deadlock->synchronous, 2, 1, 0));
    cr_assert_eq(deadlock->witness.decisions, 0);
    check_witness(2, programs, options, deadlock);
    end(&trial);

    options.keep_going = true;
    trial = run(2, programs, options);
    cr_assert_eq(trial.end, SEARCH_COMPLETE);
    cr_assert_eq(trial.findings, 1);
    cr_assert_eq(outcomes(&trial), 1, "the search went on with the sends buffered");
    end(&trial);

    options.buffering = BUFFERING_INFINITE;
    trial = run(2, programs, options);
    cr_assert_eq(trial.end, SEARCH_COMPLETE);
    cr_assert_eq(trial.findings, 0);
    end(&trial);
}

/* Rank 1 sends X to rank 0, then releases rank 2, which sends W to rank 0. Only if X is buffered can rank 0 receive W first. Then
 * it sends Y to rank 2 before it receives the synchronous V of rank 2: a deadlock unless Y is buffered. So the
 * deadlock needs X buffered and Y not; testing "none" and "infinite" misses it. */
Test(search, mixed_buffering_deadlock) {
    enum { Y = 6 };
    program zero = {{TOY_RECV, ANY, 1, 3, 0}, /* variable 0: who came first */
                    {TOY_RECV, ANY, 1, 3, NO}, {TOY_JUMP_IF, 6, 0, 2, 0},
                    {TOY_RECV, 2, 5, 3, NO},   {TOY_SEND, 2, 4, 0, 0},
                    {TOY_EXIT, 0, 0, 0, 0},    {TOY_SEND, 2, 4, 0, 0}, /* Y */
                    {TOY_RECV, 2, 5, 3, NO},   {0}};
    program one = {{TOY_SEND, 0, 1, 0, 0} /* X */, {TOY_SEND, 2, 0, 0, 0}, {0}};
    program two = {
        {TOY_RECV, 1, 0, 3, NO}, {TOY_SEND, 0, 1, 0, 0} /* W */, {TOY_SSEND, 0, 5, 0, 0} /* V */, {TOY_RECV, 0, 4, 3, NO}, {0}};
    const struct toy_instruction *const programs[] = {zero, one, two};
    for (enum buffering buffering = BUFFERING_ALL; buffering <= BUFFERING_INFINITE; buffering++) {
        struct search_options options = {.buffering = buffering};
        struct trial trial = run(3, programs, options);
        if (buffering != BUFFERING_ALL) {
            cr_assert_eq(trial.end, SEARCH_COMPLETE);
            cr_assert_eq(trial.findings, 0);
            end(&trial);
            continue;
        }
        cr_assert_eq(trial.end, SEARCH_FOUND);
        const struct finding *deadlock = &trial.finding[0];
        cr_assert_str_eq(deadlock->class_name, "deadlock");
        cr_assert_eq(deadlock->buffereds, 1);
        cr_assert(has_place(deadlock->buffered, deadlock->buffereds, 1, 0));
        cr_assert_eq(deadlock->synchronouses, 1);
        cr_assert(has_place(deadlock->synchronous, deadlock->synchronouses, 0, Y));
        check_witness(3, programs, options, deadlock);
        end(&trial);
    }
}

Test(search, unreceived_message) {
    program a = {{TOY_ISEND, 1, 0, 7, 0}, {0}}, b = {{0}};
    const struct toy_instruction *const programs[] = {a, b};
    struct trial trial = run(2, programs, (struct search_options){0});
    cr_assert_eq(trial.end, SEARCH_FOUND);
    cr_assert_str_eq(trial.finding[0].class_name, "unreceived-message");
    cr_assert_str_eq(trial.finding[0].message, "the message of rank 0 to rank 1 with tag 0 (MPI_Isend) is never received");
    cr_assert(has_place(trial.finding[0].where, 1, 0, 0));
    end(&trial);
}

Test(search, exit_status) {
    program a = {{TOY_EXIT, 3, 0, 0, 0}};
    const struct toy_instruction *const programs[] = {a};
    struct trial trial = run(1, programs, (struct search_options){0});
    cr_assert_eq(trial.end, SEARCH_FOUND);
    cr_assert_str_eq(trial.finding[0].class_name, "exit-status");
    cr_assert_str_eq(trial.finding[0].message, "rank 0 ended with exit status 3");
    end(&trial);
}

/* ---- going round ---- */

/* The message is matched before rank 0 looks, so one state offers "not yet", which leads back to it, and "complete", which ends. */
Test(search, polling_loop_ends) {
    program a = {{TOY_IRECV, 1, 0, 0, 0}, {TOY_TEST, 0, 0, 0, 0}, {TOY_JUMP_IF, 1, 0, 0, 0}, {0}};
    program b = {{TOY_SEND, 0, 0, 0, 0}, {0}};
    const struct toy_instruction *const programs[] = {a, b};
    struct trial trial = run(2, programs, (struct search_options){0});
    cr_assert_eq(trial.end, SEARCH_COMPLETE);
    cr_assert_eq(trial.findings, 0);
    cr_assert_eq(search_statistics(trial.search)->states, 2);
    cr_assert_eq(search_statistics(trial.search)->transitions, 1 + 2);
    end(&trial);
}

/* Each waits to see the other's message before it sends its own: one state, two "not yet". */
Test(search, two_pollers_livelock) {
    program a = {{TOY_IPROBE, 1, 0, 0, 0}, {TOY_JUMP_IF, 0, 0, 0, 0}, {TOY_SEND, 1, 0, 0, 0}, {TOY_RECV, 1, 0, 3, NO}, {0}};
    program b = {{TOY_IPROBE, 0, 0, 0, 0}, {TOY_JUMP_IF, 0, 0, 0, 0}, {TOY_SEND, 0, 0, 0, 0}, {TOY_RECV, 0, 0, 3, NO}, {0}};
    const struct toy_instruction *const programs[] = {a, b};
    struct search_options options = {0};
    struct trial trial = run(2, programs, options);
    cr_assert_eq(trial.end, SEARCH_FOUND);
    cr_assert_eq(search_statistics(trial.search)->states, 1);
    cr_assert_str_eq(trial.finding[0].class_name, "livelock");
    cr_assert_str_eq(trial.finding[0].message, "no ordering ends from here: rank 0 in MPI_Iprobe, rank 1 in MPI_Iprobe");
    cr_assert_eq(trial.finding[0].wheres, 2);
    check_witness(2, programs, options, &trial.finding[0]);
    end(&trial);
}

/* Everything is determined, for ever. */
Test(search, ping_pong_without_end_is_a_livelock) {
    program a = {{TOY_SEND, 1, 0, 0, 0}, {TOY_RECV, 1, 0, 3, NO}, {TOY_JUMP, 0, 0, 0, 0}, {0}};
    program b = {{TOY_RECV, 0, 0, 3, NO}, {TOY_SEND, 0, 0, 0, 0}, {TOY_JUMP, 0, 0, 0, 0}, {0}};
    const struct toy_instruction *const programs[] = {a, b};
    struct search_options options = {0};
    struct trial trial = run(2, programs, options);
    cr_assert_eq(trial.end, SEARCH_FOUND);
    cr_assert_str_eq(trial.finding[0].class_name, "livelock");
    end(&trial);
}

/* Rank 0 sends to itself and tests, for ever: two choices against the three of rank 1, so the reduction alone would never let rank
 * 1 receive. Rank 1 crashes in the order 4, 3, 2. */
Test(search, nothing_is_put_off_for_ever) {
    program loop = {{TOY_ISEND, 0, 0, 0, 0}, {TOY_ISEND, 0, 0, 0, 1}, {TOY_RECV, 0, 0, 3, NO},
                    {TOY_RECV, 0, 0, 3, NO}, {TOY_TEST, 0, 0, 0, 0},  {TOY_JUMP_IF, 4, 0, 0, 0},
                    {TOY_WAIT, 0, 0, NO, 1}, {TOY_JUMP, 0, 0, 0, 0},  {0}};
    program master = {{TOY_RECV, ANY, 0, 0, NO}, {TOY_FOLD, 1, 0, 0, 0}, {TOY_RECV, ANY, 0, 0, NO},    {TOY_FOLD, 1, 0, 0, 0},
                      {TOY_RECV, ANY, 0, 0, NO}, {TOY_FOLD, 1, 0, 0, 0}, {TOY_CRASH_IF, 1, 432, 0, 0}, {0}};
    program two = {{TOY_SEND, 1, 0, 2, 0}, {0}}, three = {{TOY_SEND, 1, 0, 3, 0}, {0}}, four = {{TOY_SEND, 1, 0, 4, 0}, {0}};
    const struct toy_instruction *const programs[] = {loop, master, two, three, four};
    struct trial trial = run(5, programs, (struct search_options){.keep_going = true});
    cr_assert_eq(trial.end, SEARCH_COMPLETE);
    cr_assert_eq(trial.findings, 2);
    cr_assert_str_eq(trial.finding[0].class_name, "crash");
    cr_assert_str_eq(trial.finding[1].class_name, "livelock");
    end(&trial);
}

/* ---- budgets ---- */

Test(search, states_budget_is_kept_exactly) {
    struct fan_in fan_in;
    make_fan_in(&fan_in, 6, false);
    for (unsigned budget = 1; budget <= 64; budget += 7) {
        struct trial trial = run(7, fan_in.programs, (struct search_options){.states = budget});
        cr_assert_eq(trial.end, budget < 64 ? SEARCH_STATES : SEARCH_COMPLETE);
        cr_assert_eq(search_statistics(trial.search)->states, budget);
        end(&trial);
    }
}

/* Counts for ever: ends by the time budget alone, within a chain of determined moves. */
/* Of the tree of the six orders of three messages 11 states are met before the ends of the second level: of the ends only that of
 * the reference ordering. With 14 also the three of that level are. (The state with which a budget is exceeded is met, and not
 * counted.) Each order is as likely as any other. */
Test(search, the_share_of_an_unfinished_graph_is_estimated) {
    static const struct {
        uint64_t states;
        double share;
    } expected[] = {{7, 1.0 / 6}, {10, 1.0 / 6}, {13, 4.0 / 6}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct fan_in fan_in;
        make_fan_in(&fan_in, 3, true);
        struct trial trial =
            run(4, fan_in.programs,
                (struct search_options){.buffering = BUFFERING_NONE, .keep_going = true, .states = expected[i].states});
        cr_assert_eq(trial.end, SEARCH_STATES);
        struct search_estimate estimate = search_estimate(trial.search, 60);
        cr_assert_geq(estimate.orderings, 100u);
        cr_assert_float_eq((double)estimate.covered / (double)estimate.orderings, expected[i].share, 0.12);
        end(&trial);
    }
}

Test(search, time_budget_is_kept_within_a_chain) {
    program a = {{TOY_SEND, 1, 0, 0, 0}, {TOY_ADD, 0, 0, 0, 0}, {TOY_JUMP, 0, 0, 0, 0}, {0}};
    program b = {{TOY_RECV, 0, 0, 3, NO}, {TOY_JUMP, 0, 0, 0, 0}, {0}};
    a[1].b = 1;
    const struct toy_instruction *const programs[] = {a, b};
    struct trial trial = run(2, programs, (struct search_options){.seconds = 0.05});
    cr_assert_eq(trial.end, SEARCH_TIME);
    end(&trial);
}

Test(search, interrupt) {
    struct fan_in fan_in;
    make_fan_in(&fan_in, 6, false);
    struct trial trial = begin(7, fan_in.programs, (struct search_options){0});
    volatile bool interrupt = true;
    struct search_options options = {0};
    struct search *search = search_create(7, trial.model, trial.steps, &options, &interrupt, NULL, NULL, NULL);
    cr_assert_eq(search_run(search), SEARCH_INTERRUPTED);
    search_destroy(search);
    end(&trial);
}

static uint64_t a_gigabyte(void *context) {
    (void)context;
    return 1u << 30;
}

static struct search *measured;

static uint64_t held(void *context) {
    (void)context;
    return measured ? search_memory(measured) : 0;
}

/* 2^18 states of at least 5 bytes, in a budget of 1 MB: what the search would grow by is asked for before it grows. */
Test(search, memory_budget_is_not_leapt_over) {
    struct toy_instruction collector[19] = {{0}}, sender[] = {{TOY_SEND, 0, 0, 0, 0}, {0}};
    const struct toy_instruction *programs[19] = {collector};
    for (unsigned rank = 1; rank < 19; rank++) {
        collector[rank - 1] = (struct toy_instruction){TOY_RECV, WIRE_ANY_SOURCE, 0, 0, NO};
        programs[rank] = sender;
    }
    for (unsigned workers = 1; workers <= 3; workers++) {
        struct trial trial = begin(19, programs, (struct search_options){0});
        struct search_options options = {.memory_bytes = 1 << 20, .workers = workers, .blind_from = 1000};
        measured = search_create(19, trial.model, trial.steps, &options, NULL, NULL, held, NULL);
        cr_assert_eq(search_run(measured), SEARCH_MEMORY);
        cr_assert_lt(search_memory(measured), (1 << 20) + (1 << 17), "a clock tick's worth beyond it");
        search_destroy(measured);
        measured = NULL;
        end(&trial);
    }
}

/* A collector of as many messages as there are senders, which it forgets; variable 1 is where the last one came from. What comes
 * after that is the caller's. */
enum { LARGE = 18 };
static void large_collector(struct toy_instruction *collector, const struct toy_instruction *sender,
                            const struct toy_instruction **programs) {
    programs[0] = collector;
    for (unsigned rank = 1; rank < LARGE; rank++) {
        collector[rank - 1] = (struct toy_instruction){TOY_RECV, ANY, 0, 0, rank == LARGE - 1 ? 1 : NO};
        programs[rank] = sender;
    }
}

/* How much memory there is, as long as the search has not begun again from the root. */
static uint64_t none_the_second_time(void *context) {
    uint64_t *most = context, states = measured ? search_statistics(measured)->states : 0;
    *most = states > *most ? states : *most;
    return *most > 1 << 14 && states < *most / 2 ? 1u << 30 : 0;
}

/* Ends badly if the last message came from rank 1, whose message is the default each time: as many decisions differ as can, so
 * nearly all of the graph is searched before, by several workers without a trail, which is needed then. */
Test(search, what_was_met_is_not_concealed_if_there_is_no_memory_for_the_way_there) {
    struct toy_instruction collector[LARGE + 1] = {{0}}, sender[] = {{TOY_SEND, 0, 0, 0, 0}, {0}};
    const struct toy_instruction *programs[LARGE];
    large_collector(collector, sender, programs);
    collector[LARGE - 1] = (struct toy_instruction){TOY_CRASH_IF, 1, 1, 0, 0};
    for (unsigned workers = 1; workers <= 2; workers++) {
        struct trial trial = begin(LARGE, programs, (struct search_options){0});
        struct search_options options = {
            .memory_bytes = 1 << 29, .workers = workers, .blind_from = 1000, .symmetric_from = SIZE_MAX};
        uint64_t most_states = 0;
        measured = search_create(LARGE, trial.model, trial.steps, &options, NULL, NULL, none_the_second_time, &most_states);
        cr_assert_eq(search_run(measured), workers == 1 ? SEARCH_FOUND : SEARCH_MEMORY);
        cr_assert_eq(search_has_glimpsed(measured), workers == 2);
        search_destroy(measured);
        measured = NULL;
        end(&trial);
    }
}

static bool never_back(void *self) {
    (void)self;
    return false;
}

/* Half of what one worker takes is its trail: so 3/4 of it is enough to do without, but not for the way to a finding. */
Test(search, short_of_memory_one_worker_does_without_a_trail) {
    struct toy_instruction collector[LARGE + 1] = {{0}}, sender[] = {{TOY_SEND, 0, 0, 0, 0}, {0}};
    const struct toy_instruction *programs[LARGE];
    large_collector(collector, sender, programs);
    struct trial whole = begin(LARGE, programs, (struct search_options){.symmetric_from = SIZE_MAX});
    whole.steps->cyclic = never_back; /* else memory is needed to look for cycles */
    cr_assert_eq(search_run(whole.search), SEARCH_COMPLETE);
    uint64_t enough = search_memory(whole.search) / 4 * 3;
    for (unsigned fails = 0; fails <= 1; fails++) {
        if (fails)
            collector[LARGE - 1] = (struct toy_instruction){TOY_CRASH_IF, 1, 1, 0, 0};
        struct trial trial = begin(LARGE, programs, (struct search_options){0});
        struct search_options options = {.memory_bytes = enough, .symmetric_from = SIZE_MAX};
        trial.steps->cyclic = never_back;
        measured = search_create(LARGE, trial.model, trial.steps, &options, NULL, NULL, held, NULL);
        cr_assert_eq(search_run(measured), fails ? SEARCH_MEMORY : SEARCH_COMPLETE);
        cr_assert_eq(search_has_glimpsed(measured), fails);
        if (!fails)
            cr_assert_eq(search_statistics(measured)->states, search_statistics(whole.search)->states);
        search_destroy(measured);
        measured = NULL;
        end(&trial);
    }
    end(&whole);
}

Test(search, memory_budget) {
    program a = {{TOY_SEND, 1, 0, 0, 0}, {TOY_ADD, 0, 1, 0, 0}, {TOY_JUMP, 0, 0, 0, 0}, {0}};
    program b = {{TOY_RECV, 0, 0, 3, NO}, {TOY_JUMP, 0, 0, 0, 0}, {0}};
    const struct toy_instruction *const programs[] = {a, b};
    struct trial trial = begin(2, programs, (struct search_options){0});
    struct search_options options = {.memory_bytes = 1 << 20};
    struct search *search = search_create(2, trial.model, trial.steps, &options, NULL, NULL, a_gigabyte, NULL);
    cr_assert_eq(search_run(search), SEARCH_MEMORY);
    search_destroy(search);
    end(&trial);
}
