#include "explorer/exploration/searches.h"

#include "explorer/exploration/phases.h"
#include "explorer/exploration/place_walks.h"

#include <stdlib.h>
#include <string.h>

/* A graph with no more states is explored before anything else is tried, if that takes no more of --time. */
enum { SMALL_GRAPH = 1 << 17, SMALL_TIME_PERCENT = 20 };
/* Before a large graph is explored: so many orderings, in so much of --time. */
enum { QUICK_ORDERINGS = 256, QUICK_TIME_PERCENT = 5 };
/* How many orderings strategies give if nothing says when to end. */
enum { DEFAULT_ORDERINGS = 10000 };

static uint32_t in_doubt(const struct exploration *exploration) {
    return places_in_doubt(&exploration->places, programs_table(exploration->programs), exploration->options->ranks, NULL);
}

/* Those that ranks turn out not to wait for are what they seemed not to be. False: there are none. */
static bool settle(struct exploration *exploration) {
    return places_settle(&exploration->places, programs_table(exploration->programs), exploration->options->ranks);
}

/* What a rank does that waits becomes known. */
static void wait_often(const struct exploration *exploration) {
    place_walks(exploration->model, programs_steps(exploration->programs), exploration->options->ranks);
}

/* Has a rank asked for what it has forgotten? */
static bool keeps_more(struct exploration *exploration) {
    return leftovers_keep(&exploration->leftovers, search_place_wanted(exploration->search));
}

/* There is a place to look at otherwise. Where much memory is accessed at the same time that is no flag, one would be found after
 * the other. False: an executor failed. */
static bool start_over(struct exploration *exploration) {
    enum { DOUBTS_MOST = 6 };
    const struct search *search = exploration->search;
    if (keeps_more(exploration))
        return exploration_begin_anew(exploration);
    if (in_doubt(exploration) >= DOUBTS_MOST) {
        wait_often(exploration);
        settle(exploration);
    }
    return exploration_add_places(exploration, search_place_wanted(search)) &&
           exploration_add_agents(exploration, search_agents_wanted(search));
}

static enum search_end search_again(struct exploration *exploration) {
    const struct options *options = exploration->options;
    uint64_t most = exploration->is_quick                        ? QUICK_ORDERINGS
                    : options->orderings || options->seconds > 0 ? options->orderings
                                                                 : DEFAULT_ORDERINGS;
    exploration_new_search(exploration);
    if (exploration->damaged)
        return SEARCH_FAILED;
    if (!exploration->tries_some)
        return search_run(exploration->search);
    if (options_orders_all(options))
        return subset_run_all(exploration, options->proof == PROOF_REVERSAL, &exploration->subset);
    return subset_run(exploration, options->strategy ? options->strategy : "portfolio", most, &exploration->subset);
}

/* Was a place taken for one that ranks wait for, though nobody does? A search that ended with its first finding may not have met
 * that somebody does. */
static bool settle_mistakes(struct exploration *exploration, enum search_end end) {
    if (end == SEARCH_FOUND && in_doubt(exploration) > 0)
        wait_often(exploration);
    return (end == SEARCH_FOUND || end == SEARCH_COMPLETE) && settle(exploration);
}

/* Starts over as often as the program turns out to need more than was assumed. The steps are remembered. */
static enum search_end search_with_what_it_needs(struct exploration *exploration) {
    for (;;) {
        enum search_end end = search_again(exploration);
        if (exploration_was_mistaken(exploration))
            continue;
        if (end == SEARCH_AGENTS) {
            if (!start_over(exploration))
                return SEARCH_FAILED;
        } else if (mpi_model_surprised(exploration->model)) {
            mpi_model_expect_surprises(exploration->model);
        } else if (settle_mistakes(exploration, end)) {
            if (!exploration_add_agents(exploration, exploration->agents_kind))
                return SEARCH_FAILED;
        } else {
            return end;
        }
    }
}

static enum search_end why_not_proved(const struct exploration *exploration) {
    if (exploration->proof.why[0])
        return SEARCH_COMPLETE; /* of what there was to do */
    if (programs_failure(exploration->programs))
        return SEARCH_FAILED;
    if (exploration->interrupt && *exploration->interrupt)
        return SEARCH_INTERRUPTED;
    return exploration_time_is_up(exploration, 100) ? SEARCH_TIME : SEARCH_MEMORY;
}

/* Has the last search found what a proof by parts takes for an error, though it is allowed? */
static bool has_allowed_errors(const struct exploration *exploration) {
    const struct finding *finding;
    const size_t findings = search_findings(exploration->search, &finding);
    for (size_t i = 0; i < findings; i++)
        if (strcmp(finding[i].class_name, "handle-leak") != 0)
            return true;
    return false;
}

/* May ranks forget what is left in buffers? What is saved, or is to have all states, is as it is. */
static bool may_forget(const struct exploration *exploration) {
    return !exploration->leftovers.forgotten && !exploration->leftovers.needed && !exploration->saved &&
           !exploration->options->no_reduction;
}

/* A test has programs that have fewer. */
static uint64_t few_states(void) {
    enum { FEW_STATES = 2048 };
    const char *wanted = getenv(FEW_STATES_VARIABLE);
    return wanted ? strtoull(wanted, NULL, 10) : FEW_STATES;
}

/* Are there more than so many states? */
static bool has_more(struct exploration *exploration, uint64_t states, enum search_end *end) {
    exploration->most_states = states;
    *end = search_with_what_it_needs(exploration);
    return *end == SEARCH_STATES && !exploration_has_enough(exploration);
}

/* How far a search came that ended after so many states. */
struct reach {
    size_t level;
    uint64_t waiting;
};

static struct reach reach_of(const struct exploration *exploration) {
    return (struct reach){search_level(exploration->search), search_statistics(exploration->search)->frontier};
}

/* With as many states: the fewer there are in all, the more differing decisions lead to the last ones, or the fewer are known that
 * follow them. */
static bool is_further(struct reach one, struct reach other) {
    return one.level > other.level || (one.level == other.level && one.waiting < other.waiting);
}

/* What may make the graph smaller. */
struct way {
    bool merges;        /* local states that behave alike are one */
    bool places_blocks; /* ranks place blocks by what they are for */
};

/* For the next search. False: an executor failed. */
static bool take_way(struct exploration *exploration, struct way way) {
    const bool begins_anew = exploration->places_blocks != way.places_blocks;
    exploration->merges = way.merges;
    exploration->places_blocks = way.places_blocks;
    return !begins_anew || exploration_begin_anew(exploration);
}

/* How far does the search come? False: to its end, or an executor failed. */
static bool try_way(struct exploration *exploration, struct way way, uint64_t states, struct reach *reach,
                    enum search_end *end) {
    *end = SEARCH_FAILED;
    if (!take_way(exploration, way) || !has_more(exploration, states, end))
        return false;
    *reach = reach_of(exploration);
    return true;
}

/* Goes on in the way that seems to come to fewest states; as it is, if none is better. So few are visited by one worker, so that the
 * answer does not depend on their number. Where blocks are is tried first: to merge what differs only in that takes more steps. False:
 * one of the ways has come to an end. */
static bool choose_way(struct exploration *exploration, uint64_t states, enum search_end *end) {
    const bool keeps_blocks = programs_statistics(exploration->programs).keeps_blocks;
    const struct way as_it_is = {false, false}, placed = {false, true};
    struct reach reach = {0}, reach_placed = {0}, reach_merged = {0};
    if ((keeps_blocks && !try_way(exploration, placed, states, &reach_placed, end)) ||
        !try_way(exploration, as_it_is, states, &reach, end))
        return false;
    const bool places_blocks = keeps_blocks && is_further(reach_placed, reach);
    if (!try_way(exploration, (struct way){true, places_blocks}, states, &reach_merged, end))
        return false;
    *end = SEARCH_FAILED;
    return take_way(exploration, (struct way){is_further(reach_merged, places_blocks ? reach_placed : reach), places_blocks});
}

/* So many states at most. Once there are more than a few, it is worth while that ranks forget what is left in buffers, and to look for
 * what else makes the graph smaller. */
static enum search_end search_states(struct exploration *exploration, uint64_t most) {
    enum { TRIED = 2 }; /* times as many states in each way */
    const uint64_t few = few_states();
    if (may_forget(exploration) && (most == 0 || most > few)) {
        enum search_end end;
        if (!has_more(exploration, few, &end))
            return end;
        exploration->leftovers.forgotten = true;
        if (!exploration_begin_anew(exploration))
            return SEARCH_FAILED;
        if ((most == 0 || most > TRIED * few) && !choose_way(exploration, TRIED * few, &end))
            return end;
    }
    exploration->most_states = most;
    return search_with_what_it_needs(exploration);
}

static enum search_end search_graph(struct exploration *exploration) {
    double since = exploration_seconds(exploration);
    enum search_end end = search_states(exploration, exploration->options->states);
    phases_note_graph(exploration, since, end);
    return end;
}

/* True: the graph turned out to be small, or had all to report that is wanted. */
static bool search_small_graph(struct exploration *exploration, enum search_end *end) {
    double since = exploration_seconds(exploration);
    unsigned before = exploration->time_percent;
    exploration->time_percent = SMALL_TIME_PERCENT;
    *end = search_states(exploration, SMALL_GRAPH);
    phases_note_graph(exploration, since, *end);
    exploration->time_percent = before;
    return (*end != SEARCH_STATES && *end != SEARCH_TIME) || exploration_has_enough(exploration);
}

static bool prove_by_parts(struct exploration *exploration) {
    double since = exploration_seconds(exploration);
    struct parts_proof *proof = &exploration->proof;
    exploration->by_parts = proof_is_possible(exploration) && proof_by_parts(exploration, proof);
    while (!exploration->by_parts && proof->wanted && leftovers_keep(&exploration->leftovers, proof->wanted)) {
        free(proof->hold);
        proof->hold = NULL;
        if (!exploration_begin_anew(exploration))
            break;
        exploration->by_parts = proof_by_parts(exploration, proof);
    }
    phases_note_parts(exploration, since);
    return exploration->by_parts;
}

static void stop_trying(struct exploration *exploration) {
    exploration->tries_some = false;
    exploration->subset = (struct subset){0};
}

/* A few orderings of each strategy: what is easy to find is found before the graph has grown large. True: something was. */
static bool try_quickly(struct exploration *exploration, enum search_end *end) {
    double since = exploration_seconds(exploration), seconds = exploration->options->seconds;
    unsigned used = seconds > 0 ? (unsigned)(100 * since / seconds) : 0, before = exploration->time_percent;
    exploration->time_percent = used + QUICK_TIME_PERCENT < before ? used + QUICK_TIME_PERCENT : before;
    exploration->is_quick = exploration->tries_some = true;
    *end = search_with_what_it_needs(exploration);
    exploration->is_quick = false;
    phases_note_strategies(exploration, since);
    exploration->time_percent = before;
    if (exploration_has_failed(exploration))
        return true;
    stop_trying(exploration);
    return false;
}

/* All findings are wanted: those of the graph, and if it is not finished what was found before. */
static enum search_end search_graph_for_more(struct exploration *exploration) {
    exploration->earlier = exploration->search;
    exploration->search = NULL;
    stop_trying(exploration);
    const enum search_end end = search_graph(exploration);
    if (end != SEARCH_COMPLETE)
        search_adopt_findings(exploration->search, exploration->earlier);
    search_destroy(exploration->earlier);
    exploration->earlier = NULL;
    return end;
}

/* The graph as far as it is small: it tells more than a proof by parts does. Then some orderings, such a proof, and the graph as
 * far as it goes. */
static enum search_end search_graph_or_parts(struct exploration *exploration) {
    const struct options *options = exploration->options;
    enum search_end end;
    if (options->proof == PROOF_DECOMPOSITION) {
        exploration_new_search(exploration);
        return prove_by_parts(exploration) ? SEARCH_COMPLETE : why_not_proved(exploration);
    }
    if (!proof_is_possible(exploration) || exploration->saved || (options->states && options->states <= SMALL_GRAPH))
        return search_graph(exploration);
    if (search_small_graph(exploration, &end))
        return end;
    if (exploration_has_failed(exploration)) /* there are more states, and perhaps other findings */
        return search_graph(exploration);
    const bool has_errors = has_allowed_errors(exploration);
    if (try_quickly(exploration, &end))
        return exploration_has_enough(exploration) ? end : search_graph_for_more(exploration);
    return !has_errors && prove_by_parts(exploration) ? SEARCH_COMPLETE : search_graph(exploration);
}

static enum search_end try_some(struct exploration *exploration) {
    double since = exploration_seconds(exploration);
    exploration->tries_some = true;
    exploration->time_percent = 100;
    enum search_end end = search_with_what_it_needs(exploration);
    phases_note_strategies(exploration, since);
    return end;
}

enum search_end searches_run(struct exploration *exploration, struct search_statistics *graph) {
    *graph = (struct search_statistics){0};
    if (exploration->options->strategy || options_orders_all(exploration->options))
        return try_some(exploration);
    exploration->time_percent = GRAPH_TIME_PERCENT;
    enum search_end end = search_graph_or_parts(exploration);
    if (exploration->tries_some)
        return end;
    *graph = *search_statistics(exploration->search);
    exploration->graph_bytes = search_memory(exploration->search);
    exploration->graph_ended = exploration_seconds(exploration);
    return end == SEARCH_TIME && !exploration_has_failed(exploration) ? try_some(exploration) : end;
}
