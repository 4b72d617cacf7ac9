#include "explorer/orderings/subset.h"

#include "explorer/containers/memory.h"
#include "explorer/containers/number_set.h"
#include "explorer/exploration/exploration.h"
#include "explorer/orderings/inequivalent.h"
#include "explorer/orderings/recorded_ordering.h"
#include "explorer/search/deliveries.h"
#include "explorer/search/walk.h"
#include "heuristics/portfolio.h"
#include "por/optimal.h"
#include "por/source_sets.h"

#define XXH_INLINE_ALL
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

/* An ordering is given up after so many moves, or misses in a row. */
enum { MOVES_MOST = 1 << 20, MISSES_MOST = 4096 };
/* How many of those given up are looked at more closely, and how many states that may take. */
enum { CLOSE_LOOKS = 16, CLOSE_STATES = 4096 };

/* A state on the way. */
struct passed {
    uint64_t state; /* hash */
    size_t decisions;
};

/* An ordering that comes to a state out of whose circles nothing leads. */
struct round {
    uint32_t *state;
    struct decision *decision;
    size_t decisions;
};

struct run {
    struct exploration *exploration;
    struct subset *covered;
    struct portfolio *portfolio;
    struct step_source steps; /* the exploration's, until a budget is used up */
    struct walk walk;
    uint32_t *progress;        /* by rank: steps */
    struct decision *decision; /* of the ordering at hand; only the transitions are filled in */
    size_t decisions, decision_room;
    struct passed *passed; /* states of the ordering at hand in which something was chosen */
    size_t passes, passed_room;
    unsigned close_looks;
    unsigned misses; /* in a row */
    bool news, gave_up;
    bool faulty;                      /* an ordering has ended in an error */
    bool endless;                     /* the ordering at hand, after its decisions */
    uint64_t name;                    /* of the state at hand */
    struct number_set states, locals; /* met */
    double checked;
    bool stopped;
    enum search_end end; /* stopped: why */
    /* While all of them are explored. */
    bool merged;
    const struct ordering_counts *counts;
    struct round round[CLOSE_LOOKS]; /* where nothing leads out */
    size_t rounds;
};

static unsigned ranks_of(const struct run *run) { return run->exploration->options->ranks + run->exploration->agents; }

static void forget_rounds(struct run *run) {
    for (size_t i = 0; i < run->rounds; i++) {
        free(run->round[i].state);
        free(run->round[i].decision);
    }
    run->rounds = 0;
}

/* --- budgets ----------------------------------------------------------------------------------------------------------------- */

static void stop(struct run *run, enum search_end end) {
    if (!run->stopped)
        run->end = end;
    run->stopped = true;
}

static double coarse_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t own_memory(const struct run *run) {
    return (run->counts ? run->counts->bytes : 0) + (run->portfolio ? portfolio_memory(run->portfolio) : 0) +
           number_set_memory(&run->states) + number_set_memory(&run->locals) + run->decision_room * sizeof *run->decision +
           run->passed_room * sizeof *run->passed;
}

static void note_counts(struct run *run) {
    run->covered->orderings = run->counts->orderings;
    run->covered->cut = run->counts->cut + run->counts->rounds;
    run->covered->moves = run->counts->taken;
    run->covered->states = run->merged ? run->counts->states : run->counts->taken + 1;
}

static void show(struct run *run) {
    const struct subset *covered = run->covered;
    exploration_show(run->exploration, &(struct search_statistics){.states = covered->states,
                                                                   .transitions = covered->moves,
                                                                   .deliveries = covered->deliveries,
                                                                   .steps = covered->steps});
}

/* True: stopped. Looks at the clock only; at the rest once a tick. */
static bool must_stop(struct run *run) {
    struct exploration *exploration = run->exploration;
    if (*exploration->interrupt)
        stop(run, SEARCH_INTERRUPTED);
    double time = coarse_now();
    if (run->stopped || time == run->checked)
        return run->stopped;
    run->checked = time;
    if (run->counts)
        note_counts(run);
    exploration->subset_bytes = own_memory(run);
    show(run);
    if (exploration_time_is_up(exploration, exploration->time_percent))
        stop(run, SEARCH_TIME);
    else if (exploration_memory_is_full(exploration))
        stop(run, SEARCH_MEMORY);
    else if (exploration->options->states && run->covered->states >= exploration->options->states)
        stop(run, SEARCH_STATES);
    return run->stopped;
}

/* The steps of a walk; a long chain of them stops in time. */
static const struct step_result *get_step(void *self, uint32_t local, const struct resolution *resolution) {
    struct run *run = self;
    const struct step_source *steps = programs_steps(run->exploration->programs);
    run->covered->steps++;
    return must_stop(run) ? NULL : steps->get(steps->self, local, resolution);
}

static uint32_t get_root(void *self, unsigned rank) {
    const struct step_source *steps = programs_steps(((struct run *)self)->exploration->programs);
    return steps->root(steps->self, rank);
}

/* --- one ordering ------------------------------------------------------------------------------------------------------------ */

static void note_step(void *context, const struct walk *walk, unsigned rank, const struct resolution *answer,
                      const struct step_result *result) {
    struct run *run = context;
    (void)walk;
    run->progress[rank]++;
    run->covered->deliveries += deliveries_in(answer);
    run->news |= number_set_add(&run->locals, result->local + 1ull);
}

/* Has this state, with what follows it, not been met before? */
static bool is_new_state(struct run *run) {
    run->name = XXH3_64bits(run->walk.state, run->walk.ranks * sizeof *run->walk.state);
    run->passed = memory_room(run->passed, &run->passed_room, run->passes, sizeof *run->passed);
    run->passed[run->passes++] = (struct passed){run->name, run->decisions};
    bool added = number_set_add(&run->states, run->name ? run->name : 1);
    run->covered->states += added;
    return added;
}

/* Tells the search of an ordering that comes to something worth telling. The step after which the explorer failed is remembered, and is
 * not to be told: a rank may have read a file that is not as another one had left it. */
static void report_ordering(struct run *run, const struct ordering *ordering) {
    struct search *search = run->exploration->search;
    if (programs_failure(run->exploration->programs)) {
        stop(run, SEARCH_FAILED);
        return;
    }
    enum search_end end = search_follow(search, ordering, NULL, NULL);
    const uint64_t *outcome;
    run->covered->outcomes = search_outcomes(search, &outcome);
    if (end == SEARCH_COMPLETE || (end == SEARCH_FOUND && !exploration_has_enough(run->exploration)))
        return;
    stop(run, end);
}

/* The ordering so far. */
static void report(struct run *run) {
    const struct ordering ordering = {.decisions = run->decisions, .decision = run->decision, .endless = run->endless};
    report_ordering(run, &ordering);
}

/* A recorded one comes first, so that the others are compared with it. */
static void report_reference(struct run *run) {
    struct ordering ordering;
    char sentence[400];
    if (recorded_ordering_find(run->exploration, run->exploration->reference.choices, &ordering, sentence, sizeof sentence) ||
        *sentence) /* the search will say it */
        report_ordering(run, &ordering);
    else
        stop(run, SEARCH_FAILED);
    free(ordering.decision);
}

static bool any_promised(const struct transition *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!list[i].optional)
            return true;
    return false;
}

static void add_decisions(struct run *run, const struct ordering *more) {
    for (size_t i = 0; i < more->decisions; i++) {
        run->decision = memory_room(run->decision, &run->decision_room, run->decisions, sizeof *run->decision);
        run->decision[run->decisions++] = more->decision[i];
    }
}

static void note_decision(struct run *run, const struct transition *transition, size_t choices) {
    struct decision decision = {.transition = *transition};
    if (walk_is_decision(transition, choices))
        add_decisions(run, &(struct ordering){.decisions = 1, .decision = &decision});
}

static enum walk_end take(struct run *run, const struct transition *list, size_t count) {
    size_t position = portfolio_choose(run->portfolio, &(struct strategy_choice){list, count, run->progress, run->name});
    const struct transition taken = list[position];
    run->misses = taken.miss ? run->misses + 1 : 0;
    run->progress[taken.owner] += taken.miss;
    note_decision(run, &taken, count);
    run->covered->moves++;
    return walk_take(&run->walk, &taken);
}

/* --- orderings without an end ------------------------------------------------------------------------------------------------ */

/* Leaves out the circles by which the ordering came to the state where it is: back to the first time that it was there. */
static void leave_circles_out(struct run *run) {
    uint64_t name = XXH3_64bits(run->walk.state, run->walk.ranks * sizeof *run->walk.state);
    for (size_t i = 0; i < run->passes; i++)
        if (run->passed[i].state == name) {
            run->decisions = run->passed[i].decisions;
            return;
        }
}

/* An ordering that goes round is a livelock if nothing leads out, which only a search from there can say: it explores all that
 * follows. Whatever error it meets is one of the program. */
static void look_closely(struct run *run, const uint32_t *state) {
    struct search *search = exploration_search_from(run->exploration, state, CLOSE_STATES);
    const struct finding *finding;
    search_run(search);
    if (search_findings(search, &finding) && !finding->race) {
        add_decisions(run, &finding->witness);
        run->endless = finding->witness.endless;
        report(run);
        run->endless = false;
    }
    exploration_end_second(run->exploration);
}

static void give_up(struct run *run) {
    run->covered->cut++;
    run->gave_up = true;
    if (run->stopped || run->close_looks++ >= CLOSE_LOOKS)
        return;
    leave_circles_out(run);
    look_closely(run, run->walk.state);
}

/* A fault and a refusal show again when the search goes the same way. */
static void walk_is_over(struct run *run, enum walk_end end) {
    if (end == WALK_ENDLESS)
        give_up(run);
    else if (!run->stopped)
        report(run);
}

static void go_one_way(struct run *run) {
    enum walk_end end = walk_determined(&run->walk);
    while (end == WALK_QUIET && !must_stop(run)) {
        const struct transition *list;
        size_t count = walk_offered(&run->walk, &list);
        if (is_new_state(run) && !any_promised(list, count)) { /* the end, or a deadlock if nothing optional happens */
            run->news |= !count;
            report(run);
        }
        if (!count || run->stopped)
            return;
        if (run->misses == MISSES_MOST || run->walk.moves == MOVES_MOST) {
            give_up(run);
            return;
        }
        end = take(run, list, count);
    }
    if (end != WALK_QUIET)
        walk_is_over(run, end);
}

static void run_one(struct run *run) {
    struct exploration *exploration = run->exploration;
    const unsigned ranks = ranks_of(run);
    run->walk =
        (struct walk){.ranks = ranks, .model = exploration->model, .steps = &run->steps, .stepped = note_step, .context = run};
    memset(run->progress, 0, ranks * sizeof *run->progress);
    run->decisions = run->passes = 0;
    run->misses = 0;
    run->news = run->gave_up = false;
    run->covered->orderings++;
    walk_begin(&run->walk);
    go_one_way(run);
    walk_free(&run->walk);
    portfolio_end(run->portfolio, run->news, !run->gave_up && !run->stopped);
}

/* --- all of them ------------------------------------------------------------------------------------------------------------- */

static struct run begin(struct exploration *exploration, const char *names, struct subset *covered) {
    const struct strategy *list[STRATEGIES_MOST];
    unsigned ranks = exploration->options->ranks + exploration->agents;
    size_t count = strategies_named(names, list);
    *covered = (struct subset){0};
    return (struct run){.exploration = exploration,
                        .covered = covered,
                        .portfolio = portfolio_create(list, count, ranks, exploration->options->seed),
                        .progress = memory_take(ranks * sizeof(uint32_t))};
}

static void end(struct run *run) {
    struct subset *covered = run->covered;
    const struct portfolio_member *member = portfolio_members(run->portfolio, &covered->strategies);
    for (size_t i = 0; i < covered->strategies; i++)
        covered->share[i] = (struct subset_share){member[i].strategy->name, member[i].orderings, member[i].exhausted};
    covered->bytes = number_set_memory(&run->states);
    portfolio_destroy(run->portfolio);
    number_set_free(&run->states);
    number_set_free(&run->locals);
    free(run->decision);
    free(run->passed);
    free(run->progress);
    run->exploration->subset_bytes = 0;
}

enum search_end subset_run(struct exploration *exploration, const char *names, uint64_t orderings, struct subset *covered) {
    struct run run = begin(exploration, names, covered);
    run.steps = (struct step_source){.root = get_root, .get = get_step, .self = &run};
    if (exploration->reference.choices)
        report_reference(&run);
    while ((!orderings || covered->orderings < orderings) && !must_stop(&run) && !mpi_model_surprised(exploration->model) &&
           portfolio_begin(run.portfolio))
        run_one(&run);
    end(&run);
    return run.stopped ? run.end : SEARCH_COMPLETE;
}

/* --- one of each class of equivalent ones, or a graph of them ------------------------------------------------------------------------------------ */

static const struct step_result *get_counted_step(void *self, uint32_t local, const struct resolution *resolution) {
    ((struct run *)self)->covered->deliveries += deliveries_in(resolution);
    return get_step(self, local, resolution);
}

/* As if nothing were remembered. */
static bool run_all_again(struct run *run, const uint32_t *state) {
    const struct exploration *exploration = run->exploration;
    for (unsigned rank = 0; rank < exploration->options->ranks && !must_stop(run); rank++)
        if (!programs_run_to(exploration->programs, mpi_model_local(exploration->model, state[rank])))
            return false;
    return true;
}

/* Nothing leads out of where the ordering has come to. That is looked at when all has been explored: if ranks turn out to do more than was
 * assumed, something may lead out after all. */
static void note_round(struct run *run, const struct ordering *ordering, const uint32_t *state) {
    if (run->counts->rounds == 1) /* everything is explored again */
        forget_rounds(run);
    if (run->rounds == CLOSE_LOOKS)
        return;
    run->round[run->rounds++] =
        (struct round){.state = memory_copy(state, ranks_of(run) * sizeof *state),
                       .decision = memory_copy(ordering->decision, ordering->decisions * sizeof *ordering->decision),
                       .decisions = ordering->decisions};
}

/* A search from there says so too. */
static void report_rounds(struct run *run) {
    for (size_t i = 0; i < run->rounds && run->counts->rounds && !must_stop(run); i++) {
        const struct round *round = &run->round[i];
        run->decisions = 0;
        add_decisions(run, &(struct ordering){.decisions = round->decisions, .decision = round->decision});
        look_closely(run, round->state);
    }
}

/* A circle of an ordering that is cut may be a livelock, which orderings that end do not tell. */
static bool end_one(void *context, enum ordering_end end, const struct ordering *ordering, const uint32_t *state,
                    uint64_t answers) {
    struct run *run = context;
    const struct exploration *exploration = run->exploration;
    uint64_t name = XXH3_64bits(state, ranks_of(run) * sizeof *state);
    (void)answers;
    switch (end) {
    case ORDERING_QUIET:
        if (number_set_add(&run->states, name ? name : 1))
            report_ordering(run, ordering);
        break;
    case ORDERING_FAULT:
        run->faulty = true;
        report_ordering(run, ordering);
        break;
    case ORDERING_CUT: break;
    case ORDERING_ROUND: note_round(run, ordering, state); break;
    case ORDERING_STOPPED: /* by the program, unless it was a budget */
        if (!run->stopped)
            report_ordering(run, ordering);
        break;
    }
    return (!exploration->options->rerun || run_all_again(run, state)) && !must_stop(run);
}

enum search_end subset_run_all(struct exploration *exploration, bool merged, struct subset *covered) {
    struct run run = {.exploration = exploration, .covered = covered, .merged = merged};
    *covered = (struct subset){.unsuited = inequivalent_unsuited(exploration->model), .is_merged = merged};
    if (covered->unsuited)
        return SEARCH_COMPLETE;
    run.steps = (struct step_source){.root = get_root, .get = get_counted_step, .self = &run};
    if (exploration->reference.choices)
        report_reference(&run);
    struct inequivalent all = {.ranks = ranks_of(&run),
                               .model = exploration->model,
                               .steps = &run.steps,
                               .ended = end_one,
                               .context = &run,
                               .explore = merged ? source_sets_explore : optimal_explore,
                               .merged = merged,
                               .persistent = merged};
    run.counts = &all.counts;
    bool is_all = !run.stopped && inequivalent_run(&all);
    note_counts(&run);
    if (is_all)
        report_rounds(&run);
    forget_rounds(&run);
    covered->unsuited = all.untold;
    covered->is_all = is_all && covered->cut == 0 && !run.faulty && !covered->unsuited;
    covered->strategies = 1;
    covered->share[0] = (struct subset_share){merged ? "reversal of races" : "optimal reduction", covered->orderings, is_all};
    covered->bytes = own_memory(&run);
    number_set_free(&run.states);
    free(run.decision);
    exploration->subset_bytes = 0;
    return run.stopped ? run.end : is_all ? SEARCH_COMPLETE : SEARCH_FAILED;
}

void subset_tell(const struct subset *covered, char *sentence, size_t room) {
    size_t at = 0;
    for (size_t i = 0; i < covered->strategies && at < room; i++) {
        const struct subset_share *share = &covered->share[i];
        at += (size_t)snprintf(sentence + at, room - at, "%s%" PRIu64 " by %s%s", i ? ", " : "", share->orderings,
                               share->strategy, share->exhausted ? " (all that it has)" : "");
    }
    if (at < room)
        at += (size_t)snprintf(sentence + at, room - at, "; %" PRIu64 " distinct outcome%s", covered->outcomes,
                               covered->outcomes == 1 ? "" : "s");
    if (at < room && covered->cut)
        snprintf(sentence + at, room - at, "; %" PRIu64 " given up as they did not end", covered->cut);
}
