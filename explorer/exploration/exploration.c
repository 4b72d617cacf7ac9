#include "explorer/exploration/exploration.h"

#include "explorer/containers/memory.h"
#include "explorer/exploration/advice.h"
#include "explorer/exploration/judgement.h"
#include "explorer/exploration/outcomes.h"
#include "explorer/exploration/phases.h"
#include "explorer/exploration/searches.h"
#include "explorer/machine/machine.h"
#include "explorer/machine/own_files.h"
#include "explorer/orderings/minimal.h"
#include "explorer/orderings/recorded_ordering.h"
#include "explorer/orderings/witness_file.h"
#include "explorer/processes/program_check.h"
#include "explorer/saved/saved_inputs.h"
#include "explorer/saved/surroundings.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The budget is checked every few milliseconds: what is used between two checks must fit too. */
enum { MEMORY_PERCENT = 94, DEFAULT_MEMORY_PERCENT = 70 };
/* How long a program may take to come to MPI_Init, if --time does not say. */
enum { DEFAULT_START_SECONDS = 60 };
/* With --spill pages go to disk from SPILL_FROM on, until SPILL_TO is reached. */
enum { SPILL_FROM_PERCENT = 85, SPILL_TO_PERCENT = 75 };
/* Without, some of them are forgotten so that everything fits into this. */
enum { FORGET_FROM_PERCENT = 85 };
/* Executors, however many ranks have much memory. */
enum { EXECUTORS_MOST = 16 };
/* Seconds after --time at which a step that is still running is given up: those who ask for steps should know before. */
static const double DEADLINE_SLACK = 0.05;
/* How long better witnesses are looked for: a share of the time until then, but at least so many seconds. */
enum { MINIMAL_TIME_PERCENT = 25, MINIMAL_SECONDS = 2 };

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --- the start ------------------------------------------------------------------------------------------------------- */

static struct programs *start_programs(struct exploration *exploration, const struct executors_options *start, char **error) {
    const struct options *options = exploration->options;
    struct started_program list[PROGRAMS_MOST];
    for (unsigned i = 0; i < options->program_count; i++) {
        const struct program *program = &options->programs[i];
        list[i] = (struct started_program){exploration->path[i], program->words, program->ranks};
    }
    return programs_start(start, list, options->program_count, exploration->sites, error);
}

/* A graph to go on from, whose agents have to be there before the search is. */
static bool open_graph(struct exploration *exploration) {
    int kind = 0;
    if (exploration->saved && saved_is_resumed(exploration->saved) && !exploration->options->strategy)
        exploration->graph_file = saved_graph_open(&exploration->graph, &kind);
    return !kind || exploration_add_agents(exploration, kind);
}

static bool refuse(char *sentence, size_t room, char *error, const char *otherwise) {
    snprintf(sentence, room, "%s", error ? error : otherwise);
    free(error);
    return false;
}

/* One that keeps the memory of each rank would be best: a real run has as many processes. */
static unsigned most_executors(const struct options *options) {
    unsigned most = options->ranks < EXECUTORS_MOST ? options->ranks : EXECUTORS_MOST;
    return options->checkpoint->keeps_pages && most > options->jobs ? most : options->jobs;
}

/* With --save or --resume: the exploration directory, and whether everything is as it was when it was made. */
static bool begin_saving(struct exploration *exploration, char **error) {
    const struct options *options = exploration->options;
    *error = NULL;
    exploration->saved = options->resumed;
    if (options->save)
        exploration->saved = saved_create(options->save, options->command, options->command_words, error);
    if (!exploration->saved)
        return !options->save;
    return surroundings_check(exploration->saved, options, exploration->path, error) &&
           saved_inputs_check(exploration->saved, error);
}

/* Without an error, or a failure since: there was no time, or it was interrupted. */
static bool not_begun(struct exploration *exploration, char *sentence, size_t room, char *error) {
    const char *failure = exploration->programs ? programs_failure(exploration->programs) : NULL;
    if (!error && failure)
        error = strdup(failure);
    exploration->is_late = !error && exploration_time_is_up(exploration, 100);
    return refuse(sentence, room, error,
                  exploration->is_late ? "the time budget is used up before the program has started"
                                       : "interrupted while the program started");
}

bool exploration_begin(struct exploration *exploration, const struct options *options, const volatile bool *interrupt,
                       char *sentence, size_t room) {
    *exploration = (struct exploration){.options = options,
                                        .interrupt = interrupt,
                                        .began = seconds_now(),
                                        .keeps_going = options->keep_going || options->allows > 0,
                                        .time_percent = 100};
    exploration->memory_bytes = options->memory_bytes ? options->memory_bytes : machine_memory() / 100 * DEFAULT_MEMORY_PERCENT;
    exploration->sites = sites_create();
    progress_begin(&exploration->progress, options->quiet);
    char library[PATH_MAX + 64];
    exploration->path = program_check_all(options->programs, options->program_count, sentence, room);
    if (!exploration->path)
        return false;
    if (options->reference && !recorded_reference_read(options, exploration->path, &exploration->reference, sentence, room))
        return false;
    if (options->access && !(exploration->access = access_file_read(options->access, sentence, room)))
        return false;
    if (!own_library("libexplore_mpi.so", library, sizeof library)) {
        snprintf(sentence, room, "libexplore_mpi.so is not beside the explore executable, nor in ../lib/explore");
        return false;
    }
    char *error;
    if (!begin_saving(exploration, &error))
        return refuse(sentence, room, error, "the exploration cannot be saved");
    struct executors_options start = {
        .jobs = options->jobs,
        .executors = most_executors(options),
        .backend = options->checkpoint,
        .tracker = options->tracker,
        .step_seconds = options->step_seconds,
        .start_seconds = options->seconds > 0 ? options->seconds : DEFAULT_START_SECONDS,
        .memory_bytes = exploration->memory_bytes,
        .spill_dir = options->spill_dir,
        .keep_images = options->keep_images,
        .input = options->input,
        .race_on_state = options->race_on_state,
        .log_allocations = options->explain[0] != 0 || exploration->saved,
        .saved = exploration->saved,
        .library = library,
        .interrupt = interrupt,
        .deadline = options->seconds > 0 ? exploration->began + options->seconds + DEADLINE_SLACK : 0,
    };
    exploration->programs = start_programs(exploration, &start, &error);
    if (!exploration->programs)
        return not_begun(exploration, sentence, room, error);
    exploration->model = mpi_model_create(options->ranks, options->buffering, programs_payload_size, exploration->programs);
    programs_set_model(exploration->programs, exploration->model);
    exploration->graph =
        (struct saved_graph){exploration->saved, exploration->programs, exploration->model, exploration->began, 0};
    error = NULL;
    return (programs_resume(exploration->programs, &error) && open_graph(exploration) &&
            (!options->takes_turns || exploration_add_agents(exploration, AGENTS_TAKING_TURNS))) ||
           not_begun(exploration, sentence, room, error);
}

void exploration_end(struct exploration *exploration) {
    progress_end(&exploration->progress);
    search_destroy(exploration->search);
    free(exploration->proof.hold);
    poeg_counts_free(&exploration->orders.counts);
    access_file_free(exploration->access);
    if (exploration->model)
        mpi_model_destroy(exploration->model);
    bisimilar_destroy(exploration->bisimilar);
    if (exploration->programs)
        programs_stop(exploration->programs);
    sites_destroy(exploration->sites);
    witness_free(&exploration->reference);
    free(exploration->places_text);
    program_paths_free(exploration->path, exploration->options->program_count);
    if (exploration->saved && journal_broken(saved_journal(exploration->saved)))
        fprintf(stderr, "explore: %s does not have all that was found: %s\n", saved_folder(exploration->saved),
                journal_broken(saved_journal(exploration->saved)));
    saved_close(exploration->saved);
}

bool exploration_begin_anew(struct exploration *exploration) {
    return programs_begin_anew(exploration->programs, exploration->agents_kind, &exploration->places, &exploration->leftovers,
                               exploration->places_blocks);
}

bool exploration_add_agents(struct exploration *exploration, int kind) {
    if (AGENTS_ARE_NEEDED(kind) && !exploration->agents) {
        mpi_model_add_agents(exploration->model, exploration->options->ranks);
        exploration->agents = exploration->options->ranks;
    }
    exploration->agents_kind = kind;
    free(exploration->places_text);
    exploration->places_text = places_text(&exploration->places);
    return exploration_begin_anew(exploration);
}

bool exploration_add_places(struct exploration *exploration, const char *text) {
    return places_add(&exploration->places, text);
}

/* --- the search ------------------------------------------------------------------------------------------------------ */

/* `bytes` are used in all; returns how many are then. */
static uint64_t limit_pages(struct exploration *exploration, uint64_t bytes) {
    const uint64_t most = exploration->memory_bytes / 100 * FORGET_FROM_PERCENT;
    const uint64_t pages = programs_page_bytes(exploration->programs), others = bytes - pages;
    programs_limit_pages(exploration->programs, most > others ? most - others : 0);
    return others + programs_page_bytes(exploration->programs);
}

static uint64_t memory_used(void *context) {
    struct exploration *exploration = context;
    uint64_t bytes = programs_statistics(exploration->programs).memory_bytes + mpi_model_memory(exploration->model) +
                     exploration->subset_bytes + exploration->proof_bytes;
    if (exploration->search)
        bytes += search_memory(exploration->search);
    if (exploration->earlier)
        bytes += search_memory(exploration->earlier);
    if (exploration->second)
        bytes += search_memory(exploration->second);
    if (exploration->bisimilar)
        bytes += bisimilar_memory(exploration->bisimilar);
    uint64_t percent = exploration->memory_bytes / 100;
    if (exploration->options->spill_dir && bytes > percent * SPILL_FROM_PERCENT)
        bytes -= programs_spill(exploration->programs, bytes - percent * SPILL_TO_PERCENT);
    bytes = limit_pages(exploration, bytes);
    if (bytes > exploration->peak_memory)
        exploration->peak_memory = bytes;
    return bytes;
}

/* A step asked for is executed or remembered. Most of those remembered are not even asked of the executors. */
static void count_reused(const struct search_statistics *search, struct executors_statistics *executors) {
    executors->steps_reused = search->steps > executors->steps_executed ? search->steps - executors->steps_executed : 0;
}

void exploration_show(struct exploration *exploration, const struct search_statistics *statistics) {
    struct executors_statistics executors = programs_statistics(exploration->programs);
    count_reused(statistics, &executors);
    progress_show(&exploration->progress, statistics, &executors, memory_used(exploration));
}

static void show_progress(void *context, const struct search_statistics *statistics) {
    struct exploration *exploration = context;
    exploration_show(exploration, statistics);
    if (exploration->saved)
        journal_settle_now_and_then(saved_journal(exploration->saved));
}

double exploration_seconds_left(const struct exploration *exploration, unsigned percent) {
    if (exploration->options->seconds == 0)
        return 0;
    double left = exploration->options->seconds * percent / 100 - (seconds_now() - exploration->began);
    return left > 1e-3 ? left : 1e-3;
}

double exploration_seconds(const struct exploration *exploration) { return seconds_now() - exploration->began; }

bool exploration_time_is_up(const struct exploration *exploration, unsigned percent) {
    double seconds = exploration->options->seconds;
    return seconds > 0 && seconds_now() - exploration->began >= seconds * percent / 100;
}

bool exploration_memory_is_full(struct exploration *exploration) {
    return memory_used(exploration) >= exploration->memory_bytes / 100 * MEMORY_PERCENT;
}

static void save_graph(void *context) {
    struct exploration *exploration = context;
    saved_graph_write_now_and_then(&exploration->graph, exploration->search, exploration->agents_kind);
}

/* The first search goes on with the graph that was saved, if there is one. */
static void take_graph(struct exploration *exploration) {
    FILE *file = exploration->graph_file;
    exploration->graph_file = NULL;
    if (file && exploration->reference.choices)
        fclose(file); /* its layers go by another reference ordering */
    else if (file)
        exploration->damaged = !saved_graph_read(&exploration->graph, file, exploration->search);
}

/* With --symmetry always: from as many states on as it takes to see what ranks do. */
static size_t symmetric_from(const struct options *options) {
    enum { FEW_STATES = 256 };
    static const size_t from[] = {[SYMMETRY_AUTO] = 0, [SYMMETRY_ALWAYS] = FEW_STATES, [SYMMETRY_NEVER] = SIZE_MAX};
    return from[options->symmetry];
}

bool exploration_has_failed(const struct exploration *exploration) {
    const struct finding *finding;
    const size_t findings = search_findings(exploration->search, &finding);
    for (size_t i = 0; i < findings; i++)
        if (options_fails(exploration->options, finding[i].class_name))
            return true;
    return false;
}

bool exploration_has_enough(const struct exploration *exploration) {
    const struct finding *finding;
    const bool any = search_findings(exploration->search, &finding) > 0;
    return exploration->keeps_going ? !exploration->options->keep_going && exploration_has_failed(exploration) : any;
}

static bool fails_run(const void *options, const char *class_name) { return options_fails(options, class_name); }

/* Beside findings that are allowed the first other one is enough, unless the user wants all. */
static struct search_options search_options_of(const struct exploration *exploration) {
    const struct options *options = exploration->options;
    return (struct search_options){
        .buffering = options->buffering,
        .keep_going = exploration->keeps_going,
        .is_enough = options->keep_going ? NULL : fails_run,
        .enough_context = options,
        .compare = exploration->tries_some,
        .agents = exploration->agents,
        .agents_kind = exploration->agents_kind,
        .places = exploration->places_text,
        .no_reduction = options->no_reduction,
        .seconds = exploration_seconds_left(exploration, exploration->time_percent),
        .memory_bytes = exploration->memory_bytes / 100 * MEMORY_PERCENT,
        .states = exploration->most_states,
        .workers = options->jobs,
        .symmetric_from = symmetric_from(options),
        .reference = exploration->reference.choices,
    };
}

/* What the model remembers of moves counts only for those who get the same steps. */
static const struct step_source *steps_for_search(struct exploration *exploration, bool merges) {
    const struct step_source *steps = programs_steps(exploration->programs);
    if (merges || exploration->merged)
        mpi_model_forget_moves(exploration->model);
    exploration->merged = merges;
    if (!merges)
        return steps;
    if (!exploration->bisimilar)
        exploration->bisimilar = bisimilar_create(exploration->options->ranks);
    return bisimilar_begin(exploration->bisimilar, steps);
}

static struct search *create_search(struct exploration *exploration, const struct search_options *options, bool merges) {
    return search_create(exploration->options->ranks + exploration->agents, exploration->model,
                         steps_for_search(exploration, merges), options, exploration->interrupt, show_progress, memory_used,
                         exploration);
}

struct search *exploration_search_from(struct exploration *exploration, const uint32_t *state, uint64_t states) {
    struct search_options options = search_options_of(exploration);
    options.root = state;
    options.states = states;
    options.workers = 1;
    options.keep_going = options.compare = false;
    options.reference = NULL;
    return exploration->second = create_search(exploration, &options, false);
}

void exploration_end_second(struct exploration *exploration) {
    search_destroy(exploration->second);
    exploration->second = NULL;
}

void exploration_new_search(struct exploration *exploration) {
    struct search_options options = search_options_of(exploration);
    options.pause = exploration->saved && !options.reference ? save_graph : NULL;
    options.pause_context = exploration;
    const bool merges = exploration->merges && !exploration->tries_some;
    if (merges)
        options.workers = 1; /* which local states are found to be alike, and how soon, is to be the same for any number */
    search_destroy(exploration->search);
    exploration->search = NULL;
    exploration->search = create_search(exploration, &options, merges);
    take_graph(exploration);
}

/* A mistake that shows only in a large graph is expensive: it is the last one. */
bool exploration_was_mistaken(struct exploration *exploration) {
    enum { LARGE_GRAPH = 1 << 16 };
    if (!exploration->merged || !bisimilar_differs(exploration->bisimilar))
        return false;
    exploration->merges =
        bisimilar_has_guesses(exploration->bisimilar) && search_statistics(exploration->search)->states < LARGE_GRAPH;
    return true;
}

/* --- minimal witnesses ----------------------------------------------------------------------------------------------- */

static struct search *create_second(void *context, const struct search_options *options) {
    struct exploration *exploration = context;
    return exploration->second = create_search(exploration, options, false);
}

/* Until when better witnesses are looked for: for a share of the time so far, or a moment, and within the budget. */
static double minimal_deadline(const struct exploration *exploration) {
    double now = seconds_now(), share = (now - exploration->began) * MINIMAL_TIME_PERCENT / 100;
    double deadline = now + (share > MINIMAL_SECONDS ? share : MINIMAL_SECONDS);
    double end = exploration->began + exploration->options->seconds;
    return exploration->options->seconds > 0 && deadline > end ? end : deadline;
}

static void make_witnesses_minimal(struct exploration *exploration) {
    struct seeker seeker = {.create = create_second,
                            .context = exploration,
                            .options = search_options_of(exploration),
                            .ranks = exploration->options->ranks + exploration->agents,
                            .model = exploration->model,
                            .steps = programs_steps(exploration->programs),
                            .deadline = minimal_deadline(exploration)};
    double since = exploration_seconds(exploration);
    seeker.options.keep_going = seeker.options.compare = false;
    seeker.options.is_enough = NULL;
    if (exploration->options
            ->strategy) /* nothing was assumed yet; the less ranks may do, the better is the reference ordering */
        mpi_model_assume(exploration->model, false);
    const struct finding *finding;
    size_t findings = search_findings(exploration->search, &finding);
    for (size_t i = 0; i < findings && !*exploration->interrupt; i++)
        minimal_make(&seeker, exploration->search, i, exploration->tries_some || finding[i].adopted, findings == 1);
    exploration->second = NULL;
    size_t minimal = 0;
    for (size_t i = 0; i < findings; i++)
        minimal += finding[i].minimal;
    if (findings)
        snprintf(phases_add(exploration, "witnesses", since, 0)->covered, sizeof exploration->phase->covered,
                 "%zu of %zu witness%s shown to be minimal", minimal, findings, findings == 1 ? "" : "es");
}

static bool tells_of_subset(const struct exploration *exploration, const struct search_statistics *graph) {
    return exploration->tries_some && !graph->states;
}

/* All phases together; of a proof by parts its own graphs. */
static struct search_statistics all_statistics(const struct exploration *exploration, const struct search_statistics *graph) {
    const struct subset *subset = &exploration->subset;
    struct search_statistics all = *graph;
    if (tells_of_subset(exploration, graph)) {
        all.states = subset->states;
        all.transitions = subset->moves;
    }
    if (exploration->by_parts) {
        const struct parts_statistics *parts = &exploration->proof.statistics;
        all.states = parts->states;
        all.transitions = parts->transitions;
        all.deliveries = parts->deliveries;
        all.frontier = 0;
    }
    all.steps += exploration->proof.steps;
    all.steps += subset->steps;
    all.deliveries += subset->deliveries;
    return all;
}

static uint64_t bytes_of_states(const struct exploration *exploration, const struct search_statistics *graph) {
    if (exploration->by_parts)
        return exploration->parts_bytes;
    return tells_of_subset(exploration, graph) ? exploration->subset.bytes : exploration->graph_bytes;
}

/* What the states that report->search tells of have cost; they were looked for from `since` on. */
static void tell_costs_of_states(const struct exploration *exploration, const struct search_statistics *graph,
                                 struct report *report, double since) {
    const double states = (double)report->search.states;
    const double seconds = (graph->states ? exploration->graph_ended : exploration_seconds(exploration)) - since;
    report->states_per_second = seconds > 0 ? states / seconds : 0;
    report->bytes_per_state = states > 0 ? (double)bytes_of_states(exploration, graph) / states : 0;
}

/* Of the graph that the verdict rests on. */
static void tell_alike(const struct exploration *exploration, struct report *report) {
    const unsigned ranks = exploration->options->ranks;
    bool alike = false;
    report->first_like = memory_take(ranks * sizeof *report->first_like);
    for (unsigned rank = 0; rank < ranks; rank++) {
        report->first_like[rank] = search_first_like(exploration->search, rank);
        alike |= report->first_like[rank] != rank;
    }
    if (alike)
        return;
    free(report->first_like);
    report->first_like = NULL;
}

void exploration_run(struct exploration *exploration, struct report *report) {
    struct search_statistics graph;
    const double since = exploration_seconds(exploration);
    enum search_end end = searches_run(exploration, &graph);
    progress_end(&exploration->progress);
    *report = (struct report){.options = exploration->options, .sites = exploration->sites};
    report->locals = programs_table(exploration->programs);
    report->memory_bytes = memory_used(exploration);
    report->search = all_statistics(exploration, &graph);
    tell_costs_of_states(exploration, &graph, report, since);
    report->subset = exploration->tries_some ? &exploration->subset : NULL;
    report->phase = exploration->phase;
    report->executors = programs_statistics(exploration->programs);
    count_reused(&report->search, &report->executors);
    report->by_parts = exploration->by_parts;
    report->by_orderings = exploration->subset.is_all;
    const bool by_graph = !exploration->tries_some && !exploration->by_parts;
    if (by_graph && exploration->search)
        tell_alike(exploration, report);
    if (by_graph && end == SEARCH_COMPLETE && exploration->options->proof != PROOF_DECOMPOSITION)
        judgement_count_orderings(exploration, report);
    make_witnesses_minimal(exploration);
    report->peak_memory_bytes = exploration->peak_memory;
    judgement_make(exploration, report, end);
    if (exploration->options->advice && report->verdict == VERDICT_RACE_FREE)
        report->advices = advice_find(exploration, &report->advice);
    report->phases = exploration->phases;
    if (exploration->saved)
        journal_settle(saved_journal(exploration->saved));
    report->seconds = seconds_now() - exploration->began;
}

void exploration_write_witnesses(struct exploration *exploration, struct report *report) {
    for (size_t i = 0; i < report->findings; i++) {
        struct reported_finding *reported = &report->finding[i];
        reported->witness = witness_write(exploration->options, exploration->path, reported->finding, exploration->sites);
        if (!reported->witness)
            fprintf(stderr, "explore: cannot write a witness into %s: %s\n", exploration->options->output_dir, strerror(errno));
    }
}

void exploration_keep_files(struct exploration *exploration) {
    const char *folder = exploration->options->keep_files;
    unsigned ranks = exploration->options->ranks + exploration->agents; /* MPI files are kept by agents */
    uint32_t *local = memory_take(ranks * sizeof *local);
    bool ended = search_first_end(exploration->search, local);
    if (!ended)
        fprintf(stderr, "explore: no ordering ended well, so %s has no files\n", folder);
    for (unsigned rank = 0; ended && rank < ranks; rank++) {
        char failed[PATH_MAX];
        struct written_files files = programs_files(exploration->programs, local[rank]);
        if (!written_files_keep(&files, folder, failed))
            fprintf(stderr, "explore: cannot write %s: %s\n", failed, strerror(errno));
        written_files_free(&files);
    }
    free(local);
}

void exploration_free_report(struct report *report) {
    for (size_t i = 0; i < report->findings; i++) {
        free(report->finding[i].witness);
        output_difference_free(&report->finding[i].difference);
        for (size_t k = 0; k < report->finding[i].details; k++)
            free(report->finding[i].detail[k]);
        free(report->finding[i].detail);
    }
    free(report->finding);
    free(report->orderings);
    free(report->orderings_failing);
    free(report->advice);
    free(report->first_like);
    free(report->note);
}
