/* Orderings as what each rank chose: of hundreds of random orderings of toy programs, the ranks' own choices alone, in no
 * order between ranks, lead back to where each rank ended. That is what holding real MPI to an ordering rests on. */
#include "explorer/search/choices_of_walk.h"
#include "explorer/search/search.h"
#include "tests/search/toy_ranks.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { ANY = WIRE_ANY_SOURCE, NO = TOY_NOWHERE, RANKS = 3, WALKS = 100, MOVES_MOST = 60 };

typedef struct toy_instruction program[];

struct trial {
    struct toy *toy;
    struct mpi_model *model;
    struct step_source steps;
};

static struct trial begin(const struct toy_instruction *const *programs, enum buffering buffering) {
    struct trial trial = {.toy = toy_create(RANKS, programs),
                          .model = mpi_model_create(RANKS, buffering, toy_payload_size, NULL)};
    static const int32_t member[RANKS] = {0, 1, 2};
    mpi_model_context(trial.model, WIRE_WORLD_CONTEXT, member, RANKS);
    trial.steps = toy_steps(trial.toy);
    return trial;
}

static void end(struct trial *trial) {
    mpi_model_destroy(trial->model);
    toy_destroy(trial->toy);
}

static struct walk new_walk(struct trial *trial, struct choice_collector *collector) {
    struct walk walk = {.ranks = RANKS,
                        .model = trial->model,
                        .steps = &trial->steps,
                        .taking = choice_collector_taking,
                        .stepped = choice_collector_stepped,
                        .context = collector};
    walk_begin(&walk);
    return walk;
}

/* Takes transitions by lot. False: it did not come to an end. */
static bool walk_at_random(struct walk *walk, unsigned *seed) {
    enum walk_end reached = walk_determined(walk);
    for (int moves = 0; reached == WALK_QUIET && moves < MOVES_MOST; moves++) {
        const struct transition *list;
        size_t count = walk_offered(walk, &list);
        if (count == 0)
            return true;
        reached = walk_take(walk, &list[(size_t)rand_r(seed) % count]);
    }
    return reached == WALK_FAULT;
}

static void walk_guided(struct walk *walk, struct choice_guide *guide) {
    enum walk_end reached = walk_determined(walk);
    while (reached == WALK_QUIET) {
        const struct transition *list;
        size_t count = walk_offered(walk, &list);
        size_t picked = choice_guide_pick(guide, walk->model, walk->state, list, count);
        cr_assert_str_eq(guide->sentence, "");
        if (picked == count)
            return;
        reached = walk_take(walk, &list[picked]);
    }
}

static bool any_differs(const struct ordering *ordering) {
    for (size_t i = 0; i < ordering->decisions; i++)
        if (ordering->decision[i].differs)
            return true;
    return false;
}

/* A search that has the recording as its reference meets that ordering's end first, and counts no decision on the way as a
 * difference. What it comes to in all is what it comes to without. */
static void check_reference(struct trial *trial, enum buffering buffering, const struct choices *wanted,
                            const struct walk *walk) {
    struct search_options options = {.buffering = buffering, .keep_going = true}, plain = options;
    options.reference = wanted;
    struct search *search = search_create(RANKS, trial->model, &trial->steps, &options, NULL, NULL, NULL, NULL);
    struct search *other = search_create(RANKS, trial->model, &trial->steps, &plain, NULL, NULL, NULL, NULL);
    cr_assert_eq(search_run(search), SEARCH_COMPLETE, "%s", search_refusal(search));
    cr_assert_eq(search_run(other), SEARCH_COMPLETE);
    uint32_t local[RANKS];
    const struct finding *list;
    const uint64_t *outcome;
    size_t findings = search_findings(search, &list), outcomes = search_outcomes(search, &outcome);
    if (walk_all_ended(walk)) {
        cr_assert(search_first_end(search, local));
        for (unsigned rank = 0; rank < RANKS; rank++)
            cr_assert_eq(local[rank], mpi_model_local(trial->model, walk->state[rank]));
    } else {
        cr_assert_geq(findings, 1u);
        cr_assert_str_eq(list[0].class_name, "deadlock");
        cr_assert_not(any_differs(&list[0].witness));
    }
    for (size_t i = 0; i < findings; i++)
        if (list[i].race && walk_all_ended(walk))
            cr_assert_not(any_differs(&list[i].other));
    cr_assert_eq(search_outcomes(other, &outcome), outcomes);
    search_destroy(search);
    search_destroy(other);
}

/* Returns 1 if the ordering came to an end and could be compared. */
static unsigned check_one(const struct toy_instruction *const *programs, enum buffering buffering, unsigned seed) {
    struct trial trial = begin(programs, buffering);
    struct choice_collector collector;
    struct choice_guide guide;
    unsigned lot = seed;
    choice_collector_begin(&collector, RANKS, buffering);
    struct walk first = new_walk(&trial, &collector);
    bool ended = walk_at_random(&first, &lot);
    choice_guide_begin(&guide, RANKS, buffering, collector.rank);
    struct walk second = new_walk(&trial, &guide.seen);
    if (ended)
        walk_guided(&second, &guide);
    for (unsigned rank = 0; ended && rank < RANKS; rank++)
        cr_assert_eq(mpi_model_local(trial.model, first.state[rank]), mpi_model_local(trial.model, second.state[rank]),
                     "rank %u, buffering %d, seed %u", rank, (int)buffering, seed);
    if (ended)
        check_reference(&trial, buffering, collector.rank, &first);
    walk_free(&first);
    walk_free(&second);
    choice_collector_end(&collector, RANKS);
    choices_of_ranks_free(collector.rank, RANKS);
    choice_guide_end(&guide, RANKS);
    end(&trial);
    return ended;
}

static void check(const struct toy_instruction *const *programs) {
    for (int buffering = BUFFERING_ALL; buffering <= BUFFERING_INFINITE; buffering++) {
        unsigned compared = 0;
        for (unsigned seed = 1; seed <= WALKS; seed++)
            compared += check_one(programs, (enum buffering)buffering, seed);
        cr_assert_gt(compared, WALKS / 2, "most orderings end");
    }
}

/* Wildcards, mixed buffering: some of the orderings deadlock, and end in the same deadlock. */
Test(choices, sources_and_buffering_lead_back) {
    static const program zero = {{TOY_SEND, 1, 0, 1, 0}, {TOY_SEND, 2, 1, 10, 0}, {0}};
    static const program one = {{TOY_SEND, 2, 1, 100, 0}, {TOY_RECV, 0, 0, 0, NO}, {TOY_SEND, 2, 1, 7, 0}, {0}};
    static const program two = {{TOY_RECV, ANY, 1, 0, 1},
                                {TOY_PRINT, 0, 0, 0, 0},
                                {TOY_RECV, ANY, 1, 0, 1},
                                {TOY_PRINT, 0, 0, 0, 0},
                                {TOY_RECV, 1, 1, 0, 1},
                                {TOY_PRINT, 0, 0, 0, 0},
                                {0}};
    const struct toy_instruction *const programs[] = {zero, one, two};
    check(programs);
}

/* Which of two requests completes first, both from anybody. */
Test(choices, reported_requests_lead_back) {
    static const program zero = {{TOY_IRECV, ANY, 0, 0, 0},
                                 {TOY_IRECV, ANY, 0, 0, 1},
                                 {TOY_WAIT_ANY, 0, 0, 0, 1},
                                 {TOY_PRINT, 0, 0, 0, 0},
                                 {TOY_RECV, ANY, 1, 1, 2},
                                 {TOY_PRINT, 1, 0, 0, 0},
                                 {0}};
    static const program other = {{TOY_SEND, 0, 0, 5, 0}, {TOY_SEND, 0, 1, 6, 0}, {0}};
    static const program third = {{TOY_SSEND, 0, 0, 8, 0}, {0}};
    const struct toy_instruction *const programs[] = {zero, other, third};
    check(programs);
}

/* Tests and probes that say "not yet" any number of times. */
Test(choices, misses_lead_back) {
    static const program zero = {{TOY_IRECV, ANY, 0, 0, 0},  {TOY_TEST, 0, 0, 0, 0},    {TOY_PRINT, 0, 0, 0, 0},
                                 {TOY_IPROBE, ANY, 1, 1, 0}, {TOY_PRINT, 1, 0, 0, 0},   {TOY_RECV, ANY, 1, 2, 3},
                                 {TOY_PRINT, 3, 0, 0, 0},    {TOY_BARRIER, 0, 0, 0, 0}, {0}};
    static const program other = {{TOY_SEND, 0, 0, 5, 0}, {TOY_BARRIER, 0, 0, 0, 0}, {0}};
    static const program third = {{TOY_SEND, 0, 1, 8, 0}, {TOY_BARRIER, 0, 0, 0, 0}, {0}};
    const struct toy_instruction *const programs[] = {zero, other, third};
    check(programs);
}

/* The root of a broadcast may leave it before the others have come; some orderings are deadlocks only if it does not. */
Test(choices, early_departures_lead_back) {
    static const program zero = {{TOY_BCAST, 0, 0, 0, 0}, {TOY_SEND, 1, 0, 5, 0}, {0}};
    static const program one = {
        {TOY_RECV, ANY, 0, 0, 1}, {TOY_PRINT, 1, 0, 0, 0}, {TOY_BCAST, 0, 0, 0, 0}, {TOY_RECV, ANY, 0, 0, 1}, {0}};
    static const program two = {{TOY_SEND, 1, 0, 6, 0}, {TOY_BCAST, 0, 0, 0, 0}, {0}};
    const struct toy_instruction *const programs[] = {zero, one, two};
    check(programs);
}

/* A recording of another program is noticed where the two part. */
Test(choices, another_program_departs) {
    static const program zero = {{TOY_RECV, ANY, 0, 0, 1}, {0}}, sender = {{TOY_SEND, 0, 0, 5, 0}, {0}}, idle = {{0}};
    const struct toy_instruction *const programs[] = {zero, sender, idle};
    struct trial trial = begin(programs, BUFFERING_ALL);
    struct choices wanted[RANKS] = {{0}};
    struct choice_guide guide;
    cr_assert(choice_read(&wanted[0], "receive MPI_Irecv 1"));
    cr_assert(choice_read(&wanted[1], "send MPI_Send 0"));
    choice_guide_begin(&guide, RANKS, BUFFERING_ALL, wanted);
    struct walk walk = new_walk(&trial, &guide.seen);
    cr_assert_eq(walk_determined(&walk), WALK_QUIET);
    const struct transition *list;
    size_t count = walk_offered(&walk, &list);
    choice_guide_pick(&guide, walk.model, walk.state, list, count);
    cr_assert_str_eq(guide.sentence, "rank 0 calls MPI_Recv where the recorded run called MPI_Irecv");
    walk_free(&walk);
    choice_guide_end(&guide, RANKS);
    choices_free(&wanted[0]);
    choices_free(&wanted[1]);
    end(&trial);
}
